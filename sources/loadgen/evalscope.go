package loadgen

import (
	"bytes"
)

// evalscopeLog is EvalScope's log: a cumulative snapshot as an object over many
// lines each so many requests. The last one counts.
var evalscopeLog = Format{
	Name: "evalscope", Versions: "fde259d (read)",
	Sniff: func(lines [][]byte) float64 {
		return max(holds(lines, "evalscope - INFO:"), holds(lines, `"Req Throughput (req/s)"`))
	},
	New:      func(*Options) parser { return newReport(readEvalscope) },
	Document: true,
}

func readEvalscope(text []byte, s *Summary) bool {
	i := bytes.LastIndex(text, []byte(`"Total Requests":`))
	if i < 0 {
		return false
	}
	from := bytes.LastIndexByte(text[:i], '{')
	to := bytes.IndexByte(text[i:], '}')
	if from < 0 || to < 0 {
		return false
	}
	text = text[from : i+to]
	value := func(key string) Num { return figure(after(text, `"`+key+`":`)) }
	s.Requests, s.OK, s.Failed = value("Total Requests"), value("Success Requests"), value("Failed Requests")
	s.DurationS, s.RateRPS = value("Test Duration (s)"), value("Req Throughput (req/s)")
	s.LatencyMS.Mean = value("Avg Latency (s)") * 1e3
	return s.Requests.known()
}
