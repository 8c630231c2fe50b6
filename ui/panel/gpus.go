package panel

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"benchtop/model"
	"benchtop/themes"
	"benchtop/ui/draw"
	"benchtop/ui/layout"
)

var gpus = Panel{
	ID: "gpus", Title: "GPUs", Key: "u",
	Want:  layout.Want{Steps: []int{4, 2}, Rank: 15, Spare: true, Grow: 4, Most: 32},
	Needs: func(s *model.Snapshot) bool { return len(s.GPUs)+len(s.Instances) > 1 },
	Head:  gpusHead,
	Draw:  drawGPUs,
}

// heldS is for how long a GPU's clock was held in this run.
func heldS(s *model.Snapshot, key uint64) float64 {
	n := 0.0
	for _, h := range holds {
		if t := s.GPU(h.id, key); t != nil {
			n += t.Total
		}
	}
	return n
}

// hottest is a GPU's highest temperature of the run in steps of 10 °C: rows that
// changed places with each degree could not be read.
func hottest(s *model.Snapshot, key uint64) int {
	if t := s.GPU(model.GPUTemp, key); t != nil && t.N > 0 {
		return int(t.Max / 10)
	}
	return 0
}

// ranked are the GPUs that were lost first, then those with the longest held, then
// the hottest, else by number, each followed by its MIG devices.
func ranked(s *model.Snapshot) []model.GPUInfo {
	all := slices.Clone(s.GPUs)
	slices.SortStableFunc(all, func(a, b model.GPUInfo) int {
		x, y := math.Floor(heldS(s, a.Key)), math.Floor(heldS(s, b.Key))
		lost := func(g model.GPUInfo) bool { return last(s.GPU(model.GPULost, g.Key)) >= 3 }
		switch {
		case lost(a) != lost(b):
			if lost(a) {
				return -1
			}
			return 1
		case x > y:
			return -1
		case x < y:
			return 1
		}
		if x, y := hottest(s, a.Key), hottest(s, b.Key); x != y {
			return y - x
		}
		return a.Index - b.Index
	})
	if len(s.Instances) == 0 {
		return all
	}
	var out []model.GPUInfo
	for _, g := range all {
		out = append(out, g)
		for _, in := range s.Instances {
			if in.Parent() == g.Key {
				out = append(out, in)
			}
		}
	}
	return out
}

func gpusHead(f Frame) Head {
	s := f.View.Figures
	held, unwell := 0, 0
	for _, g := range s.GPUs {
		if f.condition(g.Key) != "" {
			unwell++
		}
		if heldS(s, g.Key) >= 1 {
			held++
		}
	}
	h := Head{Title: counted(len(s.GPUs), "GPU") + ", clock 50 to 100 % of max"}
	if n := len(s.Instances); n > 0 {
		h.Title += "; " + counted(n, "MIG device") + ", SMs busy"
	}
	switch {
	case len(s.GPUs) == 0:
		h = Head{Title: "GPUs", Notes: []Span{{"no GPU figures", themes.Dim, false}}}
	case held > 0:
		h.Notes = []Span{{"▲ " + strconv.Itoa(held) + " held back", themes.Bad, false}, {"longest held first", themes.Dim, false}}
	default:
		h.Notes = []Span{{"none was held back", themes.Good, false}}
	}
	if unwell > 0 {
		h.Notes = append([]Span{{"▲ " + counted(unwell, "GPU") + " without readings", themes.Bad, true}}, h.Notes...)
	}
	return h
}

// counted is a number of things, in the singular for one.
func counted(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return strconv.Itoa(n) + " " + thing
}

// drawGPUs draws one strip for each GPU on the common time axis, as tall as
// there is room; those that do not fit are counted.
func drawGPUs(f Frame) {
	w, h := f.Grid.Size()
	all := ranked(f.View.Figures)
	if len(all) == 0 {
		f.noGPU(h)
		return
	}
	each := min(max(1, h/len(all)), 16)
	y := 0
	for i, g := range all {
		if y+each > h || y+2*each > h && i < len(all)-1 && each == 1 {
			f.Grid.WriteFit(f.View.Left, y, w-f.View.Left, themes.Dim, "and "+strconv.Itoa(len(all)-i)+" more: enter shows them all")
			return
		}
		if g.Instance() != 0 {
			f.instanceStrip(y, each, g)
		} else {
			f.gpuStrip(y, each, g)
		}
		y += each
	}
}

