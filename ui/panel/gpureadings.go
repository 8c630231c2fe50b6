package panel

import (
	"fmt"
	"math"
	"strings"

	"benchtop/model"
	"benchtop/themes"
	"benchtop/ui/draw"
)

// readingRows is how many lines the readings of a GPU take.
const readingRows = 5

// now is a gauge of a GPU, at the cursor or its newest value.
func (f Frame) now(id model.SeriesID, key uint64) float64 {
	fig := f.View.Figures
	return f.shown(f.held(f.Snap.GPU(id, key), mean), current(fig, fig.GPU(id, key)))
}

// condition words that a GPU is not well, with how long ago it was last read; ""
// if it is.
func (f Frame) condition(key uint64) string {
	state, fig := last(f.View.Figures.GPU(model.GPULost, key)), f.View.Figures
	if f.View.Cursor >= 0 {
		state = f.looked(f.held(f.Snap.GPU(model.GPULost, key), peak))
	}
	words := map[float64]string{1: "stale", 2: "denied", 3: "LOST"}[state]
	if t := fig.GPU(model.GPUSMClock, key); words != "" && t != nil && t.LastAt != 0 && f.View.Cursor < 0 {
		words += " " + draw.Age(fig.Now.Seconds(t.LastAt))
	}
	return words
}

// memoryOf words a GPU's memory, "" if nobody tells it: what is the machine's
// or run by the kernel is called so.
func (f Frame) memoryOf(key uint64) string {
	used := f.now(model.GPUMemUsed, key)
	if math.IsNaN(used) {
		return ""
	}
	s := draw.Bytes(used)
	if total := last(f.View.Figures.GPU(model.GPUMemTotal, key)); !math.IsNaN(total) {
		s += " of " + draw.Bytes(total)
	}
	switch last(f.View.Figures.GPU(model.GPUMemKind, key)) {
	case 1:
		s += " shared"
	case 2:
		s += " managed by the kernel"
	}
	return s
}

// limitOf words how far a temperature is from the limit that the card itself
// tells, "" if it tells none.
func (f Frame) limitOf(temp float64, key uint64) (words string, at bool) {
	if left := f.now(model.GPUMargin, key); !math.IsNaN(left) {
		if left <= 0 {
			return "at its limit", true
		}
		return draw.Celsius(left) + " to its limit", false
	}
	if limit := last(f.View.Figures.GPU(model.GPUSlowdown, key)); !math.IsNaN(limit) {
		return "slows down at " + draw.Celsius(limit), temp >= limit
	}
	return "", false
}

// reasonNames are the clocks event reasons by their bit.
var reasonNames = []struct {
	bit   int64
	words string
}{
	{0x1, "idle"},
	{0x2, "applications clocks"},
	{0x4, "SW power cap"},
	{0x8, "HW slowdown"},
	{0x10, "sync boost"},
	{0x20, "SW thermal"},
	{0x40, "HW thermal"},
	{0x80, "HW power brake"},
	{0x100, "display clocks"},
	{0x200, "board limit"},
	{0x400, "reliability"},
}

// reasonWords are the reasons in a mask; bits that nobody has named yet stand as
// a number.
func reasonWords(mask int64) string {
	var words []string
	for _, r := range reasonNames {
		if mask&r.bit != 0 {
			words = append(words, r.words)
			mask &^= r.bit
		}
	}
	if mask != 0 {
		words = append(words, fmt.Sprintf("0x%x", mask))
	}
	if len(words) == 0 {
		return "nothing"
	}
	return strings.Join(words, ", ")
}

// locked reports a GPU that works at a steady clock below its highest for no
// reason that it gives: a range that was locked can't be asked for.
func (f Frame) locked(key uint64) bool {
	sig := f.View.Figures.Signals
	if sig == nil {
		return false
	}
	for i := range sig.GPUs {
		g := &sig.GPUs[i]
		if g.Key != key || !(g.Loss >= 0.05 && g.LossBest < 0.02 && g.Util >= 0.3) {
			continue
		}
		for _, share := range []float64{g.PowerCap, g.SWThermal, g.HWThermal, g.Brake, g.SyncBoost, g.AppClocks, g.HWSlowdown, g.Board, g.Reliability, g.Display} {
			if share > 0 {
				return false
			}
		}
		return !math.IsNaN(g.PowerCap) && last(f.View.Figures.GPU(model.GPUReasons, key)) == 0
	}
	return false
}

