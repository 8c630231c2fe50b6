package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Pair is one arm against the first.
type Pair struct {
	A              string          `json:"a"`
	B              string          `json:"b"`
	Flags          []Flag          `json:"flags"`
	Headline       string          `json:"headline"` // id of the metric that carries the verdict
	Effects        []Effect        `json:"effects"`
	Verdict        Verdict         `json:"verdict"`
	Confidence     string          `json:"confidence"`
	Reasons        []string        `json:"reasons"`
	AlsoMoved      []Move          `json:"also_moved"`
	Chains         []Chain         `json:"chains"`
	Explained      *Explained      `json:"explained"`
	Contradictions []Contradiction `json:"contradictions"`
	Attribution    string          `json:"attribution"`
}

// Gate is a repeatability check of one arm and metric.
type Gate struct {
	Arm    string  `json:"arm"`
	ID     string  `json:"metric"`
	Title  string  `json:"title"`
	Spread Spread  `json:"spread"`
	Limit  float64 `json:"limit"`
	Level  Level   `json:"level"`
	Text   string  `json:"text"`
}

// Result is a whole comparison.
type Result struct {
	Rows     []Row    `json:"rows"` // every run, oldest first
	Arms     []Arm    `json:"arms"`
	Order    Order    `json:"order"`
	Gates    []Gate   `json:"gates"`
	Pairs    []Pair   `json:"pairs"`
	Curve    *Curve   `json:"curve"`
	Next     string   `json:"next"` // what to run next
	Warnings []string `json:"warnings"`
}

// Options of a comparison; the zero value is the default.
type Options struct {
	By        By
	Limits    Limits
	Knob      string // setting or metadata whose values make a curve; "" finds it
	CrossTool bool   // two load generators on one server: agreement is what is asked
}

// headlines are the metrics that can carry the verdict, the best first.
var headlines = []string{OutputTPS, Goodput, ServerTPS}

// Compare judges the rows of any number of runs. The first arm (by its oldest
// run) is what the others are measured against.
func Compare(rows []Row, o Options) Result {
	if o.Limits == (Limits{}) {
		o.Limits = DefaultLimits()
	}
	return CompareArms(Group(rows, o.By), o)
}

// CompareArms judges runs that are in arms already.
func CompareArms(arms []Arm, o Options) Result {
	if o.Limits == (Limits{}) {
		o.Limits = DefaultLimits()
	}
	var rows []Row
	for i := range arms {
		for _, r := range arms[i].Runs {
			r.Arm = arms[i].Name
			rows = append(rows, r)
		}
	}
	res := Result{Rows: Number(rows), Arms: arms, Order: orderOf(arms)}
	if len(arms) == 0 {
		return res
	}
	head := headline(arms)
	relative := func(x, m float64) float64 { return 100 * (x/m - 1) }
	res.Order.DriftPct = drift(res.Rows, arms, head, relative)
	res.Order.ClockDrift = drift(res.Rows, arms, Clock, relative)
	res.Order.TempDrift = drift(res.Rows, arms, StartTemp, func(x, m float64) float64 { return x - m })
	for i := range arms {
		res.Gates = append(res.Gates, gates(&arms[i], head, o.Limits)...)
	}
	for i := 1; i < len(arms); i++ {
		res.Pairs = append(res.Pairs, pair(&arms[0], &arms[i], head, res.Order, o))
	}
	res.Curve = curveOf(arms, head, o)
	if res.Curve != nil {
		res.Curve.unlike(res.Pairs)
	}
	res.Next = next(&res)
	return res
}

// headline is the first metric that every run measured.
func headline(arms []Arm) string {
	for _, id := range headlines {
		all := true
		for i := range arms {
			all = all && len(arms[i].values(id)) == len(arms[i].Runs)
		}
		if all {
			return id
		}
	}
	return Goodput
}

// FailedGate says which repeats throughput can't be compared by, because they
// differ too much among themselves; "" if none.
func (r *Result) FailedGate() string {
	if len(r.Arms) == 0 {
		return ""
	}
	head := headline(r.Arms)
	for i := range r.Gates {
		if g := &r.Gates[i]; g.ID == head && g.Level == Block {
			return fmt.Sprintf("the %d runs of %s differ by %.1f %% in %s, beyond the gate: find what is not held fixed before comparing", g.Spread.N, g.Arm, 100*g.Spread.Max, g.Title)
		}
	}
	return ""
}

