package compare_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"benchtop/model/compare"
)

func knob(settings map[float64][]float64) []compare.Row {
	var rows []compare.Row
	minute := 0
	for pass := range 3 {
		for _, x := range []float64{1, 2, 4, 6, 8, 16} {
			if v := settings[x]; pass < len(v) {
				r := run(fmt.Sprintf("batch %g", x), minute, map[string]float64{compare.OutputTPS: v[pass], compare.LatencyP99: 1, compare.StartTemp: 40})
				r.Settings["max_batch"] = x
				rows = append(rows, r)
				minute += 5
			}
		}
	}
	return rows
}

// TestCurve: the documents' case again, with batch 6 run as well, and the
// answers at the edges of what was tried.
func TestCurve(t *testing.T) {
	four, six, eight := []float64{1190, 1210, 1200}, []float64{1290, 1310, 1300}, []float64{880, 910, 900}
	for _, c := range []struct {
		name       string
		settings   map[float64][]float64
		best       float64
		edge       bool
		text, next string
	}{
		{"two points", map[float64][]float64{4: four, 8: eight}, 4, true, "two settings make no curve", "try max_batch = 6"},
		{"three points", map[float64][]float64{4: four, 6: six, 8: eight}, 6, false, "top lies near 5.4", "try max_batch = 5"},
		{"rising to the end", map[float64][]float64{2: eight, 4: four, 6: six}, 6, true, "largest tried", "try max_batch = 8"},
		{"falling from the start", map[float64][]float64{4: six, 6: four, 8: eight}, 4, true, "smallest tried", "try max_batch = 2"},
		{"flat", map[float64][]float64{4: four, 6: {1195, 1205, 1202}, 8: {1198, 1207, 1203}}, 8, true, "no optimum can be named", "look for another limit"},
		{"five points", map[float64][]float64{2: {800, 810, 790}, 4: four, 6: six, 8: eight, 16: {700, 690, 710}}, 6, false, "top lies near 5.4", "try max_batch = 5"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := compare.Compare(knob(c.settings), compare.Options{}).Curve
			if got == nil {
				t.Fatal("want a curve")
			}
			if got.Best != c.best || got.Edge != c.edge || !strings.Contains(got.Text, c.text) || !strings.Contains(got.Next, c.next) {
				t.Errorf("want best %v, edge %v, %q, %q; got %+v", c.best, c.edge, c.text, c.next, got)
			}
			inside := !math.IsNaN(got.Peak)
			if inside != !c.edge || inside && !(got.Lo <= got.Peak && got.Peak <= got.Hi) {
				t.Errorf("want an optimum with an interval around it only inside, got %v (%v to %v)", got.Peak, got.Lo, got.Hi)
			}
		})
	}
	rows := knob(map[float64][]float64{4: four, 8: eight})
	for i := range rows {
		rows[i].Settings["client_timeout_s"] = rows[i].Settings["max_batch"] * 10
	}
	if got := compare.Compare(rows, compare.Options{}).Curve; got != nil {
		t.Errorf("two settings that move together are no knob, got %+v", got)
	}
	if got := compare.Compare(rows, compare.Options{Knob: "max_batch"}).Curve; got == nil {
		t.Error("want the knob that was named")
	}
}

func TestOrder(t *testing.T) {
	for _, c := range []struct {
		name                 string
		arms                 string
		interleaved, blocked bool
	}{
		{"in turn", "ABABAB", true, false},
		{"rotated", "ABBAAB", true, false},
		{"blocks", "AAABBB", false, true},
		{"mixed", "AABABB", false, false},
		{"three in turn", "ABCABC", true, false},
		{"one each", "AB", false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var rows []compare.Row
			for i, r := range c.arms {
				rows = append(rows, run(string(r), 10*i, map[string]float64{compare.OutputTPS: 1000 + float64(i)}))
			}
			got := compare.Compare(rows, compare.Options{}).Order
			if got.Interleaved != c.interleaved || got.Blocked != c.blocked || got.Sequence != c.arms {
				t.Errorf("want interleaved %v, blocked %v, %s; got %+v", c.interleaved, c.blocked, c.arms, got)
			}
		})
	}
}

func TestGrouping(t *testing.T) {
	row := func(label, change string, minute int) compare.Row {
		r := run("", minute, map[string]float64{compare.OutputTPS: 1})
		r.Arm, r.Label, r.Change, r.Run = "", label, change, fmt.Sprintf("%s%d", label, minute)
		return r
	}
	for _, c := range []struct {
		name string
		rows []compare.Row
		by   compare.By
		want string
	}{
		{"by change", []compare.Row{row("r1", "", 1), row("r2", "batch 8", 2), row("r3", "", 3), row("r4", "batch 8", 4)}, compare.ByAuto, "baseline 2, batch 8 2"},
		{"by label", []compare.Row{row("a", "x", 1), row("b", "y", 2), row("a", "x2", 3), row("b", "y2", 4)}, compare.ByAuto, "a 2, b 2"},
		{"each by itself", []compare.Row{row("a", "", 1), row("b", "batch 8", 2)}, compare.ByAuto, "baseline 1, batch 8 1"},
		{"repeats of one", []compare.Row{row("a", "", 1), row("a", "", 2), row("a", "", 3)}, compare.ByAuto, "a 3"},
		{"runs", []compare.Row{row("a", "", 1), row("a", "", 2)}, compare.ByRun, "a1 1, a2 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, a := range compare.Group(c.rows, c.by) {
				got = append(got, fmt.Sprintf("%s %d", a.Name, len(a.Runs)))
			}
			if s := strings.Join(got, ", "); s != c.want {
				t.Errorf("want %q, got %q", c.want, s)
			}
		})
	}
}

