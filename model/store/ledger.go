package store

import (
	"math"
	"slices"

	"benchtop/model"
)

// The ledger compares two half minutes: the best one of the run so far (or, if
// that is now, the worst one before) and the newest. What moved is told only
// where throughput moved by more than a twentieth and by more than its noise.
const (
	ledgerSpan   = 6 // buckets of 5 s
	ledgerLeast  = 0.05
	ledgerNoise  = 3.0 // standard errors
	clockRange   = 0.05
	clockBlocks  = 3   // buckets a block of the bootstrap: 15 s
	clockDraws   = 100 // of the bootstrap
	movedShare   = 0.03
	clockBuckets = 240 // 20 minutes: pairs grow with the square
)

// ledger says what moved with throughput.
func (s *Store) ledger(sig *model.Signals) model.Ledger {
	h := s.history.list
	l := model.Ledger{Rest: math.NaN(), Change: math.NaN()}
	l.Clock = s.clockShare(h)
	h = h[s.settledFrom(sig, h):]
	if len(h) < 2*ledgerSpan {
		return l
	}
	after := len(h) - ledgerSpan
	before := furthest(h, after)
	if before < 0 {
		return l
	}
	a, b := h[before:before+ledgerSpan], h[after:]
	l.Before, l.After = figuresOf(a), figuresOf(b)
	x0, x1 := l.Before.XOK, l.After.XOK
	if !(x0 > 0) || !(x1 > 0) {
		return l
	}
	l.Change = x1/x0 - 1
	noise := ledgerNoise * math.Hypot(l.Before.SE/x0, l.After.SE/x1)
	if math.Abs(l.Change) < max(ledgerLeast, noise) {
		return l
	}
	l.Known = true
	fillLedger(&l, a, b)
	return l
}

// settledFrom is the first bucket after the run's start-up: from when it was
// warm, else after its first 15 s.
func (s *Store) settledFrom(sig *model.Signals, h []epoch) int {
	at := int64(s.client.first)/fracStep + 3
	if sig.Load.Warm && s.firstWarm != 0 {
		at = max(at, int64(s.firstWarm)/fracStep-2*bucketsRound) // the rounds that it was judged by
	}
	i, _ := slices.BinarySearchFunc(h, at, func(e epoch, n int64) int { return int(e.n - n) })
	return i
}

// furthest is where the half minute begins whose throughput differs most from
// the newest, among those before it.
func furthest(h []epoch, after int) int {
	mean := func(i int) float64 {
		t := 0.0
		for _, e := range h[i : i+ledgerSpan] {
			t += e.ok
		}
		return t
	}
	now := mean(after)
	best, at := 0.0, -1
	for i := 0; i+ledgerSpan <= after; i++ {
		x := mean(i)
		if !(x > 0) || !(now > 0) {
			continue
		}
		if d := math.Abs(math.Log(now / x)); d > best {
			best, at = d, i
		}
	}
	return at
}

// part is a mean over buckets of one of their numbers; NaN where fewer than
// half have it.
func part(p []epoch, of func(*epoch) float64) float64 {
	var v []float64
	for i := range p {
		if x := of(&p[i]); !math.IsNaN(x) {
			v = append(v, x)
		}
	}
	if 2*len(v) < len(p) {
		return math.NaN()
	}
	return mean(v)
}

// fillLedger names the causes. Good requests a second are the good share of
// what completes, and completions are running ÷ (tokens × step time). Each
// factor that was measured gets its share of ln(after ÷ before); what they
// don't make up is the rest.
func fillLedger(l *model.Ledger, a, b []epoch) {
	total := math.Log(l.After.XOK / l.Before.XOK)
	sum := 0.0
	add := func(id, title, unit string, from, to, ln float64) {
		if math.IsNaN(ln) || math.IsInf(ln, 0) {
			l.NotKnown = append(l.NotKnown, title)
			return
		}
		share := ln / total
		sum += share
		l.Entries = append(l.Entries, model.LedgerEntry{ID: id, Title: title, Unit: unit, From: from, To: to, Share: share})
	}
	both := func(of func(*epoch) float64) (x, y, ln float64) {
		x, y = part(a, of), part(b, of)
		return x, y, math.Log(y / x)
	}
	flight0, flight1, dFlight := both(func(e *epoch) float64 { return e.flight })
	run0, run1, dRun := both(func(e *epoch) float64 { return e.run })
	// Fewer in flight can fill less of the batch; no more of its change than
	// the batch's own is concurrency's doing.
	dConc := 0.0
	if !math.IsNaN(dRun) && dFlight*dRun > 0 {
		dConc = math.Copysign(min(math.Abs(dFlight), math.Abs(dRun)), dRun)
	}
	switch {
	case math.IsNaN(dRun):
		dConc = math.NaN()
	case math.IsNaN(dFlight):
		dConc = math.NaN()
		add("batch_fill", "batch fill", "requests", run0, run1, dRun)
	default:
		add("concurrency", "concurrency", "requests", flight0, flight1, dConc)
		add("batch_fill", "batch fill", "requests", run0, run1, dRun-dConc)
	}
	if math.IsNaN(dConc) {
		l.NotKnown = append(l.NotKnown, "concurrency")
	}
	if math.IsNaN(dRun) {
		l.NotKnown = append(l.NotKnown, "batch fill")
	}
	tok0, tok1, dTok := both(func(e *epoch) float64 { return e.tokens })
	if !math.IsNaN(dTok) {
		add("length", "output length", "tokens", tok0, tok1, -dTok)
	}
	clockEntry(l, a, b, total, add)
	// Time, not number: a request that is refused at once costs nothing but its
	// own answer, one that times out has held its place all along.
	w0, w1 := wasted(a), wasted(b)
	add("lost", "time spent on lost requests", "%", 100*w0, 100*w1, math.Log((1-w1)/(1-w0)))
	l.Rest = 1 - sum
}

