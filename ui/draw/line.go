package draw

import (
	"fmt"
	"math"
	"strings"

	"github.com/guptarohit/asciigraph"

	"benchtop/themes"
)

// Line draws a line chart through vals, one value a column, from lo at the
// bottom row to hi at the top row; NaN is a gap, values outside are drawn at
// the edge. asciigraph makes the strokes: it is fed one bucketed value a
// column and never asked to stretch, clamp or label, and its runes are copied
// into the grid so that backgrounds stay. An error says why there is no line.
func (g *Grid) Line(vals []float64, lo, hi float64, roleAt func(i int) themes.Role) (err error) {
	n := min(len(vals), g.w)
	if n == 0 || g.h == 0 || !(hi > lo) {
		return nil
	}
	if g.h == 1 {
		for i := range n {
			if !math.IsNaN(vals[i]) {
				g.Put(i, 0, '─', roleAt(i))
			}
		}
		return nil
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("line chart: %v", r)
		}
	}()
	rows := float64(g.h - 1)
	scaled := make([]float64, n+1) // n values make n-1 strokes: the first counts twice
	any := false
	for i := range n {
		v := (vals[i] - lo) / (hi - lo) * rows
		if math.IsNaN(v) {
			scaled[i+1] = math.NaN()
			continue
		}
		scaled[i+1] = math.Round(min(max(v, 0), rows))
		any = true
	}
	if !any {
		return nil
	}
	scaled[0] = scaled[1]
	plot := asciigraph.Plot(scaled, asciigraph.Height(g.h-1), asciigraph.LowerBound(0), asciigraph.UpperBound(rows),
		asciigraph.Offset(3), asciigraph.YAxisValueFormatter(func(float64) string { return "" }))
	y := 0
	for row := range strings.SplitSeq(plot, "\n") {
		x := -3 // labels and axis
		for _, r := range row {
			if x >= 0 && r != ' ' {
				g.Put(x, y, r, roleAt(min(x, n-1)))
			}
			x++
		}
		y++
	}
	return nil
}
