package recording

import (
	"encoding/binary"
	"errors"
	"math"

	"benchtop/model"
)

// errRecord is the one complaint about a block whose checksum is right and
// whose records are not: a fault of whoever wrote it.
var errRecord = errors.New("a record makes no sense")

// decoder reads the records of one block. Every number in it may be a lie.
type decoder struct {
	trace
	cols    columns          // what is left of the block
	series  []model.SeriesID // the file's ids to ours
	known   []bool           // whether a file's id is a series we know
	skipped uint64           // events of series or kinds we don't know
	bad     bool
	// flight marks the sources that told of requests.
	flight map[model.SourceID]struct{}
}

// start begins a block.
func (d *decoder) start(p []byte, first model.Instant) error {
	d.trace.reset(first)
	d.stop()
	var cols columns
	for i := range cols {
		n, w := binary.Uvarint(p)
		if w <= 0 || n > uint64(len(p)-w) {
			return errRecord
		}
		cols[i], p = p[w:w+int(n)], p[w+int(n):]
	}
	d.cols = cols
	return nil
}

// stop forgets what is left of the block.
func (d *decoder) stop() { d.cols, d.bad = columns{}, false }

// more reports whether records are left.
func (d *decoder) more() bool { return len(d.cols[colTag]) > 0 }

// fill appends records to b until it is full, a batch with notes begins or
// ends, or the block is over.
func (d *decoder) fill(b *model.Batch) error {
	for d.more() && len(b.Events) < model.BatchCap && len(b.Notes) < model.BatchCap {
		switch d.cols[colTag][0] {
		case controlOpen:
			if len(b.Events) > 0 || len(b.Notes) > 0 {
				return nil
			}
			d.byte(colTag)
		case controlClose:
			d.byte(colTag)
			if len(b.Events) > 0 || len(b.Notes) > 0 {
				return nil
			}
		case controlNote:
			if len(b.Events) > 0 {
				return nil
			}
			n := d.note()
			if d.bad {
				return errRecord
			}
			b.Notes = append(b.Notes, n)
		default:
			ev, keep := d.event()
			if d.bad {
				return errRecord
			}
			if keep {
				b.Events = append(b.Events, ev)
			}
		}
	}
	return nil
}

func (d *decoder) byte(col int) byte {
	p := d.cols[col]
	if len(p) == 0 {
		d.bad = true
		return 0
	}
	d.cols[col] = p[1:]
	return p[0]
}

func (d *decoder) uvarint(col int) uint64 {
	u, n := binary.Uvarint(d.cols[col])
	if n <= 0 {
		d.bad = true
		return 0
	}
	d.cols[col] = d.cols[col][n:]
	return u
}

func (d *decoder) varint(col int) int64 { return unzigzag(d.uvarint(col)) }

func (d *decoder) wide(col int) uint64 {
	lead := d.byte(col)
	if lead < wideCut {
		return uint64(lead)
	}
	n := int(lead-wideCut) + 1
	var tmp [8]byte
	if copy(tmp[:n], d.cols[col]) < n {
		d.bad = true
		return 0
	}
	d.cols[col] = d.cols[col][n:]
	return binary.LittleEndian.Uint64(tmp[:])
}

func (d *decoder) fixed64(col int) uint64 {
	p := d.cols[col]
	if len(p) < 8 {
		d.bad = true
		return 0
	}
	d.cols[col] = p[8:]
	return binary.LittleEndian.Uint64(p)
}