func gates(a *Arm, head string, lim Limits) []Gate {
	var out []Gate
	for _, id := range []string{head, LatencyP99} {
		s := SpreadOf(a.values(id))
		m := mustFind(id)
		g := Gate{Arm: a.Name, ID: id, Title: m.Title, Spread: s, Limit: lim.gate(id), Level: Pass}
		switch {
		case s.N == 0:
			continue
		case s.N < lim.Repeats:
			g.Level = Unknown
			g.Text = fmt.Sprintf("%d of %d runs: the noise of this configuration is not known", s.N, lim.Repeats)
		default:
			g.Text = fmt.Sprintf("spread %.1f %% (range %.1f %%, CV %.1f %%, n %d; the true deviation is %.1f to %.1f × the one seen)", 100*s.Max, 100*s.Range, 100*s.CV, s.N, s.SDLow, s.SDHigh)
			if s.Max > g.Limit {
				g.Level = Warn
			}
			if s.Max > lim.Refuse {
				g.Level = Block
			}
			if s.Max <= g.Limit && s.Range > g.Limit {
				g.Text += fmt.Sprintf("; by range ÷ median it would fail the %.0f %% gate", 100*g.Limit)
			}
		}
		out = append(out, g)
	}
	return out
}

func pair(a, b *Arm, head string, o Order, opt Options) Pair {
	p := Pair{A: a.Name, B: b.Name, Headline: head, Flags: checks(a, b, twoOf(a, b, o), opt.Limits)}
	for _, m := range metrics {
		if m.Effect && (m.ID == head || !slices.Contains(headlines, m.ID)) && (len(a.values(m.ID)) > 0 || len(b.values(m.ID)) > 0) {
			e := measure(m, a, b, twoOf(a, b, o))
			judge(&e, a, b, p.Flags, opt.Limits)
			p.Effects = append(p.Effects, e)
		}
	}
	if len(p.Effects) == 0 || p.Effects[0].ID != head {
		p.Verdict, p.Confidence, p.Reasons = NotComparable, "firm", []string{"no throughput was measured in every run"}
		return p
	}
	e := &p.Effects[0]
	p.Verdict, p.Confidence, p.Reasons = e.Verdict, e.Confidence, e.Reasons
	p.tail()
	p.AlsoMoved = alsoMoved(a, b)
	p.Chains = follow(moved(e.Metric, a, b), a, b)
	p.Explained = explain(e, a, b)
	p.Contradictions = contradictions(e, a, b)
	p.Attribution = attribution(&p)
	if opt.CrossTool {
		p.cross(e, opt.Limits)
	}
	return p
}

// tail lets the latency's tail speak where throughput has nothing to say.
func (p *Pair) tail() {
	if p.Verdict != InsideNoise {
		return
	}
	for i := range p.Effects {
		e := &p.Effects[i]
		if e.ID == LatencyP99 && (e.Verdict == Worse || e.Verdict == Better) {
			p.Verdict, p.Confidence = e.Verdict, e.Confidence
			p.Reasons = append([]string{"throughput is the same, latency p99 is not: " + e.Reasons[0]}, p.Reasons...)
			return
		}
	}
}

// cross judges two load generators on one server: agreement is trust.
func (p *Pair) cross(e *Effect, lim Limits) {
	if math.IsNaN(e.Ratio) {
		return
	}
	d := math.Abs(e.Ratio)
	if i := slices.IndexFunc(p.Flags, func(f Flag) bool { return f.Level == Block }); i >= 0 {
		how := "agree"
		if d > lim.CrossTool {
			how = "disagree"
		}
		p.Reasons = append([]string{fmt.Sprintf("the two load generators %s (%.1f %% apart, limit %.0f %%), which says nothing yet: %s", how, 100*d, 100*lim.CrossTool, p.Flags[i].Text)}, p.Reasons...)
		return
	}
	if d <= lim.CrossTool {
		p.Reasons = append([]string{fmt.Sprintf("the two load generators agree within %.0f %% (%.1f %%): the figure can be trusted", 100*lim.CrossTool, 100*d)}, p.Reasons...)
		return
	}
	p.Reasons = append([]string{fmt.Sprintf("the two load generators disagree by %.1f %% (limit %.0f %%): a tool or the environment is at fault, not the server", 100*d, 100*lim.CrossTool)}, p.Reasons...)
}

