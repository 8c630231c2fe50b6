package panel

import (
	"fmt"
	"math"

	"benchtop/model"
	"benchtop/themes"
	"benchtop/ui/draw"
	"benchtop/ui/layout"
)

var gpuClock = Panel{
	ID: "gpu", Title: "GPU clock", Key: "4",
	Want:  layout.Want{Steps: []int{8, 6, 4, 3, 2, 1}, Narrow: []int{7, 6, 4, 3, 1}, Rank: 4, Grow: 6, Most: 14},
	Blank: func(s *model.Snapshot) bool { return len(s.GPUs) == 0 },
	Head:  clockHead,
	Draw:  drawClock,
}

// worstGPU is the GPU held back longest in this run, or else the slowest one, of
// those that the server uses as far as that is known.
func (f Frame) worstGPU() (model.GPUInfo, bool) {
	var best model.GPUInfo
	most, slow, found := 0.0, math.Inf(1), false
	other := map[uint64]bool{}
	if sig := f.View.Figures.Signals; sig != nil {
		for _, g := range sig.GPUs {
			other[g.Key] = g.Other
		}
	}
	for _, g := range f.View.Figures.GPUs {
		if other[g.Key] { // there is one that is not
			continue
		}
		heldS := heldS(f.View.Figures, g.Key)
		clock := first(last(f.View.Figures.GPU(model.GPUSMClock, g.Key)), math.Inf(1))
		if !found || heldS > most+1 || heldS > most-1 && clock < 0.97*slow {
			best, most, slow, found = g, heldS, clock, true
		}
	}
	return best, found
}

func clockHead(f Frame) Head {
	g, ok := f.worstGPU()
	if !ok {
		return Head{Title: "GPU clock", Notes: []Span{{"no GPU figures", themes.Dim, false}}}
	}
	fig := f.View.Figures
	h := Head{Title: fmt.Sprintf("GPU %d clock", g.Index)}
	if n := len(fig.GPUs); n > 1 {
		h.Title = fmt.Sprintf("GPU %d of %d clock", g.Index, n)
	}
	vals := f.held(f.Snap.GPU(model.GPUSMClock, g.Key), least)
	if v := f.shown(vals, current(fig, fig.GPU(model.GPUSMClock, g.Key))); !math.IsNaN(v) {
		h.Notes = append(h.Notes, Span{draw.Megahertz(v), themes.GPU, false})
	}
	for _, o := range fig.GPUs {
		if c := f.condition(o.Key); c != "" {
			h.Notes = append(h.Notes, Span{"▲ GPU " + o.Label() + " " + c, themes.Bad, true})
		}
	}
	if t := f.throttling(g.Key); t.total > 0 {
		if v, top := f.shown(vals, current(fig, fig.GPU(model.GPUSMClock, g.Key))), last(fig.GPU(model.GPUMaxSMClock, g.Key)); v < 0.97*top {
			h.Notes[0].Role = themes.Bad
			h.Notes = append(h.Notes, Span{"−" + draw.Grouped((top-v)/1e6) + " (" + draw.Percent(1-v/top) + ")", themes.Bad, false})
		}
		h.Notes = append(h.Notes, Span{"throttled " + seconds(t.total), themes.Bad, false})
	} else if f.locked(g.Key) {
		h.Notes = append(h.Notes, Span{"of " + draw.Grouped(last(fig.GPU(model.GPUMaxSMClock, g.Key))/1e6) + ", no reason given (locked clocks?)", themes.Warn, false})
	}
	if v := f.shown(f.held(f.Snap.GPU(model.GPUTemp, g.Key), mean), current(fig, fig.GPU(model.GPUTemp, g.Key))); !math.IsNaN(v) {
		h.Notes = append(h.Notes, Span{draw.Celsius(v), themes.Dim, false})
	}
	if v := f.shown(f.held(f.Snap.GPU(model.GPUPower, g.Key), mean), current(fig, fig.GPU(model.GPUPower, g.Key))); !math.IsNaN(v) {
		s := draw.Watts(v)
		if limit := last(fig.GPU(model.GPUPowerLimit, g.Key)); !math.IsNaN(limit) {
			s += " of " + draw.Grouped(limit)
		}
		h.Notes = append(h.Notes, Span{s, themes.Dim, false})
	}
	if m := f.memoryOf(g.Key); m != "" {
		h.Notes = append(h.Notes, Span{"mem " + m, themes.Dim, false})
	}
	if u := f.now(model.GPUUtil, g.Key); !math.IsNaN(u) {
		h.Notes = append(h.Notes, Span{"busy time " + draw.Percent(u), themes.Dim, false})
	}
	return h
}

