package loadgen

import (
	"bytes"
)

// abText is what ab prints at its end. Its failed requests count a lost
// connection twice and leave out bad statuses, which are one number.
var abText = Format{
	Name: "ab", Versions: "2.3",
	Sniff:    func(lines [][]byte) float64 { return holds(lines, "This is ApacheBench") },
	New:      func(*Options) parser { return newReport(readAB) },
	Document: true,
}

func readAB(text []byte, s *Summary) bool {
	if n := word(text, "\nTotal of ", 0); n != nil { // a timeout ended the run: there is no more
		s.Requests = figure(n)
		return s.Requests.known()
	}
	if !bytes.Contains(text, []byte("Complete requests:")) || !bytes.Contains(text, []byte("Percentage of the requests")) {
		return false
	}
	s.Requests = figure(after(text, "Complete requests:"))
	lost, bad := figure(word(text, "Receive:", 0)), figure(after(text, "Non-2xx responses:"))
	if !lost.known() {
		lost = 0
	}
	if !bad.known() {
		bad = 0
	}
	s.OK, s.Failed, s.ByKind.Reset = s.Requests-lost-bad, lost+bad, lost
	s.DurationS, s.RateRPS = figure(word(text, "Time taken for tests:", 0)), figure(word(text, "Requests per second:", 0))
	l := &s.LatencyMS
	l.Mean, l.Max = figure(word(text, "\nTotal:", 1)), figure(word(text, "\nTotal:", 4))
	for _, q := range [...]struct {
		label string
		to    *Num
	}{{"50%", &l.P50}, {"90%", &l.P90}, {"95%", &l.P95}, {"99%", &l.P99}} {
		*q.to = figure(word(text, "\n  "+q.label, 0))
	}
	return true
}
