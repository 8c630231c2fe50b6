package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"benchtop/ui/panel"
)

// key does what a key is bound to. Digits focus panels.
func (s *screen) key(name string) tea.Cmd {
	s.stale = true
	for _, b := range Bindings() {
		for _, k := range b.Keys {
			if k == name {
				if s.help && name != "?" && name != "f1" && name != "esc" && name != "q" && name != "ctrl+c" && name != "up" && name != "down" && name != "ctrl+z" {
					s.help = false
				}
				return b.do(s)
			}
		}
	}
	for _, p := range panel.All() {
		if p.Key == name {
			s.focus(p.ID)
			return nil
		}
	}
	return nil
}

// click puts the cursor where the mouse was clicked on the time axis.
func (s *screen) click(x int) {
	a := s.axis
	if i := x - a.X; a.Cols > 0 && i >= 0 && i <= a.Newest && !s.help {
		s.view.Cursor = a.From.Add(time.Duration(i) * a.Step)
		s.stale = true
	}
}

// wheel zooms the time axis, or scrolls a list.
func (s *screen) wheel(b tea.MouseButton) {
	way := 0
	switch b {
	case tea.MouseWheelUp:
		way = -1
	case tea.MouseWheelDown:
		way = 1
	default:
		return
	}
	s.stale = true
	if s.view.Full != "" && !charts(s.view.Full) || s.help {
		lines(3 * way)(s)
		return
	}
	zooms(way)(s)
}
