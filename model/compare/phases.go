package compare

import (
	"fmt"
	"math"
	"slices"
	"time"

	"benchtop/model"
)

// Shape is what a whole run's throughput looks like, in the classes of
// Barrett and others' work on the warm-up of virtual machines.
type Shape string

// The shapes.
const (
	ShapeFlat     Shape = "flat"      // one level over the last 60 % of the run
	ShapeWarmUp   Shape = "warm-up"   // the last level is the fastest
	ShapeSlowdown Shape = "slowdown"  // the last level is slower than an earlier one
	ShapeUnsteady Shape = "no steady" // the level changed in the last fifth of the run
)

// Phases is how a recorded run's throughput went, seen as a whole.
type Phases struct {
	Seconds float64   // looked at; 0 where it is too short to be cut
	Cut     float64   // seconds to leave out at the beginning by MSER-5; NaN: no steady part was found
	Changes []float64 // seconds at which the level changed
	Levels  []float64 // good requests a second between them
	Shape   Shape
}

// phaseStep is the length of a point in seconds, and phaseLeast how many points
// the shortest segment has: 10 s.
const (
	phaseStep  = 5
	phaseLeast = 2
)

// PhasesOf cuts a run's good completions into stretches of one level. All
// whole seconds from its first to its last completion count.
func PhasesOf(s *model.Snapshot) Phases {
	p := Phases{Cut: math.NaN()}
	ok := s.Whole(model.ClientOK)
	if ok == nil || !s.Client.Known {
		return p
	}
	from, to := s.Client.First.Floor(time.Second)+model.Instant(time.Second), s.Client.LastEnd.Floor(time.Second)
	if sent := s.Whole(model.ClientSent); sent != nil && sent.LastAt > from && sent.LastAt < to {
		to = sent.LastAt.Floor(time.Second) // what only drains afterwards is no level of its own
	}
	step := time.Second
	if to.Sub(from) > time.Hour {
		step = 10 * time.Second
	}
	per := max(1, phaseStep/int(step.Seconds()))
	n := int(to.Sub(from) / step)
	if n/per < 6*phaseLeast {
		return p
	}
	cols := make([]model.Bucket, n)
	ok.Columns(cols, from.Floor(step), step)
	y := make([]float64, n/per)
	for i := range len(y) * per {
		y[i/per] += float64(cols[i].N) / (float64(per) * step.Seconds())
	}
	width := float64(per) * step.Seconds()
	p.Seconds = width * float64(len(y))
	if cut, steady := MSER(y); steady {
		p.Cut = width * float64(cut)
	}
	ends := PELT(y, phaseLeast, 3*math.Log(float64(len(y))))
	p.describe(y, ends, width)
	return p
}

// describe names the shape that the segments make. ends are their exclusive
// ends.
func (p *Phases) describe(y []float64, ends []int, width float64) {
	from := 0
	for _, end := range ends {
		sum := 0.0
		for _, v := range y[from:end] {
			sum += v
		}
		if from > 0 {
			p.Changes = append(p.Changes, width*float64(from))
		}
		p.Levels = append(p.Levels, sum/float64(end-from))
		from = end
	}
	n, last := float64(len(y)), 0
	if len(ends) > 1 {
		last = ends[len(ends)-2]
	}
	switch level, most := p.Levels[len(p.Levels)-1], slices.Max(p.Levels); {
	case float64(last) <= 0.8*n && level < 0.95*most:
		p.Shape = ShapeSlowdown // level since long ago or not: what was lost is what matters
	case float64(last) <= 0.4*n:
		p.Shape = ShapeFlat
	case float64(last) > 0.8*n:
		p.Shape = ShapeUnsteady
	case level >= most:
		p.Shape = ShapeWarmUp
	default:
		p.Shape = ShapeSlowdown
	}
}

