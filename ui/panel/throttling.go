package panel

import (
	"math"

	"benchtop/model"
)

// hold is one reason for a lowered clock.
type hold struct {
	id    model.SeriesID
	bits  int64 // of the clocks event reasons
	words string
}

// holds are the reasons shown, the worst first. "HW slowdown" has no counter
// of its own.
var holds = []hold{
	{model.GPUHeldHWThermal, 0x40, "HW thermal"},
	{model.GPUHeldBrake, 0x80, "HW power brake"},
	{model.GPUHeldSWThermal, 0x20, "SW thermal"},
	{model.GPUHeldPowerCap, 0x04, "SW power cap"},
	{model.GPUHeldBoard, 0, "board limit"},
	{model.GPUHeldReliability, 0, "reliability"},
	{model.GPUHeldSyncBoost, 0x10, "sync boost"},
}

// noise is the share of time that means nothing: a card touches its power limit
// all the time, while of heat and of the brake any hold is one, however short.
func (h hold) noise() float64 {
	switch h.id {
	case model.GPUHeldHWThermal, model.GPUHeldSWThermal, model.GPUHeldBrake:
		return 0
	}
	return 0.1
}

// throttling is which reason held the clock in each column, and for how long.
type throttling struct {
	reason  []int // index into holds, -1 for none
	seconds []float64
	total   float64
}

func (f Frame) throttling(key uint64) throttling {
	t := throttling{reason: make([]int, f.View.Cols), seconds: make([]float64, f.View.Cols)}
	for i := range t.reason {
		t.reason[i] = -1
	}
	step := f.View.Step.Seconds()
	told := false
	for n, h := range holds {
		track := f.Snap.GPU(h.id, key)
		if track == nil {
			continue
		}
		told = true
		grown := f.spread(track)
		for i, s := range grown {
			if s > h.noise()*step && s > t.seconds[i] {
				t.total += s - t.seconds[i]
				t.reason[i], t.seconds[i] = n, s
			}
		}
	}
	if told {
		return t
	}
	for i, v := range f.held(f.Snap.GPU(model.GPUReasons, key), peak) {
		if math.IsNaN(v) {
			continue
		}
		for n, h := range holds {
			if int64(v)&h.bits != 0 {
				t.reason[i], t.seconds[i] = n, step
				t.total += step
				break
			}
		}
	}
	return t
}

// spread is a growing amount's growth a column, laid evenly over the columns
// since the sample before: a poll a second fills columns of half a second too.
func (f Frame) spread(t *model.Track) []float64 {
	return f.evenly(f.columns(t, sum), t.Period)
}
