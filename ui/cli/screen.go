package cli

import (
	"context"
	"io"
	"os"

	"benchtop/ui"
)

// draw runs the full screen. Keys come from the terminal device where stdin is
// data.
func (s *session) draw(ctx context.Context) error {
	o := ui.Options{
		Theme: s.screen.theme, ASCII: s.screen.ascii, FPS: s.screen.fps, Mouse: !s.screen.noMouse,
		NoColor: s.io.getenv("NO_COLOR") != "", Title: s.title, Output: s.io.Out, Environ: s.io.Env,
	}
	if s.marker != nil {
		o.Mark = func() { s.marker.Mark("mark") }
	}
	if s.deck != nil {
		o.Deck, o.Speed = s.deck, s.deck.Rate()
	}
	if terminal(s.io.In) {
		o.Input = s.io.In
	} else if tty, err := os.Open("/dev/tty"); err == nil {
		defer func() { _ = tty.Close() }() // only keys were read from it
		o.Input = io.Reader(tty)
	}
	return ui.Run(ctx, s.engine, o)
}
