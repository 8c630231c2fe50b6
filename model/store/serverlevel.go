package store

import (
	"math"

	"benchtop/model"
)

// serverLevel takes a gauge of a server.
func (s *Store) serverLevel(e *model.Event) {
	set, setWhole := (*track).level, (*track).level
	sum := e.Value
	if !e.Late {
		f := s.server.feed(e.Source)
		f.kind = s.source(e.Source).info.Kind
		more := false
		sum, more = f.level(e, s.server.all)
		switch {
		case f.byChange():
			set, setWhole = (*track).change, (*track).change
		case more:
			setWhole = (*track).amend
		}
	} else if s.changesOnly(e) {
		set, setWhole = (*track).change, (*track).change
	}
	s.enter(s.track(e), e, e.Value, set)
	if s.isPrimary(e) && !math.IsNaN(sum) {
		if !e.Late {
			sum = s.fleet(s.server.feed(e.Source), e.Series, e.At, sum)
		}
		s.enter(s.wholeTrack(e.Series), e, sum, setWhole)
	}
}

// changesOnly is byChange for history: a log that was read when all was over.
func (s *Store) changesOnly(e *model.Event) bool {
	if e.Series != model.ServerRunning || s.source(e.Source).info.Kind != model.KindServerLog {
		return false
	}
	return s.tracks[trackKey{model.ServerWaiting, e.Source, e.Key}] == nil && s.tracks[trackKey{model.ServerBatch, e.Source, e.Key}] == nil
}

// enter puts what a server's event tells into a track as set does: history is
// drawn, but is no part of the run's figures.
func (s *Store) enter(t *track, e *model.Event, v float64, set func(*track, model.Instant, float64)) {
	was := t.totals()
	set(t, e.At, v)
	t.settle(was, e.Late)
	s.server.live = s.server.live || !e.Late
}
