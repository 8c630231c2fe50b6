package serverlog

import "bytes"

// bar measures ` | ` and the forms of it that colours leave behind.
func bar(b []byte) int {
	n := 0
	for n < len(b) && b[n] == ' ' {
		n++
	}
	if n < len(b) && b[n] == '|' {
		return n + 1
	}
	return 0
}

// syslog measures ` host unit: ` and, where somebody took the host out, ` unit: `
// and `  unit[pid]: `.
func syslog(b []byte) int {
	n := 0
	for range 2 {
		for n < len(b) && b[n] == ' ' {
			n++
		}
		e := bytes.IndexByte(b[n:], ' ')
		if e <= 0 || e > 80 {
			return 0
		}
		n += e
		if w := b[:n]; w[n-1] == ':' && n > 2 && (isWord(w[n-2]) || w[n-2] == ']') {
			return n
		}
	}
	return 0
}

// journal measures ` host unit[pid]: `.
func journal(b []byte) int {
	if len(b) < 6 || b[0] != ' ' || !isWord(b[1]) {
		return 0
	}
	h := bytes.IndexByte(b[1:], ' ')
	if h <= 0 || h > 64 {
		return 0
	}
	u := 1 + h + 1
	e := bytes.IndexByte(b[u:], ' ')
	if e < 0 {
		e = len(b) - u
	}
	unit := b[u : u+e]
	k := len(unit)
	if k < 5 || unit[k-1] != ':' || unit[k-2] != ']' {
		return 0
	}
	open := bytes.IndexByte(unit, '[')
	if open <= 0 {
		return 0
	}
	if _, d := integer(unit[open+1:]); d == 0 || open+1+d != k-2 {
		return 0
	}
	return u + k
}
