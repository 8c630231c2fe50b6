package loadgen

import (
	"bytes"

	"github.com/valyala/fastjson"
)

// sglangBench is the output file of SGLang's bench_serving: one line a run, with
// a place per request only if details were asked for, and no times.
var sglangBench = Format{
	Name: "sglang_bench", Versions: "2026 (read)",
	Sniff: func(lines [][]byte) float64 {
		return share(lines, func(l []byte) bool {
			return l[0] == '{' && bytes.Contains(l, []byte(`"sharegpt_output_len"`)) && bytes.Contains(l, []byte(`"max_concurrency"`))
		})
	},
	New: func(*Options) parser { return &sglangLines{} },
}

type sglangLines struct {
	unheld
	object
}

func (p *sglangLines) parse(line []byte, yield func(*Record)) error {
	v, err := p.value(line)
	if err != nil {
		if v, err = p.value(strict(line)); err != nil {
			return err
		}
	}
	f := newFacts()
	f.Tool, f.Name, f.Concurrency, f.RatePerS = "sglang bench_serving", string(str(v.Get("tag"))), amount(v.Get("max_concurrency")), amount(v.Get("request_rate"))
	run := impliedRun(0, f)
	run.Implied = false // each line is a run
	yield(run)
	a := arraysOf(v)
	var r Record
	for i := range a.errors {
		a.request(i, 0, &r)
		r.NoHorizon = true
		yield(&r)
	}
	yield(reportOf(sglangReport(v)))
	return nil
}

func sglangReport(v *fastjson.Value) *Summary {
	s := newSummary()
	s.OK, s.DurationS, s.OutputTokens = num(v, 1, "completed"), num(v, 1, "duration"), num(v, 1, "total_output_tokens")
	s.PeakConcurrency, s.AverageConcurrency = num(v, 1, "max_concurrent_requests"), num(v, 1, "concurrency")
	all := s.OK
	if n := len(v.GetArray("errors")); n > 0 {
		all = Num(n)
		s.Requests = all
	}
	s.RateRPS = Num(float64(all) / float64(s.DurationS))
	s.LatencyOKMS = Quantiles{
		Mean: num(v, 1, "mean_e2e_latency_ms"), P50: num(v, 1, "median_e2e_latency_ms"), P90: num(v, 1, "p90_e2e_latency_ms"),
		P95: num(v, 1, "p95_e2e_latency_ms"), P99: num(v, 1, "p99_e2e_latency_ms"), P999: noNum(), Max: noNum(), N: s.OK,
	}
	return s
}
