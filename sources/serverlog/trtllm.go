package serverlog

import "bytes"

// trtllm reads TensorRT-LLM: trtllm-serve's iteration log, the batch manager's
// JSON as Triton prints it, and the JSON of its metrics endpoint as lines.
//
// Origins: NVIDIA/TensorRT-LLM tensorrt_llm/_torch/pyexecutor/py_executor.py,
// pull requests 3914, 14206, 14734, 16323.
var trtllm = Format{
	Name:     "trtllm",
	Versions: "trtllm-serve early 2025 to July 2026, batch manager JSON 2023 on",
	Hint:     "trtllm-serve prints iterations only with print_iter_log: true in its configuration; its queue is only at --metrics http://HOST:PORT/metrics",
	silent:   answered,
	vote:     trtllmVote,
	parse:    trtllmParse,
	split: func(c *record) int {
		if bytes.HasPrefix(c.text, []byte("iter = ")) {
			return nextBracket(c.text)
		}
		return 0
	},
}

func trtllmVote(c *record) float64 {
	switch {
	case string(c.tag) == "TRT-LLM", string(c.tag) == "TensorRT-LLM":
		return 1
	case c.structured() && (c.obj.has("numActiveRequests") || c.obj.has("Active Request Count")):
		return 1
	case batchManager(c.text):
		return 1
	}
	return 0
}

// batchManager reports whether a text is the batch manager's JSON, bare or as
// a JSON string.
func batchManager(t []byte) bool {
	t = bytes.TrimPrefix(t, []byte(`"`))
	return len(t) > 1 && t[0] == '{' && bytes.Contains(t, []byte("Active Request Count"))
}

func trtllmParse(c *record, r *Reading) {
	t := c.text
	switch {
	case c.structured():
		trtllmObject(c, r)
	case len(t) == 0:
	case bytes.HasPrefix(t, []byte("iter = ")):
		trtllmIteration(t, r)
	case batchManager(t):
		readBatchManager(t, r)
	case readAccess(t, r):
	case c.level == errorLevel:
		r.fault()
	case c.level == noLevel && c.tag == nil:
		bareReset(t, r)
	default:
		trtllmConfig(t, r)
	}
}

// trtllmIteration reads one iteration, of each key where it stands first.
// num_generation_tokens holds padding and currank_total_requests is about
// fetching: neither is a request count.
func trtllmIteration(t []byte, r *Reading) {
	var first [len(iterationKeys)][]byte
	for len(t) > 0 {
		i := bytes.IndexByte(t, ',')
		if i < 0 {
			break
		}
		t = t[i:]
		for k, key := range iterationKeys {
			if len(t) > len(key) && t[2] == key[2] && first[k] == nil && string(t[:len(key)]) == key {
				first[k] = t[len(key):]
				break
			}
		}
		t = t[1:]
	}
	if _, n := integer(first[0]); n > 0 && n < len(first[0]) {
		r.Engine = trimZeros(first[0][:n])
	}
	for _, b := range first[1:3] {
		if v, n := integer(b); n > 0 && bytes.HasPrefix(b[n:], comma) {
			r.batch(v)
			break
		}
	}
	if v, n := integer(first[3]); n > 0 && bytes.HasPrefix(first[3][n:], comma) {
		r.running(v)
	}
	if v, n := number(first[4]); n > 0 && bytes.HasPrefix(first[4][n:], comma) {
		r.kv(v)
	}
	if v, n := number(first[5]); n > 0 && bytes.HasPrefix(first[5][n:], []byte("ms,")) {
		r.exec(v)
	} else if v, n := number(first[6]); n > 0 && bytes.HasPrefix(first[6][n:], []byte("s,")) {
		r.exec(v * 1e3)
	}
}

// iterationKeys are those of an iteration that count.
var iterationKeys = [...]string{
	", rank = ", ", num_scheduled_requests: ", ", num_scheduled_requests = ", ", num_active = ",
	", kv_cache_util = ", ", host_step_time = ", ", elapsed_time = ",
}

// readBatchManager reads the batch manager's JSON where it is complete.
func readBatchManager(t []byte, r *Reading) {
	end := bytes.TrimRight(t, ` "`)
	if len(end) == 0 || end[len(end)-1] != '}' {
		return
	}
	if v, ok := jsonCount(t, "Active Request Count"); ok {
		r.running(v)
	}
	if v, ok := jsonCount(t, "Scheduled Requests"); ok {
		r.batch(v)
	}
	used, ok1 := jsonCount(t, "Used KV cache blocks")
	most, ok2 := jsonCount(t, "Max KV cache blocks")
	if ok1 && ok2 && most > 0 {
		r.kv(float64(used) / float64(most))
	}
	if v, ok := jsonCount(t, "Max Request Count"); ok {
		r.maxBatch(float64(v))
	}
}

// jsonCount reads an integer of a key in JSON text, whose quotes may be
// escaped once more.
func jsonCount(t []byte, name string) (int64, bool) {
	i := bytes.Index(t, []byte(name))
	if i < 1 || t[i-1] != '"' {
		return 0, false
	}
	b := bytes.TrimLeft(t[i+len(name):], `\`)
	if len(b) < 3 || b[0] != '"' || b[1] != ':' {
		return 0, false
	}
	b = trimBlank(b[2:])
	v, n := integer(b)
	return v, n > 0 && n < len(b) && (b[n] == ',' || b[n] == '}')
}

// trtllmObject reads the statistics of the metrics endpoint, one object a line.
func trtllmObject(c *record, r *Reading) {
	o := c.obj
	if o.has("Active Request Count") { // the backend of 2023 without Triton's preamble
		readBatchManager(c.src, r)
		return
	}
	if v := o.get("attentionDpRank").digits(); v != nil { // one record for each, of its own work
		r.Engine = v
	}
	if v, ok := o.whole("numActiveRequests"); ok {
		r.running(v)
	}
	if v, ok := o.whole("numQueuedRequests"); ok {
		r.waiting(v)
	}
	if v, ok := o.whole("inflightBatchingStats", "numScheduledRequests"); ok {
		r.batch(v)
	}
	used, ok := o.number("kvCacheStats", "usedNumBlocks")
	if most, _ := o.number("kvCacheStats", "maxNumBlocks"); ok && most > 0 {
		r.kv(used / most)
	}
	if v, _ := o.number("iterLatencyMS"); v > 0 {
		r.exec(v)
	}
	if v, _ := o.number("maxNumActiveRequests"); v > 0 {
		r.maxBatch(v)
	}
}

// trtllmConfig reads start-up lines.
func trtllmConfig(t []byte, r *Reading) {
	for _, k := range [...]string{"TRTGPTModel maxNumSequences: ", "TRTGPTModel maxBatchSize: "} {
		if bytes.HasPrefix(t, []byte(k)) {
			if v, ok := after(t, k); ok {
				r.maxBatch(v)
			}
		}
	}
	if v, ok := after(t, "max tokens in paged KV cache ("); ok {
		r.kvTokens(v)
	}
	r.Restart = bytes.HasPrefix(t, []byte("Starting TensorRT LLM init"))
}
