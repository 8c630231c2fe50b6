package serverlog

import "bytes"

// bracket reads one bracketed prefix: a stamp with ranks, a level, a source
// location, a rank, a port, a collector's label.
func (c *record) bracket(b []byte) (n int, stop bool) {
	e := bytes.IndexByte(b, ']')
	if e < 1 || e > 120 {
		return 0, false
	}
	in := b[1:e]
	n = e + 1
	if n < len(b) && b[n] == ' ' {
		n++
	} else if n < len(b) && b[n] != '[' {
		return 0, false
	}
	if k := c.bracketStamp(in); k {
		return n, false
	}
	switch {
	case location(in) == len(in):
		c.loc = in
		return n, true
	case bytes.HasPrefix(in, []byte("pod/")):
		c.where, c.fresh = in, true
		return n, false
	case bytes.HasPrefix(in, []byte("resource.labels")):
		c.level, c.fresh = noLevel, true // Google's severity says to which stream it went
		return n, false
	case string(in) == "_torch":
		c.fresh = true
		return n, false
	case string(in) == "GIN", string(in) == "TRT-LLM", string(in) == "TensorRT-LLM", string(in) == "TM":
		if c.tag != nil {
			return 0, false
		}
		c.tag = in
		return n, false
	case ranked(in):
		c.rank = in
		return n, false
	}
	if bytes.HasPrefix(b[n:], []byte("| ")) && c.where == nil && c.level == noLevel && c.proc == nil { // podman's compose
		c.where = in
		return n + 1, false
	}
	if l, ok := levelOf(bytes.TrimRight(in, " ")); ok && (c.level == noLevel || c.fresh) {
		c.level, c.fresh = l, false
		return n, false
	}
	if _, k := integer(in); k == len(in) && k >= 2 && k <= 5 && c.level == noLevel && c.port == nil {
		c.port = in
		return n, false
	}
	return 0, false
}

// bracketStamp reads `2026-06-03 09:02:00 DP0 TP0`, `16:43:29 TP0` or
// `06/10/2026-09:56:44`. A time of day alone places nothing.
func (c *record) bracketStamp(in []byte) bool {
	s, n := parseStamp(in)
	if n == 0 {
		if n = s.clock(in); n == 0 {
			return false
		}
		s = stamp{}
	}
	if n < len(in) && (in[n] != ' ' || !ranked(in[n+1:])) {
		return false
	}
	c.takeAt(s, in, n)
	c.fresh = true
	if n < len(in) {
		c.rank = in[n+1:]
	}
	return true
}

// ranked reports whether b is a list of ranks: `DP0 TP0`, `ATTN_CP1 MOE_DP0`,
// `gpu=4`, `RANK 3`. The dimensions grow in number: any short name in capitals
// that ends in a P is taken for one.
func ranked(b []byte) bool {
	if len(b) < 3 {
		return false
	}
	for len(b) > 0 {
		k := 0
		for k < len(b) && k < 12 && (b[k]-'A' <= 25 || b[k] == '_') {
			k++
		}
		switch {
		case k > 1 && b[k-1] == 'P' && b[0] != '_':
		case bytes.HasPrefix(b, []byte("gpu=")):
			k = len("gpu=")
		case bytes.HasPrefix(b, []byte("RANK ")):
			k = len("RANK ")
		default:
			return false
		}
		_, d := integer(b[k:])
		if d == 0 {
			return false
		}
		b = b[k+d:]
		if len(b) > 0 {
			if b[0] != ' ' {
				return false
			}
			b = b[1:]
		}
	}
	return true
}

// rankOf is the number behind a rank's name in a record's ranks, as text
// without leading zeros; nil if it is not there.
func (c *record) rankOf(name string) []byte {
	for b := c.rank; len(b) > len(name); {
		if string(b[:len(name)]) == name && isDigit(b[len(name)]) {
			_, n := integer(b[len(name):])
			return trimZeros(b[len(name) : len(name)+n])
		}
		i := bytes.IndexByte(b, ' ')
		if i < 0 {
			break
		}
		b = b[i+1:]
	}
	return nil
}

