package panel

import (
	"fmt"
	"math"

	"benchtop/model"
	"benchtop/themes"
	"benchtop/ui/draw"
)

// crossChecks are the laws that figures of one run must keep, the clean time,
// and how throughput followed the clock: what a reader checks a verdict by.
func crossChecks(s *model.Snapshot, w int) []line {
	var out []line
	say := func(label, text string) {
		if text == "" {
			return
		}
		for i, t := range draw.Wrap(draw.Sanitize(text), w-11) {
			lead := fmt.Sprintf("%-11s", label)
			if i > 0 {
				lead = fmt.Sprintf("%-11s", "")
			}
			out = append(out, line{{lead, themes.Dim, false}, {t, themes.Text, false}})
		}
	}
	if v := &s.Clean; v.Known {
		text := fmt.Sprintf("%.0f of %.0f measured seconds", v.Clean.Seconds, v.Measured.Seconds)
		if x := v.Clean.XOK; !math.IsNaN(x) {
			text += fmt.Sprintf(": %s good/s, p95 %s; the whole run: %s good/s, p95 %s", draw.Small(x), draw.Latency(v.Clean.Latency.P95), draw.Small(v.All.XOK), draw.Latency(v.All.Latency.P95))
		}
		say("clean", text)
		for _, c := range v.Causes {
			say("  left out", fmt.Sprintf("%.0f s, %s: %s", c.Seconds, c.Cause.Words(), c.Text))
		}
	}
	if s.Signals != nil {
		l := &s.Signals.Laws
		if l.Residence > 0 && !math.IsNaN(l.Outside) {
			text := fmt.Sprintf("a request takes %s, of that %s at the server (Ns ÷ X) and %s outside", draw.Latency(s.Signals.Client.Mean), draw.Latency(l.Residence), draw.Latency(max(0, l.Outside)))
			say("residence", text)
			say("", "server "+parts(l.Residence, max(0, l.Outside), 20)+" outside")
		}
		if l.Ceiling > 0 {
			say("ceiling", fmt.Sprintf("%s/s at this batch size, were the GPU busy all the time (X ÷ %s)", draw.Small(l.Ceiling), draw.Percent(l.Busy)))
		}
		if k := &s.Signals.Client; k.LittleWindow > 0 {
			say("Little", fmt.Sprintf("latencies explain %s of %s in flight over %.0f s", draw.Small(k.Little), draw.Small(k.LittleFlight), k.LittleWindow))
		}
	}
	say("clock", s.Ledger.Clock.Line())
	say("chain", s.Ledger.Clock.Draw())
	if len(out) > 0 {
		out = append(out, nil)
	}
	return out
}

// parts is a bar of n cells: the server's part full, the rest light.
func parts(a, b float64, n int) string {
	if !(a+b > 0) {
		return ""
	}
	k := int(math.Round(a / (a + b) * float64(n)))
	out := make([]rune, n)
	for i := range out {
		out[i] = '░'
		if i < k {
			out[i] = '█'
		}
	}
	return string(out)
}

// askedLines are the answer to the run's goal, and what moved with throughput.
func askedLines(s *model.Snapshot, w int) []line {
	var out []line
	say := func(label, text string, role themes.Role) {
		for i, t := range draw.Wrap(draw.Sanitize(text), w-9) {
			lead := fmt.Sprintf("%-9s", label)
			if i > 0 {
				lead = fmt.Sprintf("%-9s", "")
			}
			out = append(out, line{{lead, themes.Dim, false}, {t, role, false}})
		}
	}
	if g := &s.Goal; g.Line != "" {
		say("goal", g.Line, themes.Text)
		for _, n := range g.Notes {
			say("", n, themes.Dim)
		}
	}
	if text := s.Ledger.Line(); text != "" {
		say("moved", text, themes.Text)
	}
	return out
}
