package ui_test

import (
	"errors"
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"benchtop/model"
	"benchtop/themes"
	"benchtop/ui"
	"benchtop/ui/draw"
	"benchtop/ui/panel"
)

// shown is the screen's text without colours.
func shown(s *ui.Screen) string { return ansi.Strip(s.Send(nil)) }

func TestJumpsFromEventToEvent(t *testing.T) {
	s := screenOf(t, newFeed(busy()), ui.Options{})
	s.Press("[")
	marks := busy().Marks
	newest := marks[len(marks)-1]
	if got := s.State().Cursor; got != newest.At {
		t.Fatalf("want the cursor on the newest event, got %v from it", got.Sub(newest.At))
	}
	s.Press("[", "[")
	if got, want := s.State().Cursor, marks[len(marks)-3].At; got != want {
		t.Errorf("want the cursor two events earlier, got %v from there", got.Sub(want))
	}
	s.Press("]")
	if got, want := s.State().Cursor, marks[len(marks)-2].At; got != want {
		t.Errorf("want the cursor one event later, got %v from there", got.Sub(want))
	}
	wants(t, shown(s), "reject: 503 queue full")
	// An event out of sight moves the window to it.
	s.Press("+", "+")
	for range 20 {
		s.Press("[")
	}
	a := s.Axis()
	if got := s.State().Cursor; got != marks[0].At || got < a.From || got >= a.From.Add(time.Duration(a.Cols)*a.Step) {
		t.Errorf("want the oldest event inside the window, got %v from its start", got.Sub(a.From))
	}
}

func TestTheVerdictThatStoodThen(t *testing.T) {
	s := screenOf(t, newFeed(busy()), ui.Options{})
	wants(t, shown(s), "requests missing at the server")
	for range 18 {
		s.Press("left")
	}
	text := shown(s)
	wants(t, text, "as of -", "the GPU slows down", "evidence as of 13:06:51", "91 %", "13:06:19 to 13:07:19 (1m)", "▸ SM clock 1380 of", "change   the power limit", "30 s to -")
	wantsNot(t, text, "▸ running 47")
	s.Press("shift+left")
	wants(t, shown(s), "evidence as of 13:06:19", "62 %") // what it came with: the later words are not from before this second
	for range 7 {
		s.Press("shift+left")
	}
	wants(t, shown(s), "no bottleneck seen", "stood 13:00:51 to")
	s.Press("l")
	wants(t, shown(s), "requests missing at the server")
	v := live
	v.Cursor = busy().Start.Add(time.Second)
	v.Window = 0
	wantsNot(t, screenText(busy(), v), "requests missing at the server")
}

// Every figure under the cursor is that moment's: the run's own counts then.
func TestFiguresAtTheCursor(t *testing.T) {
	v := live
	v.Cursor = sceneNow.Add(-30 * time.Second)
	text := screenText(busy(), v)
	// 37 timeouts ended 52 to 71 s ago: of the 30 s to here some lie inside.
	wants(t, text, "p50 ≈", "all", "moment", "KV cache 71 %")
	v.Cursor = sceneNow.Add(-150 * time.Second)
	wants(t, screenText(busy(), v), "lost     0")
}

func TestFilterOfTheEventLog(t *testing.T) {
	s := screenOf(t, newFeed(busy()), ui.Options{})
	s.Press("/", "t", "h", "r", "o", "t")
	text := shown(s)
	wants(t, text, "events with: throt_", "3 of 11", "SW power cap on", "HW thermal on")
	wantsNot(t, text, "503 queue full")
	s.Press("backspace", "t", "enter", "[")
	if got := s.State(); got.Filter != "throt" || got.Cursor != sceneNow.Add(-22*time.Second) {
		t.Errorf("want the filter kept and jumps among its events, got %q, %v", got.Filter, sceneNow.Sub(got.Cursor))
	}
	s.Press("/", "q", "esc")
	if s.State().Filter != "" || s.State().Prompt != "" {
		t.Error("want esc to drop the filter")
	}
	s.Press("/", "z", "z", "z")
	wants(t, shown(s), "no event has these letters")
	s.Press("enter")
	if s.Press("q"); s.State().Prompt != "" {
		t.Error("want keys to be keys again after enter")
	}
}

