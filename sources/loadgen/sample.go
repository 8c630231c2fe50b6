package loadgen

import (
	"bytes"
	"strings"
)

// shortText is how long a text in quotes may be to be shown: a word, a status, a
// kind, but no prompt.
const shortText = 24

// sample is a line as it is kept for users: without the longer texts in quotes,
// in which prompts, answers and bodies stand, unless they said that they may be
// kept.
func (o *Options) sample(text []byte) string {
	text = text[:min(len(text), 8*sampleText)]
	if !o.KeepText {
		text = discreet(text)
	}
	return strings.ToValidUTF8(string(text[:min(len(text), sampleText)]), "?")
}

// discreet puts … in the place of every text in quotes that is neither a key nor
// a single short word.
func discreet(line []byte) []byte {
	var out []byte
	for {
		i := bytes.IndexByte(line, '"')
		if i < 0 {
			return append(out, line...)
		}
		out, line = append(out, line[:i+1]...), line[i+1:]
		end := closingQuote(line)
		if end < 0 { // it was cut
			return append(out, "…"...)
		}
		text, rest := line[:end], line[end:]
		key := bytes.HasPrefix(bytes.TrimLeft(rest[1:], " \t"), []byte(":"))
		if key || len(text) <= shortText && bytes.IndexByte(text, ' ') < 0 {
			out = append(out, text...)
		} else {
			out = append(out, "…"...)
		}
		out, line = append(out, '"'), rest[1:]
	}
}

// closingQuote is where a text in quotes ends; -1 if it doesn't.
func closingQuote(b []byte) int {
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return -1
}
