package diagnose

import (
	"fmt"

	"benchtop/model"
)

// bound is a note on what a full batch keeps busy; it needs the activity
// counters.
func bound(id, title, help, what, unit, series string, of func(*model.GPUSignals) float64) Rule {
	return Rule{
		ID: id, Group: GroupGPU, Severity: model.SevNote, Raise: 15, Clear: 15,
		Title: title, Needs: "DRAM, tensor and SM activity", Help: help,
		When: func(c *Case) Answer {
			g := c.worst(of)
			if g == nil {
				return Missing
			}
			return all(answer(c.S.Server.Full), answer(of(g) >= c.T.NearLimit))
		},
		Say: func(c *Case) (string, []model.Evidence) {
			g := c.worst(of)
			if g == nil {
				return "", nil
			}
			t := fmt.Sprintf("GPU %d: %s busy %s at batch %s: a larger batch costs %s, not idle units.", g.Index, what, pct(of(g)), num(c.S.Server.Running), unit)
			return t, []model.Evidence{evidence(series, 30, of(g), "ratio", c.T.NearLimit, fmt.Sprintf("%s busy %s", what, pct(of(g))))}
		},
		DoesNotProve: "that the kernels are good.",
		NextChange:   "none: compare kernels or precision in runs of their own",
		SettledBy:    "a profiler's roofline",
	}
}

func memoryBound() Rule {
	return bound("memory_bound", "the GPU's memory bandwidth is full", "DRAM is busy 90 % of the time or more at a full batch",
		"DRAM", "memory bandwidth", "gpu_dram_activity", func(g *model.GPUSignals) float64 { return g.DRAM })
}

func computeBound() Rule {
	return bound("compute_bound", "the GPU's compute units are full", "tensor or SM activity is 90 % or more at a full batch",
		"the compute units were", "compute", "gpu_sm_activity", func(g *model.GPUSignals) float64 {
			if !known(g.Tensor) || g.SMActivity > g.Tensor {
				return g.SMActivity
			}
			return g.Tensor
		})
}