func seconds(s float64) string {
	if s >= 99.95 {
		return draw.Age(s)
	}
	return fmt.Sprintf("%.1f s", s)
}

// withHeat is how many rows the clock, the temperature and the power take as
// charts one above the other.
const withHeat = 16

// roomForReadings reports whether the readings fit under the charts.
func roomForReadings(h int) bool {
	rest := h - readingRows - 1
	return rest >= withHeat || h < withHeat && rest >= 8
}

func drawClock(f Frame) {
	_, h := f.Grid.Size()
	g, ok := f.worstGPU()
	if !ok {
		f.noGPU(h)
		return
	}
	if f.View.Full && roomForReadings(h) {
		w, _ := f.Grid.Size()
		f.drawReadings(h-readingRows, g)
		h -= readingRows + 1
		f.Grid = f.Grid.Sub(0, 0, w, h)
	}
	if h >= withHeat {
		w, _ := f.Grid.Size()
		part := max((h-1)/4, 4)
		f.line(h-2*part, part, "temperature °C", f.held(f.Snap.GPU(model.GPUTemp, g.Key), peak), math.NaN(), draw.Celsius)
		f.line(h-part, part, "power W", f.held(f.Snap.GPU(model.GPUPower, g.Key), mean), last(f.Snap.GPU(model.GPUPowerLimit, g.Key)), draw.Watts)
		h -= 2 * part
		f.Grid = f.Grid.Sub(0, 0, w, h)
	}
	vals := f.held(f.Snap.GPU(model.GPUSMClock, g.Key), least)
	t := f.throttling(g.Key)
	ceiling := first(last(f.Snap.GPU(model.GPUMaxSMClock, g.Key)), most(vals))
	role := func(i int) themes.Role {
		if t.reason[i] >= 0 {
			return themes.Bad
		}
		return themes.GPU
	}
	if h < 3 {
		f.strip(h, "gpu", vals, ceiling, role, func(hz float64) string {
			if h == 1 && !f.View.Framed { // nothing else names the unit
				return draw.Grouped(hz/1e6) + "MHz"
			}
			return draw.Grouped(hz / 1e6)
		})
		return
	}
	others := 0
	if n := len(f.View.Figures.GPUs) - 1; n > 0 && h >= 9 && !f.View.AllGPUs {
		others = min(n, h-8)
	}
	labels := 0
	if h-others >= 6 {
		labels = 1
	}
	rows := h - others - labels - 1
	f.clockPlot(rows, vals, t, ceiling, role)
	f.strokes(rows, t)
	if labels > 0 {
		f.holdLabels(rows+1, t)
	}
	f.cursorLine(0, rows+1)
	if others > 0 {
		f.otherGPUs(h-others, others, g.Key)
	}
}

func (f Frame) noGPU(h int) {
	for y := range h {
		f.Grid.Put(f.View.Left-1, y, '│', themes.Faint)
	}
	f.gutter(0, themes.Dim, "gpu")
	f.Grid.WriteFit(f.View.Left+1, h/2, f.View.Cols+f.View.Right-1, themes.Dim, "no GPU figures: clocks and throttling are not observed")
}

// clockPlot draws the clock between round bounds.
func (f Frame) clockPlot(rows int, vals []float64, t throttling, ceiling float64, role func(int) themes.Role) {
	low := math.NaN()
	for i, v := range vals { // an idle card's clock must not flatten what matters
		if (v > ceiling/2 || t.reason[i] >= 0) && !(v >= low) {
			low = v
		}
	}
	lo, hi := clockScale(low, max(zero(ceiling), zero(most(vals))), rows)
	p := f.plot(0, rows)
	for i, r := range t.reason {
		if r >= 0 && p.Glyphs.Tints {
			p.Tint(i, 0, 1, rows, themes.BadTint)
		}
	}
	for y := range rows {
		f.Grid.Put(f.View.Left-1, y, '│', themes.Faint)
		if y%2 == 0 || rows <= 4 {
			v := hi - (hi-lo)*float64(y)/float64(max(rows-1, 1))
			f.gutter(y, themes.Dim, draw.Grouped(v/1e6))
			f.Grid.Put(f.View.Left-1, y, '┤', themes.Faint)
		}
	}
	if v := f.looked(vals); f.View.Right >= 10 && !math.IsNaN(v) {
		f.beside(rows-1-int(math.Round((v-lo)/(hi-lo)*float64(rows-1))), draw.Megahertz(v))
	}
	_ = p.Line(vals, lo, hi, role) // no line, no harm: the strip under it stays
	for i, v := range vals {
		if v < lo && (i == 0 || !(vals[i-1] < lo)) {
			p.Put(i, rows-1, '↓', themes.Dim) // it goes on below
		}
	}
	if !math.IsNaN(ceiling) {
		row := func(v float64) int { return rows - 1 - int(math.Round((v-lo)/(hi-lo)*float64(rows-1))) }
		y := row(ceiling)
		if v := f.looked(vals); f.View.Right >= 10 && !(row(v) == y) {
			f.Grid.WriteFit(f.View.Left+f.View.Cols+1, y, f.View.Right-1, themes.Target, draw.Grouped(ceiling/1e6)+" max")
		}
		for x := range f.View.Cols {
			if p.Cell(x, y).Rune == ' ' {
				p.Put(x, y, '┄', themes.Target)
			}
		}
	}
}

