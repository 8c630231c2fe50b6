package model

import (
	"math"
	"slices"
)

// Median is the middle of v, which it sorts: of an even number the mean of the
// two in the middle; NaN of nothing.
func Median(v []float64) float64 {
	n := len(v)
	if n == 0 {
		return math.NaN()
	}
	slices.Sort(v)
	if n%2 == 1 {
		return v[n/2]
	}
	return (v[n/2-1] + v[n/2]) / 2
}