// Text says it in a sentence; "" where the run is too short.
func (p *Phases) Text() string {
	if p.Seconds == 0 {
		return ""
	}
	cut := "no steady part found"
	if !math.IsNaN(p.Cut) {
		cut = fmt.Sprintf("steady from %.0f s on", p.Cut)
	}
	n := len(p.Levels)
	switch p.Shape {
	case ShapeFlat:
		if n == 1 {
			return cut + "; one level all along"
		}
		return fmt.Sprintf("%s; one level, %.3g/s, since %.0f s, %.3g/s before", cut, p.Levels[n-1], p.Changes[n-2], p.Levels[n-2])
	case ShapeWarmUp:
		return fmt.Sprintf("%s; the last level, from %.0f s on, is the fastest: warm-up", cut, p.Changes[n-2])
	case ShapeSlowdown:
		return fmt.Sprintf("%s; it slowed down: %.3g/s since %.0f s, %.3g/s at its best", cut, p.Levels[n-1], p.Changes[n-2], slices.Max(p.Levels))
	case ShapeUnsteady:
	}
	return fmt.Sprintf("%s; no steady state: the level changed at %.0f of %.0f s", cut, p.Changes[n-2], p.Seconds)
}

// MSER is the point up to which y is better left out: the d of the first half
// at which the standard error of the mean of the rest is least (White 1997). y
// are means of five points, which makes it MSER-5. False where d lands at the
// half: then no steady part was found.
func MSER(y []float64) (d int, steady bool) {
	n := len(y)
	best, sum, sq := math.Inf(1), 0.0, 0.0
	half := n / 2
	for i := n - 1; i >= 0; i-- {
		sum, sq = sum+y[i], sq+y[i]*y[i]
		m := float64(n - i)
		if i > half {
			continue
		}
		if v := max(0, sq-sum*sum/m) / (m * m); v <= best { // of equal ones the earliest
			best, d = v, i
		}
	}
	return d, n > 0 && d < half
}

// PELT cuts y into segments of normal values, each with a mean and a variance
// of its own, by the pruned exact search of Killick, Fearnhead and Eckley
// (2012): the cut with the least sum of −2 log likelihood and of penalty for
// every change. Segments have at least least points; their exclusive ends are
// returned, the last of which is len(y). A deviation below 2 % of the overall
// mean counts as that much: counts of lock-stepped batches have hardly any.
func PELT(y []float64, least int, penalty float64) []int {
	n := len(y)
	if n < 2*least {
		return []int{n}
	}
	cost := segmentCost(y)
	best, from := make([]float64, n+1), make([]int, n+1)
	for i := range best {
		best[i] = math.Inf(1)
	}
	best[0] = -penalty
	starts := []int{0}
	for end := least; end <= n; end++ {
		if s := end - least; s >= least {
			starts = append(starts, s)
		}
		for _, s := range starts {
			if v := best[s] + cost(s, end) + penalty; v < best[end] {
				best[end], from[end] = v, s
			}
		}
		starts = slices.DeleteFunc(starts, func(s int) bool {
			return end-s >= least && best[s]+cost(s, end) > best[end]+penalty*float64(least) // a floor on variances needs some slack
		})
	}
	var ends []int
	for end := n; end > 0; end = from[end] {
		ends = append(ends, end)
	}
	slices.Reverse(ends)
	return ends
}

// segmentCost is −2 log likelihood, up to a constant, of y[from:to].
func segmentCost(y []float64) func(from, to int) float64 {
	sum, sq := make([]float64, len(y)+1), make([]float64, len(y)+1)
	for i, v := range y {
		sum[i+1], sq[i+1] = sum[i]+v, sq[i]+v*v
	}
	least := math.Pow(0.02*sum[len(y)]/float64(len(y)), 2) + 1e-12
	return func(from, to int) float64 {
		m := float64(to - from)
		s := sum[to] - sum[from]
		return m * (math.Log(max(least, (sq[to]-sq[from]-s*s/m)/m)) + 1)
	}
}
