package draw

import (
	"math"

	"benchtop/themes"
)

// Layer is one part of a column, stacked from the bottom.
type Layer struct {
	Top  float64 // height of its upper edge as a share of the grid's height
	Role themes.Role
	Tint bool // a background tint rather than ink
}

// Column draws stacked layers in column x over the full height of g, in
// eighths of a cell. Layers are ordered from the bottom; one whose top is not
// above the one before it is not drawn.
func (g *Grid) Column(x int, layers ...Layer) {
	var tops [4]int
	n := min(len(layers), len(tops))
	low := 0
	for i := range n {
		tops[i] = eighths(layers[i].Top, g.h)
		tops[i] = max(tops[i], low)
		low = tops[i]
	}
	for row := range g.h {
		base := (g.h - 1 - row) * 8
		if low <= base {
			continue
		}
		g.stack(x, row, base, layers[:n], tops[:n])
	}
}

// eighths rounds a share of the height to eighth rows; what is more than
// nothing is at least one.
func eighths(share float64, h int) int {
	if !(share > 0) {
		return 0
	}
	return max(1, int(math.Round(min(share, 1)*float64(h*8))))
}

// stack draws one cell of a column: a block rune for what reaches up to
// somewhere inside it, the background for what lies above.
func (g *Grid) stack(x, row, base int, layers []Layer, tops []int) {
	c := g.at(x, row)
	if c == nil {
		return
	}
	lower, k, upper := split(base, layers, tops)
	if upper >= 0 && layers[upper].Tint && 2*(tops[upper]-base-k) < 8-k {
		upper = -1 // most of what is above the ink is above the tint too
	}
	if upper >= 0 {
		if g.Glyphs.Tints {
			c.Look.Bg = layers[upper].Role
		} else if layers[upper].Tint && layers[lower].Tint {
			lower, k = upper, 8
		}
	}
	l := layers[lower]
	switch {
	case l.Tint && k < 4:
	case l.Tint && g.Glyphs.Tints:
		c.Look.Bg = l.Role
	case l.Tint:
		c.Rune, c.Look.Fg, c.Look.Attr = '░', tintInk(l.Role), 0
	case (g.Glyphs.Mono || g.Glyphs.ASCII) && l.Role == themes.WaitingFill:
		if k >= 4 {
			c.Rune, c.Look.Fg, c.Look.Attr = '▒', l.Role, 0
		}
	default:
		c.Rune, c.Look.Fg, c.Look.Attr = '▁'+rune(k-1), l.Role, 0
	}
}

// split says which layer is at the bottom of a cell that begins at eighth
// base, up to which eighth of it (1 to 8) it reaches, and which one is above
// it (-1 for none). A cell shows two: a thin third at the bottom gives way.
func split(base int, layers []Layer, tops []int) (lower, k, upper int) {
	at := func(sub int) int {
		for i := range layers {
			if base+sub < tops[i] {
				return i
			}
		}
		return -1
	}
	reach := func(layer int) int {
		for sub := 1; sub < 8; sub++ {
			if n := at(sub); n < 0 || n > layer {
				return sub
			}
		}
		return 8
	}
	above := func(k int) int {
		if k < 8 {
			return at(k)
		}
		return -1
	}
	lower = at(0)
	k = reach(lower)
	upper = above(k)
	if k < 3 && upper >= 0 && !layers[upper].Tint && at(7) != upper {
		lower = upper
		k = reach(lower)
		upper = above(k)
	}
	return lower, k, upper
}

// Rows draws one bar a row from the left, in eighths of a cell; NaN and 0 are
// nothing. top is the value of the full width.
func (g *Grid) Rows(vals []float64, top float64, fg themes.Role) {
	for y, v := range vals {
		if !(v > 0) || !(top > 0) {
			continue
		}
		n := max(1, int(math.Round(min(v/top, 1)*float64(g.w*8))))
		for x := 0; n > 0; x, n = x+1, n-8 {
			r := '█'
			if n < 8 {
				r = '▏' - rune(n-1)
			}
			g.Put(x, y, r, fg)
		}
	}
}

// tintInk is what a tint's stand-in rune is drawn in where tints do not show.
func tintInk(r themes.Role) themes.Role {
	if r == themes.Gap {
		return themes.GapText
	}
	return r
}

// Bars draws one bar a column: vals against top (the value of the full
// height), NaN is a gap. roleAt gives each bar's role.
func (g *Grid) Bars(vals []float64, top float64, roleAt func(i int) themes.Role) {
	for i, v := range vals {
		if math.IsNaN(v) || !(top > 0) {
			continue
		}
		g.Column(i, Layer{Top: v / top, Role: roleAt(i)})
	}
}

// Only is a roleAt that always gives the same role.
func Only(r themes.Role) func(int) themes.Role {
	return func(int) themes.Role { return r }
}

// Threshold draws a dashed line in a row, behind whatever is there already.
func (g *Grid) Threshold(y int, fg themes.Role) {
	for x := range g.w {
		if c := g.at(x, y); c != nil && (c.Rune == ' ' || c.Rune == '·') {
			c.Rune, c.Look.Fg = '┄', fg
		}
	}
}

// RowOf is the row that holds a share of a height of h rows, counted from the
// top.
func RowOf(share float64, h int) int {
	up := int(math.Ceil(share*float64(h)-1e-9)) - 1
	return h - 1 - min(max(up, 0), h-1)
}
