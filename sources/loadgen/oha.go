package loadgen

import (
	"github.com/valyala/fastjson"
)

// ohaReport is oha's JSON report: seconds; an answer of any status is a success
// to it, and what its own end cut off is no failure.
var ohaReport = Format{
	Name: "oha_report", Versions: "b8cd846 (read)",
	Sniff: func(lines [][]byte) float64 {
		return opens(lines, '{', `"successRate"`, `"responseTimeHistogram"`)
	},
	New:      func(*Options) parser { return newJSONReport(readOha) },
	Document: true,
}

func readOha(v *fastjson.Value, s *Summary) bool {
	by := codes(v.Get("statusCodeDistribution"), numeric)
	if !by[OK].known() {
		return false
	}
	if errs := v.GetObject("errorDistribution"); errs != nil {
		errs.Visit(func(key []byte, v *fastjson.Value) {
			if string(key) == "aborted due to deadline" {
				return
			}
			o := outcomeOfError(key)
			if o == Other && string(key) == "connection error" {
				o = ConnReset
			}
			if n := numeric(v); n > 0 {
				by[o] += Num(n)
			}
		})
	}
	s.OK = by[OK]
	s.ByKind = Kinds{Timeout: by[Timeout], Rejected: by[Rejected], Reset: by[ConnReset], HTTPError: by[HTTPError], Other: by[Other] + by[Cancelled]}
	s.Failed = s.ByKind.Timeout + s.ByKind.Rejected + s.ByKind.Reset + s.ByKind.HTTPError + s.ByKind.Other
	s.Requests = s.OK + s.Failed
	s.DurationS, s.RateRPS = num(v, 1, "summary", "total"), num(v, 1, "summary", "requestsPerSec")
	s.LatencyMS = ohaLatency(v)
	return true
}

// ohaLatency reads the newer block in milliseconds, else the older percentiles
// in seconds; both are of answers of any status.
func ohaLatency(v *fastjson.Value) Quantiles {
	q := unknownQuantiles()
	if m := v.Get("metrics", "latency_ms"); m != nil {
		q.Mean, q.P50, q.P90, q.P95 = num(m, 1, "mean"), num(m, 1, "p50"), num(m, 1, "p90"), num(m, 1, "p95")
		q.P99, q.Max = num(m, 1, "p99"), num(m, 1, "max")
		return q
	}
	p := v.Get("latencyPercentiles")
	q.Mean, q.Max = num(v, 1e3, "summary", "average"), num(v, 1e3, "summary", "slowest")
	q.P50, q.P90, q.P95 = num(p, 1e3, "p50"), num(p, 1e3, "p90"), num(p, 1e3, "p95")
	q.P99, q.P999 = num(p, 1e3, "p99"), num(p, 1e3, "p99.9")
	return q
}