// event reads one event. keep is false if its series means nothing to us.
func (d *decoder) event() (ev model.Event, keep bool) {
	tag := d.byte(colTag)
	idx := d.expected()
	if tag&tagEntry != 0 {
		idx = d.entry()
	}
	if d.bad || idx < 0 || int(idx) >= len(d.entries) {
		d.bad = true
		return ev, false
	}
	d.step(idx)
	en := &d.entries[idx]
	if tag&tagSeen != 0 {
		d.seen += model.Instant(d.varint(colTime))
		d.last = max(d.last, d.seen)
	}
	switch tag >> atShift & 3 {
	case atSeen:
		en.at = d.seen
	case atPrev:
		en.at = d.at
	case atNanos:
		en.at += model.Instant(d.varint(colTime))
	case atMicro:
		en.at += model.Instant(d.varint(colTime) * 1000)
	}
	d.at = en.at
	ev = model.Event{
		At: en.at, Seen: d.seen, Key: en.id.key,
		Series: en.id.series, Source: en.id.source, Kind: en.id.kind, Late: en.id.late,
	}
	if aboutRequest(ev.Kind) {
		if tag&tagKey != 0 {
			d.key = en.key + uint64(unzigzag(d.wide(colKey)))
		}
		en.key, ev.Key = d.key, d.key
	}
	d.value(en, tag>>valShift&7)
	ev.Value = math.Float64frombits(en.value)
	return ev, d.adopt(&ev)
}

func (d *decoder) value(en *entry, mode byte) {
	switch mode {
	case valueSame:
	case valueInt:
		before, _ := whole(en.value)
		en.value = math.Float64bits(float64(before + d.varint(colValue)))
	case valueMilli:
		en.value = math.Float64bits(float64(d.varint(colValue)) / 1e3)
	case valueMicro:
		en.value = math.Float64bits(float64(d.varint(colValue)) / 1e6)
	case valueNano:
		en.value = math.Float64bits(float64(d.varint(colValue)) / 1e9)
	case valueRaw:
		en.value = d.fixed64(colValue)
	default:
		d.bad = true
	}
}

// entry reads an entry's number, and its definition if it is new.
func (d *decoder) entry() int32 {
	if n := d.uvarint(colTag); n != 0 {
		if n > uint64(len(d.entries)) {
			d.bad = true
			return -1
		}
		return int32(n - 1)
	}
	var before, id entryID
	if n := len(d.entries); n > 0 {
		before = d.entries[n-1].id
	}
	flags := d.byte(colTag)
	id = entryID{key: before.key, series: before.series + 1, source: before.source, kind: model.Kind(flags & 15), late: flags&defLate != 0}
	if flags&defSameSource == 0 {
		id.source = model.SourceID(d.uvarint(colTag))
	}
	if flags&defNextSeries == 0 {
		id.series = model.SeriesID(d.uvarint(colTag))
	}
	if flags&defSameKey == 0 {
		id.key = d.wide(colTag)
	}
	d.entries = append(d.entries, entry{id: id, at: d.seen, next: -1})
	return int32(len(d.entries) - 1)
}

// adopt gives ev our series id. It is false for what this version doesn't know.
func (d *decoder) adopt(ev *model.Event) bool {
	if int(ev.Series) < len(d.known) && d.known[ev.Series] {
		ev.Series = d.series[ev.Series]
	} else {
		switch ev.Kind {
		case model.Tick, model.State, model.Reset: // these belong to no series
			ev.Series = 0
		default:
			d.skipped++
			return false
		}
	}
	switch {
	case ev.Kind > model.Reset:
		d.skipped++
		return false
	case ev.Kind == model.Begin || ev.Kind == model.End:
		d.flight[ev.Source] = struct{}{}
	}
	return true
}

func (d *decoder) note() model.Note {
	d.byte(colTag)
	n := model.Note{Kind: model.NoteKind(d.byte(colValue))}
	n.Seen = d.seen + model.Instant(d.varint(colValue))
	n.At = n.Seen + model.Instant(d.varint(colValue))
	n.Value = math.Float64frombits(d.fixed64(colValue))
	n.Key = d.wide(colValue)
	n.Source = model.SourceID(d.uvarint(colValue))
	n.Name = d.text()
	n.Text = d.text()
	return n
}

func (d *decoder) text() string {
	n := d.uvarint(colValue)
	p := d.cols[colValue]
	if d.bad || n > maxText || n > uint64(len(p)) {
		d.bad = true
		return ""
	}
	d.cols[colValue] = p[n:]
	return string(p[:n])
}
