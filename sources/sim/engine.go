package sim

// engine is one scheduler and executor with a GPU of its own. It batches
// continuously, or statically by size and wait.
type engine struct {
	s       *server
	index   int
	card    *card
	waiting []*request
	gone    int // withdrawn requests still in waiting
	running []*request
	busy    bool // a step or a batch is being executed
	kv      int  // slots held by running requests
	timer   int  // counts armed batch timers; an older one is void

	hostUsed float64 // seconds of host steps
	tokens   struct{ prompt, output int }
	last     struct{ running, waiting, kv int } // as the last step saw it
	steps    int
}

func newEngine(s *server, index int, c *card) *engine {
	return &engine{s: s, index: index, card: c}
}

// queued is how many wait and still want to.
func (e *engine) queued() int { return len(e.waiting) - e.gone }

func (e *engine) enqueue(r *request) {
	e.waiting = append(e.waiting, r)
	if e.s.w.p.Server == engineStatic {
		e.consider()
		return
	}
	if !e.busy {
		e.step()
	}
}

// withdraw takes a request out of the queue at once, out of a continuous batch
// at the next step, and never out of a static one.
func (e *engine) withdraw(r *request) {
	for _, q := range e.waiting {
		if q == r {
			e.gone++
			e.s.w.path.left(r)
			return
		}
	}
}

// head is the first that still waits, or nil; withdrawn ones before it leave.
func (e *engine) head() *request {
	for len(e.waiting) > 0 && e.waiting[0].gone {
		e.waiting = e.waiting[1:]
		e.gone--
	}
	if len(e.waiting) == 0 {
		return nil
	}
	return e.waiting[0]
}

func (e *engine) pop() { e.waiting = e.waiting[1:] }

// clear forgets everything, for a server that is killed, and returns what was
// there.
func (e *engine) clear() []*request {
	var lost []*request
	for _, r := range e.waiting {
		if !r.gone {
			lost = append(lost, r)
		}
	}
	lost = append(lost, e.running...)
	e.waiting, e.running, e.gone, e.kv, e.busy = nil, nil, 0, 0, false
	e.last.running, e.last.waiting, e.last.kv = 0, 0, 0
	e.tokens.prompt, e.tokens.output = 0, 0
	e.timer++
	return lost
}

// execute occupies the engine for one step or batch. It stays busy until then
// says otherwise: a reply that leaves may let the next request in.
func (e *engine) execute(prefill int, then func()) (gpu, host float64) {
	w := e.s.w
	gpu, host = e.s.stepTime(len(e.running), prefill, e.card.clock/w.p.ClockMaxMHz)
	e.card.run(w.now, w.now+gpu, len(e.running))
	e.busy = true
	epoch := e.s.epoch
	w.after(gpu+host, func() {
		if epoch != e.s.epoch {
			return
		}
		e.hostUsed += host
		e.steps++
		then()
	})
	return gpu, host
}

// step is one iteration of continuous batching.
func (e *engine) step() {
	w := e.s.w
	prefill := e.admit()
	e.last.running, e.last.waiting, e.last.kv = len(e.running), e.queued(), e.kv
	if len(e.running) == 0 {
		return
	}
	e.tokens.prompt += prefill
	if w.p.DebugLog {
		e.s.log.debugStep(e)
	}
	e.execute(prefill, e.stepped)
}

// admit moves waiting requests into the batch while there is room.
func (e *engine) admit() (prefill int) {
	p := &e.s.w.p
	for len(e.running) < p.MaxBatch {
		r := e.head()
		if r == nil {
			break
		}
		need := r.prompt + r.made
		if prefill > 0 && prefill+need > prefillBudget {
			break
		}
		if p.KVTokens > 0 && float64(e.kv+need) > kvAdmit*float64(p.KVTokens) && len(e.running) > 0 {
			break
		}
		e.pop()
		prefill += need
		r.held = need
		e.kv += need
		e.running = append(e.running, r)
	}
	return prefill
}

// stepped gives each running request its token and lets the finished go.
func (e *engine) stepped() {
	w := e.s.w
	kept := e.running[:0]
	for _, r := range e.running {
		if r.gone {
			e.kv -= r.held
			w.path.left(r)
			continue
		}
		r.made++
		r.held++
		e.kv++
		e.tokens.output++
		if r.made == 1 {
			r.firstTok = w.now
		}
		if r.made >= r.output {
			e.kv -= r.held
			w.path.answer(r, endOK)
			continue
		}
		kept = append(kept, r)
	}
	clear(e.running[len(kept):])
	e.running = kept
	for w.p.KVTokens > 0 && e.kv > w.p.KVTokens && len(e.running) > 1 {
		e.preempt()
	}
	e.busy = false
	e.step()
}

// preempt pushes the newest request back to the head of the queue; its slots
// are computed again.
func (e *engine) preempt() {
	k := len(e.running) - 1
	r := e.running[k]
	e.running[k] = nil
	e.running = e.running[:k]
	e.kv -= r.held
	r.held = 0
	e.waiting = append([]*request{r}, e.waiting...)
}

// consider fires a static batch if it is due, else arms the timer for when the
// oldest will have waited long enough.
func (e *engine) consider() {
	w := e.s.w
	first := e.head()
	if e.busy || first == nil {
		return
	}
	due := first.arrived + w.p.BatchWait
	if e.queued() >= w.p.MaxBatch || w.now >= due-1e-9 {
		e.fire()
		return
	}
	e.timer++
	armed := e.timer
	w.at(due, func() {
		if armed == e.timer {
			e.consider()
		}
	})
}

// fire executes one static batch.
func (e *engine) fire() {
	w := e.s.w
	e.timer++
	oldest := e.head().arrived
	for len(e.running) < w.p.MaxBatch {
		r := e.head()
		if r == nil {
			break
		}
		e.pop()
		e.running = append(e.running, r)
	}
	gpu, host := e.execute(0, e.fired)
	e.s.log.batch(e, w.now-oldest, gpu+host)
}

func (e *engine) fired() {
	w := e.s.w
	batch := e.running
	e.running = nil
	for _, r := range batch {
		w.path.answer(r, endOK)
	}
	e.busy = false
	e.consider()
}
