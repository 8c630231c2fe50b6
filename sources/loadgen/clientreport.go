package loadgen

import (
	"bytes"
	"math"
	"strings"

	"github.com/valyala/fastjson"
)

// clientReport is the end report of a home-made client: five facts under keys
// that are matched by meaning, in the unit of their ending.
var clientReport = Format{
	Name: "client_report", Versions: "any",
	Sniff: func(lines [][]byte) float64 {
		text := bytes.TrimSpace(bytes.Join(lines, nil))
		if len(text) == 0 || text[0] != '{' || len(text) > 64<<10 {
			return 0
		}
		v, err := fastjson.ParseBytes(text)
		s := newSummary()
		if err != nil || !readClientReport(v, s) {
			return 0
		}
		return 0.6 // other tools' reports have the same facts, and more
	},
	New:      func(*Options) parser { return newJSONReport(readClientReport) },
	Document: true,
}

func readClientReport(v *fastjson.Value, s *Summary) bool {
	if v.Type() != fastjson.TypeObject {
		return false
	}
	reportFacts("", v, s)
	if !s.Requests.known() {
		s.Requests = s.OK + s.Failed
	}
	return s.OK.known() && s.Failed.known() && (s.LatencyMS.Mean.known() || s.LatencyMS.P95.known())
}

// reportFacts walks an object; prefix holds the words of the keys above.
func reportFacts(prefix string, v *fastjson.Value, s *Summary) {
	obj := v.GetObject()
	if obj == nil || len(prefix) > 200 {
		return
	}
	obj.Visit(func(key []byte, v *fastjson.Value) {
		name := prefix + " " + words(string(key)) + " "
		if v.Type() == fastjson.TypeObject {
			reportFacts(name, v, s)
			return
		}
		if f := numeric(v); !math.IsNaN(f) {
			reportFact(name, f, s)
		}
	})
}

// words cuts a key in snake, kebab or camel case into lower-case words.
func words(key string) string {
	var b strings.Builder
	for i, c := range key {
		switch {
		case c == '_' || c == '-' || c == '.':
			c = ' '
		case 'A' <= c && c <= 'Z':
			if i > 0 {
				b.WriteByte(' ')
			}
			c += 'a' - 'A'
		}
		b.WriteRune(c)
	}
	return b.String()
}

func reportFact(name string, f float64, s *Summary) {
	has := func(any ...string) bool {
		for _, w := range any {
			if strings.Contains(name, " "+w+" ") {
				return true
			}
		}
		return false
	}
	scale := math.NaN()
	switch {
	case has("ms", "millis", "milliseconds"):
		scale = 1
	case has("s", "sec", "secs", "seconds"):
		scale = 1e3
	case has("us", "micros", "microseconds"):
		scale = 1e-3
	case has("ns", "nanos", "nanoseconds"):
		scale = 1e-6
	}
	switch average := has("avg", "average", "mean"); {
	case has("rate", "ratio", "percent", "pct", "rps", "qps"):
	case has("latency", "duration") && has("p95", "95", "percentile95"):
		s.LatencyMS.P95 = Num(f * scale)
	case has("latency") && average:
		s.LatencyMS.Mean = Num(f * scale)
	case has("concurrency") && (has("actual", "effective", "measured") || average):
		s.AverageConcurrency = Num(f)
	case has("success", "succeeded", "successes", "successful", "ok"):
		s.OK = Num(f)
	case has("failure", "failures", "failed", "errors", "fail"):
		s.Failed = Num(f)
	case has("total") && has("requests"):
		s.Requests = Num(f)
	}
}
