package loadgen

import (
	"bytes"
	"math"

	"github.com/valyala/fastjson"

	"benchtop/model"
)

// aiperfJSONL is AIPerf's profile_export.jsonl: one object per finished request,
// start and end in unix nanoseconds.
var aiperfJSONL = Format{
	Name: "aiperf_jsonl", Versions: "0.13.0",
	Sniff: func(lines [][]byte) float64 {
		return share(lines, func(l []byte) bool {
			return l[0] == '{' && bytes.Contains(l, []byte(`"metadata":`)) && bytes.Contains(l, []byte(`"request_start_ns":`)) &&
				bytes.Contains(l, []byte(`"request_end_ns":`))
		})
	},
	New: func(*Options) parser { return &aiperfLines{} },
}

type aiperfLines struct {
	unheld
	object
	rec Record
}

func (p *aiperfLines) parse(line []byte, yield func(*Record)) error {
	obj, err := p.open(line)
	if err != nil {
		return err
	}
	meta := obj.Get("metadata")
	if meta == nil {
		return badLine("no metadata")
	}
	start, ok1 := p.decimal(meta.Get("request_start_ns"), 0)
	end, ok2 := p.decimal(meta.Get("request_end_ns"), 0)
	if !ok1 || !ok2 || end < start {
		return badLine("no start or end")
	}
	r := &p.rec
	r.clear(KindEnd)
	r.Start, r.At, r.Latency = start, end, end.Seconds(start)
	if id := str(meta.Get("x_request_id")); len(id) > 0 {
		r.ID, r.Key = id, hashID(id)
	}
	m := obj.Get("metrics")
	r.TTFT = measure(m, "time_to_first_token")
	r.Output = either(measure(m, "output_sequence_length"), measure(m, "output_token_count"))
	r.Prompt = either(measure(m, "input_sequence_length"), measure(m, "error_isl"))
	if m != nil {
		r.Reused = measure(m, "http_req_connection_reused") // with its trace of HTTP, which 0.13 has on
	}
	r.Outcome = aiperfOutcome(obj.Get("error"), flag(meta.Get("was_cancelled")) == 1)
	if code := whole(obj.Get("error").Get("code")); code > 0 {
		r.Status = code
	}
	yield(r)
	return nil
}

// measure is a metric in base units by the unit it names.
func measure(m *fastjson.Value, name string) float64 {
	if m == nil {
		return math.NaN()
	}
	v := m.Get(name)
	if v == nil {
		return math.NaN()
	}
	x := amount(v.Get("value"))
	switch string(str(v.Get("unit"))) {
	case "ms":
		return x / 1e3
	case "us":
		return x / 1e6
	case "ns":
		return x / 1e9
	}
	return x
}

// either is a, or b where a is absent.
func either(a, b float64) float64 {
	if math.IsNaN(a) {
		return b
	}
	return a
}

func aiperfOutcome(e *fastjson.Value, cancelled bool) Outcome {
	if cancelled {
		return Cancelled
	}
	if e == nil || e.Type() != fastjson.TypeObject {
		return OK
	}
	switch code := whole(e.Get("code")); {
	case code == 499:
		return Cancelled
	case code >= 400:
		return outcomeOfStatus(code)
	}
	if o := outcomeOfError(str(e.Get("type"))); o != Other {
		return o
	}
	return outcomeOfError(str(e.Get("message")))
}

// unixFloat is unix seconds as a float.
func unixFloat(s float64) model.Instant {
	if !(s > 0 && s < maxSeconds) {
		return 0
	}
	return model.Instant(math.Round(s * 1e9))
}
