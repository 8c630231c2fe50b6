package draw

import (
	"math"

	"benchtop/themes"
)

// brailleRows are the two dots of each of a braille cell's four rows, from the
// top.
var brailleRows = [4]byte{0x01 | 0x08, 0x02 | 0x10, 0x04 | 0x20, 0x40 | 0x80}

const leftDots = 0x01 | 0x02 | 0x04 | 0x40

// Braille draws a line through vals (one a column) against top, four steps a
// row; NaN is a gap. From column dashed on only every other column
// has it: what is there is not settled yet. The line lies over areas already drawn.
func (g *Grid) Braille(vals []float64, top float64, dashed int, fg themes.Role) {
	if !(top > 0) || g.h == 0 {
		return
	}
	prev := -1
	for x, v := range vals {
		if x >= g.w {
			break
		}
		if math.IsNaN(v) {
			prev = -1
			continue
		}
		level := int(math.Ceil(min(v/top, 1)*float64(4*g.h)-1e-9)) - 1
		level = min(max(level, 0), 4*g.h-1)
		if prev >= 0 && prev != level {
			lo, hi := min(prev, level), max(prev, level)
			for l := lo; l <= hi; l++ {
				g.dot(x, l, leftDots, fg)
			}
		}
		if x < dashed || x%2 == 0 {
			g.dot(x, level, 0xff, fg)
		}
		prev = level
	}
}

// dot sets the dots of one of the 4·h levels, counted from the bottom.
func (g *Grid) dot(x, level int, side byte, fg themes.Role) {
	c := g.at(x, g.h-1-level/4)
	if c == nil {
		return
	}
	bits := brailleRows[3-level%4] & side
	switch r := c.Rune; {
	case r > 0x2800 && r < 0x2900:
		c.Rune |= rune(bits)
		return
	case r >= '▄' && r <= '█' && !g.Glyphs.Mono && !g.Glyphs.ASCII:
		c.Look.Bg = c.Look.Fg // at least half full: the area shows as background
	}
	c.Rune, c.Look.Fg, c.Look.Attr = 0x2800+rune(bits), fg, themes.Bold
	if g.Glyphs.Tints {
		c.Look.Attr = 0
	}
}
