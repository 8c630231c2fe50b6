package serverlog

import "bytes"

// generic reads servers of one's own: key=value lines and JSON lines with the
// usual names, and plain sentences for what happened to requests.
var generic = Format{
	Name:     "generic",
	Versions: "key=value and JSON lines with known keys",
	Hint:     "print running=, waiting=, batch_size= and batch_wait_ms= as key=value or JSON, or name the format with ,format=NAME",
	vote:     genericVote,
	parse:    genericParse,
}

func genericVote(c *record) float64 {
	var r Reading
	genericParse(c, &r)
	switch {
	case r.Set&(HasRunning|HasWaiting|HasBatch|HasBatchWait|HasKV|HasGenTPS|HasPromptTPS|HasLatency) != 0:
		return 0.2
	case r.Set != 0 && c.level != noLevel && c.stamp.dayed() && c.loc == nil:
		return 0.05
	}
	return 0
}

// sheet collects what one generic record says.
type sheet struct {
	r     *Reading
	msg   []byte // the message, if a key holds it
	level level
	user  bool      // a key says that the record carries user text
	words [320]byte // the record's own words, lower case, without pairs and quotes
	n     int
}

func genericParse(c *record, r *Reading) {
	s := sheet{r: r, level: c.level}
	switch {
	case c.obj.t != nil:
		var buf [maxKey]byte
		s.object(c.obj.t, c.obj.i, &buf, 0)
		if s.msg == nil {
			s.msg = c.text
		}
	case len(c.text) == 0:
		return
	case readAccess(c.text, r):
		return
	default:
		s.line(c.text)
	}
	if s.msg != nil {
		s.n = 0
		s.write(s.msg)
	}
	if !s.user {
		s.happened()
	}
	if s.level == errorLevel {
		r.fault()
	}
}

// line reads pairs and plain words of a text record.
func (s *sheet) line(b []byte) {
	var buf [maxKey]byte
	for len(b) > 0 {
		if isSpace(b[0]) {
			s.byte(' ')
			b = b[1:]
			continue
		}
		if k, n := key(b); n > 0 {
			v, m := value(b[n:])
			quoted := n < len(b) && b[n] == '"'
			if k = normal(&buf, 0, k); k != nil && v != nil {
				s.pair(k, v, quoted)
			}
			b = b[n+m:]
			continue
		}
		if b[0] == '"' { // quoted text may be anybody's
			_, n := value(b)
			b = b[n:]
			continue
		}
		n := 0
		for n < len(b) && !isSpace(b[n]) {
			n++
		}
		if b[n-1] == ':' && userWord(b[:n-1]) || string(b[:n]) == "user" && bytes.HasPrefix(b[n:], []byte(" said")) {
			return // what follows is a user's
		}
		s.write(b[:n])
		b = b[n:]
	}
}

// userWord reports whether a word with a colon behind it leads to what a user
// sent or was answered.
func userWord(b []byte) bool {
	for _, w := range [...]string{"prompt", "input", "user", "messages", "content", "output", "response", "completion"} {
		if len(b) == len(w) && startsLow(b, []byte(w)) {
			return true
		}
	}
	return false
}

func (s *sheet) byte(c byte) {
	if s.n < len(s.words) {
		s.words[s.n] = c
		s.n++
	}
}

func (s *sheet) write(b []byte) {
	for _, c := range b {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		s.byte(c)
	}
}

// object walks a JSON object; nested keys are joined with an underscore.
func (s *sheet) object(t *jsonText, of int32, buf *[maxKey]byte, prefix int) {
	for i := of + 1; i < t.nodes[of].next; i = t.nodes[i].next {
		n := &t.nodes[i]
		name := normal(buf, prefix, t.key(n))
		if name == nil {
			continue
		}
		switch n.kind {
		case jsonObject:
			if prefix < maxKey/2 {
				s.object(t, i, buf, len(name))
			}
		case jsonString:
			s.pair(name, t.text(n), true)
		case jsonNumber:
			if x, k := number(t.src[n.at:n.end]); k == int(n.end-n.at) {
				s.number(name, x, 1, 0)
			}
		}
	}
}

// pair reads one key whose value is text.
func (s *sheet) pair(k, v []byte, quoted bool) {
	switch string(k) {
	case "msg", "message", "body":
		if s.msg == nil {
			s.msg = v
		}
		return
	case "level", "lvl", "severity":
		if l, ok := levelOf(v); ok {
			s.level = l
		}
		return
	case "engine":
		if len(v) > 0 && len(v) <= maxKey {
			s.r.Engine = v
		}
		return
	case "event":
		for i, name := range outcomeNames {
			if i > 0 && string(v) == name {
				s.r.event(Outcome(i))
			}
		}
		return
	case "role", "prompt", "user_text":
		s.user = true
		return
	}
	x, n := number(v)
	if n == 0 {
		return
	}
	switch u, w := unit(v[n:]); {
	case n == len(v):
		s.number(k, x, 1, 0)
	case w > 0 && n+w == len(v) && u < 60e3: // no minutes: `m` is what is left of a cut `ms`
		s.number(k, x, u, 'd')
	case n+1 == len(v) && v[n] == '%':
		s.number(k, x, 1, '%')
	}
}

