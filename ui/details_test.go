package ui_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"benchtop/model"
	"benchtop/themes"
	"benchtop/ui"
	"benchtop/ui/draw"
	"benchtop/ui/panel"
)

// Every layout has a time axis and the lamps, at every size with charts.
func TestAxisAndLampsAtEverySize(t *testing.T) {
	for _, l := range panel.Layouts() {
		for _, size := range [][2]int{{60, 15}, {60, 18}, {80, 24}, {100, 18}, {120, 40}, {200, 60}, {400, 100}} {
			v := live
			v.Layout = l.Name
			g := draw.NewGrid(size[0], size[1])
			ui.Draw(g, busy(), v, themes.TrueColor)
			text := g.String()
			for _, want := range []string{"now", "-1m", "▲ client", "✓ batch", "▲ loss", "△ clock", "help"} {
				if !strings.Contains(text, want) {
					t.Errorf("%s at %dx%d: want %q on the screen:\n%s", l.Name, size[0], size[1], want, text)
				}
			}
		}
	}
}

// A chart without a title line says what it is.
func TestChartsNameThemselvesWithoutFrames(t *testing.T) {
	v := live
	v.Layout = "latency"
	g := draw.NewGrid(70, 20)
	ui.Draw(g, busy(), v, themes.TrueColor)
	wants(t, g.String(), "latency", "TTFT")
}

// The cursor is one line from the first chart to the axis, titles included,
// except where a word stands.
func TestCursorIsOneLine(t *testing.T) {
	v := live
	v.Cursor = sceneNow.Add(-40 * time.Second)
	g := draw.NewGrid(120, 40)
	a := ui.Draw(g, busy(), v, themes.TrueColor)
	x := a.X + int(v.Cursor.Sub(a.From)/a.Step)
	broken := 0
	for y := 3; y < 38; y++ {
		if r := g.Cell(x, y).Rune; r != '│' {
			broken++
		}
	}
	if broken > 6 {
		t.Errorf("want one line down column %d, %d cells of it are missing:\n%s", x, broken, g.String())
	}
}

// Where no panel tells of the sources, the bottom line says which one is not
// well, and why.
func TestTroubleIsToldWithItsReason(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {60, 18}} {
		g := draw.NewGrid(size[0], size[1])
		ui.Draw(g, busy(), live, themes.TrueColor)
		wants(t, rowText(g, size[1]-1), "▲ http://127.0.0.1:8000/metrics retrying: con", "? help")
		snap := busy()
		snap.Sources[4].State = model.Running
		ui.Draw(g, snap, live, themes.TrueColor)
		wantsNot(t, rowText(g, size[1]-1), "metrics")
	}
	wantsNot(t, screenText(busy(), live)[len(screenText(busy(), live))-160:], "metrics")
}

// With ASCII only, keys have names that no other key's sign looks like.
func TestKeysHaveNamesInASCII(t *testing.T) {
	v := live
	v.ASCII, v.Replay = true, true
	g := draw.NewGrid(160, 40)
	ui.Draw(g, busy(), v, themes.TrueColor)
	wants(t, rowText(g, 39), "left right cursor", "< > speed")
	s := screenOf(t, newFeed(busy()), ui.Options{ASCII: true, Deck: &deck{}})
	s.Press("?")
	wants(t, ansi.Strip(s.Send(nil)), "left right", "up down")
}

// In the other style both sides are lines, and what is not final is dashed.
func TestLinesStyle(t *testing.T) {
	snap := busy()
	snap.Signals.Client.Horizon = sceneNow.Add(-24 * time.Second)
	v := live
	v.Lines = true
	text := screenText(snap, v)
	wants(t, text, "── running", "── with waiting", "╌╌╌")
	v.Lines = false
	wantsNot(t, screenText(snap, v), "── running", "╌╌╌")
}

// A server that only tells its batches has them in the concurrency chart.
func TestBatchesStandForWhatRuns(t *testing.T) {
	s := newScene(200*time.Second, sceneNow)
	s.add(model.ClientInFlight, s.snap.Start, 8)
	s.every(time.Second, func(at model.Instant, _ float64) { s.level(model.ServerBatch, at, 6) })
	s.snap.Client.Known = true
	text := screenText(s.done(), live)
	wants(t, text, "server batch 6", "gap 2 (25 %)")
	wantsNot(t, text, "no server figures")
}

