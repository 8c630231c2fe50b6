package serverlog

import "bytes"

// Ranks of the keys of a JSON log record, lower case: of each sort the first
// that stands there counts.
const (
	textRanks  = 8
	levelRanks = 5
	timeRanks  = 6
	nameRanks  = 3
)

// headKeys are the members of a JSON record that stand for its prefixes and its
// text, by their ranks.
type headKeys struct {
	text  [textRanks]int32 // log, message, msg, body and what collectors call a line; 0 is none
	level [levelRanks]int32
	time  [timeRanks]int32
	name  [nameRanks]int32
	proc  int32
}

// note books member i if its key is one of those.
func (h *headKeys) note(key []byte, i int32) {
	var at *int32
	switch string(key) {
	case "log":
		at = &h.text[0]
	case "message":
		at = &h.text[1]
	case "msg":
		at = &h.text[2]
	case "body":
		at = &h.text[3]
	case "MESSAGE": // a journal
		at = &h.text[4]
	case "textPayload": // Google's
		at = &h.text[5]
	case "@message": // Amazon's
		at = &h.text[6]
	case "line": // Loki's
		at = &h.text[7]
	case "levelname":
		at = &h.level[0]
	case "level":
		at = &h.level[1]
	case "severity_text":
		at = &h.level[2]
	case "severity":
		at = &h.level[3]
	case "lvl":
		at = &h.level[4]
	case "asctime":
		at = &h.time[0]
	case "timestamp":
		at = &h.time[1]
	case "time":
		at = &h.time[2]
	case "ts":
		at = &h.time[3]
	case "@timestamp":
		at = &h.time[4]
	case "__REALTIME_TIMESTAMP":
		at = &h.time[5]
	case "name":
		at = &h.name[0]
	case "logger":
		at = &h.name[1]
	case "target":
		at = &h.name[2]
	case "processName":
		at = &h.proc
	default:
		return
	}
	if *at == 0 {
		*at = i
	}
}

// envelope opens a record that is a JSON object: a collector's (docker's json
// files, shippers) or the server's own. Text inside is stripped again. An
// object that is cut or broken leaves no text, so that nothing is read from it.
func (s *stripper) envelope(c *record, depth int) {
	if depth == 0 && s.docker(c) {
		return
	}
	t := &s.json[depth]
	src := c.text
	end := t.parse(src)
	c.text = nil
	if end == 0 {
		return
	}
	if rest := bytes.TrimLeft(src[end:], " \t,"); depth == 0 && len(rest) > 1 && rest[0] == '{' {
		c.rest = rest
		c.settle()
		c.before = c.stamp
	} else if len(rest) > 0 {
		return // no clean end
	}
	var h headKeys
	for i := int32(1); i < t.nodes[0].next; i = t.nodes[i].next {
		h.note(t.key(&t.nodes[i]), i)
	}
	s.head(c, t, &h)
	c.obj, c.src = t.root(), src[:end]
	c.fresh = true
	for i, at := range h.text {
		if at == 0 || t.nodes[at].kind != jsonString {
			continue
		}
		if i == 0 || i >= 4 {
			c.obj = jsonValue{} // the collector's own object: nothing else in it is the server's
		}
		if i == 5 {
			c.level = noLevel // what goes to stderr is an error to Google's, whatever it says
		}
		c.text = bytes.TrimRight(t.text(&t.nodes[at]), "\r\n")
		s.inner(c, depth)
		return
	}
}

// head takes over what an object says in the place of prefixes.
func (s *stripper) head(c *record, t *jsonText, h *headKeys) {
	for _, at := range h.time {
		if at != 0 {
			c.takeValue(t, &t.nodes[at])
		}
	}
	for _, at := range h.level {
		if at == 0 {
			continue
		}
		if l, ok := levelOf(t.text(&t.nodes[at])); ok {
			c.level = l
			break
		}
	}
	if h.proc != 0 {
		if p := t.text(&t.nodes[h.proc]); p != nil {
			c.proc, c.core = p, p
		}
	}
	for _, at := range h.name {
		if at != 0 && t.nodes[at].kind == jsonString {
			c.name = t.text(&t.nodes[at])
			break
		}
	}
}

// takeValue is take for a time value: text in any known form, or a number. One
// that begins as a date does is read only when somebody asks for it.
func (c *record) takeValue(t *jsonText, n *node) {
	if c.stamp.full() {
		return
	}
	switch b := t.src[n.at:n.end]; n.kind {
	case jsonNumber:
		if v, k := number(b); k == len(b) {
			c.take(epochStamp(v))
		}
	case jsonString:
		b = t.text(n)
		if len(b) >= 19 && b[4] == '-' && b[7] == '-' && b[13] == ':' && b[16] == ':' && isDigit(b[0]) && isDigit(b[5]) && isDigit(b[8]) && isDigit(b[11]) {
			c.stamp, c.raw = someStamp, b
			return
		}
		c.take(textStamp(b))
	}
}

// someStamp stands for a full stamp that was not read yet.
var someStamp = stamp{year: 1, month: 1, day: 1}

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

// inner strips a text that stood in an object. Its own stamps and level count
// only where the object had none.
func (s *stripper) inner(c *record, depth int) {
	if len(c.text) == 0 {
		return
	}
	if bytes.IndexByte(c.text, 0x1b) >= 0 {
		s.plainText = s.plainText[:0]
		for i := 0; i < len(c.text); {
			if k := colour(c.text[i:]); k > 0 {
				i += k
				continue
			}
			s.plainText = append(s.plainText, c.text[i])
			i++
		}
		c.text = s.plainText
	}
	was := len(trimBlank(c.text))
	s.unwrap(c, depth+1)
	c.ship = c.ship || c.obj.t != nil && len(c.text) < was
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
