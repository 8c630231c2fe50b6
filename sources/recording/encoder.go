package recording

import (
	"encoding/binary"
	"math"

	"benchtop/model"
)

// A data block is a run of records, taken apart into columns: bytes of one
// meaning pack better side by side. Each column is led by its length. A record
// begins with a byte in the column of tags:
//
//	bit 0     the time Seen moved: a varint of its change follows
//	bits 1-2  At: as Seen, as the record before, or a change against the last
//	          At of the same entry in nanoseconds or microseconds
//	bits 3-5  how Value is stored, or valueControl
//	bit 6     the key is not the previous request's: its change follows
//	bit 7     the entry is not the expected one: its number follows, or 0 and
//	          a definition
//
// An entry is what stays the same between records: kind, series, source, Late
// and, for what is not about requests, the key. Streams repeat themselves, so
// each entry expects the one that followed it last time.
const (
	colTag   = iota // tags, and the numbers and definitions of entries
	colTime         // changes of Seen and At
	colKey          // keys of requests
	colValue        // values, and the rest of notes
	colCount
)

// columns are the parts of a data block.
type columns [colCount][]byte

func (c *columns) size() int {
	n := 0
	for i := range c {
		n += len(c[i])
	}
	return n
}

// The bits of a tag.
const (
	tagSeen  = 1 << 0
	atShift  = 1
	valShift = 3
	tagKey   = 1 << 6
	tagEntry = 1 << 7
)

// How At is stored.
const (
	atSeen  = iota // equal to Seen
	atPrev         // equal to the At of the record before
	atNanos        // change against the entry's last At
	atMicro        // the same, in whole microseconds
)

// How Value is stored.
const (
	valueSame    = iota // the same bits as the entry's last value
	valueInt            // change against the entry's last value, both whole numbers
	valueMilli          // thousandths
	valueMicro          // millionths
	valueNano           // thousand-millionths
	valueRaw            // the eight bytes of the float
	valueUnused         // reserved
	valueControl        // not an event: the low bits say what
)

// The control records.
const (
	controlNote  = 0 | valueControl<<valShift // a note follows
	controlOpen  = 1 | valueControl<<valShift // a batch with notes begins: notes first, then events
	controlClose = 2 | valueControl<<valShift // it is over
)

// The flags of a definition, above four bits of Kind.
const (
	defLate       = 1 << 4
	defSameSource = 1 << 5 // as the entry defined before
	defNextSeries = 1 << 6 // one more than the entry defined before
	defSameKey    = 1 << 7 // as the entry defined before
)

// wholeLimit bounds the whole numbers that a float64 holds exactly.
const wholeLimit = 1 << 53

// entryID is what the records of one entry have in common.
type entryID struct {
	key    uint64 // 0 for requests
	series model.SeriesID
	source model.SourceID
	kind   model.Kind
	late   bool
}

// entry is one line of a block's dictionary, kept alike by both ends.
type entry struct {
	id    entryID
	value uint64 // bits of the last value
	at    model.Instant
	key   uint64 // last key of a request
	next  int32  // the entry that followed last time, -1 if none
}

// aboutRequest reports whether events of a kind have a key of their own each.
func aboutRequest(k model.Kind) bool {
	return k == model.Begin || k == model.End || k == model.Observe
}

// ofTheRun reports whether an event tells how far the run is. What benchtop says
// of its own sources is stamped by the wall clock, which is not that of a
// simulated run.
func ofTheRun(ev *model.Event) bool {
	return ev.Kind != model.State && (ev.Series < model.SourceLines || ev.Kind != model.Add)
}

// trace is the state that both ends of a block keep in step.
type trace struct {
	entries  []entry
	prev     int32 // entry of the record before, -1 at the start
	seen, at model.Instant
	key      uint64 // key of the last record about a request
	last     model.Instant
}

func (t *trace) reset(first model.Instant) {
	t.entries = t.entries[:0]
	t.prev, t.seen, t.at, t.key, t.last = -1, first, first, 0, first
}

// step makes idx the newest entry.
func (t *trace) step(idx int32) {
	if t.prev >= 0 {
		t.entries[t.prev].next = idx
	}
	t.prev = idx
}

func (t *trace) expected() int32 {
	if t.prev < 0 {
		return -1
	}
	return t.entries[t.prev].next
}

// encoder turns events into records of one block at a time. It is used by the
// engine's goroutine alone and allocates only while its tables grow.
type encoder struct {
	trace
	index map[entryID]int32
}

func (e *encoder) reset(first model.Instant) {
	if e.index == nil {
		e.index = make(map[entryID]int32, 512)
	}
	clear(e.index)
	e.trace.reset(first)
}

