package diagnose

import (
	"fmt"
	"math"
	"strings"

	"benchtop/model"
)

// candidate is a verdict in the running.
type candidate struct {
	id, reason string
	step       int    // of the decision order
	atOnce     bool   // leads without having led: the numbers are void already
	because    string // said after the title: "214 timeouts are its consequence"
}

func (c candidate) same(o candidate) bool { return c.id == o.id && c.reason == o.reason }

// rank evaluates the decision order top down (diagnosis.md §4). The first
// entry is the candidate, the next ones the runners-up; the list always ends
// with "none".
func (j *Judge) rank(c *Case) []candidate {
	clear(j.stands)
	for i := range j.rules { // no verdict rests on what nobody sees any more
		j.stands[j.rules[i].ID] = j.counters[i].raised && !j.counters[i].missing
	}
	var out []candidate
	add := func(step int, id string) {
		if j.stands[id] {
			out = append(out, candidate{id: id, step: step})
		}
	}
	if gate, ok := j.gate(c); ok {
		out = append(out, gate)
	}
	j.rankMissing(c, add)
	add(1, "client_below_target")
	add(2, "batching_off")
	add(2, "batch_wait_ceiling")
	out = j.rankLosses(c, out)
	for _, id := range throttles {
		if j.limits(c, id) {
			add(4, id)
		}
	}
	add(5, "kv_pressure")
	add(5, "engine_imbalance")
	if j.stands["gpu_idle_gaps"] || starved(c, c.T.GapHostUtil) == Yes {
		for _, id := range hostCauses {
			add(6, id)
		}
	}
	if j.stands["unsteady"] {
		if j.stands["noisy_neighbour"] {
			add(6, "noisy_neighbour")
		}
		out = append(out, candidate{id: model.VerdictNotEnough, reason: "unsteady", step: 7})
	}
	if s := &c.S.Server; s.Full || s.WaitKnown && s.Waiting >= 1 {
		add(8, "gpu_idle_gaps")
	}
	if c.S.Server.Full {
		add(8, "low_sm_activity")
	}
	add(9, "queue_unbounded")
	add(9, "server_saturated")
	add(10, "concurrency_lt_maxbatch")
	add(10, "closed_loop_ceiling")
	if !c.S.Client.Known && len(out) == 0 {
		return []candidate{{id: model.VerdictNotEnough, reason: "client"}}
	}
	return append(out, candidate{id: model.VerdictNone, step: 11})
}

// hostCauses are why a GPU may idle though work is there, in the order in which
// they are named.
var hostCauses = []string{"mem_pressure", "cpu_quota", "debug_log", "cpu_freq", "server_cpu", "noisy_neighbour"}

var throttles = []string{"power_brake", "thermal", "power_cap", "clock_drift"}

// gate is what stops the ordinary order: the server is gone, or there is not
// enough to judge by.
func (j *Judge) gate(c *Case) (candidate, bool) {
	not := func(reason string) (candidate, bool) {
		return candidate{id: model.VerdictNotEnough, reason: reason}, true
	}
	cl := &c.S.Client
	cold := !c.S.Load.Warm
	switch {
	case c.S.Host.OOMEver > 0 && j.stands["mem_pressure"]:
		return candidate{id: "mem_pressure", atOnce: true}, true
	case j.stands["server_down"]:
		return candidate{id: "server_down", atOnce: true}, true
	case !cl.Known && (!c.S.Server.Known || c.S.Server.Samples < 3):
		return not("client")
	case !cl.Known && cold && c.S.Load.ByServer:
		return not("not_warm")
	case !cl.Known:
		return candidate{}, false // the server's side alone
	case cl.Reported != 0:
		return j.gateWhole(c)
	case cold && cl.TotalOK < c.T.MinOK && cl.TotalFailed < c.T.MinFailed:
		return not("too_few")
	case cold && j.stands["queue_unbounded"]:
		return candidate{id: "queue_unbounded", step: 9}, true
	case cold && j.stands["unsteady"] && j.stands["noisy_neighbour"]:
		return candidate{id: "noisy_neighbour", step: 6}, true
	case cold && j.stands["unsteady"]:
		return not("unsteady")
	case cold && j.mostlyLost(c):
		return candidate{}, false // nothing that fails this much ever gets warm
	case cold && c.S.Load.Settled && j.stands["server_saturated"]:
		return candidate{}, false // a full batch and a queue that stand still need no tail latency
	case cold:
		return not("not_warm")
	case j.stands["server_silent"] || !c.S.Server.Known || c.S.Server.Samples < 3:
		if j.mostlyLost(c) {
			return candidate{}, false
		}
		return not("server_log")
	}
	return candidate{}, false
}

