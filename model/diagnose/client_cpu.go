package diagnose

import (
	"fmt"

	"benchtop/model"
)

func clientCPU() Rule {
	return Rule{
		ID: "client_cpu", Group: GroupClient, Severity: model.SevMajor, Raise: 15, Clear: 15,
		Title: "one thread of the load generator is full", Needs: "host",
		Help: "the load generator's busiest thread uses a whole core (interpreter lock, event loop)",
		When: func(c *Case) Answer {
			s, h := &c.S.Server, &c.S.Host
			a := missingAtServer(c)
			if a == Missing {
				return Missing
			}
			some := s.Ratio < 0.9 && s.Gap >= max(2, 0.1*s.NcAt) && s.Quiet && !s.Full
			if a == No && !some {
				return No
			}
			if !known(h.ClientThread) {
				return Missing
			}
			return answer(a == Yes && h.ClientThread >= 0.90 || some && h.ClientThread >= 0.95)
		},
		Say: func(c *Case) (string, []model.Evidence) {
			s, h := &c.S.Server, &c.S.Host
			t := fmt.Sprintf("The load generator's busiest thread used %s of one core; %s of %s requests were outside the server.",
				num(h.ClientThread), whole(s.Gap), whole(s.NcAt))
			return t, []model.Evidence{
				evidence("host_client_thread", 20, h.ClientThread, "cores", 0.9, fmt.Sprintf("busiest client thread %s of a core", num(h.ClientThread))),
				evidence("concurrency_gap", 65, s.Gap, "requests", max(2, 0.1*s.NcAt), fmt.Sprintf("client holds %s, server %s", whole(s.NcAt), whole(s.Ns))),
			}
		},
		DoesNotProve: "that more client CPU raises throughput by much: the server may be the next limit close behind.",
		NextChange:   "the number of client processes",
		SettledBy:    "CPU per thread, or the same load from two processes",
	}
}
