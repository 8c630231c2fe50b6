package sim

import "math"

// server is the inference server: its engines, its admission rules and what
// slows all of its steps down.
type server struct {
	w       *world
	dice    chance
	engines []*engine
	down    bool
	booted  float64 // since when it runs
	epoch   int     // grows by one a restart: work of an earlier life is void
	log     logger

	regime   float64 // factor of the present piece
	regimeNo int
}

// kvAdmit is the share of KV slots up to which requests are admitted.
const kvAdmit = 0.98

// prefillBudget bounds the prompt tokens of one step.
const prefillBudget = 4096

// boot starts the server: cold, with its start-up lines.
func (s *server) boot() {
	s.down = false
	s.booted = s.w.now
	s.regime, s.regimeNo = 1, -1
	if s.log.w == nil {
		s.log = logger{w: s.w}
		if s.w.p.CrashAt > 0 {
			s.w.at(s.w.p.CrashAt, s.crash)
		}
	}
	epoch := s.epoch
	s.w.after(0, func() {
		if epoch == s.epoch {
			s.log.startUp()
		}
	})
}

// crash kills the server and books its return.
func (s *server) crash() {
	s.down = true
	s.epoch++
	for _, e := range s.engines {
		for _, r := range e.clear() {
			s.w.path.cut(r)
		}
		e.card.stop()
	}
	s.w.path.reset()
	s.w.after(s.w.p.CrashDown, s.boot)
}

// accept is a request's arrival: rejected, or queued at an engine.
func (s *server) accept(r *request) {
	p := &s.w.p
	e := s.route()
	held, waiting := 0, 0
	for _, o := range s.engines {
		held += len(o.running) + o.queued()
		waiting += o.queued()
	}
	full := p.QueueLimit > 0 && waiting >= p.QueueLimit
	if full || p.AdmissionLimit > 0 && held >= p.AdmissionLimit {
		s.log.rejected(full, waiting)
		s.w.path.answer(r, endRejected)
		return
	}
	r.arrived, r.engine = s.w.now, e
	e.enqueue(r)
}

// route picks the engine: a fixed share to the first, else the least loaded.
func (s *server) route() *engine {
	if len(s.engines) == 1 {
		return s.engines[0]
	}
	if share := s.w.p.RouterShare; share > 0 {
		if s.dice.Float64() < share {
			return s.engines[0]
		}
		return s.engines[1+s.dice.IntN(len(s.engines)-1)]
	}
	best := s.engines[0]
	for _, e := range s.engines[1:] {
		if len(e.running)+e.queued() < len(best.running)+best.queued() {
			best = e
		}
	}
	return best
}

// cancel withdraws a request whose client has hung up.
func (s *server) cancel(r *request) {
	if r.served {
		return
	}
	r.gone = true
	if r.engine != nil {
		r.engine.withdraw(r)
	}
}

// stepTime is one forward step: the GPU's part and the host's.
func (s *server) stepTime(batch, prefill int, clockShare float64) (gpu, host float64) {
	p := &s.w.p
	gpu = p.T0 + p.T1*float64(batch) + p.TP*float64(prefill)
	gpu *= s.dice.noise(p.StepNoiseCV)
	gpu *= 1 + p.WarmAmp*math.Exp(-(s.w.now-s.booted)/p.WarmTau)
	gpu *= s.regimeNow()
	gpu /= math.Pow(clockShare, p.Elasticity)
	return gpu, p.HostStep * s.w.host.slowdown()
}

// regimeNow is the unstable server's factor, constant within a period.
func (s *server) regimeNow() float64 {
	p := &s.w.p
	if p.RegimeAmp == 0 || p.RegimePeriod <= 0 {
		return 1
	}
	for n := int(s.w.now / p.RegimePeriod); s.regimeNo < n; s.regimeNo++ {
		s.regime = 1 + p.RegimeAmp*s.dice.Float64()
	}
	return s.regime
}
