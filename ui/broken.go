package ui

import (
	"errors"
	"fmt"
	"runtime/debug"

	tea "charm.land/bubbletea/v2"
)

// Broken is a panic in drawing or in taking a message: a fault of ours. Run
// returns it with the terminal restored, so that the stack can be printed where
// it is read.
type Broken struct {
	Value any    // what was panicked with
	Stack []byte // nil where bubbletea has printed it already
}

func (b *Broken) Error() string { return fmt.Sprintf("screen: internal error: %v", b.Value) }

// guard stands between bubbletea and the screen. Left to itself bubbletea
// prints a panic's stack over the screen before it gives the terminal back.
type guard struct {
	*screen
	stop   func() // ends the program
	last   tea.View
	broken *Broken
}

// Update hands a message to the screen, unless that is broken.
func (g *guard) Update(msg tea.Msg) (m tea.Model, cmd tea.Cmd) {
	m, cmd = g, tea.Quit // what stands if this panics
	if g.broken != nil {
		return m, cmd
	}
	defer g.catch()
	_, cmd = g.screen.Update(msg)
	return m, cmd
}

// View is the screen's frame, or the last one that could be drawn.
func (g *guard) View() tea.View {
	if g.broken == nil {
		g.redraw()
	}
	return g.last
}

func (g *guard) redraw() {
	defer g.catch()
	g.last = g.screen.View()
}

// catch keeps the first panic and ends the program.
func (g *guard) catch() {
	if r := recover(); r != nil {
		g.broken = &Broken{r, debug.Stack()}
		g.stop()
	}
}

// why is the reason the program ended: nil for the user's wish.
func (g *guard) why(err error) error {
	switch {
	case g.broken != nil:
		return g.broken
	case errors.Is(err, tea.ErrProgramPanic): // in one of bubbletea's own goroutines
		return &Broken{Value: err}
	}
	return err
}

// attempt does what may fail without harm to the screen, and tells how it went.
func attempt(what string, do func() string) tea.Cmd {
	return func() (told tea.Msg) {
		defer func() {
			if r := recover(); r != nil {
				told = noticeMsg(fmt.Sprintf("%s: internal error: %v (please report it)", what, r))
			}
		}()
		return noticeMsg(do())
	}
}
