package sim

import "math"

// machine is the host that client and server run on.
type machine struct {
	w    *world
	dice chance

	clientUsed, serverUsed float64 // seconds, up to the last second
	ended                  int
	periods, throttled     int
	owed                   float64 // throttled periods not yet whole
	oomKills               int
}

// What a request costs the client, and what every process uses anyway.
const (
	clientIdle    = 0.01
	clientPerDone = 0.0004
	serverIdle    = 0.12
	periodsASec   = 10
	otherShare    = 0.03
)

// noisy says whether the neighbour works now.
func (h *machine) noisy() bool {
	p := &h.w.p
	if p.NoisyShare <= 0 || h.w.now < p.NoisyFrom {
		return false
	}
	if p.NoisyPeriod <= 0 {
		return true
	}
	return math.Mod(h.w.now-p.NoisyFrom, p.NoisyPeriod) < p.NoisyDuty*p.NoisyPeriod
}

func (h *machine) pressed() bool {
	p := &h.w.p
	return p.MemPSI > 0 && h.w.now >= p.MemFrom
}

func (h *machine) slowClock() bool {
	p := &h.w.p
	return p.CPUFreqFrac < 1 && h.w.now >= p.CPUFreqDropAt
}

// slowdown is the factor on the host's part of a step.
func (h *machine) slowdown() float64 {
	p := &h.w.p
	f := 1.0
	if p.DebugLog {
		f *= p.DebugHostMul
	}
	if p.QuotaThrottled > 0 {
		f *= p.QuotaHostMul
	}
	if h.slowClock() {
		f /= p.CPUFreqFrac
	}
	if h.noisy() {
		f *= p.NoisyHostMul
	}
	if h.pressed() {
		f *= p.MemHostMul
	}
	return f
}

// hostSample is one poll of the host.
type hostSample struct {
	ClientThread, ServerThread, OtherShare float64 // cores, cores, share
	CPUMHz                                 float64
	Established, Connecting, AcceptQueue   int
	Opened, Segs, Retrans                  int // ever
	QuotaPeriods, QuotaThrottled           int // ever
	MemPSI, CPUPSI                         float64
	OOMKills                               int // ever
	MemAvailableMiB                        float64
}

// second moves the counters and reports, once a second.
func (h *machine) second(k int) {
	p, n := &h.w.p, &h.w.path
	s := hostSample{
		ClientThread: h.clientThread(), ServerThread: h.serverThread(), OtherShare: h.dice.around(otherShare, 0.3),
		CPUMHz:      p.CPUMHz * (1 + 0.004*h.dice.NormFloat64()),
		Established: n.established, Connecting: n.connecting, AcceptQueue: n.accepting,
		Opened: n.opened, Segs: n.sent, Retrans: n.again,
		CPUPSI: 0.01, MemAvailableMiB: h.dice.around(96000, 0.002),
	}
	if h.slowClock() {
		s.CPUMHz *= p.CPUFreqFrac
	}
	if h.noisy() {
		s.OtherShare = min(1, h.dice.around(p.NoisyShare, 0.05))
		s.CPUPSI = 0.3
	}
	if h.pressed() {
		s.MemPSI = h.dice.around(p.MemPSI, 0.1)
		s.MemAvailableMiB = h.dice.around(400, 0.3)
		if p.MemOOMAfter > 0 && h.oomKills == 0 && h.w.now >= p.MemFrom+p.MemOOMAfter {
			h.oomKills++
		}
	}
	if k > 0 {
		h.periods += periodsASec
		h.owed += min(1, h.dice.around(p.QuotaThrottled, 0.1)) * periodsASec
		whole := int(h.owed)
		h.owed -= float64(whole)
		h.throttled += whole
	}
	s.QuotaPeriods, s.QuotaThrottled, s.OOMKills = h.periods, h.throttled, h.oomKills
	if p.HaveHost {
		h.w.tell.host(h.w.instant(), &s)
	}
}

// clientThread is the load generator's busiest thread over the last second.
func (h *machine) clientThread() float64 {
	c := &h.w.client
	used := c.cpu.busySeconds()
	cores := (used - h.clientUsed) / hostEvery
	cores += clientIdle + clientPerDone*float64(c.ended-h.ended)/hostEvery
	h.clientUsed, h.ended = used, c.ended
	return min(1, cores)
}

// serverThread is the server's busiest thread over the last second.
func (h *machine) serverThread() float64 {
	used := 0.0
	for _, e := range h.w.server.engines {
		used = max(used, e.hostUsed)
	}
	cores := max(0, used-h.serverUsed)/hostEvery + serverIdle
	h.serverUsed = used
	switch {
	case h.w.server.down:
		return 0
	case h.w.p.ServerThread > 0:
		return min(1, h.w.p.ServerThread*h.dice.between(0.98, 1.0))
	}
	return min(0.9, cores)
}
