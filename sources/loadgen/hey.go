package loadgen

import (
	"bytes"
	"math"

	"benchtop/model"
)

// heyCSV is `hey -o csv`, written at the end: seconds with four decimals, the
// start counted from the run's. Requests without an answer have no row.
var heyCSV = Format{
	Name: "hey_csv", Versions: "0.1.5, 0.1.4",
	Sniff: func(lines [][]byte) float64 { return startsWith(lines, heyHeader) },
	New: func(*Options) parser {
		return &offsetRows{head: heyHeader, rounded: tenth, took: "response-time", status: "status-code", start: "offset"}
	},
	Blind:    []Outcome{Timeout, ConnReset, Other},
	Relative: true,
}

// ohaCSV is `oha --output-format csv`: the same in another order, sorted by
// start.
var ohaCSV = Format{
	Name: "oha_csv", Versions: "b8cd846 (read)",
	Sniff: func(lines [][]byte) float64 { return startsWith(lines, ohaHeader) },
	New: func(*Options) parser {
		return &offsetRows{head: ohaHeader, took: "request-duration", status: "status", start: "request-start"}
	},
	Blind:    []Outcome{Timeout, ConnReset, Other},
	Relative: true,
}

const (
	heyHeader = "response-time,DNS+dialup,"
	ohaHeader = "request-start,DNS,DNS+dialup,"
)

// offsetRows reads rows whose start counts from the start of the run.
type offsetRows struct {
	unheld
	columns
	head, took, status, start string
	rounded                   model.Instant
	rec                       Record
}

// runStart is second 0 of a run whose beginning isn't known: one nanosecond, as
// an instant of 0 would mean unknown.
const runStart = model.Instant(1)

func (p *offsetRows) parse(line []byte, yield func(*Record)) error {
	p.split(line)
	if bytes.HasPrefix(line, []byte(p.head)) {
		p.header()
		return nil
	}
	took, start := p.number(p.took), p.number(p.start)
	if !(took >= 0 && start >= 0) {
		return badLine("a row without start or duration")
	}
	r := &p.rec
	r.clear(KindEnd)
	r.Start, r.Latency, r.Shrink = runStart+span(start), took, p.rounded
	r.At = endOf(r.Start, took)
	code, _ := integer(p.get(p.status))
	r.Status, r.Outcome = int(max(code, 0)), outcomeOfStatus(int(code))
	if r.Outcome == NoOutcome {
		r.Outcome = Other
	}
	if dial := p.number("DNS+dialup"); !math.IsNaN(dial) {
		r.Reused = reusedIf(dial)
	}
	yield(r)
	return nil
}
