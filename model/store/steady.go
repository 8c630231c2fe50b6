package store

import (
	"math"

	"benchtop/model"
)

// steadiness decides when a run is warm and whether it is steady
// (diagnosis.md §6.1). Warm is sticky until a restart or a gap.
type steadiness struct {
	okFor   int
	evenFor int // seconds that plain completions and in-flight have stood still
	warm    bool
	strict  bool
	at      model.Instant
	last    int64         // second judged last
	from    model.Instant // nothing before it counts: a restart
}

const (
	bucketsRound = 3 // 15 s of 5-s buckets
	bucketsSlope = 8 // 40 s
	bucketsCV    = 12
	bucketsKept  = 60
	warmHold     = 5 // seconds running
)

func (s *steadiness) cool() { *s = steadiness{last: s.last, from: s.from} }

// restart cools and forgets what was before.
func (s *steadiness) restart(at model.Instant) {
	s.from = at
	s.cool()
}

// load computes the run's shape in time from the client's records.
func (s *Store) load(sig *model.Signals) {
	l := &sig.Load
	nan := math.NaN()
	*l = model.LoadSignals{MovesPct: nan, CV: nan, CVLimit: nan, TrendP: nan, TrendSlope: nan, TrendGrowth: nan, TrendFrom: nan, LatencyCV: nan}
	c := s.client
	if !sig.Client.Known {
		s.loadOfServer(sig)
		return
	}
	if c.firstEnd == 0 {
		s.steady.cool()
		return
	}
	l.LatencyCV = s.okLatencyCV()
	lag := s.lag()
	last := int64(sig.At-lag)/fracStep - 1
	first := max(int64(max(c.first, s.steady.from))/fracStep+1, last-bucketsKept+1)
	s.lastBucket = last
	if last >= first {
		var n []float64
		l.X5, n = c.frac.rates(first, last)
		s.judgeWarm(sig, n, last)
		s.judgeSteady(sig, n)
	}
	s.trend(sig)
	s.settled(sig)
	l.Warm, l.WarmStrict, l.WarmAt = s.steady.warm, s.steady.strict, s.steady.at
}

// lag is how long a bucket must be past before the requests that were open in
// it have ended and told their shares.
func (s *Store) lag() model.Instant {
	h := s.client.lat.all.over(s.now-30_000_000_000, s.now+1_000_000_000)
	if h.TotalCount() == 0 {
		return 0
	}
	return model.Instant(min(60, float64(h.ValueAtQuantile(95))/1e6) * 1e9)
}

// okLatencyCV is the coefficient of variation of good latencies.
func (s *Store) okLatencyCV() float64 {
	sk := s.client.lat.ok
	n := float64(sk.run.TotalCount())
	if n < 2 || sk.sum == 0 {
		return math.NaN()
	}
	mu := sk.sum / n
	return math.Sqrt(max(0, s.client.lat.sumSq/n-mu*mu)) / mu
}

// judgeWarm tests that two consecutive rounds are equivalent.
func (s *Store) judgeWarm(sig *model.Signals, n []float64, last int64) {
	l, st := &sig.Load, &s.steady
	x := l.X5
	if len(x) >= bucketsSlope {
		tail := x[len(x)-bucketsSlope:]
		l.MovesPct = math.Abs(theilSen(tail)*bucketsSlope/mean(tail)) * 100
	}
	if st.warm {
		return
	}
	ok, strict := s.equivalent(sig, n, last)
	if !ok {
		st.okFor = 0
		return
	}
	if st.okFor++; st.okFor >= warmHold {
		st.warm, st.strict, st.at = true, strict, sig.At
		if s.firstWarm == 0 {
			s.firstWarm = sig.At
		}
	}
}

func (s *Store) equivalent(sig *model.Signals, n []float64, last int64) (ok, strict bool) {
	x, th := sig.Load.X5, &s.run.Thresholds
	if len(x) < 2*bucketsRound || sig.At.Seconds(s.client.first) < max(30, 3*sig.Client.P50) {
		return false, false
	}
	a, b := x[len(x)-2*bucketsRound:len(x)-bucketsRound], x[len(x)-bucketsRound:]
	xa, xb := mean(a), mean(b)
	if !(xa > 0) || !(xb > 0) {
		return false, false
	}
	count := 0.0
	for _, v := range n[len(n)-bucketsRound:] {
		count += v
	}
	floor := math.Sqrt(2 / max(1, count))
	if sig.Client.Closed && !math.IsNaN(sig.Load.LatencyCV) {
		floor *= sig.Load.LatencyCV
	}
	se := math.Sqrt2 * successiveSE(x[max(0, len(x)-bucketsSlope):], bucketsRound) / xb
	dx := math.Abs(xb-xa) / xa
	sameP99, strictP99 := s.sameP99(last)
	tail := x[max(0, len(x)-bucketsSlope):]
	slope := theilSen(tail) * bucketsSlope / xb
	// With few completions a bucket the slope's own error exceeds the bound:
	// then twice that error is the bound.
	noise := 2 * slopeSE(tail) * bucketsSlope / xb
	flat := math.Abs(slope) < th.WarmSlope ||
		mannKendall(tail) > 0.05 && math.Abs(slope) < max(th.WarmSlopeMK, noise)
	const round = model.Instant(bucketsRound * fracStep)
	if sig.Client.Closed && sig.Server.Full && s.tokensMove(sig.At-2*round, sig.At-round, sig.At, count) {
		return false, false // the server gets faster under the noise of its requests
	}
	return dx <= max(0.01, 2*max(se, floor)) && sameP99 && flat, dx <= 0.01 && strictP99
}

