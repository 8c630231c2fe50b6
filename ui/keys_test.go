package ui_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"benchtop/model"
	"benchtop/themes"
	"benchtop/ui"
)

// deck notes what a replay was told.
type deck struct {
	paused []bool
	speeds []float64
	seeks  []model.Instant
}

func (d *deck) Pause(on bool)         { d.paused = append(d.paused, on) }
func (d *deck) Speed(x float64)       { d.speeds = append(d.speeds, x) }
func (d *deck) Seek(to model.Instant) { d.seeks = append(d.seeks, to) }

func screenOf(t *testing.T, f *feed, o ui.Options) *ui.Screen {
	t.Helper()
	s, err := ui.NewScreen(f, o, 120, 40)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestPauseHoldsThePicture(t *testing.T) {
	f := newFeed(busy())
	s := screenOf(t, f, ui.Options{})
	s.Press("p")
	f.latest.Store(busyAt(sceneNow.Add(7300 * time.Millisecond)))
	got := ansi.Strip(s.Frame())
	if !strings.Contains(got, "paused, 7s behind") {
		t.Errorf("want a badge that says how far behind it is, got %q", firstLine(got))
	}
	if !strings.Contains(got, "00:07:31") {
		t.Errorf("want the picture to stand at 00:07:31, got %q", firstLine(got))
	}
	s.Press("space")
	if got := ansi.Strip(s.Frame()); !strings.Contains(got, "00:07:38") || !strings.Contains(got, "● live") {
		t.Errorf("want to be live at 00:07:38 again, got %q", firstLine(got))
	}
}

func firstLine(s string) string {
	l, _, _ := strings.Cut(s, "\n")
	return l
}

func TestReplayDeck(t *testing.T) {
	d := &deck{}
	s := screenOf(t, newFeed(busy()), ui.Options{Deck: d, Speed: 1})
	s.Press("p", "p", ">", ">", "<", ",", ".")
	s.Press("left", "left", "g")
	if want := []bool{true, false}; !slices.Equal(d.paused, want) {
		t.Errorf("want pauses %v, got %v", want, d.paused)
	}
	if want := []float64{2, 4, 2}; !slices.Equal(d.speeds, want) {
		t.Errorf("want speeds %v, got %v", want, d.speeds)
	}
	want := []model.Instant{sceneNow.Add(-10 * time.Second), sceneNow.Add(10 * time.Second)}
	if len(d.seeks) != 3 || !slices.Equal(d.seeks[:2], want) || d.seeks[2] >= sceneNow || d.seeks[2] < sceneNow.Add(-10*time.Second) {
		t.Errorf("want seeks 10 s around %d and to the cursor, got %v", sceneNow, d.seeks)
	}
	if s.State().Cursor != 0 {
		t.Error("want the cursor gone after playing from it")
	}
}

func TestReplayKeysDoNothingLive(t *testing.T) {
	s := screenOf(t, newFeed(busy()), ui.Options{})
	before := s.State()
	s.Press(",", ".", "<", ">", "g")
	if s.State() != before {
		t.Errorf("want nothing to change, got %+v", s.State())
	}
}

func TestCursor(t *testing.T) {
	s := screenOf(t, newFeed(busy()), ui.Options{})
	if s.Press("right"); s.State().Cursor != 0 {
		t.Fatal("want no cursor right of now")
	}
	s.Press("left")
	a := s.Axis()
	newest := a.From.Add(time.Duration(a.Newest) * a.Step)
	if got := s.State().Cursor; got != newest {
		t.Errorf("want the cursor on the newest column, got %v from it", got.Sub(newest))
	}
	s.Press("left", "left", "shift+left", "right")
	if got := s.State().Cursor.Sub(newest); got != -11*a.Step {
		t.Errorf("want 11 columns back, got %v", got)
	}
	// The cursor stays on its moment while the run goes on.
	at := s.State().Cursor
	s.Press("pgup")
	if s.State().Cursor != at {
		t.Error("want the cursor to keep its moment")
	}
	for range 40 {
		s.Press("shift+left")
	}
	if first := busy().Start; s.State().Cursor < first.Add(-a.Step) {
		t.Errorf("want the cursor to stop at the run's start, got %v before it", first.Sub(s.State().Cursor))
	}
	if s.State().End == 0 {
		t.Error("want the window to have followed the cursor into the past")
	}
	s.Press("l")
	if v := s.State(); v.Cursor != 0 || v.End != 0 {
		t.Errorf("want l to go back to live, got %+v", v)
	}
}

func TestZoom(t *testing.T) {
	s := screenOf(t, newFeed(busy()), ui.Options{})
	s.Press("+", "+", "+", "+")
	if got := s.State().Window; got != 30*time.Second {
		t.Errorf("want 30 s as the shortest window, got %v", got)
	}
	for range 12 {
		s.Press("-")
	}
	if got := s.State().Window; got != 0 {
		t.Errorf("want the whole run as the longest window, got %v", got)
	}
	if a := s.Axis(); a.From > busy().Start {
		t.Errorf("want the whole run on the axis, it begins %v late", a.From.Sub(busy().Start))
	}
	s.Press("+")
	if got := s.State().Window; got != time.Hour {
		t.Errorf("want an hour next to the whole run, got %v", got)
	}
}

func TestFocusAndFullScreen(t *testing.T) {
	s := screenOf(t, newFeed(busy()), ui.Options{})
	s.Press("tab")
	if got := s.State().Focus; got != "concurrency" {
		t.Errorf("want the first panel in focus, got %q", got)
	}
	s.Press("4", "enter")
	if v := s.State(); v.Focus != "gpu" || v.Full != "gpu" {
		t.Errorf("want the clock on the whole screen, got %+v", v)
	}
	s.Press("2")
	if got := s.State().Full; got != "batch" {
		t.Errorf("want the batch strip in its place, got %q", got)
	}
	s.Press("e", "down", "down", "up")
	if v := s.State(); v.Full != "findings" || v.Scroll != 1 {
		t.Errorf("want findings scrolled by one, got %+v", v)
	}
	s.Press("e")
	s.Press("9", "enter", "esc", "esc")
	if v := s.State(); v.Full != "" || v.Focus != "" {
		t.Errorf("want esc to leave the whole screen, then the focus, got %+v", v)
	}
}

func TestThemeStyleHelpMarkQuit(t *testing.T) {
	marks := 0
	s := screenOf(t, newFeed(busy()), ui.Options{Mark: func(model.Instant, string) { marks++ }})
	s.Press("t", "v", "m", "enter")
	if s.Theme() == themes.DefaultName || !s.State().Lines || marks != 1 {
		t.Errorf("want another theme, lines and a mark, got %s, %v, %d", s.Theme(), s.State().Lines, marks)
	}
	s.Press("?")
	help := ansi.Strip(s.Send(nil))
	for _, b := range ui.Bindings() {
		if b.Name != "" && !b.Replay && !strings.Contains(help, b.Name) {
			t.Errorf("want key %q on the help page", b.Name)
		}
	}
	if !strings.Contains(help, "how to read the screen") {
		t.Error("want to be told how to read the screen")
	}
	s.Press("esc")
	if got := ansi.Strip(s.Send(nil)); !strings.Contains(got, "concurrency") {
		t.Error("want the dashboard back after esc")
	}
	if !s.Press("q") || !s.Press("ctrl+c") {
		t.Error("want q and ctrl+c to quit")
	}
}

func TestHelpFitsEverySize(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {20, 5}, {60, 15}, {80, 24}, {200, 60}} {
		for _, ascii := range []bool{false, true} {
			s, err := ui.NewScreen(newFeed(busy()), ui.Options{ASCII: ascii, Deck: &deck{}}, size[0], size[1])
			if err != nil {
				t.Fatal(err)
			}
			s.Press("?")
			lines := strings.Split(s.Send(nil), "\n")
			if len(lines) > size[1] {
				t.Errorf("%v: want at most %d lines, got %d", size, size[1], len(lines))
			}
			for _, l := range lines {
				if n := ansi.StringWidth(l); n > size[0] {
					t.Errorf("%v: a line is %d wide", size, n)
				}
				if ascii {
					for _, r := range l {
						if r >= 0x80 {
							t.Fatalf("want ASCII only, got %q", r)
						}
					}
				}
			}
		}
	}
}

