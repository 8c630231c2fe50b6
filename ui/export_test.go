package ui

import (
	tea "charm.land/bubbletea/v2"

	"benchtop/themes"
)

// Screen drives the program's model without a terminal.
type Screen struct{ s *screen }

// NewScreen makes a screen of w by h that has got the newest snapshot.
func NewScreen(frames Frames, o Options, w, h int) (*Screen, error) {
	s, err := newScreen(frames, o)
	if err != nil {
		return nil, err
	}
	s.wait = func() tea.Msg { return frameMsg{} }
	s.Update(tea.WindowSizeMsg{Width: w, Height: h})
	s.View()
	return &Screen{s}, nil
}

// Press presses keys, drawing after each as bubbletea does; it reports whether
// the last one asked to quit.
func (t *Screen) Press(keys ...string) (quit bool) {
	for _, k := range keys {
		cmd := t.s.key(k)
		t.s.View()
		quit = false
		if cmd != nil && (k == "q" || k == "ctrl+c") {
			_, quit = cmd().(tea.QuitMsg)
		}
	}
	return quit
}

// Frame delivers the newest snapshot.
func (t *Screen) Frame() string {
	t.s.Update(frameMsg{})
	return t.s.View().Content
}

// Send delivers any message.
func (t *Screen) Send(m tea.Msg) string {
	t.s.Update(m)
	return t.s.View().Content
}

// State is what the user looks at.
func (t *Screen) State() ViewState { return t.s.view }

// Axis is the time axis of the frame drawn last.
func (t *Screen) Axis() Axis { return t.s.axis }

// Drawn counts the frames that were drawn rather than returned again.
func (t *Screen) Drawn() uint64 { return t.s.drawn }

// Theme is the name of the theme shown.
func (t *Screen) Theme() string { return t.s.themes[t.s.theme].Name }

// Depth is how many colours are used.
func (t *Screen) Depth() themes.Depth { return t.s.depth }

// Do presses a key and gives what its command says.
func (t *Screen) Do(k string) tea.Msg {
	cmd := t.s.key(k)
	t.s.View()
	if cmd == nil {
		return nil
	}
	return cmd()
}

// Verdict is what the copy key puts on the clipboard.
func (t *Screen) Verdict() string { return verdictText(t.s) }

// Title is the window's title.
func (t *Screen) Title() string { return t.s.View().WindowTitle }

// Late lets a second pass: the picture's age is looked at.
func (t *Screen) Late() { t.s.Update(lateMsg{}) }
