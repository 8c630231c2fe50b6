package serverlog

import (
	"bytes"
	"time"

	"benchtop/model"
)

// maxRecords bounds how many records one line can hold.
const maxRecords = 32

// silentMost bounds the lines that are left by their end alone: longer ones may
// hold another record.
const silentMost = 160

// maxJoined bounds a record that a collector split into pieces.
const maxJoined = 256 << 10

// reader turns lines into readings for one format. It reuses one Reading.
type reader struct {
	f      *Format
	year   int
	zone   *time.Location
	strip  stripper
	rec    record
	r      Reading
	dated  bool       // readings need their time
	all    bool       // records that say nothing are wanted too
	clocks bool       // so are those with a clock since the server's start
	joined []byte     // pieces of a record so far
	faults [16]uint64 // the newest error records, to know their continuations
	next   int
}

// read calls emit for each record of a line that says something, or for all.
// The reading and its slices are valid until emit returns.
func (rd *reader) read(line []byte, emit func(*record, *Reading)) {
	if rd.f.silent != nil && !rd.all && len(line) < silentMost && len(rd.joined) == 0 && len(line) > 0 && line[0] != '{' && bytes.HasSuffix(line, rd.f.silent) {
		return
	}
	if len(rd.joined) > 0 {
		line = rd.join(line)
	}
	rd.strip.strip(line, &rd.rec)
	if rd.rec.part && len(line) < maxJoined {
		rd.hold(line)
		return
	}
	for range maxRecords {
		text := rd.rec.text
		k := 0
		if rd.f.split != nil && rd.rec.obj.t == nil && len(text) > 0 {
			k = rd.f.split(&rd.rec)
		}
		if k > 0 {
			rd.rec.text = bytes.TrimRight(text[:k], " \r")
		}
		rd.one(emit)
		switch {
		case k > 0:
			rd.strip.again(text[k:], &rd.rec)
			continue
		case rd.rec.rest != nil:
			rd.strip.again(rd.rec.rest, &rd.rec)
			continue
		}
		break
	}
	rd.joined = rd.joined[:0]
}

// one parses the record at hand.
func (rd *reader) one(emit func(*record, *Reading)) {
	c, r := &rd.rec, &rd.r
	*r = Reading{}
	r.Debug, r.Clock, r.Clocked = c.level == debugLevel, c.clock, c.ticked
	rd.f.parse(c, r)
	if r.Plain {
		serves(c, r)
	}
	if r.Plain && r.Event == Error && rd.continued(c, c.at(rd.year, rd.zone)) {
		*r = Reading{Debug: r.Debug, Clock: r.Clock, Clocked: r.Clocked}
	}
	r.Happens = c.happening()
	if !rd.all && r.silent() && !(rd.clocks && r.Clocked) {
		return
	}
	if rd.dated || rd.all {
		r.At = c.at(rd.year, rd.zone)
		r.Dated = c.stamp.full() && (c.stamp.zoned || c.stamp.epoch != 0)
	}
	emit(c, r)
}

// continued reports whether an error record only goes on with an earlier one:
// the same process, second and source line.
func (rd *reader) continued(c *record, at model.Instant) bool {
	if c.loc == nil {
		return false
	}
	h := hashBytes(hashBytes(fnvStart, c.proc), c.loc)
	h = (h ^ uint64(at/1e9)) * fnvPrime
	for _, f := range rd.faults {
		if f == h {
			return true
		}
	}
	rd.faults[rd.next] = h
	rd.next = (rd.next + 1) % len(rd.faults)
	return false
}

// FNV-1a, inlined: keys of engines and of error records.
const (
	fnvStart = 14695981039346656037
	fnvPrime = 1099511628211
)

func hashBytes(h uint64, b []byte) uint64 {
	for _, c := range b {
		h = (h ^ uint64(c)) * fnvPrime
	}
	return h
}

// hold keeps the first piece of a record that its collector split.
func (rd *reader) hold(line []byte) {
	if len(rd.joined) == 0 {
		rd.joined = append(rd.joined, rd.piece(line, true)...)
	}
}

// join appends a piece and gives what is there so far. While pieces are
// missing, the flag of the newest one says so.
func (rd *reader) join(line []byte) []byte {
	rd.joined = append(rd.joined, rd.piece(line, false)...)
	if more := pieceFlag(line); more && len(rd.joined) < maxJoined {
		rd.rec = record{}
		return rd.joined
	}
	// The whole record: the first piece's stamp leads, its flag is past.
	if i := bytes.Index(rd.joined[:min(64, len(rd.joined))], []byte(" P ")); i > 0 {
		rd.joined[i+1] = 'F'
	}
	return rd.joined
}

// pieceFlag reports whether a CRI line says that more follows.
func pieceFlag(line []byte) bool {
	i := bytes.Index(line[:min(64, len(line))], []byte(" P "))
	return i > 0 && (bytes.HasSuffix(line[:i], []byte(" stdout")) || bytes.HasSuffix(line[:i], []byte(" stderr")))
}

// piece is what a line adds to a split record: the first all of it, later ones
// what stands behind their own collector's prefix.
func (rd *reader) piece(line []byte, first bool) []byte {
	if first {
		return line
	}
	for _, flag := range [...]string{" stdout P ", " stdout F ", " stderr P ", " stderr F "} {
		if i := bytes.Index(line[:min(64, len(line))], []byte(flag)); i > 0 {
			return line[i+len(flag):]
		}
	}
	return line
}
