package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
)

// WriteJSON prints v as indented JSON in which a number nobody measured is
// null: NaN and infinities, which encoding/json refuses, wherever they are.
// Empty lists and maps are printed as such, never as null.
func WriteJSON(w io.Writer, v any) error {
	var raw bytes.Buffer
	if err := encode(&raw, reflect.ValueOf(v)); err != nil {
		return err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, raw.Bytes(), "", " "); err != nil {
		return fmt.Errorf("print JSON: %w", err)
	}
	out.WriteByte('\n')
	_, err := w.Write(out.Bytes())
	return err
}

func encode(b *bytes.Buffer, v reflect.Value) error {
	switch v.Kind() {
	case reflect.Float64, reflect.Float32:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			b.WriteString("null")
			return nil
		}
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			b.WriteString("null")
			return nil
		}
		return encode(b, v.Elem())
	case reflect.Struct:
		return encodeStruct(b, v)
	case reflect.Slice, reflect.Array:
		return encodeList(b, v)
	case reflect.Map:
		return encodeMap(b, v)
	default:
	}
	if !v.IsValid() {
		b.WriteString("null")
		return nil
	}
	return plainJSON(b, v.Interface())
}

func plainJSON(b *bytes.Buffer, v any) error {
	var raw bytes.Buffer
	e := json.NewEncoder(&raw)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("print JSON: %w", err)
	}
	b.Write(bytes.TrimRight(raw.Bytes(), "\n"))
	return nil
}

func encodeStruct(b *bytes.Buffer, v reflect.Value) error {
	b.WriteByte('{')
	first := true
	if err := encodeFields(b, v, &first); err != nil {
		return err
	}
	b.WriteByte('}')
	return nil
}

// encodeFields writes a struct's fields, those of embedded structs among them.
func encodeFields(b *bytes.Buffer, v reflect.Value, first *bool) error {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "-" {
			continue
		}
		if name == "" && f.Anonymous && f.Type.Kind() == reflect.Struct {
			if err := encodeFields(b, v.Field(i), first); err != nil {
				return err
			}
			continue
		}
		if name == "" {
			name = f.Name
		}
		if !*first {
			b.WriteByte(',')
		}
		*first = false
		fmt.Fprintf(b, "%q:", name)
		if err := encode(b, v.Field(i)); err != nil {
			return err
		}
	}
	return nil
}

func encodeList(b *bytes.Buffer, v reflect.Value) error {
	b.WriteByte('[')
	for i := range v.Len() {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := encode(b, v.Index(i)); err != nil {
			return err
		}
	}
	b.WriteByte(']')
	return nil
}

func encodeMap(b *bytes.Buffer, v reflect.Value) error {
	keys := v.MapKeys()
	slices.SortFunc(keys, func(x, y reflect.Value) int { return strings.Compare(x.String(), y.String()) })
	b.WriteByte('{')
	for i, k := range keys {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := plainJSON(b, k.String()); err != nil {
			return err
		}
		b.WriteByte(':')
		if err := encode(b, v.MapIndex(k)); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	return nil
}
