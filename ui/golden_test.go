package ui_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"benchtop/model"
	"benchtop/themes"
	"benchtop/ui"
	"benchtop/ui/draw"
)

var update = flag.Bool("update", false, "write the golden screens anew")

var sizes = [...][2]int{{60, 15}, {80, 24}, {120, 40}, {200, 60}}

var live = ui.ViewState{Window: ui.DefaultWindow}

// arranged is the live screen in a layout.
func arranged(name string) ui.ViewState {
	v := live
	v.Layout = name
	return v
}

// scenes are what golden screens are drawn from.
func scenes() []struct {
	name string
	snap *model.Snapshot
	view ui.ViewState
} {
	cursor, lines, full, paused, apart := live, live, live, live, live
	cursor.Cursor = sceneNow.Add(-65 * time.Second)
	lines.Lines = true
	full.Full = "findings"
	apart.Full = "apart"
	paused.Paused, paused.Behind = true, 7
	return []struct {
		name string
		snap *model.Snapshot
		view ui.ViewState
	}{
		{"busy", busy(), live},
		{"cursor", busy(), cursor},
		{"lines", busy(), lines},
		{"findings", busy(), full},
		{"paused", busy(), paused},
		{"server_only", serverOnly(), live},
		{"nothing", nothing(), live},
		{"layout-gpu", busy(), arranged("gpu")},
		{"layout-latency", busy(), arranged("latency")},
		{"layout-demo", busy(), arranged("demo")},
		{"apart", severals(), apart},
	}
}

func TestGoldenScreens(t *testing.T) {
	for _, sc := range scenes() {
		for _, size := range sizes {
			name := fmt.Sprintf("%s-%dx%d", sc.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				g := draw.NewGrid(size[0], size[1])
				ui.Draw(g, sc.snap, sc.view, themes.TrueColor)
				got := g.String() + "=== roles\n" + g.Roles()
				path := filepath.Join("testdata", "screens", name+".txt")
				if *update {
					if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
					return
				}
				want, err := os.ReadFile(path)
				if err != nil {
					t.Fatalf("%v (run with -update, and look at the picture)", err)
				}
				diff(t, string(want), got)
			})
		}
	}
}

// diff shows the first lines that differ.
func diff(t *testing.T, want, got string) {
	t.Helper()
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	shown := 0
	for i := range max(len(w), len(g)) {
		a, b := "", ""
		if i < len(w) {
			a = w[i]
		}
		if i < len(g) {
			b = g[i]
		}
		if a != b && shown < 6 {
			shown++
			t.Errorf("line %d\nwant %s\ngot  %s", i+1, a, b)
		}
	}
}

// nothing is the screen before anything has come in.
func nothing() *model.Snapshot {
	s := newScene(2*time.Second, sceneNow)
	s.snap.Run.Label, s.snap.Run.ID, s.snap.Run.Facts = "", "", nil
	s.snap.Second = 2
	return s.done()
}

// serverOnly is a run of which only the server's log is known, with no GPU.
func serverOnly() *model.Snapshot {
	s := newScene(200*time.Second, sceneNow)
	s.every(10*time.Second, func(at model.Instant, back float64) {
		s.level(model.ServerRunning, at, 30+2*bell(back, 60, 20))
		s.level(model.ServerWaiting, at, 12)
		s.level(model.ServerBatch, at, 30)
	})
	nan := func() float64 { return model.NoQuantiles().Mean }
	s.snap.Signals = &model.Signals{
		At: sceneNow, T: 200,
		Client: model.ClientSignals{X: nan(), XOK: nan(), Target: nan(), Timeout: nan(), InFlightNow: nan()},
		Server: model.ServerSignals{Known: true, Running: 30, Waiting: 12, GenTPS: 2100, X: 9.1, KV: nan(), Batch: 30},
	}
	s.snap.Verdict = model.Verdict{
		Finding: model.Finding{ID: model.VerdictNotEnough, Title: "not enough evidence: client"},
		Reason:  "client", Leading: "server_saturated", WaitS: nan(),
	}
	s.snap.Sources = []model.SourceInfo{
		{ID: 1, Name: "server.log", Kind: model.KindServerLog, Format: "vllm", State: model.Running, LastSeen: sceneNow},
	}
	return s.done()
}

// Every size, from one cell to a big screen: no panic, nothing outside.
func TestEverySize(t *testing.T) {
	step := 1
	if testing.Short() {
		step = 7
	}
	for i, sc := range scenes() {
		for w := 1; w <= 220; w += step {
			for h := 1; h <= 70; h += step {
				if w > 12 && h > 12 && (w*7+h)%(37+60*i) != 0 && w != 220 {
					continue // a sample of the big ones
				}
				g := draw.NewGrid(w, h)
				ui.Draw(g, sc.snap, sc.view, themes.TrueColor)
				if gw, gh := g.Size(); gw != w || gh != h {
					t.Fatalf("%s %dx%d: the grid has become %dx%d", sc.name, w, h, gw, gh)
				}
				for y, row := range strings.Split(strings.TrimSuffix(g.String(), "\n"), "\n") {
					if n := draw.Width(row); n > w {
						t.Fatalf("%s %dx%d: row %d is %d wide", sc.name, w, h, y, n)
					}
				}
			}
		}
	}
}

