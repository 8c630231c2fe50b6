package loadgen

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"benchtop/model"
	"benchtop/sources"
)

// Options say what is known about a stream before it is read.
type Options struct {
	Format   string         // a format's name; "" finds it out
	Zone     *time.Location // of stamps without a zone; nil is local
	Year     int            // of stamps without a year; 0 is this one's
	Start    model.Instant  // when the run began, for formats whose times count from there
	Label    string         // which client this is
	Name     string         // what the user calls the stream, for notes
	Timeout  time.Duration  // the client's timeout as declared; 0 is unknown
	Party    string         // the generator that this is one output of; "" if it is all there is of it
	KeepText bool           // samples of bad lines may hold what users sent
	// Perhaps: the stream may be none, as one of the two outputs of a program.
	// What isn't understood is no failure, and a format may show at any time.
	Perhaps bool
}

// Bounds of what is held while the format isn't known, and of samples.
const (
	holdLines  = 50
	holdBytes  = 1 << 20
	sampleCap  = 20
	sampleText = 200
	queueCap   = 1 << 20
)

// sure is the score at which a format is taken without seeing more lines, and
// enough the one at which it is taken at all: with several candidates at
// holdLines, with a single one at fewLines. Foreign lines may stand between.
const (
	sure     = 0.9
	enough   = 0.3
	fewLines = 8
)

// heldLine is a line read before the format was known.
type heldLine struct {
	text             []byte
	seen             model.Instant
	history, partial bool
}

// Decoder turns the lines of one stream into events. It belongs to one
// goroutine.
type Decoder struct {
	o      Options
	format *Format
	score  float64
	p      parser
	t      tracker
	yield  func(*Record)
	stash  func(*Record)

	binary *gobStream // of a stream without lines
	blind  bool       // what the format doesn't tell was told

	held      []heldLine
	heldBytes int
	gaveUp    bool
	gaveUpAt  model.Instant // when what was thrown away last was read
	torrent   torrent

	ahead     bool // Time has parsed aheadText already, into queue
	aheadText []byte
	aheadErr  error
	queue     []Record

	lines, bad, matched int
	err                 error
}

// NewDecoder makes a decoder. If the format's name is unknown, Err says so.
func NewDecoder(o Options) *Decoder {
	d := &Decoder{o: o, t: newTracker(&o)}
	d.yield = func(r *Record) { d.t.apply(r) }
	d.stash = func(r *Record) {
		if len(d.queue) < queueCap {
			d.queue = append(d.queue, *r)
			d.queue[len(d.queue)-1].ID = nil
		}
	}
	if o.Format != "" {
		if f := FormatNamed(o.Format); f != nil {
			d.choose(f, 1)
		} else {
			d.err = fmt.Errorf("unknown load format %q (benchtop formats lists them)", o.Format)
		}
	}
	return d
}

// Attached says that the stream was joined in mid-run: what was in flight at
// that time is unknown, and so is the horizon until it must be over.
func (d *Decoder) Attached() { d.t.attached = true }

// Err is why the stream can't be read, nil if it can.
func (d *Decoder) Err() error { return d.err }

// Format is the format's name and how sure it is (0..1); "" while unknown.
func (d *Decoder) Format() (string, float64) {
	if d.format == nil {
		return "", 0
	}
	return d.format.Name, d.score
}

func (d *Decoder) choose(f *Format, score float64) {
	d.format, d.score, d.p = f, score, f.New(&d.o)
	d.t.format = f.Name
}

// Line reads one line and emits what it tells. Look at Err after it: a stream
// that can't be read says so once, and its lines emit nothing. history lines were written
// before anybody watched; a partial line has no line end yet.
func (d *Decoder) Line(text []byte, seen model.Instant, history, partial bool, out *sources.Outlet) {
	d.t.emitter = emitter{out: out, seen: seen, late: history}
	if d.err != nil {
		out.Count(1, 0, len(text)+1, 0, 0)
		return
	}
	text = trimEnd(text)
	if d.p != nil {
		d.read(text, partial)
		return
	}
	if d.gaveUp && d.o.Perhaps && seen == d.gaveUpAt { // a torrent: one look a block
		d.torrent.add(text, heldLine{seen: seen, history: history, partial: partial})
		return
	}
	if d.settle(); d.p != nil {
		d.read(text, partial)
		return
	}
	d.hold(text, history, partial)
	full := len(d.held) >= holdLines || d.heldBytes >= holdBytes
	if d.gaveUp && d.o.Perhaps && !full {
		return // it isn't looked at line by line for ever
	}
	if !d.sniff(full) {
		return
	}
	d.gaveUp, d.gaveUpAt = d.p == nil, seen
	d.replay()
}

// Lost tells that so many lines of the stream, of so many bytes, will never be
// read. What is in flight is unknown after that, until the stream is next empty.
func (d *Decoder) Lost(lines, size int, seen model.Instant, out *sources.Outlet) {
	d.t.emitter = emitter{out: out, seen: seen}
	d.lines += lines
	out.Count(lines, 0, size, lines, 0)
	if d.p != nil && d.err == nil {
		d.t.gap()
	}
}

// hold keeps a line until the format is known.
func (d *Decoder) hold(text []byte, history, partial bool) {
	d.held = append(d.held, heldLine{text: bytes.Clone(text), seen: d.t.seen, history: history, partial: partial})
	d.heldBytes += len(text)
}

