package serverlog

import "bytes"

// ollama reads Ollama's three writers: GIN's access lines, slog's text, and
// the runner's raw output. Requests are counted from GIN alone.
//
// Origins: ollama/ollama server/routes.go, server/sched.go, llm/llama_server.go.
var ollama = Format{
	Name:     "ollama",
	Versions: "0.1 to 2026, Go runner and llama-server runner",
	Hint:     "Ollama tells neither its queue nor its batch, and requests only when they end",
	wraps:    "llamacpp",
	vote:     ollamaVote,
	parse:    ollamaParse,
}

func ollamaVote(c *record) float64 {
	switch {
	case string(c.tag) == "GIN":
		return 1
	case bytes.HasPrefix(c.text, []byte("[GIN-debug] ")):
		return 1
	case c.level != noLevel && !c.structured() && bytes.Contains(valueOf(c.text[:min(len(c.text), pairReach)], "source="), []byte(".go:")):
		return 0.7
	}
	return 0
}

func ollamaParse(c *record, r *Reading) {
	t := c.text
	switch {
	case c.structured() || len(t) == 0:
	case string(c.tag) == "GIN":
		ollamaAccess(t, r)
	case bytes.HasPrefix(t, []byte("slot ")), bytes.HasPrefix(t, []byte("srv ")):
		ollamaRunner(c, r)
	case bytes.HasPrefix(t, []byte("time=")):
		ollamaText(c, t, r)
	case bytes.HasPrefix(t, []byte("routes.go:")) && bytes.Contains(t, []byte(": INFO server config env=")):
		if v, ok := after(t, "OLLAMA_NUM_PARALLEL:"); ok && v > 0 {
			r.slots(v)
		}
	}
}

// ollamaAccess reads ` CODE | LATENCY | CLIENT | METHOD  "PATH"`.
func ollamaAccess(t []byte, r *Reading) {
	code, n := statusCode(t)
	bar1 := bytes.IndexByte(t, '|')
	if n == 0 || bar1 < 0 {
		return
	}
	rest := trimBlank(t[bar1+1:])
	ms, k := duration(rest)
	bar3 := bytes.LastIndexByte(rest, '|')
	if k == 0 || bar3 < 0 {
		return
	}
	call := trimBlank(rest[bar3+1:])
	sp := bytes.IndexByte(call, ' ')
	q := bytes.IndexByte(call, '"')
	if sp <= 0 || q < sp || len(call) < q+2 || call[len(call)-1] != '"' {
		return
	}
	if !inference(call[:sp], call[q+1:len(call)-1]) {
		return
	}
	if o := httpOutcome(code, Finished); o != NoOutcome {
		r.event(o)
		r.latency(ms)
	}
}

// ollamaRunner reads a llama-server runner for its slots only: its requests
// are counted where GIN tells them.
func ollamaRunner(c *record, r *Reading) {
	var in Reading
	llamaParse(c, &in)
	switch {
	case in.Event == Idle:
		llamaIdle(r)
	case in.Has(HasSlot):
		r.slot(in.Slot, in.Taken)
	}
}

// ollamaText reads slog's key=value records.
func ollamaText(c *record, t []byte, r *Reading) {
	c.loc = valueOf(t[:min(len(t), pairReach)], "source=")
	msg := valueOf(t, "msg=")
	switch {
	case bytes.Contains(msg, []byte("client closing the connection")), bytes.HasPrefix(msg, []byte("client connection closed")):
		r.event(Aborted)
	case c.level == errorLevel:
		r.fault()
	case bytes.HasPrefix(msg, []byte("Listening on ")):
		r.Restart = true
	case bytes.HasPrefix(msg, []byte("server config")):
		if v, ok := after(t, "OLLAMA_NUM_PARALLEL:"); ok && v > 0 {
			r.slots(v)
		}
	case bytes.Contains(msg, []byte("loading")):
		if v, n := integer(valueOf(t, "parallel=")); n > 0 && v > 0 {
			r.slots(float64(v))
		}
	}
}
