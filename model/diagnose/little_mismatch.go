package diagnose

import (
	"fmt"
	"math"

	"benchtop/model"
)

func littleMismatch() Rule {
	least := func(c *Case) float64 { // 2 R ÷ W with R = Little ÷ X is the error at the edges
		cl := &c.S.Client
		return max(c.T.LittleShare, 2*or(cl.Mean, 0)/cl.LittleWindow)
	}
	return Rule{
		ID: "little_mismatch", Group: GroupTrust, Severity: model.SevNote,
		Title: "records do not explain what is in flight", Needs: "client stream of ten latencies' length",
		Help: "in flight differs from the sum of latencies a second (Little's law)",
		When: func(c *Case) Answer {
			cl := &c.S.Client
			if !cl.Known || !known(cl.Little, cl.LittleFlight) {
				return Missing
			}
			off := math.Abs(cl.Little - cl.LittleFlight)
			return answer(off >= 1 && off > least(c)*cl.LittleFlight)
		},
		Say: func(c *Case) (string, []model.Evidence) {
			cl := &c.S.Client
			t := fmt.Sprintf("Records explain %s of %s in flight over %s s.", num(cl.Little), num(cl.LittleFlight), whole(cl.LittleWindow))
			return t, []model.Evidence{evidence("client_in_flight", cl.LittleWindow, cl.Little, "requests", (1-least(c))*cl.LittleFlight, t)}
		},
		DoesNotProve: "which of the two is wrong: records may be missing, or latency leaves out the wait for a connection.",
		NextChange:   "none: find whether the stream drops or samples records",
		SettledBy:    "the load generator's own count at its end",
	}
}