// sniff tries to choose the format from the lines held; must takes the best
// there is. It returns true if the lines are to be read or thrown away.
func (d *Decoder) sniff(must bool) bool {
	lines := make([][]byte, len(d.held))
	for i := range d.held {
		lines[i] = d.held[i].text
	}
	m := Sniff(lines)
	switch {
	case len(m) > 0 && m[0].Score >= sure && (len(m) == 1 || m[1].Score < m[0].Score):
		d.choose(m[0].Format, m[0].Score)
		return true
	case len(m) == 1 && m[0].Score >= enough && len(lines) >= fewLines && !m[0].Format.Document:
		d.choose(m[0].Format, m[0].Score)
		return true
	case !must:
		return false
	case len(m) > 0 && m[0].Score >= enough:
		d.choose(m[0].Format, m[0].Score)
		return true
	}
	if !d.gaveUp && !d.o.Perhaps {
		d.t.note(model.NoteError, 0, "", ErrUnknown.Error(), 0)
	}
	return true
}

// replay reads the lines held, or counts them if no format fits.
func (d *Decoder) replay() {
	held, now := d.held, d.t.emitter
	d.held, d.heldBytes = nil, 0
	for _, h := range held {
		d.t.seen, d.t.late = h.seen, h.history
		if d.p == nil {
			d.lines++
			if d.o.Perhaps {
				d.t.out.Count(1, 0, len(h.text)+1, 0, 0)
				continue
			}
			d.reject(h.text, "no known format")
			continue
		}
		d.read(h.text, h.partial)
	}
	d.t.emitter = now
}

// read parses one line with the chosen format.
func (d *Decoder) read(text []byte, partial bool) {
	if partial && !d.format.Document {
		return // not a record yet
	}
	d.lines++
	if !d.blind {
		d.blind = true
		d.t.blind(d.format)
	}
	var err error
	switch {
	case d.ahead && bytes.Equal(text, d.aheadText):
		err = d.aheadErr
		d.release()
	case d.format.Relative:
		err = d.p.parse(text, d.stash)
	default:
		err = d.p.parse(text, d.yield)
	}
	d.ahead = false
	d.judge(text, err)
}

// release applies what Time has read ahead.
func (d *Decoder) release() {
	for i := range d.queue {
		d.t.apply(&d.queue[i])
	}
	d.queue = d.queue[:0]
}

// judge counts a line by how its reading went.
func (d *Decoder) judge(text []byte, err error) {
	if err == nil {
		d.matched++
		d.t.out.Count(1, 1, len(text)+1, 0, 0)
		return
	}
	var bad badLine
	if errors.As(err, &bad) {
		d.reject(text, string(bad))
		return
	}
	d.err = err
	d.t.out.Count(1, 0, len(text)+1, 0, 1)
}

// reject counts a line that wasn't understood and keeps a few as samples.
func (d *Decoder) reject(text []byte, reason string) {
	d.bad++
	d.t.out.Count(1, 0, len(text)+1, 0, 1)
	if d.bad <= sampleCap {
		d.t.note(model.NoteBadLine, 0, reason, d.o.sample(text), float64(d.lines))
	}
}

// Time is when a live reader would have seen this line: the request's end for a
// record written at its end, else the line's own time. ok is false if the line
// tells none. A Line call with the same text after it reads nothing twice.
func (d *Decoder) Time(text []byte) (at model.Instant, ok bool) {
	text = trimEnd(text)
	if d.p == nil && d.err == nil {
		if m := Sniff([][]byte{text}); len(m) > 0 && m[0].Score >= sure {
			d.choose(m[0].Format, m[0].Score)
		}
	}
	if d.p == nil || d.err != nil || d.format.Relative {
		return 0, false
	}
	d.queue = d.queue[:0] // of an announced line that was never read
	d.aheadErr = d.p.parse(text, d.stash)
	d.ahead, d.aheadText = true, append(d.aheadText[:0], text...)
	for i := range d.queue {
		at = max(at, d.queue[i].At)
	}
	return at, at != 0
}

// Idle tells that nothing more is there to read now: what is held back is
// emitted as far as it is complete.
func (d *Decoder) Idle(seen model.Instant, out *sources.Outlet) {
	d.t.emitter = emitter{out: out, seen: seen}
	d.settle()
	d.flush(false)
}

// End tells that the stream is over: what is held back is emitted and what is
// in flight is closed.
func (d *Decoder) End(seen model.Instant, out *sources.Outlet) {
	d.t.emitter = emitter{out: out, seen: seen}
	d.settle()
	if d.p == nil && d.err == nil && len(d.held) > 0 {
		d.sniff(true)
		d.replay()
	}
	d.flush(true)
	var r Record
	r.clear(KindClose)
	if d.t.apply(&r); d.t.noise > 0 {
		d.t.note(model.NoteRun, 0, "records told twice", fmt.Sprint(d.t.noise), float64(d.t.noise))
	}
}

func (d *Decoder) flush(last bool) {
	if d.p == nil || d.err != nil {
		return
	}
	yield := d.yield
	if d.format.Relative || d.format.Document {
		yield = d.stash
	}
	if err := d.p.flush(last, yield); err != nil {
		d.judge(nil, err)
	}
	if len(d.queue) > 0 {
		place(d.queue, d.format, d.o.Start, d.t.seen)
		d.t.late = true // it was told when it was over: no rule of the moment may rest on it, nor a clock's offset
		d.release()
		d.t.late = false
	}
}

func trimEnd(text []byte) []byte {
	if n := len(text); n > 0 && text[n-1] == '\n' {
		text = text[:n-1]
	}
	if n := len(text); n > 0 && text[n-1] == '\r' {
		text = text[:n-1]
	}
	return text
}
