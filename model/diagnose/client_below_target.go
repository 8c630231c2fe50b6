package diagnose

import (
	"fmt"

	"benchtop/model"
)

func clientBelowTarget() Rule {
	return Rule{
		ID: "client_below_target", Group: GroupClient, Severity: model.SevMajor, Raise: 15, Clear: 15,
		Title: "the client stays below its target", Needs: "the client's target concurrency and the server's running + waiting",
		Help: "the client never reaches the concurrency it was told",
		When: func(c *Case) Answer {
			cl, s := &c.S.Client, &c.S.Server
			if !cl.Known {
				return Missing
			}
			below := given(cl.Target-cl.InFlight, cl.InFlight <= c.T.TargetShare*cl.Target)
			if !known(cl.Target) && cl.ClosedKnown && !cl.Closed {
				below = No // arrivals by schedule hold no number in flight
			}
			return all(below, atLeast(s.Ratio, c.T.MissingRatio), c.quiet(), answer(!s.Full), answer(c.lossShare(cl.Rejected+cl.Reset) < 0.05))
		},
		Say: func(c *Case) (string, []model.Evidence) {
			cl, s := &c.S.Client, &c.S.Server
			t := fmt.Sprintf("The client was asked for %s in flight and holds %s; the server takes all it gets (%s there, %s waiting).",
				whole(cl.Target), whole(cl.InFlight), whole(s.Ns), whole(s.Waiting))
			found := append([]model.Evidence{evidence("client_in_flight", 30, cl.InFlight, "requests", c.T.TargetShare*cl.Target, t)}, itsOwn(c)...)
			if own := itself(c); own != "" {
				t += " " + own
			}
			return t, found
		},
		DoesNotProve: "why: a pool whose clock starts after connecting, an interpreter lock, a rate limit or a think time look the same.",
		NextChange:   "the client's connections or its workers, one of them",
		SettledBy:    "sockets, the busiest client thread, the same load from two processes",
	}
}

func concurrencyBelowBatch() Rule {
	return Rule{
		ID: "concurrency_lt_maxbatch", Group: GroupClient, Severity: model.SevMajor, Raise: 15, Clear: 15,
		Title: "the batch can never fill at this concurrency", Needs: "the server's max batch",
		Help: "fewer requests are in flight than a batch could hold",
		When: func(c *Case) Answer {
			cl, s := &c.S.Client, &c.S.Server
			if !cl.Known || !s.Known {
				return Missing
			}
			quiet := c.quiet()
			if s.Static {
				quiet = Yes
			}
			return all(c.closed(), answer(!(s.KV >= 0.9)), atLeast(s.Ratio, c.T.MissingRatio), quiet,
				given(s.B-s.NcAt, s.NcAt <= 0.85*s.B), given(s.B-s.Running, s.Running <= 0.85*s.B))
		},
		Say: func(c *Case) (string, []model.Evidence) {
			s := &c.S.Server
			t := fmt.Sprintf("Only %s requests are in flight; max batch is %s, so a batch can hold at most %s.", whole(s.NcAt), whole(s.B), whole(s.NcAt))
			return t, []model.Evidence{evidence("client_in_flight", 65, s.NcAt, "requests", 0.85*s.B, t)}
		},
		DoesNotProve: "that more concurrency helps much, or that batch size does not matter.",
		NextChange:   "the client's concurrency",
		SettledBy:    "one run at twice the concurrency",
	}
}

func closedLoopCeiling() Rule {
	return Rule{
		ID: "closed_loop_ceiling", Group: GroupClient, Severity: model.SevMinor, Raise: 15, Clear: 15,
		Title: "a closed loop sets its own ceiling", Needs: "client stream and server running + waiting",
		Help: "throughput equals in-flight ÷ latency; nothing shows the server's limit",
		When: func(c *Case) Answer {
			cl, s := &c.S.Client, &c.S.Server
			if !cl.Known || !s.Known {
				return Missing
			}
			return all(answer(!s.KnowB), c.closed(), atLeast(s.Ratio, c.T.MissingRatio), c.quiet())
		},
		Say: func(c *Case) (string, []model.Evidence) {
			cl := &c.S.Client
			t := fmt.Sprintf("A closed loop of %s can't exceed %s ÷ %s = %s/s; nothing here shows the server's limit.",
				whole(cl.InFlight), whole(cl.InFlight), span(cl.Mean), num(cl.X))
			return t, []model.Evidence{evidence("client_in_flight", 30, cl.InFlight, "requests", 0, t)}
		},
		DoesNotProve: "that the server is saturated.",
		NextChange:   "the client's concurrency",
		SettledBy:    "the server's max batch (--max-batch), or a run at twice the concurrency",
	}
}
