package ui_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"benchtop/model"
	"benchtop/themes"
	"benchtop/ui"
	"benchtop/ui/draw"
	"benchtop/ui/panel"
)

// screenText draws a snapshot at 120x40 and gives its text plane.
func screenText(snap *model.Snapshot, v ui.ViewState) string {
	g := draw.NewGrid(120, 40)
	ui.Draw(g, snap, v, themes.TrueColor)
	return g.String()
}

func wants(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("want %q on the screen:\n%s", w, text)
		}
	}
}

func wantsNot(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if strings.Contains(text, w) {
			t.Errorf("want no %q on the screen:\n%s", w, text)
		}
	}
}

// tintedColumns counts the cells with a background role in a screen row range.
func tinted(g *draw.Grid, role themes.Role) int {
	n := 0
	w, h := g.Size()
	for y := range h {
		for x := range w {
			if g.Cell(x, y).Look.Bg == role {
				n++
			}
		}
	}
	return n
}

// steady is a client with n in flight of which atServer are at the server.
func steady(n, atServer float64) *scene {
	s := newScene(200*time.Second, sceneNow)
	s.add(model.ClientInFlight, s.snap.Start, n)
	s.every(time.Second, func(at model.Instant, _ float64) {
		s.level(model.ServerRunning, at, atServer)
		s.level(model.ServerWaiting, at, 0)
	})
	s.snap.Client.Known = true
	s.snap.Signals = &model.Signals{
		At: sceneNow, T: 200,
		Client: model.ClientSignals{Known: true, Horizon: sceneNow, InFlightNow: n, X: 9, XOK: 9, Timeout: math.NaN(), Target: math.NaN()},
		Server: model.ServerSignals{Known: true, KV: math.NaN(), GenTPS: math.NaN(), X: math.NaN()},
	}
	return s
}

func TestNoGapNoAmber(t *testing.T) {
	g := draw.NewGrid(120, 40)
	ui.Draw(g, steady(32, 32).done(), live, themes.TrueColor)
	if n := tinted(g, themes.Gap); n > 0 {
		t.Errorf("want no gap tint when both sides agree, got %d cells", n)
	}
	wantsNot(t, g.String(), "not at", "missing", "gap ")
}

func TestGapIsSeenAndNamed(t *testing.T) {
	g := draw.NewGrid(120, 40)
	ui.Draw(g, steady(32, 12).done(), live, themes.TrueColor)
	if n := tinted(g, themes.Gap); n < 100 {
		t.Errorf("want the gap as an area, got %d cells", n)
	}
	wants(t, g.String(), "20 not at the server", "gap 20 (62 %)")
}

// After the horizon the client's line is not settled: it is thinned out and no
// gap is claimed.
func TestNothingClaimedAfterTheHorizon(t *testing.T) {
	s := steady(32, 12)
	s.snap.Signals.Client.Horizon = sceneNow.Add(-60 * time.Second)
	g := draw.NewGrid(120, 40)
	a := ui.Draw(g, s.done(), live, themes.TrueColor)
	edge := a.X + int(sceneNow.Add(-58*time.Second).Sub(a.From)/a.Step)
	line := map[int]bool{}
	for y := range 13 { // the concurrency panel
		for x := edge + 1; x < a.X+a.Newest; x++ {
			c := g.Cell(x, y)
			if c.Look.Bg == themes.Gap {
				t.Fatalf("want no gap after the horizon, got one in column %d", x)
			}
			if c.Rune > 0x2800 && c.Rune < 0x2900 {
				line[x] = true
			}
		}
	}
	if all := a.X + a.Newest - edge - 1; all < 20 || len(line) < all/2-1 || len(line) > all/2+1 {
		t.Errorf("want dashes after the horizon, every other one of %d columns, got %d", all, len(line))
	}
}

func TestServerOnlyIsNoZeroClient(t *testing.T) {
	text := screenText(serverOnly(), live)
	wants(t, text, "no client stream yet", "server running 30", "? client", "? loss", "no GPU figures")
	wantsNot(t, text, "client 0", "gap ")
}

func TestNothingIsNoZero(t *testing.T) {
	text := screenText(nothing(), live)
	wants(t, text, "t/o –", "rej –", "good     –", "no batch lines yet", "not told by the server")
	wantsNot(t, text, " 0/s", "0 MHz")
}

// oneGPU adds a GPU polled at a spacing, held by a function of time.
func oneGPU(s *scene, key uint64, index int, poll time.Duration, clock func(back float64) float64, each func(at model.Instant, back float64)) {
	s.every(poll, func(at model.Instant, back float64) {
		s.gpuLevel(model.GPUSMClock, 3, key, at, clock(back))
		s.gpuLevel(model.GPUMaxSMClock, 3, key, at, 1980e6)
		each(at, back)
	})
	s.snap.GPUs = append(s.snap.GPUs, model.GPUInfo{Key: key, Index: index})
	s.snap.Signals.GPUs = append(s.snap.Signals.GPUs, model.GPUSignals{Key: key, Index: index})
}

func slowFor20(back float64) float64 {
	if back > 30 && back <= 50 {
		return 1500e6
	}
	return 1980e6
}

