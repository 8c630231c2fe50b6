package diagnose

import (
	"fmt"

	"benchtop/model"
)

func bimodal() Rule {
	return Rule{
		ID: "bimodal", Group: GroupTrust, Severity: model.SevNote,
		Title: "latencies fall into two groups", Needs: "client stream",
		Help: "two peaks with a valley between: one percentile does not describe both",
		When: func(c *Case) Answer {
			g := &c.S.Client.Groups
			if !c.S.Client.Known || !g.Known {
				return Missing
			}
			return answer(g.Two)
		},
		Say: func(c *Case) (string, []model.Evidence) {
			g := &c.S.Client.Groups
			where := "falls in the upper group"
			switch {
			case g.InValley:
				where = "falls in the valley: it jumps between them"
			case g.P99 < g.Valley:
				where = "falls in the lower group"
			}
			t := fmt.Sprintf("Two groups at %s and %s (%s of the requests); P99 %s %s.", span(g.Low), span(g.High), pct(g.Above), span(g.P99), where)
			if c.S.Client.TotalOK < model.MinP99 {
				t = fmt.Sprintf("Two groups at %s and %s (%s of the requests).", span(g.Low), span(g.High), pct(g.Above))
			}
			return t, []model.Evidence{
				evidence("client_latency", 60, g.Low, "s", g.Valley, fmt.Sprintf("lower group at %s", span(g.Low))),
				evidence("client_latency", 60, g.High, "s", g.Valley, fmt.Sprintf("upper group at %s, %s of the requests", span(g.High), pct(g.Above))),
			}
		},
		DoesNotProve: "why: long and short outputs, a second wave in the queue and retransmits look the same.",
		NextChange:   "none: judge the two groups apart",
		SettledBy:    "output tokens beside latency",
	}
}