// number reads one key whose value is a number. kind is 'd' for a duration of
// x units of ms milliseconds, '%' for a percentage, 0 for a bare number.
func (s *sheet) number(k []byte, x, ms float64, kind byte) {
	r := s.r
	if !(x >= 0) || x > 1e15 {
		return
	}
	if s.config(k, x, ms, kind) {
		return
	}
	whole := kind == 0 && x == float64(int64(x))
	span := kind != '%'
	switch string(k) {
	case "running", "in_flight", "inflight", "active", "active_requests":
		if whole {
			r.running(int64(x))
		}
	case "waiting", "pending", "queue", "queue_len", "queue_length", "queue_depth", "queued":
		if whole {
			r.waiting(int64(x))
		}
	case "batch", "batch_size", "bs":
		if whole {
			r.batch(int64(x))
		}
	case "batch_wait", "batch_wait_ms", "wait", "queue_wait", "queue_wait_ms", "queue_time", "queue_time_ms":
		if span {
			r.batchWait(x * ms)
		}
	case "kv_usage", "kv_cache_usage", "kv":
		if kind == '%' {
			r.kv(x / 100)
		} else if kind == 0 {
			r.kv(x)
		}
	case "prompt_tps":
		if kind == 0 {
			r.promptTPS(x)
		}
	case "gen_tps", "generation_tps":
		if kind == 0 {
			r.genTPS(x)
		}
	case "latency", "latency_ms", "elapsed_ms", "duration", "duration_ms":
		if span {
			r.latency(x * ms)
		}
	case "preemptions", "preempted":
		if whole {
			r.preempted(int64(x))
		}
	case "exec_ms", "forward_ms", "step_ms":
		if span {
			r.exec(x * ms)
		}
	}
}

// config reads the settings that a start-up line of such a server tells.
func (s *sheet) config(k []byte, x, ms float64, kind byte) bool {
	switch string(k) {
	case "max_batch", "max_batch_size", "max_bs":
		if kind == 0 {
			s.r.maxBatch(x)
		}
	case "batch_timeout", "batch_timeout_ms", "max_batch_wait", "max_batch_wait_ms", "max_batch_delay", "max_batch_delay_ms", "batch_wait_limit_ms":
		if kind != '%' {
			s.r.configWait(x * ms)
		}
	case "kv_tokens", "kv_cache_tokens":
		s.r.kvTokens(x)
	case "slots", "n_slots":
		s.r.slots(x)
	default:
		return false
	}
	return true
}

// happenings are the words that tell what happened, lower case, in the order
// in which the first that stands counts.
var happenings = [...]struct {
	words string
	what  Outcome
}{
	{"queue full", QueueFull},
	{"queue is full", QueueFull},
	{"timed out", Timeout},
	{"timeout waiting", Timeout},
	{"connection reset", Reset},
	{"broken pipe", Reset},
	{"cancelled by client", Aborted},
	{"canceled by client", Aborted},
	{"client disconnected", Aborted},
	{"aborted", Aborted},
	{"rejected", Rejected},
	{"dropped", Dropped},
	{"finished", Finished},
	{"completed", Finished},
	{"started", Started},
	{"idle", Idle},
}

// happened looks for those words in the record's own text.
func (s *sheet) happened() {
	text := s.words[:s.n]
	if len(text) == 0 || s.r.Has(HasEvent) {
		return
	}
	if bytes.IndexByte(text, ':') >= 0 {
		for _, p := range [...]string{"prompt:", "input:", "user:"} {
			if i := bytes.Index(text, []byte(p)); i >= 0 {
				text = text[:i] // what follows is a user's
			}
		}
	}
	first := len(happenings)
	for i := 0; i < len(text); {
		if !wordBytes[text[i]] {
			i++
			continue
		}
		e := i + 1
		for e < len(text) && wordBytes[text[e]] {
			e++
		}
		if e-i < 3 || !happenStarts[pair(text[i], text[i+1])] {
			i = e
			continue
		}
		if bytes.HasPrefix(text[i:], []byte("user said")) {
			break
		}
		for j := range happenings[:first] {
			if startsWords(text[i:], happenings[j].words) && !(happenings[j].what == Rejected && bytes.Contains(text, []byte("retrying"))) {
				first = j
				break
			}
		}
		i = e
	}
	if first < len(happenings) && !(happenings[first].what > Error && s.level == errorLevel) {
		s.r.event(happenings[first].what)
	}
}

// pair is the index of a word's first two letters.
func pair(a, b byte) int { return int(a&31)<<5 | int(b&31) }

// happenStarts tells which first two letters such words have.
var happenStarts = func() (t [1024]bool) {
	for _, h := range happenings {
		t[pair(h.words[0], h.words[1])] = true
	}
	t[pair('u', 's')] = true
	return t
}()

// wordBytes are the bytes of words.
var wordBytes = func() (t [256]bool) {
	for i := range t {
		t[i] = isWord(byte(i))
	}
	return t
}()

// startsWords reports whether t starts with w and w ends there.
func startsWords(t []byte, w string) bool {
	n := len(w)
	return len(t) >= n && t[0] == w[0] && string(t[:n]) == w && (len(t) == n || !isWord(t[n]) && t[n] != '=')
}
