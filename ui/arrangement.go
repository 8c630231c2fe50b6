package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"benchtop/ui/panel"
)

// arranges makes a key that shows a layout, given by its place in the list.
func arranges(n int) func(*screen) tea.Cmd {
	return func(s *screen) tea.Cmd {
		all := panel.Layouts()
		l := all[n%len(all)]
		s.view.Layout, s.view.Full, s.view.Scroll = l.Name, "", 0
		s.view.Notice = "layout " + l.Name + ": " + l.Help
		return nil
	}
}

func (s *screen) nextLayout() tea.Cmd {
	at := slices.IndexFunc(panel.Layouts(), func(l panel.Layout) bool { return l.Name == s.view.Layout })
	return arranges(max(at, 0) + 1)(s)
}

// hide takes the focused panel off the screen.
func (s *screen) hide() tea.Cmd {
	id := s.view.Focus
	if id == "" {
		s.view.Notice = "x hides the focused panel: choose one with tab first"
		return nil
	}
	s.view.Hidden = strings.TrimSpace(s.view.Hidden + " " + id)
	s.view.Focus, s.view.Full = "", ""
	s.view.Notice = id + " is hidden; X shows all panels again"
	return nil
}

func (s *screen) unhide() tea.Cmd {
	s.view.Hidden = ""
	return nil
}

// show brings a hidden panel back.
func (s *screen) show(id string) {
	all := slices.DeleteFunc(strings.Fields(s.view.Hidden), func(h string) bool { return h == id })
	s.view.Hidden = strings.Join(all, " ")
}
