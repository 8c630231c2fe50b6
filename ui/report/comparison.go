package report

import (
	"fmt"
	"math"
	"strings"

	"benchtop/model/compare"
)

// Comparison lays a comparison out as a page: the documents' table first, the
// verdict with its reasons, then everything it rests on.
func Comparison(r *compare.Result) *Page {
	p := &Page{Title: strings.Join(armNames(r), " against ")}
	p.heading(1, "rounds")
	p.table(Rounds(r.Rows))
	p.heading(2, "figures")
	p.table(Figures(r.Rows))
	if len(r.Gates) > 0 {
		p.figure(armsFigure(r, r.Gates[0].ID))
		p.figure(armsFigure(r, compare.LatencyP99))
	}
	for i := range r.Pairs {
		verdictPage(p, &r.Pairs[i])
	}
	gatePage(p, r)
	for i := range r.Pairs {
		pairPage(p, &r.Pairs[i])
	}
	if c := r.Curve; c != nil {
		p.heading(2, "the curve over "+c.Knob)
		p.table(curveTable(c))
		p.figure(curveFigure(c))
		p.list([]string{c.Text, c.Next})
	}
	if r.Next != "" {
		p.heading(2, "next")
		p.text(r.Next)
	}
	return p
}

func armNames(r *compare.Result) []string {
	var out []string
	for i := range r.Arms {
		out = append(out, r.Arms[i].Name)
	}
	return out
}

func verdictPage(p *Page, pair *compare.Pair) {
	p.heading(2, fmt.Sprintf("verdict: %s against %s: %s", pair.B, pair.A, pair.Verdict))
	lines := []string{}
	if pair.Verdict == compare.Better || pair.Verdict == compare.Worse {
		lines = append(lines, "confidence: "+pair.Confidence)
	}
	lines = append(lines, pair.Reasons...)
	if pair.Explained != nil {
		lines = append(lines, pair.Explained.Text)
	}
	for _, c := range pair.Contradictions {
		lines = append(lines, "contradiction: "+c.Text)
	}
	if pair.Attribution != "" {
		lines = append(lines, "attribution: "+pair.Attribution)
	}
	p.list(lines)
}

func gatePage(p *Page, r *compare.Result) {
	p.heading(2, "repeatability")
	t := Table{Head: []string{"arm", "metric", "n", "median", "spread", "range", "CV", "gate", "", "note"}, Right: []bool{false, false, true, true, true, true, true, true, false, false}}
	for _, g := range r.Gates {
		m, _ := compare.Find(g.ID)
		t.Rows = append(t.Rows, []string{
			g.Arm, g.Title, fmt.Sprint(g.Spread.N), short(g.Spread.Median*m.Scale) + " " + m.Unit, percent(g.Spread.Max), percent(g.Spread.Range), percent(g.Spread.CV),
			percent(g.Limit), levelWord(g.Level), note(g),
		})
	}
	p.table(t)
	lines := []string{"spread = largest |x − median| ÷ median; range = (largest − smallest) ÷ median; CV = deviation ÷ mean"}
	if o := r.Order; o.Sequence != "" && len(r.Arms) > 1 {
		text := "order of the runs: " + o.Sequence
		if !math.IsNaN(o.DriftPct) {
			text += fmt.Sprintf("; drift %+.2f %% a run, the arms taken out", o.DriftPct)
		}
		if !math.IsNaN(o.TempDrift) {
			text += fmt.Sprintf("; start temperature %+.1f °C a run", o.TempDrift)
		}
		if !math.IsNaN(o.ClockDrift) {
			text += fmt.Sprintf("; SM clock %+.2f %% a run", o.ClockDrift)
		}
		lines = append(lines, text)
	}
	p.list(lines)
}

// note is what a gate says beyond its columns.
func note(g compare.Gate) string {
	if _, after, ok := strings.Cut(g.Text, "); "); ok {
		return after
	}
	if g.Level == compare.Unknown {
		return g.Text
	}
	return fmt.Sprintf("true deviation %.1f to %.1f × the one seen", g.Spread.SDLow, g.Spread.SDHigh)
}

func levelWord(l compare.Level) string {
	switch l {
	case compare.Pass:
		return "✓"
	case compare.Warn:
		return "△ warn"
	case compare.Block:
		return "✗ refused"
	case compare.Unknown:
	}
	return "? unknown"
}