func TestBaseline(t *testing.T) {
	rows := func(v ...float64) []compare.Row {
		var out []compare.Row
		for i, x := range v {
			r := run("x", 1000+i, map[string]float64{compare.OutputTPS: x, compare.LatencyP99: 1000 / x, "client_output_tokens": 100, "client_input_tokens": 10})
			r.Settings["max_batch"] = 8
			out = append(out, r)
		}
		return out
	}
	good := rows(1000, 1010, 990, 1005, 995)
	other := rows(900, 905)
	for i := range other {
		other[i].Settings["max_batch"] = 16
	}
	for _, c := range []struct {
		name   string
		base   []compare.Row
		now    []compare.Row
		want   compare.Verdict
		alarm  bool
		reason string
	}{
		{"as before", good, rows(1002, 998), compare.InsideNoise, false, "inside the limit of 3.0 %"},
		{"one bad run", good, rows(1002, 900), compare.TooFewRuns, false, "run it once more"},
		{"one run alone", good, rows(900), compare.TooFewRuns, false, "one is no proof"},
		{"two bad runs", good, rows(900, 905), compare.Worse, true, "in 2 runs in a row"},
		{"better", good, rows(1100, 1105), compare.Better, false, "better than the baseline"},
		{"another configuration", good, other, compare.NotComparable, false, "max_batch 8 → 16"},
		{"a baseline of two", good[:2], rows(900, 905), compare.TooFewRuns, false, "3 are the least"},
		{"an unstable baseline", rows(1000, 1090, 930), rows(900, 905), compare.NotComparable, false, "false regressions"},
		{"inside a wide baseline", rows(1000, 1040, 960), rows(965, 965), compare.InsideNoise, false, "inside the limit of 4.0 %"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := compare.Regress(compare.Baseline{Name: "b", Rows: c.base}, c.now, compare.Limits{})
			if all := strings.Join(r.Reasons, "\n"); r.Verdict != c.want || r.Alarm != c.alarm || !strings.Contains(all, c.reason) {
				t.Errorf("want %q, alarm %v, %q; got %q, %v:\n%s", c.want, c.alarm, c.reason, r.Verdict, r.Alarm, all)
			}
		})
	}
}

// TestCrossTool: two load generators on one server.
func TestCrossTool(t *testing.T) {
	for _, c := range []struct {
		b    float64
		want string
	}{{1030, "agree within 5 %"}, {1200, "disagree by 20.0 %"}} {
		p := compare.Compare(pairs([]float64{1000, 1002, 999}, []float64{c.b, c.b + 2, c.b - 1}, nil), compare.Options{CrossTool: true}).Pairs[0]
		if !strings.Contains(p.Reasons[0], c.want) {
			t.Errorf("want %q, got %v", c.want, p.Reasons)
		}
	}
}

// TestUnlikeRunsProveNothing: where runs may not be compared, neither an
// optimum nor the agreement of two load generators follows from them.
func TestUnlikeRunsProveNothing(t *testing.T) {
	rows := knob(map[float64][]float64{4: {1190, 1210, 1200}, 6: {1290, 1310, 1300}, 8: {880, 910, 900}})
	for i := range rows {
		if rows[i].Settings["max_batch"] == 6 {
			rows[i].OK, rows[i].Done = 1000, 2000
			rows[i].Values[compare.FailedShare] = 0.5
		}
	}
	c := compare.Compare(rows, compare.Options{}).Curve
	if c == nil || !math.IsNaN(c.Peak) || !strings.Contains(c.Text, "batch 6 may not be compared with batch 4") || !strings.Contains(c.Next, "comparable first") {
		t.Errorf("want no optimum of unlike settings, got %+v", c)
	}
	for _, x := range []struct {
		b    float64
		want string
	}{{1030, "agree (3.0 % apart, limit 5 %), which says nothing yet: "}, {1200, "disagree (20.0 % apart, limit 5 %), which says nothing yet: "}} {
		rows := pairs([]float64{1000, 1002, 999}, []float64{x.b, x.b + 2, x.b - 1}, func(arm int, r *compare.Row) {
			if arm == 1 {
				r.OK, r.Done = 1000, 2000
				r.Values[compare.FailedShare] = 0.5
			}
		})
		if p := compare.Compare(rows, compare.Options{CrossTool: true}).Pairs[0]; !strings.Contains(p.Reasons[0], x.want) {
			t.Errorf("want %q, got %v", x.want, p.Reasons)
		}
	}
}
