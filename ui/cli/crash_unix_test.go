//go:build unix

package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/term"

	"benchtop/model"
	"benchtop/sources"
	"benchtop/sources/recording"
	"benchtop/sources/sim"
)

// brittle are frames whose fifth look breaks.
type brittle struct {
	s    *session
	left int
}

func (b *brittle) Changed() <-chan struct{} { return b.s.engine.Changed() }

func (b *brittle) Latest() *model.Snapshot {
	if b.left--; b.left < 0 {
		panic("no more glass")
	}
	return b.s.engine.Latest()
}

// talker says more than the channel holds, whoever listens.
type talker struct{}

const talks = 2000

func (talker) Name() string { return "talker" }

func (talker) Run(_ context.Context, out *sources.Outlet) error {
	for i := range talks {
		at := demoStart.Add(time.Duration(i) * time.Millisecond)
		out.Emit(model.Event{At: at, Seen: at, Kind: model.Level, Series: model.ServerKV, Key: 77, Value: 0.5})
		out.Flush()
	}
	return nil
}

// dryPen breaks at its first line of a run's state.
type dryPen struct{ io.Writer }

func (*dryPen) Write(p []byte) (int, error) { panic("no more ink") }

// TestAFaultOfOurOwn breaks the engine and the screen of a run that is being
// watched on a terminal, and without one: the terminal is as it was, the stack
// and one line are on stderr, the recording is whole and holds what was read.
func TestAFaultOfOurOwn(t *testing.T) {
	breakEngine := func(s *session) {
		left := 20
		s.taken = func(b *model.Batch) {
			if left--; left < 0 {
				panic("gear lost")
			}
			sources.Recycle(b)
		}
	}
	breakScreen := func(s *session) { s.frames = &brittle{s, 5} }
	for _, c := range []struct {
		name, line, stack string
		headless          bool
		hurt              func(s *session)
	}{
		{"engine", "engine: internal error: gear lost", "(*Engine).Run", false, breakEngine},
		{"engine without a screen", "engine: internal error: gear lost", "(*Engine).Run", true, breakEngine},
		{"lines without a screen", "screen: internal error: no more ink", "plain.Run", true, func(s *session) { s.io.Out = &dryPen{s.io.Out} }},
		{"screen", "screen: internal error: no more glass", "(*screen).Update", false, breakScreen},
	} {
		t.Run(c.name, func(t *testing.T) {
			master, line, err := pty.Open()
			if err != nil {
				t.Skipf("no pseudo terminal here: %v", err)
			}
			defer func() { _ = line.Close() }()
			if err := pty.Setsize(master, &pty.Winsize{Cols: 100, Rows: 30}); err != nil {
				t.Fatal(err)
			}
			before, err := term.GetState(int(line.Fd()))
			if err != nil {
				t.Fatal(err)
			}
			var sent, errs bytes.Buffer
			var reading sync.WaitGroup
			reading.Go(func() { _, _ = io.Copy(&sent, master) }) // ends with an error: the line is closed

			path := filepath.Join(t.TempDir(), "run.btr")
			src, err := sim.New("saturated", 11, demoStart, sources.NewPacer(100))
			if err != nil {
				t.Fatal(err)
			}
			s := &session{
				io:     Stdio{In: line, Out: line, Err: &errs, Env: []string{"TERM=xterm-256color"}},
				screen: &screenFlags{headless: c.headless, every: 50 * time.Millisecond, for_: time.Minute}, run: &runFlags{record: path},
				title: "t", began: demoStart,
			}
			s.start = func(ctx context.Context, g *sources.Group) error {
				g.Start(ctx, src, sources.Block, false)
				g.Start(ctx, talker{}, sources.Block, false)
				return nil
			}
			c.hurt(s)
			got := s.Go(t.Context())
			after, serr := term.GetState(int(line.Fd()))
			if serr != nil {
				t.Fatal(serr)
			}
			_ = line.Close()
			reading.Wait()
			_ = master.Close()

			var e *exitError
			if !errors.As(got, &e) || e.code != exitFailed {
				t.Fatalf("want exit code 1, got %v", got)
			}
			if text := e.Error(); !strings.HasPrefix(text, c.line) || strings.Contains(text, "\n") || !strings.Contains(text, "please report it") || !strings.Contains(text, path) {
				t.Errorf("want one line with what, the next step and where the run is, got %q", text)
			}
			if text := errs.String(); !strings.Contains(text, c.stack) || strings.Contains(text, "left behind") {
				t.Errorf("want the stack with %s and nobody left behind, got %s", c.stack, text)
			}
			if *before != *after {
				t.Errorf("line settings: want %+v, got %+v", before, after)
			}
			text := sent.String()
			if in, out := strings.LastIndex(text, "\x1b[?1049h"), strings.LastIndex(text, "\x1b[?1049l"); !c.headless && (in < 0 || out < in) || c.headless && in >= 0 {
				t.Errorf("want the main screen back, got %q", text[max(0, len(text)-200):])
			}
			if strings.Contains(text, "goroutine ") {
				t.Error("want no stack between the screen's bytes")
			}
			r, err := recording.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = r.Close() }()
			b, talked := new(model.Batch), 0
			for err == nil {
				for _, ev := range b.Events {
					if ev.Key == 77 {
						talked++
					}
				}
				err = r.Next(b)
			}
			if talked != talks {
				t.Errorf("want all %d values that were read in the recording, got %d", talks, talked)
			}
			if !errors.Is(err, io.EOF) || r.Cut() || r.Damaged() > 0 {
				t.Errorf("want a whole recording, got %v, cut %v, %d damaged", err, r.Cut(), r.Damaged())
			}
		})
	}
}