func TestQueueTrend(t *testing.T) {
	for _, c := range []struct {
		name string
		at   func(back float64) float64
		want string
	}{
		{"grows", func(back float64) float64 { return 200 - back }, "↑ 1.0/s"},
		{"shrinks", func(back float64) float64 { return back + 3 }, "↓ 1.0/s"},
		{"stands", func(back float64) float64 { return 30 + math.Mod(back, 3) }, "steady"},
		{"jumps about", func(back float64) float64 { return 30 + 20*math.Mod(back*7, 3) }, "steady"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScene(200*time.Second, sceneNow)
			s.every(time.Second, func(at model.Instant, back float64) { s.level(model.ServerWaiting, at, c.at(back)) })
			wants(t, screenText(s.done(), live), c.want)
		})
	}
	short := newScene(9*time.Second, sceneNow)
	short.every(time.Second, func(at model.Instant, back float64) { short.level(model.ServerWaiting, at, 100-back) })
	wantsNot(t, screenText(short.done(), live), "↑", "steady")
}

// The wait before execution is a chart of its own, with its configured limit.
func TestWaitPanel(t *testing.T) {
	s := steady(8, 8)
	s.every(time.Second, func(at model.Instant, _ float64) { s.level(model.ServerBatchWait, at, 0.15) })
	s.snap.Signals.Server.BatchWait, s.snap.Signals.Server.BatchWaitP95, s.snap.Signals.Server.BatchWaitLimit = 0.15, 0.151, 0.15
	v := live
	v.Full = "wait"
	snap := s.done()
	wants(t, screenText(snap, v), "batch wait", "▲ mean 150 ms", "p95 151 ms", "limit 150 ms", "200ms")
	v.Full, v.Layout = "", "latency"
	wants(t, screenText(snap, v), "batch wait")
	other := steady(8, 8)
	wantsNot(t, screenText(other.done(), v), "batch wait")
}

// The machine on the whole screen is a strip for each figure that somebody
// measured, on the time axis.
func TestHostOnTheWholeScreen(t *testing.T) {
	s := steady(8, 8)
	s.snap.Signals.Host = model.HostSignals{
		Known: true, ClientThread: 0.97, ServerThread: 0.4, Established: 32, QuotaShare: 0, ClientQuota: 0.4,
		PSIMemory: math.NaN(), OOMEver: math.NaN(), OtherCPU: math.NaN(), Steal: math.NaN(), RetransShare: math.NaN(), NewConns: math.NaN(),
	}
	periods, held := 0.0, 0.0
	s.every(time.Second, func(at model.Instant, _ float64) {
		s.level(model.HostClientThread, at, 0.97)
		s.level(model.HostEstablished, at, 32)
		periods, held = periods+10, held+4
		s.level(model.HostClientQuotaPeriods, at, periods)
		s.level(model.HostClientQuotaThrottled, at, held)
	})
	v := live
	v.Full = "host"
	text := screenText(s.done(), v)
	wants(t, text, "client's quota hit 40 %", "client's busiest thread, cores", "open connections to the server", "client held back by its CPU quota", "now")
	wantsNot(t, text, "hypervisor", "I/O")
}

// How the load is made stands under the figures where there is room.
func TestLoadFigures(t *testing.T) {
	v := live
	v.Full = "figures"
	text := screenText(busy(), v)
	wants(t, text, "about random (dispersion 1.0)", "700 ms at most between starts", "0.62 connections a request",
		"closed loop", "63.2 in flight by latencies", "512 tokens a request  ± 10 %", "203 tokens", "run all  p50 920 ms", "(p99.9 30.0 s)", "n 4,118")
	wantsNot(t, text, "schedule", "inside the client", "run good")
}

