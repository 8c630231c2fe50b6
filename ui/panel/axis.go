package panel

import (
	"math"
	"time"

	"benchtop/themes"
	"benchtop/ui/draw"
)

// yAxis draws the axis line and labels at the left of a plot of h rows, and
// dots at the ticks; rowOf says where a value lies.
func (f Frame) yAxis(y, h int, ticks []float64, rowOf func(v float64, rows int) int) {
	g, left := f.Grid, f.View.Left
	if left < 2 {
		return
	}
	for row := range h {
		g.Put(left-1, y+row, '│', themes.Faint)
	}
	p := f.plot(y, h)
	for _, v := range ticks {
		row := rowOf(v, h)
		g.Put(left-1, y+row, '┤', themes.Faint)
		g.WriteRight(left-1, y+row, themes.Dim, draw.Count(v))
		if v == 0 {
			continue
		}
		for x := 3; x < f.View.Cols; x += 6 {
			p.Put(x, row, '·', themes.Faint)
		}
	}
}

// gutter writes a label at the left of a plot.
func (f Frame) gutter(y int, role themes.Role, s string) {
	f.Grid.WriteRight(f.View.Left-1, y, role, draw.Fit(s, f.View.Left-1))
}

// DrawTimeAxis draws the labels of the time axis under the charts, over a frame
// or a blank row; help names the key for help in its gutter.
func DrawTimeAxis(f Frame, help bool) {
	f.timeAxis(0)
	if help {
		x := f.Grid.Write(1, 0, themes.Text, "?")
		f.Grid.Write(x+1, 0, themes.Dim, "help")
	}
}

// DrawName writes a chart's name into its upper left corner, or else as near to
// it as it hides nothing.
func DrawName(f Frame, name string) {
	w, h := f.Grid.Size()
	p := f.plot(0, h)
	n := draw.Width(name)
	for y := range min(h, 3) {
		for x := 0; x+n+1 < min(f.View.Cols, w); x++ {
			if clear(p, x, y, n+1) {
				p.Write(x, y, themes.Dim, name)
				return
			}
		}
	}
}

// timeAxis writes the labels of the time axis.
func (f Frame) timeAxis(y int) {
	v := f.View
	g := f.plot(y, 1)
	spacing := draw.TickSpacing(time.Duration(v.Cols)*v.Step, max(v.Cols/14, 1))
	edge, behind := v.Cols, time.Duration(0)
	if v.Follow {
		edge = v.Newest + 1
	} else {
		behind = max(f.Snap.Now.Floor(v.Step).Add(v.Step).Sub(v.From.Add(time.Duration(v.Cols)*v.Step)), 0)
		if behind == 0 {
			edge = v.Newest + 1
		}
	}
	free := v.Cols
	if behind == 0 {
		free = g.WriteRight(min(edge+1, v.Cols), 0, themes.Dim, "now") - 1
		apart(g, free, 3)
	}
	for back := (behind + spacing - 1).Truncate(spacing); back <= behind+time.Duration(edge)*v.Step; back += spacing {
		if back == 0 {
			continue
		}
		x := edge - int(math.Round(float64(back-behind)/float64(v.Step)))
		s := "-" + draw.Age(back.Seconds())
		at := max(x-len(s)/2, 0)
		if x < 0 || at+len(s) > free {
			continue
		}
		g.Write(at, 0, themes.Dim, s)
		free = at - 1
		apart(g, free, len(s))
	}
	f.marks(g)
}

// apart blanks the cells before and after n cells that begin after x where
// they hold a frame's line, so that the line and a minus sign are told apart.
func apart(g *draw.Grid, x, n int) {
	for _, i := range [...]int{x, x + n + 1} {
		if g.Cell(i, 0).Rune == '─' {
			g.Put(i, 0, ' ', themes.Faint)
		}
	}
}

// marks puts a sign on the axis for each event, where no words stand; the last
// of a column wins, and a user's own mark wins over words too.
func (f Frame) marks(g *draw.Grid) {
	v := f.View
	for _, m := range EventLog(f.View.Figures, v.Filter) {
		i := int(m.At.Sub(v.From) / v.Step)
		if m.At < v.From || i >= v.Cols {
			continue
		}
		r, role := '│', themes.Dim
		own := m.Class == "user" || m.Class == "mark"
		switch {
		case own:
			r, role = '▼', themes.Accent
		case m.Class == "verdict" && !m.Bad:
			r, role = '△', themes.Dim
		case m.Class == "verdict":
			r, role = '▲', themes.Bad
		case m.Bad:
			r, role = '▲', themes.Bad
		}
		if c := g.Cell(i, 0).Rune; own || c == ' ' || c == '│' || c == '─' {
			g.Put(i, 0, r, role)
		}
	}
}

// cursorLine draws the moment looked at as one line down all rows, over areas
// and tints, which stay to be seen behind it.
func (f Frame) cursorLine(y, h int) {
	c := f.View.Cursor
	if c < 0 || c >= f.View.Cols {
		return
	}
	p := f.plot(y, h)
	for row := range h {
		cell := p.Cell(c, row)
		if r := cell.Rune; r >= '▄' && r <= '█' || r == '▀' && cell.Look.Bg == themes.Background {
			p.Tint(c, row, 1, 1, cell.Look.Fg)
		}
		p.Put(c, row, '│', themes.Title)
	}
}