func wasted(p []epoch) float64 {
	spent, lost := 0.0, 0.0
	for i := range p {
		spent, lost = spent+p[i].spent, lost+p[i].wasted
	}
	return lost / max(spent, 1e-9)
}

// clockEntry splits the time of a step into what the clock makes of it and what
// is beyond the clock. Where throughput was seen to follow the clock its
// elasticity counts; else the clock gets all that it could account for, which
// is said, but no more than the step's own change.
func clockEntry(l *model.Ledger, a, b []epoch, total float64, add func(id, title, unit string, from, to, ln float64)) {
	clk0, clk1 := part(a, func(e *epoch) float64 { return e.clock }), part(b, func(e *epoch) float64 { return e.clock })
	st0, st1 := part(a, func(e *epoch) float64 { return e.step }), part(b, func(e *epoch) float64 { return e.step })
	dStep := -math.Log(st1 / st0)
	dClock, atMost := math.Log(clk1/clk0), true
	if l.Clock.Known {
		dClock, atMost = l.Clock.Elasticity*dClock, false
	}
	switch {
	case l.Clock.Voided:
		dClock = 0
	case !math.IsNaN(dStep) && dClock*dStep <= 0:
		dClock = 0
	case !math.IsNaN(dStep) && math.Abs(dClock) > math.Abs(dStep):
		dClock = dStep
	}
	n := len(l.Entries)
	add("clock", "SM clock", "MHz", clk0/1e6, clk1/1e6, dClock)
	if len(l.Entries) > n {
		l.Entries[n].AtMost = atMost && dClock != 0
		if l.Clock.Known {
			l.Clock.Share = min(1, max(0, dClock/total))
		}
	}
	if math.IsNaN(dClock) {
		dClock = 0
	}
	add("step_time", "step time beyond the clock", "ms", 1e3*st0, 1e3*st1, dStep-dClock)
}

// clockShare is how throughput followed the SM clock over the buckets in which
// the server limits.
func (s *Store) clockShare(h []epoch) model.ClockShare {
	nan := math.NaN()
	c := model.ClockShare{Elasticity: nan, Lo: nan, Hi: nan, AtMost: nan}
	for _, g := range s.gpuList {
		if g.other {
			continue
		}
		if clk, _ := g.clock(s.now-20e9, s.now, s.run.Thresholds.BusyUtil); !(c.AtMost >= 1-clk/g.best) && !math.IsNaN(clk) {
			c.AtMost = 1 - clk/g.best
		}
	}
	var x, y []float64
	lo, hi := math.Inf(1), math.Inf(-1)
	h = h[max(0, len(h)-clockBuckets):]
	for i := range h {
		e := &h[i]
		if math.IsNaN(e.clock) || !(e.x > 0) || !e.full && !(e.wait >= 1) {
			continue
		}
		x, y = append(x, math.Log(e.clock)), append(y, math.Log(e.x))
		lo, hi = min(lo, x[len(x)-1]), max(hi, x[len(x)-1])
	}
	if len(x) < bucketsCV || hi-lo < clockRange {
		return c
	}
	c.Elasticity, _ = slopeOver(x, y, make([]float64, 0, len(x)*(len(x)-1)/2))
	c.Known = !math.IsNaN(c.Elasticity)
	c.Lo, c.Hi = bootSlope(x, y)
	chain(&c, h)
	return c
}

// slopeOver is the Theil-Sen slope of y on x: the median over the pairs whose x
// differ by enough to tell. slopes is room for them, which is given back.
func slopeOver(x, y, slopes []float64) (float64, []float64) {
	slopes = slopes[:0]
	for i := range x {
		for j := range i {
			if d := x[i] - x[j]; math.Abs(d) >= clockRange/5 {
				slopes = append(slopes, (y[i]-y[j])/d)
			}
		}
	}
	return middle(slopes), slopes
}