func TestHideAndShowPanels(t *testing.T) {
	s := screenOf(t, newFeed(busy()), ui.Options{})
	s.Press("x")
	wants(t, shown(s), "choose one with tab first")
	s.Press("3", "x")
	wantsNot(t, shown(s), "─ queue length")
	s.Press("2", "x")
	wantsNot(t, shown(s), "─ batch size", "─ queue length")
	s.Press("3") // its key brings it back
	wants(t, shown(s), "─ queue length")
	s.Press("X")
	wants(t, shown(s), "─ queue length", "─ batch size")
}

func TestLayouts(t *testing.T) {
	s := screenOf(t, newFeed(busy()), ui.Options{})
	for _, tc := range []struct {
		key       string
		want, not string
	}{
		{"f3", "2 GPUs, clock 50 to 100 % of max", "─ batch size"},
		{"f4", "TTFT and TPOT", "GPU 0 of 2"},
		{"f5", "in big numbers", "─ batch size"},
		{"f2", "─ batch size", "in big numbers"},
		{"w", "2 GPUs, clock 50 to 100 % of max", "─ batch size"},
	} {
		s.Press(tc.key)
		text := shown(s)
		wants(t, text, tc.want, "verdict")
		wantsNot(t, text, tc.not)
	}
	for _, l := range panel.Layouts() {
		for _, size := range sizes {
			v := live
			v.Layout = l.Name
			g := draw.NewGrid(size[0], size[1])
			a := ui.Draw(g, busy(), v, themes.TrueColor)
			if a.Cols == 0 || len(a.Boxes) < 3 {
				t.Errorf("%s %v: want a time axis and panels, got %d columns, %d panels", l.Name, size, a.Cols, len(a.Boxes))
			}
			wants(t, g.String(), "requests missing")
		}
	}
}

func TestSaveScreen(t *testing.T) {
	kept := map[string]string{}
	s := screenOf(t, newFeed(busy()), ui.Options{Save: func(name string, data []byte) (string, error) {
		kept[name] = string(data)
		return "/tmp/" + name, nil
	}, Zone: time.UTC})
	s.Send(s.Do("s"))
	wants(t, shown(s), "saved /tmp/benchtop-20260314-130731.svg")
	wants(t, kept["benchtop-20260314-130731.svg"], "<svg", "requests missing")
	wants(t, kept["benchtop-20260314-130731.txt"], "┌─ concurrency", "requests missing")

	full := screenOf(t, newFeed(busy()), ui.Options{Save: func(string, []byte) (string, error) { return "", errors.New("disk full") }})
	full.Send(full.Do("s"))
	wants(t, shown(full), "not saved: disk full")
}

func TestSaveScreenIntoTheCurrentFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	s := screenOf(t, newFeed(busy()), ui.Options{Zone: time.UTC})
	s.Send(s.Do("s"))
	for _, name := range []string{"benchtop-20260314-130731.svg", "benchtop-20260314-130731.txt"} {
		if info, err := os.Stat(name); err != nil || info.Size() < 1000 {
			t.Errorf("want %s in the current folder, got %v", name, err)
		}
	}
}

// TestKeepTakesNobodysPlace: in a folder that others write to, what is there
// stays, also where a link points, and half a file does not.
func TestKeepTakesNobodysPlace(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, text := range map[string]string{"a.svg": "mine", "target": "precious"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, l := range []string{"a-2.svg", "b.svg"} {
		if err := os.Symlink("target", l); err != nil {
			t.Skipf("no links here: %v", err)
		}
	}
	for name, want := range map[string]string{"a.svg": "a-3.svg", "b.svg": "b-2.svg", "c.svg": "c.svg"} {
		got, err := ui.Keep(name, []byte("new"))
		if err != nil || filepath.Base(got) != want {
			t.Errorf("%s: want %s, got %s, %v", name, want, got, err)
		}
	}
	for name, want := range map[string]string{"a.svg": "mine", "target": "precious", "a-3.svg": "new"} {
		if got, err := os.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("%s: want %q in it, got %q, %v", name, want, got, err)
		}
	}
	if _, err := ui.Keep(filepath.Join("none", "x.svg"), nil); err == nil {
		t.Error("want a folder that is not there told")
	}
}