// sameP99 compares P99 of the last two rounds: within 2 %, or with intervals
// that overlap.
func (s *Store) sameP99(last int64) (ok, strict bool) {
	end := model.Instant((last + 1) * fracStep)
	round := model.Instant(bucketsRound * fracStep)
	h := s.client.lat.all.over(end-round, end)
	p1 := float64(h.ValueAtQuantile(99))
	lo1, hi1 := interval(h, 0.99)
	h = s.client.lat.all.over(end-2*round, end-round)
	p0 := float64(h.ValueAtQuantile(99))
	lo0, hi0 := interval(h, 0.99)
	if p0 == 0 || p1 == 0 {
		return true, false // no latencies to compare: throughput alone decides
	}
	strict = math.Abs(p1-p0)/p0 <= 0.02
	return strict || lo1 <= hi0 && lo0 <= hi1, strict
}

// judgeSteady compares the spread of throughput over a minute with what noise
// explains.
func (s *Store) judgeSteady(sig *model.Signals, n []float64) {
	l := &sig.Load
	// Throughput that follows another load is not unsteady: only buckets of the
	// present load count, but the one in which it began.
	if len(l.X5) < bucketsCV || s.lastBucket-max(s.history.since, int64(s.targetAt)/fracStep) < bucketsCV && s.history.since > int64(s.client.first)/fracStep+1 {
		return
	}
	tail := l.X5[len(l.X5)-bucketsCV:]
	m := mean(tail)
	if !(m > 0) {
		return
	}
	l.CV = deviation(tail) / m
	per := max(1, mean(n[len(n)-bucketsCV:]))
	l.CVLimit = s.run.Thresholds.UnsteadyCV
	if cv := l.LatencyCV; !math.IsNaN(cv) {
		l.CVLimit = max(l.CVLimit, 2.5*cv/math.Sqrt(per))
	}
	if !sig.Client.Closed {
		l.CVLimit = max(l.CVLimit, 3/math.Sqrt(per))
	}
	t := sig.At.Seconds(s.client.first)
	l.UnsteadyRaw = (l.Warm || s.steady.warm || t >= max(90, 6*sig.Client.P50)) && l.CV > l.CVLimit
}

// trend looks at 5-s means of client in-flight over the last minute.
func (s *Store) trend(sig *model.Signals) {
	end := sig.Client.Horizon.Floor(5_000_000_000)
	var y []float64
	for i := bucketsCV; i > 0; i-- {
		from := end - model.Instant(i*fracStep)
		if from < s.client.first {
			continue
		}
		if m, _, ok := s.client.flight.over(from, from+fracStep); ok {
			y = append(y, m)
		}
	}
	if len(y) < bucketsSlope {
		return
	}
	l := &sig.Load
	l.TrendP = mannKendall(y)
	slope := theilSen(y)
	l.TrendSlope, l.TrendGrowth = slope/5, slope*float64(len(y)-1)
	l.TrendFrom = mean(y[:3])
}

// settled tells a run whose completions and in-flight stand still though its
// latencies have not had the time to: a closed loop that ramped up late. The
// last two rounds of 15 s must agree, by plain counts, for 5 s running.
func (s *Store) settled(sig *model.Signals) {
	c, st := s.client, &s.steady
	const round = 15_000_000_000
	if st.evenFor >= warmHold { // sticky, as warm is: the load's end is no doubt about it
		sig.Load.Settled = true
		return
	}
	now := sig.At
	if c.first == 0 || now-2*round < c.first {
		st.evenFor = 0
		return
	}
	count := func(from, to model.Instant) float64 {
		n := 0.0
		for _, o := range model.Outcomes {
			n += s.whole[o].count(from, to)
		}
		return n
	}
	a, b := count(now-2*round, now-round), count(now-round, now)
	fa, _, okA := c.flight.over(now-2*round, now-round)
	fb, _, okB := c.flight.over(now-round, now)
	spread := 1.0
	if sig.Client.Closed && !math.IsNaN(sig.Load.LatencyCV) {
		spread = min(1, sig.Load.LatencyCV)
	}
	even := okA && okB && min(a, b) >= 30 &&
		math.Abs(b-a)/a <= max(0.02, 1.5*spread*math.Sqrt(2/a)) &&
		math.Abs(fb-fa) <= max(1, 0.05*fa) && !s.tokensMove(now-2*round, now-round, now, a)
	if !even {
		st.evenFor = 0
		return
	}
	st.evenFor++
	sig.Load.Settled = st.evenFor >= warmHold
}

// tokensMostMove is how much the server's token rate may differ between two
// rounds that stand still.
const tokensMostMove = 0.05

// tokensMove reports that the server's own token rate differs between two
// rounds. It is far steadier than completions, whose noise can hide a server
// that is still getting faster; false where it is not told.
func (s *Store) tokensMove(from, middle, to model.Instant, done float64) bool {
	a, b := s.whole[model.ServerGenTPS].mean(from, middle), s.whole[model.ServerGenTPS].mean(middle, to)
	if t := s.whole[model.ServerGenTokens]; t != nil {
		a, b = t.amount(from, middle)/middle.Seconds(from), t.amount(middle, to)/to.Seconds(middle)
	}
	// Some servers count a request's tokens only at its end: then the rate is no
	// steadier than that many requests of unequal length.
	spread := s.okLatencyCV()
	if cv := s.client.out.cv(); !(spread >= cv) {
		spread = cv
	}
	most := tokensMostMove
	if noise := 2 * spread * math.Sqrt(2/max(1, done)); noise > most {
		most = noise
	}
	return a > 0 && math.Abs(b-a) > most*a
}
