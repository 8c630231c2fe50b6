package serverlog

import "bytes"

// infinity reads Infinity's Rich console. Its text is broken over lines at the
// terminal's width; only what stands whole on one line counts.
//
// Origins: michaelfeil/infinity infinity_emb/inference/batch_handler.py,
// infinity_emb/infinity_server.py.
var infinity = Format{
	Name:     "infinity",
	Versions: "0.0.50 to 2026, wrapped and plain",
	Hint:     "Infinity logs batches only with --log-level debug",
	vote: func(c *record) float64 {
		if bytes.HasPrefix(c.text, infinityName) && c.stamp.full() {
			return 1
		}
		return 0
	},
	parse: infinityParse,
}

var infinityName = []byte("infinity_emb ")

func infinityParse(c *record, r *Reading) {
	t := c.text
	if len(t) == 0 || c.structured() {
		return
	}
	if !bytes.HasPrefix(t, infinityName) {
		if !readAccess(t, r) && c.level == errorLevel && c.uvi {
			r.fault()
		}
		return
	}
	t = t[len(infinityName):]
	colon := bytes.IndexByte(t, ':')
	if colon < 0 {
		return
	}
	l, ok := levelOf(t[:colon])
	if !ok {
		return
	}
	r.Debug = l == debugLevel
	t = trimBlank(t[colon+1:])
	if i := bytes.Index(t, []byte("] ")); i > 0 && t[0] == '[' && i < 24 { // the emoji
		t = t[i+2:]
	}
	switch {
	case bytes.HasPrefix(t, []byte("Received request with ")):
		r.event(Started)
	case bytes.HasPrefix(t, []byte("batched ")):
		if v, ok := count(t, []byte("batched "), []byte(" requests,")); ok {
			r.batch(v)
		}
		infinityQueue(t, r)
	case bytes.HasPrefix(t, []byte("Inference on batch_size=")):
		if v, n := integer(t[len("Inference on batch_size="):]); n > 0 {
			r.batch(v)
		}
	case bytes.HasPrefix(t, []byte("Done in ")):
		if v, ok := figure(t, []byte("Done in "), []byte(" ms")); ok {
			r.event(Finished)
			r.latency(v)
		}
	case l == errorLevel:
		r.fault()
	}
}

// infinityQueue reads `queue remaining:  N`.
func infinityQueue(t []byte, r *Reading) {
	const key = "queue remaining: "
	i := bytes.Index(t, []byte(key))
	if i < 0 {
		return
	}
	if v, n := integer(trimBlank(t[i+len(key):])); n > 0 {
		r.waiting(v)
	}
}
