package serverlog

import "bytes"

// prefixes takes off what collectors, process managers and log handlers put in
// front of a record's text, in any order and number. It stops behind a source
// location, behind uvicorn's level and at the first thing it does not know:
// what follows is the message and may be anything.
//
// start says that nothing was taken off before.
func (c *record) prefixes(start bool) {
	b := c.text
	if !start {
		if c.name != nil && c.loc == nil {
			b = b[c.located(b):]
		}
		if c.headed() {
			c.text = trimBlank(b)
			return
		}
	}
	for step := 0; step < 24; step++ {
		t := trimBlank(b)
		if len(t) == 0 {
			break
		}
		bare := c.bare
		c.bare = false
		n, stop := c.one(t, start && step == 0)
		if n == 0 {
			c.bare = bare
			break
		}
		b = t[n:]
		if stop || c.headed() {
			break
		}
	}
	c.text = trimBlank(b)
}

// headed reports whether the prefixes read so far are those that only a message
// follows: a source location, uvicorn's level, llama.cpp's clock and level.
func (c *record) headed() bool {
	return c.loc != nil || c.uvi || c.ticked && c.level != noLevel
}

// one reads a single prefix at the start of b and says how long it is. stop
// means that the message follows.
func (c *record) one(b []byte, first bool) (n int, stop bool) {
	switch ch := b[0]; {
	case ch == '(':
		return c.process(b), false
	case ch == '[':
		return c.bracket(b)
	case isDigit(ch):
		if n = c.stamped(b); n > 0 {
			return n, false
		}
		if d, k := sinceStart(b); k > 0 && !c.ticked && k < len(b) && b[k] == ' ' {
			c.clock, c.ticked, c.clockAt = d, true, c.mark(b, k)
			l := letter(b[k:], c)
			c.peeked = c.peeked || l == 0 // another line may have one
			return k + l, false
		}
		return c.compose(b), false
	case ch == 'u' && c.level == noLevel:
		for _, w := range [...]string{"uvicorn.access ", "uvicorn.error "} { // KServe's layout
			if bytes.HasPrefix(b, []byte(w)) {
				return len(w), false
			}
		}
	case ch == '>' && len(b) > 1 && b[1] == ' ':
		return 2, false
	case ch == '*' && len(b) > 1 && b[1] == '*':
		return 2, false
	case ch == '|' && first && len(b) > 1 && b[1] == ' ':
		if _, k := parseStamp(trimBlank(b[1:])); k > 0 {
			return 1, false
		}
		return 0, false
	}
	if n, stop = c.levelled(b); n > 0 {
		return n, stop
	}
	if b[0]-'a' <= 25 && c.level != noLevel {
		if n = c.target(b); n > 0 {
			return n, c.loc != nil
		}
	}
	if n = c.podded(b); n > 0 {
		return n, false
	}
	if sentence(b) {
		return 0, false
	}
	if n = c.stamped(b); n > 0 {
		return n, false
	}
	if n = c.logger(b); n > 0 {
		return n, false
	}
	if n = c.klogged(b); n > 0 {
		return n, true
	}
	return c.compose(b), false
}

// sentence reports whether b can't begin with a prefix that begins with a word,
// a level aside: none of them has a bracket in its first word and all but that
// have a number, a bar or a dash behind it.
func sentence(b []byte) bool {
	n := 0
	for n < len(b) && n < 64 && b[n] != ' ' {
		if b[n] == ']' {
			return false
		}
		n++
	}
	for n < len(b) && b[n] == ' ' {
		n++
	}
	return n < len(b) && n < 64 && b[n] != '|' && b[n] != '-' && !isDigit(b[n])
}

