package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"benchtop/model"
	"benchtop/ui/layout"
	"benchtop/ui/panel"
)

func quit(*screen) tea.Cmd { return tea.Quit }

// windows are the lengths of the time axis; 0 is the whole run.
var windows = [...]time.Duration{
	30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 30 * time.Minute, time.Hour, 0,
}

func (s *screen) pause() tea.Cmd {
	s.view.Paused = !s.view.Paused
	if s.opts.Deck != nil {
		s.opts.Deck.Pause(s.view.Paused)
		return nil
	}
	if !s.view.Paused {
		s.view.Behind = 0
		s.take(s.newest)
	}
	return nil
}

func (s *screen) live() tea.Cmd {
	s.view.Cursor, s.view.End = 0, 0
	if s.view.Paused {
		return s.pause()
	}
	return nil
}

// moves makes a key that moves the cursor by n columns. It begins at the right
// edge; past the left edge the window follows it into the past.
func moves(n int) func(*screen) tea.Cmd {
	return func(s *screen) tea.Cmd {
		a := s.axis
		if a.Cols == 0 || s.snap == nil {
			return nil
		}
		i := a.Newest + 1
		if s.view.Cursor != 0 {
			i = int(s.view.Cursor.Sub(a.From) / a.Step)
		} else if n > 0 {
			return nil
		}
		i = min(i+n, a.Newest)
		at := a.From.Add(time.Duration(i) * a.Step)
		if first := s.snap.Start.Floor(a.Step); at < first {
			at = first
		}
		s.view.Cursor = at
		if at < a.From {
			s.slide(at.Sub(a.From))
		}
		return nil
	}
}

// slide moves the right edge of the charts; at the end of the run it follows
// again.
func (s *screen) slide(by time.Duration) {
	a := s.axis
	if a.Cols == 0 || s.snap == nil {
		return
	}
	window := time.Duration(a.Cols) * a.Step
	end := s.view.End
	if end == 0 {
		end = s.snap.Now
	}
	end = end.Add(by)
	end = max(end, min(s.snap.Start.Add(window/4), s.snap.Now))
	if end >= s.snap.Now {
		end = 0
	}
	s.view.End = end
}

func scrolls(way int) func(*screen) tea.Cmd {
	return func(s *screen) tea.Cmd {
		if !timeline(s.view.Full) {
			s.view.Scroll = max(s.view.Scroll+way*max(s.h/2, 1), 0)
			return nil
		}
		s.slide(time.Duration(way) * time.Duration(s.axis.Cols) * s.axis.Step / 2)
		return nil
	}
}

// timeline reports whether what is on the screen lies on the time axis: the
// usual charts, or a panel of its own that does.
func timeline(full string) bool {
	for _, p := range panel.All() {
		if p.ID == full && p.Timed {
			return true
		}
	}
	return full == "" || charts(full)
}

// charts reports whether a panel lies on the time axis.
func charts(id string) bool {
	for _, p := range panel.All() {
		if p.ID == id {
			return !p.Want.Side && id != "numbers"
		}
	}
	return false
}

func zooms(way int) func(*screen) tea.Cmd {
	return func(s *screen) tea.Cmd {
		at := len(windows) - 1
		for i, w := range windows[:at] {
			if s.view.Window != 0 && s.view.Window <= w {
				at = i
				break
			}
		}
		s.view.Window = windows[min(max(at+way, 0), len(windows)-1)]
		return nil
	}
}

func fulls(id string) func(*screen) tea.Cmd {
	return func(s *screen) tea.Cmd {
		s.view.Scroll = 0
		if s.view.Full == id {
			s.view.Full = ""
			return nil
		}
		s.view.Full = id
		return nil
	}
}

func (s *screen) enlarge() tea.Cmd {
	if s.view.Full != "" {
		s.view.Full, s.view.Scroll = "", 0
		return nil
	}
	if s.view.Focus == "" {
		return nil
	}
	return fulls(s.view.Focus)(s)
}

// focuses makes a key that moves the focus over the panels now shown.
func focuses(way int) func(*screen) tea.Cmd {
	return func(s *screen) tea.Cmd {
		var ids []string
		at := -1
		for _, c := range layout.Arrange(s.w, s.h, panel.Wants(panel.In(s.view.Layout, s.view.Hidden, s.seen()))).Columns {
			for _, b := range c.Boxes {
				if b.ID == s.view.Focus {
					at = len(ids)
				}
				ids = append(ids, b.ID)
			}
		}
		if len(ids) == 0 {
			return nil
		}
		if at < 0 && way < 0 {
			at = 0
		}
		s.focus(ids[(at+way+len(ids))%len(ids)])
		return nil
	}
}

// seen is the snapshot drawn, or an empty one.
func (s *screen) seen() *model.Snapshot {
	if s.snap == nil {
		return &model.Snapshot{}
	}
	return s.snap
}

func (s *screen) focus(id string) {
	s.show(id)
	s.view.Focus = id
	if s.view.Full != "" {
		s.view.Full, s.view.Scroll = id, 0
	}
}

func lines(way int) func(*screen) tea.Cmd {
	return func(s *screen) tea.Cmd {
		if s.view.Full != "" || s.help {
			s.view.Scroll = max(s.view.Scroll+way, 0)
		}
		return nil
	}
}

func (s *screen) style() tea.Cmd {
	s.view.Lines = !s.view.Lines
	return nil
}

func (s *screen) nextTheme() tea.Cmd {
	s.theme, s.chosen = (s.theme+1)%len(s.themes), true
	s.view.Notice = "theme " + s.themes[s.theme].Name
	return nil
}

func (s *screen) mark() tea.Cmd {
	if s.opts.Mark == nil {
		s.view.Notice = "only a live run takes marks"
		return nil
	}
	s.asking, s.markText, s.markAt = askMark, "", s.newestNow()
	s.prompt()
	return nil
}

// newestNow is the clock where there is one, else the run's newest moment.
func (s *screen) newestNow() model.Instant {
	switch {
	case s.opts.Clock != nil:
		return s.opts.Clock()
	case s.newest != nil:
		return s.newest.Now
	}
	return s.seen().Now
}

func (s *screen) toggleHelp() tea.Cmd {
	s.help = !s.help
	s.view.Scroll = 0
	return nil
}

func (s *screen) leave() tea.Cmd {
	switch {
	case s.help:
		s.help = false
	case s.view.Full != "":
		s.view.Full, s.view.Scroll = "", 0
	case s.view.Cursor != 0:
		s.view.Cursor = 0
	default:
		s.view.Focus = ""
	}
	return nil
}

func seeks(seconds int) func(*screen) tea.Cmd {
	return func(s *screen) tea.Cmd {
		if s.opts.Deck != nil && s.snap != nil {
			to := s.snap.Now.Add(time.Duration(seconds) * time.Second)
			s.seek(max(to, s.snap.Start))
		}
		return nil
	}
}

func (s *screen) seekCursor() tea.Cmd {
	if s.opts.Deck != nil && s.view.Cursor != 0 {
		s.seek(s.view.Cursor)
	}
	return nil
}

func (s *screen) seek(to model.Instant) {
	s.view.Cursor, s.view.End = 0, 0
	s.opts.Deck.Seek(to)
}

func speeds(by float64) func(*screen) tea.Cmd {
	return func(s *screen) tea.Cmd {
		if s.opts.Deck != nil {
			s.view.Speed = min(max(s.view.Speed*by, 1.0/16), 1024)
			s.opts.Deck.Speed(s.view.Speed)
		}
		return nil
	}
}
