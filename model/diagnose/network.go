package diagnose

import (
	"fmt"

	"benchtop/model"
)

func network() Rule {
	resets := func(c *Case) bool {
		n := c.S.Client.Reset
		return n >= c.T.LostMin && c.lossShare(n) >= c.T.LostShare
	}
	return Rule{
		ID: "network", Group: GroupClient, Severity: model.SevMajor,
		Title: "the network loses segments or connections", Needs: "client stream and host",
		Help: "retransmits, or connections reset",
		When: func(c *Case) Answer {
			if !c.S.Client.Known {
				return Missing
			}
			if resets(c) {
				return Yes
			}
			return all(answer(!c.S.Server.Full), given(c.ratio(), c.ratio() < 0.85), atLeast(c.S.Host.RetransShare, 0.01))
		},
		Say: func(c *Case) (string, []model.Evidence) {
			cl, h := &c.S.Client, &c.S.Host
			if resets(c) {
				p := c.lossShare(cl.Reset)
				return fmt.Sprintf("%s connections were reset (%s of completions in 30 s).", whole(cl.Reset), pct(p)),
					[]model.Evidence{evidence("client_reset", 30, cl.Reset, "requests", c.T.LostMin, fmt.Sprintf("%s resets", whole(cl.Reset)))}
			}
			return fmt.Sprintf("%s of segments were sent twice; latency then shows steps of about 200 ms.", pct(h.RetransShare)),
				[]model.Evidence{evidence("host_segs_retrans", 20, h.RetransShare, "ratio", 0.01, fmt.Sprintf("%s of segments sent again", pct(h.RetransShare)))}
		},
		DoesNotProve: "who dropped them: a reset may be the server shedding load.",
		NextChange:   "none on the server: move the client onto the server's host for one run",
		SettledBy:    "TCP information per socket",
	}
}