// event appends one event's record to c.
func (e *encoder) event(c *columns, ev *model.Event) {
	id := entryID{series: ev.Series, source: ev.Source, kind: ev.Kind, late: ev.Late}
	request := aboutRequest(ev.Kind)
	if !request {
		id.key = ev.Key
	}
	tagAt := len(c[colTag])
	c[colTag] = append(c[colTag], 0)
	tag := byte(0)

	idx := e.expected()
	if idx < 0 || e.entries[idx].id != id {
		tag |= tagEntry
		c[colTag], idx = e.entry(c[colTag], id)
	}
	e.step(idx)
	en := &e.entries[idx]

	if ev.Seen != e.seen {
		tag |= tagSeen
		c[colTime] = binary.AppendUvarint(c[colTime], zigzag(int64(ev.Seen-e.seen)))
		e.seen = ev.Seen
		if ofTheRun(ev) {
			e.last = max(e.last, ev.Seen)
		}
	}
	switch d := int64(ev.At - en.at); {
	case ev.At == ev.Seen:
	case ev.At == e.at:
		tag |= atPrev << atShift
	case d%1000 == 0:
		tag |= atMicro << atShift
		c[colTime] = binary.AppendUvarint(c[colTime], zigzag(d/1000))
	default:
		tag |= atNanos << atShift
		c[colTime] = binary.AppendUvarint(c[colTime], zigzag(d))
	}
	e.at, en.at = ev.At, ev.At

	if request {
		if ev.Key != e.key {
			tag |= tagKey
			c[colKey] = appendWide(c[colKey], zigzag(int64(ev.Key-en.key)))
		}
		e.key, en.key = ev.Key, ev.Key
	}
	var mode byte
	c[colValue], mode = appendValue(c[colValue], ev.Value, en)
	c[colTag][tagAt] = tag | mode<<valShift
}

// entry finds or defines id and appends its number.
func (e *encoder) entry(dst []byte, id entryID) ([]byte, int32) {
	if idx, ok := e.index[id]; ok {
		return binary.AppendUvarint(dst, uint64(idx)+1), idx
	}
	idx := int32(len(e.entries))
	e.index[id] = idx
	var before entryID
	if idx > 0 {
		before = e.entries[idx-1].id
	}
	e.entries = append(e.entries, entry{id: id, at: e.seen, next: -1})

	flags := byte(id.kind)
	if id.late {
		flags |= defLate
	}
	if id.source == before.source {
		flags |= defSameSource
	}
	if id.series == before.series+1 {
		flags |= defNextSeries
	}
	if id.key == before.key {
		flags |= defSameKey
	}
	dst = append(dst, 0, flags)
	if flags&defSameSource == 0 {
		dst = binary.AppendUvarint(dst, uint64(id.source))
	}
	if flags&defNextSeries == 0 {
		dst = binary.AppendUvarint(dst, uint64(id.series))
	}
	if flags&defSameKey == 0 {
		dst = appendWide(dst, id.key)
	}
	return dst, idx
}

// whole is the integer that the bits of a float stand for. Negative zero has
// none: it must come back as it was.
func whole(bits uint64) (int64, bool) {
	v := math.Float64frombits(bits)
	if !(v > -wholeLimit && v < wholeLimit) {
		return 0, false
	}
	n := int64(v)
	return n, math.Float64bits(float64(n)) == bits
}

// appendValue stores v in the shortest form that gives the same bits back.
func appendValue(dst []byte, v float64, en *entry) ([]byte, byte) {
	bits := math.Float64bits(v)
	if bits == en.value {
		return dst, valueSame
	}
	if n, ok := whole(bits); ok {
		before, _ := whole(en.value)
		en.value = bits
		return binary.AppendUvarint(dst, zigzag(n-before)), valueInt
	}
	en.value = bits
	// A decimal fraction of up to nine places is a whole number divided by a
	// power of ten, and that quotient is exact to the bit.
	if s := v * 1e9; s > -wholeLimit && s < wholeLimit {
		n := int64(math.RoundToEven(s))
		if math.Float64bits(float64(n)/1e9) == bits {
			switch {
			case n%1e6 == 0:
				return binary.AppendUvarint(dst, zigzag(n/1e6)), valueMilli
			case n%1e3 == 0:
				return binary.AppendUvarint(dst, zigzag(n/1e3)), valueMicro
			}
			return binary.AppendUvarint(dst, zigzag(n)), valueNano
		}
	}
	return binary.LittleEndian.AppendUint64(dst, bits), valueRaw
}

// note appends one note's record to c.
func (e *encoder) note(c *columns, n *model.Note) {
	c[colTag] = append(c[colTag], controlNote)
	dst := append(c[colValue], byte(n.Kind))
	dst = binary.AppendUvarint(dst, zigzag(int64(n.Seen-e.seen)))
	dst = binary.AppendUvarint(dst, zigzag(int64(n.At-n.Seen)))
	dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(n.Value))
	dst = appendWide(dst, n.Key)
	dst = binary.AppendUvarint(dst, uint64(n.Source))
	for _, s := range [...]string{n.Name, n.Text} {
		s = s[:min(len(s), maxText)]
		dst = binary.AppendUvarint(dst, uint64(len(s)))
		dst = append(dst, s...)
	}
	c[colValue] = dst
}
