package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"benchtop/model"
)

// Size of a chart in user units.
const (
	chartWide = 1000.0
	chartLeft = 56.0
	chartTop  = 26.0
	chartFoot = 20.0
)

// chart draws one picture over the run's time. Colours are classes of the
// page's style, so one picture serves light and dark.
type chart struct {
	b        strings.Builder
	from     model.Instant
	step     time.Duration
	cols     int
	high     float64 // of the plot
	top      float64 // value at the upper edge
	low      float64 // value at the lower edge
	legendAt float64
}

// newChart begins a picture of cols steps from from on.
func newChart(name string, from model.Instant, step time.Duration, cols int, high float64) *chart {
	c := &chart{from: from, step: step, cols: cols, high: high, legendAt: chartWide}
	fmt.Fprintf(&c.b, `<svg viewBox="0 0 %g %g" role="img" aria-label="%s">`, chartWide, chartTop+high+chartFoot, esc(name))
	fmt.Fprintf(&c.b, `<text class="name" x="0" y="14">%s</text>`+"\n", esc(name))
	return c
}

func (c *chart) x(i float64) float64 { return chartLeft + i*(chartWide-chartLeft)/float64(c.cols) }

func (c *chart) y(v float64) float64 {
	f := (v - c.low) / (c.top - c.low)
	return chartTop + c.high*(1-min(1, max(0, f)))
}

func px(v float64) string { return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) }

// scale sets the value axis: from low to a round number at or above most.
func (c *chart) scale(low, most float64) {
	if !(most > low) {
		most = low + 1
	}
	tick := roundTick((most - low) / 3)
	c.low = math.Floor(low/tick) * tick
	c.top = math.Ceil(most/tick) * tick
	for v := c.low; v <= c.top+tick/2; v += tick {
		y := c.y(v)
		fmt.Fprintf(&c.b, `<line class="grid" x1="%s" x2="%g" y1="%s" y2="%s"/><text x="%s" y="%s" text-anchor="end">%s</text>`+"\n",
			px(chartLeft), chartWide, px(y), px(y), px(chartLeft-6), px(y+4), esc(tickText(v, tick)))
	}
}

// roundTick is 1, 2 or 5 times a power of ten at or above v.
func roundTick(v float64) float64 {
	p := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 2, 5, 10} {
		if m*p >= v-1e-12 {
			return m * p
		}
	}
	return 10 * p
}

func tickText(v, tick float64) string {
	digits := 0
	if tick < 1 {
		digits = int(math.Ceil(-math.Log10(tick)))
	}
	return strconv.FormatFloat(v+0, 'f', digits, 64)
}

// area fills between two lines; cells where either is absent are left out.
func (c *chart) area(lower, upper []float64, class string) {
	for i := 0; i < len(upper); {
		if math.IsNaN(upper[i]) || math.IsNaN(lower[i]) {
			i++
			continue
		}
		end := i
		for end < len(upper) && !math.IsNaN(upper[end]) && !math.IsNaN(lower[end]) {
			end++
		}
		var d strings.Builder
		fmt.Fprintf(&d, "M%s %s", px(c.x(float64(i))), px(c.y(lower[i])))
		for k := i; k < end; k++ {
			fmt.Fprintf(&d, "V%sH%s", px(c.y(upper[k])), px(c.x(float64(k+1))))
		}
		for k := end - 1; k >= i; k-- {
			fmt.Fprintf(&d, "V%sH%s", px(c.y(lower[k])), px(c.x(float64(k))))
		}
		fmt.Fprintf(&c.b, `<path class="%s" d="%sZ"/>`+"\n", class, d.String())
		i = end
	}
}

