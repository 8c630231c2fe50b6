package panel

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"benchtop/model"
	"benchtop/themes"
	"benchtop/ui/draw"
	"benchtop/ui/layout"
)

var verdict = Panel{
	ID: "verdict", Title: "verdict", Key: "6",
	Want: layout.Want{Side: true, Steps: []int{15, 12, 8}, Narrow: []int{4, 3, 2}, Rank: 1, Grow: 9, Most: 28, Fixed: true},
	Head: verdictHead,
	Draw: drawVerdict,
}

// line is one line of words; pieces of different roles follow each other.
type line []Span

func verdictHead(f Frame) Head {
	s := f.View.Figures
	h := Head{Title: "verdict"}
	j := f.judged()
	if j.then {
		at, _ := f.moment()
		h.Notes = append(h.Notes, Span{"as of " + f.ago(at), themes.Accent, true})
	}
	if c := j.v.Confidence; c != "" && j.v.ID != model.VerdictNotEnough {
		h.Notes = append(h.Notes, Span{c, themes.Text, false})
	}
	if j.v.Since > 0 && s.Now > j.v.Since && !j.then {
		h.Notes = append(h.Notes, Span{"for " + draw.Age(s.Now.Seconds(j.v.Since)), themes.Dim, false})
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

// Headline is a verdict in a few words with the sign of its severity.
func Headline(v *model.Verdict) (sign, words string) {
	sign, words, _ = headline(v)
	return sign, words
}

func drawVerdict(f Frame) {
	w, h := f.Grid.Size()
	if h <= 4 {
		f.shortVerdict(w, h)
		return
	}
	lines := f.verdictLines(w-2, h, ample)
	for _, room := range [...]roominess{plain, tight} {
		if len(lines) > h && !f.View.Full {
			lines = f.verdictLines(w-2, h, room)
		}
	}
	skip := 0
	if f.View.Full {
		skip = min(f.View.Scroll, max(len(lines)-h, 0))
	}
	defer f.bar(w-2, -skip)
	for y, l := range lines[min(skip, len(lines)):] {
		if y >= h {
			break
		}
		if y == h-1 && skip+h < len(lines) && len(l) > 0 {
			l = append(l[:len(l)-1:len(l)-1], Span{l[len(l)-1].Text + " …", l[len(l)-1].Role, l[len(l)-1].Bold})
		}
		writeLine(f.Grid, 1, y, w-2, l)
	}
}

// bar sets the headline, whose first line is row y, in reverse video: the one
// thing to be read from across the room. What is no verdict yet gets none.
func (f Frame) bar(w, y int) {
	v := f.judged().v
	if v.ID == "" || v.ID == model.VerdictNotEnough {
		return
	}
	_, words, role := headline(v)
	gw, _ := f.Grid.Size()
	f.Grid.Invert(0, y, gw, len(draw.Wrap(words, w-2)), role)
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
	j := f.judged()
	v, ls := j.v, j.lamps
	sign, words, role := headline(v)
	head := sign + " " + words
	if at, _ := f.moment(); j.then && !f.View.Framed {
		head = f.ago(at) + " " + head
	}
	var rest []line
	room := w - 2
	switch tight := fit(ls) - len(ls) + 1; {
	case draw.Width(head)+2+fit(ls) <= room:
		spans(f.Grid, w-1-fit(ls), 0, fit(ls), ls)
		room -= fit(ls) + 2
	case draw.Width(head)+2+tight <= room:
		writeLine(f.Grid, w-1-tight, 0, tight, spaced(ls, " "))
		room -= tight + 2
	default: // they stand beside the numbers on any screen, words or not
		rest = append(rest, spaced(ls, "  "))
	}
	x := f.Grid.WriteBold(1, 0, role, draw.Fit(head, room))
	if v.ID != "" && v.ID != model.VerdictNotEnough {
		f.Grid.Invert(0, 0, x+1, 1, role)
	}
	if v.Confidence != "" && !f.View.Framed && x+2+len(v.Confidence) <= room {
		f.Grid.Write(x+2, 0, themes.Dim, v.Confidence)
	}
	text := v.Text
	if text == "" {
		text = waitWords(v)
	}
	if failed, _, _ := strings.Cut(v.Failures, ":"); failed != "" {
		text = strings.TrimRight(failed, ".; ") + "; " + text
	}
	left := h - 1 - len(rest)
	change := v.NextChange != "" && left > 1
	if change {
		left--
	}
	wrapped := draw.Wrap(text, w-2)
	for i := 0; i < min(left, len(wrapped)); i++ {
		t := wrapped[i]
		if i == left-1 {
			t = draw.FitClause(strings.Join(wrapped[i:], " "), w-2)
		}
		rest = append(rest, line{{t, themes.Text, false}})
	}
	if change {
		rest = append(rest, line{{"change ", themes.Dim, false}, {draw.Sanitize(v.NextChange), themes.Accent, true}})
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

// roominess is how much of the verdict there is room for.
type roominess uint8

const (
	ample roominess = iota
	plain           // without the small charts
	tight           // what to change comes before the single pieces of evidence
)

// verdictLines is the verdict in full, the most important first.
func (f Frame) verdictLines(w, h int, room roominess) []line {
	s, j := f.View.Figures, f.judged()
	v, ls := j.v, j.lamps
	var out []line
	add := func(role themes.Role, bold bool, indent, text string) {
		out = append(out, indented(role, bold, indent, text, w)...)
	}
	sign, words, role := headline(v)
	add(role, true, sign+" ", words)
	out = append(out, append(lampLines(ls, w), nil)...)
	if l := f.saidThen(v); l != nil {
		out = append(out, l)
	}
	if failures := v.Failures; failures != "" {
		if room == tight {
			failures, _, _ = strings.Cut(failures, ":")
		}
		add(themes.Bad, false, "■ ", failures)
	}
	add(themes.Text, false, "  ", v.Text)
	add(themes.Accent, false, "  ", j.when)
	if wait := waitWords(v); wait != "" {
		add(themes.Dim, false, "  ", wait)
	}
	if room == tight {
		out = append(out, changeLines(v, w)...)
	}
	out = append(out, f.evidenceLines(v, w, room == ample)...)
	if room != tight {
		out = append(out, changeLines(v, w)...)
	}
	out = append(out, labelled("no proof", v.DoesNotProve, w)...)
	runner := s.Runner
	if j.then {
		runner = ""
	} else {
		out = append(out, askedLines(s, w)...)
	}
	out = append(out, caveats(v, runner, w)...)
	if !j.then && f.View.Full {
		out = append(out, lampReport(s, w)...)
	} else if !j.then {
		out = append(out, lampsWait(s, w)...)
	}
	if len(out) > h { // blank lines are the first to go
		out = slices.DeleteFunc(out, func(l line) bool { return l == nil })
	}
	return out
}

// indented is a text of one role behind a sign, its further lines below the
// first.
func indented(role themes.Role, bold bool, sign, text string, w int) []line {
	var out []line
	for i, t := range draw.Wrap(text, w-draw.Width(sign)) {
		if i > 0 {
			sign = strings.Repeat(" ", draw.Width(sign))
		}
		out = append(out, line{{sign, role, bold}, {t, role, bold}})
	}
	return out
}

// lampLines are the lamps on one line, or on two where it is narrow.
func lampLines(ls []Span, w int) []line {
	switch n := fit(ls); {
	case len(ls) == 0:
		return nil
	case n <= w:
		return []line{spaced(ls, "  ")}
	case n-len(ls)+1 <= w:
		return []line{spaced(ls, " ")}
	}
	return []line{spaced(ls[:2], "  "), spaced(ls[2:], "  ")}
}

// changeLines is the one thing to change next, after a blank line.
func changeLines(v *model.Verdict, w int) []line {
	if v.NextChange == "" {
		return nil
	}
	out := []line{nil}
	for i, t := range draw.Wrap(v.NextChange, w-9) {
		lead := "change   "
		if i > 0 {
			lead = "         "
		}
		out = append(out, line{{lead, themes.Dim, false}, {t, themes.Accent, true}})
	}
	return out
}

// caveats is what would settle the verdict, what comes next, and what nobody
// looked at.
func caveats(v *model.Verdict, runner string, w int) []line {
	return slices.Concat(
		labelled("settle", v.SettledBy, w),
		labelled("next is", strings.ReplaceAll(runner, "_", " "), w),
		labelled("unseen", strings.Join(v.NotSeen, "; "), w),
	)
}

// labelled is a text beside its label; nothing where there is none.
func labelled(label, text string, w int) []line {
	if text == "" {
		return nil
	}
	var out []line
	for i, t := range draw.Wrap(text, w-9) {
		lead := fmt.Sprintf("%-9s", label)
		if i > 0 {
			lead = strings.Repeat(" ", 9)
		}
		out = append(out, line{{lead, themes.Dim, false}, {t, themes.Dim, false}})
	}
	return out
}

func spaced(ls []Span, space string) line {
	var l line
	for i, p := range ls {
		if i > 0 {
			l = append(l, Span{space, themes.Text, false})
		}
		l = append(l, p)
	}
	return l
}
