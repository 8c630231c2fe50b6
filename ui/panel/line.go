package panel

import (
	"math"

	"benchtop/themes"
	"benchtop/ui/draw"
)

// line draws one more gauge of a GPU as a line of h rows from row y on, its
// name on a row of its own above it.
func (f Frame) line(y, h int, name string, vals []float64, limit float64, word func(float64) string) {
	if h < 4 {
		return
	}
	for x := range f.View.Left + f.View.Cols {
		f.Grid.Put(x, y, '─', themes.Faint)
	}
	f.Grid.WriteBold(1, y, themes.Title, name+" ")
	y, h = y+1, h-1
	low, top := lineScale(fewest(vals), most(vals), limit)
	rowOf := func(v float64, rows int) int {
		return rows - 1 - int(math.Round((v-low)/(top-low)*float64(rows-1)))
	}
	ticks := []float64{low, top}
	if h%2 == 1 || h >= 8 { // else it lies in no row's middle
		ticks = []float64{low, (low + top) / 2, top}
	}
	f.yAxis(y, h, ticks, rowOf)
	p := f.plot(y, h)
	_ = p.Line(vals, low, top, draw.Only(themes.GPU)) // no line, no harm: the axis says what is missing
	if limit > low {
		p.Threshold(rowOf(limit, h), themes.Target)
		if v := f.looked(vals); f.View.Right >= 10 && !(rowOf(v, h) == rowOf(limit, h)) {
			f.Grid.WriteFit(f.View.Left+f.View.Cols+1, y+rowOf(limit, h), f.View.Right-1, themes.Target, draw.Count(limit)+" limit")
		}
	}
	if v := f.looked(vals); !math.IsNaN(v) {
		f.beside(y+rowOf(v, h), word(v))
	} else if math.IsNaN(most(vals)) {
		f.Grid.Write(f.View.Left+1, y+h/2, themes.Dim, "not reported by this GPU")
	}
	f.cursorLine(y, h)
}

// lineScale is the range of a line: from 0 to a round top over its limit or,
// where it has none, the tens around what it does.
func lineScale(least, most, limit float64) (low, top float64) {
	if !math.IsNaN(limit) || math.IsNaN(most) {
		return 0, draw.NiceTop(max(zero(most), zero(limit), 1))
	}
	low, top = math.Floor((least-2)/10)*10, math.Ceil((most+2)/10)*10
	for top-low < 40 { // a degree or two must not look like a change
		if top += 10; top-low < 40 {
			low -= 10
		}
	}
	return max(low, 0), top
}