func percent(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*v)
}

func signed(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return fmt.Sprintf("%+.1f %%", 100*v)
}

func prob(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	if v < 0.0005 {
		return "< 0.001"
	}
	return fmt.Sprintf("%.3f", v)
}

func pairPage(p *Page, pair *compare.Pair) {
	p.heading(2, pair.B+" against "+pair.A)
	p.heading(3, "may they be compared?")
	flags := Table{Head: []string{"check", "", "what was found"}}
	for _, f := range pair.Flags {
		flags.Rows = append(flags.Rows, []string{strings.ReplaceAll(f.ID, "_", " "), levelWord(f.Level), f.Text})
	}
	p.table(flags)
	p.heading(3, "effects")
	t := Table{
		Head:  []string{"metric", pair.A, pair.B, "difference", "95 % interval", "Hodges-Lehmann", "U test p", "least p", "Welch p", "verdict"},
		Right: []bool{false, true, true, true, true, true, true, true, true, false},
	}
	for i := range pair.Effects {
		e := &pair.Effects[i]
		m := e.Metric
		t.Rows = append(t.Rows, []string{
			m.Title, short(e.A.Median*m.Scale) + " " + m.Unit, short(e.B.Median*m.Scale) + " " + m.Unit, signed(e.Ratio), interval(e.Lo, e.Hi),
			short(e.Shift*m.Scale) + " " + m.Unit, prob(e.U), prob(e.ULeast), prob(e.WelchP), string(e.Verdict),
		})
	}
	p.table(t)
	p.list([]string{
		"unit = run, not request: requests of one run share clock, batch and queue",
		"interval: bootstrap over runs, of one pass together where they are interleaved (BCa, 2,000 draws, fixed seed); with few runs it is too narrow",
		"Welch's t test assumes normal runs, which so few can't show; the U test assumes nothing",
	})
	chainPage(p, pair)
	if len(pair.AlsoMoved) > 0 {
		p.heading(3, "also moved")
		m := Table{Head: []string{"series", pair.A, pair.B, "change"}, Right: []bool{false, true, true, true}}
		for _, v := range pair.AlsoMoved {
			m.Rows = append(m.Rows, moveRow(v))
		}
		p.table(m)
	}
}

func moveRow(v compare.Move) []string {
	m, _ := compare.Find(v.ID)
	return []string{m.Title, strings.TrimSpace(short(v.A*m.Scale) + " " + m.Unit), strings.TrimSpace(short(v.B*m.Scale) + " " + m.Unit), signed(v.Share)}
}

func interval(lo, hi float64) string {
	if math.IsNaN(lo) || math.IsNaN(hi) {
		return "–"
	}
	return fmt.Sprintf("%+.1f to %+.1f %%", 100*lo, 100*hi)
}

// arrowSigns draw the three arrows of a chain.
var arrowSigns = map[compare.Arrow]string{compare.Solid: "──▶", compare.Dashed: "┄┄▷", compare.Crossed: "─✗─"}

func chainPage(p *Page, pair *compare.Pair) {
	if len(pair.Chains) == 0 {
		return
	}
	p.heading(3, "from the change to the effect")
	var lines []string
	for _, c := range pair.Chains {
		lines = append(lines, chainLine(&c))
	}
	p.list(lines)
	p.text("──▶ moved as it should   ┄┄▷ not measured   ─✗─ did not move, or the other way: that voids the chain")
}

func chainLine(c *compare.Chain) string {
	var b strings.Builder
	word := "open"
	switch {
	case c.Holds:
		word = "holds"
	case c.Voided:
		word = "voided"
	}
	fmt.Fprintf(&b, "%s (%s): change", c.Title, word)
	for _, l := range c.Links {
		m, _ := compare.Find(l.Move.ID)
		fmt.Fprintf(&b, " %s %s", arrowSigns[l.Arrow], m.Title)
		switch {
		case !l.Move.Seen:
			b.WriteString(" (not measured)")
		case l.Move.Dir == 0:
			b.WriteString(" (did not move)")
		case !math.IsNaN(l.Move.Share) && !math.IsInf(l.Move.Share, 0) && math.Abs(l.Move.Share) < 10:
			fmt.Fprintf(&b, " %s", signed(l.Move.Share))
		default:
			fmt.Fprintf(&b, " %s → %s %s", short(l.Move.A*m.Scale), short(l.Move.B*m.Scale), m.Unit)
		}
	}
	return b.String()
}

