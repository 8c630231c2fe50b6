package store

import (
	"math"
	"slices"

	"benchtop/model"
)

// Load steps: stretches of 15 s and more under one load. What a step is told by
// is what the client controls: the concurrency of a closed loop, the arrivals of
// an open one.
const (
	stepLeast  = 3    // buckets of 5 s
	stepShare  = 0.08 // that a bucket may differ from its step's level
	stepsShown = 64
)

// stepMaker cuts the history into steps.
type stepMaker struct {
	open  bool
	steps []model.LoadStep
	part  []epoch
	off   int       // buckets at the end of part that differ from its level
	order []float64 // the levels of part without those, in order: their median is asked for at each bucket
}

func (m *stepMaker) level(e *epoch) float64 {
	switch {
	case m.open:
		return e.started
	case !math.IsNaN(e.target) && e.flight >= 0.8*e.target:
		return e.target
	}
	return e.flight
}

func (m *stepMaker) mean(p []epoch) float64 {
	var v []float64
	for i := range p {
		if l := m.level(&p[i]); !math.IsNaN(l) {
			v = append(v, l)
		}
	}
	return model.Median(v)
}

// held is the median level of the buckets that are known to be of the step.
func (m *stepMaker) held() float64 {
	if len(m.order) == 0 {
		return math.NaN()
	}
	n := len(m.order)
	return (m.order[(n-1)/2] + m.order[n/2]) / 2
}

// admit makes the last n buckets of part count for its level.
func (m *stepMaker) admit(n int) {
	for i := len(m.part) - n; i < len(m.part); i++ {
		if l := m.level(&m.part[i]); !math.IsNaN(l) {
			at, _ := slices.BinarySearch(m.order, l)
			m.order = slices.Insert(m.order, at, l)
		}
	}
	m.off = 0
}

func (m *stepMaker) take(e epoch) {
	l, was := m.level(&e), m.held()
	tolerance := max(1, stepShare*was)
	if m.open { // arrivals vary by chance
		tolerance = max(stepShare*was, 3*math.Sqrt(max(was, 0.2)/5))
	}
	m.part = append(m.part, e)
	if math.IsNaN(was) || math.Abs(l-was) <= tolerance {
		m.admit(m.off + 1)
		return
	}
	if m.off++; m.off < 2 {
		return
	}
	cut := len(m.part) - m.off
	rest := append([]epoch(nil), m.part[cut:]...)
	m.part, m.off = m.part[:cut], 0
	m.close()
	m.part = rest
	m.admit(len(rest))
}

// close ends a step; what was not held long enough is none.
func (m *stepMaker) close() {
	p := m.part[:len(m.part)-m.off]
	m.part, m.off, m.order = nil, 0, m.order[:0]
	if len(p) < stepLeast {
		return
	}
	if len(p) > stepLeast {
		p = p[1:] // the way there
	}
	if len(m.steps) < stepsShown {
		m.steps = append(m.steps, m.stepOf(p))
	}
}

// stepOf sums up buckets under one load.
func (m *stepMaker) stepOf(p []epoch) model.LoadStep {
	st := figuresOf(p)
	st.Level, st.Open = m.mean(p), m.open
	return st
}

func figuresOf(p []epoch) model.LoadStep {
	nan := math.NaN()
	st := model.LoadStep{
		From: model.Instant(p[0].n * fracStep), To: model.Instant((p[len(p)-1].n + 1) * fracStep),
		Seconds: 5 * float64(len(p)), Latency: nan, Lost: nan, Kept: nan, Level: nan,
	}
	var x, ok, flight []float64
	kept, clean := 0.0, 0.0
	for i := range p {
		x, ok = append(x, p[i].x), append(ok, p[i].ok)
		if !math.IsNaN(p[i].flight) {
			flight = append(flight, p[i].flight)
		}
		kept, st.Judged, clean = kept+p[i].kept, st.Judged+p[i].judged, clean+p[i].clean
	}
	st.X, st.XOK, st.SE = mean(x), mean(ok), successiveSE(ok, len(ok))
	if st.X > 0 {
		st.Latency, st.Lost = mean(flight)/st.X, max(0, 1-st.XOK/st.X)
	}
	if st.Judged > 0 {
		st.Kept = kept / st.Judged
	}
	st.Clean = clean / st.Seconds
	return st
}

// Steps are the run's load steps so far, oldest first. Whoever gets them must
// not write to them.
func (s *Store) Steps() []model.LoadStep { return s.history.steps }

// Ledger says what moved with throughput so far.
func (s *Store) Ledger() model.Ledger { return s.history.ledger }

func (s *Store) steps(sig *model.Signals) []model.LoadStep {
	m := stepMaker{open: sig.Client.ClosedKnown && !sig.Client.Closed && math.IsNaN(sig.Client.Target)}
	for _, e := range s.history.list {
		m.take(e)
	}
	if n := len(m.part); n > 0 {
		first := 0
		if m.off > 0 { // one that differs may be the first of another load
			first = n - m.off
		}
		s.history.since = m.part[first].n
	}
	m.close()
	return m.steps
}
