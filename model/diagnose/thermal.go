package diagnose

import (
	"fmt"
	"math"

	"benchtop/model"
)

// majorIfLimiting is the grade of a throttle: it can limit throughput only if
// the server is what the run waits for.
func majorIfLimiting(c *Case) model.Severity {
	if c.limiting() {
		return model.SevMajor
	}
	return model.SevMinor
}

func lossOf(g *model.GPUSignals) float64 { return g.Loss }

// heat is the greater share of the two thermal slowdowns.
func heat(g *model.GPUSignals) float64 {
	switch {
	case math.IsNaN(g.HWThermal):
		return g.SWThermal
	case math.IsNaN(g.SWThermal):
		return g.HWThermal
	}
	return max(g.SWThermal, g.HWThermal)
}

// throttled answers a share-and-loss condition on the GPU where share is worst.
func throttled(c *Case, share func(*model.GPUSignals) float64, least, loss float64) Answer {
	g := c.worst(share)
	if g == nil {
		fast := c.worst(lossOf) // at full clock nothing holds it, whatever the reasons
		return all(Missing, answer(fast == nil || fast.Loss >= loss))
	}
	if share(g) < least {
		return No
	}
	if !known(g.Loss) {
		if known(g.Util) && g.Util < c.T.BusyUtil {
			return No // an idle GPU's clock is low on purpose
		}
		return Missing
	}
	return answer(g.Loss >= loss)
}

// depth says how far the clock is below its ceiling.
func depth(g *model.GPUSignals) string {
	t := fmt.Sprintf("%s of %s MHz", mhz(g.Clock), mhz(g.Ref))
	if g.Ref > g.Clock {
		t += fmt.Sprintf(" (%s MHz, %s, below the ceiling)", mhz(g.Ref-g.Clock), pct(g.Loss))
	}
	return t
}

// memoryHeat words the memory's temperature: software slows the GPU down for
// either, so with a die that is cool it is the memory.
func memoryHeat(g *model.GPUSignals, kind string) string {
	if !known(g.MemTemp) {
		return ""
	}
	t := fmt.Sprintf(", memory %s °C", whole(g.MemTemp))
	if kind == "software" && g.Margin >= 5 {
		t += fmt.Sprintf(" (the die has %s °C to its limit, so it is the memory that is hot)", whole(g.Margin))
	}
	return t
}

const notThrottle = "that throughput fell because of it: that needs throughput to move with the clock."

func present(c *Case) string {
	if c.limiting() {
		return ""
	}
	return " Present, not limiting: the server is not what the run waits for."
}

func thermal() Rule {
	return Rule{
		ID: "thermal", Group: GroupGPU, Severity: model.SevMajor,
		Title: "the GPU slows down from heat", Needs: "gpu",
		Help:  "software or hardware thermal slowdown lowers the SM clock",
		When:  func(c *Case) Answer { return throttled(c, heat, c.T.ThermalShare, c.T.ThermalLoss) },
		Grade: majorIfLimiting,
		Say: func(c *Case) (string, []model.Evidence) {
			g := c.worst(heat)
			if g == nil {
				return "", nil
			}
			kind := "software"
			if g.HWThermal > g.SWThermal || math.IsNaN(g.SWThermal) {
				kind = "hardware"
			}
			t := fmt.Sprintf("GPU %d: %s thermal slowdown was active %s of 30 s; SM clock %s at %s °C%s.%s",
				g.Index, kind, pct(heat(g)), depth(g), whole(g.Temp), memoryHeat(g, kind), present(c))
			return t, []model.Evidence{
				evidence("gpu_held_thermal", 30, heat(g), "ratio", c.T.ThermalShare, fmt.Sprintf("%s thermal slowdown %s of 30 s", kind, pct(heat(g)))),
				evidence("gpu_sm_clock", 30, g.Clock/1e6, "MHz", g.Ref/1e6*(1-c.T.ThermalLoss), fmt.Sprintf("SM clock %s of %s MHz (−%s)", mhz(g.Clock), mhz(g.Ref), pct(g.Loss))),
				evidence("gpu_temp", 30, g.Temp, "°C", math.NaN(), fmt.Sprintf("%s °C", whole(g.Temp))),
			}
		},
		DoesNotProve: notThrottle,
		NextChange:   "cooling, or the temperature at the start",
		SettledBy:    "a rerun from a cold start, or with the clock locked",
	}
}

