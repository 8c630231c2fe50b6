package store

import (
	"math"

	"benchtop/model"
)

// clientShape is how the client sends, over the window: what a user needs
// beside concurrency to say whether the load was what was meant (requirements
// S7, S166).
func (s *Store) clientShape(sig *model.Signals, from model.Instant) {
	k, c := &sig.Client, s.client
	to := min(k.Horizon, sig.At)
	k.Dispersion, k.BurstGap = s.starts(from, to)
	if t := s.whole[model.ClientSchedDelay]; t != nil {
		w := t.window(from, sig.At)
		if k.SchedDelay = w.Mean(); w.N > 0 {
			k.SchedDelayMax = float64(w.Max)
		}
	}
	k.InputCV = c.in.cv()
	k.InputDrift, k.InputNoise = drift(s.whole[model.ClientInputTokens], c.in.cv(), from, sig.At)
	k.OutputDrift, k.OutputNoise = drift(s.whole[model.ClientOutputTokens], c.out.cv(), from, sig.At)
	if r := s.whole[model.ClientReused].mean(from, sig.At); !math.IsNaN(r) {
		k.ConnsPerRequest = 1 - r
	} else if opened := s.whole[model.HostConnsOpened].rate(sig.At-hostWindow, sig.At); k.X > 0 {
		k.ConnsPerRequest = opened / k.X
	}
}

// starts is the dispersion of the arrivals (variance over mean of their counts
// per 100 ms: 0 of an even schedule, 1 of Poisson's, more of bursts) and the
// longest pause between two of them in seconds; NaN of fewer than startsMin.
func (s *Store) starts(from, to model.Instant) (dispersion, gap float64) {
	t := s.whole[model.ClientSent]
	if t == nil {
		return math.NaN(), math.NaN()
	}
	tier := &t.tiers[0]
	c := tier.Cursor()
	lo, hi := int64(from)/int64(tier.Step)+1, int64(to)/int64(tier.Step) // whole buckets only
	n, sum, sq, run, longest := 0.0, 0.0, 0.0, 0, 0
	begun := false
	for i := lo; i < hi; i++ {
		x := 0.0
		if b := c.At(i); b != nil {
			x = float64(b.N)
		}
		n, sum, sq = n+1, sum+x, sq+x*x
		switch {
		case x > 0:
			if begun {
				longest = max(longest, run)
			}
			begun, run = true, 0
		default:
			run++
		}
	}
	if sum < startsMin || n < 2 {
		return math.NaN(), math.NaN()
	}
	mean := sum / n
	return (sq/n - mean*mean) * n / (n - 1) / mean, float64(longest) * float64(tier.Step) / 1e9
}

// startsMin is how many starts make a shape.
const startsMin = 20

// drift is how far the mean of the window lies from that of all before it, as
// a share of it, and what chance explains of that: three standard errors at a
// spread of cv. NaN if either has too few.
func drift(t *track, cv float64, from, to model.Instant) (by, noise float64) {
	if t == nil || t.n < 2*startsMin {
		return math.NaN(), math.NaN()
	}
	w := t.window(from, to)
	n := float64(t.n) - float64(w.N)
	if w.N < startsMin || n < startsMin {
		return math.NaN(), math.NaN()
	}
	before := (t.sum - float64(w.Sum)) / n
	if !(before > 0) {
		return math.NaN(), math.NaN()
	}
	return w.Mean()/before - 1, 3 * cv * math.Sqrt(1/float64(w.N)+1/n)
}
