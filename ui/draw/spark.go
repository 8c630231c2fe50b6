package draw

import "math"

// Spark is values as a row of small bars up to the biggest, from base (or from
// the smallest value if that is less); NaN is a blank. The biggest leaves a
// little room above, so that rows of them do not touch.
func Spark(vals []float64, base float64) string {
	lo, hi := base, math.Inf(-1)
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
			level = int(math.Round((v - lo) / (hi - lo) * 6))
		}
		out[i] = '▁' + rune(min(max(level, 0), 6))
	}
	return string(out)
}
