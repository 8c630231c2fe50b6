package report

import (
	"fmt"
	"math"
	"strings"
	"time"

	"benchtop/model/compare"
)

// curveFigure draws throughput over the settings of a knob.
func curveFigure(k *compare.Curve) Figure {
	n := len(k.Points)
	if n < 2 {
		return Figure{}
	}
	lo, hi := k.Points[0].X, k.Points[n-1].X
	c := newChart(strings.TrimSpace(k.Metric+", "+k.Unit), 0, time.Second, 1, 220)
	top, low := 0.0, math.Inf(1)
	for _, p := range k.Points {
		top, low = max(top, p.Spread.Most), min(low, p.Spread.Least)
	}
	c.scale(max(0, low-(top-low)*0.3), top*1.03)
	at := func(x float64) float64 { return chartLeft + 40 + (x-lo)/(hi-lo)*(chartWide-chartLeft-80) }
	if !math.IsNaN(k.Lo) {
		fmt.Fprintf(&c.b, `<rect class="t-good" x="%s" y="%s" width="%s" height="%s"/>`, px(at(k.Lo)), px(chartTop), px(max(2, at(k.Hi)-at(k.Lo))), px(c.high))
		c.key("t-good", "optimum, 95 %")
	}
	path := ""
	for i, p := range k.Points {
		verb := "L"
		if i == 0 {
			verb = "M"
		}
		path += fmt.Sprintf("%s%s %s", verb, px(at(p.X)), px(c.y(p.Spread.Median)))
	}
	fmt.Fprintf(&c.b, `<path class="line l-accent" d="%s"/>`+"\n", path)
	for _, p := range k.Points {
		fmt.Fprintf(&c.b, `<line class="line l-accent" x1="%s" x2="%s" y1="%s" y2="%s"/><circle class="f-accent" cx="%s" cy="%s" r="4"/><text x="%s" y="%s" text-anchor="middle">%g</text>`+"\n",
			px(at(p.X)), px(at(p.X)), px(c.y(p.Spread.Least)), px(c.y(p.Spread.Most)), px(at(p.X)), px(c.y(p.Spread.Median)), px(at(p.X)), px(chartTop+c.high+16), p.X)
	}
	c.b.WriteString("</svg>")
	return Figure{c.b.String(), "Median of the runs of each setting of " + k.Knob + ", with their range."}
}

// armClasses colour the arms of a comparison, in turn.
var armClasses = []string{"client", "temp", "good", "power", "target", "bad"}

// armsFigure draws one metric of every run in the order they were made, with
// each arm's median as a line: what the tests see, at a glance.
func armsFigure(r *compare.Result, id string) Figure {
	m, _ := compare.Find(id)
	low, top := math.Inf(1), math.Inf(-1)
	for i := range r.Rows {
		if v := r.Rows[i].Value(id) * m.Scale; !math.IsNaN(v) {
			low, top = min(low, v), max(top, v)
		}
	}
	if top < low || len(r.Rows) < 2 {
		return Figure{}
	}
	c := newChart(strings.TrimSpace(m.Title+", "+m.Unit), 0, time.Second, len(r.Rows), 150)
	room := max((top-low)*0.15, top*0.01)
	c.scale(max(0, low-room), top+room)
	for k := range r.Arms {
		class := armClasses[k%len(armClasses)]
		var v []float64
		for i := range r.Rows {
			if x := r.Rows[i].Value(id) * m.Scale; r.Rows[i].Arm == r.Arms[k].Name && !math.IsNaN(x) {
				v = append(v, x)
				fmt.Fprintf(&c.b, `<circle class="f-%s" cx="%s" cy="%s" r="5"/>`+"\n", class, px(c.x(float64(i)+0.5)), px(c.y(x)))
			}
		}
		c.level(compare.SpreadOf(v).Median, "l-"+class)
		c.key("f-"+class, r.Arms[k].Name)
	}
	for i := range r.Rows {
		fmt.Fprintf(&c.b, `<text x="%s" y="%s" text-anchor="middle">%d</text>`+"\n", px(c.x(float64(i)+0.5)), px(chartTop+c.high+16), r.Rows[i].Round)
	}
	c.b.WriteString("</svg>")
	return Figure{c.b.String(), "Each run in the order it was made, and each arm's median. Drift over the rounds would show as a slope in every arm."}
}
