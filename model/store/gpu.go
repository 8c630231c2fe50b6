package store

import (
	"math"
	"sort"

	"benchtop/model"
)

// Bits of the clocks event reasons (gpu.md §4).
const (
	bitIdle       = 0x1
	bitAppClocks  = 0x2
	bitPowerCap   = 0x4
	bitHWSlowdown = 0x8
	bitSyncBoost  = 0x10
	bitSWThermal  = 0x20
	bitHWThermal  = 0x40
	bitBrake      = 0x80
	bitDisplay    = 0x100
	bitBoard      = 0x200
	bitReliable   = 0x400
)

// poll is one reading of one GPU; NaN where it did not say.
type poll struct {
	at   model.Instant
	v    [gpuSeries]float64
	part float64 // SM activity of the GPU's busiest MIG device, NaN if it has none
}

const (
	gpuSeries = int(model.GPULost-model.GPUSMClock) + 1
	pollsKept = 512
)

func (p *poll) get(id model.SeriesID) float64 { return p.v[id-model.GPUSMClock] }

// gpu is one device.
type gpu struct {
	key    uint64
	source model.SourceID
	info   model.GPUInfo
	polls  [pollsKept]poll
	n      int
	bent   int     // n after the newest poll that came with an earlier time than the one before it
	best   float64 // best 20-s mean clock under load
	maxClk float64
	limit  float64
	memTot float64
	asked  bool // its utilization was told
	worked bool // it had some
	other  bool // none of the server's, as far as that is known
}

func newGPU(key uint64) *gpu {
	nan := math.NaN()
	return &gpu{key: key, best: nan, maxClk: nan, limit: nan, memTot: nan, info: model.GPUInfo{Key: key, Index: int(key&(1<<model.GPUInstanceShift-1)) - 1}}
}

func (g *gpu) level(ev *model.Event) {
	if g.n == 0 || g.polls[(g.n-1)%pollsKept].at != ev.At {
		p := poll{at: ev.At, part: math.NaN()}
		for i := range p.v {
			p.v[i] = math.NaN()
		}
		g.polls[g.n%pollsKept] = p
		g.n++
		if g.n > 1 && g.polls[(g.n-2)%pollsKept].at > ev.At {
			g.bent = g.n
		}
	}
	g.polls[(g.n-1)%pollsKept].v[ev.Series-model.GPUSMClock] = ev.Value
	switch ev.Series {
	case model.GPUMaxSMClock:
		g.maxClk = ev.Value
	case model.GPUUtil:
		g.asked, g.worked = true, g.worked || ev.Value >= works
	case model.GPUPowerLimit:
		g.limit = ev.Value
	case model.GPUMemTotal:
		g.memTot = ev.Value
	}
}

// window calls fn with each poll of [from, to].
func (g *gpu) window(from, to model.Instant, fn func(*poll)) {
	first := g.n - min(g.n, pollsKept)
	if g.bent <= first+1 { // in order: what is asked for is a short end of what is kept
		first += sort.Search(g.n-first, func(i int) bool { return g.polls[(first+i)%pollsKept].at >= from })
	}
	for i := first; i < g.n; i++ {
		if p := &g.polls[i%pollsKept]; p.at >= from && p.at <= to {
			fn(p)
		}
	}
}

// loaded reports whether the clock of a poll counts: the GPU was busy.
func loaded(p *poll, busy float64) bool {
	if r := p.get(model.GPUReasons); !math.IsNaN(r) && int64(r)&bitIdle != 0 {
		return false
	}
	u := p.get(model.GPUUtil)
	if math.IsNaN(u) {
		u = p.get(model.GPUSMActivity)
	}
	if math.IsNaN(u) {
		u = p.part
	}
	return u >= busy
}

// partly books how busy one of the GPU's MIG devices was at its newest poll: a
// GPU that is cut up has no utilization of its own.
func (g *gpu) partly(v float64) {
	if g != nil && g.n > 0 {
		if p := &g.polls[(g.n-1)%pollsKept]; !(p.part >= v) {
			p.part = v
		}
	}
}

// clock is the mean SM clock under load in [from, to], and the seconds between
// the first and the last such poll.
func (g *gpu) clock(from, to model.Instant, busy float64) (mean, covers float64) {
	var sum, n float64
	var first, last model.Instant
	g.window(from, to, func(p *poll) {
		c := p.get(model.GPUSMClock)
		if math.IsNaN(c) || !loaded(p, busy) {
			return
		}
		if n == 0 {
			first = p.at
		}
		sum, n, last = sum+c, n+1, p.at
	})
	if n == 0 {
		return math.NaN(), 0
	}
	return sum / n, last.Seconds(first)
}

