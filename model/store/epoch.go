package store

import (
	"math"

	"benchtop/model"
)

// epoch is what stood in one 5-s bucket, kept so that what moved with
// throughput can be told later: rates a second, seconds, hertz, shares.
type epoch struct {
	n          int64
	x, ok      float64 // completed shares a second: all, good
	flight     float64 // client in flight
	started    float64
	target     float64
	run        float64 // running at the server
	wait       float64
	tokens     float64 // output tokens a request
	step       float64 // seconds of one step, as the server tells it or its tokens say
	clock      float64 // under load, mean of the GPUs
	temp       float64
	power      float64 // share of the limit
	heat, cap_ float64 // share of the time that heat, the power cap held the clock
	kept       float64
	judged     float64
	clean      float64 // seconds in which nothing interfered
	spent      float64 // request-seconds that ended here, and those of them that failed
	wasted     float64
	full       bool
}

// epochs is the last hour of them, oldest first.
type epochs struct {
	list   []epoch
	last   int64
	since  int64 // bucket in which the present load began
	steps  []model.LoadStep
	ledger model.Ledger
}

// noteEpochs books the buckets that have become complete. Call it after load
// and cleanSecond.
func (s *Store) noteEpochs(sig *model.Signals) {
	c := s.client
	if !sig.Client.Known || c.firstEnd == 0 || s.lastBucket == 0 {
		return
	}
	h := &s.history
	before := h.last
	for n := max(h.last+1, int64(c.first)/fracStep+1, s.lastBucket-11); n <= s.lastBucket; n++ {
		if len(h.list) >= fracLen {
			h.list = append(h.list[:0], h.list[fracLen/4:]...)
		}
		h.list = append(h.list, s.epochOf(n, sig))
		h.last = n
	}
	if h.last != before {
		h.steps, h.ledger = s.steps(sig), s.ledger(sig)
	}
}

func (s *Store) epochOf(n int64, sig *model.Signals) epoch {
	from, to := model.Instant(n*fracStep), model.Instant((n+1)*fracStep)
	x, _ := s.client.frac.rates(n, n)
	e := epoch{n: n, x: x[0], full: sig.Server.Full}
	done := 0.0
	for _, o := range model.Outcomes {
		if o == model.ClientCancelled {
			continue
		}
		w := s.whole[o].window(from, to)
		done += float64(w.N)
		e.spent += float64(w.Sum)
		if o != model.ClientOK {
			e.wasted += float64(w.Sum)
		}
	}
	e.ok = e.x
	if done > 0 {
		e.ok *= s.whole[model.ClientOK].count(from, to) / done
	}
	e.flight = math.NaN()
	if m, _, ok := s.client.flight.over(from, to); ok {
		e.flight = m
	}
	e.started = s.whole[model.ClientSent].count(from, to) / 5
	e.target = s.whole[model.ClientTarget].heldMean(from, to)
	e.run, e.wait = s.whole[model.ServerRunning].heldMean(from, to), s.whole[model.ServerWaiting].heldMean(from, to)
	if math.IsNaN(e.run) {
		e.run = s.whole[model.ServerBatch].mean(from, to)
	}
	e.tokens = s.whole[model.ClientOutputTokens].mean(from, to)
	e.step = s.stepTime(from, to, e.run)
	s.epochGPU(&e, from, to)
	w := s.slo.track.window(from, to)
	e.judged, e.kept = float64(w.N), float64(w.Sum)
	for sec := n * 5; sec < n*5+5; sec++ {
		if k := &s.clean.cells[sec%cleanKept]; k.n == sec && k.mask == 0 {
			e.clean++
		}
	}
	return e
}

// stepTime is the seconds of one forward step: told by a server that logs its
// executions, else running ÷ tokens a second, since each running request gains
// one token a step; NaN where neither is told.
func (s *Store) stepTime(from, to model.Instant, run float64) float64 {
	if v := s.whole[model.ServerExec].mean(from, to); !math.IsNaN(v) {
		return v
	}
	tps := s.whole[model.ServerGenTPS].heldMean(from, to)
	if t := s.whole[model.ServerGenTokens]; t != nil {
		tps = t.amount(from-5e9, to+5e9) / 15 // counters move at scrapes, and some only at a request's end
	}
	if !(tps > 0) || !(run > 0) {
		return math.NaN()
	}
	return run / tps
}

func (s *Store) epochGPU(e *epoch, from, to model.Instant) {
	e.clock, e.temp, e.power, e.heat, e.cap_ = math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN()
	var clk, temp, power, heat, limit []float64
	for _, g := range s.gpuList {
		if g.other {
			continue
		}
		if v, _ := g.clock(from, to, s.run.Thresholds.BusyUtil); !math.IsNaN(v) {
			clk = append(clk, v)
		}
		var t, w, n float64
		g.window(from, to, func(p *poll) { t, w, n = t+p.get(model.GPUTemp), w+p.get(model.GPUPower), n+1 })
		if n > 0 {
			temp, power = append(temp, t/n), append(power, w/n/g.limit)
		}
		var x model.GPUSignals
		g.shares(&x, from, to)
		heat, limit = append(heat, max(x.SWThermal, x.HWThermal, x.Brake)), append(limit, x.PowerCap)
	}
	e.clock, e.temp, e.power, e.heat, e.cap_ = mean(clk), mean(temp), mean(power), mean(heat), mean(limit)
}