func TestReportKey(t *testing.T) {
	s := screenOf(t, newFeed(busy()), ui.Options{Report: func() (string, error) { return "/tmp/r.html", nil }})
	s.Send(s.Do("S"))
	wants(t, shown(s), "report /tmp/r.html")
	none := screenOf(t, newFeed(busy()), ui.Options{})
	none.Do("S")
	wants(t, shown(none), "benchtop report RECORDING")
}

func TestCopyVerdictAndTitle(t *testing.T) {
	s := screenOf(t, newFeed(busy()), ui.Options{})
	if got := s.Do("y"); got == nil || !strings.Contains(strings.ToLower(typeName(got)), "clipboard") {
		t.Errorf("want the clipboard to be set, got %T", got)
	}
	wants(t, s.Verdict(), "requests missing at the server\n", "17 of 64", "- running 47 of 32", "change: ", "does not prove: ")
	if got, want := s.Title(), "benchtop: requests missing at the server"; got != want {
		t.Errorf("want the window's title %q, got %q", want, got)
	}
	if got := screenOf(t, newFeed(nothing()), ui.Options{}).Title(); got != "benchtop" {
		t.Errorf("want a plain title before there is a verdict, got %q", got)
	}
}

func TestThemePicker(t *testing.T) {
	s := screenOf(t, newFeed(busy()), ui.Options{})
	first := s.Theme()
	s.Press("T", "down")
	wants(t, shown(s), "─ theme ", "▶ "+s.Theme(), "enter take it")
	if s.Theme() == first {
		t.Error("want each theme shown as soon as it is reached")
	}
	s.Press("esc")
	if s.Theme() != first {
		t.Errorf("want esc to go back to %s, got %s", first, s.Theme())
	}
	s.Press("T", "up", "enter")
	if s.Theme() == first || strings.Contains(shown(s), "─ theme ") {
		t.Errorf("want enter to keep the theme and close the list, got %s", s.Theme())
	}
}

func TestBackgroundChoosesTheTheme(t *testing.T) {
	white, black := tea.BackgroundColorMsg{Color: rgb(250, 250, 250)}, tea.BackgroundColorMsg{Color: rgb(10, 10, 10)}
	s := screenOf(t, newFeed(busy()), ui.Options{})
	s.Send(white)
	if s.Theme() != "light" {
		t.Errorf("want the light theme on a light background, got %s", s.Theme())
	}
	s.Send(black)
	if s.Theme() != themes.DefaultName {
		t.Errorf("want the dark theme on a dark background, got %s", s.Theme())
	}
	s = screenOf(t, newFeed(busy()), ui.Options{Theme: "dark"})
	s.Send(white)
	if s.Theme() != "dark" {
		t.Errorf("want the theme that was asked for, got %s", s.Theme())
	}
	s = screenOf(t, newFeed(busy()), ui.Options{})
	s.Press("t")
	chosen := s.Theme()
	s.Send(white)
	if s.Theme() != chosen {
		t.Errorf("want the theme chosen by key, got %s", s.Theme())
	}
}

func TestWideTerminalsGetASCII(t *testing.T) {
	for name, o := range map[string]ui.Options{
		"option": {Wide: true}, "environment": {Environ: []string{"RUNEWIDTH_EASTASIAN=1"}},
	} {
		for _, r := range shown(screenOf(t, newFeed(busy()), o)) {
			if r >= 0x80 {
				t.Fatalf("%s: want nothing of ambiguous width, got %q", name, r)
			}
		}
	}
}

