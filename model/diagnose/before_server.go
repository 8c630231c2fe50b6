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
			own := itself(c)
			if own != "" {
				t += " " + own
			}
			return t, append([]model.Evidence{
				evidence("concurrency_gap", 65, s.Gap, "requests", max(c.T.MissingGap, c.T.MissingGapShare*s.NcAt), fmt.Sprintf("client holds %s, server %s", whole(s.NcAt), whole(s.Ns))),
				evidence("server_to_client", 65, s.Ratio, "ratio", c.T.MissingRatio, fmt.Sprintf("server ÷ client in flight %s", num(s.Ratio))),
			}, itsOwn(c)...)
		},
		DoesNotProve: "where they are: pool, client CPU, connecting, a proxy and the network all look the same from here.",
		NextChange:   "none until one of the causes is shown: look at the client's sockets and CPU",
		SettledBy:    "sockets and CPU of the client's host (--host client=…)",
	}
}

// sleeps reports connections that wait for the client: at least half of those
// open have had their answer and nothing was sent on them since.
func sleeps(c *Case) bool {
	h := &c.S.Host
	return known(h.Idle, h.Established) && h.Idle >= 3 && h.Idle >= 0.5*h.Established
}

// waits reports connections on which the client has its answer: most of them, or
// some while there are fewer than the requests it counts, so that what it holds
// back does not lack one.
func waits(c *Case) bool {
	return sleeps(c) || spare(c) && c.S.Host.Established < 0.8*c.S.Server.NcAt
}

// held reports that a CPU quota stops the client.
func held(c *Case) bool { return c.S.Host.ClientQuota >= c.T.QuotaShare }

// itself says by what the client keeps requests to itself, "" if nothing shows
// that it does. Then open connections do not speak against what they lead to.
func itself(c *Case) string {
	h := &c.S.Host
	switch {
	case held(c):
		return fmt.Sprintf("The client's CPU quota stopped it in %s of scheduler periods.", pct(h.ClientQuota))
	case waits(c):
		return fmt.Sprintf("%s of %s open connections wait for the client: it has its answer there and sends nothing.", whole(h.Idle), whole(h.Established))
	}
	return ""
}

// itsOwn is the evidence of itself.
func itsOwn(c *Case) (e []model.Evidence) {
	h := &c.S.Host
	if held(c) {
		e = append(e, evidence("host_client_quota_throttled", 20, h.ClientQuota, "ratio", c.T.QuotaShare, fmt.Sprintf("the client was throttled in %s of periods", pct(h.ClientQuota))))
	}
	if waits(c) {
		e = append(e, evidence("host_idle", 20, h.Idle, "connections", 0.2*h.Established, fmt.Sprintf("%s of %s connections idle, their answer read", whole(h.Idle), whole(h.Established))))
	}
	return e
}

func ofB(s *model.ServerSignals) string {
	if !s.KnowB {
		return ""
	}
	return " of " + whole(s.B)
}
