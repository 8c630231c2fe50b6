package panel

import (
	"strings"

	"benchtop/themes"
	"benchtop/ui/draw"
)

// maxEnlarged is how many times its size a big number gets at most.
const maxEnlarged = 5

// enlarge draws three rows of half blocks k times as wide and as high.
func enlarge(rows [3]string, k int) []string {
	var dots [6][]bool // two for each row
	for y, row := range rows {
		for _, r := range row {
			dots[2*y] = append(dots[2*y], r == '█' || r == '▀')
			dots[2*y+1] = append(dots[2*y+1], r == '█' || r == '▄')
		}
	}
	out := make([]string, 3*k)
	for y := range out {
		var b strings.Builder
		upper, lower := dots[2*y/k], dots[(2*y+1)/k]
		for x := range upper {
			b.WriteString(strings.Repeat(half(upper[x], lower[x]), k))
		}
		out[y] = b.String()
	}
	return out
}

// half is the cell with its halves inked or not.
func half(upper, lower bool) string {
	switch {
	case upper && lower:
		return "█"
	case upper:
		return "▀"
	case lower:
		return "▄"
	}
	return " "
}

// poster draws the numbers over the whole screen, as big as they all fit on
// it, and reports whether they did.
func (f Frame) poster(all []bigNumber) bool {
	for k := maxEnlarged; k >= 1; k-- {
		if f.posterAt(all, k, false) {
			return f.posterAt(all, k, true)
		}
	}
	return false
}

// posterAt lays the numbers out in lines at k times their size, and draws them
// if told to.
func (f Frame) posterAt(all []bigNumber, k int, ink bool) bool {
	w, h := f.Grid.Size()
	x, y := 1, 1
	for _, n := range all {
		rows, rest := big(n.value)
		digits := k * draw.Width(rows[0])
		room := max(digits, draw.Width(n.name))
		if rest != "" {
			room = max(digits+1+draw.Width(rest), room)
		}
		if x > 1 && x+room >= w {
			x, y = 1, y+3*k+2
		}
		if x+room >= w || y+1+3*k > h {
			return false
		}
		if ink {
			f.Grid.Write(x, y, themes.Dim, n.name)
			for i, r := range enlarge(rows, k) {
				f.Grid.Write(x, y+1+i, n.role, r)
			}
			f.Grid.WriteBold(x+digits+1, y+3*k, n.role, rest)
		}
		x += room + 3*k + 2
	}
	return true
}