// Whatever the depth, all the words are there; without tints the gap and the
// throttled spans are told by runes.
func TestEveryDepth(t *testing.T) {
	all, err := themes.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, th := range all {
		for _, d := range []themes.Depth{themes.Mono, themes.ANSI16, themes.ANSI256, themes.TrueColor} {
			g := draw.NewGrid(120, 40)
			ui.Draw(g, busy(), live, d)
			text := g.String()
			for _, want := range []string{"requests missing at the server", "not at", "SW power cap 20.5 s", "t/o 37"} {
				if !strings.Contains(text, want) {
					t.Errorf("%s at %s: want %q on the screen", th.Name, d, want)
				}
			}
			if shaded := strings.Contains(text, "░"); shaded != (d < themes.ANSI256) {
				t.Errorf("%s at %s: want shade runes for the gap only where tints don't show, got %v", th.Name, d, shaded)
			}
			out := string(g.Encode(nil, th, d))
			if d == themes.Mono && strings.Contains(out, ";38;") {
				t.Errorf("%s: colours without colour", th.Name)
			}
		}
	}
	ascii := live
	ascii.ASCII = true
	for _, r := range ui.Render(busy(), ascii, 120, 40, all[0], themes.TrueColor) {
		if r >= 0x80 {
			t.Fatalf("want ASCII only, got %q", r)
		}
	}
}

// A vertical line through the screen is one moment: the cursor is in the same
// column of every chart.
func TestOneTimeAxis(t *testing.T) {
	for _, size := range sizes {
		v := live
		v.Cursor = sceneNow.Add(-65 * time.Second)
		g := draw.NewGrid(size[0], size[1])
		a := ui.Draw(g, busy(), v, themes.TrueColor)
		x := a.X + int(v.Cursor.Sub(a.From)/a.Step)
		marked := 0
		for y := range size[1] {
			if c := g.Cell(x, y); c.Rune == '│' && c.Look.Fg == themes.Title {
				marked++
			}
		}
		if want := size[1] / 3; marked < want {
			t.Errorf("%dx%d: want the cursor on at least %d rows of column %d, got %d", size[0], size[1], want, x, marked)
		}
	}
}

// Columns lie on absolute boundaries: within one column's time only the newest
// one may change.
func TestColumnsStandStill(t *testing.T) {
	a, b := draw.NewGrid(120, 40), draw.NewGrid(120, 40)
	now := sceneNow.Floor(2 * time.Second)
	slow := busyAt(now)
	v := live
	v.Slow = slow
	axis := ui.Draw(a, busyAt(now.Add(200*time.Millisecond)), v, themes.TrueColor)
	ui.Draw(b, busyAt(now.Add(1800*time.Millisecond)), v, themes.TrueColor)
	newest := axis.X + axis.Newest
	for y := range 40 {
		for x := range 120 {
			if x >= newest-1 && x <= newest || a.Cell(x, y) == b.Cell(x, y) {
				continue
			}
			t.Fatalf("column %d, row %d changed from %q to %q while the newest column is %d", x, y, a.Cell(x, y).Rune, b.Cell(x, y).Rune, newest)
		}
	}
}

// Outside text reaches the screen without its control characters.
func TestHostileText(t *testing.T) {
	snap := busy()
	evil := "\x1b]0;owned\x07\x1b[2J\u202eevil\r\n"
	snap.Run.Label, snap.Verdict.Title, snap.Verdict.Text, snap.Verdict.NextChange = evil, evil, evil, evil
	snap.Run.Facts["model"] = evil
	snap.Sources[1].Name, snap.Sources[4].Why, snap.Sources[1].Label = evil, evil, evil
	snap.Findings[0].Title, snap.Findings[0].Text, snap.Findings[3].Needs = evil, evil, evil
	for i := range snap.Marks {
		snap.Marks[i].Text, snap.Marks[i].Class = evil, evil
	}
	snap.Verdicts[0].Title, snap.Verdicts[0].Raised = evil, []string{evil}
	snap.Verdict.Evidence[0].Text, snap.Verdict.Evidence[0].Series = evil, evil
	for _, full := range []string{"", "findings", "verdict", "events", "sources", "cursor", "filter"} {
		v := live
		v.Full = full
		switch full {
		case "cursor":
			v.Full, v.Cursor = "", sceneNow.Add(-200*time.Second)
			v.Window = 0
		case "filter":
			v.Full, v.Notice = "", evil
		}
		g := draw.NewGrid(160, 50)
		ui.Draw(g, snap, v, themes.TrueColor)
		text := g.String()
		for _, bad := range []string{"\x1b", "\x07", "\r", "\u202e", "[2J"} {
			if strings.Contains(text, bad) {
				t.Errorf("full %q: want %q to be dropped", full, bad)
			}
		}
		if !strings.Contains(text, "evil") && full != "gpu" {
			t.Errorf("full %q: want the visible part of the text", full)
		}
	}
}

// BenchmarkFrame draws a frame and encodes it. Its floor is what any screen full
// of text takes: each cell's rune appended to a buffer.
func BenchmarkFrame(b *testing.B) {
	snap := busy()
	all, err := themes.Builtin()
	if err != nil {
		b.Fatal(err)
	}
	for _, size := range sizes {
		b.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(b *testing.B) {
			b.ReportAllocs()
			g := draw.NewGrid(size[0], size[1])
			var buf []byte
			for b.Loop() {
				ui.Draw(g, snap, live, themes.TrueColor)
				buf = g.Encode(buf[:0], all[0], themes.TrueColor)
			}
		})
		b.Run(fmt.Sprintf("%dx%d/floor", size[0], size[1]), func(b *testing.B) {
			g := draw.NewGrid(size[0], size[1])
			ui.Draw(g, snap, live, themes.TrueColor)
			cells, buf := []rune(g.String()), []byte(nil)
			for b.Loop() {
				buf = buf[:0]
				for _, r := range cells {
					buf = utf8.AppendRune(buf, r)
				}
			}
		})
	}
}