// process reads `(Name pid=1) `, which may nest parentheses: `(Map(X) pid=1) `.
func (c *record) process(b []byte) int {
	depth := 0
	for i := 0; i < len(b) && i < 200; i++ {
		switch b[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth > 0 {
			continue
		}
		in := b[1:i]
		p := bytes.Index(in, []byte("pid="))
		if p < 2 || in[p-1] != ' ' || i+1 < len(b) && b[i+1] != ' ' {
			return 0
		}
		name := in[:p-1]
		if sp := bytes.IndexByte(name, ' '); sp > 0 {
			name = name[:sp] // VllmWorker rank=0
		}
		if c.where == nil && bytes.HasPrefix(name, replica) {
			c.where = in // with its process: there are as many as replicas
		}
		c.proc = name
		if bytes.HasPrefix(name, []byte("EngineCore")) {
			c.core = name
		}
		return i + 1
	}
	return 0
}

// stamped reads a stamp and what may follow it: a bar, CRI's stream and flag,
// or a journal's host and unit.
func (c *record) stamped(b []byte) int {
	s, n := parseStamp(b)
	if n == 0 || n < len(b) && isWord(b[n]) {
		return 0
	}
	c.takeAt(s, b, n)
	c.fresh = true
	k := c.behind(b[n:], b[0]|0x20-'a' <= 25 && !s.full())
	c.bare = k == 0
	return n + k
}

// behind measures what may follow a stamp: CRI's stream and flag, a journal's
// host and unit, a bar, a dash, a colon, klog's level and place. month says that
// the stamp is a system log's.
func (c *record) behind(rest []byte, month bool) int {
	if c.level != noLevel && len(rest) > 1 && rest[0] == ' ' && rest[1] != ' ' && rest[1] != '|' && rest[1] != '-' {
		return 0 // collectors write no level in front of their stamp
	}
	for _, stream := range [...]string{" stdout ", " stderr "} {
		if k := len(stream); len(rest) > k+1 && string(rest[:k]) == stream && (rest[k] == 'F' || rest[k] == 'P') && rest[k+1] == ' ' {
			c.part = rest[k] == 'P'
			return k + 1
		}
	}
	if k := journal(rest); k > 0 {
		return k
	}
	if month { // programs need not name a process
		if k := syslog(rest); k > 0 {
			return k
		}
	}
	if k := bar(rest); k > 0 {
		return k
	}
	if len(rest) > 2 && string(rest[:3]) == " - " {
		return 2
	}
	if len(rest) > 1 && rest[0] == ':' && rest[1] == ' ' {
		return 1
	}
	return klogISO(rest, c)
}

// levelled reads a level word: `INFO `, `INFO:     `. A second one counts only
// where a stamp or a label stands between, as in cloud exports.
func (c *record) levelled(b []byte) (n int, stop bool) {
	for n < len(b) && n < 9 && b[n]|0x20-'a' <= 25 {
		n++
	}
	if n == len(b) || n < 3 && b[0] != 'I' && b[0] != 'W' && b[0] != 'E' && b[0] != 'D' {
		return 0, false
	}
	if n == 1 {
		return llamaLetter(b, c), false
	}
	if b[n] != ' ' && b[n] != ':' || !c.fresh && (c.level != noLevel || b[0] >= 'a') {
		return 0, false
	}
	l, ok := levelOf(b[:n])
	if !ok {
		return 0, false
	}
	switch b[n] {
	case ' ':
		c.level, c.fresh = l, false
		return n + 1, false
	case ':':
		if n+1 < len(b) && b[n+1] != ' ' {
			k := dotted(b[n+1:])
			if k == 0 {
				return 0, false
			}
			c.level, c.fresh, c.name, c.peeked = l, false, b[n+1:n+k], true
			return n + 1 + k, true
		}
		c.level, c.fresh = l, false
		// uvicorn pads to ten; others write `LEVEL: text`.
		c.uvi = len(b) >= 10 && len(trimBlank(b[n+1:10])) == 0
		c.peeked = c.peeked || !c.uvi // another line may have the blanks
		return n + 1, c.uvi
	}
	return 0, false
}

// dotted measures `sglang.srt.managers.scheduler:`, the logger's name that
// Python's own layout has behind the level, `LEVEL:name:message`.
func dotted(b []byte) (n int) {
	dots := 0
	for n < len(b) && n < 100 && (isWord(b[n]) || b[n] == '.') {
		if b[n] == '.' {
			dots++
		}
		n++
	}
	if dots == 0 || n == len(b) || b[n] != ':' || isDigit(b[0]) {
		return 0
	}
	return n + 1
}

// letter reads ` I ` behind a clock since start.
func letter(b []byte, c *record) int {
	if len(b) > 2 && b[0] == ' ' && b[2] == ' ' {
		if l, ok := levelOf(b[1:2]); ok {
			c.level = l
			return 2
		}
	}
	return 0
}

// llamaLetter reads `I ` in front of one of llama.cpp's components, the form
// with levels and without stamps.
func llamaLetter(b []byte, c *record) int {
	if len(b) < 6 || b[1] != ' ' {
		return 0
	}
	for _, w := range [...]string{"slot ", "srv ", "que ", "cmn ", "main"} {
		if bytes.HasPrefix(b[2:], []byte(w)) {
			c.level, _ = levelOf(b[:1])
			c.peeked = true
			return 2
		}
	}
	return 0
}

// logger reads Python's `name - LEVEL - ` behind a stamp, or `LEVEL - ` alone.
func (c *record) logger(b []byte) int {
	if !c.stamp.dayed() || c.level != noLevel {
		return 0
	}
	n := 0
	for n < len(b) && n < 64 && (isWord(b[n]) || b[n] == '.') {
		n++
	}
	if n == 0 || !bytes.HasPrefix(b[n:], []byte(" - ")) {
		return 0
	}
	if l, ok := levelOf(b[:n]); ok && n > 1 {
		c.level = l
		return n + 3 + c.located(b[n+3:])
	}
	w := b[n+3:]
	k := 0
	for k < len(w) && k < 9 && isWord(w[k]) {
		k++
	}
	l, ok := levelOf(w[:k])
	if !ok || !bytes.HasPrefix(w[k:], []byte(" - ")) {
		return 0
	}
	c.level, c.name = l, b[:n]
	n += 3 + k + 3
	return n + c.located(b[n:])
}

// located reads `[pid=1 ppid=1] - file.py:12 - ` behind a logger's name and
// level; neither need stand there.
func (c *record) located(b []byte) (n int) {
	if bytes.HasPrefix(b, []byte("[pid=")) {
		if e := bytes.Index(b, []byte("] - ")); e > 0 {
			n = e + 4
		}
	}
	if e := location(b[n:]); e > 0 && bytes.HasPrefix(b[n+e:], []byte(" - ")) {
		c.loc = b[n : n+e]
		n += e + 3
	}
	return n
}
