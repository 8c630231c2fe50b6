package compare_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"benchtop/model"
	"benchtop/model/compare"
)

// run makes a row as a clean recording would give it.
func run(arm string, minute int, values map[string]float64) compare.Row {
	return compare.Row{
		Run: fmt.Sprintf("%s-%d", arm, minute), Arm: arm, Change: arm, Started: model.Instant(minute) * 60e9, DurationS: 180, MeasuredS: 150, Warm: true,
		Concurrency: 16, OK: 2000, Done: 2000, Verdict: "none", Severity: "note",
		Values: values, Settings: map[string]float64{}, Facts: map[string]string{"model": "demo-7b", "gpus": "1 × Demo GPU"},
	}
}

// document is the second document's case: batch 4 and 8, three runs each, run
// in turn; only what it tells, plus start temperatures and lengths.
func document() []compare.Row {
	var rows []compare.Row
	tps := [2][]float64{{1190, 1210, 1200}, {880, 910, 900}}
	clock := [2][]float64{{1.8e9, 1.8e9, 1.8e9}, {1.5e9, 1.7e9, 1.6e9}}
	for pass := range 3 {
		for arm, batch := range []float64{4, 8} {
			v := map[string]float64{
				compare.OutputTPS: tps[arm][pass], compare.Goodput: tps[arm][pass] / 128, compare.Clock: clock[arm][pass],
				compare.Batch: batch, compare.StepTime: 0.020 * []float64{1, 1.8}[arm], compare.Occupancy: []float64{0.85, 0.70}[arm],
				compare.PowerOfLimit: []float64{0.82, 0.995}[arm], compare.HeldPower: []float64{0, 0.9}[arm],
				"gpu_util": []float64{0.955, 0.965}[arm], "gpu_mem_used": []float64{8 << 30, 12 << 30}[arm], compare.StartTemp: 45,
				"client_input_tokens": 256, "client_output_tokens": 128, compare.FailedShare: 0,
			}
			r := run(fmt.Sprintf("batch %.0f", batch), 10*(2*pass+arm), v)
			r.Settings["max_batch"] = batch
			rows = append(rows, r)
		}
	}
	return rows
}

// TestDocumentsCase says what can be said of the case, and what can't
// (requirements N1 to N6).
func TestDocumentsCase(t *testing.T) {
	res := compare.Compare(document(), compare.Options{})
	if len(res.Pairs) != 1 || res.Order.Sequence != "ABABAB" || !res.Order.Interleaved {
		t.Fatalf("want one interleaved pair, got %d pairs in order %q", len(res.Pairs), res.Order.Sequence)
	}
	p := res.Pairs[0]
	e := p.Effects[0]
	if e.ID != compare.OutputTPS {
		t.Fatalf("want tokens a second to carry the verdict, got %s", e.ID)
	}
	// N2: no three repeats can speak at 5 %.
	near(t, "exact U test", 0.1, e.U, 1e-12)
	if p.Verdict != compare.TooFewRuns {
		t.Errorf("want %q, got %q: %v", compare.TooFewRuns, p.Verdict, p.Reasons)
	}
	all := strings.Join(p.Reasons, "\n")
	for _, want := range []string{"ranges do not overlap, difference 25 %, spread 0.8 to 2.2 %; too few for a 5 % test", "p = 0.10", "one more pass of A B needed"} {
		if !strings.Contains(all, want) {
			t.Errorf("want %q in the reasons, got:\n%s", want, all)
		}
	}
	near(t, "effect", -0.25, e.Ratio, 1e-12)
	near(t, "Hodges-Lehmann", -300, e.Shift, 1e-9)
	// N1: the gate passes by its own definition, and the other numbers stand beside it.
	near(t, "spread of batch 8", 0.0222, e.B.Max, 5e-5)
	near(t, "range of batch 8", 0.0333, e.B.Range, 5e-5)
	gate := res.Gates[1]
	if gate.Arm != "batch 8" || gate.Level != compare.Pass || !strings.Contains(gate.Text, "by range ÷ median it would fail") {
		t.Errorf("want batch 8 to pass with the range named, got %+v", gate)
	}
	// N5: the clock explains only part of it.
	x := p.Explained
	if x == nil {
		t.Fatal("want the share that the clock explains")
	}
	near(t, "clock", -0.111, x.Clock, 0.001)
	near(t, "share explained", 0.41, x.Share, 0.01)
	near(t, "points left over", 8.3, x.LeftOver, 0.1)
	for _, want := range []string{"6 to 17 %", "at most 41 %", "8 or more points stay unexplained"} {
		if !strings.Contains(x.Text, want) {
			t.Errorf("want %q, got %q", want, x.Text)
		}
	}
	if !strings.Contains(p.Attribution, "not the whole cause") {
		t.Errorf("want the clock not to be the whole cause, got %q", p.Attribution)
	}
	// N6: twice the work in 1.8 times the step time would be faster.
	if len(p.Contradictions) != 1 || math.Abs(p.Contradictions[0].Predicted-1333) > 1 || !strings.Contains(p.Contradictions[0].Text, "2 × the work in 1.8 × the step time predicts 1333 tok/s, not 900") {
		t.Errorf("want the contradiction of step time and throughput, got %+v", p.Contradictions)
	}
	if c := res.Curve; c == nil || c.Knob != "max_batch" || !strings.Contains(c.Next, "try max_batch = 6") {
		t.Errorf("want batch 6 to be tried next, got %+v", c)
	}
	if want := "one more pass of batch 4 batch 8, interleaved"; !strings.Contains(res.Next, want) {
		t.Errorf("next: want %q, got %q", want, res.Next)
	}
}

