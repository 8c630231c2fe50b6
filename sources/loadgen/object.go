package loadgen

import (
	"math"

	"github.com/valyala/fastjson"

	"benchtop/model"
)

const notAnObject = badLine("not a JSON object")

// object reads one JSON object a line into memory that it reuses.
type object struct {
	p   fastjson.Parser
	num []byte
}

// open parses line; its values live until the next call.
func (o *object) open(line []byte) (*fastjson.Object, error) {
	v, err := o.value(line)
	if err != nil {
		return nil, err
	}
	return v.GetObject(), nil
}

// value is open for those who want paths.
func (o *object) value(line []byte) (*fastjson.Value, error) {
	if len(line) == 0 || line[0] != '{' && line[0] != ' ' && line[0] != '\t' {
		return nil, notAnObject
	}
	v, err := o.p.ParseBytes(line)
	if err != nil || v.Type() != fastjson.TypeObject {
		return nil, notAnObject
	}
	return v, nil
}

// number is v's digits as written, nil if v is no number.
func (o *object) number(v *fastjson.Value) []byte {
	if v == nil || v.Type() != fastjson.TypeNumber {
		return nil
	}
	o.num = v.MarshalTo(o.num[:0])
	return o.num
}

// decimal is v scaled by ten to the digits, without going through a float.
func (o *object) decimal(v *fastjson.Value, digits int) (model.Instant, bool) {
	return decimal(o.number(v), digits)
}

// text is v as text: a string's content, or a number's digits.
func (o *object) text(v *fastjson.Value) []byte {
	if v == nil {
		return nil
	}
	if v.Type() == fastjson.TypeString {
		return str(v)
	}
	return o.number(v)
}

// numeric is v as a finite number, NaN if it is none.
func numeric(v *fastjson.Value) float64 {
	if v == nil || v.Type() != fastjson.TypeNumber {
		return math.NaN()
	}
	f, err := v.Float64()
	if err != nil || math.IsInf(f, 0) {
		return math.NaN()
	}
	return f
}

// amount is numeric for what can't be negative.
func amount(v *fastjson.Value) float64 {
	if f := numeric(v); f >= 0 {
		return f
	}
	return math.NaN()
}

// whole is v as an int, 0 if it is none.
func whole(v *fastjson.Value) int {
	f := numeric(v)
	if f != math.Trunc(f) || math.Abs(f) > 1<<52 {
		return 0
	}
	return int(f)
}

// flag is a boolean as 1 or 0, NaN if v is none.
func flag(v *fastjson.Value) float64 {
	switch {
	case v == nil:
	case v.Type() == fastjson.TypeTrue:
		return 1
	case v.Type() == fastjson.TypeFalse:
		return 0
	}
	return math.NaN()
}

// str is a string's content, nil if v is none.
func str(v *fastjson.Value) []byte {
	if v == nil || v.Type() != fastjson.TypeString { // its error would cost an allocation
		return nil
	}
	b, err := v.StringBytes()
	if err != nil {
		return nil
	}
	return b
}
