package panel

import (
	"fmt"
	"math"
	"strings"

	"benchtop/model"
	"benchtop/themes"
	"benchtop/ui/draw"
)

var guide = Panel{
	ID: "guide", Title: "guide", Key: "h",
	Head: func(f Frame) Head {
		return Head{Title: "what to read about it", Notes: []Span{{"↑↓ scroll  h back", themes.Dim, false}}}
	},
	Draw: drawGuide,
}

// Guide is the help pages of the verdict and of what is raised: shown in full
// on demand.
func Guide() Panel { return guide }

func drawGuide(f Frame) {
	_, h := f.Grid.Size()
	w, _ := f.Grid.Size()
	lines := guideLines(f.View.Figures, f.judged().v, min(w-4, 110))
	skip := min(f.View.Scroll, max(len(lines)-h, 0))
	for y := 0; y < h && skip+y < len(lines); y++ {
		writeLine(f.Grid, 2, y, w-4, lines[skip+y])
	}
	if rest := len(lines) - skip - h; rest > 0 {
		f.Grid.WriteRight(w-1, h-1, themes.Dim, "  ▼ "+draw.Count(float64(rest))+" more lines")
	}
}

// guideLines are the pages: the verdict's, then those of raised findings that
// matter, each id once.
func guideLines(s *model.Snapshot, v *model.Verdict, w int) []line {
	var out []line
	seen := map[string]bool{}
	page := func(f *model.Finding) {
		if f.ID == "" || seen[f.ID] {
			return
		}
		seen[f.ID] = true
		if len(out) > 0 {
			out = append(out, nil)
		}
		out = append(out, guidePage(s, f, w)...)
	}
	page(&v.Finding)
	for i := range s.Findings {
		if f := &s.Findings[i]; f.State == model.Raised && f.Severity > model.SevNote {
			page(f)
		}
	}
	for i := range s.Findings {
		if f := &s.Findings[i]; f.State == model.Raised {
			page(f)
		}
	}
	return out
}

func guidePage(s *model.Snapshot, f *model.Finding, w int) []line {
	sign, role := severity(f.Severity)
	out := []line{{{sign + " ", role, true}, {draw.Sanitize(f.Title), role, true}, {"  " + f.ID, themes.Dim, false}}}
	say := func(label, text string, role themes.Role) {
		for i, t := range draw.Wrap(draw.Sanitize(text), w-12) {
			lead := fmt.Sprintf("  %-10s", label)
			if i > 0 {
				lead = strings.Repeat(" ", 12)
			}
			out = append(out, line{{lead, themes.Dim, false}, {t, role, false}})
		}
	}
	say("seen", f.Text, themes.Text)
	g, _ := model.GuideTo(f.ID)
	for _, r := range g.Rows {
		say("if", r.See, themes.Title)
		say("may be", r.Causes, themes.Text)
		say("look at", r.Look, themes.Text)
		say("do", r.Do, themes.Accent)
	}
	tool := g.Tool
	say("next tool", tool, themes.Text)
	say("", toolWindow(s, f, tool), themes.Accent)
	say("change", f.NextChange, themes.Text)
	say("no proof", f.DoesNotProve, themes.Dim)
	say("settle", f.SettledBy, themes.Dim)
	return out
}

// toolWindow is the tool's command line for the seconds in which the finding
// stands, counted from the start of this run; "" where it takes no window or
// none is known.
func toolWindow(s *model.Snapshot, f *model.Finding, tool string) string {
	from := f.RawSince
	if from == 0 {
		from = f.RaisedAt
	}
	if f.RaisedAt == 0 || s.Start == 0 || from < s.Start {
		return ""
	}
	to, still := s.Now, f.ClearedAt <= f.RaisedAt
	if !still {
		to = f.ClearedAt
	}
	since := fmt.Sprintf("it stands since second %.0f of this run", from.Seconds(s.Start))
	if !still {
		since = fmt.Sprintf("it stood from second %.0f to %.0f of this run", from.Seconds(s.Start), to.Seconds(s.Start))
	}
	length := min(15, max(5, math.Floor(to.Seconds(from))))
	switch {
	case strings.HasPrefix(tool, "nsys"):
		return fmt.Sprintf("nsys profile --delay=%.0f --duration=%.0f -t cuda,nvtx,osrt -o benchtop SERVER-COMMAND (%s; start server and load together and the same load meets it again)",
			math.Ceil(from.Seconds(s.Start)), length, since)
	case strings.HasPrefix(tool, "perf"):
		return fmt.Sprintf("perf sched record -- sleep %.0f (%s)", length, since)
	case strings.HasPrefix(tool, "py-spy"):
		return fmt.Sprintf("py-spy record -d %.0f -o benchtop.svg --pid PID (%s)", length, since)
	}
	return ""
}
