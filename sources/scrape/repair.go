package scrape

import (
	"bytes"
	"errors"
	"regexp"
	"strconv"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	prom "github.com/prometheus/common/model"
)

// Limits of repairing an exposition line by line: beyond them all bad lines are
// taken out at once, which is coarser.
const (
	maxRepairs    = 16
	maxRepairBody = 1 << 20
)

// parse reads a body, which must end with a line's end. It blanks out what
// can't be read, first line by line, then all at once: a page of whose lines
// many are bad is still worth the others.
func (x *Exposition) parse(body []byte) map[string]*dto.MetricFamily {
	for sieved := false; ; {
		p := expfmt.NewTextParser(prom.UTF8Validation)
		families, err := p.TextToMetricFamilies(bytes.NewReader(body))
		var bad expfmt.ParseError
		if err == nil || !errors.As(err, &bad) {
			return families
		}
		line := blank(body, bad.Line)
		x.Bad = append(x.Bad, BadLine{Line: bad.Line, Reason: bad.Msg, Text: line})
		switch {
		case line == "", sieved && (len(body) > maxRepairBody || len(x.Bad) >= 2*maxRepairs):
			return families
		case !sieved && (len(body) > maxRepairBody || len(x.Bad) >= maxRepairs):
			sieve(body)
			sieved = true
		}
	}
}

// tidy rewrites in place what other writers put into their pages and the text
// parser stumbles over: a byte order mark, line ends of two bytes, and what
// OpenMetrics has beyond the text format.
func tidy(body []byte) []byte {
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	if bytes.Contains(body, []byte("\r\n")) {
		body = bytes.ReplaceAll(body, []byte("\r\n"), []byte("\n"))
	}
	if bytes.HasSuffix(bytes.TrimSpace(body), []byte("# EOF")) || bytes.Contains(body, []byte(" # {")) {
		body = fromOpenMetrics(body)
	}
	if n := len(body); n > 0 && body[n-1] != '\n' {
		body = append(body, '\n')
	}
	return body
}

// fromOpenMetrics turns, in place and line by line, OpenMetrics into the text
// format.
func fromOpenMetrics(body []byte) []byte {
	out := body[:0]
	for line := range bytes.Lines(body) {
		switch {
		case line[0] != '#':
			line = bytes.TrimRight(line, "\n")
			if end := sampleEnd(line); end < len(line) {
				line = bytes.TrimRight(line[:end], " ")
			}
			out = append(append(out, line...), '\n')
			continue
		case bytes.HasPrefix(line, []byte("# TYPE ")) && foreignType(line):
			line = []byte("#\n") // without a type its samples are plain numbers
		}
		out = append(out, line...)
	}
	return out
}

// foreignType reports whether a line gives a type that the text format lacks.
func foreignType(line []byte) bool {
	words := bytes.Fields(line)
	if len(words) != 4 {
		return false
	}
	switch string(words[3]) {
	case "unknown", "info", "stateset", "gaugehistogram":
		return true
	}
	return false
}

// sampleEnd finds where a sample's value ends: what OpenMetrics has behind it,
// a time in seconds with a fraction and an exemplar, has no use here.
func sampleEnd(line []byte) int {
	i, quoted := 0, false
	if brace := bytes.IndexByte(line, '{'); brace >= 0 && bytes.IndexByte(line[:brace], ' ') < 0 {
		for i = brace + 1; i < len(line) && (quoted || line[i] != '}'); i++ {
			switch {
			case quoted && line[i] == '\\':
				i++
			case line[i] == '"':
				quoted = !quoted
			}
		}
		i++
	} else if i = bytes.IndexByte(line, ' '); i < 0 {
		return len(line)
	}
	for ; i < len(line) && line[i] == ' '; i++ {
	}
	for ; i < len(line) && line[i] != ' '; i++ {
	}
	return min(i, len(line))
}

// sampleShape is a sample of the text format: name, labels, value, time.
var sampleShape = regexp.MustCompile(`^\s*([a-zA-Z_:][a-zA-Z0-9_:]*)\s*(?:\{.*\})?\s+(\S+)(?:\s+-?[0-9]+)?\s*$`)

// sieve blanks out, in place, every line that is no sample, and each second
// line of help or type of a name and those that come after its samples.
func sieve(body []byte) {
	seen := make(map[string]bool)
	for line := range bytes.Lines(body) {
		var keep bool
		if words := strings.Fields(string(line[:min(len(line), 512)])); len(words) > 2 && words[0] == "#" && (words[1] == "TYPE" || words[1] == "HELP") {
			key := words[1] + " " + words[2]
			keep = !seen[key] && !seen[words[2]]
			seen[key] = true
		} else if m := sampleShape.FindSubmatch(line); m != nil {
			_, err := strconv.ParseFloat(string(m[2]), 64)
			keep = err == nil
			seen[string(m[1])] = keep
		}
		if !keep {
			clean(line)
		}
	}
}

// clean overwrites a line with spaces.
func clean(line []byte) {
	for i := range line {
		if line[i] != '\n' {
			line[i] = ' '
		}
	}
}

// blank overwrites line n of body with spaces and returns what stood there.
func blank(body []byte, n int) string {
	for ; n > 1; n-- {
		i := bytes.IndexByte(body, '\n')
		if i < 0 {
			return ""
		}
		body = body[i+1:]
	}
	if i := bytes.IndexByte(body, '\n'); i >= 0 {
		body = body[:i]
	}
	text := string(body[:min(len(body), 200)])
	clean(body)
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return text
}
