package serverlog

import "bytes"

// tgi reads Text Generation Inference, tei Text Embeddings Inference: both
// write with Rust's tracing, as text or JSON.
//
// Origins: huggingface/text-generation-inference router/src/server.rs,
// router/src/infer/mod.rs, router/src/logging.rs;
// huggingface/text-embeddings-inference router/src/http/server.rs, core/src/infer.rs.
var (
	tgi = Format{
		Name:     "tgi",
		Versions: "0.8 to 3.x, text, coloured and JSON",
		Hint:     "TGI's log has no batch size and no queue; give --metrics http://HOST:PORT/metrics",
		vote:     func(c *record) float64 { return tracingVote(c, []byte("text_generation_")) },
		parse:    tracingParse,
	}
	tei = Format{
		Name:     "tei",
		Versions: "1.0 to 1.8, text, coloured and JSON",
		Hint:     "TEI's log has no batch size and no queue; give --metrics http://HOST:PORT/metrics",
		vote:     func(c *record) float64 { return tracingVote(c, []byte("text_embeddings_")) },
		parse:    tracingParse,
	}
)

func tracingVote(c *record, crate []byte) float64 {
	if c.structured() {
		if bytes.HasPrefix(c.name, crate) {
			return 1
		}
		return 0
	}
	if c.level == noLevel || !c.stamp.zoned || !bytes.Contains(c.text, crate) {
		return 0
	}
	var s spans
	if s.read(c.text); bytes.HasPrefix(s.target, crate) {
		return 1
	}
	return 0
}

// success is the message of a request that ended well.
var success = []byte("Success")

func tracingParse(c *record, r *Reading) {
	var s spans
	switch {
	case c.structured():
		s.object(c)
	case len(c.text) == 0:
		return
	case c.level == noLevel:
		tracingConfig(c.text, r)
		return
	case c.level != errorLevel && !bytes.HasSuffix(c.text, success) && !bytes.Contains(c.text, []byte("max_batch_")) && !bytes.Contains(c.text, []byte("Args {")):
		return
	default:
		s.read(c.text)
		c.loc = s.loc
	}
	switch {
	case string(s.message) == "Success" && bytes.HasSuffix(s.target, []byte("::server")):
		r.event(Finished)
		if ms, n := duration(s.total); n > 0 && n == len(s.total) {
			r.latency(ms)
		}
		if ms, n := duration(s.queue); n > 0 && n == len(s.queue) {
			r.batchWait(ms)
		}
	case c.level == errorLevel:
		if v, n := integer(s.batch); n > 0 && n == len(s.batch) {
			r.batch(v)
		} else if s.size > 0 {
			r.batch(s.size)
		}
		tracingError(s.message, r)
	default:
		tracingConfig(s.message, r)
	}
}

// tracingError tells what an ERROR record is about.
func tracingError(msg []byte, r *Reading) {
	switch {
	case bytes.HasPrefix(msg, []byte("no permits available")):
		r.event(Rejected)
	case bytes.HasPrefix(msg, []byte("Entry response channel error.")), bytes.HasPrefix(msg, []byte("Entry response channel timed out.")),
		bytes.HasSuffix(msg, []byte("Receiver dropped.")):
		r.event(Dropped)
	default:
		r.fault()
	}
}

// tracingConfig reads arguments, which TGI prints one a line.
func tracingConfig(t []byte, r *Reading) {
	for _, k := range [...]string{"max_batch_size: Some(", "max_batch_requests: Some("} {
		if bytes.HasPrefix(t, []byte(k)) || bytes.HasPrefix(t, []byte("Args {")) {
			if v, ok := after(t, k); ok {
				r.maxBatch(v)
			}
		}
	}
	r.Restart = bytes.HasPrefix(t, []byte("Args {"))
}

// spans is one tracing record: the fields that matter of its spans, and what
// stands behind them.
type spans struct {
	total, queue, batch  []byte
	size                 int64 // batch, where JSON has it as a number
	target, loc, message []byte
}

// object takes the same from a JSON record.
func (s *spans) object(c *record) {
	s.message, s.target = c.text, c.name
	s.total = c.obj.text("span", "total_time")
	s.queue = c.obj.text("span", "queue_time")
	s.size, _ = c.obj.whole("span", "batch_size")
	list := c.obj.get("spans")
	for i := range list.children() {
		if n, ok := i.whole("batch_size"); ok && n > 0 && s.size == 0 {
			s.size = n
		}
	}
}

// read reads `span{fields}:span: target: file:line: message`. The fields can
// hold user text; it stands in quotes, and quotes inside it are escaped.
func (s *spans) read(t []byte) {
	for len(t) > 0 {
		n := 0
		for n < len(t) && (isWord(t[n]) || t[n] == '-') {
			n++
		}
		if n == 0 {
			break
		}
		if bytes.HasPrefix(t[n:], []byte("::")) || crate(t[:n]) {
			break // the target
		}
		t = t[n:]
		if len(t) > 0 && t[0] == '{' {
			e := s.fields(t)
			if e == 0 {
				return // cut inside a span
			}
			t = t[e:]
		}
		if len(t) == 0 || t[0] != ':' {
			break
		}
		t = trimBlank(t[1:])
	}
	i := bytes.Index(t, []byte(": "))
	if i < 0 || bytes.IndexByte(t[:i], ' ') >= 0 {
		s.message = t
		return
	}
	s.target, t = t[:i], t[i+2:]
	if n := location(t); n > 0 && bytes.HasPrefix(t[n:], []byte(": ")) {
		s.loc, t = t[:n], t[n+2:]
	}
	s.message = t
}

func crate(b []byte) bool {
	return bytes.HasPrefix(b, []byte("text_generation_")) || bytes.HasPrefix(b, []byte("text_embeddings_"))
}

// structural are the bytes that shape a span's fields.
var structural = [256]bool{'"': true, '{': true, '(': true, '[': true, '}': true, ')': true, ']': true, '=': true}

// fields walks `{key=value key="value"}` at the start of b and gives its
// length, 0 if it does not close.
func (s *spans) fields(b []byte) int {
	depth := 0
	for i := 0; i < len(b); i++ {
		for i < len(b) && !structural[b[i]] {
			i++
		}
		if i == len(b) {
			return 0
		}
		switch b[i] {
		case '"':
			for i++; i < len(b); i += 2 {
				if i += beforeQuote(b[i:]); i == len(b) || b[i] == '"' {
					break
				}
			}
		case '{', '(', '[':
			depth++
		case '}', ')', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		case '=':
			if depth == 1 {
				s.field(b, i)
			}
		}
	}
	return 0
}

// field keeps a field that matters; eq is where its equals sign stands.
func (s *spans) field(b []byte, eq int) {
	from := eq
	for from > 0 && isWord(b[from-1]) {
		from--
	}
	var dst *[]byte
	switch string(b[from:eq]) {
	case "total_time":
		dst = &s.total
	case "queue_time":
		dst = &s.queue
	case "batch_size":
		dst = &s.batch
	default:
		return
	}
	v := b[eq+1:]
	e := bytes.IndexAny(v, " }")
	if e < 0 {
		return
	}
	*dst = bytes.Trim(v[:e], `"`)
}
