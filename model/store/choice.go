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

// rival is a source beside the primary one: how often it has told the series,
// and how often the primary one had when it first did.
type rival struct {
	n, base uint64
}

// isPrimary reports whether a source is the one that the run-wide track of a
// series shows. The first that tells it is, until another has told it clearly
// more often since it came, or the first has fallen silent. An endpoint is more
// exact than a log, which rounds and tells of intervals: it takes over from a
// log that it keeps up with.
func (s *Store) isPrimary(e *model.Event) bool {
	p := s.primary[e.Series]
	if p == nil {
		p = &primary{source: e.Source, rivals: make(map[model.SourceID]*rival)}
		s.primary[e.Series] = p
	}
	if p.source != e.Source {
		r := p.rivals[e.Source]
		if r == nil {
			r = &rival{base: p.n}
			p.rivals[e.Source] = r
		}
		r.n++
		if r.n <= s.needs(e.Source, p.source, p.n-r.base) && e.At-p.at < 30_000_000_000 {
			return false
		}
		clear(p.rivals)
		p.source, p.n = e.Source, 0
	}
	p.n++
	p.at = max(p.at, e.At)
	return true
}

// needs is how often a source must have told a series that the primary one told
// n times meanwhile.
func (s *Store) needs(next, now model.SourceID, n uint64) uint64 {
	if s.source(next).info.Kind == model.KindMetrics && s.source(now).info.Kind == model.KindServerLog {
		return n - n/4 + 2
	}
	return n + n/2 + 20
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
