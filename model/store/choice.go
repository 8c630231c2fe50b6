package store

import (
	"math"

	"benchtop/model"
)

// countedAtAll reports whether any source has counted an event of a series. A
// counter that stands at zero is known, and yet leaves the count to whoever
// tells of the first event.
func (s *Store) countedAtAll(id model.SeriesID) bool {
	_, ok := s.server.events[id]
	return ok
}

// countedBy reports whether a source's count of an event is the one that the
// run shows: the first that told it, so that a log and an endpoint of one
// server are not added up.
func (s *Store) countedBy(e *model.Event) bool {
	id, ok := s.server.events[e.Series]
	if !ok {
		s.server.events[e.Series] = e.Source
		return true
	}
	if id == e.Source {
		return true
	}
	if s.apart(id, e.Source) {
		// Another server: add up. Its own log and endpoint may both tell.
		return s.source(id).info.Kind == s.source(e.Source).info.Kind
	}
	s.twiceTold(e.Series, id, e.Source)
	return false
}

// isPrimary reports whether a source is the one that the run-wide track of a
// series shows. The one that speaks most often is; another takes over when it
// has told half as many again, or the first has fallen silent.
func (s *Store) isPrimary(e *model.Event) bool {
	p, ok := s.primary[e.Series]
	if ok && p.source != e.Source {
		mine := s.track(e)
		if float64(mine.n) <= 1.5*float64(p.n)+20 && e.At-p.at < 30_000_000_000 {
			return false
		}
		ok = false
	}
	if !ok {
		p = primary{source: e.Source, n: s.track(e).n}
	} else {
		p.n++
	}
	p.at = max(p.at, e.At)
	s.primary[e.Series] = p
	return true
}

func (s *Store) wholeTrack(id model.SeriesID) *track {
	t := s.whole[id]
	if t == nil {
		t = newTrack(trackKey{id, model.AllSources, 0})
		s.whole[id] = t
		s.keep(t)
	}
	return t
}

func (s *Store) keep(t *track) {
	s.tracks[t.id] = t
	s.ordered = append(s.ordered, t)
	s.sorted = false
}

// track is the one of the event's own source and key. Past the bound a shared
// track takes what comes, so memory stays bounded.
func (s *Store) track(e *model.Event) *track {
	k := trackKey{e.Series, e.Source, e.Key}
	if t := s.lastMut; t != nil && t.id == k {
		return t
	}
	t := s.tracks[k]
	if t == nil {
		if len(s.tracks) >= maxTracks {
			k.source, k.key = model.AllSources, math.MaxUint64
			if t = s.tracks[k]; t != nil {
				return t
			}
		}
		t = newTrack(k)
		s.keep(t)
	}
	s.lastMut = t
	return t
}
