package compare_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"benchtop/model/compare"
)

// levels makes a series of the levels given, each so many points long, with
// normal noise.
func levels(rng *rand.Rand, noise float64, each int, level ...float64) []float64 {
	var y []float64
	for _, l := range level {
		for range each {
			y = append(y, l+noise*rng.NormFloat64())
		}
	}
	return y
}

// TestMSER recomputes the statistic as it is defined, and knows what it must
// find in series whose transient is known.
func TestMSER(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for trial := range 200 {
		y := levels(rng, 3, 10+trial%7, 60, 80, 100, 100)
		best, want := math.Inf(1), 0
		for d := 0; d <= len(y)/2; d++ {
			rest := y[d:]
			mean, s := 0.0, 0.0
			for _, v := range rest {
				mean += v / float64(len(rest))
			}
			for _, v := range rest {
				s += (v - mean) * (v - mean)
			}
			if s /= float64(len(rest) * len(rest)); s < best {
				best, want = s, d
			}
		}
		if got, steady := compare.MSER(y); got != want || steady != (want < len(y)/2) {
			t.Fatalf("trial %d: want %d, got %d, %v", trial, want, got, steady)
		}
	}
	for _, c := range []struct {
		name   string
		y      []float64
		want   int
		steady bool
	}{
		{"nothing", nil, 0, false},
		{"constant", []float64{5, 5, 5, 5, 5, 5}, 0, true},
		{"two slow points", []float64{1, 2, 9, 9, 9, 9, 9, 9, 9, 9}, 2, true},
		{"rising to the end", []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 5, false},
	} {
		if got, steady := compare.MSER(c.y); got != c.want || steady != c.steady {
			t.Errorf("%s: want %d, %v, got %d, %v", c.name, c.want, c.steady, got, steady)
		}
	}
}

// whole is the same search without any pruning.
func whole(y []float64, least int, penalty float64) []int {
	n := len(y)
	all := 0.0
	for _, v := range y {
		all += v
	}
	floor := math.Pow(0.02*all/float64(n), 2) + 1e-12
	cost := func(s, e int) float64 {
		mean, v := 0.0, 0.0
		for _, x := range y[s:e] {
			mean += x / float64(e-s)
		}
		for _, x := range y[s:e] {
			v += (x - mean) * (x - mean) / float64(e-s)
		}
		return float64(e-s) * (math.Log(max(floor, v)) + 1)
	}
	best, cut := make([]float64, n+1), make([][]int, n+1)
	best[0] = -penalty
	for e := 1; e <= n; e++ {
		best[e] = math.Inf(1)
		for s := 0; s+least <= e; s++ {
			if v := best[s] + cost(s, e) + penalty; (s == 0 || s >= least) && v < best[e] {
				best[e], cut[e] = v, append(slices.Clone(cut[s]), e)
			}
		}
	}
	return cut[n]
}

// TestPELTIsExact: pruning loses nothing, whatever the series.
func TestPELTIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for trial := range 150 {
		y := levels(rng, 1+5*rng.Float64(), 4+trial%9, 100, 100+20*rng.NormFloat64(), 90, 90+30*rng.Float64())
		penalty := 3 * math.Log(float64(len(y)))
		want, got := whole(y, 2, penalty), compare.PELT(y, 2, penalty)
		if !slices.Equal(want, got) {
			t.Fatalf("trial %d: want %v, got %v", trial, want, got)
		}
	}
}

// TestPELTFindsLevels: a step is found where it is, and steady noise is seldom
// cut.
func TestPELTFindsLevels(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	found, alarms := 0, 0
	const trials = 400
	for range trials {
		y := levels(rng, 3, 20, 100, 85)
		if ends := compare.PELT(y, 2, 3*math.Log(40)); len(ends) == 2 && ends[0] >= 19 && ends[0] <= 21 {
			found++
		}
		if len(compare.PELT(levels(rng, 3, 40, 100), 2, 3*math.Log(40))) > 1 {
			alarms++
		}
	}
	if found < trials*85/100 || alarms > trials*8/100 {
		t.Errorf("want the step in 85 %% and alarms in at most 8 %% of %d, got %d and %d", trials, found, alarms)
	}
}
