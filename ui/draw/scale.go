package draw

import (
	"math"
	"time"
)

// NiceTop is a round number not below v, for the top of a scale: 1, 2, 3, 4,
// 5, 6, 8 or 10 times a power of ten.
func NiceTop(v float64) float64 {
	if !(v > 0) || math.IsInf(v, 0) {
		return 1
	}
	p := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range [...]float64{1, 2, 3, 4, 5, 6, 8, 10} {
		if m*p >= v*(1-1e-9) {
			return m * p
		}
	}
	return 10 * p
}

// Ticks are round values from 0 to top, at most n of them besides 0; whole ones
// from 4 up.
func Ticks(top float64, n int) []float64 {
	if !(top > 0) || n < 1 {
		return []float64{0}
	}
	step := top
	p := math.Pow(10, math.Floor(math.Log10(top))-1)
	for _, m := range [...]float64{1, 2, 2.5, 5, 10, 20, 25, 50, 100} {
		s := m * p
		if whole := s == math.Trunc(s); top/s <= float64(n)+1e-9 && (whole || top < 4) {
			step = s
			break
		}
	}
	var out []float64
	for v := 0.0; v <= top*(1+1e-9); v += step {
		out = append(out, v)
	}
	return out
}

// columnSteps are the widths a column of a time chart may have. Each divides
// evenly into the buckets it is made of.
var columnSteps = [...]time.Duration{
	100 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2 * time.Second, 3 * time.Second, 4 * time.Second, 5 * time.Second, 6 * time.Second, 8 * time.Second,
	10 * time.Second, 20 * time.Second, 30 * time.Second, 40 * time.Second, time.Minute, 2 * time.Minute, 3 * time.Minute,
	5 * time.Minute, 10 * time.Minute, 20 * time.Minute, 30 * time.Minute, time.Hour,
}

// ColumnStep is the narrowest column, not below least, with which cols columns
// hold window, or nearly so: a tenth less is no reason to double the width.
func ColumnStep(window time.Duration, cols int, least time.Duration) time.Duration {
	for _, s := range columnSteps {
		if s >= least && s*time.Duration(max(cols, 1)) >= window*9/10 {
			return s
		}
	}
	return columnSteps[len(columnSteps)-1]
}

// TickSpacing is a round span of which at most n fit into window.
func TickSpacing(window time.Duration, n int) time.Duration {
	for _, s := range [...]time.Duration{
		time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 20 * time.Second, 30 * time.Second,
		time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 20 * time.Minute, 30 * time.Minute,
		time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour,
	} {
		if window <= s*time.Duration(max(n, 1)) {
			return s
		}
	}
	return 24 * time.Hour
}
