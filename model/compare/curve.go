package compare

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// Point is one setting of the knob.
type Point struct {
	X      float64 `json:"x"`
	Arm    string  `json:"arm"`
	Spread Spread  `json:"spread"`
}

// Curve is throughput over several settings of one knob.
type Curve struct {
	Knob   string  `json:"knob"`
	Metric string  `json:"metric"`
	Unit   string  `json:"unit"`
	Points []Point `json:"points"`
	Best   float64 `json:"best_tried"`
	Peak   float64 `json:"optimum"` // by a parabola through the best and its neighbours; NaN if there is none inside
	Lo     float64 `json:"optimum_lo"`
	Hi     float64 `json:"optimum_hi"` // 95 % bootstrap interval over the runs
	Edge   bool    `json:"at_edge"`    // the best is the smallest or largest tried
	Text   string  `json:"text"`
	Next   string  `json:"next"`
}

// curveOf finds the one knob that differs between the arms, and its optimum.
// nil if there is no such knob or only one setting of it.
func curveOf(arms []Arm, head string, o Options) *Curve {
	knob := o.Knob
	if knob == "" {
		knob = findKnob(arms)
	}
	if knob == "" {
		return nil
	}
	m := mustFind(head)
	c := &Curve{Knob: knob, Metric: m.Title, Unit: m.Unit, Peak: math.NaN(), Lo: math.NaN(), Hi: math.NaN()}
	var ys [][]float64
	order := slices.Clone(arms)
	slices.SortStableFunc(order, func(a, b Arm) int { return -cmpDesc(a.setting(knob), b.setting(knob)) })
	for i := range order {
		x, y := order[i].setting(knob), order[i].values(head)
		if math.IsNaN(x) || len(y) == 0 || len(c.Points) > 0 && c.Points[len(c.Points)-1].X == x {
			return nil
		}
		for j := range y {
			y[j] *= m.Scale
		}
		c.Points = append(c.Points, Point{x, order[i].Name, SpreadOf(y)})
		ys = append(ys, y)
	}
	if len(c.Points) < 2 {
		return nil
	}
	c.judge(ys)
	return c
}

// findKnob is the setting, or else the number among the metadata, that has
// another value in every arm; "" unless there is exactly one.
func findKnob(arms []Arm) string {
	if len(arms) < 2 || len(arms[0].Runs) == 0 {
		return ""
	}
	differs := func(name string) bool {
		seen := map[float64]bool{}
		for i := range arms {
			v := arms[i].setting(name)
			if math.IsNaN(v) || seen[v] {
				return false
			}
			seen[v] = true
		}
		return true
	}
	for _, names := range [][]string{slices.Sorted(maps.Keys(arms[0].Runs[0].Settings)), slices.Sorted(maps.Keys(arms[0].Runs[0].Meta))} {
		var found []string
		for _, n := range names {
			if !derived[n] && differs(n) {
				found = append(found, n)
			}
		}
		if len(found) == 1 {
			return found[0]
		}
	}
	return ""
}

func (c *Curve) judge(ys [][]float64) {
	best := c.bestOf(func(i int) float64 { return c.Points[i].Spread.Median })
	c.Best, c.Edge = c.Points[best].X, best == 0 || best == len(c.Points)-1
	n := len(c.Points)
	top := c.Points[best].Spread.Median
	fall, noise := c.flat(top)
	switch {
	case n > 2 && fall <= noise:
		c.Text = fmt.Sprintf("flat: all settings of %s lie within %.1f %% of the best, repeats of one differ by up to %.1f %%: no optimum can be named", c.Knob, 100*fall, 100*noise)
		c.Next = fmt.Sprintf("look for another limit: %s from %g to %g makes no difference", c.Knob, c.Points[0].X, c.Points[n-1].X)
		return
	case n == 2:
		lo, hi := c.Points[0].X, c.Points[1].X
		c.Text = fmt.Sprintf("two settings make no curve: %s = %g gave %.4g %s, %g gave %.4g", c.Knob, lo, c.Points[0].Spread.Median, c.Unit, hi, c.Points[1].Spread.Median)
		c.Next = fmt.Sprintf("try %s = %s, between the two: more is not always better, and two points don't show where the best lies", c.Knob, between(lo, hi))
		return
	case c.Edge && best == 0:
		c.Text = fmt.Sprintf("the best tried, %s = %g (%.4g %s), is the smallest tried: the optimum may lie below", c.Knob, c.Best, top, c.Unit)
		c.Next = fmt.Sprintf("try %s = %s, and %s", c.Knob, nice(c.Best/2), between(c.Points[0].X, c.Points[1].X))
		return
	case c.Edge:
		c.Text = fmt.Sprintf("the best tried, %s = %g (%.4g %s), is the largest tried: the optimum may lie above", c.Knob, c.Best, top, c.Unit)
		c.Next = fmt.Sprintf("try %s = %s", c.Knob, nice(c.Best+(c.Best-c.Points[n-2].X)))
		return
	}
	c.Peak = c.vertex(best, func(i int) float64 { return c.Points[i].Spread.Median })
	c.interval(ys)
	c.Text = fmt.Sprintf("best tried: %s = %g (%.4g %s); the curve's top lies near %.3g", c.Knob, c.Best, top, c.Unit, c.Peak)
	if !math.IsNaN(c.Lo) {
		c.Text += fmt.Sprintf(" (95 %%: %.3g to %.3g over these runs)", c.Lo, c.Hi)
	}
	c.look(best)
}

