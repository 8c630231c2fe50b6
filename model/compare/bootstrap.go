package compare

import (
	"math"
	"math/rand/v2"
	"slices"

	"benchtop/model"
)

// draws is how many bootstrap samples an interval rests on.
const draws = 2000

// seed makes every interval the same each time.
const seed = 20260101

// RatioInterval is the 95 % bootstrap interval (BCa: corrected for bias and
// skew) of median(b) ÷ median(a) − 1 over runs. With paired, run i of a and of b
// were of one pass and are drawn together: the block is the pass.
func RatioInterval(a, b []float64, paired bool) (lo, hi float64) {
	if len(a) < 2 || len(b) < 2 {
		return math.NaN(), math.NaN()
	}
	paired = paired && len(a) == len(b)
	rng := rand.New(rand.NewPCG(seed, uint64(len(a))<<32|uint64(len(b))))
	out := make([]float64, 0, draws)
	x, y := make([]float64, len(a)), make([]float64, len(b))
	for range draws {
		for i := range x {
			k := rng.IntN(len(a))
			x[i] = a[k]
			if paired {
				y[i] = b[k]
			}
		}
		for i := range y {
			if !paired {
				y[i] = b[rng.IntN(len(b))]
			}
		}
		if r := ratio(x, y); !math.IsNaN(r) {
			out = append(out, r)
		}
	}
	return BCa(out, ratio(slices.Clone(a), slices.Clone(b)), leaveOneOut(a, b, paired), 0.95)
}

// ratio is median(y) ÷ median(x) − 1, NaN if that can't be. It sorts both.
func ratio(x, y []float64) float64 {
	m := model.Median(x)
	if m == 0 {
		return math.NaN()
	}
	return model.Median(y)/m - 1
}

// leaveOneOut are the ratios without each run (or pass) in turn.
func leaveOneOut(a, b []float64, paired bool) []float64 {
	without := func(v []float64, i int) []float64 { return slices.Delete(slices.Clone(v), i, i+1) }
	var out []float64
	for i := range a {
		if paired {
			out = append(out, ratio(without(a, i), without(b, i)))
			continue
		}
		out = append(out, ratio(without(a, i), slices.Clone(b)))
	}
	for i := range b {
		if !paired {
			out = append(out, ratio(slices.Clone(a), without(b, i)))
		}
	}
	return out
}

// BCa is the bias-corrected and accelerated interval (Efron 1987) of a figure
// that is theta over all data, from its bootstrap draws and its values with one
// datum left out at a time. NaN without draws. Draws are sorted.
func BCa(draws []float64, theta float64, jackknife []float64, level float64) (lo, hi float64) {
	n := len(draws)
	if n == 0 || math.IsNaN(theta) {
		return math.NaN(), math.NaN()
	}
	slices.Sort(draws)
	below := 0.0
	for _, d := range draws {
		switch {
		case d < theta:
			below++
		case d == theta: // few runs give the same figure over and over
			below += 0.5
		}
	}
	z0, acc := 0.0, acceleration(jackknife)
	if below > 0 && below < float64(n) {
		z0 = normalQuantile(below / float64(n))
	}
	at := func(p float64) float64 {
		z := z0 + normalQuantile(p)
		q := normalCDF(z0 + z/(1-acc*z))
		return draws[max(0, min(n-1, int(math.Ceil(q*float64(n)))-1))]
	}
	return at((1 - level) / 2), at((1 + level) / 2)
}

// acceleration is a sixth of the skewness of what each datum does to the figure.
func acceleration(jackknife []float64) float64 {
	mean := 0.0
	for _, v := range jackknife {
		mean += v
	}
	mean /= float64(len(jackknife))
	s2, s3 := 0.0, 0.0
	for _, v := range jackknife {
		d := mean - v
		s2 += d * d
		s3 += d * d * d
	}
	a := s3 / (6 * math.Pow(s2, 1.5))
	if math.IsNaN(a) || math.IsInf(a, 0) {
		return 0
	}
	return a
}

// normalQuantile and normalCDF are those of the standard normal distribution.
func normalQuantile(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }
func normalCDF(z float64) float64      { return math.Erfc(-z/math.Sqrt2) / 2 }
