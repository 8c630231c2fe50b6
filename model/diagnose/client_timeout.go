package diagnose

import (
	"fmt"

	"benchtop/model"
)

func clientTimeout() Rule {
	return Rule{
		ID: "client_timeout", Group: GroupLoss, Severity: model.SevMajor,
		Title: "requests are lost to the client's timeout", Needs: "client stream",
		Help: "the client's timeout is shorter than the server's latency",
		When: func(c *Case) Answer {
			if !c.S.Client.Known {
				return Missing
			}
			n := c.S.Client.Timeouts
			return answer(n >= c.T.LostMin && c.lossShare(n) >= c.T.LostShare)
		},
		Grade: func(c *Case) model.Severity {
			if c.lossShare(c.S.Client.Timeouts) > c.T.LostInvalid {
				return model.SevInvalid
			}
			return model.SevMajor
		},
		Say: func(c *Case) (string, []model.Evidence) {
			cl := &c.S.Client
			p := c.lossShare(cl.Timeouts)
			t := fmt.Sprintf("%s requests (%s) ended at %s, the client's timeout", whole(cl.Timeouts), pct(p), span(cl.TimeoutAt))
			if known(cl.OKP50) {
				t += fmt.Sprintf("; successful ones took P50 %s, P95 %s", span(cl.OKP50), span(cl.OKP95))
			}
			if x := c.S.Server.X; known(x) && x > 0 {
				t += fmt.Sprintf("; the server completed %s/s, the client counts %s/s", num(x), num(cl.XOK))
			}
			return t + ".", []model.Evidence{
				evidence("client_timeout", 30, cl.Timeouts, "requests", c.T.LostMin, fmt.Sprintf("%s timeouts in 30 s (%s)", whole(cl.Timeouts), pct(p))),
				evidence("client_timeout_latency", 30, cl.TimeoutAt, "s", cl.Timeout, fmt.Sprintf("they end at %s", span(cl.TimeoutAt))),
			}
		},
		DoesNotProve: "that the server is slow: the timeout may be too short, the batch wait too long, or the clock low.",
		NextChange:   "the client's request timeout, once, to find the true latency",
		SettledBy:    "latency measured at the server",
	}
}

func timeoutNear() Rule {
	return Rule{
		ID: "timeout_near", Group: GroupLoss, Severity: model.SevNote,
		Title: "latency is close to the client's timeout", Needs: "the client's timeout",
		Help: "P95 is at 80 % of the client's timeout or more",
		When: func(c *Case) Answer {
			cl := &c.S.Client
			if !cl.Known || !known(cl.Timeout) {
				return Missing
			}
			return answer(known(cl.OKP95) && cl.OK >= model.MinP95 && cl.OKP95 >= 0.8*cl.Timeout)
		},
		Say: func(c *Case) (string, []model.Evidence) {
			cl := &c.S.Client
			t := fmt.Sprintf("P95 %s is %s of the timeout %s; a little more load turns into timeouts.", span(cl.OKP95), pct(cl.OKP95/cl.Timeout), span(cl.Timeout))
			return t, []model.Evidence{evidence("client_latency_p95", 30, cl.OKP95, "s", 0.8*cl.Timeout, t)}
		},
		DoesNotProve: "that any request was lost.",
		NextChange:   "none; or the client's request timeout",
		SettledBy:    "a run with a longer timeout",
	}
}

func countsFailures() Rule {
	return Rule{
		ID: "qps_counts_failures", Group: GroupLoss, Severity: model.SevNote,
		Title: "the request rate counts failures", Needs: "client stream",
		Help: "a tenth or more of the completions are failures",
		When: func(c *Case) Answer {
			cl := &c.S.Client
			if !cl.Known {
				return Missing
			}
			return answer(cl.Done >= 30 && cl.Done-cl.OK >= 0.1*cl.Done)
		},
		Grade: func(c *Case) model.Severity {
			if c.S.Client.OK < 0.5*c.S.Client.Done {
				return model.SevInvalid
			}
			return model.SevNote
		},
		Say: func(c *Case) (string, []model.Evidence) {
			cl := &c.S.Client
			t := fmt.Sprintf("%s/s counts failures; successful is %s/s.", num(cl.X), num(cl.XOK))
			return t, []model.Evidence{evidence("client_failed_share", 30, 1-cl.OK/cl.Done, "ratio", 0.1, t)}
		},
		DoesNotProve: "anything about capacity.",
		NextChange:   "none: read the successful rate",
		SettledBy:    "the counts by kind",
	}
}
