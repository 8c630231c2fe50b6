package diagnose

import (
	"fmt"

	"benchtop/model"
)

// reason is a clock limit that is rarely the story: a minor finding that names
// the setting.
func reason(id, title, help, what, next string, share func(*model.GPUSignals) float64) Rule {
	return Rule{
		ID: id, Group: GroupGPU, Severity: model.SevMinor,
		Title: title, Needs: "gpu", Help: help,
		When: func(c *Case) Answer { return throttled(c, share, c.T.BitShare, c.T.BitLoss) },
		Say: func(c *Case) (string, []model.Evidence) {
			g := c.worst(share)
			if g == nil {
				return "", nil
			}
			t := fmt.Sprintf("GPU %d: %s held the clock %s of 30 s; SM clock %s.", g.Index, what, pct(share(g)), depth(g))
			return t, []model.Evidence{
				evidence("gpu_reasons", 30, share(g), "ratio", c.T.BitShare, fmt.Sprintf("%s %s of 30 s", what, pct(share(g)))),
				evidence("gpu_sm_clock", 30, g.Clock/1e6, "MHz", g.Ref/1e6*(1-c.T.BitLoss), fmt.Sprintf("SM clock %s of %s MHz (−%s)", mhz(g.Clock), mhz(g.Ref), pct(g.Loss))),
			}
		},
		DoesNotProve: notThrottle,
		NextChange:   next,
		SettledBy:    "a rerun without that setting",
	}
}

func syncBoost() Rule {
	return reason("sync_boost", "the GPU is held to the slowest of its group", "sync boost lowers the SM clock",
		"sync boost", "the sync boost group", func(g *model.GPUSignals) float64 { return g.SyncBoost })
}

func appClocks() Rule {
	return reason("app_clocks", "application clocks hold the GPU back", "the applications clocks setting lowers the SM clock",
		"the applications clocks setting", "the applications clocks (reset them)", func(g *model.GPUSignals) float64 { return g.AppClocks })
}

func boardLimit() Rule {
	return reason("board_limit", "the board's limit holds the GPU back", "the board's limit lowers the SM clock",
		"the board's limit", "none: ask the machine's maker", func(g *model.GPUSignals) float64 { return g.Board })
}

func reliability() Rule {
	return reason("reliability", "the reliability limit holds the GPU back", "the reliability limit on voltage lowers the SM clock",
		"the reliability limit", "none: no setting lifts it", func(g *model.GPUSignals) float64 { return g.Reliability })
}

func display() Rule {
	return reason("display", "the display setting holds the GPU back", "the display clocks setting lowers the SM clock",
		"the display clocks setting", "the display attached to this GPU", func(g *model.GPUSignals) float64 { return g.Display })
}

func hwSlowdownOther() Rule {
	share := func(g *model.GPUSignals) float64 { return g.HWOther }
	return Rule{
		ID: "hw_slowdown_other", Group: GroupGPU, Severity: model.SevMinor,
		Title: "hardware slowdown without a named cause", Needs: "gpu",
		Help: "the hardware slowdown bit is set, but neither its thermal nor its brake bit",
		When: func(c *Case) Answer {
			g := c.worst(share)
			if g == nil {
				return Missing
			}
			return answer(g.HWOther >= c.T.HWOtherShare)
		},
		Say: func(c *Case) (string, []model.Evidence) {
			g := c.worst(share)
			if g == nil {
				return "", nil
			}
			t := fmt.Sprintf("GPU %d: hardware slowdown was set in %s of 30 s without a thermal or brake bit; SM clock %s.", g.Index, pct(g.HWOther), depth(g))
			return t, []model.Evidence{evidence("gpu_reasons", 30, g.HWOther, "ratio", c.T.HWOtherShare, t)}
		},
		DoesNotProve: "a fault: it can flash when the GPU changes its performance state.",
		NextChange:   "none; look at the power supply if it stays",
		SettledBy:    "the driver's log",
	}
}
