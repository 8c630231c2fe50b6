package draw

import "math"

// Spark is values as a row of small bars, from the lesser of 0 and the
// smallest value up to the biggest; NaN is a blank.
func Spark(vals []float64) string {
	lo, hi := 0.0, math.Inf(-1)
	for _, v := range vals {
		if !math.IsNaN(v) {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	out := make([]rune, len(vals))
	for i, v := range vals {
		out[i] = ' '
		if math.IsNaN(v) {
			continue
		}
		level := 0
		if hi > lo {
			level = int(math.Round((v - lo) / (hi - lo) * 7))
		}
		out[i] = '▁' + rune(min(max(level, 0), 7))
	}
	return string(out)
}
