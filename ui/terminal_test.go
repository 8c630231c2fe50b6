package ui_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/charmbracelet/x/vt"
	"go.uber.org/goleak"

	"benchtop/themes"
	"benchtop/ui"
)

// terminal is an emulated screen that counts what it is sent.
type terminal struct {
	emu   *vt.Emulator
	bytes atomic.Int64
	log   bytes.Buffer
	keys  *io.PipeWriter
}

// Write takes the program's output. Without a terminal bubbletea assumes that
// a line feed also returns the carriage; the emulator does not.
func (t *terminal) Write(p []byte) (int, error) {
	t.bytes.Add(int64(len(p)))
	t.log.Write(p)
	if _, err := t.emu.Write(bytes.ReplaceAll(p, []byte("\n"), []byte("\r\n"))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// show runs the program on an emulated terminal inside a bubble of fake time
// until use returns, then ends it.
func show(t *testing.T, f *feed, w, h int, env []string, use func(term *terminal, cancel func())) {
	t.Helper()
	if err := showing(t, f, ui.Options{Width: w, Height: h, Environ: env}, use); err != nil {
		t.Errorf("want a clean end, got %v", err)
	}
}

// showing is show with more to choose; it gives what Run returned.
func showing(t *testing.T, f *feed, o ui.Options, use func(term *terminal, cancel func())) (err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		f.wake = make(chan struct{}, 1) // the bubble's own
		term := &terminal{emu: vt.NewEmulator(o.Width, o.Height)}
		go func() { _, _ = io.Copy(io.Discard, term.emu) }() // it answers queries
		in, keys := io.Pipe()
		term.keys = keys
		done := make(chan error, 1)
		go func() {
			o.Input, o.Output, o.Zone, o.FPS = in, term, time.UTC, 10
			done <- ui.Run(ctx, f, o)
		}()
		settle()
		use(term, cancel)
		cancel()
		err = <-done
		settle() // a frame's tick may still be on its way
		_ = keys.Close()
		_ = term.emu.Close()
	})
	return err
}

// settle lets two frames' time pass and everything that follows from it.
func settle() {
	time.Sleep(250 * time.Millisecond)
	synctest.Wait()
}

var trueColour = []string{"TERM=xterm-256color", "COLORTERM=truecolor", "CLICOLOR_FORCE=1"}

// same compares the emulated screen, cell by cell, with a fresh drawing.
func same(t *testing.T, got *vt.Emulator, frame string, w, h int) {
	t.Helper()
	fresh := vt.NewEmulator(w, h)
	if _, err := fresh.WriteString(strings.ReplaceAll(frame, "\n", "\r\n")); err != nil {
		t.Fatal(err)
	}
	wrong := 0
	for y := range h {
		for x := range w {
			a, b := fresh.CellAt(x, y), got.CellAt(x, y)
			if a.Content == " " && b.Content == " " {
				a, b = a.Clone(), b.Clone()
				a.Style.Fg, b.Style.Fg = nil, nil // nobody sees a blank's ink
			}
			if !a.Equal(b) {
				if wrong == 0 {
					t.Errorf("cell %d,%d: want %q %+v, got %q %+v", x, y, a.Content, a.Style, b.Content, b.Style)
				}
				wrong++
			}
		}
	}
	if wrong > 0 {
		t.Errorf("%d of %d cells differ from a fresh drawing", wrong, w*h)
	}
}

func TestScreenEqualsFreshDrawing(t *testing.T) {
	all, err := themes.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	const w, h = 120, 40
	f := newFeed(busy())
	show(t, f, w, h, trueColour, func(term *terminal, _ func()) {
		rng := rand.New(rand.NewPCG(5, 6))
		now := sceneNow
		for range 12 {
			now = now.Add(time.Duration(1+rng.IntN(5)) * time.Second) // whole ones: the figures move too
			snap := busyAt(now)
			f.publish(snap)
			settle()
			same(t, term.emu, ui.Render(snap, live, w, h, all[0], themes.TrueColor), w, h)
			if t.Failed() {
				return
			}
		}
	})
}

// A random walk of snapshots, keys and sizes: what stands on the terminal after
// each step, put there piece by piece, is what it shows once drawn anew.
func TestAnyWalkEqualsFreshDrawing(t *testing.T) {
	keys := []string{"\x1b[D", "\x1b[C", "+", "-", "l", "e", "w", "v", "t", "\t", "\r", "x", "X", "\x1b", "?", "h", "7", "n", "0", "]", "[", "p"}
	steps := 60
	if testing.Short() {
		steps = 12
	}
	for seed := range uint64(3) {
		f := newFeed(busy())
		show(t, f, 120, 40, trueColour, func(term *terminal, _ func()) {
			rng := rand.New(rand.NewPCG(seed, 7))
			w, h, now := 120, 40, sceneNow
			var walk []string
			send := func(s string) {
				if _, err := term.keys.Write([]byte(s)); err != nil {
					t.Error(err)
				}
				settle()
			}
			size := func() { send(fmt.Sprintf("\x1b[48;%d;%d;0;0t", h, w)) }
			for range steps {
				switch rng.IntN(4) {
				case 0:
					w, h = 30+rng.IntN(200), 8+rng.IntN(60)
					walk = append(walk, fmt.Sprintf("%dx%d", w, h))
					term.emu.Resize(w, h)
					size()
				case 1:
					k := keys[rng.IntN(len(keys))]
					walk = append(walk, fmt.Sprintf("%q", k))
					send(k)
				default:
					now = now.Add(time.Duration(1+rng.IntN(80)) * 100 * time.Millisecond)
					walk = append(walk, "frame")
					f.publish(busyAt(now))
					settle()
				}
				got := cells(term.emu, w, h)
				size() // a terminal that tells its size gets everything anew
				for i, want := range cells(term.emu, w, h) {
					if want != got[i] {
						t.Errorf("seed %d, %dx%d after %v: cell %d,%d: want %q, got %q", seed, w, h, walk, i%w, i/w, want, got[i])
						return
					}
				}
			}
		})
	}
}

