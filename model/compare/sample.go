package compare

import (
	"errors"
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"

	"benchtop/model"
)

// Spread is how much repeated runs of one configuration differ. Max is the
// definition the gates use: the largest distance from the median, as a share of
// it; range and coefficient of variation stand beside it because "fluctuation"
// is said of all three.
type Spread struct {
	N      int     `json:"n"`
	Median float64 `json:"median"`
	Max    float64 `json:"spread"`             // max |x − median| ÷ median
	Range  float64 `json:"range_share"`        // (largest − smallest) ÷ median
	CV     float64 `json:"cv"`                 // standard deviation ÷ mean; NaN below two runs
	SDLow  float64 `json:"sd_factor_low"`      // 95 % of the true deviation lies between these
	SDHigh float64 `json:"sd_factor_high"`     // multiples of the one seen; NaN below two runs
	Least  float64 `json:"smallest,omitempty"` // the extremes, in base units
	Most   float64 `json:"largest,omitempty"`
}

// SpreadOf measures xs, which are not changed. Without a value all is NaN.
func SpreadOf(xs []float64) Spread {
	nan := math.NaN()
	s := Spread{N: len(xs), Median: nan, Max: nan, Range: nan, CV: nan, SDLow: nan, SDHigh: nan, Least: nan, Most: nan}
	if len(xs) == 0 {
		return s
	}
	v := slices.Sorted(slices.Values(xs))
	s.Median, s.Least, s.Most = model.Median(v), v[0], v[len(v)-1]
	if s.Median != 0 {
		m := math.Abs(s.Median)
		s.Max = max(s.Most-s.Median, s.Median-s.Least) / m
		s.Range = (s.Most - s.Least) / m
	}
	if len(v) < 2 {
		return s
	}
	if mean, sd := moments(v); mean != 0 {
		s.CV = sd / math.Abs(mean)
	}
	f := float64(len(v) - 1)
	s.SDLow, s.SDHigh = math.Sqrt(f/chiQuantile(f, 0.975)), math.Sqrt(f/chiQuantile(f, 0.025))
	return s
}

func moments(v []float64) (mean, sd float64) {
	for _, x := range v {
		mean += x
	}
	mean /= float64(len(v))
	for _, x := range v {
		sd += (x - mean) * (x - mean)
	}
	return mean, math.Sqrt(sd / float64(len(v)-1))
}

func medianOf(xs []float64) float64 { return model.Median(slices.Sorted(slices.Values(xs))) }

// Shift is the Hodges-Lehmann shift from a to b, the median of all pairwise
// differences, and their extremes. NaN if either is empty.
func Shift(a, b []float64) (shift, least, most float64) {
	d := make([]float64, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			d = append(d, y-x)
		}
	}
	if len(d) == 0 {
		return math.NaN(), math.NaN(), math.NaN()
	}
	slices.Sort(d)
	return model.Median(d), d[0], d[len(d)-1]
}

// MannWhitney is the exact two-sided p of the U test, and the smallest p that
// so many runs could reach. Samples that are all equal give 1; an empty one
// gives NaN.
func MannWhitney(a, b []float64) (p, least float64) {
	least = leastP(len(a), len(b))
	r, err := stats.MannWhitneyUTest(a, b, stats.LocationDiffers)
	switch {
	case errors.Is(err, stats.ErrSamplesEqual):
		return 1, least
	case err != nil:
		return math.NaN(), least
	}
	return min(r.P, 1), least
}

// leastP is 2 ÷ C(n+m, n): no arrangement of ranks is rarer.
func leastP(n, m int) float64 {
	if n == 0 || m == 0 {
		return math.NaN()
	}
	lg := func(k int) float64 { v, _ := math.Lgamma(float64(k + 1)); return v }
	return min(1, 2*math.Exp(lg(n)+lg(m)-lg(n+m)))
}

// passesToSpeak is how many more passes (one run of each arm) it takes until
// the U test can reach alpha at all.
func passesToSpeak(n, m int, alpha float64) int {
	for k := range 50 {
		if p := leastP(n+k, m+k); p <= alpha {
			return k
		}
	}
	return 50
}

// Welch is the two-sided p of Welch's t test; NaN below two runs a side or
// without any spread.
func Welch(a, b []float64) (p, t, df float64) {
	r, err := stats.TwoSampleWelchTTest(stats.Sample{Xs: a}, stats.Sample{Xs: b}, stats.LocationDiffers)
	if err != nil {
		return math.NaN(), math.NaN(), math.NaN()
	}
	return r.P, r.T, r.DoF
}

// Detectable is the smallest relative difference that n runs a side can be
// expected to show (5 % test, 80 % power) at a run-to-run coefficient of
// variation cv: the factor 7.85 is (1.96 + 0.84)², the 2.1 is what ranks cost
// in place of means. NaN below four runs a side: fewer can't show any.
func Detectable(cv float64, n int) float64 {
	if n < 4 {
		return math.NaN()
	}
	return cv * math.Sqrt(2.1*7.85/float64(n))
}

// chiQuantile is the quantile of the chi-squared distribution by bisection of
// its regularized gamma function.
func chiQuantile(df, p float64) float64 {
	lo, hi := 0.0, df+20*math.Sqrt(2*df)+20
	for range 200 {
		mid := (lo + hi) / 2
		if gammaP(df/2, mid/2) < p {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}

// gammaP is the regularized lower incomplete gamma function by its series,
// which converges for every x this package asks for.
func gammaP(a, x float64) float64 {
	if x <= 0 {
		return 0
	}
	term := 1 / a
	sum := term
	for n := 1; n < 2000; n++ {
		term *= x / (a + float64(n))
		sum += term
		if term < sum*1e-15 {
			break
		}
	}
	lg, _ := math.Lgamma(a)
	return min(1, sum*math.Exp(-x+a*math.Log(x)-lg))
}
