package sim

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"benchtop/model"
)

const testStart = model.Instant(1796047200 * nanosPerSec) // 2026-11-30 14:00:00 UTC

// play runs a world to its end and returns it with all it wrote.
func play(t testing.TB, name, changes string, seed uint64) (*world, *bytes.Buffer, []cardSample) {
	t.Helper()
	s, ok := Find(name)
	if !ok {
		t.Fatalf("no scenario %q", name)
	}
	if changes != "" {
		s.Changes += ", " + changes
	}
	p, err := s.Params()
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	var cards []cardSample
	line := func(at model.Instant, b []byte) { fmt.Fprintf(&text, "%d %s\n", at-testStart, b) }
	w := newWorld(p, s.Phases, seed, testStart, sinks{
		load: line, log: line,
		gpu: func(at model.Instant, c *cardSample) {
			cards = append(cards, *c)
			fmt.Fprintf(&text, "%d %+v\n", at-testStart, *c)
		},
		host: func(at model.Instant, h *hostSample) { fmt.Fprintf(&text, "%d %+v\n", at-testStart, *h) },
		mark: func(at model.Instant, s string) { fmt.Fprintf(&text, "%d mark %s\n", at-testStart, s) },
	})
	w.runTo(p.Duration + 1)
	if !w.done {
		t.Fatalf("%s: not over at %v s", name, w.now)
	}
	return w, &text, cards
}

// span is the truth between two seconds.
func span(w *world, from, to float64) []Truth {
	a, b := w.instantAt(from), w.instantAt(to)
	var out []Truth
	for _, x := range w.truths {
		if x.At >= a && x.At < b {
			out = append(out, x)
		}
	}
	return out
}

func mean(ts []Truth, f func(Truth) float64) float64 {
	sum := 0.0
	for _, t := range ts {
		sum += f(t)
	}
	return sum / float64(len(ts))
}

func near(t *testing.T, what string, want, got, share float64) {
	t.Helper()
	if !(math.Abs(got-want) <= share*math.Abs(want)) {
		t.Errorf("%s: want %.4g within %.3g %%, got %.4g", what, want, 100*share, got)
	}
}

func TestLittlesLaw(t *testing.T) {
	for _, name := range []string{"healthy_balanced", "saturated", "client_pool", "batch_wait", "resets"} {
		t.Run(name, func(t *testing.T) {
			w, text, _ := play(t, name, "", 5)
			ts := span(w, 60, 120)
			near(t, "in flight", float64(w.p.Workers), mean(ts, func(x Truth) float64 { return float64(x.InFlight) }), 0.02)
			// Latencies of the requests that ended in the window, by their records.
			sum := 0.0
			for _, r := range records(t, text) {
				if r.Ev == "end" && r.at >= 60 && r.at < 120 {
					sum += r.DurMS / 1000
				}
			}
			near(t, "sum of latencies ÷ time", mean(ts, func(x Truth) float64 { return float64(x.InFlight) }), sum/60, 0.02)
		})
	}
}

func TestCapacity(t *testing.T) {
	tests := []struct{ name, changes string }{
		{"saturated", ""},
		{"saturated", "max_batch=16, t0_s=0.03, host_step_s=0.004"},
		{"saturated", "output_tokens=40, prompt_tokens=500, max_batch=24"},
	}
	for _, tt := range tests {
		t.Run(tt.name+" "+tt.changes, func(t *testing.T) {
			w, _, _ := play(t, tt.name, tt.changes, 3)
			p, b := &w.p, float64(w.p.MaxBatch)
			want := b / (p.OutputTokens*(p.T0+p.T1*b+p.HostStep) + p.TP*float64(p.PromptTokens)*b)
			near(t, "throughput", want, mean(span(w, 60, 180), func(x Truth) float64 { return x.X }), 0.05)
		})
	}
}

func TestClockElasticity(t *testing.T) {
	for _, e := range []float64{0, 0.5, 0.8, 1} {
		p := Base()
		p.Elasticity, p.StepNoiseCV, p.WarmAmp = e, 0, 0
		w := newWorld(p, nil, 1, testStart, quiet())
		full, _ := w.server.stepTime(32, 256, 1)
		half, host := w.server.stepTime(32, 256, 0.5)
		near(t, fmt.Sprintf("elasticity %v", e), math.Pow(2, e)*full, half, 1e-9)
		near(t, "host part", p.HostStep, host, 1e-9)
	}
}

