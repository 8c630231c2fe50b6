package diagnose

import (
	"fmt"

	"benchtop/model"
)

func cpuFreq() Rule {
	return Rule{
		ID: "cpu_freq", Group: GroupHost, Severity: model.SevMajor,
		Title: "the CPU clock fell", Needs: "host",
		Help: "the CPU runs a tenth or more below this run's best 20 s",
		When: func(c *Case) Answer {
			h := &c.S.Host
			return given(h.CPUClock-h.CPUClockBest, h.CPUClock <= (1-c.T.CPUDrop)*h.CPUClockBest)
		},
		Grade: majorIfStarved,
		Say: func(c *Case) (string, []model.Evidence) {
			h := &c.S.Host
			t := fmt.Sprintf("The CPU clock fell from %s to %s MHz.%s", mhz(h.CPUClockBest), mhz(h.CPUClock), waiting(c))
			return t, []model.Evidence{evidence("host_cpu_clock", 20, h.CPUClock/1e6, "MHz", (1-c.T.CPUDrop)*h.CPUClockBest/1e6,
				fmt.Sprintf("CPU %s of %s MHz", mhz(h.CPUClock), mhz(h.CPUClockBest)))}
		},
		DoesNotProve: notHost,
		NextChange:   "the frequency governor, or the machine's cooling",
		SettledBy:    "a rerun with the governor at performance",
	}
}
