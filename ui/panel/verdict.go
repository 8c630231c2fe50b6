package panel

import (
	"fmt"
	"math"
	"strings"

	"benchtop/model"
	"benchtop/themes"
	"benchtop/ui/draw"
	"benchtop/ui/layout"
)

var verdict = Panel{
	ID: "verdict", Title: "verdict", Key: "6",
	Want: layout.Want{Side: true, Steps: []int{16, 12, 8}, Narrow: []int{4, 3, 2}, Rank: 1, Grow: 4, Most: 26},
	Head: verdictHead,
	Draw: drawVerdict,
}

// line is one line of words; pieces of different roles follow each other.
type line []Span

func verdictHead(f Frame) Head {
	s := f.View.Figures
	h := Head{Title: "verdict"}
	if s.Verdict.Since > 0 && s.Now > s.Verdict.Since {
		h.Notes = []Span{{"since " + draw.Age(s.Now.Seconds(s.Verdict.Since)), themes.Dim, false}}
	}
	return h
}

// severity is the sign and role of a severity.
func severity(s model.Severity) (string, themes.Role) {
	switch s {
	case model.SevInvalid:
		return "■", themes.Bad
	case model.SevMajor:
		return "▲", themes.Bad
	case model.SevMinor:
		return "△", themes.Warn
	case model.SevNote:
	}
	return "·", themes.Dim
}

// headline is the verdict in a few words, its sign and role.
func headline(v *model.Verdict) (sign, words string, role themes.Role) {
	words = draw.Sanitize(v.Title)
	switch v.ID {
	case "":
		return "…", "waiting for the first second", themes.Dim
	case model.VerdictNone:
		if words == "" {
			words = "no bottleneck seen"
		}
		return "✓", words, themes.Good
	case model.VerdictNotEnough:
		if words == "" {
			words = "not enough evidence: " + strings.ReplaceAll(v.Reason, "_", " ")
		}
		return "◌", words, themes.Warn
	}
	if words == "" {
		words = strings.ReplaceAll(v.ID, "_", " ")
	}
	sign, role = severity(v.Severity)
	return sign, words, role
}

func drawVerdict(f Frame) {
	w, h := f.Grid.Size()
	if h <= 4 {
		f.shortVerdict(w, h)
		return
	}
	lines := verdictLines(f.View.Figures, w-2, h)
	skip := 0
	if f.View.Full {
		skip = min(f.View.Scroll, max(len(lines)-h, 0))
	}
	for y, l := range lines[min(skip, len(lines)):] {
		if y >= h {
			break
		}
		writeLine(f.Grid, 1, y, w-2, l)
	}
}

func writeLine(g *draw.Grid, x, y, w int, l line) {
	end := x + w
	for _, p := range l {
		text := draw.Fit(p.Text, end-x)
		if p.Bold {
			x = g.WriteBold(x, y, p.Role, text)
		} else {
			x = g.Write(x, y, p.Role, text)
		}
	}
}

// shortVerdict is the form for narrow screens: headline and lamps, what was
// seen, what to change.
func (f Frame) shortVerdict(w, h int) {
	s := f.View.Figures
	v := &s.Verdict
	sign, words, role := headline(v)
	ls := lampSpans(s)
	room := w - 2
	x := 1
	if fit(ls)+20 < room && h > 1 {
		spans(f.Grid, w-1-fit(ls), 0, fit(ls), ls)
		room -= fit(ls) + 2
	}
	head := draw.Fit(sign+" "+words, room)
	x = f.Grid.WriteBold(x, 0, role, head)
	if v.Confidence != "" && x+2+len(v.Confidence) < room {
		f.Grid.Write(x+2, 0, themes.Dim, v.Confidence)
	}
	var rest []line
	text := v.Text
	if v.Failures != "" {
		rest = append(rest, line{{draw.Sanitize(v.Failures), themes.Bad, false}})
	}
	if text == "" {
		text = waitWords(v)
	}
	next := line{}
	if v.NextChange != "" {
		next = line{{"next ", themes.Dim, false}, {draw.Sanitize(v.NextChange), themes.Text, true}}
	}
	left := h - 1 - len(rest)
	wrapped := draw.Wrap(text, w-2)
	if len(next) > 0 && left > 1 {
		left--
	} else {
		next = nil
	}
	for i, t := range wrapped {
		if i >= left {
			break
		}
		if i == left-1 && len(wrapped) > left {
			t = draw.Fit(strings.Join(wrapped[i:], " "), w-2)
		}
		rest = append(rest, line{{t, themes.Text, false}})
	}
	if next != nil {
		rest = append(rest, next)
	}
	for i, l := range rest {
		writeLine(f.Grid, 1, 1+i, w-2, l)
	}
}