func TestPowerStaysUnderTheCap(t *testing.T) {
	for _, name := range []string{"power_cap", "power_cap_benign"} {
		w, _, cards := play(t, name, "", 7)
		for _, c := range cards {
			if c.InstantW > 1.02*w.p.LimitW || c.PowerW > 1.02*w.p.LimitW {
				t.Fatalf("%s: %v W and %v W under a limit of %v W", name, c.InstantW, c.PowerW, w.p.LimitW)
			}
		}
		last := cards[len(cards)-1]
		if want, got := 0.5, float64(last.PowerCapNS)/1e9/w.p.Duration; got < want {
			t.Errorf("%s: want the cap held more than %v of the run, got %v", name, want, got)
		}
	}
}

func TestCountersNeverOutrunTheClock(t *testing.T) {
	for _, name := range []string{"power_cap", "thermal_sw", "thermal_hw", "power_brake", "tour"} {
		_, _, cards := play(t, name, "", 2)
		const poll = cardEvery * cardTick * nanosPerSec
		moved := false
		for i := 1; i < len(cards); i++ {
			a, b := &cards[i-1], &cards[i]
			for _, d := range []uint64{b.PowerCapNS - a.PowerCapNS, b.SWThermalNS - a.SWThermalNS, b.HWThermalNS - a.HWThermalNS, b.BrakeNS - a.BrakeNS} {
				if d > poll {
					t.Fatalf("%s: a counter moved %d ns in a poll of %v ns", name, d, float64(poll))
				}
				moved = moved || d > 0
			}
		}
		if !moved {
			t.Errorf("%s: no counter of time held has moved", name)
		}
	}
}

func TestClockReasons(t *testing.T) {
	tests := []struct {
		name    string
		bit     uint64
		lo, hi  float64 // clock at the end, as a share
		atStart bool    // the bit is on from the first loaded seconds
	}{
		{"saturated", 0, 1, 1, true},
		{"thermal_sw", bitSWThermal, 0.44, 0.8, false},
		{"thermal_hw", bitHWThermal | bitHWSlowdown, 0.49, 0.51, false},
		{"power_cap", bitPowerCap, 0.7, 0.9, true},
		{"power_brake", bitBrake | bitHWSlowdown, 0.49, 0.51, false},
		{"clock_drift", 0, 0.77, 0.79, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, _, cards := play(t, tt.name, "", 4)
			seen := uint64(0)
			for i, c := range cards {
				seen |= c.Reasons &^ bitIdle
				if i == 60 && tt.atStart != (c.Reasons == tt.bit) && tt.bit != 0 {
					t.Errorf("at 30 s: reasons %#x", c.Reasons)
				}
				if math.Mod(c.SMClockMHz, clockStep) != 0 || c.SMClockMHz > c.MaxClockMHz {
					t.Fatalf("clock %v MHz", c.SMClockMHz)
				}
			}
			if seen != tt.bit {
				t.Errorf("want reasons %#x over the run, got %#x", tt.bit, seen)
			}
			ts := w.truths[len(w.truths)-200:]
			lowest := 1.0
			for _, x := range ts {
				lowest = min(lowest, x.Clock/1e6/w.p.ClockMaxMHz)
			}
			if lowest < tt.lo || lowest > tt.hi {
				t.Errorf("want a clock of %v..%v at the end, got %v", tt.lo, tt.hi, lowest)
			}
		})
	}
}

func TestSameSeedSameBytes(t *testing.T) {
	for _, name := range []string{"tour", "overload_open", "healthy_static_open", "net_loss"} {
		_, a, _ := play(t, name, "", 11)
		_, b, _ := play(t, name, "", 11)
		if !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("%s: the same seed gave other lines", name)
		}
		_, c, _ := play(t, name, "", 12)
		if bytes.Equal(a.Bytes(), c.Bytes()) {
			t.Errorf("%s: another seed gave the same lines", name)
		}
	}
}

// TestNobodyIsLost checks the books after every scenario: each request ended
// once, connections add up, and nothing is left at a server that answers all.
func TestNobodyIsLost(t *testing.T) {
	for _, s := range Scenarios() {
		t.Run(s.Name, func(t *testing.T) {
			p, err := s.Params()
			if err != nil {
				t.Fatal(err)
			}
			w := newWorld(p, s.Phases, 11, testStart, quiet())
			w.runTo(p.Duration + 1)
			checkBooks(t, w, s.Name)
			if w.p.Pool > 0 && w.path.total > w.p.Pool {
				t.Errorf("%d connections in a pool of %d", w.path.total, w.p.Pool)
			}
		})
	}
}

