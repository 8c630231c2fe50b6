package gpu

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
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
	b = r.when().Time().UTC().AppendFormat(b, timeLayout)
	b = append(b, `","gpu":`...)
	b = strconv.AppendInt(b, int64(r.Index), 10)
	if r.Instance != 0 {
		b = strconv.AppendInt(append(b, `,"mig":`...), int64(r.Instance-1), 10)
	}
	if r.Memory != MemoryOwn {
		b = appendText(append(b, `,"mem_kind":`...), r.Memory.String())
	}
	if r.belowStock() {
		b = strconv.AppendFloat(append(b, `,"power_default_w":`...), r.Stock, 'f', -1, 64)
	}
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
	b = r.appendHappening(append(b, '}'))
	return append(b, "}\n"...)
}

func (r *Reading) appendValue(b []byte, f Field) []byte {
	if !r.fresh(f) {
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
	var keys map[string]any
	if err := json.Unmarshal(line, &keys); err != nil {
		return r, fmt.Errorf("not JSON: %w", err)
	}
	if keys["gpu"] == nil && keys["uuid"] == nil {
		return r, errNotReading
	}
	if err := r.parseIdentity(keys); err != nil {
		return r, err
	}
	if err := r.parseValues(keys, ""); err != nil {
		return r, err
	}
	counters, err := object(keys, "counters_ns")
	if err != nil {
		return r, err
	}
	if err := r.parseValues(counters, "counters_ns."); err != nil {
		return r, err
	}
	codes, err := object(keys, "errors")
	if err != nil {
		return r, err
	}
	r.parseErrors(codes)
	if keys["xid"] != nil || keys["faults"] != nil || keys["processes"] != nil {
		if err := r.parseHappening(line); err != nil {
			return r, err
		}
	}
	// A line with no value at all is news about the GPU, not a measurement.
	r.Held = r.valid == 0
	return r, nil
}

// object is the object under a key, nil for null or no key.
func object(keys map[string]any, key string) (map[string]any, error) {
	v := keys[key]
	m, ok := v.(map[string]any)
	if v != nil && !ok {
		return nil, fmt.Errorf("%s: want an object, got %v", key, v)
	}
	return m, nil
}

// text is the string under a key, "" for null or no key.
func text(keys map[string]any, key string) (string, error) {
	v := keys[key]
	s, ok := v.(string)
	if v != nil && !ok {
		return "", fmt.Errorf("%s: want a string, got %v", key, v)
	}
	return s, nil
}

// number is the index under a key, or none for null or no key.
func number(keys map[string]any, key string, none int) (int, error) {
	v := keys[key]
	if v == nil {
		return none, nil
	}
	index, ok := v.(float64)
	if !ok || index < 0 || index >= 1<<model.GPUInstanceShift-1 || index != math.Trunc(index) {
		return 0, fmt.Errorf("%s: %v is no index", key, v)
	}
	return int(index), nil
}

func (r *Reading) parseIdentity(keys map[string]any) error {
	var ts, state, kind string
	for _, t := range []struct {
		key string
		to  *string
	}{{"ts", &ts}, {"uuid", &r.UUID}, {"name", &r.Name}, {"state", &state}, {"mem_kind", &kind}} {
		s, err := text(keys, t.key)
		if err != nil {
			return err
		}
		*t.to = s
	}
	at, err := time.Parse(time.RFC3339Nano, ts)
	if err != nil {
		return fmt.Errorf("ts: %w", err)
	}
	if at.Year() < 1970 || at.Year() > 2261 {
		return fmt.Errorf("ts: %s is out of range", ts)
	}
	r.At = model.InstantOf(at)
	if r.Index, err = number(keys, "gpu", 0); err != nil {
		return err
	}
	if r.Instance, err = number(keys, "mig", -1); err != nil {
		return err
	}
	r.Instance++
	r.Memory = memoryByName(kind)
	if v, ok := keys["power_default_w"].(float64); ok {
		r.Stock = v
	}
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

func (r *Reading) parseValues(keys map[string]any, prefix string) error {
	for k, v := range keys {
		f, ok := fieldByKey[prefix+k]
		if !ok || v == nil {
			continue
		}
		x, ok := v.(float64)
		if !ok {
			return fmt.Errorf("%s: want a number, got %v", f.Key(), v)
		}
		r.Set(f, x)
	}
	return nil
}

func (r *Reading) parseErrors(codes map[string]any) {
	for k, v := range codes {
		f, ok := fieldByKey[k]
		if !ok {
			f, ok = fieldByKey["counters_ns."+k]
		}
		if name, isText := v.(string); ok && isText && !r.Has(f) {
			r.code[f] = codeByName(name)
		}
	}
}
