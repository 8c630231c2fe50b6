package store

import (
	"math"

	"benchtop/model"
)

// apart reports whether two sources tell of different servers: their labels
// differ, or they are two logs (or two endpoints) that nobody gave a label.
func (s *Store) apart(a, b model.SourceID) bool {
	x, y := &s.source(a).info, &s.source(b).info
	if x.Kind == y.Kind {
		return a != b && (x.Label != y.Label || x.Label == "")
	}
	return x.Label != y.Label
}

// beside reports whether two sources tell of servers that share the load, so
// that what they hold adds up: they are apart, and not a log and an endpoint of
// which only one has a label, which may well be one server.
func (s *Store) beside(a, b model.SourceID) bool {
	x, y := &s.source(a).info, &s.source(b).info
	return s.apart(a, b) && (x.Kind == y.Kind || x.Label != "" && y.Label != "")
}

// spread reports whether several servers share the load.
func (s *Store) spread() bool {
	for i, f := range s.server.feeds {
		for _, g := range s.server.feeds[:i] {
			if s.beside(f.id, g.id) {
				return true
			}
		}
	}
	return false
}

// others lists a feed for each further server that the load is spread over, as
// paired would choose it; nil if f's server is the only one.
func (s *Store) others(f *feed, now model.Instant) []*feed {
	return s.othersBy(f, func(g *feed) int { return g.rank(now) })
}

// telling is others, but of each server the source that tells an engine's value:
// an endpoint that tells most may yet tell no rates.
func (s *Store) telling(f *feed, at model.Instant, of func(*engineNow) float64) []*feed {
	return s.othersBy(f, func(g *feed) int {
		if math.IsNaN(g.sum(at, s.server.all, of)) {
			return 0
		}
		return 1
	})
}

// othersBy lists for each further server that of its sources which ranks
// highest.
func (s *Store) othersBy(f *feed, rank func(*feed) int) []*feed {
	if len(s.server.feeds) < 2 {
		return nil
	}
	var out []*feed
	for _, g := range s.server.feeds {
		if g == f || !s.beside(f.id, g.id) {
			continue
		}
		same := -1
		for i, o := range out {
			if !s.beside(o.id, g.id) {
				same = i
			}
		}
		switch {
		case same < 0:
			out = append(out, g)
		case rank(g) > rank(out[same]):
			out[same] = g
		}
	}
	return out
}

// rank says how much a source tells: one that tells both running and waiting
// beats one that tells only one of them, and that one which is silent.
func (f *feed) rank(now model.Instant) int {
	if f.nSamples == 0 {
		return -1
	}
	n := 0
	if f.hasRun || f.hasBatch {
		n++
	}
	if f.hasWait {
		n++
	}
	if now-f.any > engineStale {
		n = 0
	}
	return n
}

// held is what runs, or the batch where a server tells its executions.
func (s sample) held() float64 {
	if math.IsNaN(s.run) {
		return s.size
	}
	return s.run
}

// A server of a fleet is known between its samples for so many of its periods,
// and for so long at least.
const (
	fleetPeriods = 3
	fleetLeast   = 2_000_000_000
)

// lastAt is the newest sample at an instant; ok is false if it is too old to
// stand for it. A server that said it has nothing says nothing more until it
// has.
func (f *feed) lastAt(at model.Instant) (p sample, ok bool) {
	for i := f.nSamples - 1; i >= max(0, f.nSamples-samplesKept); i-- {
		p = f.samples[i%samplesKept]
		if p.at > at {
			continue
		}
		reach := min(engineStale, max(fleetLeast, model.Instant(fleetPeriods*f.period*1e9)))
		idle := p.held() == 0 && !(p.wait > 0)
		return p, idle || at-p.at <= reach
	}
	return p, false
}

// whole adds to a sample what the other servers held at that instant. Where one
// of them is unknown the sum is.
func (s sample) whole(others []*feed) sample {
	for _, g := range others {
		p, ok := g.lastAt(s.upTo)
		if !ok {
			s.run, s.wait, s.size, s.kv = math.NaN(), math.NaN(), math.NaN(), math.NaN()
			return s
		}
		s.run, s.wait = s.held()+p.held(), s.wait+p.wait
		if !(s.kv >= p.kv) {
			s.kv = p.kv
		}
	}
	return s
}

// fleet adds to one server's gauge what the others hold of it now: a sum of
// requests and of rates, the fullest cache.
func (s *Store) fleet(f *feed, id model.SeriesID, at model.Instant, v float64) float64 {
	var of func(*engineNow) float64
	switch id {
	case model.ServerRunning:
		of = func(e *engineNow) float64 { return e.run }
	case model.ServerWaiting:
		of = func(e *engineNow) float64 { return e.wait }
	case model.ServerPromptTPS:
		of = func(e *engineNow) float64 { return e.in }
	case model.ServerGenTPS:
		of = func(e *engineNow) float64 { return e.out }
	case model.ServerKV:
		of = func(e *engineNow) float64 { return e.kv }
	default:
		return v
	}
	for _, g := range s.telling(f, at, of) {
		if id == model.ServerKV {
			v = max(v, zero(g.most(at)))
			continue
		}
		v += zero(g.sum(at, s.server.all, of))
	}
	return v
}

// zero is v, or nothing where it is unknown: a sum of what is known.
func zero(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return v
}
