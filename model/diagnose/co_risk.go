package diagnose

import (
	"fmt"

	"benchtop/model"
)

// outran reports that the generator could not start as often as it was set to,
// with its in-flight pinned at the most it may hold.
func outran(c *Case) Answer {
	cl := &c.S.Client
	pinned := either(answer(cl.Closed), given(cl.Target, cl.InFlight >= 0.95*cl.Target))
	return all(given(cl.Rate, cl.Rate > 0 && cl.Started < c.T.RateShare*cl.Rate), pinned)
}

// longTail reports a closed loop in which one request held a worker for many
// ordinary ones: the arrivals it displaced were never measured.
func longTail(c *Case) Answer {
	cl := &c.S.Client
	closed := answer(cl.Closed)
	if !cl.ClosedKnown {
		closed = Missing
	}
	return all(closed, given(cl.Max/cl.P50, cl.Max > c.T.TailRatio*cl.P50))
}

func coRisk() Rule {
	return Rule{
		ID: "co_risk", Group: GroupTrust, Severity: model.SevNote,
		Title: "the load generator waited with the server", Needs: "client stream",
		Help: "coordinated omission: a closed loop does not measure what it held back",
		When: func(c *Case) Answer {
			if !c.S.Client.Known {
				return Missing
			}
			a := longTail(c)
			if b := outran(c); b == Yes || a != Missing { // a rate nobody set settles nothing and asks nothing
				a = either(a, answer(b == Yes))
			}
			return a
		},
		Say: func(c *Case) (string, []model.Evidence) {
			cl := &c.S.Client
			t := fmt.Sprintf("The longest request took %s, the median %s", span(cl.Max), span(cl.P50))
			ev := evidence("client_latency", c.S.T, cl.Max, "s", c.T.TailRatio*cl.P50, t)
			if outran(c) == Yes {
				t = fmt.Sprintf("The generator started %s/s of the %s/s it was set to", num(cl.Started), num(cl.Rate))
				ev = evidence("client_sent", 30, cl.Started, "1/s", c.T.RateShare*cl.Rate, t)
			}
			return t + "; the generator waited with the server: latency tails are a lower bound.", []model.Evidence{ev}
		},
		DoesNotProve: "how long the tail is for arrivals that do not wait.",
		NextChange:   "none; or an open loop at this rate",
		SettledBy:    "a run at a fixed arrival rate, timed from the intended start",
	}
}