// gateWhole is the gate of a run that is judged by its totals: whether it was
// warm or steady they can't say.
func (j *Judge) gateWhole(c *Case) (candidate, bool) {
	cl := &c.S.Client
	switch {
	case cl.TotalOK < c.T.MinOK && cl.TotalFailed < c.T.MinFailed:
		return candidate{id: model.VerdictNotEnough, reason: "too_few"}, true
	case j.mostlyLost(c) || j.stands["network"] || j.stands["server_rejects"] || j.stands["client_timeout"]:
		return candidate{}, false // the client's own counts say it
	case !c.S.Server.Known || c.S.Server.Samples < 3:
		return candidate{id: model.VerdictNotEnough, reason: "server_log"}, true
	}
	return candidate{}, false
}

// mostlyLost reports whether losses dominate the client's own records, so that
// the verdict needs nothing else.
func (j *Judge) mostlyLost(c *Case) bool {
	return j.stands["client_timeout"] && c.lossShare(c.S.Client.Timeouts) >= c.T.TimeoutDominates
}

// rankMissing is step 1: requests that the client counts and the server does not.
func (j *Judge) rankMissing(c *Case, add func(int, string)) {
	at := []string{"network", "client_cpu", "path_stuck", "client_pool", "before_server"}
	if j.stands["path_stuck"] && !churn(c) { // a gateway rather than connections not reused
		at = []string{"network", "client_cpu", "client_pool", "path_stuck", "before_server"}
	}
	missing := false
	for _, id := range at {
		missing = missing || j.stands[id]
	}
	if !missing {
		return
	}
	if j.mostlyLost(c) {
		add(1, "client_timeout")
	}
	for _, id := range at {
		if id == "network" && !j.stands["before_server"] && c.ratio() >= 0.85 {
			continue // resets without requests missing are a loss, step 3
		}
		add(1, id)
	}
}

// rankLosses is step 3.
func (j *Judge) rankLosses(c *Case, out []candidate) []candidate {
	cl := &c.S.Client
	if j.stands["network"] && cl.Reset > cl.Timeouts && cl.Reset > cl.Rejected {
		out = append(out, candidate{id: "network", step: 3})
	}
	if j.stands["server_rejects"] && !c.S.Server.Full {
		out = append(out, candidate{id: "server_rejects", step: 3})
	}
	if !j.stands["client_timeout"] {
		return out
	}
	if id, ok := j.causedBy(c); ok {
		out = append(out, candidate{id: id, step: 3, because: whole(cl.Timeouts) + " timeouts are its consequence"})
	}
	return append(out, candidate{id: "client_timeout", step: 3})
}

// causedBy names the throttle that explains the timeouts (diagnosis.md §4.2):
// raised, limiting, at least 5 % of the clock, and not begun after them.
func (j *Judge) causedBy(c *Case) (string, bool) {
	_, late := j.byID("client_timeout")
	began := late.rawSince
	if began == 0 {
		began = late.raisedAt
	}
	for _, id := range throttles {
		_, k := j.byID(id)
		if !k.raised || k.missing || !j.limits(c, id) {
			continue
		}
		since := k.rawSince
		if since == 0 {
			since = k.raisedAt
		}
		g := c.worst(func(g *model.GPUSignals) float64 { return g.Loss })
		if g != nil && g.Loss >= 0.05 && since <= began+15_000_000_000 {
			return id, true
		}
	}
	return "", false
}

