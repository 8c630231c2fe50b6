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
