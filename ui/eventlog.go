package ui

import (
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"benchtop/model"
	"benchtop/ui/draw"
	"benchtop/ui/panel"
)

// jumps makes a key that puts the cursor on the event before or after it.
func jumps(way int) func(*screen) tea.Cmd {
	return func(s *screen) tea.Cmd {
		if s.snap == nil {
			return nil
		}
		at := s.view.Cursor
		if at == 0 {
			at = s.snap.Now.Add(1)
		}
		all := panel.EventLog(s.snap, s.view.Filter)
		for i := range all {
			m := all[i]
			if way < 0 {
				m = all[len(all)-1-i]
			}
			if way < 0 && m.At < at || way > 0 && m.At > at {
				s.look(m.At)
				s.view.Notice = draw.Sanitize(m.At.Time().In(s.view.Zone).Format("15:04:05") + " " + m.Class + ": " + m.Text)
				return nil
			}
		}
		s.view.Notice = "no event there"
		return nil
	}
}

// look puts the cursor on a moment and moves the window so that it is seen.
func (s *screen) look(at model.Instant) {
	a := s.axis
	s.view.Cursor, s.stale = at, true
	if a.Cols == 0 {
		return
	}
	window := time.Duration(a.Cols) * a.Step
	switch {
	case at < a.From:
		s.slide(at.Sub(a.From) - window/4)
	case at >= a.From.Add(window):
		s.slide(at.Sub(a.From.Add(window)) + window/4)
	}
}

// filter asks for the letters that the events shown must have.
func (s *screen) filter() tea.Cmd {
	s.asking = true
	s.view.Prompt = "events with: " + s.view.Filter + "_"
	return nil
}

// typed takes one key of the filter.
func (s *screen) typed(name string) {
	v := &s.view
	switch {
	case name == "enter":
		s.asking = false
	case name == "esc" || name == "ctrl+c":
		s.asking, v.Filter = false, ""
	case name == "backspace":
		if _, n := utf8.DecodeLastRuneInString(v.Filter); n > 0 {
			v.Filter = v.Filter[:len(v.Filter)-n]
		}
	case name == "space":
		v.Filter += " "
	case utf8.RuneCountInString(name) == 1 && len(v.Filter) < 60:
		v.Filter += draw.Sanitize(name)
	}
	v.Prompt = ""
	if s.asking {
		v.Prompt = "events with: " + v.Filter + "_"
	}
}
