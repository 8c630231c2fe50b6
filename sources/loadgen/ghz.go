package loadgen

import (
	"bytes"

	"github.com/valyala/fastjson"
)

// ghzJSON is `ghz -O json`: one object at the end, a detail per call with its
// end.
var ghzJSON = Format{
	Name: "ghz_json", Versions: "0.93.0",
	Sniff: func(lines [][]byte) float64 {
		return opens(lines, '{', `"endReason"`, `"statusCodeDistribution"`)
	},
	New:      func(*Options) parser { return newJSONDocument(readGHZ) },
	Document: true,
}

func readGHZ(v *fastjson.Value, yield func(*Record)) error {
	all := v.GetArray("details")
	if all == nil {
		return badLine("no details")
	}
	f := newFacts()
	f.Tool, f.Target, f.Concurrency = "ghz", string(str(v.Get("options", "host"))), amount(v.Get("options", "concurrency"))
	f.Connections, f.TimeoutSeconds = amount(v.Get("options", "connections")), amount(v.Get("options", "timeout"))/1e9
	yield(impliedRun(0, f))
	for _, q := range all {
		end, ok := rfc3339(str(q.Get("timestamp")))
		took := amount(q.Get("latency"))
		if !ok {
			continue
		}
		var r Record
		r.clear(KindEnd)
		r.At, r.Latency = end, took/1e9
		r.Outcome = grpcOutcome(str(q.Get("status")), str(q.Get("error")))
		yield(&r)
	}
	return nil
}

// ghzCSV is `ghz -O csv`: milliseconds, gRPC code name, error; no times.
var ghzCSV = Format{
	Name: "ghz_csv", Versions: "0.93.0",
	Sniff: func(lines [][]byte) float64 { return startsWith(lines, "duration (ms),status,error") },
	New:   func(*Options) parser { return &ghzRows{} },
}

type ghzRows struct {
	unheld
	columns
	rec Record
}

func (p *ghzRows) parse(line []byte, yield func(*Record)) error {
	if len(line) == 0 || bytes.HasPrefix(line, []byte("duration (ms),")) {
		return nil // it begins with a blank line
	}
	f := p.split(line)
	took := float(f[0])
	if len(f) < 2 || !(took >= 0) {
		return badLine("not duration, status and error")
	}
	r := &p.rec
	r.clear(KindEnd)
	r.Latency = took / 1e3
	var text []byte
	if len(f) > 2 {
		text = f[2]
	}
	r.Outcome = grpcOutcome(f[1], text)
	yield(r)
	return nil
}

// grpcOutcome reads a gRPC code's name. Unavailable is a refusal for load
// unless its text tells of a lost or refused connection.
func grpcOutcome(code, text []byte) Outcome {
	switch string(code) {
	case "OK":
		return OK
	case "DeadlineExceeded":
		return Timeout
	case "ResourceExhausted":
		return Rejected
	case "Canceled":
		return Cancelled
	case "Unavailable":
		if bytes.Contains(text, []byte("transport is closing")) {
			return Cancelled // the tool's own doing when it stops
		}
		if bytes.Contains(text, []byte("refused")) {
			return Other
		}
		if o := outcomeOfError(text); o == ConnReset {
			return o
		}
		return Rejected
	}
	return HTTPError
}