// twoOf is the order as these two arms alone saw it.
func twoOf(a, b *Arm, o Order) Order {
	two := orderOf([]Arm{*a, *b})
	if o.Interleaved {
		two.Interleaved = len(a.Runs) == len(b.Runs)
	}
	return two
}

// attribution says whether the difference can be put down to the change.
func attribution(p *Pair) string {
	if p.Verdict == NotComparable {
		return "none: the runs are not comparable"
	}
	if len(p.Effects) == 0 || len(p.Chains) == 0 {
		return "nothing to attribute: throughput did not move"
	}
	var holds, open []string
	for _, c := range p.Chains {
		switch {
		case c.Holds:
			holds = append(holds, c.Title)
		case c.Open:
			open = append(open, c.Title)
		}
	}
	text := ""
	switch {
	case len(holds) > 0:
		text = "in line with: " + strings.Join(holds, "; ")
		if len(open) > 0 {
			text += "; not measured, so not ruled out: " + strings.Join(open, "; ")
		}
	case len(open) > 0:
		return "unattributed, do not decide by it: every chain that could hold has a step that was not measured (" + list(open, 3) + ")"
	default:
		return "unattributed, do not decide by it: nothing between the change and the effect moved as it should"
	}
	if p.Explained != nil && p.Explained.LeftOver >= 1 {
		text += fmt.Sprintf("; the clock alone is not the whole cause (at most %.0f %% of the effect)", 100*max(p.Explained.ShareLo, p.Explained.ShareHi))
	}
	for _, f := range p.Flags {
		if f.ID == "fingerprint" && f.Level == Warn {
			text += "; but more than one setting differs"
		}
	}
	if len(p.Contradictions) > 0 {
		text += "; but the figures contradict each other"
	}
	return text
}

// drift is the slope of the headline metric over the order of the runs, each
// relative to its arm's median, in percent a run; NaN below six runs.
func drift(rows []Row, arms []Arm, head string, off func(x, m float64) float64) float64 {
	mid := map[string]float64{}
	for i := range arms {
		mid[arms[i].Name] = medianOf(arms[i].values(head))
	}
	var v []float64
	for i := range rows {
		m := mid[rows[i].Arm]
		x := rows[i].Value(head)
		if m == 0 || math.IsNaN(m) || math.IsNaN(x) {
			return math.NaN()
		}
		v = append(v, off(x, m))
	}
	if len(v) < 6 {
		return math.NaN()
	}
	var slopes []float64
	for i := range v {
		for j := i + 1; j < len(v); j++ {
			slopes = append(slopes, (v[j]-v[i])/float64(j-i))
		}
	}
	return medianOf(slopes)
}

// next names the one run to make next.
func next(r *Result) string {
	if len(r.Arms) < 2 {
		n := len(r.Arms[0].Runs)
		if n < 3 {
			return fmt.Sprintf("run this configuration %d more times to know its noise", 3-n)
		}
		return "change one thing and run it as often, in turn with this one"
	}
	for i := range r.Pairs {
		p := &r.Pairs[i]
		switch p.Verdict {
		case NotComparable:
			return "make the runs comparable first: " + p.Reasons[0]
		case TooFewRuns:
			passes := p.Effects[0].MorePasses
			if n := min(p.Effects[0].A.N, p.Effects[0].B.N); n < 4 {
				passes = max(passes, 4-n)
			}
			return fmt.Sprintf("%s of %s, interleaved, would let the exact test speak", more(passes), strings.Join(names(r.Arms), " "))
		case Better, Worse, InsideNoise:
		}
	}
	if r.Curve != nil && r.Curve.Next != "" {
		return r.Curve.Next
	}
	if p := &r.Pairs[0]; p.Verdict == InsideNoise {
		return "this change makes no difference that these runs can show: change something else"
	}
	return "keep what won, and change one more thing"
}

func names(arms []Arm) []string {
	var out []string
	for i := range arms {
		out = append(out, arms[i].Name)
	}
	return out
}
