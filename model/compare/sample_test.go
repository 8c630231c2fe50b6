package compare_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"benchtop/model"
	"benchtop/model/compare"
)

func near(t *testing.T, name string, want, got, tolerance float64) {
	t.Helper()
	if !(math.Abs(want-got) <= tolerance) {
		t.Errorf("%s: want %v within %v, got %v", name, want, tolerance, got)
	}
}

// permeability of the human chorioamnion at term and earlier: Hollander and
// Wolfe, Nonparametric Statistical Methods (1973), page 69 and following; the
// worked example of R's manual page of wilcox.test.
var (
	term    = []float64{0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46}
	earlier = []float64{1.15, 0.88, 0.90, 0.74, 1.21}
)

// TestMannWhitneyHollanderWolfe: R prints W = 35 and an exact one-sided
// p = 0.1272 for this example. Without ties the null distribution is symmetric
// and 35 lies above its middle of 25, so the two-sided p is twice that.
func TestMannWhitneyHollanderWolfe(t *testing.T) {
	p, least := compare.MannWhitney(term, earlier)
	near(t, "two-sided p", 2*0.1272, p, 0.0002)
	near(t, "smallest p of 10 against 5", 2.0/3003, least, 1e-9) // C(15, 5) = 3003
	back, _ := compare.MannWhitney(earlier, term)
	near(t, "p the other way round", p, back, 1e-12)
}

// TestHodgesLehmannByHand: the median of all 50 differences of the same
// example, found here by sorting them.
func TestHodgesLehmannByHand(t *testing.T) {
	var d []float64
	for _, x := range earlier {
		for _, y := range term {
			d = append(d, y-x)
		}
	}
	slices.Sort(d)
	got, least, most := compare.Shift(earlier, term)
	near(t, "shift", (d[24]+d[25])/2, got, 1e-12)
	near(t, "smallest difference", 0.73-1.21, least, 1e-12)
	near(t, "largest difference", 1.91-0.74, most, 1e-12)
}

// TestWelchStudentSleep: the sleep data that Student (W. S. Gosset) used in
// "The probable error of a mean", Biometrika 6 (1908); R's t.test on its data
// set of that name prints t = -1.8608, df = 17.776, p = 0.07939.
func TestWelchStudentSleep(t *testing.T) {
	one := []float64{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0}
	two := []float64{1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4}
	p, tt, df := compare.Welch(one, two)
	near(t, "t", -1.8608, tt, 5e-5)
	near(t, "df", 17.776, df, 5e-4)
	near(t, "p", 0.07939, p, 5e-6)
}

// TestLeastP checks the claims that the documents' three repeats run into.
func TestLeastP(t *testing.T) {
	for _, c := range []struct {
		n    int
		want float64
	}{{3, 2.0 / 20}, {4, 2.0 / 70}, {5, 2.0 / 252}, {6, 2.0 / 924}} {
		a, b := make([]float64, c.n), make([]float64, c.n)
		for i := range a {
			a[i], b[i] = float64(i), float64(100+i)
		}
		p, least := compare.MannWhitney(a, b)
		near(t, "least p", c.want, least, 1e-12)
		near(t, "p of samples apart", c.want, p, 1e-12)
	}
}

// TestMannWhitneyByEnumeration compares the exact p with one counted over all
// ways to split the ranks, ties included.
func TestMannWhitneyByEnumeration(t *testing.T) {
	for _, c := range [][2][]float64{
		{{1, 5, 2, 8}, {3, 9, 7, 6}},
		{{1, 2, 2, 3}, {2, 4, 4, 5}},
		{{1, 1, 1}, {1, 1, 2}},
		{{10, 11, 12, 13, 14}, {9, 12.5, 15, 16}},
	} {
		want := enumerated(c[0], c[1])
		got, _ := compare.MannWhitney(c[0], c[1])
		near(t, "exact p", want, got, 1e-9)
	}
	if p, _ := compare.MannWhitney([]float64{2, 2, 2}, []float64{2, 2, 2}); p != 1 {
		t.Errorf("equal samples: want p = 1, got %v", p)
	}
	if p, _ := compare.MannWhitney(nil, []float64{1}); !math.IsNaN(p) {
		t.Errorf("an empty sample: want no p, got %v", p)
	}
}

// enumerated counts, over all ways to choose the first sample from the pooled
// one, how often U is as far from its middle or farther; one-sided counts are
// doubled as is usual for the exact test.
func enumerated(a, b []float64) float64 {
	pool := append(slices.Clone(a), b...)
	u := func(pick []int) float64 {
		in := map[int]bool{}
		for _, i := range pick {
			in[i] = true
		}
		s := 0.0
		for _, i := range pick {
			for j := range pool {
				switch {
				case in[j]:
				case pool[i] > pool[j]:
					s++
				case pool[i] == pool[j]:
					s += 0.5
				}
			}
		}
		return s
	}
	first := make([]int, len(a))
	for i := range first {
		first[i] = i
	}
	seen := u(first)
	below, above, all := 0.0, 0.0, 0.0
	var walk func(from int, pick []int)
	walk = func(from int, pick []int) {
		if len(pick) == len(a) {
			v := u(pick)
			all++
			if v <= seen+1e-9 {
				below++
			}
			if v >= seen-1e-9 {
				above++
			}
			return
		}
		for i := from; i < len(pool); i++ {
			walk(i+1, append(pick, i))
		}
	}
	walk(0, make([]int, 0, len(a)))
	return min(1, 2*min(below, above)/all)
}

