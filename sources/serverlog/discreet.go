package serverlog

import "bytes"

// dumps are words, lower case, behind which a record holds what a user sent or
// was answered.
var dumps = [...]string{"prompt", "input", "messages", "content", "text=", "text:", "obj=", "user", "request body", "response", "generated", "args", "body"}

// discreet drops what stands in quotes, and everything behind a word that leads
// to a user's text.
func discreet(line []byte) []byte {
	low := make([]byte, len(line)) // ASCII only: both must stay of one length
	for i, c := range line {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		low[i] = c
	}
	for _, w := range dumps {
		if i := indexDump(low, w); i >= 0 {
			line, low = append(line[:i+len(w):i+len(w)], " …"...), low[:i+len(w)]
		}
	}
	var out []byte
	for i := 0; i < len(line); i++ {
		out = append(out, line[i])
		if q := line[i]; q == '"' || q == '`' || q == '\'' && (i == 0 || !isWord(line[i-1])) {
			e := closing(line[i+1:], q)
			out = append(out, "…"...)
			if e < 0 {
				return out
			}
			out = append(out, q)
			i += 1 + e
		}
	}
	return out
}

// indexDump finds such a word where no letters stand around it; the statistics'
// own "prompt throughput" is none.
func indexDump(low []byte, w string) int {
	for from := 0; ; {
		i := bytes.Index(low[from:], []byte(w))
		if i < 0 {
			return -1
		}
		i += from
		from = i + 1
		e := i + len(w)
		switch {
		case i > 0 && isWord(low[i-1]):
		case bytes.HasPrefix(low[e:], []byte(" throughput")), bytes.HasPrefix(low[e:], []byte("_tps")):
		default:
			return i
		}
	}
}

// closing is where the quote that is open ends; -1 if it does not.
func closing(b []byte, q byte) int {
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case q:
			return i
		}
	}
	return -1
}