func TestClickOnAnEvent(t *testing.T) {
	s := screenOf(t, newFeed(busy()), ui.Options{Mouse: true})
	a := s.Axis()
	for _, b := range a.Boxes {
		if b.ID != "events" {
			continue
		}
		s.Send(tea.MouseClickMsg{X: b.X + 3, Y: b.Y + 2, Button: tea.MouseLeft})
		marks := busy().Marks
		if got, want := s.State().Cursor, marks[len(marks)-3].At; got != want {
			t.Errorf("want the cursor on the third event, got %v from it", got.Sub(want))
		}
		return
	}
	t.Fatal("want an event log on the screen")
}

func TestLossesAreReconciled(t *testing.T) {
	v := live
	v.Full = "losses"
	wants(t, screenText(busy(), v), "timeouts: client 37, server 31: 6 not told by it", "rejected: client 6, server does not say", "s abrt")
	s := steady(8, 8)
	wants(t, screenText(s.done(), v), "no request was lost so far")
}

// A mark of the user's own is on the axis even where words stand.
func TestMarksOnTheAxis(t *testing.T) {
	g := draw.NewGrid(120, 40)
	a := ui.Draw(g, busy(), live, themes.TrueColor)
	for _, m := range busy().Marks {
		x := a.X + int(m.At.Sub(a.From)/a.Step)
		found := false
		for y := range 40 {
			c := g.Cell(x, y)
			found = found || y > 10 && (c.Rune == '▼' || c.Rune == '▲' || c.Rune == '△' || c.Rune == '│' && c.Look.Fg == themes.Dim)
		}
		if m.At >= a.From && !found && (m.Class == "throttle" && m.Bad || m.Class == "user") {
			t.Errorf("want a sign on the axis for %s %s", m.Class, m.Text)
		}
	}
}

func TestEveryGPUHasAStrip(t *testing.T) {
	s := steady(8, 8)
	for i := range 16 {
		held := 0.0
		oneGPU(s, uint64(10+i), i, time.Second, func(float64) float64 { return 1900e6 }, func(at model.Instant, back float64) {
			if i == 11 && back > 60 && back < 80 {
				held++
			}
			s.gpuLevel(model.GPUHeldPowerCap, 3, uint64(10+i), at, held)
			s.gpuLevel(model.GPUTemp, 3, uint64(10+i), at, 60)
		})
	}
	v := live
	v.Full = "gpus"
	text := screenText(s.done(), v)
	wants(t, text, "16 GPUs", "▲gpu11", "gpu 0", "gpu 15", "1 held back")
	if strings.Index(text, "▲gpu11") > strings.Index(text, "gpu 0│") {
		t.Error("want the one that was held first")
	}
}

func rgb(r, g, b uint8) color.Color { return color.RGBA{r, g, b, 255} }

func typeName(v any) string { return fmt.Sprintf("%T", v) }

// Every key of the table does something that can be seen, on a screen where
// there is something to do for it.
func TestEveryBindingDoesSomething(t *testing.T) {
	for _, b := range ui.Bindings() {
		for _, key := range b.Keys {
			d, marks := &deck{}, 0
			save := func(name string, _ []byte) (string, error) { return name, nil }
			s := screenOf(t, newFeed(busy()), ui.Options{Deck: d, Speed: 1, Mark: func(model.Instant, string) { marks++ }, Save: save})
			switch key {
			case "up", "k", "down", "j":
				s.Press("e", "down", "down")
			case "X":
				s.Press("2", "x")
			case "pgdown":
				s.Press("pgup", "pgup")
			case "f2":
				s.Press("f3")
			default:
				s.Press("-", "left", "left", "shift+left", "4")
			}
			before, frame, theme := s.State(), s.Send(nil), s.Theme()
			calls := len(d.paused) + len(d.speeds) + len(d.seeks)
			msg := s.Do(key)
			done := msg != nil || marks > 0 || calls != len(d.paused)+len(d.speeds)+len(d.seeks)
			if !done && s.State() == before && s.Theme() == theme && s.Send(nil) == frame {
				t.Errorf("key %q (%s): want something to happen", key, b.Help)
			}
		}
	}
}
