package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"benchtop/ui/panel"
)

// key does what a key is bound to. Digits and some letters focus panels.
func (s *screen) key(name string) tea.Cmd {
	s.stale = true
	s.view.Notice = ""
	switch {
	case s.asking != "":
		s.typed(name)
		return nil
	case s.picking && s.picked(name):
		return nil
	}
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

// click puts the cursor where the mouse was clicked on the time axis, or on
// the event that was clicked; beside the charts it focuses a panel.
func (s *screen) click(x, y int) {
	a := s.axis
	for _, b := range a.Boxes {
		if s.help || x < b.X || x >= b.X+b.W || y < b.Y || y >= b.Y+b.H {
			continue
		}
		if b.ID == "events" && y-b.Y < len(a.Events) {
			s.look(a.Events[y-b.Y])
		}
		if !charts(b.ID) || b.ID == "" {
			s.focus(b.ID)
			s.stale = true
			return
		}
	}
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