// signals reads the last 30 s.
func (g *gpu) signals(now model.Instant, busy float64) model.GPUSignals {
	from := now - 30_000_000_000
	s := model.GPUSignals{Key: g.key, Index: g.info.Index, Ref: g.maxClk, Limit: g.limit, Best: g.best}
	s.Clock, _ = g.clock(from, now, busy)
	if c, covers := g.clock(now-20_000_000_000, now, busy); covers >= 15 && !(g.best >= c) {
		g.best = c
		s.Best = c
	}
	s.Loss, s.LossBest = 1-s.Clock/s.Ref, 1-s.Clock/s.Best
	mean := func(id model.SeriesID) float64 {
		var sum, n float64
		g.window(from, now, func(p *poll) {
			if v := p.get(id); !math.IsNaN(v) {
				sum, n = sum+v, n+1
			}
		})
		s.Samples = max(s.Samples, n)
		if n == 0 {
			return math.NaN()
		}
		return sum / n
	}
	s.Util, s.Temp, s.Power = mean(model.GPUUtil), mean(model.GPUTemp), mean(model.GPUPower)
	s.MemTemp, s.Margin = mean(model.GPUMemTemp), mean(model.GPUMargin)
	if math.IsNaN(s.Power) {
		s.Power = mean(model.GPUPowerInstant)
	}
	s.SMActivity, s.Tensor, s.DRAM = mean(model.GPUSMActivity), mean(model.GPUTensorActivity), mean(model.GPUDRAMActivity)
	g.shares(&s, from, now)
	if g.n > 0 {
		p := &g.polls[(g.n-1)%pollsKept]
		st := p.get(model.GPULost)
		s.Lost, s.Stale = st == 3, st == 1 || now-p.at > 10_000_000_000
	}
	return s
}

// shares fills in how much of the window the clock was held back, by reason:
// from the counters of time held where there are any, which miss nothing, else
// from the share of polls with the bit set.
func (g *gpu) shares(s *model.GPUSignals, from, to model.Instant) {
	held := func(id model.SeriesID, bit int64) float64 {
		prev, sum := math.NaN(), 0.0
		var first, last model.Instant
		g.window(from, to, func(p *poll) {
			v := p.get(id)
			if math.IsNaN(v) {
				return
			}
			if math.IsNaN(prev) {
				first = p.at
			} else if v >= prev {
				sum += v - prev
			}
			prev, last = v, p.at
		})
		if last > first {
			if share := sum / last.Seconds(first); share <= 1.05 {
				return min(1, share)
			}
		}
		return g.bitShare(from, to, bit, s)
	}
	s.PowerCap = held(model.GPUHeldPowerCap, bitPowerCap)
	s.SWThermal = held(model.GPUHeldSWThermal, bitSWThermal)
	s.HWThermal = held(model.GPUHeldHWThermal, bitHWThermal)
	s.Brake = held(model.GPUHeldBrake, bitBrake)
	s.SyncBoost = held(model.GPUHeldSyncBoost, bitSyncBoost)
	s.Board = held(model.GPUHeldBoard, bitBoard)
	s.Reliability = held(model.GPUHeldReliability, bitReliable)
	bits := *s
	s.AppClocks = g.bitShare(from, to, bitAppClocks, &bits)
	s.HWSlowdown = g.bitShare(from, to, bitHWSlowdown, &bits)
	s.Display = g.bitShare(from, to, bitDisplay, &bits)
	s.HWOther = g.reasonShare(from, to, func(r int64) bool {
		return r&bitHWSlowdown != 0 && r&(bitHWThermal|bitBrake) == 0
	})
}

// bitShare is the share of polls with a reason bit set; NaN without reasons.
func (g *gpu) bitShare(from, to model.Instant, bit int64, s *model.GPUSignals) float64 {
	share := g.reasonShare(from, to, func(r int64) bool { return r&bit != 0 })
	s.FromBits = s.FromBits || !math.IsNaN(share)
	return share
}

// reasonShare is the share of polls whose reasons match; NaN without reasons.
func (g *gpu) reasonShare(from, to model.Instant, match func(int64) bool) float64 {
	var n, set float64
	g.window(from, to, func(p *poll) {
		if r := p.get(model.GPUReasons); !math.IsNaN(r) {
			n++
			if match(int64(r)) {
				set++
			}
		}
	})
	if n == 0 {
		return math.NaN()
	}
	return set / n
}