// clockScale is a stable scale in hertz with round steps a row: the top is the
// ceiling, the bottom leaves room under the lowest clock.
func clockScale(low, ceiling float64, rows int) (lo, hi float64) {
	if !(ceiling > 0) {
		ceiling = 1e9
	}
	const mhz = 1e6
	hi = math.Ceil(ceiling/(10*mhz)) * 10 * mhz
	need := hi - 600*mhz
	if low < need+60*mhz {
		need = low - 60*mhz
	}
	n := float64(max(rows-1, 1))
	step := 1000.0
	for _, s := range [...]float64{10, 20, 25, 40, 50, 80, 100, 120, 150, 200, 250, 300, 400, 500, 600, 800, 1000} {
		if s*mhz*n >= hi-need {
			step = s
			break
		}
	}
	return max(hi-step*mhz*n, 0), hi
}

// strokes draws the solid strip that says when the clock was held, also where
// there is no colour.
func (f Frame) strokes(y int, t throttling) {
	p := f.plot(y, 1)
	for i, r := range t.reason {
		switch {
		case r >= 0:
			p.Put(i, 0, '▀', themes.Bad)
		case i <= f.View.Newest:
			p.Put(i, 0, '▔', themes.Faint)
		}
	}
	f.gutter(y, themes.Dim, "held")
}

// holdLabels names each held span under it, the longest first where they
// would overlap.
func (f Frame) holdLabels(y int, t throttling) {
	type span struct {
		from, to, reason int
		seconds          float64
	}
	var all []span
	for i := 0; i < len(t.reason); i++ {
		if t.reason[i] < 0 {
			continue
		}
		s := span{from: i, reason: t.reason[i]}
		per := map[int]float64{}
		quiet := 0
		for ; i < len(t.reason) && quiet < 2; i++ {
			if t.reason[i] < 0 {
				quiet++
				continue
			}
			quiet, s.to = 0, i+1
			s.seconds += t.seconds[i]
			per[t.reason[i]] += t.seconds[i]
			if per[t.reason[i]] > per[s.reason] {
				s.reason = t.reason[i]
			}
		}
		all = append(all, s)
	}
	p := f.plot(y, 1)
	for len(all) > 0 {
		longest := 0
		for i := range all {
			if all[i].seconds > all[longest].seconds {
				longest = i
			}
		}
		s := all[longest]
		all = append(all[:longest], all[longest+1:]...)
		text := holds[s.reason].words + " " + seconds(s.seconds)
		x := min(max(s.from+(s.to-s.from-len(text))/2, 0), f.View.Cols-len(text))
		if x >= 0 && clear(p, x-1, 0, len(text)+2) {
			p.Write(x, 0, themes.Bad, text)
		}
	}
}

// otherGPUs draws one row for each further GPU.
func (f Frame) otherGPUs(y, rows int, shown uint64) {
	for _, g := range f.View.Figures.GPUs {
		if g.Key == shown || rows == 0 {
			continue
		}
		vals := f.held(f.Snap.GPU(model.GPUSMClock, g.Key), least)
		t := f.throttling(g.Key)
		f.plot(y, 1).Bars(vals, first(last(f.Snap.GPU(model.GPUMaxSMClock, g.Key)), most(vals)), func(i int) themes.Role {
			if t.reason[i] >= 0 {
				return themes.Bad
			}
			return themes.GPU
		})
		f.gutter(y, themes.Dim, fmt.Sprintf("gpu %d", g.Index))
		f.cursorLine(y, 1)
		y++
		rows--
	}
}
