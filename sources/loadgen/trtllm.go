package loadgen

import (
	"github.com/valyala/fastjson"
)

// trtllmReport is `trtllm-bench throughput --report_json`: the engine runs in
// the client's process, and one failed request ends it.
var trtllmReport = Format{
	Name: "trtllm_bench", Versions: "1.3.0 (read)",
	Sniff: func(lines [][]byte) float64 {
		return opens(lines, '{', `"request_info"`, `"world_info"`)
	},
	New:      func(*Options) parser { return newJSONReport(readTRTLLM) },
	Document: true,
}

func readTRTLLM(v *fastjson.Value, s *Summary) bool {
	q, p := v.Get("request_info"), v.Get("performance")
	s.Requests, s.Failed = num(q, 1, "num_requests"), 0
	s.OK = s.Requests
	s.AverageConcurrency = num(q, 1, "avg_num_concurrent_requests")
	s.DurationS, s.RateRPS = num(p, 1e-3, "total_latency_ms"), num(p, 1, "request_throughput_req_s")
	l := p.Get("request_latency_percentiles_ms")
	s.LatencyMS = Quantiles{
		Mean: num(l, 1, "average"), P50: num(l, 1, "p50"), P90: num(l, 1, "p90"), P95: num(l, 1, "p95"),
		P99: num(l, 1, "p99"), P999: num(l, 1, "p99.9"), Max: num(l, 1, "maximum"), N: s.Requests,
	}
	s.OutputTokens = noNum()
	return s.Requests.known()
}