// waitWords says what a verdict is waiting for.
func waitWords(v *model.Verdict) string {
	var parts []string
	if !math.IsNaN(v.WaitS) && v.WaitS > 0 {
		parts = append(parts, "can decide in about "+draw.Age(v.WaitS))
	}
	if v.Leading != "" {
		parts = append(parts, "leading: "+strings.ReplaceAll(v.Leading, "_", " "))
	}
	return strings.Join(parts, "; ")
}

// verdictLines is the verdict in full, the most important first.
func verdictLines(s *model.Snapshot, w, h int) []line {
	v := &s.Verdict
	var out []line
	add := func(role themes.Role, bold bool, indent, text string) {
		for i, t := range draw.Wrap(text, w-len([]rune(indent))) {
			lead := indent
			if i > 0 {
				lead = strings.Repeat(" ", len([]rune(indent)))
			}
			out = append(out, line{{lead, role, bold}, {t, role, bold}})
		}
	}
	ls := lampSpans(s)
	if fit(ls) > w {
		out = append(out, spaced(ls[:2]), spaced(ls[2:]))
	} else {
		out = append(out, spaced(ls))
	}
	out = append(out, nil)
	sign, words, role := headline(v)
	add(role, true, sign+" ", words)
	if v.Confidence != "" && v.ID != model.VerdictNotEnough {
		out = append(out, line{{"  " + v.Confidence, themes.Dim, false}})
	}
	if v.Failures != "" {
		add(themes.Bad, false, "■ ", v.Failures)
	}
	add(themes.Text, false, "  ", v.Text)
	if wait := waitWords(v); wait != "" {
		add(themes.Dim, false, "  ", wait)
	}
	said := v.Text
	for _, e := range v.Evidence {
		if e.Text != "" && !strings.Contains(said, e.Text) {
			add(themes.Text, false, "▸ ", e.Text)
			said += e.Text
		}
	}
	if v.NextChange != "" {
		out = append(out, nil)
		for i, t := range draw.Wrap(v.NextChange, w-8) {
			lead := "change  "
			if i > 0 {
				lead = "        "
			}
			out = append(out, line{{lead, themes.Dim, false}, {t, themes.Accent, true}})
		}
	}
	out = append(out, caveats(s, w)...)
	if len(out) > h && h > 8 { // blank lines are the first to go
		tight := out[:0]
		for _, l := range out {
			if l != nil {
				tight = append(tight, l)
			}
		}
		out = tight
	}
	return out
}

// caveats is what the verdict does not say, what would settle it, what comes
// next.
func caveats(s *model.Snapshot, w int) []line {
	v := &s.Verdict
	var out []line
	labelled := func(label, text string) {
		if text == "" {
			return
		}
		for i, t := range draw.Wrap(text, w-8) {
			lead := fmt.Sprintf("%-8s", label)
			if i > 0 {
				lead = strings.Repeat(" ", 8)
			}
			out = append(out, line{{lead, themes.Dim, false}, {t, themes.Dim, false}})
		}
	}
	labelled("no proof", v.DoesNotProve)
	labelled("settle", v.SettledBy)
	labelled("next is", strings.ReplaceAll(s.Runner, "_", " "))
	labelled("unseen", strings.Join(v.NotSeen, "; "))
	return out
}

func spaced(ls []Span) line {
	var l line
	for i, p := range ls {
		if i > 0 {
			l = append(l, Span{"  ", themes.Text, false})
		}
		l = append(l, p)
	}
	return l
}
