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
	p       []byte
	series  []model.SeriesID // the file's ids to ours
	known   []bool           // whether a file's id is a series we know
	skipped uint64           // events of series or kinds we don't know
	bad     bool
	// flight marks the sources that told of requests.
	flight map[model.SourceID]struct{}
}

// start begins a block.
func (d *decoder) start(p []byte, first model.Instant) {
	d.trace.reset(first)
	d.p, d.bad = p, false
}

// more reports whether records are left.
func (d *decoder) more() bool { return len(d.p) > 0 }

// fill appends records to b until it is full, a batch with notes begins or
// ends, or the block is over.
func (d *decoder) fill(b *model.Batch) error {
	for len(d.p) > 0 && len(b.Events) < model.BatchCap && len(b.Notes) < model.BatchCap {
		switch d.p[0] {
		case controlOpen:
			if len(b.Events) > 0 || len(b.Notes) > 0 {
				return nil
			}
			d.p = d.p[1:]
		case controlClose:
			d.p = d.p[1:]
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

func (d *decoder) byte() byte {
	if len(d.p) == 0 {
		d.bad = true
		return 0
	}
	b := d.p[0]
	d.p = d.p[1:]
	return b
}

func (d *decoder) uvarint() uint64 {
	u, n := binary.Uvarint(d.p)
	if n <= 0 {
		d.bad = true
		return 0
	}
	d.p = d.p[n:]
	return u
}

func (d *decoder) varint() int64 { return unzigzag(d.uvarint()) }

func (d *decoder) wide() uint64 {
	lead := d.byte()
	if lead < wideCut {
		return uint64(lead)
	}
	n := int(lead-wideCut) + 1
	var tmp [8]byte
	if copy(tmp[:n], d.p) < n {
		d.bad = true
		return 0
	}
	d.p = d.p[n:]
	return binary.LittleEndian.Uint64(tmp[:])
}

func (d *decoder) fixed64() uint64 {
	if len(d.p) < 8 {
		d.bad = true
		return 0
	}
	u := binary.LittleEndian.Uint64(d.p)
	d.p = d.p[8:]
	return u
}

// event reads one event. keep is false if its series means nothing to us.
func (d *decoder) event() (ev model.Event, keep bool) {
	tag := d.byte()
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
		d.seen += model.Instant(d.varint())
		d.last = max(d.last, d.seen)
	}
	switch tag >> atShift & 3 {
	case atSeen:
		en.at = d.seen
	case atPrev:
		en.at = d.at
	case atNanos:
		en.at += model.Instant(d.varint())
	case atMicro:
		en.at += model.Instant(d.varint() * 1000)
	}
	d.at = en.at
	ev = model.Event{
		At: en.at, Seen: d.seen, Key: en.id.key,
		Series: en.id.series, Source: en.id.source, Kind: en.id.kind, Late: en.id.late,
	}
	if aboutRequest(ev.Kind) {
		if tag&tagKey != 0 {
			d.key = en.key + uint64(unzigzag(d.wide()))
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
		en.value = math.Float64bits(float64(before + d.varint()))
	case valueMilli:
		en.value = math.Float64bits(float64(d.varint()) / 1e3)
	case valueMicro:
		en.value = math.Float64bits(float64(d.varint()) / 1e6)
	case valueNano:
		en.value = math.Float64bits(float64(d.varint()) / 1e9)
	case valueRaw:
		en.value = d.fixed64()
	default:
		d.bad = true
	}
}

// entry reads an entry's number, and its definition if it is new.
func (d *decoder) entry() int32 {
	if n := d.uvarint(); n != 0 {
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
	flags := d.byte()
	id = entryID{key: before.key, series: before.series + 1, source: before.source, kind: model.Kind(flags & 15), late: flags&defLate != 0}
	if flags&defSameSource == 0 {
		id.source = model.SourceID(d.uvarint())
	}
	if flags&defNextSeries == 0 {
		id.series = model.SeriesID(d.uvarint())
	}
	if flags&defSameKey == 0 {
		id.key = d.wide()
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
	d.p = d.p[1:]
	n := model.Note{Kind: model.NoteKind(d.byte())}
	n.Seen = d.seen + model.Instant(d.varint())
	n.At = n.Seen + model.Instant(d.varint())
	n.Value = math.Float64frombits(d.fixed64())
	n.Key = d.wide()
	n.Source = model.SourceID(d.uvarint())
	n.Name = d.text()
	n.Text = d.text()
	return n
}

func (d *decoder) text() string {
	n := d.uvarint()
	if d.bad || n > maxText || n > uint64(len(d.p)) {
		d.bad = true
		return ""
	}
	s := string(d.p[:n])
	d.p = d.p[n:]
	return s
}