func TestHeldSpansFromCounters(t *testing.T) {
	for _, window := range []time.Duration{time.Minute, 2 * time.Minute, 5 * time.Minute} {
		s := steady(8, 8)
		held := 0.0
		oneGPU(s, 7, 0, 2*time.Second, slowFor20, func(at model.Instant, back float64) {
			if back > 30 && back <= 50 {
				held += 2
			}
			s.gpuLevel(model.GPUHeldSWThermal, 3, 7, at, held)
		})
		wants(t, screenText(s.done(), ui.ViewState{Window: window}), "SW thermal 20.0 s", "throttled 20.0 s")
	}
}

// Cards without counters of time say only which reasons hold now.
func TestHeldSpansFromReasonBits(t *testing.T) {
	s := steady(8, 8)
	oneGPU(s, 7, 0, time.Second, slowFor20, func(at model.Instant, back float64) {
		bits := 1.0
		if back > 30 && back <= 50 {
			bits = 0x40 | 0x04
		}
		s.gpuLevel(model.GPUReasons, 3, 7, at, bits)
	})
	wants(t, screenText(s.done(), live), "HW thermal 2", "throttled 2")
}

func TestTheHeldGPUIsShown(t *testing.T) {
	s := steady(8, 8)
	for i := range 4 {
		held := 0.0
		oneGPU(s, uint64(10+i), i, time.Second, func(float64) float64 { return 1900e6 }, func(at model.Instant, back float64) {
			if i == 2 && back > 60 && back < 80 {
				held++
			}
			s.gpuLevel(model.GPUHeldPowerCap, 3, uint64(10+i), at, held)
		})
	}
	wants(t, screenText(s.done(), live), "GPU 2 of 4 clock", "SW power cap")
}

func TestQuantilesNeedSamples(t *testing.T) {
	s := steady(8, 8)
	s.snap.Latency.WindowOK = model.Quantiles{P50: 0.9, P95: 1.8, P99: 4.6, N: 91}
	text := screenText(s.done(), live)
	wants(t, text, "p95 1.80 s", "(p99 4.60 s)", "n 91 good")
	wantsNot(t, text, "(p95")
}

// The glance line and the figures tell the latency of the good requests: a
// deadline is not how long an answer takes. Without a good one they say so.
func TestWhoseLatencyIsShown(t *testing.T) {
	s := steady(8, 8)
	s.snap.Latency.WindowAll = model.Quantiles{P50: 30, P95: 30, P99: 30, N: 200}
	s.snap.Latency.WindowOK = model.Quantiles{P50: 0.9, P95: 1.8, P99: 4.6, N: 100}
	text := func(w, h int) string {
		g := draw.NewGrid(w, h)
		ui.Draw(g, s.snap, live, themes.TrueColor)
		return g.String()
	}
	s.done()
	wants(t, text(80, 24), "good p50 900 ms")
	wants(t, text(120, 40), "p50 900 ms", "n 100 good")
	wantsNot(t, text(120, 40), "p50 30")
	s.snap.Latency.WindowOK.N = 0
	wants(t, text(80, 24), "all p50 30.0 s")
	wants(t, text(120, 40), "n 200, 0 good")
}

func TestFailuresAreNamedByKind(t *testing.T) {
	s := steady(8, 8)
	s.snap.Client.Done = 1000
	s.snap.Client.ByOutcome = map[model.SeriesID]uint64{
		model.ClientOK: 900, model.ClientTimeout: 60, model.ClientRejected: 30, model.ClientReset: 10,
	}
	s.snap.Signals.Client.X, s.snap.Signals.Client.XOK = 10, 9
	wants(t, screenText(s.done(), live), "100 (10 %)", "60 t/o", "30 rej", "9.0/s  of 10.0/s")
}

func TestLamps(t *testing.T) {
	finding := func(id string, st model.FindingState, raised, cleared model.Instant) model.Finding {
		return model.Finding{ID: id, State: st, Severity: model.SevMajor, RaisedAt: raised, ClearedAt: cleared}
	}
	s := steady(8, 8)
	s.snap.Verdict.ID = model.VerdictNone
	s.snap.Findings = []model.Finding{
		finding("client_pool", model.Raised, sceneNow.Add(-1), 0),
		finding("server_rejects", model.Clear, sceneNow.Add(-9), sceneNow.Add(-5)),
		finding("client_cpu", model.Unknown, 0, 0),
	}
	wants(t, screenText(s.done(), live), "▲ client", "✓ batch", "△ loss", "? clock")

	cold := steady(8, 8)
	cold.snap.Verdict = model.Verdict{Finding: model.Finding{ID: model.VerdictNotEnough}, Reason: "not_warm", WaitS: 12}
	wants(t, screenText(cold.done(), live), "… client", "… batch", "◌ not enough evidence: not warm", "can decide in about 12s")
}

func TestBatchAgainstItsMax(t *testing.T) {
	s := steady(8, 8)
	s.every(time.Second, func(at model.Instant, _ float64) { s.level(model.ServerBatch, at, 6) })
	s.snap.Run.Config["max_batch"] = model.Setting{Value: 32, From: "--max-batch"}
	s.snap.Signals.Server.Batch = 6
	wants(t, screenText(s.done(), live), "mean 6.0  of max 32", "max 32│┄")
}

