package ui

import (
	tea "charm.land/bubbletea/v2"

	"benchtop/themes"
	"benchtop/ui/draw"
)

// pick opens the list of themes. Each is shown as soon as it is reached.
func (s *screen) pick() tea.Cmd {
	s.picking, s.pickFrom, s.chosen = true, s.theme, true
	return nil
}

// picked takes a key while the list of themes is open; false gives it on.
func (s *screen) picked(name string) bool {
	n := len(s.themes)
	switch name {
	case "up", "k", "shift+tab":
		s.theme = (s.theme + n - 1) % n
	case "down", "j", "tab", "t", "T":
		s.theme = (s.theme + 1) % n
	case "enter", "space":
		s.picking = false
		s.view.Notice = "theme " + s.themes[s.theme].Name + ": --theme " + s.themes[s.theme].Name + " keeps it"
	case "esc":
		s.picking, s.theme = false, s.pickFrom
	case "q", "ctrl+c":
		return false
	default:
		s.picking = false
		return false
	}
	return true
}

// background chooses the light or the dark theme by what the terminal said of
// its background, unless the user has chosen one.
func (s *screen) background(dark bool) {
	if s.chosen {
		return
	}
	name := themes.DefaultName
	if !dark {
		name = "light"
	}
	for i, t := range s.themes {
		if t.Name == name && i != s.theme {
			s.theme, s.stale = i, true
		}
	}
}

// drawPicker draws the list of themes over the screen.
func drawPicker(g *draw.Grid, all []*themes.Theme, at int) {
	w, h := g.Size()
	width := 0
	for _, t := range all {
		width = max(width, draw.Width(t.Name)+draw.Width(t.About)+8)
	}
	width = min(width, w-2)
	rows := min(len(all), max(h-5, 1))
	first := min(max(at-rows/2, 0), len(all)-rows)
	x, y := max((w-width)/2, 0), max((h-rows-4)/2, 0)
	b := g.Sub(x, y, width, rows+4)
	b.Clear()
	bw, bh := b.Size()
	for i := range bw {
		b.Put(i, 0, '─', themes.Accent)
		b.Put(i, bh-1, '─', themes.Accent)
	}
	for i := range bh {
		b.Put(0, i, '│', themes.Accent)
		b.Put(bw-1, i, '│', themes.Accent)
	}
	b.Put(0, 0, '┌', themes.Accent)
	b.Put(bw-1, 0, '┐', themes.Accent)
	b.Put(0, bh-1, '└', themes.Accent)
	b.Put(bw-1, bh-1, '┘', themes.Accent)
	b.WriteBold(2, 0, themes.Title, " theme ")
	for i := range rows {
		t := all[first+i]
		role, sign := themes.Text, "  "
		if first+i == at {
			role, sign = themes.Accent, "▶ "
			b.Tint(1, 1+i, bw-2, 1, themes.Bar)
		}
		end := b.WriteFit(2, 1+i, bw-4, role, sign+draw.Sanitize(t.Name))
		b.WriteFit(end+2, 1+i, bw-end-4, themes.Dim, draw.Sanitize(t.About))
	}
	b.WriteFit(2, rows+1, bw-4, themes.Dim, "↑ ↓ look  enter take it  esc back  ")
	for i, r := range []themes.Role{themes.Client, themes.ServerFill, themes.WaitingFill, themes.GapText, themes.Good, themes.Warn, themes.Bad, themes.GPU, themes.Queue, themes.Latency} {
		b.Put(2+2*i, rows+2, '█', r)
		b.Put(3+2*i, rows+2, '█', r)
	}
}
