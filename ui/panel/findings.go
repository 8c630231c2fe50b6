package panel

import (
	"strings"

	"benchtop/model"
	"benchtop/themes"
	"benchtop/ui/draw"
)

var findings = Panel{
	ID: "findings", Title: "findings", Key: "e",
	Head: findingsHead,
	Draw: drawFindings,
}

func findingsHead(f Frame) Head {
	raised := 0
	for i := range f.View.Figures.Findings {
		if f.View.Figures.Findings[i].State == model.Raised {
			raised++
		}
	}
	notes := 1
	if f.View.Full {
		notes = 2
	}
	return Head{Title: "findings and evidence", Notes: []Span{
		{draw.Count(float64(raised)) + " raised", themes.Text, false}, {"↑↓ scroll  e back", themes.Dim, false},
	}[:notes]}
}

func drawFindings(f Frame) {
	w, h := f.Grid.Size()
	s := f.View.Figures
	width := min(w-4, 110)
	var lines []line
	if f.View.Full { // else the verdict stands beside it
		lines = append(f.verdictLines(width, 1<<20, ample), nil)
		lines = append(lines, crossChecks(s, width)...)
	}
	for i := range s.Findings {
		lines = append(append(lines, findingLines(s, &s.Findings[i], width)...), nil)
	}
	if n := len(lines); n > 0 {
		lines = lines[:n-1]
	} else {
		lines = []line{{{"nothing was judged yet", themes.Dim, false}}}
	}
	skip := min(f.View.Scroll, max(len(lines)-h, 0))
	for y := 0; y < h && skip+y < len(lines); y++ {
		writeLine(f.Grid, 2, y, w-4, lines[skip+y])
	}
	if f.View.Full {
		f.bar(width, -skip)
	}
	if rest := len(lines) - skip - h; rest > 0 {
		f.Grid.WriteRight(w-1, h-1, themes.Dim, "  ▼ "+draw.Count(float64(rest))+" more lines")
	}
}

// findingLines is one finding in full: state, numbers, limits, advice.
func findingLines(s *model.Snapshot, fd *model.Finding, w int) []line {
	sign, role := severity(fd.Severity)
	state := ""
	switch fd.State {
	case model.Raised:
		state = "raised " + draw.Age(s.Now.Seconds(fd.RaisedAt)) + " ago"
	case model.Unknown:
		sign, role = "?", themes.Dim
		state = "unknown: needs " + draw.Sanitize(fd.Needs)
	case model.Clear:
		sign, role = "✓", themes.Good
		state = "clear"
		if fd.ClearedAt > 0 {
			sign, role = "△", themes.Warn
			state = "cleared " + draw.Age(s.Now.Seconds(fd.ClearedAt)) + " ago"
		}
	}
	title := draw.Sanitize(fd.Title)
	if title == "" {
		title = strings.ReplaceAll(fd.ID, "_", " ")
	}
	out := []line{{{sign + " ", role, true}, {title, role, true}, {"  " + fd.ID, themes.Dim, false}, {"  " + fd.Severity.String(), themes.Dim, false}, {"  " + state, themes.Dim, false}}}
	if fd.State != model.Raised && fd.ClearedAt == 0 {
		return out
	}
	for _, t := range draw.Wrap(fd.Text, w-2) {
		out = append(out, line{{"  " + t, themes.Text, false}})
	}
	for _, e := range fd.Evidence {
		text := e.Text
		if text == "" || strings.Contains(fd.Text, text) {
			text = e.Series + " " + draw.Small(e.Value) + " " + e.Unit
			if e.Threshold == e.Threshold {
				text += "  against " + draw.Small(e.Threshold)
			}
			if e.WindowS > 0 {
				text += "  over " + draw.Age(e.WindowS)
			}
		}
		out = append(out, line{{"  ▸ " + draw.Sanitize(text), themes.Dim, false}})
	}
	for _, p := range [...][2]string{{"change", fd.NextChange}, {"no proof", fd.DoesNotProve}, {"settle", fd.SettledBy}} {
		if p[1] != "" {
			out = append(out, line{{"  " + p[0] + "  ", themes.Dim, false}, {draw.Sanitize(p[1]), themes.Text, false}})
		}
	}
	return out
}
