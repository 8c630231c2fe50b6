package loadgen

import (
	"bytes"
	"math"

	"github.com/valyala/fastjson"
)

// vllmBench is `vllm bench serve --save-result --save-detailed`: one object at
// the end, arrays with a place per request, seconds of a monotonic clock.
var vllmBench = Format{
	Name: "vllm_bench", Versions: "2026 (read)",
	Sniff: func(lines [][]byte) float64 {
		return opens(lines, '{', `"num_prompts"`, `"request_rate"`, `"tokenizer_id"`)
	},
	New:      func(*Options) parser { return newJSONDocument(readVLLM) },
	Document: true, Relative: true,
}

// vllmText is what `vllm bench serve` prints at its end; the bar before it
// counts requests of any outcome.
var vllmText = Format{
	Name: "vllm_bench_text", Versions: "2026 (read)",
	Sniff: func(lines [][]byte) float64 {
		return max(holds(lines, "Serving Benchmark Result"), holds(lines, "Starting initial single prompt test run"))
	},
	New: func(*Options) parser {
		return &barred{state: readBar, parser: newReport(func(text []byte, s *Summary) bool {
			if !bytes.Contains(text, []byte("Serving Benchmark Result")) {
				return false
			}
			s.OK, s.Failed = figure(after(text, "Successful requests:")), figure(after(text, "Failed requests:"))
			s.Requests = sum(s.OK, s.Failed)
			s.DurationS = figure(after(text, "Benchmark duration (s):"))
			s.PeakConcurrency = figure(after(text, "Peak concurrent requests:"))
			s.OutputTokens = figure(after(text, "Total generated tokens:"))
			return s.OK.known()
		})}
	},
	Document: true,
}

// arrays are the arrays of one run with a place per request.
type arrays struct{ ttfts, itls, lens, inputs, errors, latencies, starts []*fastjson.Value }

func arraysOf(v *fastjson.Value) arrays {
	return arrays{
		ttfts: v.GetArray("ttfts"), itls: v.GetArray("itls"), lens: v.GetArray("output_lens"), inputs: v.GetArray("input_lens"),
		errors: v.GetArray("errors"), latencies: v.GetArray("latencies"), starts: v.GetArray("start_times"),
	}
}

func at(a []*fastjson.Value, i int) *fastjson.Value {
	if i < len(a) {
		return a[i]
	}
	return nil
}

// request reads place i. A failed request has zeros, which say nothing; an
// empty error text is a good one.
func (a *arrays) request(i int, zero float64, r *Record) {
	r.clear(KindEnd)
	text := str(at(a.errors, i))
	good := len(text) == 0
	r.Outcome = OK
	if !good {
		r.Outcome = reasonOutcome(text)
	}
	if r.Prompt = amount(at(a.inputs, i)); good {
		r.TTFT, r.Output = amount(at(a.ttfts, i)), amount(at(a.lens, i))
		r.Latency = amount(at(a.latencies, i))
		if itls := at(a.itls, i); math.IsNaN(r.Latency) && itls != nil { // older versions
			r.Latency = r.TTFT
			for _, t := range itls.GetArray() {
				r.Latency += amount(t)
			}
		}
	}
	if s := numeric(at(a.starts, i)); s >= zero {
		r.Start = runStart + span(s-zero)
		r.At = r.Start
		if e := endOf(r.Start, r.Latency); e != 0 {
			r.At = e
		}
	}
}

// lowest is the smallest number of a, NaN if there is none.
func lowest(a []*fastjson.Value) float64 {
	low := math.NaN()
	for _, v := range a {
		if f := numeric(v); !(f >= low) && !math.IsNaN(f) {
			low = f
		}
	}
	return low
}

func readVLLM(v *fastjson.Value, yield func(*Record)) error {
	if v.Type() != fastjson.TypeObject {
		return badLine("not an object")
	}
	f := newFacts()
	f.Tool, f.Concurrency, f.RatePerS = "vllm bench serve", amount(v.Get("max_concurrency")), amount(v.Get("request_rate"))
	yield(impliedRun(runStart, f))
	a := arraysOf(v)
	zero := lowest(a.starts)
	var r Record
	if a.errors != nil {
		for i := range a.errors {
			a.request(i, zero, &r)
			yield(&r)
		}
	}
	s := newSummary()
	s.OK, s.Failed = num(v, 1, "completed"), num(v, 1, "failed")
	s.Requests = sum(s.OK, s.Failed)
	s.DurationS, s.OutputTokens = num(v, 1, "duration"), num(v, 1, "total_output_tokens")
	s.PeakConcurrency = num(v, 1, "max_concurrent_requests")
	s.RateRPS = Num(float64(s.Requests) / float64(s.DurationS))
	s.LatencyOKMS.Mean, s.LatencyOKMS.P50, s.LatencyOKMS.P99 = num(v, 1, "mean_e2el_ms"), num(v, 1, "median_e2el_ms"), num(v, 1, "p99_e2el_ms")
	yield(reportOf(s))
	return nil
}

// reasons are HTTP reason phrases, which stand where a number should.
var reasons = map[string]int{
	"Too Many Requests": 429, "Service Unavailable": 503, "Internal Server Error": 500, "Bad Gateway": 502,
	"Gateway Timeout": 504, "Bad Request": 400, "Unauthorized": 401, "Forbidden": 403, "Not Found": 404,
	"Method Not Allowed": 405, "Request Timeout": 408, "Payload Too Large": 413, "Request Entity Too Large": 413,
	"Unprocessable Entity": 422, "Unprocessable Content": 422,
}

// reasonOutcome reads a reason phrase, a text with a status in it, or the last
// line of a traceback.
func reasonOutcome(text []byte) Outcome {
	text = bytes.TrimSpace(text)
	if code, ok := reasons[string(text)]; ok {
		return outcomeOfStatus(code)
	}
	if i := bytes.LastIndexByte(text, '\n'); i >= 0 {
		text = bytes.TrimSpace(text[i+1:])
	}
	if code := statusIn(text); code != 0 {
		return outcomeOfStatus(code)
	}
	return outcomeOfError(text)
}

// statusIn finds a status of 400 to 599 that stands as a word near the
// beginning of a text about HTTP; 0 if there is none.
func statusIn(text []byte) int {
	for i, w := range bytes.FieldsFunc(text, func(r rune) bool {
		return r == ' ' || r == ':' || r == '\'' || r == '"' || r == ',' || r == '(' || r == ')' || r == '='
	}) {
		if n, ok := integer(w); ok && len(w) == 3 && n >= 400 && n < 600 {
			return int(n)
		}
		if i > 12 {
			break
		}
	}
	return 0
}
