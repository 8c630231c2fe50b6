package loadgen

import (
	"bytes"
)

// wrkText is what wrk and wrk2 print at their end. Requests are answers of any
// status; what hangs for ever is in no number.
var wrkText = Format{
	Name: "wrk", Versions: "4.1.0, wrk2 (read)",
	Sniff: func(lines [][]byte) float64 {
		return min(holds(lines, " test @ "), holds(lines, " threads and "))
	},
	New:      func(*Options) parser { return newReport(readWrk) },
	Document: true,
}

func readWrk(text []byte, s *Summary) bool {
	i := bytes.Index(text, []byte(" requests in "))
	if i < 0 {
		return false
	}
	line := text[:i]
	answers := figure(bytes.TrimSpace(line[bytes.LastIndexByte(line, '\n')+1:]))
	s.DurationS = milliseconds(word(text, " requests in ", 0)) / 1e3
	connect, read, write, late := Num(0), Num(0), Num(0), Num(0)
	if e := after(text, "Socket errors:"); e != nil {
		connect, read, write, late = figure(word(e, "connect", 0)), figure(word(e, "read", 0)), figure(word(e, "write", 0)), figure(word(e, "timeout", 0))
	}
	bad := Num(0)
	if b := figure(after(text, "Non-2xx or 3xx responses:")); b.known() {
		bad = b
	}
	s.Requests, s.OK, s.Failed = answers, answers-bad, bad
	s.ByKind.Timeout, s.ByKind.Reset, s.ByKind.Other = late, read+write, connect
	s.RateRPS = figure(word(text, "Requests/sec:", 0))
	l := &s.LatencyMS
	l.Mean, l.Max = milliseconds(word(text, "Latency  ", 0)), milliseconds(word(text, "Latency  ", 2))
	for _, q := range [...]struct {
		label string
		to    *Num
	}{{"50", &l.P50}, {"90", &l.P90}, {"99", &l.P99}} {
		for _, form := range [...]string{"\n     " + q.label + "% ", "\n " + q.label + ".000% "} {
			if w := word(text, form, 0); w != nil {
				*q.to = milliseconds(w)
			}
		}
	}
	return true
}
