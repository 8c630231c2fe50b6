package loadgen

import (
	"bytes"

	"github.com/valyala/fastjson"
)

// vegetaReportJSON is `vegeta report -type json`: nanoseconds; status 0 is no
// answer, whatever the reason.
var vegetaReportJSON = Format{
	Name: "vegeta_report_json", Versions: "12.13.0",
	Sniff: func(lines [][]byte) float64 {
		return opens(lines, '{', `"latencies"`, `"status_codes"`)
	},
	New:      func(*Options) parser { return newJSONReport(readVegetaReport) },
	Document: true,
}

func readVegetaReport(v *fastjson.Value, s *Summary) bool {
	by := codes(v.Get("status_codes"), numeric)
	s.Requests, s.RateRPS = num(v, 1, "requests"), num(v, 1, "rate")
	vegetaKinds(s, by)
	s.DurationS = num(v, 1e-9, "duration") + num(v, 1e-9, "wait")
	l := v.Get("latencies")
	s.LatencyMS = Quantiles{
		Mean: num(l, 1e-6, "mean"), P50: num(l, 1e-6, "50th"), P90: num(l, 1e-6, "90th"), P95: num(l, 1e-6, "95th"),
		P99: num(l, 1e-6, "99th"), P999: noNum(), Max: num(l, 1e-6, "max"), N: s.Requests,
	}
	return s.Requests.known()
}

func vegetaKinds(s *Summary, by [outcomeCount]Num) {
	s.OK = by[OK]
	s.Failed = s.Requests - s.OK
	s.ByKind.Rejected, s.ByKind.HTTPError, s.ByKind.Other = by[Rejected], by[HTTPError], by[NoOutcome]
}

// vegetaReportText is `vegeta report`, redrawn each period with -every: the last
// block counts.
var vegetaReportText = Format{
	Name: "vegeta_report", Versions: "12.13.0",
	Sniff: func(lines [][]byte) float64 {
		return holds(lines, "[total, rate, throughput]", "[min, mean, 50, 90, 95, 99, max]")
	},
	New:      func(*Options) parser { return newReport(readVegetaText) },
	Document: true,
}

func readVegetaText(text []byte, s *Summary) bool {
	i := bytes.LastIndex(text, []byte("Requests      [total"))
	if i < 0 || !bytes.Contains(text[i:], []byte("Status Codes")) {
		return false
	}
	text = text[i:]
	row := func(label string) [][]byte {
		return bytes.FieldsFunc(after(text, label), func(r rune) bool { return r == ' ' || r == ',' })
	}
	n, d, l := row("[total, rate, throughput]"), row("[total, attack, wait]"), row("99, max]")
	if len(n) < 2 || len(d) < 1 || len(l) < 7 {
		return false
	}
	s.Requests, s.RateRPS, s.DurationS = figure(n[0]), figure(n[1]), milliseconds(d[0])/1e3
	s.LatencyMS = Quantiles{
		Mean: milliseconds(l[1]), P50: milliseconds(l[2]), P90: milliseconds(l[3]), P95: milliseconds(l[4]),
		P99: milliseconds(l[5]), P999: noNum(), Max: milliseconds(l[6]), N: s.Requests,
	}
	var by [outcomeCount]Num
	for _, w := range bytes.Fields(after(text, "[code:count]")) {
		code, count, _ := bytes.Cut(w, []byte(":"))
		if c, ok := integer(code); ok {
			by[outcomeOfStatus(int(c))] += figure(count)
		}
	}
	vegetaKinds(s, by)
	return true
}