// TestAFaultAnywhere: what nobody nearer caught is one line behind its stack,
// and not the exit code of bad usage.
func TestAFaultAnywhere(t *testing.T) {
	var errs bytes.Buffer
	code := Main(t.Context(), []string{"version"}, Stdio{In: strings.NewReader(""), Out: &dryPen{}, Err: &errs})
	lines := strings.Split(strings.TrimSpace(errs.String()), "\n")
	if last := lines[len(lines)-1]; code != exitFailed || last != "benchtop: internal error: no more ink (please report it with the lines above)" || !strings.Contains(errs.String(), "dryPen") {
		t.Errorf("want 1, the stack and one line, got %d\n%s", code, errs.String())
	}
}

// mute is a source that breaks.
type mute struct{}

func (mute) Name() string { return "mute" }

func (mute) Run(context.Context, *sources.Outlet) error { panic("no voice") }

// TestASourceThatBreaks costs itself: the run ends well, and its stack is
// printed when the terminal is the user's again.
func TestASourceThatBreaks(t *testing.T) {
	var out, errs bytes.Buffer
	s := &session{
		io:     Stdio{In: strings.NewReader(""), Out: &out, Err: &errs},
		screen: &screenFlags{headless: true, every: time.Second, exit: true}, run: &runFlags{noRecord: true}, began: demoStart,
	}
	s.start = func(ctx context.Context, g *sources.Group) error {
		g.Start(ctx, sources.Heartbeat{}, sources.Block, false)
		g.Start(ctx, mute{}, sources.Block, true)
		g.Start(ctx, talker{}, sources.Block, true)
		return nil
	}
	if err := s.Go(t.Context()); err != nil {
		t.Errorf("want a run that ends well, got %v", err)
	}
	text := strings.TrimSpace(errs.String())
	if last := text[strings.LastIndexByte(text, '\n')+1:]; !strings.HasPrefix(last, "benchtop: mute: internal error: no voice (") || !strings.Contains(text, "mute.Run") {
		t.Errorf("want the stack and one line, got %s", text)
	}
}

// TestAbsurdTerminal: one that says it has a hundred million cells is told so,
// not drawn.
func TestAbsurdTerminal(t *testing.T) {
	master, line, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo terminal here: %v", err)
	}
	defer func() { _, _ = line.Close(), master.Close() }()
	for _, c := range []struct {
		w, h uint16
		ok   bool
	}{{500, 200, true}, {1, 1, true}, {0, 0, true}, {10_000, 10_000, false}, {65_535, 65_535, false}} {
		if err := pty.Setsize(master, &pty.Winsize{Cols: c.w, Rows: c.h}); err != nil {
			t.Fatal(err)
		}
		if err := drawable(line); (err == nil) != c.ok {
			t.Errorf("%d×%d: want it drawn %v, got %v", c.w, c.h, c.ok, err)
		}
	}
}
