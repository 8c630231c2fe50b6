package loadgen

import (
	"bytes"
	"math"

	"github.com/valyala/fastjson"

	"benchtop/model"
)

// k6JSON is `k6 run --out json=FILE`: a dozen points per finished request.
var k6JSON = Format{
	Name: "k6_json", Versions: "1.8.1",
	Sniff: func(lines [][]byte) float64 {
		return share(lines, func(l []byte) bool {
			return l[0] == '{' && bytes.Contains(l, []byte(`"metric":`)) && bytes.Contains(l, []byte(`"data":{`)) &&
				(bytes.Contains(l, []byte(`"type":"Point"`)) || bytes.Contains(l, []byte(`"type":"Metric"`)))
		})
	},
	New: func(*Options) parser { return &k6Points{} },
}

// k6CSV is `k6 run --out csv=FILE`: the same points as rows.
var k6CSV = Format{
	Name: "k6_csv", Versions: "1.8.1",
	Sniff: func(lines [][]byte) float64 {
		return max(startsWith(lines, "metric_name,timestamp,metric_value,"), share(lines, func(l []byte) bool {
			return bytes.HasPrefix(l, []byte("http_req")) && bytes.Count(l, []byte(",")) >= 10 // joined below the header
		}))
	},
	New: func(*Options) parser { return &k6Rows{} },
}

const k6Header = "metric_name,timestamp,metric_value,check,error,error_code,expected_response,group,method,name,proto,scenario,service,status,subproto,tls_version,url,extra_tags,metadata"

// k6Request gathers the points of one request: they follow each other, the
// count first and whether it failed last. Their time is the request's end, and
// the duration leaves out what was waited for a connection.
type k6Request struct {
	rec     Record
	open    bool
	blocked float64 // seconds
	tool    bool    // the tool was told
}

// point takes one point. tag reads a tag of it.
func (q *k6Request) point(metric []byte, at, rounded model.Instant, value float64, tag func(string) []byte, yield func(*Record)) {
	switch string(metric) {
	case "http_reqs":
		q.finish(yield)
		q.begin(at, rounded, tag)
		if !q.tool {
			q.tool = true
			f := newFacts()
			f.Tool, f.Target = "k6", string(tag("url"))
			yield(impliedRun(at, f))
		}
	case "http_req_duration":
		q.rec.Latency = value / 1e3
	case "http_req_blocked":
		q.blocked = value / 1e3
	case "http_req_connecting":
		if q.rec.Outcome != Other {
			q.rec.Reused = reusedIf(value)
		}
	case "http_req_failed":
		if q.open && q.rec.Outcome == NoOutcome {
			q.rec.Outcome = OK
			if value != 0 {
				q.rec.Outcome = Other
			}
		}
		q.finish(yield)
	case "vus":
		var r Record
		r.clear(KindGauge)
		r.At, r.Target = at, value
		yield(&r)
	}
}

func (q *k6Request) begin(at, rounded model.Instant, tag func(string) []byte) {
	r := &q.rec
	r.clear(KindEnd)
	q.open, q.blocked = true, 0
	r.At, r.Shrink, r.NoHorizon = at, 2*rounded, rounded >= 1e9
	status, _ := integer(tag("status"))
	code, _ := integer(tag("error_code"))
	r.Status = int(max(status, 0))
	r.Outcome = k6Outcome(status, code, tag("error"))
}

// finish yields the request that is gathered, if there is one.
func (q *k6Request) finish(yield func(*Record)) {
	if !q.open {
		return
	}
	q.open = false
	r := &q.rec
	if r.Outcome == NoOutcome {
		r.Outcome = OK
	}
	if !math.IsNaN(r.Latency) && !math.IsNaN(q.blocked) && r.At > 0 {
		r.Start = r.At - span(r.Latency+q.blocked)
	}
	yield(r)
}

// k6Outcome reads k6's error codes: 1400 + n and 1500 + n stand for statuses.
func k6Outcome(status, code int64, text []byte) Outcome {
	switch {
	case code == 1050 || code == 1211:
		return Timeout
	case code == 1220:
		return ConnReset
	case code >= 1400 && code < 1600:
		return outcomeOfStatus(int(code - 1000))
	case code == 1000 && len(text) > 0:
		return outcomeOfError(text)
	case code != 0:
		return Other
	}
	return outcomeOfStatus(int(status))
}

type k6Points struct {
	object
	k6Request
	tags *fastjson.Value
}

func (p *k6Points) parse(line []byte, yield func(*Record)) error {
	obj, err := p.object.open(line)
	if err != nil {
		return err
	}
	data := obj.Get("data")
	if string(str(obj.Get("type"))) != "Point" || data == nil {
		return nil // a metric's description, or a line of its own
	}
	at, ok := rfc3339(str(data.Get("time")))
	value := numeric(data.Get("value"))
	if !ok || math.IsNaN(value) {
		return badLine("a point without time or value")
	}
	p.tags = data.Get("tags")
	p.point(str(obj.Get("metric")), at, 0, value, p.tag, yield)
	return nil
}

func (p *k6Points) tag(name string) []byte {
	if p.tags == nil {
		return nil
	}
	return str(p.tags.Get(name))
}

func (p *k6Points) flush(last bool, yield func(*Record)) error {
	if last {
		p.finish(yield)
	}
	return nil
}

type k6Rows struct {
	columns
	k6Request
}

func (p *k6Rows) parse(line []byte, yield func(*Record)) error {
	p.split(line)
	if bytes.HasPrefix(line, []byte("metric_name,")) {
		p.header()
		return nil
	}
	if !p.assume(k6Header) {
		return badLine("a row before the header")
	}
	at, rounded, ok := k6Stamp(p.get("timestamp"))
	value := p.number("metric_value")
	if !ok || math.IsNaN(value) {
		return badLine("a row without time or value")
	}
	p.point(p.fields[0], at, rounded, value, p.get, yield)
	return nil
}

func (p *k6Rows) flush(last bool, yield func(*Record)) error {
	if last {
		p.finish(yield)
	}
	return nil
}

// k6Stamp reads the forms K6_CSV_TIME_FORMAT offers, and how far each is
// rounded; the default is whole seconds.
func k6Stamp(b []byte) (at, rounded model.Instant, ok bool) {
	switch len(b) {
	case 10, 13, 16, 19:
		if at, ok = decimal(b, 19-len(b)); ok {
			return at, k6Steps[(19-len(b))/3], true
		}
	}
	at, ok = rfc3339(b)
	if bytes.IndexByte(b, '.') < 0 {
		rounded = 1e9
	}
	return at, rounded, ok
}

// k6Steps are the roundings of unix time with 19, 16, 13 and 10 digits; below a
// millisecond nothing needs taking off.
var k6Steps = [...]model.Instant{0, 0, 1e6, 1e9}
