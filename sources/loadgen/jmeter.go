package loadgen

import (
	"bytes"
)

// jmeterCSV is JMeter's results file (JTL) as CSV: a row per finished sample,
// start in unix milliseconds; which columns there are is configured.
var jmeterCSV = Format{
	Name: "jmeter_csv", Versions: "bb30edf (read)",
	Sniff: func(lines [][]byte) float64 {
		for _, l := range lines {
			if bytes.HasPrefix(l, []byte("timeStamp,elapsed,")) {
				return 1
			}
		}
		return share(lines, func(l []byte) bool { // joined below the header
			var c columns
			f := c.split(l)
			_, stamp := integer(f[0])
			return stamp && len(f[0]) == 13 && len(f) == 17 && (string(f[7]) == "true" || string(f[7]) == "false")
		})
	},
	New: func(*Options) parser { return &jmeterRows{} },
}

const jmeterHeader = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,bytes,sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect"

type jmeterRows struct {
	unheld
	columns
	rec  Record
	text []byte
}

func (p *jmeterRows) parse(line []byte, yield func(*Record)) error {
	p.split(line)
	if bytes.HasPrefix(line, []byte("timeStamp,")) {
		p.header()
		return nil
	}
	if !p.assume(jmeterHeader) {
		return badLine("a row before the header")
	}
	start, ok1 := decimal(p.get("timeStamp"), 6)
	took, ok2 := decimal(p.get("elapsed"), 6)
	if !ok1 || !ok2 {
		return badLine("a row without timeStamp or elapsed")
	}
	if bytes.HasPrefix(p.get("responseMessage"), []byte("Number of samples in transaction")) {
		return nil // a transaction: its samples have rows of their own
	}
	r := &p.rec
	r.clear(KindEnd)
	r.Start, r.At, r.Latency = start, start+took, float64(took)/1e9
	r.Reused = reusedIf(p.number("Connect"))
	p.outcome()
	yield(r)
	return nil
}

func (p *jmeterRows) outcome() {
	r, good := &p.rec, p.get("success")
	code, numeric := integer(p.get("responseCode"))
	switch {
	case numeric && code >= 400:
		r.Status, r.Outcome = int(code), outcomeOfStatus(int(code))
	case string(good) == "true":
		r.Status, r.Outcome = int(max(code, 0)), OK
	case numeric && string(good) == "": // the column is switched off
		r.Status, r.Outcome = int(max(code, 0)), outcomeOfStatus(int(code))
	case numeric: // an assertion failed
		r.Status, r.Outcome = int(max(code, 0)), Other
	default:
		p.text = append(append(append(p.text[:0], p.get("responseCode")...), ' '), p.get("responseMessage")...)
		p.text = append(append(p.text, ' '), p.get("failureMessage")...)
		r.Outcome = outcomeOfError(p.text)
	}
}
