package loadgen

import (
	"bytes"

	"github.com/valyala/fastjson"
)

// k6Text is what k6 prints on stdout: progress in iterations, then a summary in
// which failures are one number.
var k6Text = Format{
	Name: "k6", Versions: "1.8.1",
	Sniff: func(lines [][]byte) float64 {
		return max(holds(lines, "TOTAL RESULTS"), holds(lines, "execution: ", "scenarios: "))
	},
	New:      func(*Options) parser { return &barred{state: k6State, parser: newReport(readK6Text)} },
	Document: true,
}

// k6State reads running (01.0s), 8/8 VUs, 94 complete and 0 interrupted
// iterations: users, and iterations, which may make several requests each.
func k6State(line []byte) (barState, bool) {
	b := noState()
	if !bytes.HasPrefix(line, []byte("running (")) {
		return b, false
	}
	f := bytes.Fields(line)
	if len(f) < 6 || string(f[3]) != "VUs," {
		return b, false
	}
	_, users, _ := bytes.Cut(f[2], []byte("/")) // those it may have
	b.users, b.done = float(users), float(f[4])
	return b, b.done >= 0
}

func readK6Text(text []byte, s *Summary) bool {
	i := bytes.LastIndex(text, []byte("TOTAL RESULTS"))
	if i < 0 {
		return false
	}
	text = text[i:]
	dotted := func(label string) [][]byte {
		_, rest, _ := bytes.Cut(after(text, "\n    "+label+"."), []byte(": "))
		return bytes.Fields(rest)
	}
	all, failed, took := dotted("http_reqs"), dotted("http_req_failed"), dotted("http_req_duration")
	s.Requests, s.RateRPS = figure(nth(all, 0)), figure(bytes.TrimSuffix(nth(all, 1), []byte("/s")))
	s.Failed = figure(nth(failed, 1))
	s.OK = s.Requests - s.Failed
	l := &s.LatencyMS
	for _, w := range took {
		name, value, _ := bytes.Cut(w, []byte("="))
		switch string(name) {
		case "avg":
			l.Mean = milliseconds(value)
		case "med":
			l.P50 = milliseconds(value)
		case "max":
			l.Max = milliseconds(value)
		case "p(90)":
			l.P90 = milliseconds(value)
		case "p(95)":
			l.P95 = milliseconds(value)
		case "p(99)":
			l.P99 = milliseconds(value)
		}
	}
	return s.Requests.known()
}

// k6REST is polls of k6's GET /v1/metrics, one object a line: cumulative, so the
// last one counts.
var k6REST = Format{
	Name: "k6_rest", Versions: "1.8.1",
	Sniff: func(lines [][]byte) float64 {
		return share(lines, func(l []byte) bool {
			return bytes.HasPrefix(l, []byte(`{"data":[{"type":"metrics"`)) && bytes.Contains(l, []byte(`"attributes":`))
		})
	},
	New: func(*Options) parser { return &k6Polls{} },
}

type k6Polls struct {
	object
	last *Summary
}

func (p *k6Polls) parse(line []byte, yield func(*Record)) error {
	v, err := p.value(line)
	if err != nil {
		return err
	}
	s := newSummary()
	for _, m := range v.GetArray("data") {
		x := m.Get("attributes", "sample")
		switch string(str(m.Get("id"))) {
		case "http_reqs":
			s.Requests, s.RateRPS = num(x, 1, "count"), num(x, 1, "rate")
		case "http_req_failed":
			s.Failed = num(x, 1, "rate")
		case "http_req_duration":
			s.LatencyMS = k6Trend(x)
		case "vus":
			var r Record
			r.clear(KindGauge)
			r.Target = amount(x.Get("value"))
			yield(&r)
		}
	}
	if !s.Requests.known() {
		return badLine("no http_reqs")
	}
	s.Failed = Num(float64(int(float64(s.Failed*s.Requests) + 0.5)))
	s.OK = s.Requests - s.Failed
	p.last = s
	return nil
}

func (p *k6Polls) flush(last bool, yield func(*Record)) error {
	if last && p.last != nil {
		yield(reportOf(p.last))
		p.last = nil
	}
	return nil
}

func k6Trend(d *fastjson.Value) Quantiles {
	return Quantiles{
		Mean: num(d, 1, "avg"), P50: num(d, 1, "med"), P90: num(d, 1, "p(90)"), P95: num(d, 1, "p(95)"),
		P99: num(d, 1, "p(99)"), P999: num(d, 1, "p(99.9)"), Max: num(d, 1, "max"), N: noNum(),
	}
}