// TestDocumentsChain wants the arrows of the case: power and occupancy hold,
// heat was not measured, and what did not move is crossed.
func TestDocumentsChain(t *testing.T) {
	p := compare.Compare(document(), compare.Options{}).Pairs[0]
	by := map[string]compare.Chain{}
	for _, c := range p.Chains {
		by[c.ID] = c
	}
	arrows := func(id string) string {
		var s []string
		for _, l := range by[id].Links {
			s = append(s, string(l.Arrow))
		}
		return strings.Join(s, " ")
	}
	for id, want := range map[string]string{
		"power":     "solid solid solid solid",
		"occupancy": "solid solid",
		"heat":      "dashed dashed dashed solid",
		"batch":     "dashed crossed solid",
	} {
		if got := arrows(id); got != want {
			t.Errorf("chain %s: want %q, got %q", id, want, got)
		}
	}
	if c := by["power"]; !c.Holds || c.Voided {
		t.Errorf("power: want it to hold, got %+v", c)
	}
	if c := by["batch"]; !c.Voided {
		t.Errorf("batch: want it voided (it grew), got %+v", c)
	}
	var also []string
	for _, m := range p.AlsoMoved {
		also = append(also, m.ID)
	}
	list := " " + strings.Join(also, " ") + " "
	for _, want := range []string{compare.Clock, compare.Batch, compare.Occupancy, "gpu_mem_used", compare.HeldPower} {
		if !strings.Contains(list, " "+want+" ") {
			t.Errorf("want %s among what also moved, got %v", want, also)
		}
	}
	if strings.Contains(list, " gpu_util ") || strings.Contains(list, " client_output_tokens ") {
		t.Errorf("busy time and lengths did not move, got %v", also)
	}
}

// pairs makes n runs of each arm, interleaved, with the given throughputs.
func pairs(a, b []float64, change func(arm int, r *compare.Row)) []compare.Row {
	var rows []compare.Row
	for i := range max(len(a), len(b)) {
		for arm, v := range [][]float64{a, b} {
			if i >= len(v) {
				continue
			}
			r := run([]string{"before", "after"}[arm], 10*(2*i+arm), map[string]float64{
				compare.OutputTPS: v[i], compare.Goodput: v[i] / 100, compare.LatencyP99: 2 * 1000 / v[i], compare.StartTemp: 40,
				"client_input_tokens": 100, "client_output_tokens": 100,
			})
			if change != nil {
				change(arm, &r)
			}
			rows = append(rows, r)
		}
	}
	return rows
}

