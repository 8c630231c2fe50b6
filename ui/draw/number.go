package draw

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// None stands for a value that nobody measured.
const None = "–"

// absent reports whether there is nothing to print.
func absent(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }

// Count is a number of things: 64, 4,182, 12.3k, 1.2M.
func Count(v float64) string {
	switch a := math.Abs(v); {
	case absent(v):
		return None
	case a < 9999.5:
		return Grouped(v)
	case a < 999_950:
		return trimZero(v/1e3, 1) + "k"
	case a < 999_950_000:
		return trimZero(v/1e6, 1) + "M"
	default:
		return trimZero(v/1e9, 1) + "G"
	}
}

// Grouped is a whole number with commas: 1,980.
func Grouped(v float64) string {
	if absent(v) {
		return None
	}
	s := strconv.FormatFloat(math.Abs(math.Round(v)), 'f', 0, 64)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	if math.Round(v) < 0 {
		return "-" + s
	}
	return s
}

func trimZero(v float64, prec int) string {
	s := strconv.FormatFloat(v, 'f', prec, 64)
	return strings.TrimSuffix(s, "."+strings.Repeat("0", prec))
}

// Small is a number that may have a fraction worth showing: 0.42, 15.2, 182.
func Small(v float64) string {
	switch a := math.Abs(v); {
	case absent(v):
		return None
	case a == 0:
		return "0"
	case a < 1:
		return strconv.FormatFloat(v, 'f', 2, 64)
	case a < 99.95:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return Count(v)
}

// Latency is a span of seconds at reading precision: 31 ms, 1.25 s, 2m05s.
func Latency(sec float64) string {
	switch {
	case absent(sec):
		return None
	case sec < 0:
		return "-" + Latency(-sec)
	case sec == 0:
		return "0 ms"
	case sec < 0.0095:
		return strconv.FormatFloat(sec*1e3, 'f', 1, 64) + " ms"
	case sec < 0.9995:
		return strconv.FormatFloat(sec*1e3, 'f', 0, 64) + " ms"
	case sec < 9.995:
		return strconv.FormatFloat(sec, 'f', 2, 64) + " s"
	case sec < 99.95:
		return strconv.FormatFloat(sec, 'f', 1, 64) + " s"
	case sec < 600:
		return strconv.FormatFloat(sec, 'f', 0, 64) + " s"
	}
	return Age(sec)
}

// Age is a span in whole seconds or bigger: 4s, 2m05s, 1h07m.
func Age(sec float64) string {
	if absent(sec) {
		return None
	}
	s := int64(math.Round(max(sec, 0)))
	switch {
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		if s%60 == 0 {
			return fmt.Sprintf("%dm", s/60)
		}
		return fmt.Sprintf("%dm%02ds", s/60, s%60)
	case s%3600 < 60:
		return fmt.Sprintf("%dh", s/3600)
	}
	return fmt.Sprintf("%dh%02dm", s/3600, s%3600/60)
}

// Span is Age for a duration, with a fraction under a second's worth.
func Span(d time.Duration) string {
	if d < 10*time.Second && d%time.Second != 0 {
		return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + "s"
	}
	return Age(d.Seconds())
}

// Elapsed is a running time as 00:07:31.
func Elapsed(sec float64) string {
	if absent(sec) {
		return None
	}
	s := int64(max(sec, 0))
	return fmt.Sprintf("%02d:%02d:%02d", s/3600, s/60%60, s%60)
}

// Percent is a ratio as a percentage: 0.4 %, 27 %.
func Percent(ratio float64) string {
	p := ratio * 100
	switch {
	case absent(ratio):
		return None
	case p != 0 && math.Abs(p) < 9.95:
		return strconv.FormatFloat(p, 'f', 1, 64) + " %"
	}
	return strconv.FormatFloat(p, 'f', 0, 64) + " %"
}

// Megahertz is a clock in hertz as 1,980 MHz.
func Megahertz(hz float64) string { return unit(Grouped(hz/1e6), "MHz") }

// Watts is a power: 584 W.
func Watts(w float64) string { return unit(Grouped(w), "W") }

// Joules is an energy: 640 J, 12.4 kJ, 1.3 MJ.
func Joules(j float64) string {
	switch {
	case absent(j):
		return None
	case j < 1e3:
		return Grouped(j) + " J"
	case j < 1e6:
		return strconv.FormatFloat(j/1e3, 'f', 1, 64) + " kJ"
	}
	return strconv.FormatFloat(j/1e6, 'f', 1, 64) + " MJ"
}

// Celsius is a temperature: 62 °C.
func Celsius(c float64) string { return unit(Grouped(c), "°C") }

// Bytes is an amount of memory: 41 MB, 1.2 GB.
func Bytes(b float64) string {
	switch {
	case absent(b):
		return None
	case b < 1e6:
		return Grouped(b/1e3) + " kB"
	case b < 1e9:
		return Grouped(b/1e6) + " MB"
	}
	return strconv.FormatFloat(b/1e9, 'f', 1, 64) + " GB"
}

func unit(s, u string) string {
	if s == None {
		return None
	}
	return s + " " + u
}
