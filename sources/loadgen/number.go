package loadgen

import (
	"math"
	"strconv"
	"time"

	"benchtop/model"
)

// maxSeconds is the last whole second an Instant can hold.
const maxSeconds = math.MaxInt64/1_000_000_000 - 1

// decimal reads a non-negative decimal number and scales it by ten to the
// digits: decimal("1.5", 3) is 1500. What is finer than that is cut off. Times
// are read this way: in a float64 unix seconds are off by a quarter of a
// microsecond.
func decimal(b []byte, digits int) (model.Instant, bool) {
	var n int64
	i, seen := 0, false
	for ; i < len(b) && b[i]-'0' <= 9; i++ {
		if n > (math.MaxInt64-9)/10 {
			return 0, false
		}
		n, seen = n*10+int64(b[i]-'0'), true
	}
	limit := int64(math.MaxInt64)
	for range digits {
		limit /= 10
	}
	if n >= limit {
		return 0, false
	}
	left := digits
	if i < len(b) && b[i] == '.' {
		for i++; i < len(b) && b[i]-'0' <= 9; i++ {
			if left > 0 {
				n, left = n*10+int64(b[i]-'0'), left-1
			}
			seen = true
		}
	}
	if !seen {
		return 0, false
	}
	if i < len(b) {
		return exponent(b, digits)
	}
	for ; left > 0; left-- {
		n *= 10
	}
	return model.Instant(n), true
}

// exponent is decimal for the rare number written with an exponent.
func exponent(b []byte, digits int) (model.Instant, bool) {
	f, err := strconv.ParseFloat(string(b), 64)
	f *= math.Pow10(digits)
	if err != nil || !(f >= 0 && f < math.MaxInt64) {
		return 0, false
	}
	return model.Instant(f), true
}

// integer reads a decimal integer without a sign or, for the statuses of some
// tools, with one.
func integer(b []byte) (int64, bool) {
	neg := len(b) > 0 && b[0] == '-'
	if neg {
		b = b[1:]
	}
	if len(b) == 0 || len(b) > 18 {
		return 0, false
	}
	var n int64
	for _, c := range b {
		if c-'0' > 9 {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	if neg {
		n = -n
	}
	return n, true
}

// float reads a finite number; NaN if b is none.
func float(b []byte) float64 {
	if len(b) == 0 || len(b) > 40 {
		return math.NaN()
	}
	f, err := strconv.ParseFloat(string(b), 64)
	if err != nil || math.IsInf(f, 0) {
		return math.NaN()
	}
	return f
}

// rfc3339 reads a time stamp of RFC 3339 with any number of decimals.
func rfc3339(b []byte) (model.Instant, bool) {
	const shape = "0000-00-00T00:00:00"
	if len(b) <= len(shape) {
		return 0, false
	}
	for i := range len(shape) {
		if (shape[i] == '0') != (b[i]-'0' <= 9) || shape[i] != '0' && b[i] != shape[i] && (i != 10 || b[i] != ' ' && b[i] != 't') {
			return 0, false
		}
	}
	two := func(i int) int { return int(b[i]-'0')*10 + int(b[i+1]-'0') }
	y, mo, d := two(0)*100+two(2), two(5), two(8)
	h, mi, s := two(11), two(14), two(17)
	if y < 1970 || y > 2261 || mo < 1 || mo > 12 || d < 1 || d > 31 || h > 23 || mi > 59 || s > 60 {
		return 0, false
	}
	ns, rest := fraction(b[len(shape):])
	off, ok := offset(rest)
	if !ok {
		return 0, false
	}
	sec := days(y, mo, d)*86400 + int64(h*3600+mi*60+s) - off
	return model.Instant(sec*1e9 + ns), true
}

func fraction(b []byte) (ns int64, rest []byte) {
	if len(b) == 0 || b[0] != '.' && b[0] != ',' {
		return 0, b
	}
	i, scale := 1, int64(100_000_000)
	for ; i < len(b) && b[i]-'0' <= 9; i++ {
		ns += int64(b[i]-'0') * scale
		scale /= 10
	}
	return ns, b[i:]
}

// offset reads Z or +hh:mm, in seconds east.
func offset(b []byte) (int64, bool) {
	if len(b) == 1 && (b[0] == 'Z' || b[0] == 'z') {
		return 0, true
	}
	if len(b) != 6 || b[0] != '+' && b[0] != '-' || b[3] != ':' {
		return 0, false
	}
	h, ok1 := integer(b[1:3])
	m, ok2 := integer(b[4:6])
	if !ok1 || !ok2 || h > 23 || m > 59 || h < 0 || m < 0 {
		return 0, false
	}
	s := h*3600 + m*60
	if b[0] == '-' {
		s = -s
	}
	return s, true
}

// days counts from 1970-01-01 in the Gregorian calendar (Howard Hinnant's
// days_from_civil, years from March so that the leap day comes last).
func days(y, m, d int) int64 {
	if m <= 2 {
		y--
		m += 12
	}
	era := y / 400
	yoe := y - era*400
	doy := (153*(m-3)+2)/5 + d - 1
	doe := yoe*365 + yoe/4 - yoe/100 + doy
	return int64(era)*146097 + int64(doe) - 719468
}

// seconds is a duration as a number, NaN for none.
func durationSeconds(d time.Duration) float64 {
	if d <= 0 {
		return math.NaN()
	}
	return d.Seconds()
}
