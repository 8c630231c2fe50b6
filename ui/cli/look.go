package cli

import (
	"strings"

	"benchtop/themes"
	"benchtop/ui/panel"
)

// depths are the colour depths by the names that --color takes.
var depths = map[string]themes.Depth{
	"24bit": themes.TrueColor, "256": themes.ANSI256, "16": themes.ANSI16, "none": themes.Mono,
}

// layoutNames lists the layouts for help and error texts.
func layoutNames() string {
	var out []string
	for _, l := range panel.Layouts() {
		out = append(out, l.Name)
	}
	return strings.Join(out[:len(out)-1], ", ") + " or " + out[len(out)-1]
}

// checkLook validates a layout, the panel that has the whole screen and those
// left out, "" being none.
func checkLook(layout, full, hide string) error {
	known := map[string]bool{}
	var ids []string
	for _, p := range panel.All() {
		known[p.ID] = true
		ids = append(ids, p.ID)
	}
	if full != "" && full != panel.Findings().ID && full != panel.Guide().ID && !known[full] {
		return usage("--full %q: no such panel; there are %s and %s", full, strings.Join(ids, ", "), panel.Findings().ID)
	}
	for id := range strings.FieldsFuncSeq(hide, func(r rune) bool { return r == ',' || r == ' ' }) {
		if !known[id] {
			return usage("--hide %q: no such panel; there are %s", id, strings.Join(ids, ", "))
		}
	}
	for _, l := range panel.Layouts() {
		if layout == "" || l.Name == layout {
			return nil
		}
	}
	return usage("--layout %q: %s", layout, layoutNames())
}