// A log line each 10 s says what was so until the next one.
func TestSparseSamplesAreHeldNotForEver(t *testing.T) {
	s := newScene(200*time.Second, sceneNow)
	s.every(10*time.Second, func(at model.Instant, back float64) {
		if back >= 60 {
			s.level(model.ServerWaiting, at, 5)
		}
	})
	g := draw.NewGrid(120, 40)
	a := ui.Draw(g, s.done(), live, themes.TrueColor)
	row := -1
	for y := range 40 {
		if strings.HasPrefix(rowText(g, y), "├─ queue") {
			row = y + 3
		}
	}
	column := func(back time.Duration) int { return a.X + int(sceneNow.Add(-back).Sub(a.From)/a.Step) }
	for _, back := range []time.Duration{100 * time.Second, 72 * time.Second, 45 * time.Second} {
		if g.Cell(column(back), row).Rune == ' ' {
			t.Errorf("want the queue held %v ago", back)
		}
	}
	for _, back := range []time.Duration{30 * time.Second, 2 * time.Second} {
		if r := g.Cell(column(back), row).Rune; r != ' ' {
			t.Errorf("want a gap %v ago, got %q", back, r)
		}
	}
}

func rowText(g *draw.Grid, y int) string {
	w, _ := g.Size()
	return strings.TrimSuffix(g.Sub(0, y, w, 1).String(), "\n")
}

func TestEventsEndAtTheCursor(t *testing.T) {
	v := live
	v.Cursor = sceneNow.Add(-72 * time.Second)
	text := screenText(busy(), v)
	wants(t, text, "cursor -1m1", "SW power cap on")
	wantsNot(t, text, "HW thermal on")
}

func TestSourcesSayHowTheyAre(t *testing.T) {
	g := draw.NewGrid(200, 60)
	ui.Draw(g, busy(), live, themes.TrueColor)
	wants(t, g.String(), "sources 3/4 ▲", "running 4s", "retrying 1m15s", "connection refused", "3 of 4")
	snap := busy()
	snap.Shed = 1234
	g.Clear()
	ui.Draw(g, snap, live, themes.TrueColor)
	wants(t, g.String(), "1,234 events shed", "1,234 dropped")
}

func TestWhatIsShownWhere(t *testing.T) {
	replay := live
	replay.Replay, replay.Speed = true, 4
	wants(t, screenText(busy(), replay), "▶ replay 4x", "seek", "speed")
	replay.Paused = true
	wants(t, screenText(busy(), replay), " paused ", "go on")
	earlier := live
	earlier.End = sceneNow.Add(-100 * time.Second)
	text := screenText(busy(), earlier)
	wants(t, text, "earlier, l for live", "-2m")
	wantsNot(t, text, " now ")
	ended := busy()
	ended.Final = true
	wants(t, screenText(ended, live), "■ ended")
}

func TestPanelsAreWhole(t *testing.T) {
	ids, keys := map[string]bool{}, map[string]bool{}
	for _, p := range panel.All() {
		if p.ID == "" || p.Title == "" || p.Draw == nil || p.Head == nil || len(p.Want.Steps) == 0 {
			t.Errorf("panel %q lacks something", p.ID)
		}
		if ids[p.ID] || keys[p.Key] {
			t.Errorf("panel %s: id or key %q is taken", p.ID, p.Key)
		}
		ids[p.ID], keys[p.Key] = true, true
		for i := 1; i < len(p.Want.Steps); i++ {
			if p.Want.Steps[i] >= p.Want.Steps[i-1] {
				t.Errorf("panel %s: its heights don't fall: %v", p.ID, p.Want.Steps)
			}
		}
		for _, b := range ui.Bindings() {
			for _, k := range b.Keys {
				if k == p.Key {
					t.Errorf("panel %s: key %s does something else", p.ID, k)
				}
			}
		}
	}
}

// A batch that stays small is only worth a look while work waits for it, and
// the look is asked for by a sign, not by colour alone.
func TestSmallBatchWhileWorkWaits(t *testing.T) {
	for _, tc := range []struct {
		name    string
		waiting float64
		want    bool
	}{{"nothing waits", 0, false}, {"five wait", 5, true}} {
		t.Run(tc.name, func(t *testing.T) {
			s := newScene(200*time.Second, sceneNow)
			s.every(time.Second, func(at model.Instant, _ float64) {
				s.level(model.ServerBatch, at, 1)
				s.level(model.ServerWaiting, at, tc.waiting)
			})
			s.snap.Run.Config["max_batch"] = model.Setting{Value: 8}
			text := screenText(s.done(), live)
			if got := strings.Contains(text, "▲ mean 1.0"); got != tc.want {
				t.Errorf("want a warning sign: %v, got %v", tc.want, got)
			}
			if got := strings.Contains(text, "▲ 5 waiting"); got != tc.want {
				t.Errorf("want a queue of more than half a batch marked: %v, got %v", tc.want, got)
			}
		})
	}
}
