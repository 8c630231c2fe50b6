package serverlog

import "bytes"

// llamacpp reads llama-server's log: the forms of 2023, the structured text
// and JSON of 2024, and the present one with and without its prefix.
//
// Origin: ggml-org/llama.cpp tools/server, common/log.cpp. Function names are
// cut to twelve characters and change with refactoring: only the text behind
// them is matched.
var llamacpp = Format{
	Name:     "llamacpp",
	Versions: "llama-server 2023 to August 2026 (b10573), default level and above, router mode",
	Hint:     "llama-server's log never tells the queue; start it with --metrics and give --metrics http://HOST:PORT/metrics",
	vote:     llamaVote,
	parse:    llamaParse,
	split:    llamaSplit,
}

func llamaVote(c *record) float64 {
	if o, ok := c.object(); ok && o.has("function") && o.has("msg") && o.has("tid") {
		return 1
	}
	t := c.text
	switch {
	case c.ticked && c.level != noLevel:
		return 1
	case bytes.HasPrefix(t, []byte("slot ")):
		if bytes.Contains(t, []byte("| task ")) || bytes.Contains(t, []byte("is processing [task id: ")) {
			return 1
		}
	case bytes.HasPrefix(t, []byte("srv ")), bytes.HasPrefix(t, []byte("que ")):
		if i := bytes.IndexByte(t, ':'); i > 0 && i < 24 {
			return 1
		}
	case bytes.Contains(t, []byte(` | tid="`)):
		return 1
	case bytes.HasPrefix(t, []byte("main: server is listening on")):
		return 1
	}
	return 0
}

func llamaParse(c *record, r *Reading) {
	r.Engine = c.port
	t := c.text
	if len(t) == 0 {
		return
	}
	if o, ok := c.object(); ok && o.has("function") {
		llamaObject(c, r)
		return
	}
	if c.level == debugLevel {
		return // bodies and prompts stand there; what counts is told again above
	}
	if bytes.IndexByte(t, '"') >= 0 { // most have none
		if i := bytes.Index(t, []byte(` | tid="`)); i >= 0 {
			llamaStructured(c, t[:i], t[i:], r)
			return
		}
	}
	who, text := llamaHead(t)
	switch who {
	case 's': // slot id N | task N |
		llamaSlot(text, r)
	case 'v', 'q':
		llamaServer(text, r)
	default:
		llamaBare(text, r)
	}
	if c.level == errorLevel && r.Set == 0 && !r.Answer {
		r.fault()
	}
}

// llamaHead takes `slot launch_slot_: `, `srv  update_slots: ` or `que ` off a
// text and says which it was: s, v, q, or 0.
func llamaHead(t []byte) (who byte, text []byte) {
	switch {
	case bytes.HasPrefix(t, []byte("slot ")):
		who = 's'
	case bytes.HasPrefix(t, []byte("srv ")):
		who = 'v'
	case bytes.HasPrefix(t, []byte("que ")):
		who = 'q'
	default:
		return 0, t
	}
	i := bytes.IndexByte(t, ':')
	if i < 0 || i > 32 || i+2 > len(t) {
		return 0, t
	}
	if bytes.HasPrefix(t[i:], []byte("::")) || who == 's' && bytes.Contains(t[:i], []byte("[")) {
		return 0, t
	}
	return who, trimBlank(t[i+1:])
}

// llamaSlot reads `id  3 | task 0 | text`.
func llamaSlot(t []byte, r *Reading) {
	if !bytes.HasPrefix(t, []byte("id ")) {
		return
	}
	b := trimBlank(t[3:])
	id, n := integer(b)
	if n == 0 {
		return
	}
	i := bytes.Index(b[n:], []byte("| task "))
	if i < 0 || i > 2 {
		return
	}
	b = b[n+i+len("| task "):]
	bar := bytes.Index(b, []byte(" | "))
	if bar < 0 || bar > 24 {
		return
	}
	r.Request = requestID(r.Engine, b[:bar])
	text := trimBlank(b[bar+3:])
	switch {
	case bytes.HasPrefix(text, []byte("processing task")):
		r.event(Started)
		r.slot(id, true)
	case bytes.HasPrefix(text, []byte("stop processing: ")):
		r.event(Finished)
		r.slot(id, false)
	case bytes.HasPrefix(text, []byte("failed to decode the batch")):
		r.event(Error)
	default:
		llamaTotal(text, r)
	}
}

