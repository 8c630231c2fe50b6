package diagnose

import (
	"fmt"

	"benchtop/model"
)

// thrown reports whether at least a fifth of the completions threw their
// connection away, which looks like missing keep-alive.
func thrown(c *Case) bool {
	return c.lossShare(c.S.Client.Timeouts+c.S.Client.Reset) >= 0.2
}

// churn reports connections that are not reused.
func churn(c *Case) bool {
	n := c.S.Host.NewConns
	return known(n) && n >= 0.5*c.X() && c.X() > 0 && !thrown(c)
}

// spare reports that the client has connections to spare: what it holds back
// does not wait for one. At a pool's limit each is taken again at once.
func spare(c *Case) bool {
	h := &c.S.Host
	return known(h.Idle, h.Established) && h.Idle >= 3 && h.Idle >= 0.2*h.Established
}

// carries reports that each request has a connection to itself. If the server
// works on more than there are connections, several share one (HTTP/2), or those
// counted are not those that the requests take.
func carries(c *Case) bool {
	return c.S.Host.Established >= 0.7*c.S.Server.Ns-1
}

func clientPool() Rule {
	return Rule{
		ID: "client_pool", Group: GroupClient, Severity: model.SevMajor, Raise: 15, Clear: 15,
		Title: "the client's connection pool is the limit", Needs: "host",
		Help: "few connections are open for the requests the client counts",
		When: func(c *Case) Answer {
			a := missingAtServer(c)
			if a != Yes {
				return a
			}
			h, s := &c.S.Host, &c.S.Server
			if !known(h.Established) {
				return Missing
			}
			reused := !known(h.NewConns) || h.NewConns < 0.3*c.X() || thrown(c)
			asking := h.Connecting >= 0.3*s.Gap // a pool's cap asks for no more; a path that is stuck lets them wait
			return answer(h.Established <= 1.4*s.Ns+3 && h.Established < 0.7*s.NcAt && reused && !asking && !spare(c) && carries(c))
		},
		Say: func(c *Case) (string, []model.Evidence) {
			s, h := &c.S.Server, &c.S.Host
			t := fmt.Sprintf("The client counts %s requests in flight but only %s connections are open and the server sees %s; the server has room (running %s%s, %s waiting).",
				whole(s.NcAt), whole(h.Established), whole(s.Ns), whole(s.Running), ofB(s), whole(s.Waiting))
			return t, []model.Evidence{
				evidence("host_established", 20, h.Established, "connections", 0.7*s.NcAt, fmt.Sprintf("%s connections open", whole(h.Established))),
				evidence("concurrency_gap", 65, s.Gap, "requests", c.T.MissingGap, fmt.Sprintf("client holds %s, server %s", whole(s.NcAt), whole(s.Ns))),
			}
		},
		DoesNotProve: "that the server could do more: it shows only that the server was not asked.",
		NextChange:   "the client's connection limit (vegeta -max-connections; -connections only caps idle ones)",
		SettledBy:    "the socket table of the client's host",
	}
}
