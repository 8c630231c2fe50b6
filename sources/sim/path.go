package sim

// conn is one connection from the client to the server or its gateway.
type conn struct {
	open   bool // established
	closed bool
}

// path is everything between the load generator and the server: the client's
// pool, connecting, the network, a gateway.
type path struct {
	w        *world
	dice     chance
	idle     []*conn
	total    int // connections that count against the pool
	waiters  []*request
	accepted float64 // when the accept queue is free
	gate     []*request
	passing  int // requests the gateway has let through

	established, connecting, accepting, opened int
	sent, again                                int // segments
}

// segmentsAMessage is how many segments a message is cut into.
const segmentsAMessage = 4

// Retransmission delays of a lost segment, and of its copy.
const (
	lostOnce  = 0.2
	lostTwice = 0.4
)

func (n *path) oneWay() float64 { return n.dice.around(n.w.p.RTT/2, 0.2) }

// travel is one message's time on the wire.
func (n *path) travel() float64 {
	d := n.oneWay()
	n.sent += segmentsAMessage
	if n.w.p.LossP == 0 {
		return d
	}
	for range segmentsAMessage {
		for _, wait := range [...]float64{lostOnce, lostTwice} {
			if n.dice.Float64() >= n.w.p.LossP {
				break
			}
			n.again++
			n.sent++
			d += wait
		}
	}
	return d
}

// dial finds a connection for a request, or makes it wait for one.
func (n *path) dial(r *request) {
	if r.ended {
		return
	}
	if k := len(n.idle); k > 0 {
		r.conn, n.idle = n.idle[k-1], n.idle[:k-1]
		r.reused = true
		n.send(r)
		return
	}
	if n.w.p.Pool > 0 && n.total >= n.w.p.Pool {
		n.waiters = append(n.waiters, r)
		return
	}
	n.connect(r)
}

func (n *path) connect(r *request) {
	c := &conn{}
	r.conn = c
	n.total++
	n.opened++
	n.connecting++
	n.sent++
	n.w.after(n.dice.around(n.w.p.Connect, 0.2), func() {
		n.connecting--
		if c.closed {
			return
		}
		if n.w.server.down {
			n.w.client.fail(r, endRefused)
			return
		}
		c.open = true
		n.established++
		if n.w.p.Accept == 0 {
			n.send(r)
			return
		}
		n.accepting++
		n.accepted = max(n.accepted, n.w.now) + n.w.p.Accept
		n.w.at(n.accepted, func() {
			n.accepting--
			n.send(r)
		})
	})
}

// send puts a request on the wire.
func (n *path) send(r *request) {
	if r.ended {
		return
	}
	n.w.after(n.travel(), func() { n.reach(r) })
}

// reach is a request's arrival at the gateway, or at the server without one.
func (n *path) reach(r *request) {
	if r.ended && n.w.p.AbortOnTimeout {
		return
	}
	if n.w.p.GatewayLimit > 0 && n.passing >= n.w.p.GatewayLimit {
		n.gate = append(n.gate, r)
		return
	}
	n.pass(r)
}

func (n *path) pass(r *request) {
	n.passing++
	r.passing = true
	switch {
	case n.w.server.down, n.w.p.ResetP > 0 && n.dice.Float64() < n.w.p.ResetP:
		n.cut(r)
	default:
		n.w.server.accept(r)
	}
}

// cut resets a request's connection from the server's side.
func (n *path) cut(r *request) {
	n.left(r)
	n.w.after(n.oneWay(), func() { n.w.client.fail(r, endReset) })
}

// answer sends a reply back to the client.
func (n *path) answer(r *request, o outcome) {
	n.left(r)
	r.answered = n.w.now
	if r.ended {
		return // nobody waits for it any more
	}
	n.w.after(n.travel(), func() { n.w.client.reply(r, o) })
}

// left frees a request's place at the gateway for the next one.
func (n *path) left(r *request) {
	r.served = true
	if !r.passing {
		return
	}
	r.passing = false
	n.passing--
	for len(n.gate) > 0 && (n.w.p.GatewayLimit == 0 || n.passing < n.w.p.GatewayLimit) {
		next := n.gate[0]
		n.gate = n.gate[1:]
		if !next.gone {
			n.pass(next)
		}
	}
}

// release gives a request's connection back, or throws it away, and serves
// whoever waits for one.
func (n *path) release(r *request, whole bool) {
	c := r.conn
	r.conn = nil
	if c != nil {
		over := n.w.p.Pool > 0 && n.total > n.w.p.Pool
		if whole && n.w.p.KeepAlive && !over && !c.closed && !n.w.server.down {
			n.idle = append(n.idle, c)
		} else {
			n.drop(c)
		}
	}
	n.serve()
}

func (n *path) drop(c *conn) {
	if c.closed {
		return
	}
	c.closed = true
	n.total--
	if c.open {
		n.established--
	}
}

// serve hands free connections to those who wait, first come first served.
func (n *path) serve() {
	for len(n.waiters) > 0 {
		if len(n.idle) == 0 && n.w.p.Pool > 0 && n.total >= n.w.p.Pool {
			return
		}
		r := n.waiters[0]
		n.waiters = n.waiters[1:]
		n.dial(r)
	}
}

// retune fits the pool and the gateway to changed limits.
func (n *path) retune() {
	for k := len(n.idle); k > 0 && n.w.p.Pool > 0 && n.total > n.w.p.Pool; k = len(n.idle) {
		n.drop(n.idle[k-1])
		n.idle = n.idle[:k-1]
	}
	n.serve()
}

// reset closes everything, as a server that is killed does.
func (n *path) reset() {
	for _, c := range n.idle {
		n.drop(c)
	}
	n.idle = nil
	gate := n.gate
	n.gate = nil
	for _, r := range gate {
		n.w.after(n.oneWay(), func() { n.w.client.fail(r, endReset) })
	}
}
