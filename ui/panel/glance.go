package panel

import (
	"fmt"

	"benchtop/model"
	"benchtop/themes"
	"benchtop/ui/draw"
)

// DrawGlance draws the few words that fit on a screen too small for charts:
// the verdict, the two sides, what was lost.
func DrawGlance(f Frame) {
	w, h := f.Grid.Size()
	s := f.View.Figures
	sign, words, role := headline(&s.Verdict)
	lines := []line{{{sign + " " + words, role, true}}}
	client, running, waiting := last(s.Whole(model.ClientInFlight)), current(s, admitted(s)), current(s, s.Whole(model.ServerWaiting))
	lines = append(lines, line{
		{"client " + draw.Count(client), themes.Client, false},
		{" server " + draw.Count(running), themes.Server, false},
		{" wait " + draw.Count(waiting), themes.Text, false},
	})
	for _, r := range figureRows(s) {
		if r.name == "good" || r.name == "latency" || r.name == "lost" {
			l := line{{r.name, themes.Dim, false}}
			for _, v := range r.vals {
				l = append(l, Span{" " + v.Text, v.Role, v.Bold})
			}
			lines = append(lines, l)
		}
	}
	if g, ok := f.worstGPU(); ok {
		lines = append(lines, line{
			{fmt.Sprintf("gpu %d", g.Index), themes.Dim, false},
			{" " + draw.Megahertz(current(s, s.GPU(model.GPUSMClock, g.Key))), themes.GPU, false},
			{" " + draw.Celsius(current(s, s.GPU(model.GPUTemp, g.Key))), themes.Text, false},
		})
	}
	lines = append(lines, spaced(lampSpans(s), " "))
	for y, l := range lines {
		if y < h {
			writeLine(f.Grid, 0, y, w, l)
		}
	}
	if s.Verdict.ID != "" && s.Verdict.ID != model.VerdictNotEnough {
		f.Grid.Invert(0, 0, w, 1, role)
	}
}
