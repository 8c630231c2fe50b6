package store

import (
	"fmt"
	"math"

	"benchtop/model"
)

// When two sources of one server tell one number differently: over a minute,
// by more than a twentieth, by more than counting by whole requests explains,
// and by more than their own scatter does.
const (
	disagreeWindow = 60_000_000_000
	disagreeLeast  = 3 // samples of each
	disagreeShare  = 0.05
	disagreeCount  = 1.0  // requests
	disagreeKV     = 0.02 // of the cache
	disagreeErrors = 3.0  // standard errors of the difference
)

// told sums up what one source says of one number.
type told struct {
	n       int
	sum, sq float64
}

func (t *told) add(v float64) {
	if !math.IsNaN(v) {
		t.n++
		t.sum += v
		t.sq += v * v
	}
}

func (t *told) mean() float64 { return t.sum / float64(t.n) }

// variance is of the mean.
func (t *told) variance() float64 {
	n, m := float64(t.n), t.mean()
	return max(0, t.sq/n-m*m) / n
}

// compared are the numbers that a log and an endpoint both tell.
var compared = [...]struct {
	id    model.SeriesID
	least float64
	of    func(sample) float64
}{
	{model.ServerRunning, disagreeCount, func(s sample) float64 { return s.run }},
	{model.ServerWaiting, disagreeCount, func(s sample) float64 { return s.wait }},
	{model.ServerKV, disagreeKV, func(s sample) float64 { return s.kv }},
}

// disagreement names a number and the two that tell it differently.
type disagreement struct {
	id   model.SeriesID
	a, b model.SourceID
}

// disagree marks where two sources of one server begin to differ. Sources with
// different labels are different servers.
func (s *Store) disagree() {
	for i, f := range s.server.feeds {
		for _, g := range s.server.feeds[i+1:] {
			a, b := &s.source(f.id).info, &s.source(g.id).info
			if s.apart(f.id, g.id) || a.Kind == b.Kind || s.now-f.any > disagreeWindow || s.now-g.any > disagreeWindow {
				continue
			}
			s.disagreeOn(f, g)
		}
	}
}

func (s *Store) disagreeOn(f, g *feed) {
	var a, b [len(compared)]told
	sum := func(f *feed, t *[len(compared)]told) {
		f.window(s.now-disagreeWindow, s.now, func(x sample) {
			for i := range compared {
				t[i].add(compared[i].of(x))
			}
		})
	}
	sum(f, &a)
	sum(g, &b)
	for i := range compared {
		c, x, y := &compared[i], &a[i], &b[i]
		if x.n < disagreeLeast || y.n < disagreeLeast {
			continue
		}
		d, k := math.Abs(x.mean()-y.mean()), disagreement{c.id, f.id, g.id}
		limit := max(c.least, disagreeShare*max(x.mean(), y.mean()), disagreeErrors*math.Sqrt(x.variance()+y.variance()))
		switch differs := s.differs[k]; {
		case d > limit && !differs:
			s.differs[k] = true
			s.mark(model.Mark{At: s.now, Class: "source", Bad: true, Text: fmt.Sprintf(
				"sources disagree on %s: %s says %.3g, %s says %.3g (means of 60 s); shown is %s",
				c.id, s.called(f.id), x.mean(), s.called(g.id), y.mean(), s.called(s.primary[c.id].source))})
		case d <= limit/2 && differs:
			delete(s.differs, k)
		}
	}
}

// called is a source's name for people.
func (s *Store) called(id model.SourceID) string {
	if n := s.source(id).info.Name; n != "" {
		return n
	}
	return fmt.Sprintf("source %d", id)
}

// twiceTold marks, once a pair, that two sources count the same requests and
// whose count is used.
func (s *Store) twiceTold(id model.SeriesID, used, other model.SourceID) {
	k := disagreement{0, used, other}
	if s.differs[k] {
		return
	}
	s.differs[k] = true
	s.mark(model.Mark{At: s.now, Class: "source", Text: fmt.Sprintf(
		"%s and %s tell of the same requests: %s is counted from %s", s.called(used), s.called(other), id, s.called(used))})
}

// shownBy says which source the run-wide track of each server series is from.
func (s *Store) shownBy() map[model.SeriesID]model.SourceID {
	m := make(map[model.SeriesID]model.SourceID, len(s.primary)+len(s.server.events))
	for id, p := range s.primary {
		m[id] = p.source
	}
	for id, src := range s.server.events {
		m[id] = src
	}
	return m
}
