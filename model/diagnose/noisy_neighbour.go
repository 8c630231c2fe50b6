package diagnose

import (
	"fmt"
	"strings"

	"benchtop/model"
)

func noisyNeighbour() Rule {
	return Rule{
		ID: "noisy_neighbour", Group: GroupHost, Severity: model.SevMajor,
		Title: "other processes take the CPU", Needs: "host",
		Help: "processes that are neither client nor server, or the hypervisor, use the cores",
		When: func(c *Case) Answer {
			h := &c.S.Host
			return either(atLeast(h.OtherCPU, c.T.OtherCPU), beside(h.OtherCPU, atLeast(h.Steal, c.T.Steal)))
		},
		Grade: func(c *Case) model.Severity {
			if c.S.Load.UnsteadyRaw {
				return model.SevMajor
			}
			return majorIfStarved(c)
		},
		Say: func(c *Case) (string, []model.Evidence) {
			h := &c.S.Host
			var text []string
			var ev []model.Evidence
			say := func(series string, window, v float64, unit string, limit float64, t string) {
				text = append(text, t)
				ev = append(ev, evidence(series, window, v, unit, limit, t))
			}
			if known(h.OtherCPU) {
				say("host_other_cpu", 40, h.OtherCPU, "ratio", c.T.OtherCPU, fmt.Sprintf("other processes used %s of the cores over 40 s%s", pct(h.OtherCPU), named(h)))
			}
			if h.Steal >= c.T.Steal {
				say("host_steal", 20, h.Steal, "ratio", c.T.Steal, fmt.Sprintf("the hypervisor took %s of the CPU time", pct(h.Steal)))
			}
			if known(h.XBusy, h.XCalm) {
				say("client_throughput", 300, h.XBusy, "1/s", h.XCalm, fmt.Sprintf("throughput %s/s with other processes busy, %s/s without", num(h.XBusy), num(h.XCalm)))
			}
			return sentence(strings.Join(text, "; ")) + waiting(c), ev
		},
		DoesNotProve: notHost,
		NextChange:   "stop the other processes and run again",
		SettledBy:    "a rerun on a quiet machine",
	}
}

// named says who takes most of it.
func named(h *model.HostSignals) string {
	if h.Neighbour == "" {
		return ""
	}
	return ", most of it " + h.Neighbour
}

// beside is a, but No where only its own input is missing: a machine without a
// hypervisor tells no steal.
func beside(other float64, a Answer) Answer {
	if a == Missing && known(other) {
		return No
	}
	return a
}
