package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/png"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"benchtop/model"
	"benchtop/themes"
	"benchtop/ui"
	"benchtop/ui/draw"
)

// shotFlags say which frame is drawn and how.
type shotFlags struct {
	at     time.Duration
	size   string
	format string
	theme  string
	window time.Duration
	full   string
	layout string
	hide   string
	cursor time.Duration
	colour string
	lines  bool
	ascii  bool
	utc    bool
	out    string
	height int
}

func newShot(stdio Stdio) *cobra.Command {
	var f shotFlags
	c := &cobra.Command{
		Use:   "shot RECORDING",
		Short: "Draw one frame of a recording as text, ANSI, SVG or PNG",
		Example: "  benchtop shot last --at 42s --size 120x40\n" +
			"  benchtop shot run.btr --at 2m --format png -o frame.png",
		Args: arguments(1, 1, oneRun),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := findRun(args[0])
			if err != nil {
				return err
			}
			return f.run(cmd.Context(), stdio, path)
		},
	}
	s := c.Flags()
	s.DurationVar(&f.at, "at", 0, "moment of the run, counted from its first event (default: its end)")
	s.StringVar(&f.size, "size", "120x40", "columns x rows")
	s.StringVar(&f.format, "format", "", "text, ansi, svg or png (default: by the ending of -o, else text)")
	s.StringVar(&f.theme, "theme", themes.DefaultName, "colour theme (see benchtop themes)")
	s.DurationVar(&f.window, "window", ui.DefaultWindow, "length of the time axis; 0 is the whole run")
	s.StringVar(&f.full, "full", "", "`PANEL` that has the whole screen")
	s.StringVar(&f.layout, "layout", "", "layout: "+layoutNames())
	s.StringVar(&f.hide, "hide", "", "`PANELS` left out, parted by commas")
	s.DurationVar(&f.cursor, "cursor", 0, "put the cursor on this moment of the run (default: no cursor)")
	s.StringVar(&f.colour, "color", "24bit", "colours of ansi and png: 24bit, 256, 16 or none")
	s.BoolVar(&f.lines, "lines", false, "concurrency as lines rather than areas")
	s.BoolVar(&f.ascii, "ascii", false, "draw with ASCII characters only")
	s.BoolVar(&f.utc, "utc", false, "clock times in UTC rather than in the local zone")
	s.StringVarP(&f.out, "output", "o", "", "write to `FILE` (default: standard output)")
	s.IntVar(&f.height, "cell", 24, "height of a cell in PNG pixels, 16 to 64")
	return c
}

// frameSize reads --size.
func frameSize(text string) (w, h int, err error) {
	a, b, ok := strings.Cut(strings.ToLower(text), "x")
	if ok {
		w, err = strconv.Atoi(a)
		if err == nil {
			h, err = strconv.Atoi(b)
		}
	}
	if !ok || err != nil || w < 1 || h < 1 || w > 1000 || h > 1000 {
		return 0, 0, usage("--size %q: want COLUMNSxROWS such as 120x40, 1 to 1000 each", text)
	}
	return w, h, nil
}

// kind is the format of the picture.
func (f *shotFlags) kind() (string, error) {
	k := f.format
	if k == "" {
		k = "text"
		for _, end := range []string{"svg", "png", "ansi"} {
			if strings.HasSuffix(strings.ToLower(f.out), "."+end) {
				k = end
			}
		}
	}
	switch k {
	case "text", "ansi", "svg", "png":
		return k, nil
	}
	return "", usage("--format %q: text, ansi, svg or png", k)
}

func (f *shotFlags) run(ctx context.Context, stdio Stdio, path string) error {
	kind, err := f.kind()
	if err != nil {
		return err
	}
	w, h, err := frameSize(f.size)
	if err != nil {
		return err
	}
	if f.at < 0 {
		return usage("--at %s: must not be negative", f.at)
	}
	if f.height < 16 || f.height > 64 {
		return usage("--cell %d: 16 to 64", f.height)
	}
	if kind == "png" && f.out == "" && terminal(stdio.Out) {
		return usage("a PNG on a terminal is of no use: give -o FILE")
	}
	if err := checkLook(f.layout, f.full, f.hide); err != nil {
		return err
	}
	if _, ok := depths[f.colour]; !ok {
		return usage("--color %q: 24bit, 256, 16 or none", f.colour)
	}
	all, err := allThemes(stdio)
	if err != nil {
		return &exitError{exitFailed, err}
	}
	th, err := themes.Find(all, f.theme)
	if err != nil {
		return usage("%w", err)
	}
	run, err := play(ctx, path, f.at)
	if err != nil {
		return err
	}
	data, err := f.draw(run.Snap, th, kind, w, h)
	if err != nil {
		return &exitError{exitFailed, err}
	}
	return writeOut(stdio.Out, f.out, data)
}

func (f *shotFlags) draw(snap *model.Snapshot, th *themes.Theme, kind string, w, h int) ([]byte, error) {
	v := ui.ViewState{
		Window: f.window, Full: f.full, Lines: f.lines, ASCII: f.ascii, Zone: time.Local,
		Still: true, Layout: f.layout, Hidden: strings.ReplaceAll(f.hide, ",", " "),
	}
	if f.cursor > 0 {
		v.Cursor = snap.Start.Add(f.cursor)
	}
	depth := depths[f.colour]
	if f.utc {
		v.Zone = time.UTC
	}
	g := draw.NewGrid(w, h)
	ui.Draw(g, snap, v, depth)
	switch kind {
	case "ansi":
		return append(g.Encode(nil, th, depth), '\n'), nil
	case "svg":
		return g.SVG(nil, th), nil
	case "png":
		img, err := g.Picture(th, depth, f.height)
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, img)
		return b.Bytes(), err
	}
	return []byte(g.String()), nil
}

// openOut opens a file to write, readable by its owner alone. A named pipe that
// nobody reads is an error: to wait for a reader would be for ever.
func openOut(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC|syscall.O_NONBLOCK, 0o600)
	if errors.Is(err, syscall.ENXIO) {
		err = fmt.Errorf("%s: nobody reads this pipe (start its reader first)", path)
	}
	return f, err
}

// writeOut writes data to the file named, or to the stream if none is.
func writeOut(w io.Writer, path string, data []byte) error {
	if path == "" || path == "-" {
		if _, err := w.Write(data); err != nil {
			return &exitError{exitFailed, fmt.Errorf("write the output: %w", err)}
		}
		return nil
	}
	_, missing := os.Stat(path)
	f, err := openOut(path)
	if err == nil {
		_, err = f.Write(data)
		if cerr := f.Close(); err == nil {
			err = cerr
		}
	}
	if err != nil {
		if missing != nil {
			_ = os.Remove(path) // half an output is worse than none
		}
		return &exitError{exitFailed, fmt.Errorf("output: %w", err)}
	}
	return nil
}
