package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/term"

	"benchtop/sources"
	"benchtop/themes"
	"benchtop/ui"
)

// draw runs the full screen. Keys come from the terminal device where stdin is
// data.
func (s *session) draw(ctx context.Context) error {
	if err := drawable(s.io.Out); err != nil {
		return err
	}
	o := ui.Options{
		Theme: s.screen.theme, ASCII: s.screen.ascii, FPS: s.screen.fps, Mouse: !s.screen.noMouse,
		NoColor: s.io.getenv("NO_COLOR") != "", Title: s.title, Coach: s.run.coach, Output: s.io.Out, Environ: s.io.Env,
	}
	o.Layout, o.Full, o.Hidden, o.Lines = s.screen.layout, s.screen.full, strings.ReplaceAll(s.screen.hide, ",", " "), s.screen.lines
	if o.Window = s.screen.window; o.Window == 0 {
		o.Window = -1
	}
	var err error
	if o.Themes, err = allThemes(s.io); err != nil {
		fmt.Fprintln(s.io.Err, "benchtop: "+oneLine(err.Error()))
	}
	o.Wide, o.Report = s.screen.wide, s.report
	if s.marker != nil {
		o.Mark, o.Clock = s.marker.Mark, sources.Now
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
	frames := s.frames
	if frames == nil {
		frames = s.engine
	}
	return ui.Run(ctx, frames, o)
}

// mostCells is the largest screen there is: bubbletea takes no larger one when
// it is resized, but makes one at its start, of gigabytes.
const mostCells = 1 << 20

// drawable refuses a terminal of a size that can't be meant.
func drawable(out io.Writer) error {
	f, ok := out.(*os.File)
	if !ok {
		return nil
	}
	w, h, err := term.GetSize(int(f.Fd()))
	if err == nil && w*h > mostCells {
		return fmt.Errorf("the terminal says it has %d×%d cells: too many to draw (correct it with stty cols 120 rows 40, or use --headless)", w, h)
	}
	return nil
}

// allThemes are the built-in themes and those of the user's own folder. The
// error tells which of the user's can't be used; the others are there.
func allThemes(stdio Stdio) ([]*themes.Theme, error) {
	all, err := themes.Builtin()
	if err != nil {
		return nil, err
	}
	base := stdio.getenv("XDG_CONFIG_HOME")
	if base == "" {
		base = filepath.Join(stdio.getenv("HOME"), ".config")
	}
	dir := filepath.Join(base, "benchtop", "themes")
	if _, err := os.Stat(dir); err != nil {
		return all, nil //nolint:nilerr // nobody has to have themes of their own
	}
	own, err := themes.Folder(os.DirFS(dir))
	if err != nil {
		err = fmt.Errorf("themes in %s: %w", dir, err)
	}
	return append(all, own...), err
}

// report writes the report of the run so far beside where the user stands.
func (s *session) report() (string, error) {
	snap := s.engine.Latest()
	data, err := render(snap, "html")
	if err != nil {
		return "", err
	}
	path, err := ui.Keep("benchtop-"+snap.Now.Time().Format("20060102-150405")+".html", data)
	if err != nil {
		return "", fmt.Errorf("report: %w", err)
	}
	return path, nil
}