// View draws only when something has changed, however often it is asked.
func TestViewIsCached(t *testing.T) {
	f := newFeed(busy())
	s := screenOf(t, f, ui.Options{})
	before := s.Drawn()
	for range 5 {
		s.Send(tea.FocusMsg{})
		s.Frame() // the same snapshot again
	}
	if got := s.Drawn(); got != before {
		t.Errorf("want no frame drawn anew, got %d", got-before)
	}
	f.latest.Store(busyAt(sceneNow.Add(100 * time.Millisecond)))
	if s.Frame(); s.Drawn() != before {
		t.Errorf("want nothing drawn within half a second of columns of two seconds, got %d", s.Drawn()-before)
	}
	f.latest.Store(busyAt(sceneNow.Add(400 * time.Millisecond)))
	if s.Frame(); s.Drawn() != before {
		t.Errorf("want nothing drawn within half a second of columns of two seconds, got %d", s.Drawn()-before)
	}
	f.latest.Store(busyAt(sceneNow.Add(600 * time.Millisecond)))
	if s.Frame(); s.Drawn() != before+1 {
		t.Errorf("want one frame for one snapshot, got %d", s.Drawn()-before)
	}
}

func TestMouse(t *testing.T) {
	s := screenOf(t, newFeed(busy()), ui.Options{Mouse: true})
	a := s.Axis()
	s.Send(tea.MouseClickMsg{X: a.X + 5, Y: 7, Button: tea.MouseLeft})
	if want := a.From.Add(5 * a.Step); s.State().Cursor != want {
		t.Errorf("want the cursor where it was clicked, got %v beside it", s.State().Cursor.Sub(want))
	}
	s.Send(tea.MouseClickMsg{X: 0, Y: 7})
	if got := s.State().Cursor; got != a.From.Add(5*a.Step) {
		t.Error("want a click beside the charts to do nothing")
	}
	s.Send(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
	if got := s.State().Window; got != 5*time.Minute {
		t.Errorf("want the wheel to zoom out to 5 m, got %v", got)
	}
}

func TestColourProfile(t *testing.T) {
	for _, tc := range []struct {
		profile colorprofile.Profile
		noColor bool
		want    themes.Depth
	}{
		{colorprofile.TrueColor, false, themes.TrueColor},
		{colorprofile.ANSI256, false, themes.ANSI256},
		{colorprofile.ANSI, false, themes.ANSI16},
		{colorprofile.ASCII, false, themes.Mono},
		{colorprofile.NoTTY, false, themes.Mono},
		{colorprofile.TrueColor, true, themes.Mono},
	} {
		s := screenOf(t, newFeed(busy()), ui.Options{NoColor: tc.noColor})
		s.Send(tea.ColorProfileMsg{Profile: tc.profile})
		if got := s.Depth(); got != tc.want {
			t.Errorf("%v, no colour %v: want %v, got %v", tc.profile, tc.noColor, tc.want, got)
		}
	}
}

func TestUnknownTheme(t *testing.T) {
	if _, err := ui.NewScreen(newFeed(nil), ui.Options{Theme: "neon"}, 80, 24); err == nil || !strings.Contains(err.Error(), "dark") {
		t.Errorf("want an error that names the themes, got %v", err)
	}
}

func TestKeysAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, b := range ui.Bindings() {
		for _, k := range b.Keys {
			if seen[k] {
				t.Errorf("key %q is bound twice", k)
			}
			seen[k] = true
		}
		if (b.Name == "") != (b.Help == "") {
			t.Errorf("key %v has a name or a help text, want both or neither", b.Keys)
		}
	}
}
