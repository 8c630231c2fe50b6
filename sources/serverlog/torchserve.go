package serverlog

import "bytes"

// torchserve reads TorchServe's console, access and metrics logs.
//
// Origin: pytorch/serve frontend/server/src/main/resources/log4j2.xml and the
// classes it names.
var torchserve = Format{
	Name:     "torchserve",
	Versions: "0.4 to 0.12, console and single files",
	Hint:     "TorchServe's log has no queue length and no batch size; it has waits only with metrics_mode=log",
	vote:     torchserveVote,
	parse:    torchserveParse,
}

// torchserveHead splits `THREAD LOGGER - message`.
func torchserveHead(t []byte) (thread, logger, msg []byte) {
	i, n := dash(t)
	if n == 2 {
		i = bytes.Index(t, []byte(" - "))
	}
	if i < 0 {
		return nil, nil, nil
	}
	head := t[:i]
	first := bytes.IndexByte(head, ' ')
	last := bytes.LastIndexByte(head, ' ')
	if first <= 0 {
		return nil, nil, nil
	}
	return head[:first], head[last+1:], t[i+3:]
}

func torchserveVote(c *record) float64 {
	if !c.stamp.full() || c.structured() {
		return 0
	}
	if c.level == noLevel {
		if bytes.HasPrefix(c.text, []byte("QueueTime.")) || len(c.text) > 0 && c.text[0] == '/' && bytes.Contains(c.text, []byte(` "POST /predictions/`)) {
			return 0.5
		}
		return 0
	}
	_, logger, _ := torchserveHead(c.text)
	switch string(logger) {
	case "ACCESS_LOG", "TS_METRICS", "MODEL_METRICS", "MODEL_LOG":
		return 1
	}
	if bytes.HasPrefix(logger, []byte("org.pytorch.serve.")) {
		return 1
	}
	return 0
}

func torchserveParse(c *record, r *Reading) {
	t := c.text
	if len(t) == 0 || c.structured() {
		return
	}
	if c.level == noLevel {
		torchserveBare(c, t, r)
		return
	}
	thread, logger, msg := torchserveHead(t)
	if bytes.HasPrefix(thread, []byte("W-")) {
		thread = bytes.TrimSuffix(thread, []byte("-stdout"))
		r.Engine = bytes.TrimSuffix(thread, []byte("-stderr"))
	}
	switch {
	case string(logger) == "MODEL_LOG", string(logger) == "MODEL_METRICS":
		c.voice = true
	case string(logger) == "ACCESS_LOG":
		torchserveAccess(msg, r)
	case string(logger) == "TS_METRICS":
		torchserveMetric(msg, r)
	case bytes.HasPrefix(msg, []byte("Waiting time ns: ")):
		if v, ok := count(msg, []byte("Waiting time ns: "), comma); ok {
			r.batchWait(float64(v) / 1e6)
			r.Teller = 2
		}
	case bytes.HasPrefix(msg, []byte("Load model failed: ")) && bytes.HasSuffix(msg, []byte("error: Worker died.")):
		r.event(Error)
	case bytes.HasPrefix(msg, []byte("Backend worker error")), bytes.HasPrefix(msg, []byte("Number or consecutive unsuccessful")):
		// the cause stands in the next line
	case c.level == errorLevel:
		r.fault()
	}
}

// torchserveBare reads records of the single files, whose layout has no level,
// and the lines that name a cause.
func torchserveBare(c *record, t []byte, r *Reading) {
	switch {
	case bytes.HasPrefix(t, []byte("org.pytorch.serve.")) && bytes.Contains(t, []byte("Backend worker did not respond in given time")):
		r.event(Timeout)
	case bytes.HasPrefix(t, []byte(`"batchSize": `)):
		if v, ok := after(t, `"batchSize": `); ok {
			r.maxBatch(v)
		}
	case bytes.HasPrefix(t, []byte(`"maxBatchDelay": `)):
		if v, ok := after(t, `"maxBatchDelay": `); ok {
			r.configWait(v)
		}
	case !c.stamp.full():
	case t[0] == '/':
		torchserveAccess(t, r)
	default:
		torchserveMetric(t, r)
	}
}

// torchserveAccess reads `/ADDR:PORT "METHOD URI PROTO" CODE MS`, written at
// the end of a request.
func torchserveAccess(t []byte, r *Reading) {
	i := bytes.IndexByte(t, ' ')
	if i < 0 || t[0] != '/' {
		return
	}
	method, path, code, rest, ok := requestLine(t[i+1:])
	if !ok || !inference(method, path) {
		return
	}
	o := httpOutcome(code, Finished)
	if o == NoOutcome {
		return
	}
	r.event(o)
	rest = bytes.Trim(rest, " ")
	if v, n := integer(rest); n > 0 && n == len(rest) {
		r.latency(float64(v))
	}
}

// torchserveMetric reads the waits among `Name.Unit:Value|#Dim:V|...`.
func torchserveMetric(t []byte, r *Reading) {
	scale, teller := 1.0, uint8(3)
	var b []byte
	switch {
	case bytes.HasPrefix(t, []byte("QueueTime.ms:")):
		b = t[len("QueueTime.ms:"):]
	case bytes.HasPrefix(t, []byte("QueueTime.Milliseconds:")):
		b = t[len("QueueTime.Milliseconds:"):]
	case bytes.HasPrefix(t, []byte("ts_queue_latency_microseconds.Microseconds:")):
		b, scale, teller = t[len("ts_queue_latency_microseconds.Microseconds:"):], 1e3, 1
	default:
		return
	}
	if v, n := number(b); n > 0 && n < len(b) && b[n] == '|' {
		r.batchWait(v / scale)
		r.Teller = teller
	}
}
