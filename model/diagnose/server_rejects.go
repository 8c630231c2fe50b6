package diagnose

import (
	"fmt"

	"benchtop/model"
)

func serverRejects() Rule {
	return Rule{
		ID: "server_rejects", Group: GroupLoss, Severity: model.SevMajor,
		Title: "the server rejects requests", Needs: "client stream or server log",
		Help: "requests are refused by an admission or queue limit",
		When: func(c *Case) Answer {
			if !c.S.Client.Known && !c.S.Server.Known {
				return Missing
			}
			n := c.rejects()
			if !c.S.Client.Known {
				return answer(n >= c.T.LostMin)
			}
			return answer(n >= c.T.LostMin && c.lossShare(n) >= c.T.LostShare)
		},
		Say: func(c *Case) (string, []model.Evidence) {
			s, n := &c.S.Server, c.rejects()
			t := fmt.Sprintf("%s requests were rejected in 30 s (%s of completions). The server was running %s%s.",
				whole(n), pct(c.lossShare(n)), whole(s.Running), ofB(s))
			return t, []model.Evidence{evidence("client_rejected", 30, n, "requests", c.T.LostMin, fmt.Sprintf("%s rejected (%s)", whole(n), pct(c.lossShare(n))))}
		},
		DoesNotProve: "low capacity: with a full batch rejecting is how surplus leaves.",
		NextChange:   "the admission or queue limit if the batch is not full, else the offered load",
		SettledBy:    "the server's own counts by kind",
	}
}

// restarted reports a restart in the last minute, in the middle of the run.
func restarted(c *Case) bool {
	cl, s := &c.S.Client, &c.S.Server
	return s.Restarted != 0 && c.S.At.Seconds(s.Restarted) < 60 && s.Restarted > cl.FirstEnd && cl.FirstEnd != 0
}

func serverDown() Rule {
	return Rule{
		ID: "server_down", Group: GroupLoss, Severity: model.SevInvalid, Raise: 3, Clear: 15,
		Title: "the server is gone or restarted", Needs: "client stream or server log",
		Help:   "connections are refused, or the server started again during the run",
		AtOnce: restarted,
		When: func(c *Case) Answer {
			cl, s := &c.S.Client, &c.S.Server
			if !cl.Known && !s.Known {
				return Missing
			}
			refused := cl.Refused >= 3 && cl.OKSince > 1
			return answer(restarted(c) || refused)
		},
		Say: func(c *Case) (string, []model.Evidence) {
			cl, s := &c.S.Client, &c.S.Server
			if s.Restarted != 0 && c.S.At.Seconds(s.Restarted) < 60 {
				t := fmt.Sprintf("The server started again %s s ago, during the run. Figures across that gap are not one run.", whole(c.S.At.Seconds(s.Restarted)))
				return t, []model.Evidence{evidence("server_restart", 60, c.S.At.Seconds(s.Restarted), "s", 60, t)}
			}
			t := fmt.Sprintf("The server refused %s connections in 10 s and has answered nothing for %s s.", whole(cl.Refused), whole(cl.OKSince))
			return t, []model.Evidence{evidence("client_other", 10, cl.Refused, "requests", 3, t)}
		},
		DoesNotProve: "why it went: read the last lines of its log.",
		NextChange:   "none: read the end of the server's log",
		SettledBy:    "the server's log and its process",
	}
}

func zombieWork() Rule {
	return Rule{
		ID: "zombie_work", Group: GroupLoss, Severity: model.SevMajor,
		Title: "the server works for clients that left", Needs: "client stream and server running + waiting",
		Help: "the server holds more requests than the client counts",
		When: func(c *Case) Answer {
			s := &c.S.Server
			if !c.S.Client.Known {
				return Missing
			}
			return all(answer(c.S.Client.Timeouts > 0), atLeast(s.Ratio, 1.3), given(s.Ns-s.NcAt, s.Ns >= s.NcAt+4))
		},
		Say: func(c *Case) (string, []model.Evidence) {
			s := &c.S.Server
			t := fmt.Sprintf("The server holds %s, the client %s: it still works for clients that left.", whole(s.Ns), whole(s.NcAt))
			return t, []model.Evidence{evidence("server_to_client", 65, s.Ratio, "ratio", 1.3, t)}
		},
		DoesNotProve: "whose the surplus is: another client looks the same.",
		NextChange:   "cancellation on disconnect",
		SettledBy:    "request ids in the server's log",
	}
}

func kvPressure() Rule {
	return Rule{
		ID: "kv_pressure", Group: GroupBatching, Severity: model.SevMajor, Raise: 15, Clear: 15,
		Title: "the KV cache is full", Needs: "KV cache usage, and max batch or the count of preemptions",
		Help: "the KV cache, not max batch, bounds how many run",
		When: func(c *Case) Answer {
			s := &c.S.Server
			if !s.Known {
				return Missing
			}
			if s.Static && !known(s.KV) {
				return No // whole batches at a time, and no cache between them
			}
			// Under a queue a batch limit holds running at a plateau; the cache lets
			// it vary with the requests' lengths.
			room := either(given(s.Preempted, s.Preempted > 0), answer(s.WaitKnown && !s.Full))
			if s.KnowB {
				room = given(s.Running, s.Running < c.T.FullShare*s.B)
			}
			return all(atLeast(s.KV, 0.9), c.someWait(), room)
		},
		Say: func(c *Case) (string, []model.Evidence) {
			s := &c.S.Server
			t := fmt.Sprintf("KV cache %s, %s waiting though running is %s%s", pct(s.KV), whole(s.Waiting), whole(s.Running), ofB(s))
			if known(s.Preempted) {
				t += fmt.Sprintf("; %s preemptions in 30 s", whole(s.Preempted))
			}
			t += "."
			return t, []model.Evidence{evidence("server_kv_usage", 65, s.KV, "ratio", 0.9, fmt.Sprintf("KV cache %s full", pct(s.KV)))}
		},
		DoesNotProve: "that more KV cache helps: preemptions with a full batch cost little.",
		NextChange:   "the KV memory share, or the maximum length",
		SettledBy:    "the preemption counter of the metrics endpoint",
	}
}
