package diagnose

import (
	"fmt"
	"math"

	"benchtop/model"
)

func serverSilent() Rule {
	return Rule{
		ID: "server_silent", Group: GroupTrust, Severity: model.SevInvalid, Raise: 3, Clear: 15,
		Title: "the server's log fell silent", Needs: "client stream",
		Help: "no server line though requests succeed",
		When: func(c *Case) Answer {
			s, cl := &c.S.Server, &c.S.Client
			if !cl.Known {
				return Missing
			}
			if !s.Known {
				return No // nobody gave a server source: said elsewhere
			}
			limit := max(30, 3*or(s.Interval, 0))
			return answer(known(s.Silence) && s.Silence > limit && cl.OK >= 3)
		},
		Say: func(c *Case) (string, []model.Evidence) {
			s, cl := &c.S.Server, &c.S.Client
			t := fmt.Sprintf("No server line for %s s though %s requests succeeded in 30 s.", whole(s.Silence), whole(cl.OK))
			return t, []model.Evidence{evidence("server_running", s.Silence, 0, "samples", 1, t)}
		},
		DoesNotProve: "that the server hangs: a log level or a rotated file looks the same.",
		NextChange:   "none: look at the log's level and place",
		SettledBy:    "the server's metrics endpoint",
	}
}

func clientSilent() Rule {
	return Rule{
		ID: "client_silent", Group: GroupTrust, Severity: model.SevInvalid, Raise: 3, Clear: 15,
		Title: "the load stream fell silent", Needs: "client stream",
		Help: "no record though there was traffic before",
		When: func(c *Case) Answer {
			cl := &c.S.Client
			if !cl.Known {
				return Missing
			}
			open := cl.InFlightNow >= 1
			return answer(open && known(cl.Silence) && cl.TotalDone > 0 && cl.Silence > max(10, 3*or(cl.P99, 0)))
		},
		Say: func(c *Case) (string, []model.Evidence) {
			cl := &c.S.Client
			t := fmt.Sprintf("No record for %s s with %s requests open; P99 so far is %s.", whole(cl.Silence), whole(cl.InFlightNow), span(cl.P99))
			return t, []model.Evidence{evidence("client_in_flight", cl.Silence, cl.InFlightNow, "requests", 1, t)}
		},
		DoesNotProve: "whether the requests hang or the stream was cut.",
		NextChange:   "none: look at the load generator",
		SettledBy:    "the load generator's process and the server's running requests",
	}
}

func notWarm() Rule {
	return Rule{
		ID: "not_warm", Group: GroupTrust, Severity: model.SevInvalid, Raise: 1, Clear: 1,
		Title: "the run is not warm", Needs: "client stream",
		Help: "throughput and tail latency have not settled yet",
		When: func(c *Case) Answer {
			if !c.S.Client.Known && !c.S.Load.ByServer {
				return Missing
			}
			return answer(!c.S.Load.Warm)
		},
		Say: func(c *Case) (string, []model.Evidence) {
			m := c.S.Load.MovesPct
			t := "Throughput has not settled: fewer than two rounds of 15 s."
			if known(m) {
				t = fmt.Sprintf("Throughput moves %s %% per 40 s; %s.", num(m), rounds(c))
			}
			return t, []model.Evidence{evidence("client_throughput", 40, m/100, "ratio", c.T.WarmSlope, t)}
		},
		DoesNotProve: "anything about the steady state.",
		NextChange:   "none: let it warm up",
		SettledBy:    "two rounds that agree",
	}
}

// rounds says what does not agree yet.
func rounds(c *Case) string {
	if c.S.Load.ByServer {
		return "its two last rounds by the server's own count do not agree yet"
	}
	return "its two last rounds or their tail latency do not agree yet"
}

func unsteady() Rule {
	return Rule{
		ID: "unsteady", Group: GroupTrust, Severity: model.SevInvalid,
		Title: "throughput is unsteady", Needs: "client stream",
		Help: "throughput varies more than noise explains",
		When: func(c *Case) Answer {
			if !c.S.Client.Known {
				return Missing
			}
			return answer(c.S.Load.UnsteadyRaw)
		},
		Say: func(c *Case) (string, []model.Evidence) {
			l := &c.S.Load
			t := fmt.Sprintf("Throughput varies %s over 60 s, noise explains %s.", pct(l.CV), pct(l.CVLimit))
			return t, []model.Evidence{evidence("client_throughput", 60, l.CV, "ratio", l.CVLimit, t)}
		},
		DoesNotProve: "what makes it vary.",
		NextChange:   "none: find what changes from minute to minute",
		SettledBy:    "host counters, and a longer run",
	}
}

func clockSkew() Rule {
	return Rule{
		ID: "clock_skew", Group: GroupTrust, Severity: model.SevNote, Raise: 3, Clear: 15,
		Title: "two clocks disagree", Needs: "clock offset",
		Help: "a source's clock is off by more than a second",
		When: func(c *Case) Answer {
			d := c.S.Skew
			if !known(d) {
				return Missing
			}
			return answer(math.Abs(d) > 1)
		},
		Say: func(c *Case) (string, []model.Evidence) {
			d := c.S.Skew
			way := "behind"
			if d < 0 {
				way = "ahead"
			}
			t := fmt.Sprintf("%s's clock is %s s %s; its own times are not used.", c.S.SkewOf, num(math.Abs(d)), way)
			return t, []model.Evidence{evidence("source_skew", 60, d, "s", 1, t)}
		},
		DoesNotProve: "that anything is wrong with the run.",
		NextChange:   "none: synchronise the clocks before the next run",
		SettledBy:    "an NTP query on both machines",
	}
}

func fewSamples() Rule {
	return Rule{
		ID: "few_samples", Group: GroupTrust, Severity: model.SevNote, Raise: 1, Clear: 1,
		Title: "too few samples for the tail", Needs: "client stream",
		Help: "P99 needs 441 samples for a finite 95 % interval",
		When: func(c *Case) Answer {
			if !c.S.Client.Known {
				return Missing
			}
			return answer(c.S.Client.TotalDone < model.MinP99)
		},
		Grade: func(c *Case) model.Severity {
			if c.S.Client.TotalOK < c.T.MinOK {
				return model.SevInvalid
			}
			return model.SevNote
		},
		Say: func(c *Case) (string, []model.Evidence) {
			n := c.S.Client.TotalDone
			t := fmt.Sprintf("P99 needs %d samples for a finite 95 %% interval; there are %s.", model.MinP99, whole(n))
			return t, []model.Evidence{evidence("client_done", c.S.T, n, "requests", model.MinP99, t)}
		},
		DoesNotProve: "that the percentiles are wrong, only that they are wide.",
		NextChange:   "none: a longer run",
		SettledBy:    "more requests",
	}
}