// trimZeros drops leading zeros of a label but for the last digit.
func trimZeros(b []byte) []byte {
	for len(b) > 1 && b[0] == '0' {
		b = b[1:]
	}
	return b
}

// location measures `path/file.py:123` at the start of b; 0 if it is none.
func location(b []byte) int {
	n := 0
	for n < len(b) && n < 100 && (isWord(b[n]) || b[n] == '/' || b[n] == '.' || b[n] == '-') {
		n++
	}
	if n < 3 || n+1 >= len(b) || b[n] != ':' {
		return 0
	}
	dot := bytes.LastIndexByte(b[:n], '.')
	switch string(b[dot+1 : n]) {
	case "py", "cc", "cpp", "rs", "go", "cu", "h", "java":
	default:
		return 0
	}
	_, d := integer(b[n+1:])
	if d == 0 {
		return 0
	}
	return n + 1 + d
}

// klogged reads `LMMDD hh:mm:ss.uuuuuu PID file.cc:NNN] `, or vLLM's old form
// without its opening bracket, `file.py:NNN] `.
func (c *record) klogged(b []byte) int {
	if k := location(b); k > 0 && k < len(b) && b[k] == ']' && c.loc == nil {
		c.loc = b[:k]
		return k + 1
	}
	if len(b) < 22 || !isDigit(b[1]) {
		return 0
	}
	l, ok := levelOf(b[:1])
	s, n := klogStamp(b[1:])
	if !ok || n == 0 {
		return 0
	}
	k := pidLocation(b[1+n:], c)
	if k == 0 {
		return 0
	}
	c.takeAt(s, b[1:], n)
	c.level, c.klog = l, true
	return 1 + n + k
}

// klogStamp reads `MMDD hh:mm:ss.uuuuuu`.
func klogStamp(b []byte) (s stamp, n int) {
	m, ok1 := two(b)
	d, ok2 := two(b[min(2, len(b)):])
	if !ok1 || !ok2 || len(b) < 13 || b[4] != ' ' || m < 1 || m > 12 || d < 1 || d > 31 {
		return s, 0
	}
	s = stamp{month: m, day: d, zoned: true} // klog writes UTC
	if n = s.clock(b[5:]); n == 0 {
		return stamp{}, 0
	}
	return s, 5 + n
}

// klogISO reads ` I 7139 file.cc:NNN] ` behind a stamp.
func klogISO(b []byte, c *record) int {
	if len(b) < 8 || b[0] != ' ' || b[2] != ' ' {
		return 0
	}
	l, ok := levelOf(b[1:2])
	if !ok {
		return 0
	}
	k := pidLocation(b[2:], c)
	if k == 0 {
		return 0
	}
	c.level, c.klog = l, true
	return 2 + k
}

// pidLocation reads ` PID file.cc:NNN]`.
func pidLocation(b []byte, c *record) int {
	n := 0
	for n < len(b) && b[n] == ' ' {
		n++
	}
	_, k := integer(b[n:])
	if n == 0 || k == 0 || n+k >= len(b) || b[n+k] != ' ' {
		return 0
	}
	n += k + 1
	e := location(b[n:])
	if e == 0 || n+e >= len(b) || b[n+e] != ']' {
		return 0
	}
	c.loc = b[n : n+e]
	return n + e + 1
}

// nextBracket finds the bracketed stamp of a second process's record that was
// written into the same line; 0 if there is none.
func nextBracket(text []byte) int {
	for from := 1; from < len(text); {
		i := bytes.IndexByte(text[from:], '[')
		if i < 0 {
			return 0
		}
		i += from
		if _, n := parseStamp(text[i+1:]); n > 0 {
			return i
		}
		from = i + 1
	}
	return 0
}
