package panel

import (
	"strings"

	"benchtop/model"
	"benchtop/themes"
	"benchtop/ui/draw"
	"benchtop/ui/layout"
)

var events = Panel{
	ID: "events", Title: "events", Key: "9",
	Want: layout.Want{Side: true, Steps: []int{7, 3, 2}, Rank: 8, Grow: 3},
	Head: eventsHead,
	Draw: drawEvents,
}

// log is the marks and verdict changes, oldest first.
func eventLog(s *model.Snapshot) []model.Mark {
	told := false
	for _, m := range s.Marks {
		told = told || m.Class == "verdict"
	}
	if told || len(s.Verdicts) == 0 {
		return s.Marks
	}
	out := make([]model.Mark, 0, len(s.Marks)+len(s.Verdicts))
	v := s.Verdicts
	for _, m := range s.Marks {
		for len(v) > 0 && v[0].At <= m.At {
			out, v = append(out, verdictMark(v[0])), v[1:]
		}
		out = append(out, m)
	}
	for _, c := range v {
		out = append(out, verdictMark(c))
	}
	return out
}

func verdictMark(c model.VerdictChange) model.Mark {
	title := c.Title
	if title == "" {
		title = c.ID
	}
	return model.Mark{At: c.At, Class: "verdict", Text: title, Bad: c.Severity >= model.SevMajor}
}

func eventsHead(f Frame) Head {
	n := len(eventLog(f.View.Figures))
	return Head{Title: "events", Notes: []Span{{draw.Count(float64(n)), themes.Dim, false}}}
}

// eventRole colours a class; the word itself stands beside it.
func eventRole(m model.Mark) themes.Role {
	switch {
	case m.Class == "verdict" && strings.HasPrefix(m.Text, "not enough"):
		return themes.Dim
	case m.Bad:
		return themes.Bad
	case m.Class == "timeout" || m.Class == "reject" || m.Class == "throttle" || m.Class == "verdict":
		return themes.Warn
	case m.Class == "user" || m.Class == "mark":
		return themes.Accent
	case m.Class == "server":
		return themes.Server
	case m.Class == "batch":
		return themes.Batch
	case m.Class == "queue":
		return themes.Queue
	}
	return themes.Dim
}

func drawEvents(f Frame) {
	w, h := f.Grid.Size()
	all := eventLog(f.View.Figures)
	end := len(all)
	// With a cursor the log ends at the moment looked at.
	if c := f.View.Cursor; c >= 0 {
		at := f.View.From
		for range c + 1 {
			at = at.Add(f.View.Step)
		}
		for end > 0 && all[end-1].At >= at {
			end--
		}
	}
	if f.View.Full {
		end = max(end-f.View.Scroll, min(end, h))
	}
	if end == 0 {
		f.Grid.Write(1, 0, themes.Dim, "nothing happened yet")
		return
	}
	clock := "15:04:05"
	if w < 44 {
		clock = "04:05" // the hour stands in the header
	}
	for y := 0; y < h && y < end; y++ {
		m := all[end-1-y]
		x := f.Grid.Write(1, y, themes.Dim, m.At.Time().In(f.View.Zone).Format(clock)) + 1
		f.Grid.WriteFit(x, y, 8, eventRole(m), draw.Sanitize(m.Class))
		x += 9
		f.Grid.WriteFit(x, y, w-1-x, themes.Text, draw.Sanitize(m.Text))
	}
}
