package loadgen

import (
	"bytes"
	"math"
)

// columns reads delimited rows (RFC 4180, one row a line) into memory that it
// reuses, and finds fields by the names of a header row.
type columns struct {
	fields  [][]byte
	scratch []byte
	index   map[string]int // of the header's names
}

// split cuts a row at commas outside quotes. The fields live until the next
// row.
func (c *columns) split(line []byte) [][]byte {
	c.fields, c.scratch = c.fields[:0], c.scratch[:0]
	if bytes.IndexByte(line, '"') < 0 {
		for {
			i := bytes.IndexByte(line, ',')
			if i < 0 {
				c.fields = append(c.fields, line)
				return c.fields
			}
			c.fields = append(c.fields, line[:i])
			line = line[i+1:]
		}
	}
	if cap(c.scratch) < len(line) { // so that earlier fields stay where they are
		c.scratch = make([]byte, 0, 2*len(line))
	}
	for {
		var f []byte
		f, line = c.quoted(line)
		c.fields = append(c.fields, f)
		if len(line) == 0 {
			return c.fields
		}
		line = line[1:]
		if len(line) == 0 {
			c.fields = append(c.fields, nil)
			return c.fields
		}
	}
}

// quoted takes one field off line; what is left begins with the comma after it.
func (c *columns) quoted(line []byte) (field, rest []byte) {
	if len(line) == 0 || line[0] != '"' {
		i := bytes.IndexByte(line, ',')
		if i < 0 {
			return line, nil
		}
		return line[:i], line[i:]
	}
	from := len(c.scratch)
	for i := 1; i < len(line); i++ {
		if line[i] != '"' {
			c.scratch = append(c.scratch, line[i])
			continue
		}
		if i+1 < len(line) && line[i+1] == '"' {
			c.scratch = append(c.scratch, '"')
			i++
			continue
		}
		rest = line[i+1:]
		if len(rest) > 0 && rest[0] != ',' {
			rest = rest[max(bytes.IndexByte(rest, ','), 0):]
		}
		break
	}
	return c.scratch[from:], rest
}

// header takes the names of the row split last.
func (c *columns) header() {
	c.index = make(map[string]int, len(c.fields))
	for i, f := range c.fields {
		c.index[string(f)] = i
	}
}

// assume takes a tool's usual header for a stream that was joined below its
// own, if the row split last has as many fields.
func (c *columns) assume(header string) bool {
	if c.index != nil {
		return true
	}
	names := bytes.Split([]byte(header), []byte(","))
	if len(names) != len(c.fields) {
		return false
	}
	c.index = make(map[string]int, len(names))
	for i, n := range names {
		c.index[string(n)] = i
	}
	return true
}

// get is the field of the row split last under a header's name; nil if there is
// none.
func (c *columns) get(name string) []byte {
	if i, ok := c.index[name]; ok && i < len(c.fields) {
		return c.fields[i]
	}
	return nil
}

// number is get as a finite number; NaN if it is none.
func (c *columns) number(name string) float64 { return float(c.get(name)) }

// reusedIf is 1 if a time to connect is zero, 0 if not, NaN if it is unknown.
func reusedIf(connecting float64) float64 {
	switch {
	case math.IsNaN(connecting):
		return connecting
	case connecting == 0:
		return 1
	}
	return 0
}

// startsWith reports how sure a header row makes a format: 1 if one of the
// lines begins with it.
func startsWith(lines [][]byte, header string) float64 {
	for _, l := range lines {
		if bytes.HasPrefix(l, []byte(header)) {
			return 1
		}
	}
	return 0
}
