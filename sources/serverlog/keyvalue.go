package serverlog

import "bytes"

// pairReach is how far into a record the keys for time and level are sought.
const pairReach = 400

// pairs looks for the stamp and the level of a record that writes them as
// key=value.
func (c *record) pairs() {
	if c.headed() || c.rank != nil || c.stamp.full() && c.level != noLevel {
		return
	}
	b := c.text[:min(len(c.text), pairReach)]
	for from := 0; ; {
		i := bytes.IndexByte(b[from:], '=')
		if i < 0 {
			return
		}
		i += from
		k := i
		for k > from && b[k-1] != ' ' {
			k--
		}
		from = i + 1
		if k == i {
			continue
		}
		switch string(b[k:i]) {
		case "time", "ts", "timestamp", "@timestamp", "asctime":
			v, n := value(b[i+1:])
			c.take(textStamp(v))
			from += n
		case "level", "lvl", "severity":
			v, n := value(b[i+1:])
			if l, ok := levelOf(v); ok && c.level == noLevel {
				c.level = l
			}
			from += n
		default:
			continue
		}
		if c.stamp.full() && c.level != noLevel {
			return
		}
	}
}

// valueOf is the value of a key that stands at the start or behind a blank;
// key includes the equals sign. Quotes are dropped.
func valueOf(b []byte, key string) []byte {
	for from := 0; ; {
		i := bytes.Index(b[from:], []byte(key))
		if i < 0 {
			return nil
		}
		i += from
		from = i + 1
		if i > 0 && b[i-1] != ' ' {
			continue
		}
		v, _ := value(b[i+len(key):])
		return v
	}
}

// value reads a value up to the next blank, or between quotes, and says how
// many bytes it took.
func value(b []byte) (v []byte, n int) {
	if len(b) > 0 && b[0] == '"' {
		for n = 1; n < len(b) && b[n] != '"'; n++ {
			if b[n] == '\\' {
				n++
			}
		}
		if n >= len(b) {
			return nil, len(b) // the quote never closes: a cut line
		}
		return b[1:n], n + 1
	}
	for n < len(b) && !isSpace(b[n]) {
		n++
	}
	v = b[:n]
	for len(v) > 0 && closes(v[len(v)-1]) {
		v = v[:len(v)-1]
	}
	return v, n
}

// closes reports whether a byte behind a value belongs to what stands around it.
func closes(c byte) bool {
	return c == ',' || c == ';' || c == ')' || c == ']' || c == '}'
}

// key reads the key in front of an equals sign at the start of b; n counts
// both, 0 if there is none.
func key(b []byte) (k []byte, n int) {
	for n < len(b) && (isWord(b[n]) || b[n] == '-' || b[n] == '.' || b[n] == '@') {
		n++
	}
	if n == 0 || n > maxKey || n == len(b) || b[n] != '=' {
		return nil, 0
	}
	return b[:n], n + 1
}

// maxKey bounds the keys that are looked at.
const maxKey = 64

// normal writes a key lower case with underscores into dst, behind prefix and
// an underscore if there is one; nil if it does not fit.
func normal(dst *[maxKey]byte, prefix int, k []byte) []byte {
	n := prefix
	if n > 0 {
		if n == len(dst) {
			return nil
		}
		dst[n] = '_'
		n++
	}
	if n+len(k) > len(dst) {
		return nil
	}
	for _, ch := range k {
		switch {
		case ch >= 'A' && ch <= 'Z':
			ch |= 0x20
		case ch == '-' || ch == '.':
			ch = '_'
		}
		dst[n] = ch
		n++
	}
	return dst[:n]
}
