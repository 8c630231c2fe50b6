package loadgen

import (
	"bytes"
)

// abGnuplot is `ab -g`: rows sorted by total time, the start to the second, and
// no status.
var abGnuplot = Format{
	Name: "ab_gnuplot", Versions: "2.3",
	Sniff: func(lines [][]byte) float64 {
		return startsWith(lines, "starttime\tseconds\tctime\tdtime\tttime\twait")
	},
	New: func(*Options) parser { return &abRows{} },
}

type abRows struct {
	unheld
	rec Record
}

func (p *abRows) parse(line []byte, yield func(*Record)) error {
	f := bytes.Split(line, []byte("\t"))
	if string(f[0]) == "starttime" {
		return nil
	}
	if len(f) < 6 {
		return badLine("fewer than 6 columns")
	}
	start, ok := decimal(f[1], 9)
	took := float(f[4])
	if !ok || !(took >= 0) {
		return badLine("a row without seconds or ttime")
	}
	r := &p.rec
	r.clear(KindEnd)
	r.NoHorizon = true
	r.Start, r.Latency = start, took/1e3
	r.At = endOf(start, r.Latency)
	yield(r)
	return nil
}

// abPercentiles is `ab -e`: milliseconds by percentile.
var abPercentiles = Format{
	Name: "ab_percentiles", Versions: "2.3",
	Sniff:    func(lines [][]byte) float64 { return startsWith(lines, "Percentage served,Time in ms") },
	New:      func(*Options) parser { return newReport(readABPercentiles) },
	Document: true,
}

func readABPercentiles(text []byte, s *Summary) bool {
	l := &s.LatencyMS
	for line := range bytes.Lines(text) {
		p, ms, ok := bytes.Cut(bytes.TrimSpace(line), []byte(","))
		if !ok {
			continue
		}
		switch string(p) {
		case "50":
			l.P50 = figure(ms)
		case "90":
			l.P90 = figure(ms)
		case "95":
			l.P95 = figure(ms)
		case "99":
			l.P99 = figure(ms)
		}
	}
	return l.P99.known()
}
