package ui

import (
	"fmt"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"

	"benchtop/themes"
	"benchtop/ui/draw"
)

// reading is how to read the screen, for the help page.
var reading = [...][2]string{
	{"dotted line", "requests the client has in flight; dashes where that is not final yet"},
	{"filled area", "requests running at the server; the shade on it waits there"},
	{"tint above", "the gap: sent by the client, not at the server"},
	{"dashed line", "what was configured or declared, never measured"},
	{"t/o, rej", "requests lost, a column each: by the client's timeout; rejected or failed otherwise"},
	{"held", "a bar where the GPU's clock was held down; the reason stands under it"},
	{"clean 9 of 84 s", "seconds measured in which nothing disturbed the run; what does now stands beside it"},
	{"a bar of words", "the verdict; under it what it rests on, what to change next, what it does not prove"},
	{"lamps", "▲ now   △ earlier in this run   ✓ clear   … not decided   ? not observed"},
	{"–, a gap", "nobody measured it; it is not zero"},
	{"(p99 …)", "too few requests for this percentile to mean anything"},
	{"▲ │ ▼ on the axis", "an event, a bad one as ▲; ▼ is a mark of your own ([ ] go from one to the next)"},
	{"p50 ≈", "at the cursor: as fine as the map of latencies keeps it"},
	{"one line down", "is one moment on all charts: move it with ← →"},
}

// helpPage is the help over the whole screen: keys, and how to read it.
func helpPage(t *themes.Theme, d themes.Depth, w, h int, v ViewState) string {
	st := func(r themes.Role) lipgloss.Style { return style(t, d, r) }
	width, wide := max(w-8, 10), w >= 116
	if wide {
		width = (width - 4) / 2
	}
	rows := func(b []string, label int, name, text string) []string {
		for i, l := range draw.Wrap(text, max(width-label-2, 8)) {
			if i > 0 {
				name = ""
			}
			pad := strings.Repeat(" ", max(label-draw.Width(name), 0))
			b = append(b, st(themes.Title).Bold(true).Render(name+pad)+st(themes.Text).Render("  "+l))
		}
		return b
	}
	b := []string{st(themes.Accent).Bold(true).Render("benchtop") + st(themes.Dim).Render("  keys"), ""}
	for _, k := range Bindings() {
		if k.Name != "" && (!k.Replay || v.Replay) {
			b = rows(b, 10, called(k.Name, v.ASCII), called(k.Help, v.ASCII))
		}
	}
	how := []string{st(themes.Accent).Bold(true).Render("how to read the screen"), ""}
	for _, r := range reading {
		how = rows(how, 17, called(r[0], v.ASCII), called(r[1], v.ASCII))
	}
	if wide {
		left := lipgloss.NewStyle().Width(width + 4).Render(strings.Join(b, "\n"))
		b = strings.Split(lipgloss.JoinHorizontal(lipgloss.Top, left, strings.Join(how, "\n")), "\n")
	} else {
		b = append(append(b, ""), how...)
	}
	room := max(h-4, 1)
	if skip := min(v.Scroll, max(len(b)-room, 0)); skip > 0 {
		b = b[skip:]
	}
	if len(b) > room {
		b = append(b[:room-1:room-1], st(themes.Dim).Render("↓ more"))
	}
	border := lipgloss.RoundedBorder()
	if v.ASCII {
		border = lipgloss.ASCIIBorder()
	}
	box := st(themes.Text).Border(border).BorderForeground(st(themes.Faint).GetForeground()).
		BorderBackground(st(themes.Faint).GetBackground()).Padding(0, 2).Render(strings.Join(b, "\n"))
	page := lipgloss.Place(w, h, lipgloss.Center, lipgloss.Center, box, lipgloss.WithWhitespaceStyle(st(themes.Text)))
	page = lipgloss.NewStyle().MaxWidth(w).MaxHeight(h).Render(page)
	if v.ASCII {
		page = draw.ASCII(page)
	}
	return page
}

// style is a role on the background as lipgloss wants it.
func style(t *themes.Theme, d themes.Depth, r themes.Role) lipgloss.Style {
	s := lipgloss.NewStyle()
	ink, bg := t.Ink(r), t.Ink(themes.Background)
	name := func(k themes.Ink) string {
		switch d {
		case themes.ANSI16:
			return strconv.Itoa(max(k.C16, 0))
		case themes.ANSI256:
			return strconv.Itoa(k.C256)
		case themes.Mono, themes.TrueColor:
		}
		return fmt.Sprintf("#%02x%02x%02x", k.RGB[0], k.RGB[1], k.RGB[2])
	}
	if d == themes.Mono {
		return s
	}
	return s.Foreground(lipgloss.Color(name(ink))).Background(lipgloss.Color(name(bg)))
}
