package compare

import (
	"math"

	"benchtop/model"
)

// Elasticity is the id of how throughput followed the SM clock inside a run: 1
// says fully, 0 not at all.
const Elasticity = "clock_elasticity"

// What it takes to tell an elasticity: twelve buckets of five seconds, over
// which the clock moved by 5 %, with requests waiting, so that the server and
// not the load set the pace.
const (
	elasticityBuckets = 12
	elasticityRange   = 0.05
	elasticityStep    = 5
)

// elasticity is the Theil-Sen slope of ln throughput on ln clock over the
// measured stretch; NaN where the run can't tell it.
func (w *window) elasticity(values map[string]float64) float64 {
	if !(values["server_waiting"] >= 1) || !w.warm || w.step.Seconds() != 1 {
		return math.NaN()
	}
	ok := w.snap.Whole(model.ClientOK)
	if ok == nil || len(w.snap.GPUs) == 0 {
		return math.NaN()
	}
	n := len(w.cols) / elasticityStep
	done, clock, seen := make([]float64, n), make([]float64, n), make([]float64, n)
	ok.Columns(w.cols, w.from, w.step)
	for i := range n * elasticityStep {
		done[i/elasticityStep] += float64(w.cols[i].N)
	}
	for _, g := range w.snap.GPUs {
		t := w.snap.GPU(model.GPUSMClock, g.Key)
		if t == nil {
			continue
		}
		t.Held(w.cols, w.from, w.step, 0, w.to)
		for i := range n * elasticityStep {
			if b := w.cols[i]; b.N > 0 {
				clock[i/elasticityStep] += b.Mean()
				seen[i/elasticityStep]++
			}
		}
	}
	var x, y []float64
	for i := range n {
		if done[i] > 0 && seen[i] > 0 {
			x, y = append(x, math.Log(clock[i]/seen[i])), append(y, math.Log(done[i]))
		}
	}
	return slopeOf(x, y)
}

// slopeOf is the median of the slopes of all pairs whose clocks differ.
func slopeOf(x, y []float64) float64 {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range x {
		lo, hi = min(lo, v), max(hi, v)
	}
	if len(x) < elasticityBuckets || hi-lo < elasticityRange {
		return math.NaN()
	}
	var slopes []float64
	for i := range x {
		for j := range i {
			if d := x[i] - x[j]; math.Abs(d) >= elasticityRange/5 {
				slopes = append(slopes, (y[i]-y[j])/d)
			}
		}
	}
	return medianOf(slopes)
}
