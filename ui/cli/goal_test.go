package cli

import (
	"context"
	"math"
	"strings"
	"testing"

	"benchtop/model"
	"benchtop/model/engine"
	"benchtop/sources"
	"benchtop/sources/sim"
)

// asked plays a scenario with what a run file would declare.
func asked(t *testing.T, scenario, changes, goal string, limits map[string]float64) *model.Snapshot {
	t.Helper()
	s, ok := sim.Find(scenario)
	if !ok {
		t.Fatalf("no scenario %s", scenario)
	}
	if changes != "" {
		s.Changes += ", " + changes
	}
	src, err := sim.Play(s, 11, demoStart, nil)
	if err != nil {
		t.Fatal(err)
	}
	preset := []model.Note{{Kind: model.NoteRun, Name: "goal", Text: goal}, {Kind: model.NoteRun, Name: "label", Text: "a"}}
	for n, v := range limits {
		preset = append(preset, model.Note{Kind: model.NoteConfig, Name: n, Value: v, Text: "--slo (declared)"})
	}
	g := sources.NewGroup()
	g.Start(context.Background(), src, sources.Block, true)
	g.WhenFinite(func() { g.Wait(0) })
	e := engine.New(engine.Options{Recycle: sources.Recycle, Preset: preset})
	e.Run(g.Batches())
	return e.Latest()
}

// TestGoals asks the three questions of runs whose answer is known.
func TestGoals(t *testing.T) {
	e2e := func(sec float64) map[string]float64 { return map[string]float64{"slo_e2e_s": sec} }
	for _, c := range []struct {
		name, scenario, changes, goal string
		limits                        map[string]float64
		state, line                   string
	}{
		{"a knee with load beyond it", "load_steps", "", "max_throughput", nil, model.GoalProven, "knee is at 32 in flight"},
		{"one load that fills the server", "saturated", "", "max_throughput", nil, model.GoalNotProven, "without a step beside it"},
		{"one load that does not", "low_concurrency", "", "max_throughput", nil, model.GoalNotProven, "raise the load"},
		{"the client is the limit", "client_pool", "", "max_throughput", nil, model.GoalNotProven, "(client_pool)"},
		{"limits kept up to a step", "load_steps", "", "sla", e2e(4), model.GoalFail, "Last passing step: 45 in flight"},
		{"limits never exceeded", "load_steps", "", "sla", e2e(30), model.GoalPass, "No load exceeded the limits"},
		{"limits never kept", "saturated", "", "sla", e2e(0.5), model.GoalFail, "No step passes"},
		{"first tokens", "healthy_open", "", "sla", map[string]float64{"slo_ttft_s": 2}, model.GoalPass, "Goodput 10"},
		{"no limits", "saturated", "", "sla", nil, model.GoalOpen, "--slo"},
		{"fit for comparison", "saturated", "", "compare", nil, model.GoalFair, "3 runs"},
		{"a hot GPU", "thermal_sw", "", "compare", nil, model.GoalUnfair, "slows down from heat"},
		{"failures", "short_timeout", "", "compare", nil, model.GoalUnfair, "requests failed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g := &asked(t, c.scenario, c.changes, c.goal, c.limits).Goal
			if g.State != c.state || !strings.Contains(g.Line, c.line) {
				t.Errorf("want %s with %q, got %s: %s", c.state, c.line, g.State, g.Line)
			}
		})
	}
}

// TestLoadSteps wants the steps that the simulator made, with their rates.
func TestLoadSteps(t *testing.T) {
	steps := asked(t, "load_steps", "", "max_throughput", nil).Goal.Steps
	want := []struct{ level, x float64 }{{10, 6.4}, {20, 11.3}, {32, 16.1}, {45, 16.4}, {60, 16.3}}
	if len(steps) != len(want) {
		t.Fatalf("want %d steps, got %d: %+v", len(want), len(steps), steps)
	}
	for i, w := range want {
		if s := steps[i]; s.Level != w.level || math.Abs(s.XOK-w.x) > 0.05*w.x || s.Clean != 1 || s.Seconds < 30 {
			t.Errorf("step %d: want %v in flight and about %v/s, got %+v", i, w.level, w.x, s)
		}
	}
}

// TestLedger wants the cause that the simulator put in to have the largest
// share, and the unexplained rest always said.
func TestLedger(t *testing.T) {
	for _, c := range []struct {
		scenario, changes, main string
		least                   float64
	}{
		{"thermal_sw", "", "clock", 0.7},
		{"clock_drift", "", "clock", 0.7},
		{"cpu_freq", "", "step_time", 0.6},
		{"load_steps", "", "concurrency", 0.8},
		{"tour", "", "lost", 0.8},
		{"healthy_balanced", "", "", 0},
		{"saturated", "", "", 0},
	} {
		t.Run(c.scenario, func(t *testing.T) {
			t.Parallel()
			l := &asked(t, c.scenario, c.changes, "", nil).Ledger
			if c.main == "" {
				if l.Known {
					t.Errorf("nothing moved; want no ledger, got %s", l.Line())
				}
				return
			}
			sum, main := l.Rest, 0.0
			for _, e := range l.Entries {
				sum += e.Share
				if e.ID == c.main {
					main = e.Share
				}
			}
			if main < c.least || math.Abs(sum-1) > 1e-9 || !strings.Contains(l.Line(), "unexplained") {
				t.Errorf("want %s for at least %v of the change and a rest that makes it whole, got %s", c.main, c.least, l.Line())
			}
		})
	}
}

// TestClockChain wants the elasticity that the model has, a whole chain where
// the clock is the cause, and none where it did not move.
func TestClockChain(t *testing.T) {
	c := asked(t, "thermal_sw", "", "", nil).Ledger.Clock // 0.8 of the GPU's part of a step
	if !c.Known || c.Elasticity < 0.6 || c.Elasticity > 0.95 || c.Lo > c.Elasticity || c.Hi < c.Elasticity || c.Voided {
		t.Errorf("want an elasticity of about 0.8 with an interval around it, got %+v", c)
	}
	if len(c.Chain) != 5 || c.Chain[0].Title != "temperature" || c.Chain[2].Arrow != model.ArrowSolid || c.Chain[4].Arrow != model.ArrowSolid {
		t.Errorf("want heat, counter, clock, step, throughput with solid arrows, got %s", c.Draw())
	}
	c = asked(t, "thermal_sw", "have_server_log=false", "", nil).Ledger.Clock
	if c.Known {
		t.Errorf("without the server nobody knows that it limits; want only a bound, got %+v", c)
	}
	if c = asked(t, "saturated", "", "", nil).Ledger.Clock; c.Known || c.AtMost > 0.02 {
		t.Errorf("the clock never moved; want a bound below 2 %%, got %+v", c)
	}
	c = asked(t, "thermal_sw", "clock_elasticity=0", "", nil).Ledger.Clock // bound by memory: the clock does not matter
	if c.Known && !c.Voided {
		t.Errorf("throughput did not follow; want a crossed arrow, got %s", c.Draw())
	}
}
