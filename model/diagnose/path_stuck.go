package diagnose

import (
	"fmt"

	"benchtop/model"
)

func pathStuck() Rule {
	return Rule{
		ID: "path_stuck", Group: GroupClient, Severity: model.SevMajor, Raise: 15, Clear: 15,
		Title: "requests are stuck between client and server", Needs: "host",
		Help: "connecting, accepting or a gateway holds requests back",
		When: func(c *Case) Answer {
			a := missingAtServer(c)
			if a != Yes {
				return a
			}
			h, s := &c.S.Host, &c.S.Server
			if !known(h.Established) && !known(h.NewConns) && !known(h.Connecting) {
				return Missing
			}
			connecting := known(h.Connecting) && h.Connecting >= 0.3*s.Gap
			gateway := known(h.Established) && h.Established >= 0.8*s.NcAt && !(h.ClientThread >= 0.8) && itself(c) == ""
			return answer(churn(c) || connecting || gateway)
		},
		Say:          sayStuck,
		DoesNotProve: "which box on the way holds them.",
		NextChange:   "keep-alive if connections are not reused, else the gateway's concurrency limit",
		SettledBy:    "the gateway's own metrics, or the listener's overflow count",
	}
}

// sayStuck words where the rest waits: in connections that are not reused, in
// the listener's queue, in connecting, or in a box between the two.
func sayStuck(c *Case) (string, []model.Evidence) {
	s, h := &c.S.Server, &c.S.Host
	queued := min(h.AcceptQueue, s.Gap) // others than the client wait there too: health checks, polls
	if churn(c) {
		queue := ""
		if queued >= 0.3*s.Gap {
			queue = fmt.Sprintf(" %s wait for the server to accept them.", whole(queued))
		}
		return fmt.Sprintf("%s/s new connections for %s/s requests: connections are not reused.%s", num(h.NewConns), num(c.X()), queue),
			[]model.Evidence{evidence("host_conns_opened", 20, h.NewConns, "1/s", 0.5*c.X(), fmt.Sprintf("%s new connections a second", num(h.NewConns)))}
	}
	t := fmt.Sprintf("%s connections are open for %s requests and the server holds %s: the rest waits between the two.",
		whole(h.Established), whole(s.NcAt), whole(s.Ns))
	found := []model.Evidence{
		evidence("host_established", 20, h.Established, "connections", 0.8*s.NcAt, fmt.Sprintf("%s connections open", whole(h.Established))),
		evidence("concurrency_gap", 65, s.Gap, "requests", c.T.MissingGap, fmt.Sprintf("client holds %s, server %s", whole(s.NcAt), whole(s.Ns))),
	}
	switch {
	case queued >= 0.3*s.Gap:
		t += fmt.Sprintf(" %s of them the server has not accepted yet.", whole(queued))
		found = append(found, evidence("host_accept_queue", 20, h.AcceptQueue, "connections", 0.3*s.Gap, fmt.Sprintf("%s connections in the listener's accept queue", whole(h.AcceptQueue))))
	case h.Connecting >= 0.3*s.Gap:
		t = fmt.Sprintf("%s connections are still being made for %s requests and the server holds %s: the rest waits to connect.",
			whole(h.Connecting), whole(s.NcAt), whole(s.Ns))
		found = append(found, evidence("host_connecting", 20, h.Connecting, "connections", 0.3*s.Gap, fmt.Sprintf("%s still connecting", whole(h.Connecting))))
	}
	return t, found
}
