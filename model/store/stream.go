package store

import (
	"slices"

	"benchtop/model"
)

// Several load streams are one client: their requests add up, and what the sum
// says is as good as the worst of them.

// heardHorizon books up to where one stream has told all its requests. The sum
// is exact up to the least of the streams that still speak.
func (s *Store) heardHorizon(e *model.Event) {
	c, mine := s.client, s.source(e.Source)
	c.hasHorizon = true
	mine.horizon = max(mine.horizon, e.At)
	least := mine.horizon
	for _, src := range s.sources {
		if src != mine && src.horizon > 0 && !src.end && src.info.State != model.Ended && src.info.State != model.Failed {
			least = min(least, src.horizon)
		}
	}
	c.horizon = max(c.horizon, least)
}

// speaking is until when the client's window reaches: now, or the end of the run
// once every load stream has ended. Its last seconds stay what they were.
func (s *Store) speaking(now model.Instant) model.Instant {
	if s.client.open > 0 || s.client.lastEnd == 0 {
		return now
	}
	streams := 0
	for _, src := range s.sources {
		if src.info.Kind != model.KindLoad {
			continue
		}
		if !src.end {
			return now
		}
		streams++
	}
	if streams == 0 {
		return now
	}
	return min(now, s.client.lastEnd+200_000_000) // the bucket of its last end is whole
}

// fly books a change of what the stream has in flight.
func (s *source) fly(at model.Instant, by float64) {
	s.open += int64(by)
	if s.apart != nil {
		s.apart.add(at, by)
	}
}

// bars is what the bars of all streams say together: of one generator's outputs
// the furthest counts.
func (s *Store) bars(e *model.Event) (sum float64) {
	s.source(e.Source).bar = e.Value
	var of map[uint64]float64
	for _, src := range s.sources {
		if src.party == 0 {
			sum += src.bar
			continue
		}
		if of == nil {
			of = make(map[uint64]float64, 1)
		}
		of[src.party] = max(of[src.party], src.bar)
	}
	for _, bar := range of {
		sum += bar
	}
	return sum
}

// tellApart keeps what each of several load streams has in flight by itself,
// beside their sum, so that they can be shown apart.
func (s *Store) tellApart(src *source) {
	if src.info.Kind != model.KindLoad || src.apart != nil {
		return
	}
	loads := 0
	var first uint64 // the generator whose outputs are one
	for _, o := range s.sources {
		if o.info.Kind != model.KindLoad || o.party != 0 && o.party == first {
			continue
		}
		if o.party != 0 && first == 0 {
			first = o.party
		}
		loads++
	}
	if loads < 2 || len(s.tracks) >= maxTracks {
		return
	}
	for _, o := range s.sources {
		if o.info.Kind != model.KindLoad || o.apart != nil {
			continue
		}
		o.apart = newTrack(trackKey{model.ClientInFlight, o.info.ID, 0})
		s.keep(o.apart)
		if o.open != 0 {
			o.apart.add(max(s.now, s.start), float64(o.open))
		}
	}
}

// howKnown lists how in-flight can be known, the worst first.
var howKnown = []string{"declared", "estimated", "reconstructed", "exact"}

// how is how the client's in-flight is known by what its streams say of
// themselves: as the worst of them; "" if none says.
func (s *Store) how() string {
	worst := -1
	for _, src := range s.sources {
		if i := slices.Index(howKnown, src.how); i >= 0 && (worst < 0 || i < worst) {
			worst = i
		}
	}
	if worst < 0 {
		return ""
	}
	return howKnown[worst]
}

// toldUntil notes from when on nobody tells the client's in-flight any more:
// what follows is a gap, not a zero.
func (s *Store) toldUntil(at model.Instant) {
	t := s.wholeTrack(model.ClientInFlight)
	t.until = 0
	for _, src := range s.sources {
		if src.info.Kind == model.KindLoad && src.info.State != model.Ended && src.info.State != model.Failed {
			return
		}
	}
	t.until = max(at, t.lastAt)
}
