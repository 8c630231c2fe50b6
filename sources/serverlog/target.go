package serverlog

import "bytes"

// target reads `loggers.log: ` and `dynamo_run::subprocess: [metrics.py:489] `
// behind a stamp and a level: who speaks, where a server's own records pass
// through Rust's tracing on their way out, as NVIDIA's Dynamo has it, or through
// a layout of Python's logging. Servers that are written in Rust
// themselves keep theirs: their formats read it.
func (c *record) target(b []byte) (n int) {
	if c.loc != nil || c.name != nil || !c.stamp.full() || crate(b) {
		return 0
	}
	parts := 0
	for n < len(b) && n < 80 && b[n] != ' ' {
		switch {
		case isWord(b[n]):
		case b[n] == '.':
			parts++
		case b[n] == ':' && n+1 < len(b) && b[n+1] == ':':
			parts++
			n++
		case b[n] == ':' && n+1 < len(b) && b[n+1] == ' ' && parts > 0:
			c.name = b[:n]
			n += 2
			if in := b[n:]; len(in) > 0 && in[0] == '[' {
				if k := location(in[1:]); k > 0 && bytes.HasPrefix(in[1+k:], []byte("] ")) {
					c.loc = in[1 : 1+k]
					n += k + 3
				}
			}
			return n
		default:
			return 0
		}
		n++
	}
	return 0
}
