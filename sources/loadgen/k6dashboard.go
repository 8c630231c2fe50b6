package loadgen

import (
	"bytes"
	"slices"

	"github.com/valyala/fastjson"

	"benchtop/model"
)

// k6Dashboard is the event stream of k6's web dashboard: aggregates a period,
// as arrays in alphabetical order of all metrics named so far.
var k6Dashboard = Format{
	Name: "k6_dashboard", Versions: "1.8.1",
	Sniff: func(lines [][]byte) float64 {
		if holds(lines, "data: ", "event: config") == 1 || holds(lines, "data: ", "event: param", `"aggregates"`) == 1 {
			return 1
		}
		return 0
	},
	New: func(*Options) parser { return &k6Events{} },
}

type k6Events struct {
	unheld
	p     fastjson.Parser
	data  []byte
	names []string // of the metrics, sorted
	count int      // place of a counter's count in its array
}

func (p *k6Events) parse(line []byte, yield func(*Record)) error {
	if rest, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
		p.data = append(p.data[:0], rest...)
		return nil
	}
	name, ok := bytes.CutPrefix(line, []byte("event: "))
	if !ok {
		return nil // ids and blank lines
	}
	v, err := p.p.ParseBytes(p.data)
	if err != nil {
		return badLine("an event without JSON")
	}
	switch string(name) {
	case "param":
		for i, a := range v.GetArray("aggregates", "counter") {
			if string(str(a)) == "count" {
				p.count = i
			}
		}
	case "metric":
		p.announce(v)
	case "cumulative":
		p.state(v, yield)
	}
	return nil
}

func (p *k6Events) announce(v *fastjson.Value) {
	obj, err := v.Object()
	if err != nil {
		return
	}
	obj.Visit(func(key []byte, _ *fastjson.Value) {
		if i, ok := slices.BinarySearch(p.names, string(key)); !ok {
			p.names = slices.Insert(p.names, i, string(key))
		}
	})
}

// state tells requests and users so far.
func (p *k6Events) state(v *fastjson.Value, yield func(*Record)) {
	at := func(metric string, i int) float64 {
		n, ok := slices.BinarySearch(p.names, metric)
		if a := v.GetArray(); ok && n < len(a) {
			if b := a[n].GetArray(); i < len(b) {
				return amount(b[i])
			}
		}
		return float(nil)
	}
	r := gaugeOf(at("http_reqs", p.count), float(nil))
	r.Target = at("vus", 0)
	if ms := at("time", 0); ms > 0 {
		r.At = model.Instant(ms * 1e6)
	}
	yield(r)
}
