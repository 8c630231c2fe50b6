package loadgen

import (
	"bytes"
)

// h2loadLog is `h2load --log-file`: start in unix microseconds, status,
// microseconds. Start and duration come from two clocks.
var h2loadLog = Format{
	Name: "h2load_log", Versions: "nghttp2 1.52.0",
	Sniff: func(lines [][]byte) float64 {
		return share(lines, func(l []byte) bool {
			var p h2loadLines
			return len(l) > 16 && l[16] == '\t' && p.parse(l, func(*Record) {}) == nil
		})
	},
	New: func(*Options) parser { return &h2loadLines{} },
}

type h2loadLines struct {
	unheld
	rec Record
}

func (p *h2loadLines) parse(line []byte, yield func(*Record)) error {
	a, rest, ok1 := bytes.Cut(line, []byte("\t"))
	b, c, ok2 := bytes.Cut(rest, []byte("\t"))
	c, _, _ = bytes.Cut(c, []byte("\t")) // more columns may come
	start, ok3 := decimal(a, 3)
	code, ok4 := integer(b)
	took, ok5 := decimal(c, 3)
	if !(ok1 && ok2 && ok3 && ok4 && ok5) {
		return badLine("not start, status and duration")
	}
	r := &p.rec
	r.clear(KindEnd)
	r.Start, r.At, r.Latency, r.Shrink = start, start+took, float64(took)/1e9, tenth
	if r.Outcome = ConnReset; code > 0 { // -1 is a stream that was lost
		r.Status, r.Outcome = int(code), outcomeOfStatus(int(code))
	}
	yield(r)
	return nil
}

// tenth is 0.1 ms: what two clocks may differ, and what four decimals of a
// second leave open.
const tenth = 100_000

// h2loadText is what h2load prints: its failed requests include bad statuses.
var h2loadText = Format{
	Name: "h2load", Versions: "nghttp2 1.52.0",
	Sniff:    func(lines [][]byte) float64 { return holds(lines, "starting benchmark...", "spawning thread #") },
	New:      func(*Options) parser { return newReport(readH2load) },
	Document: true,
}

func readH2load(text []byte, s *Summary) bool {
	r := after(text, "\nrequests:")
	if r == nil || !bytes.Contains(text, []byte("time for request:")) {
		return false
	}
	before := func(label string) Num {
		i := bytes.Index(r, []byte(label))
		if i < 0 {
			return noNum()
		}
		w := bytes.Fields(r[:i])
		return figure(nth(w, len(w)-1))
	}
	s.Requests, s.OK, s.Failed = before(" done"), before(" succeeded"), before(" failed")
	s.DurationS, s.RateRPS = milliseconds(word(text, "finished in", 0))/1e3, figure(word(text, "finished in", 1))
	s.LatencyMS.Max, s.LatencyMS.Mean = milliseconds(word(text, "time for request:", 1)), milliseconds(word(text, "time for request:", 2))
	return s.Requests.known()
}
