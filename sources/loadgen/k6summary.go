package loadgen

import (
	"github.com/valyala/fastjson"
)

// k6Summary is `k6 run --summary-export`: milliseconds. In http_req_failed the
// passes are the failed requests.
var k6Summary = Format{
	Name: "k6_summary", Versions: "1.8.1",
	Sniff: func(lines [][]byte) float64 {
		return max(opens(lines, '{', `"metrics": {`, `"http_req`), opens(lines, '{', `"metrics":{`, `"http_req`))
	},
	New:      func(*Options) parser { return newJSONReport(readK6Summary) },
	Document: true,
}

func readK6Summary(v *fastjson.Value, s *Summary) bool {
	m := v.Get("metrics")
	s.Requests, s.RateRPS = num(m, 1, "http_reqs", "count"), num(m, 1, "http_reqs", "rate")
	s.Failed, s.OK = num(m, 1, "http_req_failed", "passes"), num(m, 1, "http_req_failed", "fails")
	d := m.Get("http_req_duration")
	s.LatencyMS = Quantiles{
		Mean: num(d, 1, "avg"), P50: num(d, 1, "med"), P90: num(d, 1, "p(90)"), P95: num(d, 1, "p(95)"),
		P99: num(d, 1, "p(99)"), P999: num(d, 1, "p(99.9)"), Max: num(d, 1, "max"), N: s.Requests,
	}
	return s.Requests.known()
}
