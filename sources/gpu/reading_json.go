package gpu

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"benchtop/model"
)

// timeLayout is RFC 3339 with a fraction that keeps its width.
const timeLayout = "2006-01-02T15:04:05.000000Z07:00"

// WriteReading writes one line of the readings' NDJSON. Every key is there; what
// was not read is null. A held reading's values are null too, for they were in
// an earlier line.
func WriteReading(w io.Writer, r *Reading) error {
	_, err := w.Write(AppendReading(nil, r))
	return err
}

// AppendReading appends the line that WriteReading writes, with its newline.
func AppendReading(b []byte, r *Reading) []byte {
	b = append(b, `{"ts":"`...)
	b = r.At.Time().UTC().AppendFormat(b, timeLayout)
	b = append(b, `","gpu":`...)
	b = strconv.AppendInt(b, int64(r.Index), 10)
	b = appendText(append(b, `,"uuid":`...), r.UUID)
	b = appendText(append(b, `,"name":`...), r.Name)
	inside := false
	for f := range Field(NumFields) {
		isHeld := fields[f].is&held != 0
		switch {
		case isHeld && !inside:
			b = append(b, `,"counters_ns":{`...)
		case !isHeld && inside:
			b = append(b, `},`...)
		default:
			b = append(b, ',')
		}
		inside = isHeld
		b = append(append(append(b, '"'), fields[f].key...), `":`...)
		b = r.appendValue(b, f)
	}
	b = append(append(b, `,"state":"`...), r.State.String()...)
	b = append(b, `","errors":{`...)
	first := true
	for f := range Field(NumFields) {
		if r.code[f] == 0 {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = append(append(append(b, '"'), f.Key()...), `":"`...)
		b = append(append(b, r.code[f].String()...), '"')
	}
	return append(b, "}}\n"...)
}

func (r *Reading) appendValue(b []byte, f Field) []byte {
	if !r.Has(f) || r.Held {
		return append(b, "null"...)
	}
	return strconv.AppendFloat(b, r.value[f], 'f', -1, 64)
}

func appendText(b []byte, s string) []byte {
	if s == "" {
		return append(b, "null"...)
	}
	q, err := json.Marshal(s)
	if err != nil { // a string always marshals
		return append(b, "null"...)
	}
	return append(b, q...)
}

// errNotReading says that a line is JSON but not of this format.
var errNotReading = errors.New("not a GPU reading: it names neither gpu nor uuid")

// fieldByKey finds fields by their key, counters by their key in counters_ns.
var fieldByKey = func() map[string]Field {
	m := make(map[string]Field, NumFields)
	for f := range Field(NumFields) {
		m[f.Key()] = f
	}
	return m
}()

// ParseReading reads one line of the NDJSON. Keys it does not know are ignored.
func ParseReading(line []byte) (Reading, error) {
	var r Reading
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(line, &keys); err != nil {
		return r, fmt.Errorf("not JSON: %w", err)
	}
	if keys["gpu"] == nil && keys["uuid"] == nil {
		return r, errNotReading
	}
	if err := r.parseIdentity(keys); err != nil {
		return r, err
	}
	for k, raw := range keys {
		if f, ok := fieldByKey[k]; ok {
			if err := r.parseValue(f, raw); err != nil {
				return r, err
			}
		}
	}
	if err := r.parseCounters(keys["counters_ns"]); err != nil {
		return r, err
	}
	if err := r.parseErrors(keys["errors"]); err != nil {
		return r, err
	}
	// A line with no value at all is news about the GPU, not a measurement.
	r.Held = r.valid == 0
	return r, nil
}

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || bytes.Equal(raw, []byte("null")) }

func (r *Reading) parseIdentity(keys map[string]json.RawMessage) error {
	var ts, state string
	for _, t := range []struct {
		key string
		to  any
	}{{"ts", &ts}, {"gpu", &r.Index}, {"uuid", &r.UUID}, {"name", &r.Name}, {"state", &state}} {
		if raw := keys[t.key]; !isNull(raw) {
			if err := json.Unmarshal(raw, t.to); err != nil {
				return fmt.Errorf("%s: %w", t.key, err)
			}
		}
	}
	at, err := time.Parse(time.RFC3339Nano, ts)
	if err != nil {
		return fmt.Errorf("ts: %w", err)
	}
	if at.Year() < 1970 || at.Year() > 2261 {
		return fmt.Errorf("ts: %s is out of range", ts)
	}
	if r.Index < 0 || r.Index > 1<<16 {
		return fmt.Errorf("gpu: index %d is out of range", r.Index)
	}
	r.At = model.InstantOf(at)
	for i, n := range conditionNames {
		if n == state {
			r.State = Condition(i)
			return nil
		}
	}
	if state != "" {
		return fmt.Errorf("state: %q is none of ok, stale, denied, lost", state)
	}
	return nil
}

func (r *Reading) parseValue(f Field, raw json.RawMessage) error {
	if isNull(raw) {
		return nil
	}
	var v float64
	if err := json.Unmarshal(raw, &v); err != nil {
		return fmt.Errorf("%s: %w", f.Key(), err)
	}
	r.Set(f, v)
	return nil
}

func (r *Reading) parseCounters(raw json.RawMessage) error {
	if isNull(raw) {
		return nil
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(raw, &keys); err != nil {
		return fmt.Errorf("counters_ns: %w", err)
	}
	for k, raw := range keys {
		if f, ok := fieldByKey["counters_ns."+k]; ok {
			if err := r.parseValue(f, raw); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *Reading) parseErrors(raw json.RawMessage) error {
	if isNull(raw) {
		return nil
	}
	var codes map[string]string
	if err := json.Unmarshal(raw, &codes); err != nil {
		return fmt.Errorf("errors: %w", err)
	}
	for k, name := range codes {
		f, ok := fieldByKey[k]
		if !ok {
			f, ok = fieldByKey["counters_ns."+k]
		}
		if ok && !r.Has(f) {
			r.code[f] = codeByName(name)
		}
	}
	return nil
}
