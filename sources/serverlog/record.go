package serverlog

import (
	"bytes"
	"time"

	"benchtop/model"
)

// level is a record's severity.
type level uint8

const (
	noLevel level = iota
	debugLevel
	infoLevel
	warnLevel
	errorLevel
)

// levelOf reads the words and letters that servers print for a severity.
func levelOf(b []byte) (level, bool) {
	if len(b) == 0 || len(b) > 8 {
		return noLevel, false
	}
	switch string(b) {
	case "TRACE", "DEBUG", "trace", "debug", "Debug", "DBG", "D", "V":
		return debugLevel, true
	case "INFO", "NOTICE", "info", "notice", "Info", "INF", "I":
		return infoLevel, true
	case "WARN", "WARNING", "warn", "warning", "Warning", "Warn", "WRN", "W":
		return warnLevel, true
	case "ERROR", "CRITICAL", "FATAL", "PANIC", "error", "critical", "fatal", "panic", "err", "ERR", "Error", "E", "F", "C":
		return errorLevel, true
	}
	return noLevel, false
}

// record is one log record with everything in front of its text taken off.
// Its slices point into the line or into the stripper's buffers and are valid
// until the next line.
type record struct {
	text   []byte    // the message
	obj    jsonValue // the object, if the record was one
	src    []byte    // the object's text
	ship   bool      // obj is a collector's: the text inside has prefixes of its own
	level  level
	stamp  stamp         // the first stamp with a year, else the first that names a day
	clock  time.Duration // since the server's start
	ticked bool          // clock is valid
	proc   []byte        // innermost process: EngineCore_DP0
	where  []byte        // which of several servers whose logs were joined: a container, a pod, a replica
	core   []byte        // the process that runs an engine, wherever it stands: EngineCore_DP0
	port   []byte        // llama-server router: 42027
	rank   []byte        // what a bracket tells about ranks: "DP1 TP1", "gpu=4"
	loc    []byte        // source file and line, or logger name: loggers.py:257
	name   []byte        // logger name of a JSON or `name - LEVEL -` record
	tag    []byte        // GIN, TRT-LLM
	klog   bool          // the record had the LMMDD or ISO form of klog
	uvi    bool          // the record began `LEVEL:     ` as uvicorn's do
	voice  bool          // the model prints it: anybody's text
	part   bool          // the collector says that the next record continues this one
	rest   []byte        // a second JSON record that stood behind the first
	before stamp         // what the stamp was in front of a JSON record
	fresh  bool          // a stamp or label was read since the last level

	whole   int     // capacity of the line whose prefixes are read, 0 if it is none
	spans   [4]span // where digits stood that change from line to line
	stampAt span    // where the stamp that counts stands
	clockAt span
	raw     []byte // the stamp's text if it was not read yet
	bare    bool   // the last prefix was a stamp with nothing of its own behind it
	peeked  bool   // what was taken off depends on what follows
}

// object is the server's own JSON record; ok is false if the record was text.
func (c *record) object() (obj jsonValue, ok bool) {
	if c.ship {
		return jsonValue{}, false
	}
	return c.obj, c.obj.t != nil
}

// structured reports whether the record is a JSON object of the server's own.
func (c *record) structured() bool { return !c.ship && c.obj.t != nil }

// take keeps a stamp unless a better one came before.
func (c *record) take(s stamp) bool {
	if !s.dayed() || c.stamp.full() || c.stamp.dayed() && !s.full() {
		return false
	}
	c.stamp, c.raw = s, nil
	return true
}

// takeAt is take for a stamp of n bytes in front of b, within the line.
func (c *record) takeAt(s stamp, b []byte, n int) {
	at := c.mark(b, n)
	if c.take(s) {
		c.stampAt = at
	}
}

// mark notes that the first n bytes of b hold digits that change.
func (c *record) mark(b []byte, n int) span {
	if c.whole == 0 || c.whole-cap(b) > shapeMost {
		return span{}
	}
	s := span{int16(c.whole - cap(b)), int16(n)}
	for i := range c.spans {
		if c.spans[i].n == 0 {
			c.spans[i] = s
			break
		}
	}
	return s
}

// settle reads the stamp if only its place is known so far.
func (c *record) settle() {
	if c.raw == nil {
		return
	}
	s, n := parseStamp(c.raw)
	if n == 0 {
		s, _ = klogStamp(c.raw)
	}
	c.stamp, c.raw = s, nil
}

// at places the record in time; 0 if no stamp names a day.
func (c *record) at(year int, zone *time.Location) model.Instant {
	c.settle()
	return c.stamp.instant(year, zone)
}

// stripper takes prefixes off lines. It reuses its buffers.
type stripper struct {
	plain  []byte // a line without its colours
	narrow []byte // a line of two-byte characters in single ones
	album  *album // nil before the first line with prefixes
	json   [3]jsonText
	// plainText is a text inside an object without its colours.
	plainText []byte
}

