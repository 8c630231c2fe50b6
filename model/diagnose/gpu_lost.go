package diagnose

import (
	"fmt"
	"strings"

	"benchtop/model"
)

func gpuLost() Rule {
	return Rule{
		ID: "gpu_lost", Group: GroupTrust, Severity: model.SevInvalid, Raise: 1, Clear: 15,
		Title: "a GPU was lost", Needs: "gpu",
		Help: "a GPU fell off its bus or needs a reset: what is measured from then on is another machine's",
		When: func(c *Case) Answer {
			if len(c.S.GPUs) == 0 {
				return Missing
			}
			return answer(len(lostGPUs(c)) > 0)
		},
		Say: func(c *Case) (string, []model.Evidence) {
			var names []string
			var ev []model.Evidence
			for _, g := range lostGPUs(c) {
				names = append(names, fmt.Sprintf("GPU %d", g.Index))
				ev = append(ev, evidence("gpu_state", 30, 3, "state", 3, fmt.Sprintf("GPU %d does not answer its driver any more", g.Index)))
			}
			return fmt.Sprintf("%s of %d lost: off the bus, or in need of a reset. Figures from then on are not of the same machine.", strings.Join(names, ", "), len(c.S.GPUs)), ev
		},
		DoesNotProve: "that the card is broken: heat, power, its riser and its driver all end like this.",
		NextChange:   "none: reset the GPU or reboot, then run again",
		SettledBy:    "the kernel's log (dmesg | grep -i xid)",
	}
}

func lostGPUs(c *Case) (out []model.GPUSignals) {
	for _, g := range c.S.GPUs {
		if g.Lost {
			out = append(out, g)
		}
	}
	return out
}
