package loadgen

import (
	"bytes"
)

// locustConsole is locust's tables on stderr: one each two seconds, and final
// ones, with the errors by text, which are complete.
var locustConsole = Format{
	Name: "locust_console", Versions: "2.12.1",
	Sniff: func(lines [][]byte) float64 {
		return max(holds(lines, "/INFO/locust."), holds(lines, "Type     Name", "# reqs      # fails"))
	},
	New:      func(*Options) parser { return &barred{state: locustState, parser: newReport(readLocustConsole)} },
	Document: true,
}

// locustState reads the totals of a table, printed each two seconds. The row of
// the same name below it tells percentiles, in other columns.
func locustState(line []byte) (barState, bool) {
	b := noState()
	rest, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("Aggregated"))
	if i := bytes.IndexByte(rest, '('); !ok || i < 0 {
		return b, false
	}
	b.done = float(nth(bytes.Fields(rest), 0))
	return b, b.done >= 0
}

func readLocustConsole(text []byte, s *Summary) bool {
	i := bytes.Index(text, []byte("Response time percentiles"))
	if i < 0 {
		return false
	}
	totals := text[:i]
	row := bytes.FieldsFunc(after(totals[max(bytes.LastIndex(totals, []byte("Aggregated")), 0):], "Aggregated"), func(r rune) bool { return r == ' ' || r == '|' })
	if len(row) < 8 {
		return false
	}
	failed, _, _ := bytes.Cut(row[1], []byte("("))
	s.Requests, s.Failed = figure(row[0]), figure(failed)
	s.OK, s.RateRPS = s.Requests-s.Failed, figure(row[6])
	l := &s.LatencyMS
	l.Mean, l.Max, l.N = figure(row[2]), figure(row[4]), s.Requests
	if p := bytes.Fields(after(text[i:], "Aggregated")); len(p) >= 9 {
		l.P50, l.P90, l.P95, l.P99, l.P999 = figure(p[0]), figure(p[4]), figure(p[5]), figure(p[7]), figure(p[8])
	}
	_, errors, ok := bytes.Cut(text[i:], []byte("Error report\n"))
	if !ok && s.Failed > 0 {
		return true
	}
	var by [outcomeCount]Num
	for line := range bytes.Lines(errors) {
		count, rest, _ := bytes.Cut(bytes.TrimSpace(line), []byte(" "))
		if n := figure(count); n.known() {
			by[reasonOutcome(rest)] += n
		}
	}
	s.ByKind = Kinds{Timeout: by[Timeout], Rejected: by[Rejected], Reset: by[ConnReset], HTTPError: by[HTTPError], Other: by[Other] + by[Cancelled]}
	return true
}
