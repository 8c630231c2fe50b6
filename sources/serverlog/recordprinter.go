package serverlog

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"time"
)

// recordPrinter writes records as `probe --json` prints them: the same as
// encoding a Record, without what that costs a line.
type recordPrinter struct {
	line   []byte
	second int64 // of the stamp that stands in date
	date   []byte
}

// print gives one record as a line of JSON, valid until the next call.
func (f *recordPrinter) print(line int, r *Reading) []byte {
	b := append(f.line[:0], `{"line":`...)
	b = strconv.AppendInt(b, int64(line), 10)
	b = append(b, `,"fields":{"time":`...)
	b = f.time(b, r)
	b = append(b, `,"engine":`...)
	b = printText(b, r.Engine)
	whole := func(bit Field, name string, v int64) {
		if r.Has(bit) {
			b = strconv.AppendInt(append(b, name...), v, 10)
		}
	}
	real := func(bit Field, name string, v float64) {
		if r.Has(bit) {
			b = printNumber(append(b, name...), v)
		}
	}
	whole(HasRunning, `,"running":`, r.Running)
	whole(HasWaiting, `,"waiting":`, r.Waiting)
	whole(HasBatch, `,"batch":`, r.Batch)
	real(HasBatchWait, `,"batch_wait_ms":`, r.BatchWaitMs)
	real(HasKV, `,"kv_usage":`, r.KV)
	real(HasPromptTPS, `,"prompt_tps":`, r.PromptTPS)
	real(HasGenTPS, `,"gen_tps":`, r.GenTPS)
	whole(HasPreempted, `,"preempted":`, r.Preempted)
	if r.Has(HasEvent) {
		b = append(append(append(b, `,"event":"`...), outcomeNames[r.Event]...), '"')
	}
	real(HasLatency, `,"latency_ms":`, r.LatencyMs)
	f.line = append(b, '}', '}', '\n')
	return f.line
}

// time writes the reading's own time. Lines of one second share its text.
func (f *recordPrinter) time(b []byte, r *Reading) []byte {
	if r.At == 0 {
		return append(b, "null"...)
	}
	t := r.At.Time().UTC()
	if s := t.Unix(); s != f.second || f.date == nil {
		f.second, f.date = s, t.Truncate(time.Second).AppendFormat(f.date[:0], time.RFC3339Nano)
	}
	b = append(b, '"')
	b = append(b, f.date[:len(f.date)-1]...) // without its Z
	if n := t.Nanosecond(); n > 0 {
		b = append(b, '.')
		for scale := 100_000_000; n > 0; scale /= 10 {
			b = append(b, byte('0'+n/scale))
			n %= scale
		}
	}
	return append(b, 'Z', '"')
}

// printText writes a label as a JSON string, null if there is none.
func printText(b, s []byte) []byte {
	if len(s) == 0 {
		return append(b, "null"...)
	}
	for _, c := range s {
		if c < 0x20 || c >= 0x7f || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			text, err := json.Marshal(string(bytes.ToValidUTF8(s, []byte("?"))))
			if err != nil {
				return append(b, "null"...)
			}
			return append(b, text...)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}

// printNumber writes a number without the binary noise of its scaling.
func printNumber(b []byte, v float64) []byte {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.AppendInt(b, int64(v), 10)
	}
	if x := math.Round(v*1e6) / 1e6; math.Abs(v) < 1e9 && math.Abs(x-v) <= 1e-14*math.Abs(v) {
		return strconv.AppendFloat(b, x, 'f', -1, 64)
	}
	text, err := json.Marshal(tidy(v))
	if err != nil { // no number that JSON can hold
		return append(b, "null"...)
	}
	return append(b, text...)
}
