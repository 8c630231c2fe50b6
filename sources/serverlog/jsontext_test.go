package serverlog

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"
)

func TestJSONText(t *testing.T) {
	for _, c := range []struct {
		text string
		end  int // of the object; 0 if it is none
	}{
		{`{}`, 2},
		{`{"a":1} {"b":2}`, 7},
		{`{"a":{"b":[1,2,{"c":null}]},"d":"x\"y"} tail`, 39},
		{`{ "a" : true , "b" : -1.5e3 }`, 29},
		{`{"a":1`, 0},
		{`{"a":}`, 0},
		{`{"a" 1}`, 0},
		{`{"a":1,}`, 0},
		{`{a:1}`, 0},
		{`{"a":[1,2}`, 0},
		{`{"a":tru}`, 0},
		{`{"a":"cut`, 0},
		{`{"a":-}`, 0},
		{``, 0},
	} {
		var j jsonText
		if got := j.parse([]byte(c.text)); got != c.end {
			t.Errorf("%s: want an object of %d bytes, got %d", c.text, c.end, got)
		}
	}
	var j jsonText
	j.parse([]byte(`{"s":"a\u00e9\ud83d\ude00\n\/\\","n":12,"f":1.5,"neg":-3,"null":null,"in":{"k\u0061y":"v"},"l":[{"b":7},{"b":8}],"s":"second"}`))
	o := j.root()
	if got, want := string(o.text("s")), "aé😀\n/\\"; got != want {
		t.Errorf("want %q, got %q", want, got)
	}
	if got := string(o.text("in", "kay")); got != "v" {
		t.Errorf("want the member of an object by its key without escapes, got %q", got)
	}
	if v, ok := o.whole("n"); v != 12 || !ok {
		t.Errorf("want 12, got %v %v", v, ok)
	}
	if v, ok := o.number("f"); v != 1.5 || !ok {
		t.Errorf("want 1.5, got %v %v", v, ok)
	}
	for _, absent := range []string{"neg", "null", "s", "x"} {
		if _, ok := o.whole(absent); ok {
			t.Errorf("%s: want no whole number", absent)
		}
	}
	sum := int64(0)
	for v := range o.get("l").children() {
		n, _ := v.whole("b")
		sum += n
	}
	if sum != 15 {
		t.Errorf("want the items of a list, got %d", sum)
	}
}

// FuzzJSONText holds the reader against encoding/json: what that takes for an
// object is one, with the same members of text.
func FuzzJSONText(f *testing.F) {
	for _, s := range []string{`{"a":"b","c":{"d":[1,"e\n"]}}`, `{"é":"\u00e9\ud83d"}`, `{"a":-0.5e-7,"b":[[],{}]}`, `{"a":1}{"a":2}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var j jsonText
		end := j.parse(b)
		if end < 0 || end > len(b) {
			t.Fatalf("want a length within the text, got %d of %d", end, len(b))
		}
		var want map[string]json.RawMessage
		if !utf8.Valid(b) || !json.Valid(b) || json.Unmarshal(b, &want) != nil || want == nil {
			return
		}
		if bytes.TrimSpace(b)[0] != '{' || b[0] != '{' {
			return
		}
		if got := len(bytes.TrimRight(b, " \t\r\n")); end != got {
			t.Fatalf("%q: want %d bytes, got %d", b, got, end)
		}
		count := map[string]int{}
		for i := int32(1); i < j.nodes[0].next; i = j.nodes[i].next {
			count[string(j.key(&j.nodes[i]))]++
		}
		for i := int32(1); i < j.nodes[0].next; i = j.nodes[i].next {
			n, text := &j.nodes[i], ""
			k := string(j.key(n))
			if n.kind != jsonString || count[k] > 1 { // of several, encoding/json keeps the last
				continue
			}
			if err := json.Unmarshal(want[k], &text); err != nil || string(j.text(n)) != text {
				t.Errorf("%q: want %q, got %q (%v)", k, text, j.text(n), err)
			}
		}
	})
}
