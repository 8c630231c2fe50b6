package compare

import (
	"fmt"
	"math"
)

// Baseline is a set of repeats kept to measure later runs against. Its rows
// hold all that is compared, so it outlives the recordings.
type Baseline struct {
	Schema string `json:"schema"`
	Name   string `json:"name"`
	Made   string `json:"made"` // RFC 3339
	Rows   []Row  `json:"rows"`
}

// BaselineSchema names the form of a baseline file.
const BaselineSchema = "benchtop/baseline/v1"

// Regression is the judgement of later runs against a baseline.
type Regression struct {
	Baseline string         `json:"baseline"`
	Verdict  Verdict        `json:"verdict"`
	Alarm    bool           `json:"alarm"` // a regression: exit code 3
	Limit    float64        `json:"limit"` // a loss beyond this counts
	Effects  []Effect       `json:"effects"`
	Flags    []Flag         `json:"flags"`
	Spreads  []Gate         `json:"gates"`
	Reasons  []string       `json:"reasons"`
	Beyond   map[string]int `json:"runs_beyond"` // newest runs in a row that lie beyond the limit, by metric
	Moved    []Move         `json:"also_moved"`
}

// leastBaseline is the fewest repeats that a baseline may have; wantBaseline
// is what it should have.
const (
	leastBaseline = 3
	wantBaseline  = 5
)

// inARow is how many runs must lie beyond the limit, one after the other.
const inARow = 2

// Regress judges runs against a baseline: an alarm needs the interval of the
// ratio beyond max(3 %, the baseline's own spread), in two runs in a row. Runs
// of another configuration or machine are not comparable, not regressed.
func Regress(base Baseline, rows []Row, lim Limits) Regression {
	if lim == (Limits{}) {
		lim = DefaultLimits()
	}
	out := Regression{Baseline: base.Name, Limit: math.NaN(), Beyond: map[string]int{}}
	a, b := Arm{base.Name, Number(base.Rows)}, Arm{"now", Number(rows)}
	if len(a.Runs) == 0 || len(b.Runs) == 0 {
		out.Verdict, out.Reasons = TooFewRuns, []string{"no runs to compare"}
		return out
	}
	head := headline([]Arm{a, b})
	out.Spreads = gates(&a, head, lim)
	for _, f := range checks(&a, &b, Order{}, lim) {
		if f.ID != "order" { // a baseline is older by its nature
			out.Flags = append(out.Flags, f)
		}
	}
	out.strict(&a, &b)
	for _, id := range []string{head, LatencyP99} {
		if len(a.values(id)) == len(a.Runs) && len(b.values(id)) == len(b.Runs) {
			e := measure(mustFind(id), &a, &b, Order{})
			out.judge(&e, &a, &b, lim, id == head)
			out.Effects = append(out.Effects, e)
		}
	}
	out.Moved = alsoMoved(&a, &b)
	out.conclude(head, lim)
	return out
}

// strict blocks on any difference of configuration: a regression is said of
// the same thing run again.
func (r *Regression) strict(a, b *Arm) {
	d := differences(a, b)
	if len(d) == 0 {
		return
	}
	var text []string
	for _, x := range d {
		text = append(text, x.String())
	}
	for i := range r.Flags {
		if r.Flags[i].ID == "fingerprint" {
			r.Flags[i] = Flag{"fingerprint", Block, "another configuration than the baseline's: " + list(text, 4)}
		}
	}
}

// judge counts the newest runs in a row that lie beyond the limit.
func (r *Regression) judge(e *Effect, a, b *Arm, lim Limits, head bool) {
	limit := max(lim.gate(e.ID), e.A.Max)
	if head {
		r.Limit = limit
	}
	bad := func(ratio float64) bool { return ratio*float64(e.Metric.Better) < -limit }
	n := 0
	for i := len(b.Runs) - 1; i >= 0 && bad(b.Runs[i].Value(e.ID)/e.A.Median-1); i-- {
		n++
	}
	r.Beyond[e.ID] = n
	lo, hi := e.Lo, e.Hi
	if math.IsNaN(lo) { // one run: its own ratio is all there is
		lo, hi = e.Ratio, e.Ratio
	}
	switch {
	case bad(lo) && bad(hi) && n >= inARow:
		e.Verdict = Worse
		e.Reasons = append(e.Reasons, fmt.Sprintf("%s %+.1f %% (interval %+.1f to %+.1f %%), beyond the limit of %.1f %% in %d runs in a row", e.Title, 100*e.Ratio, 100*lo, 100*hi, 100*limit, n))
	case bad(e.Ratio) && n >= 1 && n < inARow:
		e.Verdict = TooFewRuns
		e.Reasons = append(e.Reasons, fmt.Sprintf("%s %+.1f %%, beyond the limit of %.1f %% in one run: one is no proof, run it once more", e.Title, 100*e.Ratio, 100*limit))
	case lo*float64(e.Metric.Better) > limit && hi*float64(e.Metric.Better) > limit && len(b.Runs) >= inARow:
		e.Verdict = Better
		e.Reasons = append(e.Reasons, fmt.Sprintf("%s %+.1f %%: better than the baseline by more than %.1f %%; set a new one if that is to stay", e.Title, 100*e.Ratio, 100*limit))
	default:
		e.Verdict = InsideNoise
		e.Reasons = append(e.Reasons, fmt.Sprintf("%s %+.1f %%, inside the limit of %.1f %%", e.Title, 100*e.Ratio, 100*limit))
	}
}

func (r *Regression) conclude(head string, lim Limits) {
	for _, f := range r.Flags {
		if f.Level == Block {
			r.Verdict = NotComparable
			r.Reasons = append(r.Reasons, f.Text)
		}
	}
	if r.Verdict != "" {
		return
	}
	if len(r.Effects) == 0 || r.Effects[0].ID != head {
		r.Verdict, r.Reasons = NotComparable, []string{"no throughput that both the baseline and these runs measured"}
		return
	}
	base := r.Effects[0].A
	if base.N < leastBaseline {
		r.Verdict = TooFewRuns
		r.Reasons = append(r.Reasons, fmt.Sprintf("the baseline holds %d runs: %d are the least, %d are better", base.N, leastBaseline, wantBaseline))
		return
	}
	if base.Max > lim.Refuse {
		r.Verdict = NotComparable
		r.Reasons = append(r.Reasons, fmt.Sprintf("the baseline itself differs by %.1f %% from run to run (limit %.0f %%): an unstable baseline makes false regressions", 100*base.Max, 100*lim.Refuse))
		return
	}
	r.Verdict = r.Effects[0].Verdict
	for i := range r.Effects {
		e := &r.Effects[i]
		r.Reasons = append(r.Reasons, e.Reasons...)
		if e.Verdict == Worse {
			r.Verdict, r.Alarm = Worse, true
		} else if e.Verdict == TooFewRuns && r.Verdict == InsideNoise {
			r.Verdict = TooFewRuns
		}
	}
}
