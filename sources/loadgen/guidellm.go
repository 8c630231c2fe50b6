package loadgen

import (
	"github.com/valyala/fastjson"
)

// guidellmReport is GuideLLM's json output: one object at the end, requests by
// status, unix seconds. Of several benchmarks in a file each is a run.
var guidellmReport = Format{
	Name: "guidellm", Versions: "0.8.1, 0.7.0 (read)",
	Sniff: func(lines [][]byte) float64 {
		return max(opens(lines, '{', `"generative_benchmarks_report"`), opens(lines, '{', `"benchmarks"`, `"scheduler_state"`))
	},
	New:      func(*Options) parser { return newJSONDocument(readGuideLLM) },
	Document: true,
}

func readGuideLLM(v *fastjson.Value, yield func(*Record)) error {
	all := v.GetArray("benchmarks")
	if all == nil {
		return badLine("no benchmarks")
	}
	b := all[max(len(all)-1, 0):] // a sweep: only its last benchmark is shown
	for _, b := range b {
		f := newFacts()
		f.Tool, f.Concurrency = "guidellm", amount(b.Get("config", "strategy", "streams"))
		yield(impliedRun(0, f))
		for _, group := range [...]string{"successful", "incomplete", "errored"} {
			for _, q := range b.GetArray("requests", group) {
				var r Record
				r.clear(KindEnd)
				guidellmRequest(q, group, &r)
				yield(&r)
			}
		}
	}
	return nil
}

func guidellmRequest(q *fastjson.Value, group string, r *Record) {
	t := q.Get("info", "timings")
	start, end := numeric(t.Get("request_start")), numeric(t.Get("request_end"))
	r.Start, r.At = unixFloat(start), unixFloat(end)
	if r.Start == 0 {
		r.Start, start = unixFloat(numeric(q.Get("request_start_time"))), numeric(q.Get("request_start_time"))
	}
	if r.At == 0 {
		r.At, end = unixFloat(numeric(q.Get("request_end_time"))), numeric(q.Get("request_end_time"))
	}
	if end >= start {
		r.Latency = end - start
	}
	if first := numeric(t.Get("first_token_iteration")); first >= start {
		r.TTFT = first - start
	}
	r.Prompt, r.Output = amount(q.Get("input_metrics", "text_tokens")), amount(q.Get("output_metrics", "text_tokens"))
	switch group {
	case "successful":
		r.Outcome = OK
	case "incomplete": // open when the tool stopped
		r.Outcome = Cancelled
	default:
		r.Outcome = reasonOutcome(str(q.Get("info", "error")))
	}
}
