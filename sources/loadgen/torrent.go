package loadgen

// torrentKeep is how many of the newest lines of a torrent are kept.
const torrentKeep = 400

// torrent keeps the newest lines of what a program that isn't understood prints
// faster than every line could be looked at: its report may stand among them.
type torrent struct {
	ring   []heldLine
	n      int
	passed int // bytes of the lines that gave way
}

// add keeps a line in memory that it reuses.
func (t *torrent) add(text []byte, h heldLine) {
	if len(t.ring) < torrentKeep {
		t.ring = append(t.ring, heldLine{})
	}
	slot := &t.ring[t.n%torrentKeep]
	if t.n >= torrentKeep {
		t.passed += len(slot.text) + 1
	}
	h.text = append(slot.text[:0], text...)
	*slot = h
	t.n++
}

// settle looks at what a torrent left, now that there is time.
func (d *Decoder) settle() {
	t := &d.torrent
	if t.n == 0 {
		return
	}
	passed := t.n - min(t.n, torrentKeep)
	d.lines += passed
	d.t.out.Count(passed, 0, t.passed, 0, 0)
	for i := passed; i < t.n; i++ {
		h := t.ring[i%torrentKeep]
		d.held = append(d.held, heldLine{text: append([]byte(nil), h.text...), seen: h.seen, history: h.history, partial: h.partial})
	}
	t.n, t.passed = 0, 0
	if d.sniff(true) {
		d.gaveUp = d.p == nil
		d.replay()
	}
}
