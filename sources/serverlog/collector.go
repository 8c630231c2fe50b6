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

// compose measures docker compose's `name-1  | `, which docker services and
// process managers write alike: `stack_name.1.id@node | `, `0|name  | `. Names
// hold no blank; the blanks behind one pad it to the longest name.
func (c *record) compose(b []byte) int {
	if c.level != noLevel || c.rank != nil || c.tag != nil || c.proc != nil {
		return 0
	}
	n := 0
	for n < len(b) && n < 80 && (isWord(b[n]) || b[n] == '-' || b[n] == '.' || b[n] == '@' || b[n] == '|' && n > 0 && isDigit(b[n-1])) {
		n++
	}
	if n == 0 || n == len(b) || b[n] != ' ' {
		return 0
	}
	name := b[:n]
	for n < len(b) && b[n] == ' ' {
		n++
	}
	if n < len(b) && b[n] == '|' && (n+1 == len(b) || b[n+1] == ' ') {
		c.where = name
		return n + 1
	}
	return 0
}

// podded measures stern's `pod-7d9f8b6c5-x2x9z container ` and, behind a stamp,
// the stream of a cloud's log, `ecs/name/id `. They count only where a record's
// own head follows: the names may be any words.
func (c *record) podded(b []byte) int {
	if c.level != noLevel || c.where != nil || c.proc != nil {
		return 0
	}
	n, dashes, slashes := 0, 0, 0
	for n < len(b) && n < 120 && (nameByte(b[n]) || b[n] == '/') {
		switch b[n] {
		case '-':
			dashes++
		case '/':
			slashes++
		}
		n++
	}
	if dashes == 0 && slashes == 0 || n+8 > len(b) || b[n] != ' ' {
		return 0
	}
	name := b[:n]
	switch {
	case slashes == 0:
		for n++; n < len(b) && n < 180 && nameByte(b[n]); n++ {
		}
		if n == len(name)+1 || n+8 > len(b) || b[n] != ' ' {
			return 0
		}
	case !c.stamp.full():
		return 0
	}
	if !heads(b[n+1:]) {
		return 0
	}
	c.where, c.peeked = name, true
	return n + 1
}

// heads reports whether b begins as records do: with a process, a level, a stamp
// or a stamp in brackets.
func heads(b []byte) bool {
	switch {
	case len(b) < 8:
		return false
	case b[0] == '(':
		return bytes.Contains(b[:min(len(b), 80)], []byte(" pid="))
	case b[0] == '[':
		_, k := parseStamp(b[1:])
		return k > 0
	}
	if _, k := parseStamp(b); k > 0 {
		return true
	}
	w := bytes.IndexAny(b[:8], " :")
	if w < 4 {
		return false
	}
	_, ok := levelOf(b[:w])
	return ok
}

// nameByte reports whether a byte may stand in a pod's or container's name.
func nameByte(c byte) bool { return isDigit(c) || c-'a' <= 25 || c == '-' || c == '.' }
