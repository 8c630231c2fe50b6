package host

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"benchtop/model"
)

// errNoTime says that a saved reading can't be placed.
var errNoTime = errors.New(`no time (want "ts" in RFC 3339)`)

// byKey finds a field by its key.
var byKey = func() map[string]Field {
	m := make(map[string]Field, NumFields)
	for f := range fieldCount {
		m[f.String()] = f
	}
	return m
}()

// AppendJSON appends the reading as one JSON object without a line end. Keys
// of fields that were not read are left out; numbers are in the keys' units.
func (r *Reading) AppendJSON(b []byte) []byte {
	b = append(b, `{"ts":"`...)
	b = r.At.Time().UTC().AppendFormat(b, "2006-01-02T15:04:05.000000000Z07:00")
	b = append(b, '"')
	for f := range fieldCount {
		if f == CPUMHz {
			b = r.appendCores(b)
		}
		if !r.Has(f) {
			continue
		}
		b = append(append(append(b, `,"`...), f.String()...), `":`...)
		b = appendNumber(b, r.value[f])
		if f == CPUMHz {
			b = r.appendGovernor(b)
		}
	}
	if !r.Has(CPUMHz) {
		b = r.appendGovernor(b)
	}
	return append(b, '}')
}

func appendNumber(b []byte, v float64) []byte {
	if v > 1e15 { // spelled out it would be too long
		return strconv.AppendFloat(b, v, 'g', -1, 64)
	}
	return strconv.AppendFloat(b, v, 'f', -1, 64)
}

func (r *Reading) appendCores(b []byte) []byte {
	if len(r.PerCore) == 0 {
		return b
	}
	b = append(b, `,"per_core_busy":[`...)
	for i, v := range r.PerCore {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendNumber(b, v)
	}
	return append(b, ']')
}

func (r *Reading) appendGovernor(b []byte) []byte {
	if r.Governor == "" {
		return b
	}
	b = append(b, `,"governor":`...)
	quoted, err := json.Marshal(r.Governor)
	if err != nil { // a string always marshals
		return append(b, `""`...)
	}
	return append(b, quoted...)
}

// ParseJSON reads one line of the NDJSON into r. Keys that are absent, null or
// unknown are not read; a value that can't be one makes the line bad.
func (r *Reading) ParseJSON(line []byte) error {
	*r = Reading{}
	var obj map[string]json.RawMessage
	if err := json.Unmarshal(line, &obj); err != nil {
		return fmt.Errorf("not a JSON object: %w", err)
	}
	var ts string
	if err := json.Unmarshal(obj["ts"], &ts); err != nil {
		return errNoTime
	}
	at, err := time.Parse(time.RFC3339Nano, ts)
	if err != nil || at.Year() < 1971 || at.Year() > 2200 {
		return errNoTime
	}
	r.At = model.InstantOf(at)
	for key, raw := range obj {
		if bytes.Equal(raw, []byte("null")) {
			continue
		}
		if err := r.parseKey(key, raw); err != nil {
			*r = Reading{}
			return err
		}
	}
	return nil
}

func (r *Reading) parseKey(key string, raw json.RawMessage) error {
	switch key {
	case "governor":
		if err := json.Unmarshal(raw, &r.Governor); err != nil {
			return errors.New("governor: want a text")
		}
	case "per_core_busy":
		if err := json.Unmarshal(raw, &r.PerCore); err != nil || !shares(r.PerCore) {
			return errors.New("per_core_busy: want an array of shares 0..1")
		}
	default:
		f, ok := byKey[key]
		if !ok {
			return nil
		}
		var v float64
		if err := json.Unmarshal(raw, &v); err != nil || v < 0 {
			return fmt.Errorf("%s: want a number of 0 or more", key)
		}
		r.Set(f, v)
	}
	return nil
}

func shares(vs []float64) bool {
	for _, v := range vs {
		if !(v >= 0 && v <= 1) || math.IsNaN(v) {
			return false
		}
	}
	return true
}