// cells are a screen's letters and looks, blanks without ink that nobody sees.
func cells(emu *vt.Emulator, w, h int) []string {
	out := make([]string, 0, w*h)
	for y := range h {
		for x := range w {
			c := emu.CellAt(x, y).Clone()
			if c.Content == " " {
				c.Style.Fg = nil
			}
			out = append(out, c.Content+c.Style.String())
		}
	}
	return out
}

// Ten frames a second of a running benchmark stay within the budget of a slow
// line, and whole seconds bring the figures.
func TestBytesASecond(t *testing.T) {
	for _, tc := range []struct {
		w, h int
		most float64
	}{{120, 40, 3000}, {200, 60, 6000}} {
		f := newFeed(busy())
		show(t, f, tc.w, tc.h, trueColour, func(term *terminal, _ func()) {
			before := term.bytes.Load()
			const seconds = 24
			for i := range seconds * 10 {
				f.publish(busyAt(sceneNow.Add(time.Duration(i+1) * 100 * time.Millisecond)))
				time.Sleep(100 * time.Millisecond)
			}
			synctest.Wait()
			rate := float64(term.bytes.Load()-before) / seconds
			t.Logf("%dx%d: %.0f bytes a second", tc.w, tc.h, rate)
			if rate > tc.most {
				t.Errorf("want at most %.0f bytes a second at %dx%d and 10 Hz, got %.0f", tc.most, tc.w, tc.h, rate)
			}
			if !strings.Contains(term.emu.String(), "00:07:5") {
				t.Error("want the elapsed time to have moved on")
			}
		})
	}
}

// A snapshot a millisecond still draws ten frames a second at most.
func TestFloodOfSnapshots(t *testing.T) {
	f := newFeed(busy())
	show(t, f, 80, 24, trueColour, func(term *terminal, _ func()) {
		snaps := [2]int{}
		a, b := busyAt(sceneNow.Add(time.Second)), busyAt(sceneNow.Add(2*time.Second))
		before := term.bytes.Load()
		for i := range 1000 {
			if i%2 == 0 {
				f.publish(a)
			} else {
				f.publish(b)
			}
			snaps[i%2]++
			time.Sleep(time.Millisecond)
		}
		synctest.Wait()
		if got := term.bytes.Load() - before; got > 60_000 {
			t.Errorf("want the flood to be thinned out, got %d bytes in a second", got)
		}
	})
}

func TestKeysThroughTheTerminal(t *testing.T) {
	f := newFeed(busy())
	show(t, f, 100, 30, trueColour, func(term *terminal, _ func()) {
		press := func(s string) string {
			if _, err := term.keys.Write([]byte(s)); err != nil {
				t.Error(err)
			}
			settle()
			return term.emu.String()
		}
		if got := press("?"); !strings.Contains(got, "this help") {
			t.Error("want the help page after ?")
		}
		if got := press("?"); !strings.Contains(got, "concurrency") {
			t.Error("want the dashboard after another ?")
		}
		if got := press("\x1b[D\x1b[D"); !strings.Contains(got, "cursor -") {
			t.Error("want a cursor after two arrows")
		}
		if got := press("e"); !strings.Contains(got, "findings and evidence") {
			t.Error("want the findings after e")
		}
		press("q") // ends the program; show's cancel finds it gone
	})
}

func TestEndsWithContextAndRestores(t *testing.T) {
	show(t, newFeed(nil), 80, 24, trueColour, func(term *terminal, cancel func()) {
		if !term.emu.IsAltScreen() {
			t.Error("want the alternate screen while it runs")
		}
		cancel()
		settle()
		if term.emu.IsAltScreen() {
			t.Error("want the terminal's own screen back after the end")
		}
		if !strings.Contains(term.log.String(), "\x1b[?25h") {
			t.Error("want the cursor shown again after the end")
		}
	})
}

func TestSynchronizedOutputOverSSH(t *testing.T) {
	for _, tc := range []struct {
		name string
		env  []string
		want bool
	}{
		{"over ssh", append([]string{"SSH_TTY=/dev/pts/1"}, trueColour...), true},
		{"silent terminal", trueColour, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := newFeed(busy())
			show(t, f, 80, 24, tc.env, func(term *terminal, _ func()) {
				f.publish(busyAt(sceneNow.Add(time.Second)))
				settle()
				// Asking for the mode is "?2026$p"; setting it is "?2026h".
				if got := strings.Contains(term.log.String(), "\x1b[?2026h"); got != tc.want && tc.want {
					t.Errorf("want frames wrapped in synchronized output: %v, got %v", tc.want, got)
				}
			})
		})
	}
}

func TestNothingLeaks(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	show(t, newFeed(busy()), 80, 24, trueColour, func(_ *terminal, _ func()) {})
}
