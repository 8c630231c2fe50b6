package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Arm is every run of one configuration.
type Arm struct {
	Name string `json:"name"`
	Runs []Row  `json:"-"` // oldest first
}

// values of one metric over an arm's runs that measured it.
func (a *Arm) values(id string) []float64 {
	var out []float64
	for i := range a.Runs {
		if v := a.Runs[i].Value(id); !math.IsNaN(v) {
			out = append(out, v)
		}
	}
	return out
}

// setting is an arm's value of a setting, by the runs' metadata if no source
// tells it; NaN if the runs don't agree or don't say.
func (a *Arm) setting(name string) float64 {
	v := math.NaN()
	for i := range a.Runs {
		x, ok := a.Runs[i].Settings[name]
		if !ok {
			if _, err := fmt.Sscanf(a.Runs[i].Meta[name], "%g", &x); err != nil {
				return math.NaN()
			}
		}
		if i > 0 && x != v {
			return math.NaN()
		}
		v = x
	}
	return v
}

// By says what makes runs repeats of each other.
type By string

// The ways of grouping.
const (
	ByAuto   By = "auto"   // whatever gives repeats: the arm given, the change, the label, the settings
	ByArm    By = "arm"    // the name the user gave
	ByChange By = "change" // --change
	ByLabel  By = "label"  // --label
	ByRun    By = "run"    // each run by itself
)

// Group puts rows into arms, in the order in which the arms were first run.
func Group(rows []Row, by By) []Arm {
	rows = Number(rows)
	if by == ByAuto || by == "" {
		by = choose(rows)
	}
	var arms []Arm
	for _, r := range rows {
		name := keyOf(&r, by)
		i := slices.IndexFunc(arms, func(a Arm) bool { return a.Name == name })
		if i < 0 {
			arms = append(arms, Arm{Name: name})
			i = len(arms) - 1
		}
		r.Arm = name
		arms[i].Runs = append(arms[i].Runs, r)
	}
	return arms
}

func keyOf(r *Row, by By) string {
	switch by {
	case ByArm:
		return cmp.Or(r.Arm, "baseline")
	case ByChange:
		return cmp.Or(r.Change, "baseline")
	case ByLabel:
		return cmp.Or(r.Label, "no label")
	case ByRun, ByAuto:
	}
	return cmp.Or(r.Run, fmt.Sprintf("round %d", r.Round))
}

// choose takes the first key that gives at least two arms of which one has
// repeats, else labels or runs.
func choose(rows []Row) By {
	count := func(by By) (arms, most int) {
		n := map[string]int{}
		for i := range rows {
			k := keyOf(&rows[i], by)
			n[k]++
			most = max(most, n[k])
		}
		return len(n), most
	}
	for i := range rows {
		if rows[i].Arm != "" {
			return ByArm
		}
	}
	for _, by := range []By{ByChange, ByLabel} {
		if arms, most := count(by); arms > 1 && most > 1 {
			return by
		}
	}
	for _, by := range []By{ByChange, ByLabel} {
		if arms, _ := count(by); arms > 1 && arms == len(rows) {
			return by
		}
	}
	if arms, most := count(ByLabel); arms == 1 && most > 1 && rows[0].Label != "" {
		return ByLabel // repeats of one configuration: its noise
	}
	return ByRun
}

// Order says how the arms' runs follow each other in time.
type Order struct {
	Sequence    string  `json:"sequence"`    // a letter a run: "ABABAB"
	Interleaved bool    `json:"interleaved"` // each pass holds every arm once
	Blocked     bool    `json:"blocked"`     // an arm's runs all stand together
	Passes      int     `json:"passes"`
	DriftPct    float64 `json:"drift_pct_per_run"` // slope of the headline metric over the order, arms taken out
	// The same of what drifts with time, beside it; NaN where not measured.
	TempDrift  float64 `json:"start_temp_drift_c_per_run"`
	ClockDrift float64 `json:"clock_drift_pct_per_run"`
}

func orderOf(arms []Arm) Order {
	type run struct {
		arm     int
		started int64
		round   int
	}
	var runs []run
	for i := range arms {
		for j := range arms[i].Runs {
			r := &arms[i].Runs[j]
			runs = append(runs, run{i, int64(r.Started), r.Round})
		}
	}
	slices.SortStableFunc(runs, func(a, b run) int {
		return cmp.Or(cmp.Compare(a.started, b.started), cmp.Compare(a.round, b.round))
	})
	var seq strings.Builder
	switches := 0
	for i, r := range runs {
		seq.WriteString(letter(r.arm))
		if i > 0 && runs[i-1].arm != r.arm {
			switches++
		}
	}
	o := Order{Sequence: seq.String(), DriftPct: math.NaN(), TempDrift: math.NaN(), ClockDrift: math.NaN()}
	k := len(arms)
	o.Blocked = len(runs) > k && switches == k-1
	o.Interleaved = k > 1 && len(runs)%k == 0 && len(runs) >= 2*k
	for p := 0; o.Interleaved && p < len(runs); p += k {
		seen := map[int]bool{}
		for _, r := range runs[p : p+k] {
			seen[r.arm] = true
		}
		o.Interleaved = len(seen) == k
	}
	if o.Interleaved {
		o.Passes = len(runs) / k
	}
	return o
}

// letter names the i-th arm: A, B, … Z, then A1 and so on.
func letter(i int) string {
	if i < 26 {
		return string(rune('A' + i))
	}
	return fmt.Sprintf("%c%d", 'A'+i%26, i/26)
}
