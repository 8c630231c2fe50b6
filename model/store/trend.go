package store

import (
	"math"
	"math/bits"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
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

// middle is the median of v, which holds no NaN and whose order it changes, in
// time that grows with its length alone: of ten thousands of pairwise slopes
// sorting them all is what costs.
func middle(v []float64) float64 {
	n := len(v)
	if n == 0 {
		return math.NaN()
	}
	k := n / 2
	nth(v, k)
	if n%2 == 1 {
		return v[k]
	}
	return (slices.Max(v[:k]) + v[k]) / 2
}

// nth puts in place k what would stand there were v sorted, and what is less
// before it.
func nth(v []float64, k int) {
	for turns := 2 * bits.Len(uint(len(v))); len(v) > 12 && turns > 0; turns-- {
		a, b, c := v[0], v[len(v)/2], v[len(v)-1]
		pivot := max(min(a, b), min(max(a, b), c))
		less, same := 0, 0 // v[:less] is below the pivot, v[less:same] equals it
		for i, x := range v {
			switch {
			case x < pivot:
				v[i], v[same], v[less] = v[same], v[less], x
				less, same = less+1, same+1
			case x == pivot:
				v[i], v[same] = v[same], x
				same++
			}
		}
		switch {
		case k < less:
			v = v[:less]
		case k < same:
			return
		default:
			v, k = v[same:], k-same
		}
	}
	slices.Sort(v) // few are left, or the pivots were bad ones
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
	return middle(slopes)
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
