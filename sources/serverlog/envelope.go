package serverlog

import (
	"bytes"

	"github.com/valyala/fastjson"
)

// Keys of JSON log records, lower case with `-` as `_`.
var (
	timeKeys  = [...]string{"asctime", "timestamp", "time", "ts", "@timestamp"}
	levelKeys = [...]string{"levelname", "level", "severity_text", "severity", "lvl"}
	textKeys  = [...]string{"log", "message", "msg", "body"}
)

// envelope opens a record that is a JSON object: a collector's (docker's json
// files, shippers) or the server's own. Text inside is stripped again. An
// object that is cut or broken leaves no text, so that nothing is read from it.
func (s *stripper) envelope(c *record, depth int) {
	if depth == 0 && s.docker(c) {
		return
	}
	if s.words != nil && !s.spoken(c.text) {
		c.text = nil
		return
	}
	end := objectEnd(c.text)
	if end == 0 {
		c.text = nil
		return
	}
	if rest := bytes.TrimLeft(c.text[end:], " \t,"); depth == 0 && len(rest) > 1 && rest[0] == '{' {
		c.rest = rest
	} else if len(rest) > 0 {
		end = len(c.text) // no clean end: let the parser refuse it
	}
	c.settle()
	c.before = c.stamp
	obj, err := s.json[depth].ParseBytes(c.text[:end])
	if err != nil || obj.Type() != fastjson.TypeObject {
		c.text = nil
		return
	}
	for _, k := range timeKeys {
		if v := obj.Get(k); v != nil {
			c.take(jsonStamp(v))
		}
	}
	for _, k := range levelKeys {
		if l, ok := levelOf(obj.GetStringBytes(k)); ok {
			c.level = l
			break
		}
	}
	if p := obj.GetStringBytes("processName"); p != nil {
		c.proc, c.core = p, p
	}
	for _, k := range [...]string{"name", "logger", "target"} {
		if n := obj.GetStringBytes(k); n != nil {
			c.name = n
			break
		}
	}
	c.obj, c.src = obj, c.text[:end]
	c.fresh = true
	c.text = nil
	for i, k := range textKeys {
		if v := obj.GetStringBytes(k); v != nil {
			if i == 0 {
				c.obj = nil // the collector's own object: nothing else in it is the server's
			}
			c.text = bytes.TrimRight(v, "\r\n")
			s.inner(c, depth)
			return
		}
	}
}

// docker opens a record of docker's json files in the form it is written in,
// if nothing but the line end is escaped in it.
func (s *stripper) docker(c *record) bool {
	const head, tail, stamped = `{"log":"`, `\n","stream":"std`, `","time":"`
	if len(c.text) < len(head) || string(c.text[:len(head)]) != head {
		return false
	}
	in := c.text[len(head):]
	i := bytes.IndexByte(in, '\\')
	if i < 0 || !bytes.HasPrefix(in[i:], []byte(tail)) || bytes.IndexByte(in[:i], '"') >= 0 {
		return false
	}
	end := in[i+len(tail):]
	if len(end) < 3 || !bytes.HasPrefix(end[3:], []byte(stamped)) || !bytes.HasSuffix(end, []byte(`"}`)) {
		return false
	}
	end = end[3+len(stamped) : len(end)-2]
	if bytes.IndexByte(end, '"') >= 0 {
		return false
	}
	c.take(textStamp(end))
	c.fresh = true
	c.text = in[:i]
	s.inner(c, 0)
	return true
}

// spoken reports whether any of the words that speak stands in a line.
func (s *stripper) spoken(line []byte) bool {
	for _, w := range s.words {
		if bytes.Contains(line, w) {
			return true
		}
	}
	return false
}

// objectEnd is the length of the JSON object at the start of b, 0 if it does
// not close.
func objectEnd(b []byte) int {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			for i++; i < len(b) && b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// inner strips a text that stood in an object. Its own stamps and level count
// only where the object had none.
func (s *stripper) inner(c *record, depth int) {
	if len(c.text) == 0 {
		return
	}
	if bytes.IndexByte(c.text, 0x1b) >= 0 {
		n := 0
		for i := 0; i < len(c.text); { // in place: the parser's buffer is ours
			if k := colour(c.text[i:]); k > 0 {
				i += k
				continue
			}
			c.text[n] = c.text[i]
			n, i = n+1, i+1
		}
		c.text = c.text[:n]
	}
	was := len(trimBlank(c.text))
	s.unwrap(c, depth+1)
	c.ship = c.ship || c.obj != nil && len(c.text) < was
}

// jsonStamp reads a time value: text in any known form, or a number.
func jsonStamp(v *fastjson.Value) stamp {
	switch v.Type() {
	case fastjson.TypeNumber:
		return epochStamp(v.GetFloat64())
	case fastjson.TypeString:
		return textStamp(v.GetStringBytes())
	}
	return stamp{}
}

// textStamp reads a time value of a key: any known form, or a number.
func textStamp(b []byte) stamp {
	if s, n := parseStamp(b); n > 0 {
		return s
	}
	if v, n := number(b); n > 0 && n == len(b) {
		return epochStamp(v)
	}
	return stamp{}
}