// llamaTotal reads `total time = F ms / N tokens`, the time of one request.
func llamaTotal(t []byte, r *Reading) {
	if !bytes.HasPrefix(t, []byte("total time")) {
		return
	}
	b := trimBlank(t[len("total time"):])
	if len(b) == 0 || b[0] != '=' {
		return
	}
	b = trimBlank(b[1:])
	if v, n := number(b); n > 0 && bytes.HasPrefix(b[n:], []byte(" ms")) {
		r.latency(v)
	}
}

// llamaServer reads records of srv and que.
func llamaServer(t []byte, r *Reading) {
	switch {
	case bytes.HasPrefix(t, []byte("all slots are idle")):
		llamaIdle(r)
	case bytes.HasPrefix(t, []byte("cancel task, id_task = ")):
		r.event(Aborted)
		r.Request = requestID(r.Engine, digits(t[len("cancel task, id_task = "):]))
	case bytes.HasPrefix(t, []byte("task id = ")) && bytes.Contains(t, []byte(", error: ")):
		r.event(Error)
		r.Request = requestID(r.Engine, digits(t[len("task id = "):]))
	case bytes.HasPrefix(t, []byte("failed to decode the batch")):
		r.event(Error)
	case bytes.HasPrefix(t, []byte("initializing")):
		llamaStart(t, r)
	default:
		llamaRequest(bytes.TrimPrefix(t, []byte("done ")), r)
	}
}

func llamaIdle(r *Reading) {
	r.running(0)
	r.event(Idle)
}

// llamaStart reads `initializing, n_slots = 4, n_ctx_slot = 512`: a new
// process, whose slots are all free.
func llamaStart(t []byte, r *Reading) {
	if v, ok := after(t, "n_slots = "); ok {
		r.slots(v)
		r.Restart = true
	}
}

// llamaRequest reads `request: POST path addr code`.
func llamaRequest(t []byte, r *Reading) {
	if !bytes.HasPrefix(t, []byte("request: ")) {
		return
	}
	t = bytes.TrimRight(t[len("request: "):], " ")
	sp := bytes.IndexByte(t, ' ')
	last := bytes.LastIndexByte(t, ' ')
	if sp <= 0 || last <= sp {
		return
	}
	code, n := statusCode(t[last:])
	path := trimBlank(t[sp:])
	if i := bytes.IndexByte(path, ' '); i > 0 {
		path = path[:i]
	}
	if n > 0 && inference(t[:sp], path) {
		r.event(httpOutcome(code, NoOutcome))
		r.Answer = true
	}
}

// llamaBare reads records without component: timing lines of old versions,
// and the forms of 2023.
func llamaBare(t []byte, r *Reading) {
	switch {
	case bytes.HasPrefix(t, []byte("total time")):
		llamaTotal(t, r)
	case bytes.HasPrefix(t, []byte("request: ")):
		llamaRequest(t, r)
	case bytes.HasPrefix(t, []byte("all slots are idle")):
		llamaIdle(r)
	case bytes.HasPrefix(t, []byte("slot ")):
		b := trimBlank(t[5:])
		id, n := integer(b)
		if n == 0 {
			return
		}
		switch {
		case bytes.HasPrefix(b[n:], []byte(" is processing [task id: ")):
			r.event(Started)
			r.slot(id, true)
		case bytes.HasPrefix(b[n:], []byte(" released (")):
			r.event(Finished)
			r.slot(id, false)
		}
	case bytes.HasPrefix(t, []byte("update_slots : failed to decode the batch")):
		r.event(Error)
	}
}

