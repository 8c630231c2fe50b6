package store

import (
	"math"

	"benchtop/model"
)

// believable bounds how far an event's own time may lie from when it was read.
const (
	believablePast   = 25 * 3600 * 1_000_000_000
	believableFuture = 600 * 1_000_000_000
)

// Bounds on a run's time: what lies between the ends of a run is walked in
// many places, so a file or a recording with nonsense in it must not make it a
// century.
const (
	runMost  = 30 * 24 * 3600 * 1_000_000_000
	timeMost = math.MaxInt64 / 4 * 3 // the year 2189
)

// jump looks whether an event was seen at a moment that belongs to the run. One
// a month after all before it begins the run anew; one a month before, or in no
// time at all, is none.
func (s *Store) jump(ev *model.Event) bool {
	at := ev.Seen
	if at <= 0 {
		at = ev.At
	}
	if at <= 0 || at > timeMost || ev.At > timeMost {
		return false
	}
	last := max(s.now, s.start)
	switch {
	case last == 0:
	case ofSource(ev): // its own clock's: of a replay or a simulation it is today's
	case at-last > runMost:
		if s.start = at; s.now != 0 {
			s.now = at
		}
	case last-at > runMost:
		return false
	}
	return true
}

// ofSource reports whether an event is a source's word about itself.
func ofSource(ev *model.Event) bool {
	return ev.Kind == model.State || ev.Series >= model.SourceLines && ev.Kind == model.Add
}
