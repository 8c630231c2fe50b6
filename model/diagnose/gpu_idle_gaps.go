package diagnose

import (
	"fmt"

	"benchtop/model"
)

func gpuIdleGaps() Rule {
	return Rule{
		ID: "gpu_idle_gaps", Group: GroupGPU, Severity: model.SevMajor, Raise: 15, Clear: 15,
		Title: "the GPU idles though work is there", Needs: "gpu",
		Help: "utilization is low while the server runs requests",
		When: func(c *Case) Answer {
			if imbalanced(c) {
				return No // the GPU of the engine that has room idles
			}
			return starved(c, c.T.GapUtil)
		},
		Say: func(c *Case) (string, []model.Evidence) {
			g := c.worst(idleness)
			if g == nil {
				return "", nil
			}
			t := fmt.Sprintf("GPU %d was busy %s of the time while %s requests were at the server.", g.Index, pct(g.Util), whole(c.S.Server.Ns))
			return t, []model.Evidence{evidence("gpu_util", 30, g.Util, "ratio", c.T.GapUtil, t)}
		},
		DoesNotProve: "why.",
		NextChange:   "none until a host cause is shown",
		SettledBy:    "host counters, or a profiler's trace",
	}
}

func lowSMActivity() Rule {
	return Rule{
		ID: "low_sm_activity", Group: GroupGPU, Severity: model.SevMinor, Raise: 15, Clear: 15,
		Title: "kernels fill few of the SMs", Needs: "SM activity",
		Help: "the GPU is busy all the time but most SMs are empty",
		When: func(c *Case) Answer {
			full := answer(c.S.Server.Full && !imbalanced(c))
			g := c.worst(func(g *model.GPUSignals) float64 { return -g.SMActivity })
			if g == nil {
				return all(Missing, full)
			}
			return all(full, answer(g.SMActivity <= c.T.LowSM), atLeast(g.Util, c.T.GapHostUtil))
		},
		Say: func(c *Case) (string, []model.Evidence) {
			g := c.worst(func(g *model.GPUSignals) float64 { return -g.SMActivity })
			if g == nil {
				return "", nil
			}
			t := fmt.Sprintf("GPU %d: kernels ran %s of the time but filled %s of the SMs (DRAM busy %s).", g.Index, pct(g.Util), pct(g.SMActivity), pct(g.DRAM))
			return t, []model.Evidence{evidence("gpu_sm_activity", 30, g.SMActivity, "ratio", c.T.LowSM, t)}
		},
		DoesNotProve: "bad kernels: decode bound by memory looks like this.",
		NextChange:   "batch size",
		SettledBy:    "a profiler's trace",
	}
}