func TestVerdicts(t *testing.T) {
	slow, fast := []float64{1000, 1010, 995, 1005}, []float64{1100, 1110, 1095, 1105}
	for _, c := range []struct {
		name   string
		rows   []compare.Row
		want   compare.Verdict
		sure   string
		reason string
	}{
		{"four runs apart", pairs(slow, fast, nil), compare.Better, "firm", "exact U test p = 0.029"},
		{"the other way", pairs(fast, slow, nil), compare.Worse, "firm", "-9.0 %"},
		{"one run of each", pairs(slow[:1], fast[:1], nil), compare.TooFewRuns, "firm", "3 of each are needed"},
		{"three of each", pairs(slow[:3], fast[:3], nil), compare.TooFewRuns, "firm", "too few for a 5 % test (3 against 3"},
		{"three against four", pairs(slow[:3], fast, nil), compare.TooFewRuns, "firm", "can't give less than p = 0.06"},
		{"the same", pairs(slow, []float64{1001, 1011, 994, 1006}, nil), compare.InsideNoise, "firm", "equal within 3 %"},
		{"noisy repeats", pairs([]float64{1000, 1080, 940, 1005}, fast, nil), compare.NotComparable, "firm", "repeats of one configuration differ by 7.7 %"},
		{"repeats between the gates", pairs([]float64{1000, 1042, 995, 1005}, []float64{1200, 1210, 1195, 1205}, nil), compare.Better, "suspected", "above the gate of 3 %"},
		{"longer answers", pairs(slow, fast, func(arm int, r *compare.Row) {
			if arm == 1 {
				r.Values["client_output_tokens"] = 130
			}
		}), compare.NotComparable, "firm", "output tokens a request differ: 100 against 130"},
		{"another model and batch", pairs(slow, fast, func(arm int, r *compare.Row) {
			r.Settings["max_batch"] = float64(8 + arm)
			if arm == 1 {
				r.Facts["model"] = "demo-13b"
			}
		}), compare.NotComparable, "firm", "not a controlled comparison"},
		{"two settings", pairs(slow, fast, func(arm int, r *compare.Row) {
			r.Settings["max_batch"], r.Settings["client_timeout_s"] = float64(8+arm), float64(60+arm)
		}), compare.Better, "suspected", "2 settings differ"},
		{"hot start", pairs(slow, fast, func(arm int, r *compare.Row) { r.Values[compare.StartTemp] += 12 * float64(arm) }), compare.Better, "suspected", "start temperatures differ: 40 against 52"},
		{"in blocks", pairs(slow, fast, func(arm int, r *compare.Row) { r.Started += model.Instant(arm) * 3600e9 }), compare.Better, "suspected", "runs are in blocks (AAAABBBB)"},
		{"failed requests", pairs(slow, fast, func(arm int, r *compare.Row) { r.Values[compare.FailedShare] = 0.3 * float64(arm) }), compare.NotComparable, "firm", "30 % of the requests"},
		{"invalid numbers", pairs(slow, fast, func(arm int, r *compare.Row) {
			if arm == 1 {
				r.Severity, r.Verdict = "invalid", "little_mismatch"
			}
		}), compare.NotComparable, "firm", "must not be used"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := compare.Compare(c.rows, compare.Options{}).Pairs[0]
			all := strings.Join(p.Reasons, "\n")
			if p.Verdict != c.want || p.Confidence != c.sure || !strings.Contains(all, c.reason) {
				t.Errorf("want %q, %s, with %q; got %q, %s, with:\n%s", c.want, c.sure, c.reason, p.Verdict, p.Confidence, all)
			}
		})
	}
}

// TestTailSpeaks: the same throughput with a worse tail is worse.
func TestTailSpeaks(t *testing.T) {
	flat := []float64{1000, 1010, 995, 1005}
	rows := pairs(flat, flat, func(arm int, r *compare.Row) { r.Values[compare.LatencyP99] *= 1 + 0.5*float64(arm) })
	p := compare.Compare(rows, compare.Options{}).Pairs[0]
	if p.Verdict != compare.Worse || !strings.Contains(p.Reasons[0], "latency p99 is not") {
		t.Errorf("want the tail to decide, got %q: %v", p.Verdict, p.Reasons)
	}
}

// TestSameConfiguration simulates A/A comparisons: two arms that are the same
// may be told apart in at most 5 % of 2,000 trials with the default limits, at
// any number of repeats and any noise.
func TestSameConfiguration(t *testing.T) {
	rng := rand.New(rand.NewPCG(2026, 8))
	for _, c := range [][2]int{{3, 300}, {4, 2000}, {5, 300}, {6, 2000}} {
		n, trials := c[0], c[1]
		claims, refused := 0, 0
		for range trials {
			cv := 0.005 + 0.02*rng.Float64()
			a, b := normal(rng, n, 1000, 1000*cv), normal(rng, n, 1000, 1000*cv)
			i := 0
			rows := pairs(a, b, func(_ int, r *compare.Row) { // the tail has a noise of its own
				r.Values[compare.LatencyP99] = 2 * (1 + 1.5*cv*rng.NormFloat64())
				i++
			})
			switch p := compare.Compare(rows, compare.Options{}).Pairs[0]; p.Verdict {
			case compare.Better, compare.Worse:
				claims++
			case compare.NotComparable:
				refused++
			case compare.InsideNoise, compare.TooFewRuns:
			}
		}
		if claims > trials*5/100 {
			t.Errorf("%d runs a side: want at most %d false differences in %d, got %d", n, trials*5/100, trials, claims)
		}
		t.Logf("%d runs a side: %d false differences (%.1f %%), %d refused as too noisy", n, claims, 100*float64(claims)/float64(trials), refused)
	}
}

// TestRealDifferenceIsFound: the same simulation with a true difference of 8 %
// must not be silent, or the test above would prove nothing.
func TestRealDifferenceIsFound(t *testing.T) {
	rng := rand.New(rand.NewPCG(2026, 9))
	found := 0
	for range 300 {
		rows := pairs(normal(rng, 5, 1000, 10), normal(rng, 5, 1080, 10), nil)
		if p := compare.Compare(rows, compare.Options{}).Pairs[0]; p.Verdict == compare.Better {
			found++
		}
	}
	if found < 290 {
		t.Errorf("want a difference of 8 %% at 1 %% noise found in at least 290 of 300, got %d", found)
	}
}