// What a server told long ago is not what is now: a dash, not the old number.
func TestOldGaugesAreNotNow(t *testing.T) {
	scene := func(until float64) *model.Snapshot {
		s := newScene(200*time.Second, sceneNow)
		s.every(2*time.Second, func(at model.Instant, back float64) {
			if back >= until {
				s.level(model.ServerRunning, at, 32)
				s.level(model.ServerWaiting, at, 17)
				s.level(model.ServerKV, at, 0.8)
			}
		})
		return s.done()
	}
	v := live
	wants(t, screenText(scene(4), v), "server running 32", "17 waiting")
	text := screenText(scene(40), v)
	wants(t, text, "server running –")
	wantsNot(t, text, "17 waiting", "waiting 17")
	v.Cursor = sceneNow.Add(-60 * time.Second)
	wants(t, screenText(scene(40), v), "17 waiting")
	ended := scene(40)
	ended.Final = true
	wants(t, screenText(ended, live), "17 waiting")
}

// A mark is of the moment at which it was begun, with the words typed, and the
// event log is in the order of time though it is told later.
func TestMarkWithWords(t *testing.T) {
	type note struct {
		at   model.Instant
		text string
	}
	var got []note
	clock := sceneNow
	s := screenOf(t, newFeed(busy()), ui.Options{
		Zone: time.UTC, Clock: func() model.Instant { return clock }, Mark: func(at model.Instant, text string) { got = append(got, note{at, text}) },
	})
	s.Press("m", "n", "e", "w", "space", "q", "x", "backspace")
	wants(t, shown(s), "mark: new q_", "enter keeps it, esc drops it")
	clock = clock.Add(5 * time.Second)
	s.Press("enter")
	wants(t, shown(s), "marked 13:07:31: new q")
	s.Press("m", "a", "esc", "m", "enter")
	if want := []note{{sceneNow, "new q"}, {clock, "mark"}}; !slices.Equal(got, want) {
		t.Errorf("want %v, got %v", want, got)
	}
	none := screenOf(t, newFeed(busy()), ui.Options{})
	none.Press("m")
	wants(t, shown(none), "only a live run takes marks")

	snap := busy()
	snap.Marks = append(snap.Marks, model.Mark{At: sceneNow.Add(-100 * time.Second), Class: "user", Text: "told late"})
	v := live
	v.Full = "events"
	text := screenText(snap, v)
	if a, b := strings.Index(text, "told late"), strings.Index(text, "server.log rotated"); a < b || b < 0 {
		t.Errorf("want the late note among its own time, got\n%s", text)
	}
}

// A live picture that is old says so; one that keeps up, has ended or is no
// live one does not.
func TestLatePicture(t *testing.T) {
	clock := sceneNow
	s := screenOf(t, newFeed(busy()), ui.Options{Clock: func() model.Instant { return clock }})
	s.Frame()
	for _, c := range []struct {
		behind time.Duration
		want   string
		not    string
	}{{0, "● live", "late"}, {1900 * time.Millisecond, "● live", "late"}, {4 * time.Second, " 4s late ", "● live"}, {100 * time.Millisecond, "● live", "late"}} {
		clock = sceneNow.Add(c.behind)
		s.Late()
		text := firstLine(shown(s))
		wants(t, text, c.want)
		wantsNot(t, text, c.not)
	}
	final := busy()
	final.Final = true
	f := screenOf(t, newFeed(final), ui.Options{Clock: func() model.Instant { return clock.Add(time.Hour) }})
	f.Frame()
	f.Late()
	wantsNot(t, firstLine(shown(f)), "late")
}

// The terminal keeps its own title while the program shows the verdict's.
func TestTitleIsGivenBack(t *testing.T) {
	show(t, newFeed(busy()), 80, 24, trueColour, func(term *terminal, cancel func()) {
		cancel()
		settle()
		log := term.log.String()
		kept, set, back := strings.Index(log, "\x1b[22;2t"), strings.Index(log, "benchtop: requests missing"), strings.LastIndex(log, "\x1b[23;2t")
		if kept < 0 || set < kept || back < set || back < strings.LastIndex(log, "\x1b]2;") {
			t.Errorf("want the title kept, set and given back in this order, got %d, %d, %d of %q", kept, set, back, log)
		}
	})
}