// TestSpread holds note N1: three numbers that all are called fluctuation.
func TestSpread(t *testing.T) {
	s := compare.SpreadOf([]float64{880, 910, 900})
	near(t, "median", 900, s.Median, 0)
	near(t, "spread", 0.0222, s.Max, 5e-5)
	near(t, "range", 0.0333, s.Range, 5e-5)
	near(t, "CV", 0.0170, s.CV, 5e-5)
	near(t, "least factor on sigma", 0.52, s.SDLow, 0.005) // chi-squared with 2 degrees of freedom
	near(t, "largest factor on sigma", 6.3, s.SDHigh, 0.05)
	if e := compare.SpreadOf(nil); !math.IsNaN(e.Median) || !math.IsNaN(e.Max) {
		t.Errorf("no runs: want no spread, got %+v", e)
	}
	if e := compare.SpreadOf([]float64{5}); !math.IsNaN(e.CV) || e.Max != 0 {
		t.Errorf("one run: want a median alone, got %+v", e)
	}
}

// TestIntervalCovers draws runs with a true difference of −10 % and wants the
// interval to hold it about as often as it says, less what small samples cost.
func TestIntervalCovers(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	const trials = 300
	for _, c := range []struct {
		n     int
		least int
	}{{4, 225}, {8, 255}} {
		held := 0
		for range trials {
			a, b := normal(rng, c.n, 1000, 15), normal(rng, c.n, 900, 15)
			lo, hi := compare.RatioInterval(a, b, false)
			if lo <= -0.1 && -0.1 <= hi {
				held++
			}
		}
		if held < c.least {
			t.Errorf("%d runs a side: want the interval to hold the truth in at least %d of %d, got %d", c.n, c.least, trials, held)
		}
	}
	lo, hi := compare.RatioInterval([]float64{1, 2, 3}, []float64{2, 4, 6}, false)
	lo2, hi2 := compare.RatioInterval([]float64{1, 2, 3}, []float64{2, 4, 6}, false)
	if lo != lo2 || hi != hi2 {
		t.Errorf("want the same interval each time, got %v..%v and %v..%v", lo, hi, lo2, hi2)
	}
	if lo, hi := compare.RatioInterval([]float64{1, 2, 3}, []float64{2, 4, 6}, true); lo < 0.99999 || hi > 1.00001 {
		t.Errorf("passes that all double: want the interval 1..1, got %v..%v", lo, hi)
	}
}

// TestBCaSpatialTest: the spatial test data of 26 children, Efron and
// Tibshirani, An Introduction to the Bootstrap (1993), tables 14.1 and 14.2: the
// 90 % BCa interval of the variance (171.5 as n divides) is 115.8 to 259.6. The
// book's rests on 2,000 draws as well, so both ends scatter.
func TestBCaSpatialTest(t *testing.T) {
	data := []float64{48, 36, 20, 29, 42, 42, 20, 42, 22, 41, 45, 14, 6, 0, 33, 28, 34, 4, 32, 24, 47, 41, 24, 26, 30, 41}
	variance := func(v []float64) float64 {
		mean, sq := 0.0, 0.0
		for _, x := range v {
			mean += x / float64(len(v))
		}
		for _, x := range v {
			sq += (x - mean) * (x - mean)
		}
		return sq / float64(len(v))
	}
	theta := variance(data)
	near(t, "variance", 171.5, theta, 0.05)
	rng := rand.New(rand.NewPCG(1, 1))
	var draws, jack []float64
	for range 20_000 {
		v := make([]float64, len(data))
		for i := range v {
			v[i] = data[rng.IntN(len(data))]
		}
		draws = append(draws, variance(v))
	}
	for i := range data {
		jack = append(jack, variance(slices.Delete(slices.Clone(data), i, i+1)))
	}
	lo, hi := compare.BCa(draws, theta, jack, 0.90)
	near(t, "lower end", 115.8, lo, 3)
	near(t, "upper end", 259.6, hi, 3)
	near(t, "lower end of the percentile interval, to tell them apart", 100.8, draws[1000], 4)
}

func normal(rng *rand.Rand, n int, mean, sd float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = mean + sd*rng.NormFloat64()
	}
	return v
}

// TestTailsOfTheMeasuredTime: warm-up's latencies are no part of a run's P99,
// unless the measured time alone has too few requests for one, which is said.
func TestTailsOfTheMeasuredTime(t *testing.T) {
	snap := func(n uint64, warm bool) *model.Snapshot {
		s := &model.Snapshot{Start: 1e9, Now: 200e9, Signals: &model.Signals{}}
		s.Signals.Load.Warm, s.Signals.Load.WarmAt = warm, 20e9
		s.Latency.All, s.Latency.TTFT, s.Latency.TPOT = model.NoQuantiles(), model.NoQuantiles(), model.NoQuantiles()
		s.Latency.OK = model.Quantiles{P50: 1, P99: 9, N: 5000}
		s.Clean.Known = warm
		s.Clean.Measured.Latency = model.Quantiles{P50: 0.5, P99: 2, N: n}
		return s
	}
	for _, tt := range []struct {
		name     string
		snap     *model.Snapshot
		p50, p99 float64
		said     bool
	}{
		{"warm", snap(4000, true), 0.5, 2, false},
		{"warm but few", snap(100, true), 0.5, 9, true},
		{"never warm", snap(0, false), 1, 9, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := compare.RowOf(tt.snap)
			if got := r.Value(compare.LatencyP50); got != tt.p50 {
				t.Errorf("p50: want %g, got %g", tt.p50, got)
			}
			if got := r.Value(compare.LatencyP99); got != tt.p99 {
				t.Errorf("p99: want %g, got %g", tt.p99, got)
			}
			if said := strings.Contains(strings.Join(r.Notes, "; "), "p99 includes warm-up"); said != tt.said {
				t.Errorf("want it said: %v, got %v", tt.said, r.Notes)
			}
		})
	}
}
