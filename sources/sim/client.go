package sim

import "math"

// outcome is how a request ended, spelled as the NDJSON contract does.
type outcome string

const (
	endOK        outcome = "ok"
	endRejected  outcome = "rejected"
	endTimeout   outcome = "timeout"
	endReset     outcome = "reset"
	endRefused   outcome = "refused"
	endCancelled outcome = "cancelled"
)

// request is one request on its way through everything.
type request struct {
	id     uint64
	worker int // -1: an arrival of an open loop
	begun  float64
	ended  bool // its record is written; the server may still work on it
	conn   *conn
	reused bool

	prompt, output int // tokens

	// At the server.
	arrived  float64
	answered float64 // when the reply left the server
	made     int     // tokens so far
	held     int     // KV slots
	passing  bool
	gone     bool // withdrawn: leaves at the next chance
	served   bool // has left the server
	firstTok float64
	engine   *engine
}

// client is the load generator.
type client struct {
	w             *world
	dice, lengths chance
	started       []bool // workers that run
	inFlight      int
	begun         int
	ended         int
	good          int
	maxFlight     int
	area          float64 // of inFlight over time, for the summary
	areaAt        float64
	latencies     []float64
	open          map[uint64]*request
	cpu           thread
	line          []byte
}

// begin starts the workers or the arrivals.
func (c *client) begin() {
	c.open = make(map[uint64]*request)
	c.cpu.w = c.w
	p := &c.w.p
	c.w.at(0, c.tellRun)
	if p.Mode == modeOpen {
		c.w.after(c.gap(), c.arrive)
		return
	}
	c.retune()
}

// retune starts the workers that a change of parameters added. Those above the
// number end with their request.
func (c *client) retune() {
	p := &c.w.p
	if p.Mode == modeOpen {
		return
	}
	fresh := 0
	for i := range p.Workers {
		if i >= len(c.started) {
			c.started = append(c.started, false)
		}
		if !c.started[i] {
			fresh++
		}
	}
	k := 0
	for i := range p.Workers {
		if !c.started[i] {
			c.started[i] = true
			c.w.after(p.Ramp*float64(k)/float64(fresh), func() { c.take(i) })
			k++
		}
	}
	if c.w.now > 0 {
		c.tellTarget()
	}
}

func (c *client) gap() float64 {
	if c.w.p.Poisson {
		return c.dice.ExpFloat64() / c.w.p.Rate
	}
	return 1 / c.w.p.Rate
}

func (c *client) arrive() {
	c.w.after(c.gap(), c.arrive)
	c.take(-1)
}

// take begins a worker's next request: its record starts here.
func (c *client) take(worker int) {
	if worker >= c.w.p.Workers {
		c.started[worker] = false
		return
	}
	c.tally(1)
	c.begun++
	r := &request{id: uint64(c.begun), worker: worker, begun: c.w.now, prompt: c.w.p.PromptTokens, output: c.length(), firstTok: math.NaN()}
	c.open[r.id] = r
	c.tellStart(r)
	c.w.after(c.w.p.ClientTimeout+c.dice.between(0.0001, 0.001), func() { c.timeout(r) })
	c.cpu.do(r, c.cost(c.w.p.ClientSendCPU), func() { c.w.path.dial(r) })
}

func (c *client) length() int {
	p := &c.w.p
	mean := p.OutputTokens
	if p.LongFrac > 0 && c.lengths.Float64() < p.LongFrac {
		mean *= p.LongMul
	}
	return max(1, int(math.Round(c.lengths.lognormal(mean, p.OutputCV))))
}

func (c *client) cost(mean float64) float64 {
	if mean <= 0 {
		return 0
	}
	return c.dice.around(mean, 0.1)
}

// reply is the last byte of an answer reaching the client.
func (c *client) reply(r *request, o outcome) {
	if r.ended {
		return
	}
	if o != endOK {
		c.close(r, o)
		c.w.path.release(r, true)
		return
	}
	c.cpu.do(r, c.cost(c.w.p.ClientRecvCPU), func() {
		if !r.ended {
			c.close(r, o)
			c.w.path.release(r, true)
		}
	})
}

// fail is a connection that was lost or never came to be.
func (c *client) fail(r *request, o outcome) {
	if r.ended {
		return
	}
	c.close(r, o)
	c.w.path.release(r, false)
}

func (c *client) timeout(r *request) {
	if r.ended {
		return
	}
	c.close(r, endTimeout)
	sent := r.conn != nil && r.conn.open
	c.w.path.release(r, false)
	if c.w.p.AbortOnTimeout && sent {
		c.w.after(c.w.path.oneWay(), func() { c.w.server.cancel(r) })
	}
}

// close writes the end of a record and sends the worker to its next one.
func (c *client) close(r *request, o outcome) {
	r.ended = true
	delete(c.open, r.id)
	c.tally(-1)
	c.ended++
	if o == endOK {
		c.good++
	}
	c.latencies = append(c.latencies, c.w.now-r.begun)
	c.tellEnd(r, o)
	if r.worker < 0 || o == endCancelled {
		return
	}
	switch o {
	case endRejected, endReset:
		c.w.after(c.dice.between(0.020, 0.040), func() { c.take(r.worker) })
	case endRefused:
		c.w.after(c.dice.between(0.2, 0.4), func() { c.take(r.worker) })
	default:
		c.w.after(0, func() { c.take(r.worker) })
	}
}

// end cancels what is open, in the order it began.
func (c *client) end() {
	for id := uint64(1); id <= uint64(c.begun); id++ {
		if r := c.open[id]; r != nil {
			c.close(r, endCancelled)
		}
	}
	c.tellSummary()
}

// tally changes the requests in flight.
func (c *client) tally(by int) {
	c.area += float64(c.inFlight) * (c.w.now - c.areaAt)
	c.areaAt = c.w.now
	c.inFlight += by
	c.maxFlight = max(c.maxFlight, c.inFlight)
}

// thread is one serial worker: first come, first served.
type thread struct {
	w     *world
	queue []job
	used  float64 // busy seconds of finished jobs
	since float64
	busy  bool
}

type job struct {
	r    *request
	cost float64
	then func()
}

// do runs then after cost seconds of the thread's time, at once if it is free
// of cost. Work for a record that has ended is skipped.
func (t *thread) do(r *request, cost float64, then func()) {
	if cost == 0 {
		then()
		return
	}
	t.queue = append(t.queue, job{r, cost, then})
	if !t.busy {
		t.pull()
	}
}

func (t *thread) pull() {
	for len(t.queue) > 0 {
		j := t.queue[0]
		t.queue = t.queue[1:]
		if j.r.ended {
			continue
		}
		t.busy, t.since = true, t.w.now
		t.w.after(j.cost, func() {
			t.used += t.w.now - t.since
			t.busy = false
			j.then()
			if !t.busy {
				t.pull()
			}
		})
		return
	}
}

// busySeconds is the time spent working since the start.
func (t *thread) busySeconds() float64 {
	if t.busy {
		return t.used + t.w.now - t.since
	}
	return t.used
}
