package loadgen

import (
	"github.com/valyala/fastjson"
)

// llmperfResponses is LLMPerf's individual_responses.json: one array at the
// end, without any times. A code that is no status doesn't tell a timeout from
// a reset.
var llmperfResponses = Format{
	Name: "llmperf", Versions: "f1d6bed (read)",
	Sniff: func(lines [][]byte) float64 {
		return opens(lines, '[', `"error_code"`, `"end_to_end_latency_s"`)
	},
	New:      func(*Options) parser { return newJSONDocument(readLLMPerf) },
	Document: true,
	Blind:    []Outcome{Timeout, ConnReset},
}

func readLLMPerf(v *fastjson.Value, yield func(*Record)) error {
	all := v.GetArray()
	if all == nil {
		return badLine("not an array")
	}
	for _, q := range all {
		var r Record
		r.clear(KindEnd)
		r.NoHorizon = true
		r.Prompt = amount(q.Get("number_input_tokens"))
		switch n := numeric(q.Get("error_code")); {
		case n >= 400:
			r.Status, r.Outcome = int(n), outcomeOfStatus(int(n))
		case n == n || len(str(q.Get("error_msg"))) > 0:
			r.Outcome = Other
		default:
			r.Outcome = OK
			r.Latency, r.TTFT, r.Output = amount(q.Get("end_to_end_latency_s")), amount(q.Get("ttft_s")), amount(q.Get("number_output_tokens"))
		}
		yield(&r)
	}
	return nil
}
