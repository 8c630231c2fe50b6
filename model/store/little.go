package store

import (
	"math"

	"benchtop/model"
)

// littleWindows are tried from the shortest: the error at the edges is about
// one latency in the window, so it must hold ten of them.
var littleWindows = [...]model.Instant{30e9, 60e9, 120e9, 300e9}

// little compares in-flight with the sum of latencies (Little's law,
// diagnosis.md §5.1). It stays unknown while the run is too short for it, and
// for a stream that does not tell latencies.
func (s *Store) little(sig *model.Signals) {
	c, k := s.client, &sig.Client
	if c.unknown || c.noLatency > 0 {
		return
	}
	end := k.Horizon
	for _, w := range littleWindows {
		from := end - w
		if from < c.first {
			return
		}
		var n, sum float64
		for _, o := range model.Outcomes {
			b := s.whole[o].window(from, end)
			n, sum = n+float64(b.N), sum+float64(b.Sum)
		}
		sec := w.Seconds(0)
		if n == 0 || sec < 10*sum/n {
			continue
		}
		flight, ok := s.whole[model.ClientInFlight].valueMean(from, end)
		if g := s.whole[model.ClientGaugeInFlight].window(from, end); g.N >= 3 {
			flight, ok = g.Mean(), true // what the client itself counts knows more than its records
		}
		if !ok {
			return
		}
		k.Little, k.LittleFlight, k.LittleWindow = sum/sec, flight, sec
		return
	}
}

// valueMean is the time average of a cumulative track's value in [from, to),
// to a tenth of a second; false where its finest tier does not reach.
func (t *track) valueMean(from, to model.Instant) (float64, bool) {
	if t == nil || t.n == 0 {
		return math.NaN(), false
	}
	tier := &t.tiers[0]
	c := tier.Cursor()
	lo, hi := int64(from)/int64(tier.Step), int64(to)/int64(tier.Step)
	if lo < tier.First || hi <= lo {
		return math.NaN(), false
	}
	level, sum := t.total, 0.0
	for n := tier.End() - 1; n >= lo; n-- {
		delta := 0.0
		if b := c.At(n); b != nil {
			delta = float64(b.Sum)
		}
		if n < hi {
			sum += level - delta/2
		}
		level -= delta
	}
	if end := tier.End(); hi > end {
		sum += t.total * float64(hi-end) // nothing has changed since
	}
	return sum / float64(hi-lo), true
}
