package store

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"benchtop/model"
)

// mean of v; NaN of nothing.
func mean(v []float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	s := 0.0
	for _, x := range v {
		s += x
	}
	return s / float64(len(v))
}

// deviation is the sample standard deviation of v; NaN below two values.
func deviation(v []float64) float64 {
	if len(v) < 2 {
		return math.NaN()
	}
	m, s := mean(v), 0.0
	for _, x := range v {
		s += (x - m) * (x - m)
	}
	return math.Sqrt(s / float64(len(v)-1))
}

// quantile is the nearest-rank quantile of v, which it sorts.
func quantile(v []float64, q float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	slices.Sort(v)
	i := int(math.Ceil(q*float64(len(v)))) - 1
	return v[min(max(i, 0), len(v)-1)]
}

// theilSen is the median of all pairwise slopes of equally spaced points, per
// step; NaN below two points. Robust against outliers, unlike least squares.
func theilSen(y []float64) float64 {
	var slopes []float64
	for i := range y {
		for j := i + 1; j < len(y); j++ {
			slopes = append(slopes, (y[j]-y[i])/float64(j-i))
		}
	}
	return model.Median(slopes)
}

// mannKendall is the two-sided p of no monotone trend in y (normal
// approximation with the correction for ties); NaN below four points.
func mannKendall(y []float64) float64 {
	n := len(y)
	if n < 4 {
		return math.NaN()
	}
	s, ties := 0.0, map[float64]float64{}
	for i := range y {
		ties[y[i]]++
		for j := i + 1; j < n; j++ {
			switch {
			case y[j] > y[i]:
				s++
			case y[j] < y[i]:
				s--
			}
		}
	}
	f := float64(n)
	v := f * (f - 1) * (2*f + 5)
	for _, t := range ties {
		v -= t * (t - 1) * (2*t + 5)
	}
	v /= 18
	if v <= 0 {
		return 1
	}
	z := 0.0
	switch {
	case s > 0:
		z = (s - 1) / math.Sqrt(v)
	case s < 0:
		z = (s + 1) / math.Sqrt(v)
	}
	return 2 * distuv.UnitNormal.Survival(math.Abs(z))
}

// successiveSE is the standard error of a mean of n points from successive
// differences: unlike the plain deviation it does not contain the trend that
// it is meant to detect.
func successiveSE(y []float64, n int) float64 {
	if len(y) < 2 {
		return math.NaN()
	}
	s := 0.0
	for i := 1; i < len(y); i++ {
		d := y[i] - y[i-1]
		s += d * d
	}
	return math.Sqrt(s/float64(2*(len(y)-1))) / math.Sqrt(float64(n))
}

// slopeSE is the standard error of the slope a step of equally spaced points,
// from successive differences.
func slopeSE(y []float64) float64 {
	n := float64(len(y))
	if n < 3 {
		return math.NaN()
	}
	return successiveSE(y, 1) / math.Sqrt(n*(n*n-1)/12)
}
