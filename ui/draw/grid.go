package draw

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"benchtop/themes"
)

// Cell is one character position. A Rune of 0 is the right half of a wide rune.
type Cell struct {
	Rune rune
	Look themes.Look
}

// Glyphs says what the terminal can show.
type Glyphs struct {
	ASCII bool // nothing outside ASCII may be sent
	Tints bool // background tints are told apart (256 colours and more)
	Mono  bool // there are no colours at all
}

// GlyphsFor is what a colour depth can show.
func GlyphsFor(d themes.Depth, ascii bool) Glyphs {
	return Glyphs{ASCII: ascii, Tints: d >= themes.ANSI256 && !ascii, Mono: d == themes.Mono}
}

// Grid is a rectangle of cells: a whole screen, or a clipped part of one that
// shares its cells.
type Grid struct {
	Glyphs Glyphs

	cells  []Cell
	stride int
	x, y   int
	w, h   int
}

// NewGrid makes a blank screen of w by h cells.
func NewGrid(w, h int) *Grid {
	g := &Grid{}
	g.Resize(w, h)
	return g
}

// Resize makes g a blank screen of w by h cells, keeping its memory.
func (g *Grid) Resize(w, h int) {
	w, h = max(w, 0), max(h, 0)
	if cap(g.cells) < w*h {
		g.cells = make([]Cell, w*h)
	}
	g.cells = g.cells[:w*h]
	g.stride, g.x, g.y, g.w, g.h = w, 0, 0, w, h
	g.Clear()
}

var blank = Cell{Rune: ' ', Look: themes.Look{Fg: themes.Text, Bg: themes.Background}}

// Clear blanks the rectangle.
func (g *Grid) Clear() {
	for y := range g.h {
		row := g.row(y)
		for x := range row {
			row[x] = blank
		}
	}
}

func (g *Grid) row(y int) []Cell {
	i := (g.y+y)*g.stride + g.x
	return g.cells[i : i+g.w]
}

// Size is the width and height in cells.
func (g *Grid) Size() (w, h int) { return g.w, g.h }

// Cell is the cell at x, y; a blank outside the grid.
func (g *Grid) Cell(x, y int) Cell {
	if c := g.at(x, y); c != nil {
		return *c
	}
	return blank
}

func (g *Grid) at(x, y int) *Cell {
	if x < 0 || y < 0 || x >= g.w || y >= g.h {
		return nil
	}
	return &g.cells[(g.y+y)*g.stride+g.x+x]
}

// Sub is the part of g at x, y of size w by h, cut to fit.
func (g *Grid) Sub(x, y, w, h int) *Grid {
	x0, y0 := max(x, 0), max(y, 0)
	x1, y1 := min(x+w, g.w), min(y+h, g.h)
	s := *g
	s.x, s.y = g.x+x0, g.y+y0
	s.w, s.h = max(x1-x0, 0), max(y1-y0, 0)
	return &s
}

// Put sets one rune and its role; the background stays.
func (g *Grid) Put(x, y int, r rune, fg themes.Role) {
	if c := g.at(x, y); c != nil {
		c.Rune, c.Look.Fg, c.Look.Attr = r, fg, 0
	}
}

// Tint sets the background of a rectangle; its runes stay.
func (g *Grid) Tint(x, y, w, h int, bg themes.Role) {
	for j := max(y, 0); j < min(y+h, g.h); j++ {
		for i := max(x, 0); i < min(x+w, g.w); i++ {
			g.at(i, j).Look.Bg = bg
		}
	}
}

// Invert sets a rectangle in reverse video: a bar in the ink of a role, with its
// runes cut out of it, that is seen from afar at every colour depth.
func (g *Grid) Invert(x, y, w, h int, ink themes.Role) {
	for j := max(y, 0); j < min(y+h, g.h); j++ {
		for i := max(x, 0); i < min(x+w, g.w); i++ {
			c := g.at(i, j)
			c.Look.Fg, c.Look.Attr = ink, c.Look.Attr|themes.Reverse
		}
	}
}

