package loadgen

import (
	"github.com/valyala/fastjson"
)

// inferencePerf is inference-perf's per_request_lifecycle_metrics.json: one
// array at the end, seconds of a monotonic clock.
var inferencePerf = Format{
	Name: "inference_perf", Versions: "7de5ef2 (read)",
	Sniff: func(lines [][]byte) float64 {
		return opens(lines, '[', `"start_time"`, `"end_time"`, `"info"`)
	},
	New:      func(*Options) parser { return newJSONDocument(readInferencePerf) },
	Document: true, Relative: true,
}

func readInferencePerf(v *fastjson.Value, yield func(*Record)) error {
	all := v.GetArray()
	if all == nil {
		return badLine("not an array")
	}
	starts := make([]*fastjson.Value, len(all))
	for i, q := range all {
		starts[i] = q.Get("start_time")
	}
	zero := lowest(starts)
	for _, q := range all {
		start, end := numeric(q.Get("start_time")), numeric(q.Get("end_time"))
		if !(start >= zero && end >= start) {
			continue
		}
		var r Record
		r.clear(KindEnd)
		r.Start, r.At, r.Latency = runStart+span(start-zero), runStart+span(end-zero), end-start
		r.Prompt = either(amount(q.Get("info", "input_tokens")), amount(q.Get("info", "request_metrics", "text", "input_tokens")))
		metrics := q.Get("info", "response_metrics")
		r.Outcome = OK
		if e := q.Get("error"); e != nil && e.Type() == fastjson.TypeObject {
			if r.Outcome = reasonOutcome(str(e.Get("error_type"))); r.Outcome == Other {
				r.Outcome = outcomeOfError(str(e.Get("error_msg")))
			}
		} else {
			r.Output = either(amount(metrics.Get("output_tokens")), amount(q.Get("info", "output_tokens")))
			if t := metrics.GetArray("output_token_times"); len(t) > 0 {
				if first := numeric(t[0]); first >= start {
					r.TTFT = first - start
				}
			}
		}
		yield(&r)
	}
	return nil
}
