package serverlog

import "bytes"

// triton reads Triton Inference Server, whose default level says nothing of
// requests; its verbose level does.
//
// Origins: triton-inference-server/common src/logging.cc, server
// src/http_server.cc and src/grpc/infer_handler.cc, core src/scheduler_utils.cc.
var triton = Format{
	Name:     "triton",
	Versions: "22.x to 2026, plain, ISO 8601 and escaped messages",
	Hint:     "Triton logs requests and batches only with --log-verbose=1; for a live run give --metrics http://HOST:8002/metrics",
	wraps:    "trtllm",
	vote:     tritonVote,
	parse:    tritonParse,
}

func tritonVote(c *record) float64 {
	if c.klog && bytes.Contains(c.loc, []byte(".cc:")) && !batchManager(c.text) {
		return 1
	}
	return 0
}

func tritonParse(c *record, r *Reading) {
	if !c.klog {
		trtllmParse(c, r)
		return
	}
	if batchManager(c.text) {
		readBatchManager(c.text, r)
		return
	}
	t := bytes.TrimPrefix(c.text, []byte(`"`))
	switch {
	case bytes.HasPrefix(t, []byte("HTTP request: 2 ")):
		tritonRequest(t[len("HTTP request: 2 "):], r)
	case bytes.HasPrefix(t, []byte("model ")):
		tritonBatch(t[len("model "):], r)
	case bytes.HasPrefix(t, []byte("[request id: ")):
		tritonFailed(c, t, r)
	case bytes.HasPrefix(t, []byte("Cancellation notification received for ")):
		r.event(Aborted)
	case c.level == errorLevel:
		r.fault()
	}
}

// tritonRequest reads the path of a POST that has arrived.
func tritonRequest(path []byte, r *Reading) {
	path = bytes.TrimRight(path, `" `)
	const models = "/v2/models/"
	if !bytes.HasPrefix(path, []byte(models)) {
		return
	}
	model := path[len(models):]
	slash := bytes.IndexByte(model, '/')
	if slash <= 0 {
		return
	}
	switch string(model[bytes.LastIndexByte(model, '/')+1:]) {
	case "infer", "generate", "generate_stream":
		r.Engine = model[:slash]
		r.event(Started)
	}
}

// tritonBatch reads `M, instance I, executing N requests`: the real batch.
func tritonBatch(t []byte, r *Reading) {
	i := bytes.Index(t, []byte(", instance "))
	if i <= 0 {
		return
	}
	if v, ok := count(t[i:], []byte(", executing "), []byte(" requests")); ok {
		r.Engine = t[:i]
		r.batch(v)
	}
}

// tritonFailed reads why a request was not served.
func tritonFailed(c *record, t []byte, r *Reading) {
	const failed = "] Infer failed: "
	i := bytes.Index(t, []byte(failed))
	switch {
	case i >= 0 && bytes.Contains(t[i:], []byte("Exceeds maximum queue size")):
		r.event(QueueFull)
	case i >= 0 && bytes.Contains(t[i:], []byte("Request timeout expired")):
		r.event(Timeout)
	case c.level == errorLevel:
		r.fault()
	}
}