// Write puts text at x, y and returns the column after it. Control and
// invisible characters are dropped, what does not fit is cut off.
func (g *Grid) Write(x, y int, fg themes.Role, s string) int {
	return g.write(x, y, fg, 0, s)
}

// WriteBold is Write in bold.
func (g *Grid) WriteBold(x, y int, fg themes.Role, s string) int {
	return g.write(x, y, fg, themes.Bold, s)
}

func (g *Grid) write(x, y int, fg themes.Role, attr themes.Attr, s string) int {
	for _, r := range s {
		if !printable(r) {
			continue
		}
		n := RuneWidth(r)
		if n == 0 {
			continue
		}
		if x+n <= g.w {
			if c := g.at(x, y); c != nil {
				c.Rune, c.Look.Fg, c.Look.Attr = r, fg, attr
			}
			if n == 2 {
				if c := g.at(x+1, y); c != nil {
					c.Rune, c.Look.Fg, c.Look.Attr = 0, fg, attr
				}
			}
		}
		x += n
	}
	return x
}

// WriteRight puts text so that it ends before column x and returns where it
// begins.
func (g *Grid) WriteRight(x, y int, fg themes.Role, s string) int {
	at := x - Width(s)
	g.Write(at, y, fg, s)
	return at
}

// WriteFit is Write cut to w columns with an ellipsis.
func (g *Grid) WriteFit(x, y, w int, fg themes.Role, s string) int {
	return g.Write(x, y, fg, Fit(s, w))
}

// RuneWidth is how many cells a rune takes: 0, 1 or 2. Runes of ambiguous
// width count as 1; terminals that draw them wider need ASCII.
func RuneWidth(r rune) int {
	if r < 0x300 || r >= 0x2500 && r < 0x2600 || r >= 0x2800 && r < 0x2900 {
		return 1
	}
	return ansi.StringWidth(string(r))
}

// Width is how many cells a string takes.
func Width(s string) int {
	n := 0
	for _, r := range s {
		if printable(r) {
			n += RuneWidth(r)
		}
	}
	return n
}

// Fit cuts s to w cells, with an ellipsis if something was cut off.
func Fit(s string, w int) string {
	if Width(s) <= w {
		return s
	}
	if w <= 0 {
		return ""
	}
	var b strings.Builder
	n := 0
	for _, r := range s {
		k := RuneWidth(r)
		if !printable(r) {
			continue
		}
		if n+k > w-1 {
			break
		}
		b.WriteRune(r)
		n += k
	}
	return strings.TrimRight(b.String(), " ") + "…"
}

// FitClause cuts s to w cells where a clause of it ends, when that keeps at
// least half of the room; else as Fit does.
func FitClause(s string, w int) string {
	if Width(s) <= w {
		return s
	}
	at, n := 0, 0
	for i, r := range s {
		if n > w {
			break
		}
		if 2*n >= w && strings.ContainsRune(";:,.", r) && strings.HasPrefix(s[i+1:], " ") {
			at = i
		}
		if printable(r) {
			n += RuneWidth(r)
		}
	}
	if at == 0 {
		return Fit(s, w)
	}
	return s[:at]
}

// Wrap breaks s into lines of at most w cells, at spaces where there are any.
func Wrap(s string, w int) []string {
	if w <= 0 {
		return nil
	}
	var lines []string
	line, n := "", 0
	for word := range strings.FieldsSeq(Sanitize(s)) {
		k := Width(word)
		if n > 0 && n+1+k <= w {
			line, n = line+" "+word, n+1+k
			continue
		}
		if n > 0 {
			lines = append(lines, line)
		}
		for k > w {
			cut := 0
			for i, r := range word {
				if Width(word[:i])+RuneWidth(r) > w {
					cut = i
					break
				}
			}
			if cut == 0 {
				break
			}
			lines = append(lines, word[:cut])
			word = word[cut:]
			k = Width(word)
		}
		line, n = word, k
	}
	if n > 0 {
		lines = append(lines, line)
	}
	return lines
}
