package loadgen

import (
	"github.com/valyala/fastjson"
)

// genaiPerf is perf_analyzer's profile export: one object at the end, unix
// nanoseconds. What failed is not in it.
var genaiPerf = Format{
	Name: "genai_perf", Versions: "2.59.0 (read)",
	Sniff: func(lines [][]byte) float64 {
		return opens(lines, '{', `"experiments"`, `"response_timestamps"`)
	},
	New:      func(*Options) parser { return newJSONDocument(readGenAIPerf) },
	Document: true,
	GoodOnly: true,
}

func readGenAIPerf(v *fastjson.Value, yield func(*Record)) error {
	all := v.GetArray("experiments")
	if len(all) == 0 {
		return badLine("no experiments")
	}
	e := all[len(all)-1]
	f := newFacts()
	f.Tool = "perf_analyzer"
	if string(str(e.Get("experiment", "mode"))) == "concurrency" {
		f.Concurrency = amount(e.Get("experiment", "value"))
	}
	yield(impliedRun(0, f))
	var o object
	for _, q := range e.GetArray("requests") {
		stamps := q.GetArray("response_timestamps")
		start, ok := o.decimal(q.Get("timestamp"), 0)
		if !ok || len(stamps) == 0 {
			continue
		}
		first, ok1 := o.decimal(stamps[0], 0)
		last, ok2 := o.decimal(stamps[len(stamps)-1], 0)
		if !ok1 || !ok2 || last < start {
			continue
		}
		var r Record
		r.clear(KindEnd)
		r.Outcome, r.Start, r.At = OK, start, last
		r.Latency, r.TTFT = last.Seconds(start), first.Seconds(start)
		yield(&r)
	}
	return nil
}