// flat is how far the worst setting lies below the best, and how much repeats of
// one setting differ, at least one per cent.
func (c *Curve) flat(top float64) (fall, noise float64) {
	noise = 0.01
	for _, p := range c.Points {
		fall, noise = max(fall, 1-p.Spread.Median/top), max(noise, p.Spread.Max)
	}
	return fall, noise
}

// look says where the next run tells most.
func (c *Curve) look(best int) {
	if x := math.Round(c.Peak); x != c.Best && x > c.Points[best-1].X && x < c.Points[best+1].X {
		c.Next = fmt.Sprintf("try %s = %g, where the curve has its top", c.Knob, x)
		return
	}
	left, right := c.Best-c.Points[best-1].X, c.Points[best+1].X-c.Best
	lo, hi := c.Best, c.Points[best+1].X
	if left > right || left == right && c.Points[best-1].Spread.Median > c.Points[best+1].Spread.Median {
		lo, hi = c.Points[best-1].X, c.Best
	}
	if hi-lo <= 1 {
		c.Next = fmt.Sprintf("%s = %g is the optimum: its neighbours were tried", c.Knob, c.Best)
		return
	}
	c.Next = fmt.Sprintf("try %s = %s, the wider gap beside the best", c.Knob, between(lo, hi))
}

func (c *Curve) bestOf(y func(int) float64) int {
	best := 0
	for i := range c.Points {
		if y(i) > y(best) {
			best = i
		}
	}
	return best
}

// vertex of the parabola through point i and its neighbours.
func (c *Curve) vertex(i int, y func(int) float64) float64 {
	x0, x1, x2 := c.Points[i-1].X, c.Points[i].X, c.Points[i+1].X
	d1, d2 := (y(i)-y(i-1))/(x1-x0), (y(i+1)-y(i))/(x2-x1)
	if curv := (d2 - d1) / (x2 - x0); curv < 0 {
		return min(x2, max(x0, (x0+x1)/2-d1/(2*curv)))
	}
	return x1
}

// interval draws runs of each setting anew and looks where the top goes.
func (c *Curve) interval(ys [][]float64) {
	for _, y := range ys {
		if len(y) < 2 {
			return
		}
	}
	rng := rand.New(rand.NewPCG(seed, uint64(len(ys))))
	tops := make([]float64, 0, draws)
	med := make([]float64, len(ys))
	for range draws {
		for i, y := range ys {
			s := make([]float64, len(y))
			for j := range s {
				s[j] = y[rng.IntN(len(y))]
			}
			med[i] = medianOf(s)
		}
		at := func(i int) float64 { return med[i] }
		switch best := c.bestOf(at); best {
		case 0, len(ys) - 1:
			tops = append(tops, c.Points[best].X)
		default:
			tops = append(tops, c.vertex(best, at))
		}
	}
	slices.Sort(tops)
	c.Lo, c.Hi = tops[draws*25/1000], tops[draws*975/1000]
}

// between prints a value in the middle, whole if both ends are.
func between(lo, hi float64) string {
	mid := (lo + hi) / 2
	if lo == math.Trunc(lo) && hi == math.Trunc(hi) && hi-lo >= 2 {
		mid = math.Round(mid)
	}
	return nice(mid)
}

func nice(v float64) string { return fmt.Sprintf("%.4g", v) }

// unlike says so where points of the curve may not be compared: no optimum
// follows from runs that did not do the same work.
func (c *Curve) unlike(pairs []Pair) {
	var arms []string
	why := ""
	for i := range pairs {
		for _, f := range pairs[i].Flags {
			if f.Level == Block {
				arms, why = append(arms, pairs[i].B), cmp.Or(why, f.Text)
				break
			}
		}
	}
	if len(arms) == 0 {
		return
	}
	c.Peak, c.Lo, c.Hi = math.NaN(), math.NaN(), math.NaN()
	c.Text = fmt.Sprintf("no optimum follows: %s may not be compared with %s (%s)", strings.Join(arms, ", "), pairs[0].A, why)
	c.Next = "make the settings comparable first, then look where the best lies"
}
