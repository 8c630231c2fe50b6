package loadgen

import (
	"bytes"

	"github.com/valyala/fastjson"
)

// fortioAccess is fortio's access log in JSON: one object per finished request,
// seconds, with the start in unix nanoseconds. What failed on a connection used
// before was tried again unseen, timeouts included.
var fortioAccess = Format{
	Name: "fortio_access", Versions: "1.63.8",
	Sniff: func(lines [][]byte) float64 {
		return share(lines, func(l []byte) bool {
			return bytes.HasPrefix(l, []byte(`{"latency":`)) && bytes.Contains(l, []byte(`"timestamp":`)) &&
				bytes.Contains(l, []byte(`"thread":`)) && bytes.Contains(l, []byte(`"details":`))
		})
	},
	New:   func(*Options) parser { return &fortioLines{} },
	Blind: []Outcome{Timeout, ConnReset},
}

type fortioLines struct {
	unheld
	object
	rec Record
}

func (p *fortioLines) parse(line []byte, yield func(*Record)) error {
	obj, err := p.open(line)
	if err != nil {
		return err
	}
	start, ok := p.decimal(obj.Get("timestamp"), 0)
	took := amount(obj.Get("latency"))
	if !ok || took != took {
		return badLine("no timestamp or latency")
	}
	r := &p.rec
	r.clear(KindEnd)
	r.Start, r.Latency, r.At = start, took, endOf(start, took)
	details := str(obj.Get("details"))
	code, isCode := integer(details)
	good := obj.Get("ok")
	switch {
	case isCode && code > 0:
		r.Status, r.Outcome = int(code), outcomeOfStatus(int(code))
	case good != nil && good.Type() == fastjson.TypeTrue:
		r.Outcome = OK
	default: // no answer: reset and timeout are both -1
		r.Outcome = Other
	}
	yield(r)
	return nil
}

// fortioReport is fortio's end report: values in seconds, statuses by number,
// -1 for no answer, percentiles interpolated inside buckets.
var fortioReport = Format{
	Name: "fortio_report", Versions: "1.63.8",
	Sniff: func(lines [][]byte) float64 {
		return opens(lines, '{', `"RunType"`, `"DurationHistogram"`)
	},
	New:      func(*Options) parser { return newJSONReport(readFortio) },
	Document: true,
}

func readFortio(v *fastjson.Value, s *Summary) bool {
	by := codes(v.Get("RetCodes"), numeric)
	h := v.Get("DurationHistogram")
	s.Requests, s.DurationS = num(h, 1, "Count"), num(v, 1e-9, "ActualDuration")
	s.OK = by[OK]
	s.Failed = s.Requests - s.OK
	s.ByKind.Rejected, s.ByKind.HTTPError, s.ByKind.Other = by[Rejected], by[HTTPError], by[NoOutcome]
	s.RateRPS = num(v, 1, "ActualQPS")
	l := &s.LatencyMS
	l.Mean, l.Max, l.N = num(h, 1e3, "Avg"), num(h, 1e3, "Max"), s.Requests
	for _, p := range h.GetArray("Percentiles") {
		x := num(p, 1e3, "Value")
		switch numeric(p.Get("Percentile")) {
		case 50:
			l.P50 = x
		case 90:
			l.P90 = x
		case 95:
			l.P95 = x
		case 99:
			l.P99 = x
		case 99.9:
			l.P999 = x
		}
	}
	return s.Requests.known()
}
