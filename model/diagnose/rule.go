package diagnose

import (
	"fmt"
	"math"
	"strings"

	"benchtop/model"
)

// Answer is what a rule says of one second.
type Answer uint8

// The answers of a rule.
const (
	No Answer = iota
	Yes
	Missing // an input is not there
)

// Group is the part of the decision order a finding belongs to.
type Group uint8

// The groups, in the order in which they are judged.
const (
	GroupClient Group = iota
	GroupBatching
	GroupLoss
	GroupGPU
	GroupHost
	GroupTrust
)

// Rule is one finding: its condition and its words. Rules keep nothing between
// seconds.
type Rule struct {
	ID           string
	Group        Group
	Severity     model.Severity
	Raise, Clear float64 // seconds; 0 takes the thresholds' defaults
	Title        string  // a few words
	Help         string  // one line for lists
	Needs        string  // sources its condition reads, for "unknown: needs …"

	When func(c *Case) Answer
	// AtOnce raises it in the same second, whatever its counter says; may be nil.
	AtOnce func(c *Case) bool
	Say    func(c *Case) (text string, evidence []model.Evidence)
	// Grade overrides Severity where it depends on the numbers; may be nil.
	Grade func(c *Case) model.Severity

	DoesNotProve string
	NextChange   string
	SettledBy    string
}

// Case is one second before the rules.
type Case struct {
	S      *model.Signals
	T      *model.Thresholds
	raised map[string]bool
}

// Raised reports whether a finding earlier in the registry stands.
func (c *Case) Raised(id string) bool { return c.raised[id] }

func known(v ...float64) bool {
	for _, x := range v {
		if math.IsNaN(x) {
			return false
		}
	}
	return true
}

func answer(ok bool) Answer {
	if ok {
		return Yes
	}
	return No
}

// all is Yes if every clause holds and No as soon as one is known not to,
// whatever else is missing: a question that other inputs settle is not open.
func all(clauses ...Answer) Answer {
	a := Yes
	for _, x := range clauses {
		switch x {
		case No:
			return No
		case Missing:
			a = Missing
		case Yes:
		}
	}
	return a
}

// either is Yes as soon as one clause holds and No if all are known not to.
func either(clauses ...Answer) Answer {
	a := No
	for _, x := range clauses {
		switch x {
		case Yes:
			return Yes
		case Missing:
			a = Missing
		case No:
		}
	}
	return a
}

// given is a clause on a number that may be missing.
func given(v float64, ok bool) Answer {
	if !known(v) {
		return Missing
	}
	return answer(ok)
}

func atLeast(v, least float64) Answer { return given(v, v >= least) }

// nc is client in-flight at the server's samples; without a client stream the
// server's own count stands in for it (diagnosis.md §4.6).
func (c *Case) nc() float64 {
	if !c.S.Client.Known {
		return c.S.Server.Ns
	}
	if known(c.S.Server.NcAt) {
		return c.S.Server.NcAt
	}
	return c.S.Client.InFlight
}

// ratio is server ÷ client in-flight; clauses on it are dropped (1) without a
// client stream.
func (c *Case) ratio() float64 {
	if !c.S.Client.Known {
		return 1
	}
	return c.S.Server.Ratio
}

// surplus is what the client counts beyond what runs and waits at the server;
// with an unknown queue, beyond what runs.
func (c *Case) surplus() float64 {
	if !c.S.Client.Known {
		return math.NaN()
	}
	if known(c.S.Server.Gap) {
		return c.S.Server.Gap
	}
	return c.S.Client.InFlight - c.S.Server.Running
}

// lossShare is n as a share of the window's completions.
func (c *Case) lossShare(n float64) float64 {
	if c.S.Client.Done <= 0 {
		return 0
	}
	return n / c.S.Client.Done
}

// rejects counts refusals by the client's records, or by the server's log
// where the client tells nothing.
func (c *Case) rejects() float64 {
	if c.S.Client.Known {
		return c.S.Client.Rejected
	}
	n := 0.0
	for _, v := range []float64{c.S.Server.Rejected, c.S.Server.QueueFull, c.S.Server.Dropped} {
		if known(v) {
			n += v
		}
	}
	return n
}

// X is completions a second: the client's, or the server's own count.
func (c *Case) X() float64 {
	if c.S.Client.Known {
		return c.S.Client.X
	}
	return c.S.Server.X
}

// worst is the GPU with the greatest value of f, nil without any.
func (c *Case) worst(f func(*model.GPUSignals) float64) *model.GPUSignals {
	var best *model.GPUSignals
	for i := range c.S.GPUs {
		g := &c.S.GPUs[i]
		if v := f(g); !g.Other && known(v) && (best == nil || v > f(best)) {
			best = g
		}
	}
	return best
}

// quiet is whether next to nobody waits at the server.
func (c *Case) quiet() Answer {
	if !c.S.Server.WaitKnown {
		return Missing
	}
	return answer(c.S.Server.Quiet)
}

// someWait is whether at least one request waits at the server.
func (c *Case) someWait() Answer {
	if !c.S.Server.WaitKnown {
		return Missing
	}
	return answer(c.S.Server.Waiting >= 1)
}

// closed is whether the client waits for replies before it asks again.
func (c *Case) closed() Answer {
	if !c.S.Client.ClosedKnown {
		return Missing
	}
	return answer(c.S.Client.Closed)
}

// limiting reports whether the server is what the run waits for, so that a
// slow clock can be the cause (diagnosis.md §4.3).
func (c *Case) limiting() bool {
	s := &c.S.Server
	return c.S.Client.Closed && c.ratio() >= c.T.MissingRatio || s.Full || s.WaitKnown && s.Waiting >= 1 ||
		c.Raised("queue_unbounded") || c.S.Client.Timeouts >= c.T.LostMin
}

// sentence gives a clause its capital and its full stop.
func sentence(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:] + "."
}

// num prints a number for a sentence: three digits, no exponent.
func num(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v):
		return "–"
	case a >= 100 || a == math.Trunc(a):
		return fmt.Sprintf("%.0f", v)
	case a >= 10:
		return fmt.Sprintf("%.1f", v)
	case a >= 0.1:
		return fmt.Sprintf("%.2f", v)
	default:
		return fmt.Sprintf("%.3g", v)
	}
}

// whole prints a count, rounded.
func whole(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return fmt.Sprintf("%.0f", v)
}

// pct prints a share as percent.
func pct(v float64) string {
	if math.IsNaN(v) {
		return "– %"
	}
	if p := v * 100; p > 0 && p < 10 {
		return fmt.Sprintf("%.1f %%", p)
	}
	return fmt.Sprintf("%.0f %%", v*100)
}

// span prints a duration given in seconds.
func span(v float64) string {
	switch {
	case math.IsNaN(v):
		return "–"
	case v < 0.001:
		return fmt.Sprintf("%.0f µs", v*1e6)
	case v < 1:
		return fmt.Sprintf("%.0f ms", v*1e3)
	case v < 100:
		return fmt.Sprintf("%.2g s", v)
	default:
		return fmt.Sprintf("%.0f s", v)
	}
}

func mhz(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return fmt.Sprintf("%.0f", v/1e6)
}

func evidence(series string, window, value float64, unit string, threshold float64, text string) model.Evidence {
	return model.Evidence{Series: series, WindowS: window, Value: value, Unit: unit, Threshold: threshold, Text: text}
}
