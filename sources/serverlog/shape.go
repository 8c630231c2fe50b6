package serverlog

import "encoding/binary"

// Limits of the shapes that are remembered.
const (
	shapes    = 64  // how many at once
	shapeMost = 192 // bytes of prefix; a multiple of 8
	shapeMin  = 6   // shorter ones are read as fast
)

// span is a part of a line whose digits change from line to line: a stamp.
type span struct{ at, n int16 }

// shape is how a line began: its prefixes, with any digit where a stamp's were.
// A line that begins alike is stripped by comparing, and its stamp is read only
// when somebody asks for it.
type shape struct {
	words int  // 0 if the shape is empty
	begin byte // its chain
	n     int  // length of the prefixes
	text  [shapeMost / 8]uint64
	mask  [shapeMost / 8]uint64
	six   [shapeMost / 8]uint64 // a 6 where any digit may stand
	own   [shapeMost]byte       // the prefixes, for the record's slices
	rec   record
	stamp span // where the stamp that counts stands; n is 0 if there is none
	clock span
}

// fits reports whether line begins as the shape says.
func (sh *shape) fits(line []byte) bool {
	if sh.words == 0 || len(line) < sh.words*8 {
		return false
	}
	const tens = 0x1010101010101010
	for i, want := range sh.text[:sh.words] {
		got := binary.LittleEndian.Uint64(line[i*8:])
		if (got^want)&sh.mask[i] != 0 {
			return false
		}
		// The mask lets '0' to '?' through: those above '9' overflow with six more.
		if six := sh.six[i]; (got&(six<<1|six>>1)+six)&tens&(six<<3) != 0 {
			return false
		}
	}
	return true
}

// album is the shapes of the newest lines, in chains by what they begin with.
type album struct {
	kept   [shapes]shape
	chain  [shapes]uint8 // the next of the same beginning, plus one; 0 ends it
	head   [256]uint8    // by first byte, any digit as '0': the first of the chain, plus one
	next   int           // the one to give up
	misses int
}

// beginning is the chain that a line belongs to.
func beginning(line []byte) byte {
	if isDigit(line[0]) {
		return '0'
	}
	return line[0]
}

// find gives the shape that a line has, nil if none of those kept. It moves it
// to the front of its chain: the next line is likely to have it too.
func (a *album) find(line []byte) *shape {
	if len(line) == 0 {
		return nil
	}
	b := beginning(line)
	before := uint8(0)
	for i := a.head[b]; i != 0; i = a.chain[i-1] {
		if sh := &a.kept[i-1]; sh.fits(line) {
			if before != 0 {
				a.chain[before-1], a.chain[i-1], a.head[b] = a.chain[i-1], a.head[b], i
			}
			return sh
		}
		before = i
	}
	a.misses++
	return nil
}

// place gives the shape that is longest kept, for a line to be learnt.
func (a *album) place(line []byte) *shape {
	i := uint8(a.next + 1)
	a.next = (a.next + 1) % shapes
	sh := &a.kept[i-1]
	if sh.words != 0 {
		at := &a.head[sh.begin]
		for *at != 0 && *at != i {
			at = &a.chain[*at-1]
		}
		*at = a.chain[i-1]
	}
	sh.begin = beginning(line)
	a.chain[i-1], a.head[sh.begin] = a.head[sh.begin], i
	return sh
}

// learn keeps how a line began: n bytes of prefix, which gave c. plain is the
// line without its colours. Where hardly a line begins as another did, only
// some are kept.
func (a *album) learn(line, plain []byte, n int, c *record) {
	if a.misses > 64 && a.misses%8 != 0 || c.peeked || n < shapeMin || n > shapeMost || !isSpace(line[n-1]) || c.spans[len(c.spans)-1].n != 0 {
		return
	}
	sh := a.place(line)
	copy(sh.own[:], plain)
	var text, mask, six [shapeMost]byte
	for i := range n {
		text[i], mask[i] = line[i], 0xff
	}
	for _, s := range c.spans {
		s = painted(line, plain, s)
		for i := int(s.at); i < min(n, int(s.at+s.n)); i++ {
			if isDigit(line[i]) {
				mask[i], six[i] = 0xf0, 6
			}
		}
	}
	sh.n, sh.words = n, (n+7)/8
	for i := range sh.words {
		sh.text[i], sh.mask[i] = binary.LittleEndian.Uint64(text[i*8:]), binary.LittleEndian.Uint64(mask[i*8:])
		sh.six[i] = binary.LittleEndian.Uint64(six[i*8:])
	}
	sh.rec, sh.stamp, sh.clock = *c, painted(line, plain, c.stampAt), painted(line, plain, c.clockAt)
	sh.rec.text, sh.rec.raw = nil, nil
	for _, p := range []*[]byte{&sh.rec.where, &sh.rec.proc, &sh.rec.core, &sh.rec.port, &sh.rec.rank, &sh.rec.loc, &sh.rec.name, &sh.rec.tag} {
		sh.adopt(plain, p)
	}
}

// painted finds a part of the line without colours in the line with them.
func painted(line, plain []byte, s span) span {
	if s.n > 0 && len(line) != len(plain) {
		s.at = int16(unplain(line, int(s.at)))
	}
	return s
}

// unplain is where the plain line's byte n stands in a line with colours.
func unplain(line []byte, n int) int {
	for i := 0; i < len(line); i++ {
		for i < len(line) {
			k := colour(line[i:])
			if k == 0 {
				break
			}
			i += k
		}
		if n == 0 {
			return i
		}
		n--
	}
	return len(line)
}

// adopt moves a slice of line to the shape's own copy of it.
func (sh *shape) adopt(line []byte, p *[]byte) {
	if *p == nil {
		return
	}
	at := cap(line) - cap(*p)
	*p = sh.own[at : at+len(*p) : at+len(*p)]
}

// apply starts a record as the shape says.
func (sh *shape) apply(line []byte, c *record) {
	*c = sh.rec
	if s := sh.stamp; s.n > 0 {
		c.raw = line[s.at : s.at+s.n]
	}
	if s := sh.clock; s.n > 0 {
		c.clock, _ = sinceStart(line[s.at:])
	}
	c.text = line[sh.n:]
}