// limits reports whether a raised throttle holds the run back rather than being
// merely present.
func (j *Judge) limits(c *Case, id string) bool {
	if !j.stands[id] || !c.limiting() {
		return false
	}
	f, _ := j.byID(id)
	return f.Severity >= model.SevMajor
}

// word makes the verdict of a candidate with this second's numbers.
func (j *Judge) word(c *Case, k candidate) model.Verdict {
	v := model.Verdict{Reason: k.reason, Confidence: "firm", WaitS: math.NaN()}
	switch k.id {
	case model.VerdictNone:
		v.Finding = j.nothing(c)
	case model.VerdictNotEnough:
		v.Finding = notEnough(c, k.reason)
		v.WaitS = wait(c, k.reason)
		v.Leading = j.leading(c)
	default:
		v.Finding, _ = j.byID(k.id)
		if k.because != "" {
			v.Title += "; " + k.because
		}
	}
	v.Failures = failures(c)
	if k.step >= 7 {
		v.NotSeen = j.notSeen(k.id)
		if !c.S.Load.Warm && c.S.Client.Known && k.id == "server_saturated" {
			v.NotSeen = append(v.NotSeen, "warm-up was not passed: completions and in flight stand still, tail latency had no time to")
		}
	}
	if c.S.Client.Reported != 0 && k.id != model.VerdictNotEnough {
		v.NotSeen = append(v.NotSeen, fromTotals(c.S))
		v.Finding = ofWhole(v.Finding, c.S)
	}
	if k.id != model.VerdictNotEnough && (len(v.NotSeen) > 0 || v.Suspected) {
		v.Confidence = "suspected"
	}
	if !c.S.Client.Known && k.id != model.VerdictNotEnough {
		v.Confidence = "suspected"
		v.Title = "server side only: " + v.Title
		v.NotSeen = append([]string{noClient(c)}, v.NotSeen...)
	}
	return v
}

func failures(c *Case) string {
	cl := &c.S.Client
	if !(cl.TotalFailed > 0) || !(cl.TotalDone > 0) {
		return ""
	}
	return fmt.Sprintf("%s of requests failed (%s of %s): settle client errors before talking of server throughput",
		pct(cl.TotalFailed/cl.TotalDone), whole(cl.TotalFailed), whole(cl.TotalDone))
}

func (j *Judge) nothing(c *Case) model.Finding {
	x := c.X()
	rate := flat(c)
	t := fmt.Sprintf("Throughput %s equals the offered load; nothing waits and nothing is full. Capacity is unknown.", rate)
	if s := &c.S.Server; s.Full {
		t = fmt.Sprintf("Throughput %s; running %s%s and nothing waits: the load just fills the batch. Capacity beyond it is unknown.", rate, num(s.Running), ofB(s))
	}
	if s := &c.S.Server; !s.Full && s.WaitKnown && s.Waiting >= 1 {
		t = fmt.Sprintf("Throughput %s; %s wait though running %s%s is at no limit that is known. Capacity is unknown.", rate, whole(s.Waiting), num(s.Running), ofB(s))
	}
	return model.Finding{
		ID: model.VerdictNone, Severity: model.SevNote, Title: "no bottleneck seen", Text: t,
		Evidence: []model.Evidence{
			evidence("client_throughput", 30, x, "1/s", math.NaN(), fmt.Sprintf("%s requests/s complete", num(x))),
		},
		DoesNotProve: "how much the server could do: it was not asked for more.",
		NextChange:   "raise the load one step",
		SettledBy:    "a run at a higher rate or concurrency",
	}
}

