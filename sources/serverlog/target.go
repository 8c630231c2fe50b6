package serverlog

import "bytes"

// target reads `loggers.log: ` and `dynamo_run::subprocess: [metrics.py:489] `
// behind a stamp and a level: who speaks, where a server's own records pass
// through Rust's tracing on their way out, as NVIDIA's Dynamo has it, or through
// a layout of Python's logging. Servers that are written in Rust
// themselves keep theirs: their formats read it.
func (c *record) target(b []byte) (n int) {
	i := bytes.IndexByte(b[:min(len(b), 81)], ' ')
	if i < 4 || b[i-1] != ':' || c.loc != nil || c.name != nil || !c.stamp.full() || crate(b) {
		return 0
	}
	parts := 0
	for n < i-1 {
		switch {
		case isWord(b[n]):
		case b[n] == '.':
			parts++
		case b[n] == ':' && b[n+1] == ':':
			parts++
			n++
		default:
			return 0
		}
		n++
	}
	if parts == 0 || n != i-1 {
		return 0
	}
	c.name = b[:n]
	n += 2
	if in := b[n:]; len(in) > 0 && in[0] == '[' {
		if k := location(in[1:]); k > 0 && bytes.HasPrefix(in[1+k:], []byte("] ")) {
			c.loc = in[1 : 1+k]
			n += k + 3
		}
	}
	return n
}
