package serverlog

import (
	"bytes"
	"encoding/binary"
	"iter"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// jsonKind is what a JSON value is.
type jsonKind uint8

const (
	jsonNone jsonKind = iota
	jsonObject
	jsonArray
	jsonString
	jsonNumber
	jsonWord // true, false, null
)

// jsonDeepest bounds how far values nest.
const jsonDeepest = 64

// node is one value of a JSON text: where it stands, and where the value behind
// it and all it holds is. Strings are told without their quotes.
type node struct {
	key, keyEnd int32 // of a member
	at, end     int32
	next        int32 // index of the first node that is not in this one
	kind        jsonKind
	escaped     bool // the string holds escapes
	keyEscaped  bool
}

// jsonText is one JSON object of a log, read in a single pass over its bytes
// into a list of nodes that is reused. It points into the text it was given.
type jsonText struct {
	src   []byte
	nodes []node
	plain []byte // strings without their escapes
}

// jsonValue is one value in a jsonText; the zero value is none.
type jsonValue struct {
	t *jsonText
	i int32
}

// parse reads the object at the start of src and says how long it is; 0 if it
// is cut or broken.
func (t *jsonText) parse(src []byte) int {
	t.src, t.nodes, t.plain = src, t.nodes[:0], t.plain[:0]
	if len(src) > 1<<30 {
		return 0
	}
	t.nodes = append(t.nodes, node{})
	return max(0, t.value(0, 0, 0))
}

func (t *jsonText) root() jsonValue { return jsonValue{t, 0} }

// blank gives the first place from i on that is no white space.
func (t *jsonText) blank(i int) int {
	for i < len(t.src) && (t.src[i] == ' ' || t.src[i] == '\t' || t.src[i] == '\r' || t.src[i] == '\n') {
		i++
	}
	return i
}

// value reads the value at i into node n and says where it ends; -1 if it does
// not.
func (t *jsonText) value(n int32, i, depth int) int {
	if i >= len(t.src) || depth > jsonDeepest {
		return -1
	}
	at, end, kind, escaped := i, -1, jsonWord, false
	switch c := t.src[i]; {
	case c == '"':
		var closing int
		if closing, escaped = t.quoted(i + 1); closing < 0 {
			return -1
		}
		x := &t.nodes[n]
		x.at, x.end, x.next, x.kind, x.escaped = int32(i+1), int32(closing), n+1, jsonString, escaped
		return closing + 1
	case c == '{':
		end, kind = t.members(i+1, depth), jsonObject
	case c == '[':
		end, kind = t.items(i+1, depth), jsonArray
	case c == '-' || isDigit(c):
		end, kind = t.number(i), jsonNumber
	default:
		for _, w := range [...]string{"true", "false", "null"} {
			if bytes.HasPrefix(t.src[i:], []byte(w)) {
				end = i + len(w)
			}
		}
	}
	if end < 0 {
		return -1
	}
	x := &t.nodes[n]
	x.at, x.end, x.next, x.kind = int32(at), int32(end), int32(len(t.nodes)), kind
	return end
}

// quoted finds the quote that closes the string whose text begins at i; -1 if
// there is none.
func (t *jsonText) quoted(i int) (end int, escaped bool) {
	for i < len(t.src) {
		i += beforeQuote(t.src[i:])
		if i >= len(t.src) {
			break
		}
		if t.src[i] == '"' {
			return i, escaped
		}
		escaped = true
		i += 2
	}
	return -1, false
}

// beforeQuote is how many bytes stand in front of the first quote or backslash,
// all if there is none. It looks at eight at a time.
func beforeQuote(b []byte) (n int) {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	for ; len(b)-n >= 8; n += 8 {
		w := binary.LittleEndian.Uint64(b[n:])
		q, s := w^(ones*'"'), w^(ones*'\\')
		if z := ((q-ones)&^q | (s-ones)&^s) & tops; z != 0 {
			return n + bits.TrailingZeros64(z)/8
		}
	}
	for n < len(b) && b[n] != '"' && b[n] != '\\' {
		n++
	}
	return n
}

// number finds the end of a number.
func (t *jsonText) number(i int) int {
	if t.src[i] == '-' {
		i++
	}
	if i == len(t.src) || !isDigit(t.src[i]) {
		return -1
	}
	for i < len(t.src) && (isDigit(t.src[i]) || t.src[i] == '.' || t.src[i]|0x20 == 'e' || t.src[i] == '+' || t.src[i] == '-') {
		i++
	}
	return i
}

// members reads an object's members and its closing brace.
func (t *jsonText) members(i, depth int) int {
	if i = t.blank(i); i < len(t.src) && t.src[i] == '}' {
		return i + 1
	}
	for {
		if i = t.blank(i); i >= len(t.src) || t.src[i] != '"' {
			return -1
		}
		end, escaped := t.quoted(i + 1)
		if end < 0 {
			return -1
		}
		n := int32(len(t.nodes))
		t.nodes = append(t.nodes, node{key: int32(i + 1), keyEnd: int32(end), keyEscaped: escaped})
		if i = t.blank(end + 1); i >= len(t.src) || t.src[i] != ':' {
			return -1
		}
		if i = t.value(n, t.blank(i+1), depth+1); i < 0 {
			return -1
		}
		if i = t.blank(i); i >= len(t.src) {
			return -1
		}
		switch t.src[i] {
		case '}':
			return i + 1
		case ',':
			i++
		default:
			return -1
		}
	}
}

// items reads an array's values and its closing bracket.
func (t *jsonText) items(i, depth int) int {
	if i = t.blank(i); i < len(t.src) && t.src[i] == ']' {
		return i + 1
	}
	for {
		n := int32(len(t.nodes))
		t.nodes = append(t.nodes, node{})
		if i = t.value(n, t.blank(i), depth+1); i < 0 {
			return -1
		}
		if i = t.blank(i); i >= len(t.src) {
			return -1
		}
		switch t.src[i] {
		case ']':
			return i + 1
		case ',':
			i++
		default:
			return -1
		}
	}
}

// key is a member's name.
func (t *jsonText) key(n *node) []byte {
	k := t.src[n.key:n.keyEnd]
	if n.keyEscaped {
		return t.unescape(k)
	}
	return k
}

// text is a string's text; nil if the value is no string.
func (t *jsonText) text(n *node) []byte {
	if n.kind != jsonString {
		return nil
	}
	b := t.src[n.at:n.end:n.end]
	if n.escaped {
		return t.unescape(b)
	}
	return b
}

// get finds a value by the names that lead to it; the zero value if it is not
// there.
func (v jsonValue) get(path ...string) jsonValue {
	for _, name := range path {
		if v.t == nil || v.t.nodes[v.i].kind != jsonObject {
			return jsonValue{}
		}
		found := false
		for i := v.i + 1; i < v.t.nodes[v.i].next; i = v.t.nodes[i].next {
			if string(v.t.key(&v.t.nodes[i])) == name {
				v, found = jsonValue{v.t, i}, true
				break
			}
		}
		if !found {
			return jsonValue{}
		}
	}
	return v
}

// children gives a list's items, or an object's members, in order.
func (v jsonValue) children() iter.Seq[jsonValue] {
	return func(yield func(jsonValue) bool) {
		if v.t == nil || v.t.nodes[v.i].kind != jsonArray && v.t.nodes[v.i].kind != jsonObject {
			return
		}
		for i := v.i + 1; i < v.t.nodes[v.i].next; i = v.t.nodes[i].next {
			if !yield(jsonValue{v.t, i}) {
				return
			}
		}
	}
}

// has reports whether there is such a value.
func (v jsonValue) has(path ...string) bool { return v.get(path...).t != nil }

// text is the text of a string, nil if there is none.
func (v jsonValue) text(path ...string) []byte {
	if w := v.get(path...); w.t != nil {
		return w.t.text(&w.t.nodes[w.i])
	}
	return nil
}

// number is a number that is not negative; ok is false if there is none.
func (v jsonValue) number(path ...string) (x float64, ok bool) {
	b := v.get(path...).digits()
	x, n := number(b)
	return x, n > 0 && n == len(b)
}

// whole is a whole number that is not negative; ok is false if there is none.
func (v jsonValue) whole(path ...string) (x int64, ok bool) {
	b := v.get(path...).digits()
	x, n := integer(b)
	return x, n > 0 && n == len(b)
}

// digits is a number as written, nil if the value is none.
func (v jsonValue) digits() []byte {
	if v.t == nil || v.t.nodes[v.i].kind != jsonNumber {
		return nil
	}
	n := &v.t.nodes[v.i]
	return v.t.src[n.at:n.end]
}

// unescape gives a string's text without its escapes. It stays valid as long as
// the object.
func (t *jsonText) unescape(b []byte) []byte {
	from := len(t.plain)
	for i := 0; i < len(b); i++ {
		c := b[i]
		if c != '\\' || i+1 == len(b) {
			t.plain = append(t.plain, c)
			continue
		}
		i++
		switch b[i] {
		case 'n':
			t.plain = append(t.plain, '\n')
		case 't':
			t.plain = append(t.plain, '\t')
		case 'r':
			t.plain = append(t.plain, '\r')
		case 'b':
			t.plain = append(t.plain, '\b')
		case 'f':
			t.plain = append(t.plain, '\f')
		case 'u':
			r, n := escapedRune(b[i+1:])
			if n == 0 {
				t.plain = append(t.plain, '\\', 'u')
				continue
			}
			t.plain = utf8.AppendRune(t.plain, r)
			i += n
		default:
			t.plain = append(t.plain, b[i])
		}
	}
	return t.plain[from:len(t.plain):len(t.plain)]
}

// escapedRune reads what follows `\u`, both halves of a pair if it is one.
func escapedRune(b []byte) (r rune, n int) {
	r, ok := hex4(b)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(r) {
		return r, 4
	}
	if len(b) >= 10 && b[4] == '\\' && b[5] == 'u' {
		if low, ok := hex4(b[6:]); ok {
			if p := utf16.DecodeRune(r, low); p != utf8.RuneError {
				return p, 10
			}
		}
	}
	return utf8.RuneError, 4
}

func hex4(b []byte) (r rune, ok bool) {
	if len(b) < 4 {
		return 0, false
	}
	for _, c := range b[:4] {
		switch {
		case isDigit(c):
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}
