package diagnose

import (
	"fmt"

	"benchtop/model"
)

// missingAtServer is the condition that the client-side sub-causes share: the
// client counts requests that the server, idle enough to take them, has not.
func missingAtServer(c *Case) Answer {
	cl, s := &c.S.Client, &c.S.Server
	if !cl.Known || !s.Known {
		return Missing
	}
	return all(
		answer(!s.Full), // a full batch is never an idle server, whatever waits
		c.quiet(),
		atLeast(s.NcAt, 4), given(s.Ratio, s.Ratio < c.T.MissingRatio),
		given(s.Gap, s.Gap >= max(c.T.MissingGap, c.T.MissingGapShare*s.NcAt)),
	)
}

func beforeServer() Rule {
	return Rule{
		ID: "before_server", Group: GroupClient, Severity: model.SevMajor, Raise: 15, Clear: 15,
		Title: "the limit is before the server", Needs: "client stream and server running + waiting",
		Help: "requests that the client counts are not at the server, which is idle enough to take them",
		When: missingAtServer,
		Say: func(c *Case) (string, []model.Evidence) {
			s := &c.S.Server
			t := fmt.Sprintf("%s of %s client requests are not at the server, which is idle enough to take them (running %s%s, %s waiting).",
				whole(s.Gap), whole(s.NcAt), whole(s.Running), ofB(s), whole(s.Waiting))
			return t, []model.Evidence{
				evidence("concurrency_gap", 65, s.Gap, "requests", max(c.T.MissingGap, c.T.MissingGapShare*s.NcAt), fmt.Sprintf("client holds %s, server %s", whole(s.NcAt), whole(s.Ns))),
				evidence("server_to_client", 65, s.Ratio, "ratio", c.T.MissingRatio, fmt.Sprintf("server ÷ client in flight %s", num(s.Ratio))),
			}
		},
		DoesNotProve: "where they are: pool, client CPU, connecting, a proxy and the network all look the same from here.",
		NextChange:   "none until one of the causes is shown: look at the client's sockets and CPU",
		SettledBy:    "sockets and CPU of the client's host (--host client=…)",
	}
}

func ofB(s *model.ServerSignals) string {
	if !s.KnowB {
		return ""
	}
	return " of " + whole(s.B)
}
