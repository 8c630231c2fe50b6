package ui_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"benchtop/ui"
)

// brokenDeck is a deck whose pause does not work.
type brokenDeck struct{ deck }

func (*brokenDeck) Pause(bool) { panic("stuck\x1b[2J") }

// TestABrokenScreenGivesTheTerminalBack breaks what takes messages and what
// draws: the program ends with the terminal as it was, nothing is printed over
// it, and the caller gets the stack.
func TestABrokenScreenGivesTheTerminalBack(t *testing.T) {
	undrawable := busyAt(sceneNow.Add(1e9))
	for i := range undrawable.Tracks {
		for j := range undrawable.Tracks[i].Tiers {
			undrawable.Tracks[i].Tiers[j].Step = 0 // divided by
		}
	}
	for _, c := range []struct {
		name, stack string
		do          func(f *feed, term *terminal)
	}{
		{"update", "(*brokenDeck).Pause", func(_ *feed, term *terminal) { _, _ = io.WriteString(term.keys, "p") }},
		{"view", "ui.Draw", func(f *feed, _ *terminal) { f.publish(undrawable) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFeed(busy())
			err := showing(t, f, ui.Options{Width: 100, Height: 30, Environ: trueColour, Deck: &brokenDeck{}}, func(term *terminal, _ func()) {
				if !term.emu.IsAltScreen() {
					t.Error("want the alternate screen while it runs")
				}
				c.do(f, term)
				settle()
				if term.emu.IsAltScreen() || !strings.Contains(term.log.String(), "\x1b[?25h") {
					t.Error("want the terminal's own screen and its cursor back")
				}
				if text := term.log.String(); strings.Contains(text, "goroutine") || strings.Contains(text, "stuck") {
					t.Error("want no stack on the screen")
				}
			})
			var b *ui.Broken
			if !errors.As(err, &b) {
				t.Fatalf("want the panic as an error, got %v", err)
			}
			if !strings.Contains(string(b.Stack), c.stack) || !strings.HasPrefix(b.Error(), "screen: internal error: ") {
				t.Errorf("want the stack with %s in it, got %v\n%s", c.stack, b, b.Stack)
			}
		})
	}
}

// TestAFileThatBreaksIsNotTheEnd: writing a picture or a report is no part of
// watching the run.
func TestAFileThatBreaksIsNotTheEnd(t *testing.T) {
	o := ui.Options{Width: 120, Height: 40, Environ: trueColour}
	o.Save = func(string, []byte) (string, error) { panic("no ink") }
	o.Report = func() (string, error) { panic("no paper") }
	err := showing(t, newFeed(busy()), o, func(term *terminal, _ func()) {
		for _, k := range []struct{ key, want string }{{"s", "not saved: internal error: no ink"}, {"S", "no report: internal error: no paper"}} {
			_, _ = io.WriteString(term.keys, k.key)
			settle()
			if text := term.emu.String(); !strings.Contains(text, k.want) {
				t.Errorf("want %q told, got\n%s", k.want, text)
			}
		}
	})
	if err != nil {
		t.Errorf("want the screen to live on, got %v", err)
	}
}
