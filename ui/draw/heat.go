package draw

import (
	"math"

	"benchtop/themes"
)

// Heat draws a map of counts: at(col, bin) for bins 0 (bottom) to bins-1, two
// bins a row where tints show, else one density rune a row. most is the count
// of the brightest step; steps are logarithmic.
func (g *Grid) Heat(cols, bins int, most float64, at func(col, bin int) float64) {
	scale := math.Log1p(most)
	level := func(v float64, steps int) int {
		if !(v > 0) || !(scale > 0) {
			return 0
		}
		return min(steps, max(1, int(math.Ceil(math.Log1p(v)/scale*float64(steps)))))
	}
	for x := range min(cols, g.w) {
		for row := range g.h {
			low := (g.h - 1 - row) * 2
			if low >= bins {
				continue
			}
			a, b := at(x, low), 0.0
			if low+1 < bins {
				b = at(x, low+1)
			}
			if !g.Glyphs.Tints {
				if l := level(a+b, 4); l > 0 {
					g.Put(x, row, []rune(" ░▒▓█")[l], themes.Latency)
				}
				continue
			}
			la, lb := level(a, themes.HeatSteps), level(b, themes.HeatSteps)
			c := g.at(x, row)
			if c == nil || la+lb == 0 {
				continue
			}
			if la > 0 {
				c.Look.Bg = themes.Heat1 + themes.Role(la-1)
			}
			if la == lb {
				continue
			}
			c.Rune, c.Look.Fg = '▀', themes.Background
			if lb > 0 {
				c.Look.Fg = themes.Heat1 + themes.Role(lb-1)
			}
		}
	}
}
