package loadgen

import (
	"math"

	"github.com/valyala/fastjson"
)

// llmLoadTest is llm-load-test's output: one object at the end of a level, unix
// seconds.
var llmLoadTest = Format{
	Name: "llm_load_test", Versions: "b27aad1 (read)",
	Sniff: func(lines [][]byte) float64 {
		return opens(lines, '{', `"results"`, `"user_id"`, `"tt_ack"`)
	},
	New:      func(*Options) parser { return newJSONDocument(readLLMLoadTest) },
	Document: true,
}

func readLLMLoadTest(v *fastjson.Value, yield func(*Record)) error {
	all := v.GetArray("results")
	if all == nil {
		return badLine("no results")
	}
	f := newFacts()
	f.Tool, f.Concurrency, f.DurationSeconds = "llm-load-test", amount(v.Get("config", "load_options", "concurrency")), amount(v.Get("config", "load_options", "duration"))
	yield(impliedRun(0, f))
	for _, q := range all {
		start, end := numeric(q.Get("start_time")), numeric(q.Get("end_time"))
		var r Record
		r.clear(KindEnd)
		r.Start, r.At = unixFloat(start), unixFloat(end)
		if end >= start {
			r.Latency = end - start
		}
		r.TTFT, r.Prompt, r.Output = amount(q.Get("ttft"))/1e3, amount(q.Get("input_tokens")), amount(q.Get("output_tokens"))
		r.Outcome = errorCode(q.Get("error_code"), str(q.Get("error_text")))
		yield(&r)
	}
	return nil
}

// errorCode reads a code that is null for a good request, a status, or
// something without an answer, told by its text.
func errorCode(code *fastjson.Value, text []byte) Outcome {
	n := numeric(code)
	if math.IsNaN(n) && len(text) == 0 && len(str(code)) == 0 {
		return OK
	}
	if o := outcomeOfStatus(int(n)); n >= 400 && o != NoOutcome {
		return o
	}
	if o := outcomeOfError(str(code)); o != Other {
		return o
	}
	return outcomeOfError(text)
}