func curveTable(c *compare.Curve) Table {
	t := Table{Head: []string{c.Knob, "arm", "n", c.Metric + " " + c.Unit, "spread"}, Right: []bool{true, false, true, true, true}}
	for _, p := range c.Points {
		t.Rows = append(t.Rows, []string{fmt.Sprintf("%g", p.X), p.Arm, fmt.Sprint(p.Spread.N), short(p.Spread.Median), percent(p.Spread.Max)})
	}
	return t
}

// Against lays out the judgement of runs against a baseline.
func Against(r *compare.Regression, rows []compare.Row) *Page {
	p := &Page{Title: "against the baseline " + r.Baseline}
	word := string(r.Verdict)
	if r.Alarm {
		word = "worse: a regression"
	}
	p.heading(1, fmt.Sprintf("verdict: now against the baseline %s: %s", r.Baseline, word))
	p.list(r.Reasons)
	p.heading(2, "rounds")
	p.table(Rounds(rows))
	flags := Table{Head: []string{"check", "", "what was found"}}
	for _, f := range r.Flags {
		flags.Rows = append(flags.Rows, []string{strings.ReplaceAll(f.ID, "_", " "), levelWord(f.Level), f.Text})
	}
	p.heading(2, "may they be compared?")
	p.table(flags)
	t := Table{Head: []string{"metric", "baseline", "its spread", "now", "difference", "interval", "limit", "runs beyond, in a row"}, Right: []bool{false, true, true, true, true, true, true, true}}
	for i := range r.Effects {
		e := &r.Effects[i]
		lim := max(e.A.Max, 0.03)
		if e.ID == compare.LatencyP99 {
			lim = max(e.A.Max, 0.05)
		}
		t.Rows = append(t.Rows, []string{
			e.Title, short(e.A.Median*e.Metric.Scale) + " " + e.Unit, percent(e.A.Max), short(e.B.Median*e.Metric.Scale) + " " + e.Unit,
			signed(e.Ratio), interval(e.Lo, e.Hi), percent(lim), fmt.Sprint(r.Beyond[e.ID]),
		})
	}
	p.heading(2, "effects")
	p.table(t)
	if len(r.Moved) > 0 {
		p.heading(2, "also moved")
		m := Table{Head: []string{"series", "baseline", "now", "change"}, Right: []bool{false, true, true, true}}
		for _, v := range r.Moved {
			m.Rows = append(m.Rows, moveRow(v))
		}
		p.table(m)
	}
	return p
}

// badgeClass is the style of a verdict.
func badgeClass(v compare.Verdict) string {
	switch v {
	case compare.Better:
		return "better"
	case compare.Worse:
		return "worse"
	case compare.TooFewRuns:
		return "toofew"
	case compare.NotComparable:
		return "notcomparable"
	case compare.InsideNoise:
	}
	return "inside"
}

// ComparisonHead is the top of a comparison's HTML page.
func ComparisonHead(r *compare.Result) Head {
	h := Head{Sub: fmt.Sprintf("%d runs in %d arms, order %s", len(r.Rows), len(r.Arms), r.Order.Sequence)}
	for i := range r.Pairs {
		p := &r.Pairs[i]
		aside := ""
		if p.Verdict == compare.Better || p.Verdict == compare.Worse {
			aside = p.Confidence
		}
		h.Badges = append(h.Badges, Badge{badgeClass(p.Verdict), fmt.Sprintf("%s against %s: %s", p.B, p.A, p.Verdict), aside, p.Reasons[:min(2, len(p.Reasons))]})
	}
	return h
}

// AgainstHead is the top of the HTML page of runs against a baseline.
func AgainstHead(r *compare.Regression) Head {
	title := string(r.Verdict)
	if r.Alarm {
		title = "a regression"
	}
	return Head{Sub: "measured against the baseline " + r.Baseline, Badges: []Badge{{badgeClass(r.Verdict), title, "", r.Reasons}}}
}
