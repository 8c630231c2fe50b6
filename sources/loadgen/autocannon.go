package loadgen

import (
	"bytes"

	"github.com/valyala/fastjson"
)

// autocannonJSON is `autocannon -j`: one line at the end; its errors include its
// timeouts, and latency is of answers only, in whole milliseconds.
var autocannonJSON = Format{
	Name: "autocannon_json", Versions: "9.0.0",
	Sniff: func(lines [][]byte) float64 {
		return opens(lines, '{', `"non2xx"`, `"pipelining"`)
	},
	New:      func(*Options) parser { return newJSONReport(readAutocannon) },
	Document: true,
}

func readAutocannon(v *fastjson.Value, s *Summary) bool {
	errors, late := num(v, 1, "errors"), num(v, 1, "timeouts")
	s.Requests = num(v, 1, "requests", "total") + errors
	s.OK = sum(num(v, 1, "1xx"), num(v, 1, "2xx"), num(v, 1, "3xx"))
	s.Failed = s.Requests - s.OK
	by := codes(v.Get("statusCodeStats"), func(c *fastjson.Value) float64 { return numeric(c.Get("count")) })
	s.ByKind.Timeout, s.ByKind.Reset = late, errors-late
	s.ByKind.Rejected, s.ByKind.HTTPError = by[Rejected], by[HTTPError]
	l := v.Get("latency")
	s.LatencyMS = Quantiles{
		Mean: num(l, 1, "average"), P50: num(l, 1, "p50"), P90: num(l, 1, "p90"), P95: noNum(), P99: num(l, 1, "p99"),
		P999: num(l, 1, "p99_9"), Max: num(l, 1, "max"), N: num(l, 1, "totalCount"),
	}
	s.DurationS = num(v, 1, "duration")
	s.RateRPS = s.Requests / s.DurationS
	return s.Requests.known()
}

// autocannonText is the tables autocannon prints at its end, on stderr.
var autocannonText = Format{
	Name: "autocannon", Versions: "9.0.0",
	Sniff: func(lines [][]byte) float64 {
		return min(holds(lines, " test @ "), 1-holds(lines, " threads and "), holds(lines, " connections"))
	},
	New:      func(*Options) parser { return newReport(readAutocannonText) },
	Document: true,
}

func readAutocannonText(text []byte, s *Summary) bool {
	before := func(label string) Num {
		i := bytes.Index(text, []byte(label))
		if i < 0 {
			return noNum()
		}
		w := bytes.FieldsFunc(text[:i], func(r rune) bool { return r == ' ' || r == '\n' || r == '(' })
		return figure(nth(w, len(w)-1))
	}
	if !bytes.Contains(text, []byte(" requests in ")) {
		return false
	}
	good, bad := before(" 2xx responses"), before(" non 2xx responses")
	errors, late := before(" errors"), before(" timeouts)")
	if !errors.known() {
		errors, late = 0, 0
	}
	s.OK, s.Requests = good, good+bad+errors
	s.Failed = s.Requests - good
	s.ByKind.Timeout, s.ByKind.Reset = late, errors-late
	if t := bytes.Index(text, []byte("│ Code │ Count │")); t >= 0 {
		var by [outcomeCount]Num
		for line := range bytes.Lines(text[t:]) {
			w := bytes.Fields(line)
			if code, ok := integer(nth(w, 1)); ok {
				by[outcomeOfStatus(int(code))] += figure(nth(w, 3))
			}
		}
		s.ByKind.Rejected, s.ByKind.HTTPError = by[Rejected], by[HTTPError]
	}
	row := bytes.FieldsFunc(after(text, "│ Latency "), func(r rune) bool { return r == '│' })
	if len(row) >= 7 {
		l := &s.LatencyMS
		l.P50, l.P99 = spaced(row[1]), spaced(row[3])
		l.Mean, l.Max = spaced(row[4]), spaced(row[6])
	}
	s.DurationS = milliseconds(word(text, " requests in ", 0)) / 1e3
	return s.Requests.known()
}

// nth is w[i], nil if there is none.
func nth(w [][]byte, i int) []byte {
	if i >= 0 && i < len(w) {
		return w[i]
	}
	return nil
}

// spaced reads a duration with a space before its unit.
func spaced(b []byte) Num {
	return milliseconds(bytes.ReplaceAll(bytes.TrimSpace(b), []byte(" "), nil))
}
