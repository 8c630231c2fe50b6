package panel

import (
	"fmt"
	"math"
	"strings"

	"benchtop/model"
	"benchtop/themes"
	"benchtop/ui/draw"
)

// DrawHeader draws the top line: what runs, for how long, how its sources are,
// whether the picture is live, and what benchtop itself costs.
func DrawHeader(f Frame) {
	w, _ := f.Grid.Size()
	s := f.View.Figures
	f.Grid.Tint(0, 0, w, 1, themes.Bar)
	right := headerRight(f)
	at := w - 1 - fit(right)
	if at < 40 {
		for i := range right {
			if before, _, named := strings.Cut(right[i].Text, " ▲ "); named {
				right[i].Text = before + " ▲"
			}
		}
		at = w - 1 - fit(right)
	}
	for len(right) > 1 && at < 26 {
		right = right[1:]
		at = w - 1 - fit(right)
	}
	f.badges(at, right)
	left := []Span{{"benchtop", themes.Accent, true}}
	name := s.Run.Label
	if f.View.Title != "" {
		name = f.View.Title
	}
	if name == "" {
		name = s.Run.ID
	}
	if name != "" {
		left = append(left, Span{draw.Fit(draw.Sanitize(name), 28), themes.Title, true})
	}
	if s.Now > s.Start && s.Start > 0 {
		left = append(left, Span{draw.Elapsed(math.Floor(s.Now.Seconds(s.Start))), themes.Text, false})
	}
	if c := cleanSpan(s); c.Text != "" {
		left = append(left, c)
	}
	for _, k := range [...]string{"model", "tool"} {
		if v := s.Run.Facts[k]; v != "" {
			left = append(left, Span{draw.Fit(draw.Sanitize(v), 24), themes.Dim, false})
		}
	}
	if s.Run.Change != "" {
		left = append(left, Span{"change: " + draw.Fit(draw.Sanitize(s.Run.Change), 40), themes.Dim, false})
	}
	spans(f.Grid, 1, 0, max(at-3, 0), left)
}

// cleanSpan is the clean part of the measured time, and what makes it dirty now.
func cleanSpan(s *model.Snapshot) Span {
	v := &s.Clean
	if !v.Known {
		return Span{}
	}
	text := fmt.Sprintf("clean %.0f of %.0f s", v.Clean.Seconds, v.Measured.Seconds)
	if len(v.Now) > 0 && !s.Final {
		return Span{text + " △ " + v.Now[0].Words(), themes.Warn, false}
	}
	return Span{text, themes.Dim, false}
}

// badges writes the right end; a badge's piece is set on its own tint.
func (f Frame) badges(x int, pieces []Span) {
	for i, p := range pieces {
		if i > 0 {
			x += 2
		}
		n := draw.Width(p.Text)
		if p.Role == themes.BadgeText {
			f.Grid.Tint(x, 0, n, 1, themes.Badge)
		}
		if p.Bold {
			f.Grid.WriteBold(x, 0, p.Role, p.Text)
		} else {
			f.Grid.Write(x, 0, p.Role, p.Text)
		}
		x += n
	}
}

func headerRight(f Frame) []Span {
	s := f.View.Figures
	var out []Span
	if cpu := last(s.Whole(model.SelfCPU)); !math.IsNaN(cpu) {
		self := "self " + draw.Percent(cpu)
		if rss := last(s.Whole(model.SelfRSS)); !math.IsNaN(rss) {
			self += " " + draw.Bytes(rss)
		}
		out = append(out, Span{self, themes.Dim, false})
	}
	out = append(out, sourceSummary(s))
	switch {
	case f.View.Paused && f.View.Replay:
		out = append(out, Span{" paused ", themes.BadgeText, true})
	case f.View.Paused:
		out = append(out, Span{fmt.Sprintf(" paused, %s behind ", draw.Age(math.Floor(f.View.Behind))), themes.BadgeText, true})
	case f.View.Still && !s.Final:
		out = append(out, Span{"■ recording", themes.Accent, true})
	case f.View.Late > 0 && !s.Final:
		out = append(out, Span{fmt.Sprintf(" %s late ", draw.Age(f.View.Late)), themes.BadgeText, true})
	case s.Final:
		out = append(out, Span{"■ ended", themes.Text, true})
	case f.View.Replay:
		out = append(out, Span{"▶ replay " + strings.TrimSuffix(draw.Small(max(f.View.Speed, 0)), ".0") + "x", themes.Accent, true})
	case !f.View.Follow:
		out = append(out, Span{" earlier, l for live ", themes.BadgeText, true})
	default:
		out = append(out, Span{"● live", themes.Good, true})
	}
	if s.Now > 0 {
		out = append(out, Span{s.Now.Time().In(f.View.Zone).Format("15:04:05"), themes.Dim, false})
	}
	return out
}

// sourceSummary says how many sources are well, and which one is not.
func sourceSummary(s *model.Snapshot) Span {
	all := listed(s)
	up, bad := 0, ""
	role := themes.Good
	if len(all) == 0 {
		role = themes.Dim
	}
	for _, src := range all {
		switch {
		case !well(src.State):
			role = themes.Bad
			bad = " ▲ " + draw.Fit(draw.Sanitize(src.Name), 16) + " " + src.State.String()
			continue
		case src.State == model.Quiet && role == themes.Good:
			role = themes.Dim
		}
		up++
	}
	return Span{fmt.Sprintf("sources %d/%d%s", up, len(all), bad), role, false}
}

// Trouble words the first source that is not well with its reason, for screens
// without a panel that does.
func Trouble(s *model.Snapshot) (words string, ok bool) {
	for _, src := range listed(s) {
		if well(src.State) {
			continue
		}
		words = "▲ " + src.Name + " " + src.State.String()
		if src.Why != "" {
			words += ": " + src.Why
		}
		return draw.Sanitize(words), true
	}
	return "", false
}

// DrawFooter draws the bottom line: keys at the left, what was lost at the
// right.
func DrawFooter(f Frame, keys []Span) {
	w, _ := f.Grid.Size()
	f.Grid.Tint(0, 0, w, 1, themes.Bar)
	room := w - 2
	if lost := float64(f.View.Figures.Shed); lost > 0 {
		at := f.Grid.WriteRight(w-1, 0, themes.Bad, draw.Count(lost)+" events shed")
		room = at - 3
	}
	x := 1
	if len(keys) == 2 { // one thing to say: as much of it as fits
		keys[0].Text = draw.Fit(keys[0].Text, room-1)
	}
	for i := 0; i+1 < len(keys); i += 2 {
		if len(keys) == 2 && x+draw.Width(keys[0].Text)+1+draw.Width(keys[1].Text) > room {
			keys[1].Text = ""
		}
		n := draw.Width(keys[i].Text) + 1 + draw.Width(keys[i+1].Text)
		if x+n > room {
			break
		}
		x = f.Grid.Write(x, 0, keys[i].Role, keys[i].Text)
		x = f.Grid.Write(x+1, 0, keys[i+1].Role, keys[i+1].Text) + 2
	}
}
