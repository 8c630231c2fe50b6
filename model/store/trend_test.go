package store

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"benchtop/model"
)

// TestTrends holds the rule on a growing queue's trend to its bounds: a constant
// and a fall never fire, a ramp does, and trendless series whose neighbours hang
// together fire rarely, since a trend alone is not enough.
func TestTrends(t *testing.T) {
	fires := func(y []float64) bool { // as the rule asks: significant, and large
		growth := theilSen(y) * float64(len(y)-1)
		return mannKendall(y) < 0.01 && growth >= max(8, 0.25*mean(y[:3]))
	}
	flat, ramp, fall := make([]float64, 12), make([]float64, 12), make([]float64, 12)
	for i := range flat {
		flat[i], ramp[i], fall[i] = 64, 64+float64(i)*5, 64-float64(i)*5
	}
	for _, c := range []struct {
		name string
		y    []float64
		want bool
	}{{"constant", flat, false}, {"ramp", ramp, true}, {"fall", fall, false}} {
		if got := fires(c.y); got != c.want {
			t.Errorf("%s: want %v, got %v", c.name, c.want, got)
		}
	}
	dice := rand.New(rand.NewPCG(3, 9))
	const runs = 2000
	for _, c := range []struct {
		lag, most, mostP float64 // of 1-s points; share of runs that may fire, and that Mann-Kendall alone may
	}{{0, 0.001, 0.02}, {0.8, 0.01, 0.06}, {0.9, 0.02, 0.14}} {
		n, p := 0, 0
		for range runs {
			v, y := 0.0, make([]float64, 12)
			for i := range 60 {
				v = c.lag*v + math.Sqrt(1-c.lag*c.lag)*dice.NormFloat64()
				y[i/5] += (64 + 4*v) / 5
			}
			if fires(y) {
				n++
			}
			if mannKendall(y) < 0.01 {
				p++
			}
		}
		if got := float64(n) / runs; got > c.most {
			t.Errorf("lag-1 correlation %v: want at most %v false alarms, got %v", c.lag, c.most, got)
		}
		if got := float64(p) / runs; got > c.mostP {
			t.Errorf("lag-1 correlation %v: want Mann-Kendall alone at most %v, got %v", c.lag, c.mostP, got)
		}
	}
}

// TestMiddleIsTheMedian compares with the middle of what is sorted, of every
// kind of order and of many that are alike.
func TestMiddleIsTheMedian(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 9))
	shapes := map[string]func(i, n int) float64{
		"random":  func(int, int) float64 { return rng.NormFloat64() },
		"alike":   func(int, int) float64 { return float64(rng.IntN(3)) },
		"one":     func(int, int) float64 { return 7 },
		"rising":  func(i, _ int) float64 { return float64(i) },
		"falling": func(i, _ int) float64 { return -float64(i) },
		"organ":   func(i, n int) float64 { return float64(min(i, n-i)) },
		"far":     func(i, _ int) float64 { return []float64{math.Inf(1), math.Inf(-1), 0, math.MaxFloat64}[i%4] },
	}
	for name, shape := range shapes {
		for n := range 200 {
			v := make([]float64, n)
			for i := range v {
				v[i] = shape(i, n)
			}
			want := model.Median(slices.Clone(v))
			if got := middle(v); got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Errorf("%s, %d values: want %v, got %v", name, n, want, got)
			}
		}
	}
}