func (f Frame) gpuStrip(y, h int, g model.GPUInfo) {
	vals := f.held(f.Snap.GPU(model.GPUSMClock, g.Key), least)
	t := f.throttling(g.Key)
	ceiling := first(last(f.Snap.GPU(model.GPUMaxSMClock, g.Key)), most(vals))
	if h >= 3 { // a free row parts it from the next
		h--
	}
	p := f.plot(y, h)
	// Half of the ceiling is the bottom: a clock held back by a tenth must be seen in one row.
	scaled := make([]float64, len(vals))
	for i, v := range vals {
		scaled[i] = max((v/ceiling-0.5)*2, 0.02)
		if math.IsNaN(v) {
			scaled[i] = v
		}
	}
	p.Bars(scaled, 1, func(i int) themes.Role {
		if t.reason[i] >= 0 {
			return themes.Bad
		}
		return themes.GPU
	})
	name, role := "gpu "+strconv.Itoa(g.Index), themes.Dim
	if t.total > 0 {
		name, role = "▲gpu"+strconv.Itoa(g.Index), themes.Bad // not by colour alone
	}
	f.gutter(y, role, name)
	for row := range h {
		f.Grid.Put(f.View.Left-1, y+row, '│', themes.Faint)
	}
	fig := f.View.Figures
	clock := f.shown(vals, current(fig, fig.GPU(model.GPUSMClock, g.Key)))
	temp := f.shown(f.held(f.Snap.GPU(model.GPUTemp, g.Key), mean), current(fig, fig.GPU(model.GPUTemp, g.Key)))
	if c := f.condition(g.Key); c != "" {
		f.gutter(y, themes.Bad, "▲gpu"+strconv.Itoa(g.Index))
		f.beside(y, c)
		f.cursorLine(y, h)
		return
	}
	if f.View.Right >= 10 && !math.IsNaN(clock) {
		f.beside(y, strings.TrimSuffix(draw.Grouped(clock/1e6)+" "+draw.Grouped(temp)+"°", " "+draw.None+"°"))
		if watts := current(fig, fig.GPU(model.GPUPower, g.Key)); h > 1 && !math.IsNaN(watts) {
			f.beside(y+1, draw.Watts(f.shown(f.held(f.Snap.GPU(model.GPUPower, g.Key), mean), current(fig, fig.GPU(model.GPUPower, g.Key)))))
		}
		if h > 2 && t.total > 0 {
			f.beside(y+2, "held "+seconds(t.total))
		}
		if m := f.now(model.GPUMemUsed, g.Key); h > 3 && !math.IsNaN(m) {
			f.beside(y+3, draw.Bytes(m))
		}
	}
	f.cursorLine(y, h)
}

// instanceStrip draws how busy a MIG device was: its clock is the whole GPU's,
// in the strip above.
func (f Frame) instanceStrip(y, h int, g model.GPUInfo) {
	busy := f.held(f.Snap.GPU(model.GPUSMActivity, g.Key), mean)
	if h >= 3 { // a free row parts it from the next
		h--
	}
	f.plot(y, h).Bars(busy, 1, func(int) themes.Role { return themes.GPU })
	f.gutter(y, themes.Dim, "mig"+g.Label())
	for row := range h {
		f.Grid.Put(f.View.Left-1, y+row, '│', themes.Faint)
	}
	fig := f.View.Figures
	if f.View.Right >= 10 {
		f.beside(y, draw.Percent(f.shown(busy, current(fig, fig.GPU(model.GPUSMActivity, g.Key))))+" SMs")
		if used := current(fig, fig.GPU(model.GPUMemUsed, g.Key)); h > 1 && !math.IsNaN(used) {
			f.beside(y+1, draw.Bytes(f.shown(f.held(f.Snap.GPU(model.GPUMemUsed, g.Key), mean), used)))
		}
	}
	f.cursorLine(y, h)
}
