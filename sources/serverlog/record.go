package serverlog

import (
	"bytes"
	"time"

	"benchtop/model"

	"github.com/valyala/fastjson"
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

// levelWords are the words and letters that servers print for a severity.
var levelWords = map[string]level{
	"TRACE": debugLevel, "DEBUG": debugLevel, "INFO": infoLevel, "NOTICE": infoLevel, "WARN": warnLevel, "WARNING": warnLevel,
	"ERROR": errorLevel, "CRITICAL": errorLevel, "FATAL": errorLevel, "PANIC": errorLevel,
	"trace": debugLevel, "debug": debugLevel, "info": infoLevel, "notice": infoLevel, "warn": warnLevel, "warning": warnLevel,
	"error": errorLevel, "critical": errorLevel, "fatal": errorLevel, "panic": errorLevel, "err": errorLevel, "ERR": errorLevel,
	"I": infoLevel, "W": warnLevel, "E": errorLevel, "D": debugLevel, "F": errorLevel, "V": debugLevel, "C": errorLevel,
	"Info": infoLevel, "Warning": warnLevel, "Error": errorLevel, "Debug": debugLevel, "Warn": warnLevel, "WRN": warnLevel, "INF": infoLevel, "DBG": debugLevel,
}

// record is one log record with everything in front of its text taken off.
// Its slices point into the line or into the stripper's buffers and are valid
// until the next line.
type record struct {
	text   []byte          // the message
	obj    *fastjson.Value // the object, if the record was one
	ship   bool            // obj is a collector's: the text inside has prefixes of its own
	level  level
	stamp  stamp         // the first stamp with a year, else the first that names a day
	clock  time.Duration // since the server's start
	ticked bool          // clock is valid
	proc   []byte        // innermost process: EngineCore_DP0
	outer  []byte        // outermost process: ServeReplica:app:Model
	core   []byte        // the process that runs an engine, wherever it stands: EngineCore_DP0
	port   []byte        // llama-server router: 42027
	rank   []byte        // what a bracket tells about ranks: "DP1 TP1", "gpu=4"
	loc    []byte        // source file and line, or logger name: loggers.py:257
	name   []byte        // logger name of a JSON or `name - LEVEL -` record
	tag    []byte        // GIN, TRT-LLM
	klog   bool          // the record had the LMMDD or ISO form of klog
	uvi    bool          // the record began `LEVEL:     ` as uvicorn's do
	part   bool          // the collector says that the next record continues this one
	rest   []byte        // a second JSON record that stood behind the first
	before stamp         // what the stamp was in front of a JSON record
	fresh  bool          // a stamp or label was read since the last level
}

// object is the server's own JSON record, nil if the record was text.
func (c *record) object() *fastjson.Value {
	if c.ship {
		return nil
	}
	return c.obj
}

// take keeps a stamp unless a better one came before.
func (c *record) take(s stamp) {
	if !s.dayed() || c.stamp.full() || c.stamp.dayed() && !s.full() {
		return
	}
	c.stamp = s
}

// at places the record in time; 0 if no stamp names a day.
func (c *record) at(year int, zone *time.Location) model.Instant {
	return c.stamp.instant(year, zone)
}

// stripper takes prefixes off lines. It reuses its buffers.
type stripper struct {
	plain []byte // a line without its colours
	json  [3]fastjson.Parser
}

// strip reads everything in front of a line's text, from the outside in.
func (s *stripper) strip(line []byte, c *record) {
	*c = record{}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	line = s.uncolour(line)
	c.text = line
	s.unwrap(c, 0)
}

// uncolour drops terminal control sequences, real ones and those that a
// collector spelled out.
func (s *stripper) uncolour(line []byte) []byte {
	if bytes.IndexByte(line, 0x1b) < 0 && !bytes.Contains(line, []byte("#033[")) && !bytes.Contains(line, []byte("^[[")) {
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
	c.prefixes()
	if depth < len(s.json) && len(c.text) > 1 && c.text[0] == '{' && !c.klog {
		s.envelope(c, depth)
		return
	}
	c.pairs()
}

// again strips a further record that stood in the same line. What the
// collector said of the line holds for it too.
func (s *stripper) again(text []byte, c *record) {
	outer := record{port: c.port, outer: c.outer, proc: c.proc, core: c.core}
	switch {
	case c.rest != nil:
		outer.stamp = c.before
	case c.stamp.full():
		outer.stamp = c.stamp
	}
	*c = outer
	c.text = text
	s.unwrap(c, 0)
}
