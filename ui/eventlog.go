package ui

import (
	"strings"
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

// What is asked for at the bottom of the screen.
const (
	askFilter = "events with: "
	askMark   = "mark: "
)

// filter asks for the letters that the events shown must have.
func (s *screen) filter() tea.Cmd {
	s.asking = askFilter
	s.prompt()
	return nil
}

// answer is what is being typed.
func (s *screen) answer() *string {
	if s.asking == askMark {
		return &s.markText
	}
	return &s.view.Filter
}

// prompt shows what is asked and what was typed so far.
func (s *screen) prompt() {
	s.view.Prompt = ""
	if s.asking != "" {
		s.view.Prompt = s.asking + *s.answer() + "_"
	}
}

// typed takes one key of a filter or a mark.
func (s *screen) typed(name string) {
	text := s.answer()
	switch {
	case name == "enter":
		if s.asking == askMark {
			s.setMark()
		}
		s.asking = ""
	case name == "esc" || name == "ctrl+c":
		s.asking, *text = "", ""
	case name == "backspace":
		if _, n := utf8.DecodeLastRuneInString(*text); n > 0 {
			*text = (*text)[:len(*text)-n]
		}
	case name == "space":
		*text += " "
	case utf8.RuneCountInString(name) == 1 && len(*text) < 60:
		*text += draw.Sanitize(name)
	}
	s.prompt()
}

// setMark puts the note on the axis, at the moment at which it was begun.
func (s *screen) setMark() {
	text := strings.TrimSpace(s.markText)
	if text == "" {
		text = "mark"
	}
	s.opts.Mark(s.markAt, text)
	s.view.Notice = draw.Sanitize("marked " + s.markAt.Time().In(s.view.Zone).Format("15:04:05") + ": " + text)
}
