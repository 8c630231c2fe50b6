package diagnose

import (
	"fmt"

	"benchtop/model"
)

// starved is the condition that the GPU idles though work is there, for a
// given utilization: on the GPU that idles most.
func starved(c *Case, util float64) Answer {
	s := &c.S.Server
	g := c.worst(idleness)
	if g == nil {
		return all(Missing, workThere(c))
	}
	waits := known(s.BatchWait, c.S.Client.Mean) && s.BatchWait >= 0.1*c.S.Client.Mean
	return all(answer(g.Util < util), workThere(c), answer(!waits))
}

// workThere reports that the server had something to run at every sample.
func workThere(c *Case) Answer {
	s := &c.S.Server
	if !s.Known {
		return Missing
	}
	return all(atLeast(s.RunMin, 1), atLeast(s.Ns, 2))
}

func idleness(g *model.GPUSignals) float64 { return -g.Util }

// majorIfStarved is the grade of a host's finding: a fact alone, a limit only
// where the GPU waits for the host.
func majorIfStarved(c *Case) model.Severity {
	if c.Raised("gpu_idle_gaps") || starved(c, c.T.GapHostUtil) == Yes {
		return model.SevMajor
	}
	return model.SevMinor
}

const notHost = "that it costs throughput: it does only where the GPU waits for the host, or throughput comes and goes with it."

// waiting says what the GPU did meanwhile.
func waiting(c *Case) string {
	g := c.worst(idleness)
	if g == nil {
		return ""
	}
	return fmt.Sprintf(" GPU %d was busy %s of the time.", g.Index, pct(g.Util))
}

func cpuQuota() Rule {
	return Rule{
		ID: "cpu_quota", Group: GroupHost, Severity: model.SevMajor,
		Title: "the container's CPU quota stops the server", Needs: "host",
		Help:  "the server's cgroup is throttled in a tenth or more of its scheduler periods",
		When:  func(c *Case) Answer { return atLeast(c.S.Host.QuotaShare, c.T.QuotaShare) },
		Grade: majorIfStarved,
		Say: func(c *Case) (string, []model.Evidence) {
			p := c.S.Host.QuotaShare
			t := fmt.Sprintf("%s of scheduler periods hit the container's CPU quota.%s", pct(p), waiting(c))
			return t, []model.Evidence{evidence("host_quota_throttled", 20, p, "ratio", c.T.QuotaShare, fmt.Sprintf("%s of periods throttled", pct(p)))}
		},
		DoesNotProve: notHost,
		NextChange:   "the container's CPU quota",
		SettledBy:    "a rerun without the quota",
	}
}
