package compare

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestSlopeOf finds the power by which throughput follows the clock, through
// noise and an outlier, and says nothing where the clock stood still.
func TestSlopeOf(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, c := range []struct {
		name        string
		n           int
		spread, pow float64
		want        float64
	}{
		{"fully", 30, 0.3, 1, 1},
		{"partly", 30, 0.3, 0.8, 0.8},
		{"not at all", 30, 0.3, 0, 0},
		{"the clock stood still", 30, 0.03, 1, math.NaN()},
		{"too short", 11, 0.3, 1, math.NaN()},
	} {
		var x, y []float64
		for i := range c.n {
			v := math.Log(1.8e9) - c.spread*float64(i)/float64(c.n-1)
			x, y = append(x, v), append(y, c.pow*v+0.01*rng.NormFloat64())
		}
		y[c.n/2] -= 1 // a stall
		if got := slopeOf(x, y); math.IsNaN(c.want) != math.IsNaN(got) || math.Abs(got-c.want) > 0.05 {
			t.Errorf("%s: want %v, got %v", c.name, c.want, got)
		}
	}
}
