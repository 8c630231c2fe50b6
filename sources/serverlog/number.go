package serverlog

import "math"

// pow10 are the powers of ten a float64 holds exactly.
var pow10 = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

func isDigit(c byte) bool { return c-'0' <= 9 }

func isSpace(c byte) bool { return c == ' ' || c == '\t' }

// trimBlank drops blanks in front.
func trimBlank(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	return b
}

func isWord(c byte) bool {
	return isDigit(c) || c|0x20-'a' <= 25 || c == '_'
}

// integer reads the unsigned decimal integer at the start of b and says how
// many bytes it took; 0 if there is none or it is out of reach.
func integer(b []byte) (v int64, n int) {
	for n < len(b) && isDigit(b[n]) {
		if n >= 18 {
			return 0, 0
		}
		v = v*10 + int64(b[n]-'0')
		n++
	}
	return v, n
}

// grouped reads an integer that may carry thousands separators: 417,136.
func grouped(b []byte) (v int64, n int) {
	v, n = integer(b)
	for n > 0 && n+3 < len(b) && b[n] == ',' {
		g, k := integer(b[n+1:])
		if k != 3 || v > math.MaxInt64/1000-1 {
			break
		}
		v, n = v*1000+g, n+4
	}
	return v, n
}

// shortNumber is number for the usual case: few digits, no exponent. ok is false
// for any other.
func shortNumber(b []byte) (v float64, n int, ok bool) {
	var mant uint64
	for n < len(b) && isDigit(b[n]) {
		mant = mant*10 + uint64(b[n]-'0')
		n++
	}
	point := n
	if n > 0 && n+1 < len(b) && b[n] == '.' && isDigit(b[n+1]) {
		for n++; n < len(b) && isDigit(b[n]); n++ {
			mant = mant*10 + uint64(b[n]-'0')
		}
	}
	if n == 0 || n > 17 || n < len(b) && b[n]|0x20 == 'e' {
		return 0, 0, false
	}
	if n == point {
		return float64(mant), n, true
	}
	return float64(mant) / pow10[n-point-1], n, true
}

// number reads the unsigned decimal number at the start of b, with an
// exponent if it has one, and says how many bytes it took; 0 if there is none.
func number(b []byte) (v float64, n int) {
	if v, n, ok := shortNumber(b); ok {
		return v, n
	}
	var mant uint64
	digits, scale := 0, 0
	for n < len(b) && isDigit(b[n]) {
		mant, digits, scale = accrue(mant, digits, scale, b[n], false)
		n++
	}
	if n == 0 {
		return 0, 0
	}
	if n+1 < len(b) && b[n] == '.' && isDigit(b[n+1]) {
		n++
		for n < len(b) && isDigit(b[n]) {
			mant, digits, scale = accrue(mant, digits, scale, b[n], true)
			n++
		}
	}
	if e, k := exponent(b[n:]); k > 0 {
		scale += e
		n += k
	}
	v = float64(mant)
	switch {
	case scale < -22 || scale > 22:
		v *= math.Pow10(scale)
	case scale < 0:
		v /= pow10[-scale]
	default:
		v *= pow10[scale]
	}
	if math.IsInf(v, 0) {
		return 0, 0
	}
	return v, n
}

// accrue adds one digit to a decimal; past 18 digits only the scale moves.
func accrue(mant uint64, digits, scale int, c byte, fraction bool) (uint64, int, int) {
	if digits >= 18 {
		if !fraction {
			scale++
		}
		return mant, digits, scale
	}
	mant = mant*10 + uint64(c-'0')
	if mant != 0 {
		digits++
	}
	if fraction {
		scale--
	}
	return mant, digits, scale
}

func exponent(b []byte) (e, n int) {
	if len(b) < 2 || b[0]|0x20 != 'e' {
		return 0, 0
	}
	i, neg := 1, false
	if b[i] == '-' || b[i] == '+' {
		neg = b[i] == '-'
		i++
	}
	v, k := integer(b[i:])
	if k == 0 || k > 4 {
		return 0, 0
	}
	if neg {
		v = -v
	}
	return int(v), i + k
}

// unit reads a duration unit and gives its length in milliseconds.
func unit(b []byte) (ms float64, n int) {
	if len(b) == 0 {
		return 0, 0
	}
	two := len(b) > 1 && b[1] == 's'
	switch {
	case b[0] == 'n' && two:
		return 1e-6, 2
	case b[0] == 'u' && two:
		return 1e-3, 2
	case b[0] == 'm' && two:
		return 1, 2
	case len(b) > 2 && (b[0] == 0xc2 && b[1] == 0xb5 || b[0] == 0xce && b[1] == 0xbc) && b[2] == 's':
		return 1e-3, 3 // micro sign, Greek mu
	case b[0] == 's':
		return 1e3, 1
	case b[0] == 'm':
		return 60e3, 1
	case b[0] == 'h':
		return 3600e3, 1
	}
	return 0, 0
}

// duration reads numbers with units (1.2s, 129.5µs, 2h0m1s) at the start of b
// and gives their sum in milliseconds; n is 0 if there is none.
func duration(b []byte) (ms float64, n int) {
	for n < len(b) {
		v, k := number(b[n:])
		if k == 0 {
			break
		}
		u, w := unit(b[n+k:])
		if w == 0 {
			break
		}
		// Dividing keeps decimal fractions as exact as they were printed.
		switch {
		case u == 1e-6:
			ms += v / 1e6
		case u == 1e-3:
			ms += v / 1e3
		default:
			ms += v * u
		}
		n += k + w
	}
	return ms, n
}
