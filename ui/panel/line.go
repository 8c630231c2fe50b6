package panel

import (
	"math"

	"benchtop/themes"
	"benchtop/ui/draw"
)

// line draws one more gauge of a GPU as a line of h rows from row y on, its
// name on a row of its own above it.
func (f Frame) line(y, h int, name string, vals []float64, limit float64) {
	if h < 4 {
		return
	}
	for x := range f.View.Left + f.View.Cols {
		f.Grid.Put(x, y, '─', themes.Faint)
	}
	f.Grid.WriteBold(1, y, themes.Title, name+" ")
	y, h = y+1, h-1
	top := draw.NiceTop(max(zero(most(vals)), zero(limit), 1))
	low := 0.0
	if m := fewest(vals); m > top/2 {
		low = top / 2
	}
	rowOf := func(v float64, rows int) int {
		return rows - 1 - int(math.Round((v-low)/(top-low)*float64(rows-1)))
	}
	f.yAxis(y, h, []float64{low, (low + top) / 2, top}, rowOf)
	p := f.plot(y, h)
	_ = p.Line(vals, low, top, draw.Only(themes.GPU)) // no line, no harm: the axis says what is missing
	if limit > low {
		p.Threshold(rowOf(limit, h), themes.Target)
	}
	if v := f.looked(vals); !math.IsNaN(v) {
		f.beside(y+rowOf(v, h), draw.Count(v))
	} else if math.IsNaN(most(vals)) {
		f.Grid.Write(f.View.Left+1, y+h/2, themes.Dim, "not reported by this GPU")
	}
	f.cursorLine(y, h)
}
