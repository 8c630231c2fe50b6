package panel

import (
	"math"
	"slices"
	"strings"

	"benchtop/model"
	"benchtop/themes"
	"benchtop/ui/draw"
	"benchtop/ui/layout"
)

var sources = Panel{
	ID: "sources", Title: "sources", Key: "8",
	Want: layout.Want{Side: true, Far: true, Steps: []int{4, 3, 2}, Rank: 4, Grow: 1},
	Rows: sourceRows,
	Head: sourcesHead,
	Draw: drawSources,
}

// listed are the sources a user has to do with.
func listed(s *model.Snapshot) []model.SourceInfo {
	var out []model.SourceInfo
	for _, src := range s.Sources {
		if src.Kind != model.KindClock {
			out = append(out, src)
		}
	}
	return out
}

// sourceRows is a row for each source, and one for the reason of what is not
// well.
func sourceRows(s *model.Snapshot) int {
	all := listed(s)
	n := len(all)
	for i := range all {
		if all[i].Why != "" {
			n++
		}
	}
	return max(n, 1)
}

// well reports whether a source does what it should, or has done it.
func well(s model.SourceState) bool { return s != model.Retrying && s != model.Failed }

// sourceSign is a source's lamp.
func sourceSign(s model.SourceState) (string, themes.Role) {
	switch s {
	case model.Running:
		return "●", themes.Good
	case model.Starting:
		return "…", themes.Dim
	case model.Quiet:
		return "○", themes.Warn
	case model.Retrying:
		return "△", themes.Warn
	case model.Ended:
		return "■", themes.Dim
	case model.Failed:
		return "▲", themes.Bad
	}
	return "?", themes.Dim
}

func sourcesHead(f Frame) Head {
	all := listed(f.View.Figures)
	up, lost := 0, 0.0
	for _, s := range all {
		if well(s.State) {
			up++
		}
		lost += s.Dropped
	}
	h := Head{Title: "sources", Notes: []Span{{draw.Count(float64(up)) + " of " + draw.Count(float64(len(all))), themes.Dim, false}}}
	if lost += float64(f.View.Figures.Shed); lost > 0 {
		h.Notes = append(h.Notes, Span{draw.Count(lost) + " dropped", themes.Bad, false})
	}
	return h
}

func drawSources(f Frame) {
	w, h := f.Grid.Size()
	all := listed(f.View.Figures)
	if len(all) == 0 {
		f.Grid.Write(1, 0, themes.Dim, "none: give --log, --load or --gpu")
		return
	}
	if len(all) > h { // the troubled ones must not be among those left out
		slices.SortStableFunc(all, func(a, b model.SourceInfo) int {
			switch {
			case well(a.State) == well(b.State):
				return 0
			case well(b.State):
				return -1
			}
			return 1
		})
	}
	y := 0
	for i, s := range all {
		if y == h-1 && i < len(all)-1 {
			f.Grid.Write(1, y, themes.Dim, "and "+draw.Count(float64(len(all)-i))+" more")
			return
		}
		f.sourceLine(y, w, s)
		y++
		if s.Why != "" && y < h-(len(all)-i-1) {
			f.Grid.WriteFit(3, y, w-4, themes.Dim, draw.Sanitize(s.Why))
			y++
		}
		if h >= 4*len(all)+4 { // the whole screen: what it has read and what it is trusted for
			for _, line := range f.sourceAccount(s) {
				f.Grid.WriteFit(3, y, w-4, themes.Dim, line)
				y++
			}
		}
		if y >= h {
			return
		}
	}
}

func (f Frame) sourceLine(y, w int, s model.SourceInfo) {
	sign, role := sourceSign(s.State)
	f.Grid.Write(1, y, role, sign)
	state := s.State.String()
	if age := sourceAge(f.View.Figures, s); age != "" {
		state += " " + age
	}
	right := f.Grid.WriteRight(w-1, y, role, state)
	name := s.Name
	if s.Label != "" {
		name = s.Label + " " + name
	}
	kind := s.Format
	if kind == "" {
		kind = s.Kind.String()
	}
	x := f.Grid.WriteFit(3, y, right-4, themes.Text, draw.Sanitize(name))
	if room := right - x - 2; room >= 4 && name != kind {
		f.Grid.WriteFit(x+1, y, room, themes.Dim, draw.Sanitize(kind))
	}
}

// sourceAge is how old a source's newest data is, once that is worth saying.
func sourceAge(s *model.Snapshot, src model.SourceInfo) string {
	if src.LastSeen == 0 || src.State == model.Ended {
		return ""
	}
	if age := s.Now.Seconds(src.LastSeen); age >= 2 {
		return draw.Age(age)
	}
	return ""
}

// sourceAccount is how fast a source speaks, how its clock stands, what it has
// read, and which of the run's series are taken from it.
func (f Frame) sourceAccount(s model.SourceInfo) []string {
	count := func(v float64, what string) string { return draw.Grouped(v) + " " + what }
	fig, unit := f.View.Figures, " lines/s"
	if s.Kind == model.KindMetrics || s.Kind == model.KindGPU || s.Kind == model.KindHost {
		unit = " polls/s"
	}
	pace := []string{draw.Small(s.Rate) + unit}
	if sig := fig.Signals; s.Kind == model.KindServerLog && sig != nil && f.onlyLog() {
		if v := &sig.Server; v.LogBytes > 0 {
			pace = append(pace, draw.Bytes(v.LogBytes)+"/s")
			if v.DebugLines > 0 && v.LogLines >= v.DebugLines {
				pace = append(pace, draw.Small(100*v.DebugLines/v.LogLines)+" % DEBUG")
			}
		}
	}
	if s.LastSeen != 0 && fig.Now >= s.LastSeen {
		pace = append(pace, "newest "+draw.Latency(fig.Now.Seconds(s.LastSeen))+" ago")
	}
	if s.Period > 0 {
		pace = append(pace, "a sample each "+draw.Latency(s.Period.Seconds()))
	}
	if t := fig.Whole(model.ScrapeTime); t != nil && s.Kind == model.KindMetrics {
		pace = append(pace, "a poll takes "+draw.Latency(t.Last))
	}
	if !math.IsNaN(s.Skew) {
		way := " behind"
		if s.Skew < 0 {
			way = " ahead"
		}
		pace = append(pace, "clock "+draw.Latency(math.Abs(s.Skew))+way)
	}
	out := []string{strings.Join(pace, ", "), strings.Join([]string{
		count(s.Lines, "read"), count(s.Matched, "understood"), count(s.Dropped, "dropped"), count(s.Errored, "failed"), draw.Bytes(s.Bytes),
	}, ", ")}
	var told []string
	for id, src := range f.View.Figures.Primary {
		if src == s.ID {
			told = append(told, id.String())
		}
	}
	if len(told) > 0 {
		slices.Sort(told)
		out = append(out, "shown from here: "+strings.Join(told, ", "))
	}
	return out
}

// onlyLog reports whether there is one server log, so that what is known of all
// of them is its own.
func (f Frame) onlyLog() bool {
	n := 0
	for _, s := range f.View.Figures.Sources {
		if s.Kind == model.KindServerLog {
			n++
		}
	}
	return n == 1
}