func powerCap() Rule {
	share := func(g *model.GPUSignals) float64 { return g.PowerCap }
	return Rule{
		ID: "power_cap", Group: GroupGPU, Severity: model.SevMajor,
		Title: "the GPU is held at its power limit", Needs: "gpu",
		Help: "the software power cap lowers the SM clock; below 8 % that is normal under load",
		When: func(c *Case) Answer { return throttled(c, share, c.T.PowerShare, 0.01) },
		Grade: func(c *Case) model.Severity {
			if g := c.worst(share); g != nil && g.Loss < c.T.PowerLoss {
				return model.SevMinor
			}
			return majorIfLimiting(c)
		},
		Say: func(c *Case) (string, []model.Evidence) {
			g := c.worst(share)
			if g == nil {
				return "", nil
			}
			how := present(c)
			if g.Loss < c.T.PowerLoss {
				how = " That is normal under load."
			}
			if g.Power < 0.9*g.Limit { // such caps exist: the card's own figures don't explain them
				how = fmt.Sprintf(" It is capped at %s W although the limit is %s W.%s", whole(g.Power), whole(g.Limit), how)
			}
			t := fmt.Sprintf("GPU %d: software power cap was active %s of 30 s; SM clock %s at %s of %s W.%s",
				g.Index, pct(g.PowerCap), depth(g), whole(g.Power), whole(g.Limit), how)
			return t, []model.Evidence{
				evidence("gpu_held_sw_power_cap", 30, g.PowerCap, "ratio", c.T.PowerShare, fmt.Sprintf("power cap %s of 30 s", pct(g.PowerCap))),
				evidence("gpu_sm_clock", 30, g.Clock/1e6, "MHz", g.Ref/1e6*(1-c.T.PowerLoss), fmt.Sprintf("SM clock %s of %s MHz (−%s)", mhz(g.Clock), mhz(g.Ref), pct(g.Loss))),
				evidence("gpu_power", 30, g.Power, "W", g.Limit, fmt.Sprintf("%s of %s W", whole(g.Power), whole(g.Limit))),
			}
		},
		DoesNotProve: notThrottle + " Decode bound by memory may not care about the SM clock.",
		NextChange:   "the power limit, if policy allows",
		SettledBy:    "a rerun at another power limit",
	}
}

func powerBrake() Rule {
	share := func(g *model.GPUSignals) float64 { return g.Brake }
	return Rule{
		ID: "power_brake", Group: GroupGPU, Severity: model.SevMajor,
		Title: "the power brake slows the GPU down", Needs: "gpu",
		Help:  "the server's power supply asked the GPU for less",
		When:  func(c *Case) Answer { return throttled(c, share, c.T.BrakeShare, c.T.BrakeLoss) },
		Grade: majorIfLimiting,
		Say: func(c *Case) (string, []model.Evidence) {
			g := c.worst(share)
			if g == nil {
				return "", nil
			}
			t := fmt.Sprintf("GPU %d: hardware power brake was active %s of 30 s; SM clock %s.%s", g.Index, pct(g.Brake), depth(g), present(c))
			return t, []model.Evidence{evidence("gpu_held_hw_power_brake", 30, g.Brake, "ratio", c.T.BrakeShare, t)}
		},
		DoesNotProve: notThrottle,
		NextChange:   "the power supply: no software setting helps",
		SettledBy:    "the rack's power telemetry",
	}
}

func clockDrift() Rule {
	limiting := func(g *model.GPUSignals) float64 {
		sum := 0.0
		for _, v := range []float64{g.PowerCap, g.SWThermal, g.HWThermal, g.Brake, g.SyncBoost, g.Board, g.Reliability} {
			if known(v) {
				sum += v
			}
		}
		return sum
	}
	return Rule{
		ID: "clock_drift", Group: GroupGPU, Severity: model.SevMajor,
		Title: "the GPU clock fell without a reason bit", Needs: "gpu",
		Help:  "the SM clock is below this run's best and nothing explains it",
		Grade: majorIfLimiting,
		When: func(c *Case) Answer {
			g := c.worst(func(g *model.GPUSignals) float64 { return g.LossBest })
			if g == nil {
				if len(c.S.GPUs) == 0 {
					return Missing
				}
				return No
			}
			return answer(g.LossBest >= c.T.DriftLoss && limiting(g) < 0.05)
		},
		Say: func(c *Case) (string, []model.Evidence) {
			g := c.worst(func(g *model.GPUSignals) float64 { return g.LossBest })
			if g == nil {
				return "", nil
			}
			t := fmt.Sprintf("GPU %d: the clock fell from %s to %s MHz (%s MHz, %s) and no reason bit explains it.%s",
				g.Index, mhz(g.Best), mhz(g.Clock), mhz(g.Best-g.Clock), pct(g.LossBest), present(c))
			return t, []model.Evidence{evidence("gpu_sm_clock", 30, g.LossBest, "ratio", c.T.DriftLoss, t)}
		},
		DoesNotProve: "throttling.",
		NextChange:   "lock the clocks for one run",
		SettledBy:    "locked clocks, or the driver's counters",
	}
}