func notEnough(c *Case, reason string) model.Finding {
	cl := &c.S.Client
	f := model.Finding{ID: model.VerdictNotEnough, Severity: model.SevInvalid, DoesNotProve: "anything about the server yet.", NextChange: "none: let the run go on"}
	switch reason {
	case "client":
		f.Title = "not enough evidence: no client stream"
		f.Text = "No load generator's stream has told a request; without it requests lost before the server can't be seen."
		f.NextChange, f.SettledBy = "give the load stream with --load", "the load generator's live stream"
		if given := cl.Streams; len(given) > 0 {
			f.Title = "not enough evidence: the load stream tells no request"
			f.Text = fmt.Sprintf("%s has told no request so far; without that requests lost before the server can't be seen.", strings.Join(given[:min(len(given), 3)], ", "))
			f.NextChange = "none yet; if it stays so, look at it with benchtop probe, or let the generator tell each request (benchtop run --assist)"
		}
	case "too_few":
		f.Title = "not enough evidence: too few requests"
		f.Text = fmt.Sprintf("%s good requests so far; %s are needed.", whole(cl.TotalOK), whole(c.T.MinOK))
		f.Evidence = []model.Evidence{evidence("client_ok", c.S.T, cl.TotalOK, "count", c.T.MinOK, f.Text)}
		f.SettledBy = "more requests"
	case "not_warm":
		f.Title = "not enough evidence: not warm"
		f.Text = "Throughput has not settled yet."
		if m := c.S.Load.MovesPct; known(m) {
			f.Text = fmt.Sprintf("Throughput still moves %s %% per 40 s.", num(m))
			if m < c.T.WarmSlope*100 {
				f.Text = fmt.Sprintf("Throughput moves %s %% per 40 s; %s.", num(m), rounds(c))
			}
			f.Evidence = []model.Evidence{evidence("client_throughput", 40, m/100, "ratio", c.T.WarmSlope, f.Text)}
		}
		f.SettledBy = "two rounds of 15 s that agree"
	case "unsteady":
		f.Title = "not enough evidence: unsteady"
		f.Text = fmt.Sprintf("Throughput varies %s over 60 s; noise explains %s.", pct(c.S.Load.CV), pct(c.S.Load.CVLimit))
		f.Evidence = []model.Evidence{evidence("client_throughput", 60, c.S.Load.CV, "ratio", c.S.Load.CVLimit, f.Text)}
		f.SettledBy = "what changes from minute to minute: another job, a changing load"
	case "server_log":
		f.Title = "not enough evidence: server log"
		f.Text = "The server's side is not observed: fewer than 3 samples in 65 s."
		if known(c.S.Server.Silence) {
			f.Text = fmt.Sprintf("No server line for %s s though requests succeed.", whole(c.S.Server.Silence))
			f.Evidence = []model.Evidence{evidence("server_running", c.S.Server.Silence, 0, "samples", 3, f.Text)}
		}
		f.NextChange = "give the server's log with --log or its endpoint with --metrics"
		f.SettledBy = "the server's log or metrics"
	}
	return f
}

// wait estimates the seconds until a verdict is possible.
func wait(c *Case, reason string) float64 {
	cl := &c.S.Client
	switch reason {
	case "too_few":
		if cl.XOK > 0 {
			return math.Ceil((c.T.MinOK - cl.TotalOK) / cl.XOK)
		}
	case "not_warm":
		if cl.FirstEnd != 0 && known(cl.P50) {
			return max(0, math.Ceil(max(35, 3*cl.P50+5)-c.S.At.Seconds(cl.FirstEnd)))
		}
	}
	return math.NaN()
}

// leading is the hypothesis to show in grey while there is not enough evidence.
func (j *Judge) leading(c *Case) string {
	best, level := "", 0.5
	for i := range j.rules {
		r, k := &j.rules[i], &j.counters[i]
		if r.Severity < model.SevMajor || r.Group == GroupTrust || k.missing {
			continue
		}
		if l := k.level / or(r.Raise, j.t.RaiseS); l >= level && l > 0 {
			best, level = r.ID, l+0.01
		}
	}
	return best
}
