package serverlog

import (
	"fmt"
	"math"
	"time"

	"benchtop/model"
	"benchtop/sources"
)

// pastWait is how long history waits for a live line to show the offset
// between the log's clock and ours.
const pastWait = 2 * time.Second

// maxPast bounds the events of history that wait.
const maxPast = 1 << 17

// history holds what was written before we watched, until the first live line
// shows how far its clock is from ours.
type history struct {
	dated   []model.Event // At by stamps that name a day
	clocked []model.Event // At counts from the server's start
	newest  model.Instant // when the newest of them was read
	through bool          // there was more than can wait: dated events pass, by their own stamps
}

func (h *history) waiting() bool { return len(h.dated)+len(h.clocked) > 0 }

// flush emits what waits, dated stamps moved by offset and clocks by zero; a
// zero of 0 leaves the clocks without a place, so they are dropped.
func (h *history) flush(out *sources.Outlet, offset time.Duration, zero model.Instant) {
	for i := range h.dated {
		ev := &h.dated[i]
		ev.At = min(ev.At.Add(offset), ev.Seen)
		out.Emit(*ev)
	}
	if zero != 0 {
		for _, ev := range h.clocked {
			ev.At = min(ev.At+zero, ev.Seen)
			out.Emit(ev)
		}
	}
	h.dated, h.clocked = h.dated[:0], h.clocked[:0]
}

// pastAlone lets history go that no live line has placed. Clocks that count from
// the server's start then stand on the file's last change, at which its newest
// line was written; without one they have no place.
func (d *Decoder) pastAlone(now model.Instant) {
	zero, n := d.o.Start, len(d.past.clocked)
	switch {
	case n == 0 || zero != 0:
	case d.written != 0:
		zero = d.written - model.Instant(d.pastTick)
		d.e.out.Note(model.Note{At: now, Seen: now, Kind: model.NoteMark, Name: "source", Text: fmt.Sprintf(
			"%s: its stamps count from the server's start, so its history is placed by the file's last change (to be exact: ,start=TIME)", d.o.Name)})
	default:
		d.e.out.Note(model.Note{At: now, Seen: now, Kind: model.NoteError, Text: fmt.Sprintf(
			"%d values of history have no place in time: the log's stamps count from the server's start (say when that was: ,start=TIME)", n)})
	}
	d.past.flush(d.e.out, 0, zero)
}

// reading places one reading in time and hands it to the emitter.
func (d *Decoder) reading(c *record, r *Reading) {
	r.At = d.turn(c, r.At)
	if r.Odd {
		d.odd++
	}
	if !r.Empty() || r.Set&configFields != 0 || r.Happens != NoHappening {
		d.matched = true
	}
	d.newest = max(d.newest, r.At)
	d.e.mute, d.e.past = false, nil
	switch {
	case d.o.OwnTime:
		d.e.at = d.own(r)
	case d.e.late:
		d.placePast(r)
	default:
		d.e.at = d.e.seen
		d.live(r)
	}
	d.e.where = c.where
	d.e.apply(r)
}

// here is where what is told of no record in particular is placed.
func (d *Decoder) here() model.Instant {
	if d.o.OwnTime && d.last != 0 {
		return d.last
	}
	return d.e.seen
}

// Stamps without a year that are further off than these belong to the year
// before or after.
const (
	farAhead  = 36 * time.Hour
	farBehind = 300 * 24 * time.Hour
)

// turn sees to logs that cross New Year with stamps that name no year.
func (d *Decoder) turn(c *record, at model.Instant) model.Instant {
	if at == 0 || c.stamp.full() {
		return at
	}
	switch {
	case d.o.Year == 0 && !d.o.OwnTime && d.e.seen != 0 && at > d.e.seen.Add(farAhead):
		return c.at(d.rd.year-1, d.o.Zone)
	case d.newest != 0 && d.newest.Sub(at) > farBehind:
		return c.at(d.rd.year+1, d.o.Zone)
	}
	return at
}

// own is a record's own time in a replay; one without has the time that the
// line is said to be of.
func (d *Decoder) own(r *Reading) model.Instant {
	switch {
	case r.At != 0:
		d.last = r.At
	case r.Clocked && d.clock0 != 0 && r.Engine == nil:
		if r.Clock < d.clockNow-time.Second && d.last != 0 { // the server started again
			d.clock0 = d.last - model.Instant(r.Clock)
		}
		d.clockNow = r.Clock
		d.last = d.clock0 + model.Instant(r.Clock)
	default:
		d.last = max(d.last, d.e.seen)
	}
	if d.last == 0 {
		return d.e.seen
	}
	return d.last
}

// placePast decides where a line of history goes. Without a stamp it only
// keeps the state right: format, settings, open slots.
func (d *Decoder) placePast(r *Reading) {
	switch {
	case r.At != 0 && d.past.through:
		d.e.at = min(r.At, d.e.seen)
	case r.At != 0:
		d.e.at, d.e.past = r.At, &d.past.dated
	case r.Clocked:
		if r.Clock < d.clockNow-time.Second {
			d.past.clocked = d.past.clocked[:0] // before a restart: no way to place them
		}
		d.clockNow = r.Clock
		d.e.at, d.e.past = model.Instant(r.Clock), &d.past.clocked
	default:
		d.e.mute = true
	}
	if len(d.past.dated)+len(d.past.clocked) >= maxPast {
		d.past.flush(d.e.out, 0, d.o.Start)
		d.past.through = true
	}
}

// live notes how far a live line's stamp is from its arrival, and lets history
// go once the distance is known.
func (d *Decoder) live(r *Reading) {
	seen := d.e.seen
	if d.past.waiting() {
		zero := d.o.Start
		if r.Clocked {
			zero = seen - model.Instant(r.Clock)
		}
		switch {
		case len(d.past.dated) > 0 && r.At != 0:
			d.past.flush(d.e.out, seen.Sub(r.At), zero)
		case len(d.past.dated) == 0 && r.Clocked:
			d.past.flush(d.e.out, 0, zero)
		case seen.Sub(d.past.newest) >= pastWait:
			d.past.flush(d.e.out, 0, zero)
		}
	}
	if r.At == 0 {
		return
	}
	skew := seen.Seconds(r.At)
	if !r.Dated {
		skew = unzoned(skew)
	}
	if d.skewAt == 0 || skew < d.skew {
		d.skew = skew
	}
	if d.skewAt == 0 || seen.Sub(d.skewAt) >= time.Second {
		d.e.out.Emit(model.Event{At: seen, Seen: seen, Value: d.skew, Series: model.SourceSkew, Kind: model.Level})
		d.skewAt, d.skew = seen, skew
	}
}

// A stamp without year or zone is off by whole days or by a zone's offset: what
// lies this close to a multiple of a quarter of an hour is taken for one.
const (
	zoneStep = 900.0 // seconds
	zoneNear = 2.0
)

// unzoned takes the part of an offset in seconds out that a zone explains.
func unzoned(d float64) float64 {
	if r := d - zoneStep*math.Round(d/zoneStep); math.Abs(r) <= zoneNear {
		return r
	}
	return d
}

// Time is a line's own time, for laying files beside each other. ok is false
// if the line names none.
func (d *Decoder) Time(text []byte) (at model.Instant, ok bool) {
	d.timer.strip(text, &d.timerRe)
	c := &d.timerRe
	if at = d.turn(c, c.at(d.rd.year, d.o.Zone)); at != 0 {
		return at, true
	}
	if c.ticked && d.clock0 != 0 && c.port == nil {
		return d.clock0 + model.Instant(c.clock), true
	}
	return 0, false
}
