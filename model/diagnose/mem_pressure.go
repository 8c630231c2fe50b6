package diagnose

import (
	"fmt"

	"benchtop/model"
)

// killed reports an out-of-memory kill in the last minute.
func killed(c *Case) bool { return c.S.Host.OOMKills > 0 }

func memPressure() Rule {
	return Rule{
		ID: "mem_pressure", Group: GroupHost, Severity: model.SevMajor,
		Title: "the machine is short of memory", Needs: "host",
		Help: "tasks wait for memory, or the kernel killed a process for it",
		When: func(c *Case) Answer {
			return either(answer(killed(c)), atLeast(c.S.Host.PSIMemory, c.T.PSIMemory))
		},
		AtOnce: killed,
		Grade: func(c *Case) model.Severity {
			if killed(c) {
				return model.SevMajor
			}
			return majorIfStarved(c)
		},
		Say: func(c *Case) (string, []model.Evidence) {
			h := &c.S.Host
			var ev []model.Evidence
			t := fmt.Sprintf("Out-of-memory kills in this run: %s", whole(or(h.OOMEver, 0)))
			if known(h.OOMEver) {
				ev = append(ev, evidence("host_oom_kills", c.S.T, h.OOMEver, "count", 1, t))
			}
			if known(h.PSIMemory) {
				stall := fmt.Sprintf("some task waited for memory %s of 20 s", pct(h.PSIMemory))
				ev = append(ev, evidence("host_psi_memory", 20, h.PSIMemory, "ratio", c.T.PSIMemory, stall))
				t += "; " + stall
			}
			return t + "." + waiting(c), ev
		},
		DoesNotProve: notHost,
		NextChange:   "the memory limit",
		SettledBy:    "the kernel's log, and a rerun with more memory",
	}
}
