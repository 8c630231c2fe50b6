package loadgen

import (
	"bytes"
	"math"
)

// jmeterSummary is what JMeter's summariser prints while it runs, each 30 s if
// summariser.interval doesn't say otherwise:
//
//	summary +    107 in 00:00:06 =   17.8/s Avg:    85 Min:     3 Max:  1002 Err:    12 (11.21%) Active: 8 Started: 8 Finished: 0
//	summary =    214 in 00:00:12 =   17.8/s Avg:    84 Min:     3 Max:  1002 Err:    24 (11.21%)
//
// + is since the last line, = is since the start.
var jmeterSummary = Format{
	Name: "jmeter_summary", Versions: "bb30edf (read)",
	Sniff: func(lines [][]byte) float64 {
		if share(lines, func(l []byte) bool { _, ok := readSummariser(l); return ok }) > 0 {
			return 1
		}
		return 0.95 * holds(lines, "Creating summariser <")
	},
	New: func(*Options) parser { return &summariserLines{} },
}

// summariserLine is one line of the summariser; times in milliseconds, NaN where
// it says nothing.
type summariserLine struct {
	total                                     bool // since the start
	n, seconds, mean, longest, failed, active float64
}

func readSummariser(line []byte) (s summariserLine, ok bool) {
	i := bytes.Index(line, []byte(" in "))
	if i < 0 {
		return s, false
	}
	head := bytes.Fields(line[:i])
	if len(head) < 3 {
		return s, false
	}
	sign := head[len(head)-2]
	if len(sign) != 1 || sign[0] != '+' && sign[0] != '=' {
		return s, false
	}
	value := func(key string) float64 { return float(nth(bytes.Fields(after(line, key)), 0)) }
	s.total, s.n = sign[0] == '=', float(head[len(head)-1])
	took := nth(bytes.Fields(line[i+4:]), 0)
	if s.seconds = clockSeconds(took); math.IsNaN(s.seconds) {
		s.seconds = float(bytes.TrimSuffix(took, []byte("s"))) // before 3.0
	}
	s.mean, s.longest, s.failed, s.active = value("Avg:"), value("Max:"), value("Err:"), value("Active:")
	return s, s.n >= 0 && s.mean >= 0 && s.failed >= 0
}

type summariserLines struct {
	sum  summariserLine
	told bool
}

func (p *summariserLines) parse(line []byte, yield func(*Record)) error {
	s, ok := readSummariser(line)
	if !ok {
		return nil // what else JMeter says
	}
	t := &p.sum
	switch {
	case s.total:
		*t = s
	case !p.told:
		*t = s
	default:
		t.mean = (t.mean*t.n + s.mean*s.n) / max(t.n+s.n, 1)
		t.n, t.seconds, t.failed, t.longest = t.n+s.n, t.seconds+s.seconds, t.failed+s.failed, max(t.longest, s.longest)
	}
	p.told = true
	r := gaugeOf(t.n, math.NaN())
	if s.active > 0 { // threads, each with one request at a time
		r.Target = s.active
	}
	yield(r)
	return nil
}

func (p *summariserLines) flush(last bool, yield func(*Record)) error {
	if !last || !p.told {
		return nil
	}
	p.told = false
	s, t := newSummary(), &p.sum
	s.Requests, s.Failed, s.OK = Num(t.n), Num(t.failed), Num(t.n-t.failed)
	s.LatencyMS.Mean, s.LatencyMS.Max, s.DurationS = Num(t.mean), Num(t.longest), Num(t.seconds)
	if t.seconds > 0 {
		s.RateRPS = Num(t.n / t.seconds)
	}
	yield(reportOf(s))
	return nil
}