// llamaStructured reads 2024's `[ function] message | tid=".." key=value...`.
func llamaStructured(c *record, msg, pairs []byte, r *Reading) {
	if len(msg) > 0 && msg[0] == '[' {
		if i := bytes.IndexByte(msg, ']'); i > 0 {
			msg = bytes.Trim(msg[i+1:], " ")
		}
	}
	slot := int64(-1)
	if v, ok := after(pairs, " id_slot="); ok {
		slot = int64(v)
	}
	if string(msg) == "request" {
		code, ok := after(pairs, " status=")
		if ok && inference(quoted(pairs, ` method="`), quoted(pairs, ` path="`)) {
			r.event(httpOutcome(int64(code), NoOutcome))
			r.Answer = true
		}
		return
	}
	llamaMessage(msg, slot, r)
}

// quoted is the text between key and the next quote.
func quoted(b []byte, key string) []byte {
	i := bytes.Index(b, []byte(key))
	if i < 0 {
		return nil
	}
	b = b[i+len(key):]
	if e := bytes.IndexByte(b, '"'); e >= 0 {
		return b[:e]
	}
	return nil
}

// llamaMessage reads the messages of 2024's structured forms; slot is -1 if
// the record names none.
func llamaMessage(msg []byte, slot int64, r *Reading) {
	switch {
	case string(msg) == "slot is processing task":
		r.event(Started)
		if slot >= 0 {
			r.slot(slot, true)
		}
	case string(msg) == "slot released":
		r.event(Finished)
		if slot >= 0 {
			r.slot(slot, false)
		}
	case string(msg) == "all slots are idle":
		llamaIdle(r)
	case bytes.HasPrefix(msg, []byte("failed to decode the batch")):
		r.event(Error)
	case bytes.HasPrefix(msg, []byte("initializing slots")):
		r.Restart = true
	default:
		llamaTotal(msg, r)
	}
}

// llamaObject reads 2024's JSON lines.
func llamaObject(c *record, r *Reading) {
	if c.level == debugLevel {
		return
	}
	o := c.obj
	slot, ok := o.whole("id_slot")
	if !ok {
		slot = -1
	}
	switch {
	case string(c.text) == "slot data":
		if v, ok := o.whole("n_processing_slots"); ok {
			r.running(v)
		}
	case string(c.text) == "request":
		if inference(o.text("method"), o.text("path")) {
			code, _ := o.whole("status")
			r.event(httpOutcome(code, NoOutcome))
			r.Answer = true
		}
	default:
		if n, ok := o.number("n_slots"); ok && bytes.HasPrefix(c.text, []byte("initializing")) {
			r.slots(n)
		}
		llamaMessage(trimBlank(c.text), slot, r)
	}
}

// llamaSplit finds a second record on one line: messages without newline are
// followed by the next record's clock.
func llamaSplit(c *record) int {
	text := c.text
	for from := 0; ; {
		i := bytes.IndexByte(text[from:], '.')
		if i < 0 {
			return 0
		}
		i += from
		from = i + 1
		start := i
		for start > 0 && isDigit(text[start-1]) {
			start--
		}
		if start == i || start == 0 {
			continue
		}
		_, n := sinceStart(text[start:])
		if n == 0 || start+n+3 > len(text) {
			continue
		}
		rest := text[start+n:]
		if rest[0] != ' ' || rest[2] != ' ' || bytes.IndexByte([]byte("IWED"), rest[1]) < 0 {
			continue
		}
		// Inside quotes it is somebody's text.
		if bytes.Count(text[:start], []byte(`"`))%2 == 0 && bytes.Count(text[:start], []byte("'"))%2 == 0 {
			return start
		}
	}
}
