package serverlog

import "bytes"

// lmdeploy reads LMDeploy's statistics and its session lines.
//
// Origin: InternLM/lmdeploy lmdeploy/metrics/loggers.py.
var lmdeploy = Format{
	Name:     "lmdeploy",
	Versions: "July 2025 to mid 2026, three wordings",
	Hint:     "LMDeploy prints statistics only with --enable-metrics and while tokens move; --metrics http://HOST:PORT/metrics tells more",
	silent:   answered,
	vote:     lmdeployVote,
	parse:    lmdeployParse,
	split: func(c *record) int {
		if bytes.HasPrefix(c.text, avgThr) || bytes.HasPrefix(c.text, avgPrompt) {
			return nextBracket(c.text)
		}
		return 0
	},
}

var (
	avgThr     = []byte("Avg thr (in/out): ")
	unfinished = []byte("Unfinished: ")
)

func lmdeployVote(c *record) float64 {
	switch {
	case string(c.name) == "lmdeploy" && !c.structured():
		return 1
	case bytes.HasPrefix(c.text, avgThr):
		return 1
	case bytes.HasPrefix(c.text, avgPrompt) && bytes.Contains(c.text, unfinished):
		return 1
	case string(c.tag) == "TM":
		return 0.5
	}
	return 0
}

func lmdeployParse(c *record, r *Reading) {
	t := c.text
	switch {
	case len(t) == 0:
	case bytes.HasPrefix(t, avgPrompt):
		r.Engine = c.rankOf("DP")
		vllmReadStats(t, r)
		r.Steps, r.Odd = true, r.Empty()
	case bytes.HasPrefix(t, avgThr):
		r.Engine = c.rankOf("DP")
		lmdeployStats(t, r)
		r.Steps, r.Odd = true, r.Empty()
	case string(c.name) == "lmdeploy":
		lmdeployRecord(c, t, r)
	case readAccess(t, r):
	case c.level == errorLevel:
		r.fault()
	case c.level == noLevel:
		bareReset(t, r)
	}
}

// lmdeployStats reads the wordings of 2026. Requests wait in two places.
func lmdeployStats(t []byte, r *Reading) {
	var in, out float64
	b := t[len(avgThr):]
	v, n := number(b)
	if n > 0 && bytes.HasPrefix(b[n:], []byte(" / ")) {
		in = v
		b = b[n+3:]
		if v, n = number(b); n > 0 && bytes.HasPrefix(b[n:], tokensPerS) {
			out = v
			r.promptTPS(in)
			r.genTPS(out)
		}
	}
	outer, ok1 := slashed(t, []byte("erver (completed/routed/waiting): "), 3)
	if !ok1 {
		outer, ok1 = slashed(t, []byte("erver (succeeded/failed/routed/waiting): "), 4)
	}
	engine, ok2 := slashed(t, []byte("Engine (running/waiting): "), 2)
	if ok2 {
		r.running(engine[0])
	}
	if ok1 && ok2 {
		w := outer[2]
		if outer[3] >= 0 {
			w = outer[3]
		}
		r.waiting(w + engine[1])
	}
	if v, ok := figure(t, []byte("KV cache: "), percent); ok {
		r.kv(v / 100)
	}
}

// slashed reads n integers `D / D / D,` behind key; missing ones are -1.
func slashed(t, key []byte, n int) (v [4]int64, ok bool) {
	v = [4]int64{-1, -1, -1, -1}
	i := bytes.Index(t, key)
	if i < 0 {
		return v, false
	}
	b := t[i+len(key):]
	for j := range n {
		x, k := integer(b)
		if k == 0 {
			return v, false
		}
		v[j], b = x, b[k:]
		if j < n-1 {
			if !bytes.HasPrefix(b, []byte(" / ")) {
				return v, false
			}
			b = b[3:]
		}
	}
	return v, bytes.HasPrefix(b, comma)
}

// ahead reports whether word stands in t in front of the first quote.
func ahead(t, word []byte, quote byte) bool {
	i := bytes.Index(t, word)
	return i >= 0 && bytes.IndexByte(t[:i], quote) < 0
}

// lmdeployRecord reads the engine's own records.
func lmdeployRecord(c *record, t []byte, r *Reading) {
	switch {
	case bytes.HasPrefix(t, []byte("session ")) && bytes.Contains(t, []byte(" finished, ")):
		if c.level == errorLevel || bytes.Contains(t, []byte(`reason "error"`)) {
			r.event(Error)
		} else {
			r.event(Finished)
		}
	case bytes.HasPrefix(t, []byte("[generate] session ")) && bytes.Contains(t, []byte(" got aborted")):
		r.event(Aborted)
	case bytes.HasPrefix(t, []byte("[safe_run] session ")) && bytes.Contains(t, []byte(" cancelled")):
		r.event(Aborted)
	case bytes.HasPrefix(t, []byte("api timeout: ")):
		r.event(Timeout)
	case c.level == errorLevel:
		r.fault()
	case ahead(t, []byte("EngineConfig("), '\''):
		if v, ok := after(t, "max_batch_size="); ok {
			r.maxBatch(v)
		}
		r.Restart = true
	}
}