// bootSlope is the 95 % interval of the slope by a bootstrap over blocks of
// 15 s: neighbouring buckets are not independent.
func bootSlope(x, y []float64) (lo, hi float64) {
	most := min(len(x), 48)
	x, y = x[len(x)-most:], y[len(y)-most:]
	draw := uint64(len(x)) // the same run gives the same interval
	pick := func(n int) int {
		draw ^= draw << 13
		draw ^= draw >> 7
		draw ^= draw << 17
		return int(draw % uint64(n))
	}
	var slopes, room []float64
	bx, by := make([]float64, 0, most), make([]float64, 0, most)
	for range clockDraws {
		bx, by = bx[:0], by[:0]
		for len(bx) < most {
			at := pick(max(1, most-clockBlocks+1))
			bx, by = append(bx, x[at:min(at+clockBlocks, most)]...), append(by, y[at:min(at+clockBlocks, most)]...)
		}
		var v float64
		if v, room = slopeOver(bx, by, room); !math.IsNaN(v) {
			slopes = append(slopes, v)
		}
	}
	return quantile(slopes, 0.025), quantile(slopes, 0.975)
}

// chain draws the way from power or heat to throughput: the half minute with
// the highest clock against the one with the lowest.
func chain(c *model.ClockShare, h []epoch) {
	clock := func(i int) float64 { return part(h[i:i+ledgerSpan], func(e *epoch) float64 { return e.clock }) }
	hi, lo := -1, -1
	for i := 0; i+ledgerSpan <= len(h); i++ {
		v := clock(i)
		if math.IsNaN(v) {
			continue
		}
		if hi < 0 || v > clock(hi) {
			hi = i
		}
		if lo < 0 || v < clock(lo) {
			lo = i
		}
	}
	if hi < 0 || lo < 0 {
		return
	}
	a, b := h[hi:hi+ledgerSpan], h[lo:lo+ledgerSpan]
	of := map[string]func(*epoch) float64{
		"power": func(e *epoch) float64 { return e.power }, "cap": func(e *epoch) float64 { return e.cap_ },
		"temp": func(e *epoch) float64 { return e.temp }, "heat": func(e *epoch) float64 { return e.heat },
		"clock": func(e *epoch) float64 { return e.clock }, "step": func(e *epoch) float64 { return e.step },
		"x": func(e *epoch) float64 { return e.x },
	}
	held := func(id string) float64 { return known0(part(b, of[id])) - known0(part(a, of[id])) }
	add := func(title, unit, id string, scale float64, rises bool) {
		x, y := part(a, of[id]), part(b, of[id])
		link := model.ChainLink{Title: title, Unit: unit, From: x * scale, To: y * scale}
		switch moved := math.Abs(y-x) > movedShare*math.Abs(x); {
		case math.IsNaN(x) || math.IsNaN(y):
			link.Arrow = model.ArrowDashed
		case moved && y > x == rises:
			link.Arrow = model.ArrowSolid
		case id == "power" && y >= 0.97: // at its limit: what it asked for shows in the clock
			link.Arrow = model.ArrowSolid
		default:
			link.Arrow = model.ArrowCrossed
		}
		c.Voided = c.Voided || link.Arrow == model.ArrowCrossed
		c.Chain = append(c.Chain, link)
	}
	switch heat, limit := held("heat"), held("cap"); { // where no counter moved the chain begins at the clock
	case heat >= movedShare && heat >= limit:
		add("temperature", "°C", "temp", 1, true)
		add("held by heat or the brake", "%", "heat", 100, true)
	case limit >= movedShare:
		add("power of its limit", "%", "power", 100, true)
		add("held by the power cap", "%", "cap", 100, true)
	}
	add("SM clock", "MHz", "clock", 1e-6, false)
	add("step time", "ms", "step", 1e3, true)
	add("throughput", "1/s", "x", 1, false)
}

// laws are the cross-checks on the newest window.
func (s *Store) laws(sig *model.Signals) model.Laws {
	l := model.Laws{Residence: sig.Server.Ns / sig.Client.X, Busy: math.NaN()}
	if !sig.Client.Known {
		l.Residence = sig.Server.Ns / sig.Server.X
	}
	if !(l.Residence > 0) || math.IsInf(l.Residence, 0) {
		l.Residence = math.NaN()
	}
	l.Outside = sig.Client.Mean - l.Residence
	for i := range sig.GPUs {
		if u := sig.GPUs[i].Util; !(l.Busy >= u) && !math.IsNaN(u) {
			l.Busy = u
		}
	}
	l.Ceiling = sig.Client.X / l.Busy
	if !(l.Busy > 0) {
		l.Ceiling = math.NaN()
	}
	return l
}