// strip reads everything in front of a line's text, from the outside in.
func (s *stripper) strip(line []byte, c *record) {
	if len(line) > 1 && (line[0] == 0 || line[1] == 0 || line[0] >= 0xef) {
		line = s.unwide(line)
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	s.line(line, c)
	s.open(c, 0)
}

// unwide drops what stands in front of a text that is no part of it: a byte
// order mark, and the zeros that a file cut short under its writer begins with.
// Of two-byte characters, as a Windows shell redirects them, it drops every
// zero; what is left of those beyond ASCII says nothing to anybody.
func (s *stripper) unwide(line []byte) []byte {
	switch {
	case bytes.HasPrefix(line, []byte("\xef\xbb\xbf")):
		return line[3:]
	case bytes.HasPrefix(line, []byte("\xff\xfe")), bytes.HasPrefix(line, []byte("\xfe\xff")):
		line = line[2:]
	case line[0] >= 0xef:
		return line
	}
	rest := bytes.TrimLeft(line, "\x00")
	if len(rest) < 2 || rest[1] != 0 {
		return rest
	}
	s.narrow = s.narrow[:0]
	for _, b := range rest {
		if b != 0 {
			s.narrow = append(s.narrow, b)
		}
	}
	return s.narrow
}

// line takes the textual prefixes off a whole line.
func (s *stripper) line(line []byte, c *record) {
	if s.album == nil {
		s.album = new(album)
	} else if sh := s.album.find(line); sh != nil {
		sh.apply(line, c)
		if c.bare { // here there may be more
			if k := c.behind(line[sh.n-1:], !c.stamp.full() && line[sh.stamp.at]|0x20-'a' <= 25); k > 0 {
				c.text = trimBlank(line[sh.n-1+k:])
			}
		}
		c.text = s.uncolour(c.text)
		c.prefixes(false)
		return
	}
	*c = record{}
	plain := s.uncolour(line)
	c.text, c.whole = plain, cap(plain)
	c.prefixes(true)
	c.whole = 0
	n := len(plain) - len(c.text)
	if n > 0 && len(plain) != len(line) {
		n = unplain(line, n)
	}
	if n > 0 && n < len(line) {
		s.album.learn(line, plain, n, c)
	}
}

// uncolour drops terminal control sequences, real ones and those that a
// collector spelled out.
func (s *stripper) uncolour(line []byte) []byte {
	if !coloured(line) {
		return line
	}
	s.plain = s.plain[:0]
	for i := 0; i < len(line); {
		if n := colour(line[i:]); n > 0 {
			i += n
			continue
		}
		s.plain = append(s.plain, line[i])
		i++
	}
	return s.plain
}

// coloured reports whether a line holds such a sequence. All have a bracket.
func coloured(line []byte) bool {
	for from := 0; ; {
		i := bytes.IndexByte(line[from:], '[')
		if i < 0 {
			return false
		}
		i += from
		from = i + 1
		if i == 0 {
			continue
		}
		switch line[i-1] {
		case 0x1b:
			return true
		case '3':
			if i >= 4 && string(line[i-4:i]) == "#033" {
				return true
			}
		case '[':
			if i >= 2 && line[i-2] == '^' {
				return true
			}
		}
	}
}

// colour measures the control sequence at the start of b, 0 if there is none.
func colour(b []byte) int {
	n := 0
	switch {
	case b[0] == 0x1b && len(b) > 1 && b[1] == '[':
		n = 2
	case b[0] == '#' && bytes.HasPrefix(b, []byte("#033[")):
		n = 5
	case b[0] == '^' && bytes.HasPrefix(b, []byte("^[[")):
		n = 3
	default:
		return 0
	}
	for n < len(b) && (isDigit(b[n]) || b[n] == ';' || b[n] == '?') {
		n++
	}
	if n < len(b) && b[n]|0x20-'a' <= 25 {
		return n + 1
	}
	return 0
}

// unwrap alternates between textual prefixes and JSON envelopes.
func (s *stripper) unwrap(c *record, depth int) {
	c.prefixes(true)
	s.open(c, depth)
}

// open opens a record that is a JSON object.
func (s *stripper) open(c *record, depth int) {
	if depth < len(s.json) && len(c.text) > 1 && c.text[0] == '{' && !c.klog {
		s.envelope(c, depth)
		return
	}
	c.pairs()
}

// again strips a further record that stood in the same line. What the
// collector said of the line holds for it too.
func (s *stripper) again(text []byte, c *record) {
	c.settle()
	outer := record{where: c.where, port: c.port, proc: c.proc, core: c.core}
	switch {
	case c.rest != nil:
		outer.stamp = c.before
	case c.stamp.full():
		outer.stamp = c.stamp
	}
	line := c.stamp
	*c = outer
	c.text = text
	s.unwrap(c, 0)
	if c.raw == nil && !c.stamp.dayed() {
		c.stamp = line // a stamp without a year is still the line's
	}
}
