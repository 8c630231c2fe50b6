package loadgen

import (
	"bytes"
)

// heyText is hey's summary. Latency covers answers only; a percentile that it
// could not fill is a row for percentile 0.
var heyText = Format{
	Name: "hey", Versions: "0.1.5, 0.1.4",
	Sniff:    func(lines [][]byte) float64 { return holds(lines, "Summary:", "  Slowest:", "  Fastest:") },
	New:      func(*Options) parser { return newReport(readHeyText) },
	Document: true,
}

func readHeyText(text []byte, s *Summary) bool {
	_, list, ok := bytes.Cut(text, []byte("Status code distribution:"))
	if !ok {
		return false
	}
	statuses, failures, _ := bytes.Cut(list, []byte("Error distribution:"))
	var by [outcomeCount]Num
	heyList(statuses, func(n Num, code, _ []byte) {
		c, _ := integer(code)
		by[outcomeOfStatus(int(c))] += n
	})
	heyList(failures, func(_ Num, count, text []byte) { by[outcomeOfError(text)] += figure(count) })
	s.OK = by[OK]
	s.ByKind = Kinds{Timeout: by[Timeout], Rejected: by[Rejected], Reset: by[ConnReset], HTTPError: by[HTTPError], Other: by[Other] + by[Cancelled]}
	s.Failed = s.ByKind.Timeout + s.ByKind.Rejected + s.ByKind.Reset + s.ByKind.HTTPError + s.ByKind.Other
	s.Requests = s.OK + s.Failed
	s.DurationS, s.RateRPS = figure(word(text, "Total:", 0)), figure(word(text, "Requests/sec:", 0))
	l := &s.LatencyMS
	l.Mean, l.Max = figure(word(text, "Average:", 0))*1e3, figure(word(text, "Slowest:", 0))*1e3
	for _, q := range [...]struct {
		label string
		to    *Num
	}{{"50%", &l.P50}, {"90%", &l.P90}, {"95%", &l.P95}, {"99%", &l.P99}} {
		rest := bytes.TrimLeft(after(text, "\n  "+q.label), "% ")
		*q.to = figure(word(rest, "in ", 0)) * 1e3
	}
	return true
}

// heyList reads rows of [NUMBER], a tab and a text that may begin with a count.
func heyList(text []byte, row func(n Num, bracket, rest []byte)) {
	for line := range bytes.Lines(text) {
		in, rest, ok := bytes.Cut(bytes.TrimSpace(line), []byte("]"))
		if !ok || len(in) < 2 || in[0] != '[' {
			continue
		}
		rest = bytes.TrimSpace(rest)
		row(figure(nth(bytes.Fields(rest), 0)), in[1:], rest)
	}
}
