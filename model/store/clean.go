package store

import (
	"fmt"
	"math"

	"github.com/HdrHistogram/hdrhistogram-go"

	"benchtop/model"
)

// Clean seconds. Each second that has passed gets a set of reasons why it must
// not count. Some come late (a source is known to be silent only after several
// of its intervals), so the last minute stays open; then a second is closed and
// its requests are booked where they belong.
const (
	cleanOpen     = 61 // seconds that may still become dirty
	cleanKept     = 64
	cleanGuard    = 3 // seconds after warm-up that are left out
	dirtyListed   = 256
	throttledLook = 2_500_000_000 // ns: two polls of a GPU each second
	throttledMost = 10_000_000_000
	schedLate     = 0.1 // seconds: starts later than this are not the load that was asked for
)

type cleanSecond struct {
	n        int64 // which second; 0 is unused
	mask     uint16
	measured bool
}

// tally sums up requests of a set of seconds.
type tally struct {
	seconds, done, ok, tokens, judged, kept float64

	sketch *hdrhistogram.Histogram // of good requests' latencies
}

func newTally() tally { return tally{sketch: hdrhistogram.New(1, latencyMax, windowDigits)} }

type clean struct {
	cells     [cleanKept]cleanSecond
	closed    int64 // newest second that is closed
	newest    int64 // newest second that was judged
	from      model.Instant
	known     bool
	measured  tally
	pure      tally
	by        [model.NumDirtyCauses]float64
	text      [model.NumDirtyCauses]string
	stretches []model.DirtyStretch
	more      int
	last      [model.NumDirtyCauses]int // index + 1 of the newest stretch of a cause
	work      [2]tally                  // what readers are given, reused
	dropped   float64
}

func newClean() *clean {
	return &clean{measured: newTally(), pure: newTally(), work: [2]tally{newTally(), newTally()}}
}

func (c *clean) cell(n int64) *cleanSecond {
	k := &c.cells[n%cleanKept]
	if k.n > n || n <= c.closed || n <= 0 {
		return nil
	}
	if k.n != n {
		*k = cleanSecond{n: n}
	}
	return k
}

// soil marks the seconds that [from, to) touches, as far as they are open.
func (c *clean) soil(cause model.DirtyCause, from, to model.Instant, text string) {
	lo, hi := int64(from)/1e9, (int64(to)-1)/1e9
	for n := max(lo, hi-cleanOpen, c.closed+1); n <= hi; n++ {
		if k := c.cell(n); k != nil {
			k.mask |= 1 << cause
		}
	}
	c.text[cause] = text
}

// cleanSecond judges the second that ends at sig.At and closes the one that is
// a minute old. Call it after the other signals are there.
func (s *Store) cleanSecond(sig *model.Signals) {
	c := s.clean
	n := int64(sig.At)/1e9 - 1
	for m := max(c.closed+1, n-cleanKept+1); m <= n-cleanOpen; m++ {
		s.closeSecond(m)
	}
	c.closed = max(c.closed, n-cleanOpen)
	k := c.cell(n)
	if k == nil {
		return
	}
	c.newest = n
	if ready := sig.Load.Warm || sig.Load.Settled; !ready {
		c.from = 0
	} else if c.from == 0 {
		c.from = sig.At + cleanGuard*1e9
	}
	k.measured = c.from != 0 && sig.At > c.from && s.traffic(n)
	c.known = c.known || k.measured
	s.soilGPUs(sig)
	s.soilHost(sig)
	s.soilSources(sig)
}

// traffic reports whether anything was asked in second n.
func (s *Store) traffic(n int64) bool {
	if s.client.known {
		return s.client.open > 0 || s.doneIn(n) > 0
	}
	return s.whole[model.ServerRunning].heldMean(model.Instant(n)*1e9, model.Instant(n+1)*1e9) > 0
}

func (s *Store) doneIn(n int64) float64 {
	done := 0.0
	for _, o := range model.Outcomes {
		if t := s.whole[o]; t != nil && o != model.ClientCancelled {
			done += float64(t.tiers[1].At(n).N)
		}
	}
	return done
}

// soilGPUs marks a second in which a GPU's clock was held back.
func (s *Store) soilGPUs(sig *model.Signals) {
	th := &s.run.Thresholds
	for _, g := range s.gpuList {
		if why := g.heldNow(sig.At, th); why != "" && !g.other {
			s.clean.soil(model.DirtyThrottle, sig.At-1e9, sig.At, fmt.Sprintf("GPU %d: %s", g.info.Index, why))
		}
	}
}

