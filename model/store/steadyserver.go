package store

import (
	"math"

	"benchtop/model"
)

// serverRates is throughput by the server's own account (or a progress bar's),
// per 5-s bucket, where no client tells requests (diagnosis.md §4.6): what it
// finished, else the tokens it made. NaN where it told nothing; nil where it
// never does.
func (s *Store) serverRates(first, last int64) []float64 {
	of := func(id model.SeriesID) func(from, to model.Instant) float64 {
		t := s.whole[id]
		if t == nil || t.n == 0 {
			return nil
		}
		switch t.shape {
		case model.Gauge:
			return t.heldMean
		case model.Span:
			return t.rate
		}
		return func(from, to model.Instant) float64 { return t.amount(from, to) / to.Seconds(from) }
	}
	for _, id := range []model.SeriesID{model.ServerFinished, model.ServerGenTokens, model.ServerGenTPS, model.ClientBarDone} {
		f := of(id)
		if f == nil {
			continue
		}
		x := make([]float64, 0, last-first+1)
		for n := first; n <= last; n++ {
			x = append(x, f(model.Instant(n*fracStep), model.Instant((n+1)*fracStep)))
		}
		return x
	}
	return nil
}

// loadOfServer is the run's shape in time by the server's own throughput: warm
// when two rounds of 15 s agree and there is no slope, as for a client's, but
// without a tail latency.
func (s *Store) loadOfServer(sig *model.Signals) {
	l, st := &sig.Load, &s.steady
	last := int64(sig.At)/fracStep - 1
	first := max(int64(max(s.start, st.from))/fracStep+1, last-bucketsKept+1)
	if !sig.Server.Known || last < first {
		return
	}
	x := s.serverRates(first, last)
	for len(x) > 0 && !(x[0] > 0) { // the server idle before the load is no part of it
		x = x[1:]
	}
	if len(x) == 0 {
		return
	}
	l.ByServer, l.X5 = true, x
	if len(x) >= bucketsSlope {
		tail := x[len(x)-bucketsSlope:]
		l.MovesPct = math.Abs(theilSen(tail)*bucketsSlope/mean(tail)) * 100
	}
	if !st.warm {
		if s.serverEven(x) {
			st.okFor++
		} else {
			st.okFor = 0
		}
		if st.okFor >= warmHold {
			st.warm, st.at = true, sig.At
		}
	}
	l.Warm, l.WarmAt = st.warm, st.at
}

// serverEven tests that two consecutive rounds are equivalent.
func (s *Store) serverEven(x []float64) bool {
	if len(x) < 2*bucketsRound {
		return false
	}
	a, b := mean(x[len(x)-2*bucketsRound:len(x)-bucketsRound]), mean(x[len(x)-bucketsRound:])
	if !(a > 0) || !(b > 0) {
		return false
	}
	tail := x[max(0, len(x)-bucketsSlope):]
	se := math.Sqrt2 * successiveSE(tail, bucketsRound) / b
	slope := math.Abs(theilSen(tail)) * float64(len(tail)) / b
	th := &s.run.Thresholds
	flat := slope < th.WarmSlope || mannKendall(tail) > 0.05 && slope < max(th.WarmSlopeMK, 2*slopeSE(tail)*float64(len(tail))/b)
	return math.Abs(b-a)/a <= max(0.01, 2*se) && flat
}
