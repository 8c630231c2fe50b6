package cli

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"benchtop/sources/gpu"
	"benchtop/ui/report"
)

// driftC is how far a temperature may move during the look, in °C: an idle GPU
// that still cools down does not start each run from the same point.
const driftC = 2

// checkLoad is the utilization from which a GPU's clock counts, in percent.
const checkLoad = 30

// lockedBelow is the share of the highest clock under which a steady one is taken
// for a lock: many a card boosts to a few percent less than it allows.
const lockedBelow = 0.95

// checkGPU is what some polls said of one GPU.
type checkGPU struct {
	name                string
	index               int
	first, last, max    float64 // °C
	clockLow, clockHigh float64 // MHz, under load
	clock, top          float64
	mem, memTop         float64
	reasons             float64
	state               gpu.Condition
}

// summarize turns polls into one entry for each GPU.
func summarize(polls [][]gpu.Reading) (out []*checkGPU) {
	nan := math.NaN()
	byIndex := map[int]*checkGPU{}
	for _, rs := range polls {
		for i := range rs {
			r := &rs[i]
			if r.Instance != 0 {
				continue // a MIG device: heat and clocks are the whole GPU's
			}
			g := byIndex[r.Index]
			if g == nil {
				g = &checkGPU{r.Name, r.Index, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, r.State}
				byIndex[r.Index] = g
				out = append(out, g)
			}
			g.name, g.state = cmp.Or(r.Name, g.name), r.State
			if v := r.Get(gpu.Temp); !math.IsNaN(v) {
				if math.IsNaN(g.first) {
					g.first = v
				}
				g.last = v
				g.max = most(g.max, v)
			}
			g.clock, g.top, g.reasons = r.Get(gpu.SMClock), r.Get(gpu.MaxSMClock), r.Get(gpu.Reasons)
			g.mem, g.memTop = r.Get(gpu.MemClock), r.Get(gpu.MaxMemClock)
			if r.Get(gpu.Util) >= checkLoad && !math.IsNaN(g.clock) {
				g.clockLow, g.clockHigh = -most(-g.clockLow, -g.clock), most(g.clockHigh, g.clock)
			}
		}
	}
	return out
}

// most is the larger of two numbers of which either may be missing.
func most(a, b float64) float64 {
	if math.IsNaN(a) || b > a {
		return b
	}
	return a
}

// gpuRows are the checklist's first two rows.
func gpuRows(polls [][]gpu.Reading, why string, limit float64) []checkRow {
	temp := checkRow{ID: "gpu_temperature", Title: "GPU temperature", State: checkUnknown, Why: why, Lock: "benchtop check --cool-below 45C", Values: map[string]report.Num{}}
	clock := checkRow{ID: "gpu_clock", Title: "GPU clocks", State: checkUnknown, Why: why, Lock: "sudo nvidia-smi -pm 1 && sudo nvidia-smi -lgc MHZ,MHZ", Values: map[string]report.Num{}}
	all := summarize(polls)
	if len(all) == 0 {
		temp.Value, clock.Value = "no GPU readings", "no GPU readings"
		return []checkRow{temp, clock}
	}
	temp.State, temp.Why = temperatureState(all, limit)
	clock.State, clock.Why, clock.Lock = clockState(all, clock.Lock)
	var temps, clocks []string
	for _, g := range all {
		id := fmt.Sprintf("gpu%d", g.index)
		temp.Values[id+"_temp_c"], temp.Values[id+"_start_c"] = report.Num(g.last), report.Num(g.first)
		clock.Values[id+"_sm_mhz"], clock.Values[id+"_max_sm_mhz"] = report.Num(g.clock), report.Num(g.top)
		clock.Values[id+"_mem_mhz"], clock.Values[id+"_max_mem_mhz"] = report.Num(g.mem), report.Num(g.memTop)
		temps = append(temps, fmt.Sprintf("%d: %s °C", g.index, whole(g.last)))
		clocks = append(clocks, fmt.Sprintf("%d: SM %s of %s MHz, memory %s of %s MHz", g.index, whole(g.clock), whole(g.top), whole(g.mem), whole(g.memTop)))
	}
	temp.Value, clock.Value = strings.Join(temps, ", "), strings.Join(clocks, "; ")
	return []checkRow{temp, clock}
}

func temperatureState(all []*checkGPU, limit float64) (checkState, string) {
	known := 0
	for _, g := range all {
		switch {
		case g.state == gpu.Lost:
			return checkDrifting, fmt.Sprintf("GPU %d is lost: no run on it counts", g.index)
		case math.IsNaN(g.last):
			continue
		case math.Abs(g.last-g.first) >= driftC:
			return checkDrifting, fmt.Sprintf("GPU %d went from %.0f to %.0f °C while being looked at", g.index, g.first, g.last)
		}
		known++
	}
	switch {
	case known == 0:
		return checkUnknown, "no GPU here tells its temperature"
	case !math.IsNaN(limit):
		return checkLocked, fmt.Sprintf("every GPU starts at or below %.0f °C", limit)
	}
	return checkRecorded, "start and course are recorded with each run"
}

// Bits of the clocks event reasons that say a clock is set by hand.
const (
	reasonIdle      = 0x1
	reasonAppClocks = 0x2
)

// clockState judges the clocks. A lock has no reading of its own: it shows as a
// steady clock below the highest, under load, without a reason.
func clockState(all []*checkGPU, lock string) (checkState, string, string) {
	for _, g := range all {
		if !math.IsNaN(g.top) {
			lock = strings.ReplaceAll(lock, "MHZ", whole(math.Round(g.top*0.8/15)*15))
			break
		}
	}
	held, known := 0, 0
	for _, g := range all {
		if math.IsNaN(g.clock) {
			continue
		}
		known++
		mask := uint64(0)
		if !math.IsNaN(g.reasons) {
			mask = uint64(g.reasons)
		}
		switch loaded := !math.IsNaN(g.clockLow); {
		case loaded && g.clockHigh-g.clockLow > 0.03*g.clockHigh:
			return checkDrifting, fmt.Sprintf("GPU %d moved between %.0f and %.0f MHz under load", g.index, g.clockLow, g.clockHigh), lock
		case loaded && mask&reasonAppClocks != 0:
			held++
		case loaded && !math.IsNaN(g.reasons) && mask&^reasonIdle == 0 && g.clockHigh < lockedBelow*g.top:
			held++
		}
	}
	switch {
	case known == 0:
		return checkUnknown, "no GPU here tells its clock", lock
	case held == known:
		return checkLocked, fmt.Sprintf("steady below the highest with no reason given: locked clocks, most likely (%.0f of %.0f MHz)", all[0].clock, all[0].top), lock
	}
	return checkRecorded, "a lock can't be read and idle clocks tell none; the course is recorded with each run", lock
}

func whole(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return fmt.Sprintf("%.0f", v)
}