func TestZombies(t *testing.T) {
	w, _, _ := play(t, "short_timeout", "abort_on_disconnect=false", 1)
	ts := span(w, 60, 120)
	nc := mean(ts, func(x Truth) float64 { return float64(x.InFlight) })
	ns := mean(ts, func(x Truth) float64 { return float64(x.Running + x.Waiting) })
	if ns < 1.3*nc {
		t.Errorf("want abandoned requests at the server: client %v, server %v", nc, ns)
	}
	w, _, _ = play(t, "short_timeout", "", 1)
	ts = span(w, 60, 120)
	nc = mean(ts, func(x Truth) float64 { return float64(x.InFlight) })
	ns = mean(ts, func(x Truth) float64 { return float64(x.Running + x.Waiting) })
	if ns > 1.1*nc {
		t.Errorf("want withdrawn requests to leave: client %v, server %v", nc, ns)
	}
}

// TestSteadyState compares where requests are with what each scenario is about.
func TestSteadyState(t *testing.T) {
	tests := []struct {
		name                     string
		from, to                 float64
		flight, running, waiting [2]float64
	}{
		{"healthy_balanced", 60, 180, [2]float64{31.9, 32.1}, [2]float64{30, 32}, [2]float64{0, 2}},
		{"client_pool", 60, 180, [2]float64{47.9, 48.1}, [2]float64{7, 8}, [2]float64{0, 1}},
		{"client_cpu", 60, 180, [2]float64{63.9, 64.1}, [2]float64{6, 14}, [2]float64{0, 1}},
		{"gateway_limit", 60, 180, [2]float64{47.9, 48.1}, [2]float64{7, 8}, [2]float64{0, 1}},
		{"slow_connect", 60, 180, [2]float64{47.9, 48.1}, [2]float64{6, 14}, [2]float64{0, 1}},
		{"batching_off", 60, 180, [2]float64{23.9, 24.1}, [2]float64{0.99, 1}, [2]float64{22, 23.1}},
		{"saturated", 60, 180, [2]float64{63.9, 64.1}, [2]float64{31.5, 32}, [2]float64{30, 32.5}},
		{"kv_pressure", 60, 180, [2]float64{79, 80.1}, [2]float64{20, 50}, [2]float64{30, 60}},
		{"rejects_with_room", 60, 180, [2]float64{13, 22}, [2]float64{12, 14}, [2]float64{0, 1}},
		{"tour", 30, 64, [2]float64{31.9, 32.1}, [2]float64{30, 32}, [2]float64{0, 2}},
		{"tour", 90, 134, [2]float64{47.9, 48.1}, [2]float64{7, 8}, [2]float64{0, 1}},
		{"tour", 150, 199, [2]float64{63, 64.1}, [2]float64{31, 32}, [2]float64{25, 33}},
		{"tour", 220, 330, [2]float64{63.9, 64.1}, [2]float64{31, 32}, [2]float64{30, 33}},
		{"server_crash", 81, 87, [2]float64{0, 30}, [2]float64{0, 0}, [2]float64{0, 0}},
		{"server_crash", 120, 180, [2]float64{63.9, 64.1}, [2]float64{31.5, 32}, [2]float64{30, 32.5}},
	}
	for _, tt := range tests {
		w, _, _ := play(t, tt.name, "", 11)
		ts := span(w, tt.from, tt.to)
		for _, c := range []struct {
			what string
			want [2]float64
			f    func(Truth) float64
		}{
			{"in flight", tt.flight, func(x Truth) float64 { return float64(x.InFlight) }},
			{"running", tt.running, func(x Truth) float64 { return float64(x.Running) }},
			{"waiting", tt.waiting, func(x Truth) float64 { return float64(x.Waiting) }},
		} {
			if got := mean(ts, c.f); !(got >= c.want[0] && got <= c.want[1]) {
				t.Errorf("%s %v to %v s, %s: want %v, got %.3g", tt.name, tt.from, tt.to, c.what, c.want, got)
			}
		}
	}
}

// quiet is a world nobody listens to.
func quiet() sinks {
	return sinks{
		load: func(model.Instant, []byte) {}, log: func(model.Instant, []byte) {},
		gpu: func(model.Instant, *cardSample) {}, host: func(model.Instant, *hostSample) {},
		mark: func(model.Instant, string) {},
	}
}

func BenchmarkWorld(b *testing.B) {
	s, _ := Find("saturated")
	p, err := s.Params()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		w := newWorld(p, nil, 1, testStart, quiet())
		w.runTo(p.Duration)
	}
	b.ReportMetric(p.Duration*float64(b.N)/b.Elapsed().Seconds(), "simulated-s/s")
}