// readingNames stand before the lines of readings.
var readingNames = [readingRows]string{"clocks", "heat", "power", "use", "work"}

// readings are all readings of a GPU but its clock, in lines; what the card does
// not have is left out.
func (f Frame) readings(g model.GPUInfo) (rows [readingRows][]Span) {
	at := func(id model.SeriesID) float64 { return f.now(id, g.Key) }
	add := func(row int, role themes.Role, words string) {
		if words != "" {
			rows[row] = append(rows[row], Span{words, role, false})
		}
	}
	if c := at(model.GPUSMClock); !math.IsNaN(c) {
		add(0, themes.Text, "SM "+draw.Megahertz(c))
	}
	if c := at(model.GPUMemClock); !math.IsNaN(c) {
		add(0, themes.Text, "memory "+draw.Megahertz(c))
	}
	if r := f.shown(f.held(f.Snap.GPU(model.GPUReasons, g.Key), peak), last(f.View.Figures.GPU(model.GPUReasons, g.Key))); !math.IsNaN(r) {
		add(0, themes.Dim, "held by: "+reasonWords(int64(r)))
	}
	if t := at(model.GPUTemp); !math.IsNaN(t) {
		role := themes.Text
		limit, over := f.limitOf(t, g.Key)
		if over {
			role = themes.Bad
		}
		add(1, role, "GPU "+draw.Celsius(t))
		add(1, themes.Dim, limit)
	}
	if t := at(model.GPUMemTemp); !math.IsNaN(t) {
		add(1, themes.Text, "memory "+draw.Celsius(t))
	}
	rows[2] = f.powerReadings(g)
	if m := f.memoryOf(g.Key); m != "" {
		add(3, themes.Text, "memory "+m)
	}
	if u := at(model.GPUUtil); !math.IsNaN(u) {
		add(3, themes.Text, "busy time "+draw.Percent(u))
		if w, limit := first(at(model.GPUPower), at(model.GPUPowerInstant)), last(f.View.Figures.GPU(model.GPUPowerLimit, g.Key)); u >= 0.95 && w < 0.2*limit {
			add(3, themes.Warn, "at "+draw.Watts(w)+": doubtful, a stuck kernel counts as busy too")
		} else {
			add(3, themes.Dim, "a kernel ran; not how much of the GPU it used")
		}
	}
	for _, r := range []struct {
		id   model.SeriesID
		name string
	}{{model.GPUSMActivity, "SMs busy "}, {model.GPUSMOccupancy, "occupied "}, {model.GPUTensorActivity, "tensor "}, {model.GPUDRAMActivity, "DRAM "}} {
		if v := at(r.id); !math.IsNaN(v) {
			add(4, themes.Text, r.name+draw.Percent(v))
		}
	}
	return rows
}

// powerReadings words a GPU's power, as a mean and as an instant where the card
// tells both, against its limit, and the energy used in the run.
func (f Frame) powerReadings(g model.GPUInfo) (row []Span) {
	avg, instant := f.now(model.GPUPower, g.Key), f.now(model.GPUPowerInstant, g.Key)
	if !math.IsNaN(avg) {
		row = append(row, Span{draw.Watts(avg) + " mean", themes.Text, false})
	}
	if !math.IsNaN(instant) {
		row = append(row, Span{draw.Watts(instant) + " now", themes.Text, false})
	}
	if v, limit := first(avg, instant), last(f.View.Figures.GPU(model.GPUPowerLimit, g.Key)); limit > 0 && !math.IsNaN(v) {
		row = append(row, Span{draw.Percent(v/limit) + " of the limit of " + draw.Watts(limit), themes.Dim, false})
	}
	if t := f.View.Figures.GPU(model.GPUEnergy, g.Key); t != nil && t.Total > 0 {
		row = append(row, Span{draw.Joules(t.Total) + " this run", themes.Dim, false})
	}
	return row
}

// drawReadings writes the readings of a GPU in the last rows of a panel.
func (f Frame) drawReadings(y int, g model.GPUInfo) {
	w, _ := f.Grid.Size()
	for i, row := range f.readings(g) {
		f.gutter(y+i, themes.Dim, readingNames[i])
		if len(row) == 0 {
			row = []Span{{"not told by this card or by how it is read", themes.Dim, false}}
		}
		spans(f.Grid, f.View.Left+1, y+i, w-f.View.Left-2, row)
	}
}