func (s *Store) soilHost(sig *model.Signals) {
	th, now := &s.run.Thresholds, sig.At
	mean := func(id model.SeriesID) float64 { return s.whole[id].mean(now-2e9, now+1) }
	soil := func(cause model.DirtyCause, format string, args ...any) {
		s.clean.soil(cause, now-1e9, now, fmt.Sprintf(format, args...))
	}
	if v := mean(model.HostOtherCPU); v >= th.OtherCPU {
		soil(model.DirtyNeighbour, "other processes took %.0f %% of the CPU", 100*v)
	}
	if v := mean(model.HostSteal); v >= th.Steal {
		soil(model.DirtyNeighbour, "the hypervisor took %.0f %% of the CPU", 100*v)
	}
	if v, _ := s.whole[model.HostQuotaThrottled].growth(now-1.5e9, now); v > 0 {
		soil(model.DirtyQuota, "%.0f periods were cut short by the CPU quota", v)
	}
	if v := mean(model.HostClientThread); v >= th.ThreadFull {
		soil(model.DirtyClient, "the load generator's busiest thread used %.2f of a core", v)
	}
	if w := s.whole[model.ClientSchedDelay].window(now-1e9, now); w.N > 0 && w.Mean() >= schedLate {
		soil(model.DirtyClient, "requests went out %.0f ms late", 1e3*w.Mean())
	}
}

func (s *Store) soilSources(sig *model.Signals) {
	c, now := s.clean, sig.At
	for i := range sig.Stale {
		g := &sig.Stale[i]
		from := now - model.Instant(max(0, g.Silence-g.Interval)*1e9)
		c.soil(model.DirtyGap, from, now, fmt.Sprintf("%s told nothing for %.0f s", g.Name, g.Silence))
	}
	if k := &sig.Client; k.Known && k.InFlightNow >= 1 && k.TotalDone > 0 && k.Silence > max(10, 3*known0(k.P99)) {
		c.soil(model.DirtyGap, now-model.Instant(k.Silence*1e9), now, fmt.Sprintf("the load stream told nothing for %.0f s", k.Silence))
	}
	dropped := 0.0
	for _, src := range s.sources {
		dropped += src.info.Dropped
	}
	if dropped > c.dropped {
		c.soil(model.DirtyGap, now-1e9, now, fmt.Sprintf("%.0f events were lost on the way", dropped-c.dropped))
	}
	c.dropped = dropped
	if s.client.unknown {
		c.soil(model.DirtyGap, now-1e9, now, "in flight is not known after lost events")
	}
	if n := s.client.refusedIn(now-1, 1); n >= s.run.Thresholds.LostMin {
		c.soil(model.DirtyDown, now-1e9, now, fmt.Sprintf("%.0f connections were refused in a second", n))
	}
}

func known0(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return v
}

// scraped marks the time that a slow poll of a metrics endpoint took: a server
// that is long in answering it may serve its requests no faster.
func (s *Store) scraped(e *model.Event) {
	if e.Value >= s.run.Thresholds.ScrapeStall {
		half := model.Instant(min(e.Value, 60) / 2 * 1e9)
		s.clean.soil(model.DirtyScrape, e.At-half, e.At+half, fmt.Sprintf("one scrape took %.1f s", e.Value))
	}
}

// heldNow says how a GPU's clock is held back right now, "" if it is not: by
// heat, the brake or other limits at all while it works, by the power cap only
// where that costs more than it does under any load.
func (g *gpu) heldNow(now model.Instant, th *model.Thresholds) string {
	look := model.Instant(throttledLook)
	if n := min(g.n, 4); n >= 2 { // slow pollers
		last, first := g.polls[(g.n-1)%pollsKept].at, g.polls[(g.n-n)%pollsKept].at
		look = min(max(look, (last-first)/model.Instant(n-1)*5/2), throttledMost)
	}
	clk, _ := g.clock(now-look, now, th.BusyUtil)
	loss := 1 - clk/g.maxClk
	if !(loss >= th.ThermalLoss) {
		return ""
	}
	s := model.GPUSignals{}
	g.shares(&s, now-look, now)
	for _, r := range [...]struct {
		share, least, loss float64
		what               string
	}{
		{s.Brake, th.BrakeShare, th.BrakeLoss, "the power brake"},
		{s.HWThermal, th.ThermalShare, th.ThermalLoss, "hardware thermal slowdown"},
		{s.SWThermal, th.ThermalShare, th.ThermalLoss, "software thermal slowdown"},
		{s.PowerCap, th.PowerShare, th.PowerLoss, "the power cap"},
		{s.SyncBoost, th.BitShare, th.BitLoss, "sync boost"},
		{s.Board, th.BitShare, th.BitLoss, "the board's limit"},
		{s.Reliability, th.BitShare, th.BitLoss, "the reliability limit"},
	} {
		if r.share >= r.least && loss >= r.loss {
			return fmt.Sprintf("%s held the clock at %.0f of %.0f MHz", r.what, clk/1e6, g.maxClk/1e6)
		}
	}
	if 1-clk/g.best >= th.DriftLoss {
		return fmt.Sprintf("the clock is at %.0f MHz, this run's best was %.0f, and no reason bit says why", clk/1e6, g.best/1e6)
	}
	return ""
}
