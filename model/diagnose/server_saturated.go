package diagnose

import (
	"fmt"
	"math"

	"benchtop/model"
)

func serverSaturated() Rule {
	return Rule{
		ID: "server_saturated", Group: GroupBatching, Severity: model.SevMajor, Raise: 15, Clear: 15,
		Title: "the server is saturated", Needs: "server running and waiting",
		Help: "max batch is reached and requests queue",
		When: func(c *Case) Answer {
			s := &c.S.Server
			if !s.Known || s.Samples < 3 || !known(s.Running) {
				return Missing
			}
			if !s.KnowB && !s.WaitKnown {
				return Missing
			}
			if !s.Full || imbalanced(c) {
				return No
			}
			queue := s.WaitKnown && s.Waiting >= max(c.T.SaturatedWait, c.T.SaturatedWaitShare*or(s.B, s.Running))
			elsewhere := known(c.surplus()) && c.surplus() >= max(3, 0.2*c.nc())
			return answer(queue || elsewhere || c.lossShare(c.rejects()) >= c.T.LostShare && c.rejects() >= c.T.LostMin)
		},
		Say: func(c *Case) (string, []model.Evidence) {
			s := &c.S.Server
			t := fmt.Sprintf("Running %s%s, %s waiting, throughput flat at %s.", num(s.Running), ofB(s), whole(s.Waiting), flat(c))
			if !s.WaitKnown {
				t = fmt.Sprintf("Running %s%s; the client holds %s more than run (the server does not tell its queue); throughput flat at %s.",
					num(s.Running), ofB(s), whole(c.surplus()), flat(c))
			}
			ev := []model.Evidence{evidence("server_running", 65, s.Running, "requests", c.T.FullShare*s.B, fmt.Sprintf("running %s%s", num(s.Running), ofB(s)))}
			if s.WaitKnown {
				ev = append(ev, evidence("server_waiting", 65, s.Waiting, "requests", c.T.SaturatedWait, fmt.Sprintf("%s waiting", whole(s.Waiting))))
			}
			if x := c.X(); known(x) {
				ev = append(ev, evidence("client_throughput", 30, x, "1/s", math.NaN(), fmt.Sprintf("%s requests/s complete", num(x))))
			}
			return t, ev
		},
		DoesNotProve: "that a larger max batch is faster: it can be slower.",
		NextChange:   "max batch, one step",
		SettledBy:    "a sweep over batch size",
	}
}

// flat is throughput in words: requests, or tokens where nobody counts them.
func flat(c *Case) string {
	if x := c.X(); known(x) || !known(c.S.Server.GenTPS) {
		return num(x) + "/s"
	}
	return num(c.S.Server.GenTPS) + " tokens/s"
}

func queueUnbounded() Rule {
	return Rule{
		ID: "queue_unbounded", Group: GroupLoss, Severity: model.SevInvalid,
		Title: "the queue grows without end", Needs: "client stream and server running + waiting",
		Help: "arrivals exceed completions; latency depends on when you stop",
		When: func(c *Case) Answer {
			cl, s, l := &c.S.Client, &c.S.Server, &c.S.Load
			if !cl.Known || !s.Known {
				return Missing
			}
			if c.S.T < 45 || cl.Closed || c.lossShare(cl.Timeouts) >= 0.2 {
				return No
			}
			if !known(l.TrendP) {
				return Missing
			}
			if !s.Full && !(s.KnowB && s.WaitKnown && s.Waiting >= s.B/2) {
				return No
			}
			return answer(l.TrendP < c.T.GrowthP && l.TrendGrowth >= max(c.T.GrowthMin, c.T.GrowthShare*l.TrendFrom))
		},
		Say: func(c *Case) (string, []model.Evidence) {
			cl, l := &c.S.Client, &c.S.Load
			t := fmt.Sprintf("In flight grew %s/s for 60 s: arrivals %s/s exceed completions %s/s. Latency percentiles depend on when you stop.",
				num(l.TrendSlope), num(cl.Started), num(cl.X))
			return t, []model.Evidence{
				evidence("client_in_flight", 60, l.TrendGrowth, "requests", max(c.T.GrowthMin, c.T.GrowthShare*l.TrendFrom), fmt.Sprintf("in flight grew by %s in 60 s", whole(l.TrendGrowth))),
				evidence("client_sent", 30, cl.Started, "1/s", cl.X, fmt.Sprintf("%s/s arrive, %s/s complete", num(cl.Started), num(cl.X))),
			}
		},
		DoesNotProve: "a defect: any rate above capacity does this.",
		NextChange:   "the offered rate",
		SettledBy:    "a run below the rate that completes",
	}
}
