package panel

import (
	"math"

	"benchtop/model"
	"benchtop/themes"
	"benchtop/ui/draw"
)

// readingRows is how many lines the readings of a GPU take.
const readingRows = 4

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

// readingNames stand before the lines of readings.
var readingNames = [readingRows]string{"heat", "power", "use", "work"}

// readings are all readings of a GPU but its clock, in lines; what the card does
// not have is left out.
func (f Frame) readings(g model.GPUInfo) (rows [readingRows][]Span) {
	at := func(id model.SeriesID) float64 { return f.now(id, g.Key) }
	add := func(row int, role themes.Role, words string) {
		if words != "" {
			rows[row] = append(rows[row], Span{words, role, false})
		}
	}
	if t := at(model.GPUTemp); !math.IsNaN(t) {
		role := themes.Text
		limit, over := f.limitOf(t, g.Key)
		if over {
			role = themes.Bad
		}
		add(0, role, "GPU "+draw.Celsius(t))
		add(0, themes.Dim, limit)
	}
	if t := at(model.GPUMemTemp); !math.IsNaN(t) {
		add(0, themes.Text, "memory "+draw.Celsius(t))
	}
	rows[1] = f.powerReadings(g)
	if m := f.memoryOf(g.Key); m != "" {
		add(2, themes.Text, "memory "+m)
	}
	if u := at(model.GPUUtil); !math.IsNaN(u) {
		add(2, themes.Text, "busy time "+draw.Percent(u))
		add(2, themes.Dim, "a kernel ran; not how much of the GPU it used")
	}
	for _, r := range []struct {
		id   model.SeriesID
		name string
	}{{model.GPUSMActivity, "SMs busy "}, {model.GPUSMOccupancy, "occupied "}, {model.GPUTensorActivity, "tensor "}, {model.GPUDRAMActivity, "DRAM "}} {
		if v := at(r.id); !math.IsNaN(v) {
			add(3, themes.Text, r.name+draw.Percent(v))
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
