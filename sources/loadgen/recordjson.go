package loadgen

import (
	"math"
	"strconv"
	"time"

	"benchtop/model"
)

var recordKindNames = [...]string{"none", "run", "start", "first", "end", "gauge", "summary", "close"}

// String is the kind's word, as in the NDJSON contract.
func (k RecordKind) String() string {
	if int(k) < len(recordKindNames) {
		return recordKindNames[k]
	}
	return recordKindNames[0]
}

// AppendJSON appends the record as one JSON object, without a line end: what
// `probe --records` prints. A value the record doesn't tell is null; times are
// RFC 3339 in UTC, and null in a stream whose times count from its run's start.
func (r *Record) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"ev":"`...)
	dst = append(dst, r.Kind.String()...)
	dst = append(dst, '"')
	dst = instant(dst, "t", r.At)
	if r.Kind == KindBegin || r.Kind == KindFirst || r.Kind == KindEnd {
		dst = r.appendID(dst)
	}
	switch r.Kind {
	case KindEnd:
		dst = r.appendEnd(dst)
	case KindGauge:
		dst = number(dst, "in_flight", r.InFlight)
		dst = number(dst, "target_concurrency", r.Target)
		dst = number(dst, "queued", r.Queued)
		dst = number(dst, "open_conns", r.OpenConns)
		dst = number(dst, "finished", r.Finished)
		dst = number(dst, "expected", r.Expected)
	case KindRun:
		dst = r.appendRun(dst)
	}
	return append(dst, '}')
}

// MarshalJSON implements json.Marshaler by AppendJSON.
func (r *Record) MarshalJSON() ([]byte, error) { return r.AppendJSON(nil), nil }

func (r *Record) appendID(dst []byte) []byte {
	switch {
	case r.HasSeq:
		dst = append(dst, `,"id":"`...)
		dst = strconv.AppendUint(dst, r.Seq, 10)
		return append(dst, '"')
	case len(r.ID) > 0:
		dst = append(dst, `,"id":`...)
		return quoted(dst, string(r.ID))
	}
	return append(dst, `,"id":null`...)
}

func (r *Record) appendEnd(dst []byte) []byte {
	dst = instant(dst, "start", r.begun())
	dst = append(dst, `,"outcome":`...)
	if r.Outcome == NoOutcome {
		dst = append(dst, "null"...)
	} else {
		dst = quoted(dst, r.Outcome.String())
	}
	status := math.NaN()
	if r.Status > 0 {
		status = float64(r.Status)
	}
	dst = number(dst, "status", status)
	dst = number(dst, "latency_ms", r.Latency*1e3)
	dst = number(dst, "ttft_ms", r.TTFT*1e3)
	dst = number(dst, "prompt_tokens", r.Prompt)
	dst = number(dst, "output_tokens", r.Output)
	dst = append(dst, `,"conn_reused":`...)
	switch r.Reused {
	case 1:
		return append(dst, "true"...)
	case 0:
		return append(dst, "false"...)
	}
	return append(dst, "null"...)
}

func (r *Record) appendRun(dst []byte) []byte {
	f := r.Run
	if f == nil {
		f = newFacts()
	}
	for _, s := range [...]struct{ name, text string }{{"run", f.Name}, {"tool", f.Tool}, {"target", f.Target}} {
		dst = append(append(append(dst, `,"`...), s.name...), `":`...)
		if s.text == "" {
			dst = append(dst, "null"...)
		} else {
			dst = quoted(dst, s.text)
		}
	}
	dst = number(dst, "concurrency", f.Concurrency)
	dst = number(dst, "connections", f.Connections)
	dst = number(dst, "timeout_ms", f.TimeoutSeconds*1e3)
	dst = number(dst, "duration_s", f.DurationSeconds)
	return number(dst, "rate_rps", f.RatePerS)
}

func instant(dst []byte, name string, t model.Instant) []byte {
	dst = append(append(append(dst, `,"`...), name...), `":`...)
	if t < model.Instant(24*time.Hour) { // it counts from the start of the run
		return append(dst, "null"...)
	}
	return quoted(dst, t.Time().UTC().Format(time.RFC3339Nano))
}

func number(dst []byte, name string, v float64) []byte {
	dst = append(append(append(dst, `,"`...), name...), `":`...)
	b, _ := Num(v).MarshalJSON() // it has no error
	return append(dst, b...)
}

// quoted appends s as a JSON string.
func quoted(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', byte(c))
		case c < 0x20:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			dst = append(dst, string(c)...)
		}
	}
	return append(dst, '"')
}
