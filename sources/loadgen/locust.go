package loadgen

import (
	"bytes"

	"benchtop/model"
)

// locustHistory is locust's stats_history.csv: a row of totals a second, flushed
// each ten seconds. Users are workers, not requests in flight.
var locustHistory = Format{
	Name: "locust_history", Versions: "2.12.1",
	Sniff: func(lines [][]byte) float64 { return startsWith(lines, "Timestamp,User Count,Type,Name,") },
	New:   func(*Options) parser { return &locustRows{} },
}

type locustRows struct {
	columns
	first, last model.Instant
	report      *Summary
}

func (p *locustRows) parse(line []byte, yield func(*Record)) error {
	p.split(line)
	if bytes.HasPrefix(line, []byte("Timestamp,")) {
		p.header()
		return nil
	}
	if string(p.get("Name")) != "Aggregated" {
		return nil // a row of one name
	}
	at, ok := decimal(p.get("Timestamp"), 9)
	if !ok {
		return badLine("a row without Timestamp")
	}
	if p.first == 0 {
		p.first = at
	}
	p.last = at
	var r Record
	r.clear(KindGauge)
	r.At, r.Target = at, p.number("User Count")
	yield(&r)
	s := newSummary()
	s.Requests, s.Failed = Num(p.number("Total Request Count")), Num(p.number("Total Failure Count"))
	s.OK = s.Requests - s.Failed
	l := &s.LatencyMS
	l.P50, l.Mean, l.Max = Num(p.number("Total Median Response Time")), Num(p.number("Total Average Response Time")), Num(p.number("Total Max Response Time"))
	p.report = s
	return nil
}

// flush tells the totals of the last row: they are cumulative.
func (p *locustRows) flush(last bool, yield func(*Record)) error {
	if last && p.report != nil {
		p.report.DurationS = Num(p.last.Seconds(p.first))
		yield(reportOf(p.report))
		p.report = nil
	}
	return nil
}

// locustStats is locust's stats.csv, rewritten in place: totals only.
var locustStats = Format{
	Name: "locust_stats", Versions: "2.12.1",
	Sniff:    func(lines [][]byte) float64 { return startsWith(lines, "Type,Name,Request Count,Failure Count,") },
	New:      func(*Options) parser { return newReport(readLocustStats) },
	Document: true,
}

func readLocustStats(text []byte, s *Summary) bool {
	var c columns
	for line := range bytes.Lines(text) {
		line = bytes.TrimRight(line, "\r\n")
		c.split(line)
		if bytes.HasPrefix(line, []byte("Type,")) {
			c.header()
		}
		if string(c.get("Name")) != "Aggregated" {
			continue
		}
		s.Requests, s.Failed = Num(c.number("Request Count")), Num(c.number("Failure Count"))
		s.OK, s.RateRPS = s.Requests-s.Failed, Num(c.number("Requests/s"))
		s.LatencyMS = Quantiles{
			Mean: Num(c.number("Average Response Time")), P50: Num(c.number("50%")), P90: Num(c.number("90%")), P95: Num(c.number("95%")),
			P99: Num(c.number("99%")), P999: Num(c.number("99.9%")), Max: Num(c.number("Max Response Time")), N: s.Requests,
		}
		return true
	}
	return false
}