// line draws one series; gaps stay gaps.
func (c *chart) line(v []float64, class string) {
	var d strings.Builder
	open := false
	for i, x := range v {
		if math.IsNaN(x) {
			open = false
			continue
		}
		if !open {
			fmt.Fprintf(&d, "M%s %s", px(c.x(float64(i))), px(c.y(x)))
			open = true
		} else {
			fmt.Fprintf(&d, "L%s %s", px(c.x(float64(i)+0.5)), px(c.y(x)))
		}
	}
	if d.Len() > 0 {
		fmt.Fprintf(&c.b, `<path class="line %s" d="%s"/>`+"\n", class, d.String())
	}
}

// level draws a line at one value over the whole width.
func (c *chart) level(v float64, class string) {
	if math.IsNaN(v) || v < c.low || v > c.top {
		return
	}
	fmt.Fprintf(&c.b, `<line class="line %s" x1="%s" x2="%g" y1="%s" y2="%s"/>`+"\n", class, px(chartLeft), chartWide, px(c.y(v)), px(c.y(v)))
}

// band tints a stretch of time.
func (c *chart) band(from, to model.Instant, class string) {
	x0, x1 := c.at(from), c.at(to)
	if x1-x0 < 0.5 {
		return
	}
	fmt.Fprintf(&c.b, `<rect class="%s" x="%s" y="%s" width="%s" height="%s"/>`+"\n", class, px(x0), px(chartTop), px(x1-x0), px(c.high))
}

// at is the x of an instant, kept inside the plot.
func (c *chart) at(t model.Instant) float64 {
	i := t.Seconds(c.from) / c.step.Seconds()
	return c.x(min(float64(c.cols), max(0, i)))
}

// key adds an entry to the legend, from the right.
func (c *chart) key(class, text string) {
	wide := 8 + 6.2*float64(len([]rune(text))) + 18
	c.legendAt -= wide
	mark := fmt.Sprintf(`<rect class="%s" x="%s" y="5" width="10" height="10" rx="2"/>`, class, px(c.legendAt))
	if strings.HasPrefix(class, "l-") {
		mark = fmt.Sprintf(`<line class="line %s" x1="%s" x2="%s" y1="10" y2="10"/>`, class, px(c.legendAt-4), px(c.legendAt+11))
	}
	fmt.Fprintf(&c.b, `%s<text x="%s" y="14">%s</text>`+"\n", mark, px(c.legendAt+15), esc(text))
}

// close draws the time axis and ends the picture.
func (c *chart) close() string {
	span := float64(c.cols) * c.step.Seconds()
	tick := timeTick(span / 8)
	for t := 0.0; t <= span+1e-9; t += tick {
		x := c.x(t / c.step.Seconds())
		anchor := "middle"
		if t == 0 {
			anchor = "start"
		} else if x > chartWide-20 {
			anchor = "end"
		}
		fmt.Fprintf(&c.b, `<line class="base" x1="%s" x2="%s" y1="%s" y2="%s"/><text x="%s" y="%s" text-anchor="%s">%s</text>`+"\n",
			px(x), px(x), px(chartTop+c.high), px(chartTop+c.high+4), px(x), px(chartTop+c.high+16), anchor, clock(t))
	}
	c.b.WriteString("</svg>")
	return c.b.String()
}

// timeTick is a round number of seconds at or above v.
func timeTick(v float64) float64 {
	for _, t := range []float64{1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200, 86400} {
		if t >= v {
			return t
		}
	}
	return math.Ceil(v/86400) * 86400
}

// clock prints seconds of the run: 0, 30s, 2m, 1h30m.
func clock(t float64) string {
	switch {
	case t == 0:
		return "0"
	case t < 60:
		return fmt.Sprintf("%.0fs", t)
	case t < 3600 && math.Mod(t, 60) != 0:
		return fmt.Sprintf("%.0fm%02.0fs", math.Floor(t/60), math.Mod(t, 60))
	case t < 3600:
		return fmt.Sprintf("%.0fm", t/60)
	case math.Mod(t, 3600) != 0:
		return fmt.Sprintf("%.0fh%02.0fm", math.Floor(t/3600), math.Mod(t, 3600)/60)
	}
	return fmt.Sprintf("%.0fh", t/3600)
}
