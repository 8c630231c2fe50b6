package panel

import (
	"cmp"
	"slices"
	"strings"

	"benchtop/model"
	"benchtop/themes"
	"benchtop/ui/draw"
	"benchtop/ui/layout"
)

var events = Panel{
	ID: "events", Title: "events", Key: "9",
	Want: layout.Want{Side: true, Far: true, Steps: []int{7, 3, 2}, Rank: 8, Grow: 3},
	Head: eventsHead,
	Draw: drawEvents,
}

// EventLog is the marks and verdict changes that have the letters of filter in
// their class or text, oldest first.
func EventLog(s *model.Snapshot, filter string) []model.Mark {
	all := eventLog(s)
	byTime := func(a, b model.Mark) int { return cmp.Compare(a.At, b.At) }
	if !slices.IsSortedFunc(all, byTime) { // a note is told later than the moment that it is of
		all = slices.Clone(all)
		slices.SortStableFunc(all, byTime)
	}
	if filter = strings.ToLower(strings.TrimSpace(filter)); filter == "" {
		return all
	}
	var out []model.Mark
	for _, m := range all {
		if strings.Contains(strings.ToLower(m.Class+" "+m.Text), filter) {
			out = append(out, m)
		}
	}
	return out
}

// eventLog is the marks and verdict changes, oldest first.
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
	all := eventLog(f.View.Figures)
	if f.View.Filter == "" {
		return Head{Title: "events", Notes: []Span{{draw.Count(float64(len(all))), themes.Dim, false}}}
	}
	n := len(EventLog(f.View.Figures, f.View.Filter))
	return Head{Title: "events", Notes: []Span{
		{draw.Count(float64(n)) + " of " + draw.Count(float64(len(all))), themes.Text, false},
		{"/" + draw.Fit(draw.Sanitize(f.View.Filter), 16), themes.Accent, true},
	}}
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

// shownEvents are the events to show, the newest last: with a cursor those up
// to the moment looked at.
func (f Frame) shownEvents(h int) []model.Mark {
	all := EventLog(f.View.Figures, f.View.Filter)
	end := len(all)
	if at, looking := f.moment(); looking {
		for end > 0 && all[end-1].At >= at {
			end--
		}
	}
	if f.View.Full {
		end = max(end-f.View.Scroll, min(end, h))
	}
	return all[:end]
}

// EventRows are the moments of the rows that the event log shows on a frame.
func EventRows(f Frame) []model.Instant {
	_, h := f.Grid.Size()
	all := f.shownEvents(h)
	out := make([]model.Instant, 0, min(h, len(all)))
	for y := 0; y < h && y < len(all); y++ {
		out = append(out, all[len(all)-1-y].At)
	}
	return out
}

func drawEvents(f Frame) {
	w, h := f.Grid.Size()
	all := f.shownEvents(h)
	end := len(all)
	if end == 0 {
		text := "nothing happened yet"
		if f.View.Filter != "" {
			text = "no event has these letters"
		}
		f.Grid.Write(1, 0, themes.Dim, text)
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
