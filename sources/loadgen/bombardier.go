package loadgen

import (
	"bytes"

	"github.com/valyala/fastjson"
)

// bombardierJSON is `bombardier -p r -o json`: one object at the end, latency in
// microseconds, statuses by class, errors by text.
var bombardierJSON = Format{
	Name: "bombardier_json", Versions: "1.2.6",
	Sniff: func(lines [][]byte) float64 {
		return opens(lines, '{', `"numberOfConnections"`, `"req2xx"`)
	},
	New:      func(*Options) parser { return newJSONReport(readBombardier) },
	Document: true,
}

func readBombardier(v *fastjson.Value, s *Summary) bool {
	r := v.Get("result")
	if r == nil {
		return false
	}
	good := sum(num(r, 1, "req2xx"), num(r, 1, "req3xx"))
	s.OK = good
	s.Requests = sum(num(r, 1, "req1xx"), good, num(r, 1, "req4xx"), num(r, 1, "req5xx"), num(r, 1, "others"))
	s.Failed = s.Requests - good
	var by [outcomeCount]Num
	for _, e := range r.GetArray("errors") {
		by[outcomeOfError(str(e.Get("description")))] += num(e, 1, "count")
	}
	s.ByKind.Timeout, s.ByKind.Reset, s.ByKind.Other = by[Timeout], by[ConnReset], by[Other]
	l := r.Get("latency")
	p := l.Get("percentiles")
	s.LatencyMS = Quantiles{
		Mean: num(l, 1e-3, "mean"), P50: num(p, 1e-3, "50"), P90: num(p, 1e-3, "90"), P95: num(p, 1e-3, "95"),
		P99: num(p, 1e-3, "99"), P999: noNum(), Max: num(l, 1e-3, "max"), N: s.Requests,
	}
	s.DurationS = num(r, 1, "timeTakenSeconds")
	s.RateRPS = s.Requests / s.DurationS
	return s.Requests.known()
}

// bombardierText is the same as text.
var bombardierText = Format{
	Name: "bombardier", Versions: "1.2.6",
	Sniff:    func(lines [][]byte) float64 { return min(holds(lines, "Bombarding "), holds(lines, " connection(s)")) },
	New:      func(*Options) parser { return newReport(readBombardierText) },
	Document: true,
}

func readBombardierText(text []byte, s *Summary) bool {
	i := bytes.Index(text, []byte("Statistics "))
	if i < 0 || !bytes.Contains(text, []byte("Throughput:")) {
		return false
	}
	text = text[i:]
	class := func(label string) Num { return figure(word(text, label+" - ", 0)) }
	s.OK = sum(class("2xx"), class("3xx"))
	s.Requests = sum(s.OK, class("1xx"), class("4xx"), class("5xx"), class("others"))
	s.Failed = s.Requests - s.OK
	var by [outcomeCount]Num
	if _, list, ok := bytes.Cut(text, []byte("Errors:\n")); ok {
		for line := range bytes.Lines(list) {
			line = bytes.TrimSpace(line)
			i := bytes.LastIndex(line, []byte(" - "))
			if i < 0 {
				break
			}
			by[outcomeOfError(line[:i])] += figure(line[i+3:])
		}
	}
	s.ByKind.Timeout, s.ByKind.Reset, s.ByKind.Other = by[Timeout], by[ConnReset], by[Other]
	l := &s.LatencyMS
	l.Mean, l.Max = milliseconds(word(text, "Latency ", 0)), milliseconds(word(text, "Latency ", 2))
	for _, q := range [...]struct {
		label string
		to    *Num
	}{{"50%", &l.P50}, {"90%", &l.P90}, {"95%", &l.P95}, {"99%", &l.P99}} {
		*q.to = milliseconds(word(text, "  "+q.label, 0))
	}
	s.RateRPS = figure(word(text, "Reqs/sec", 0))
	return s.Requests.known()
}
