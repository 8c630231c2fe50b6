package loadgen

import (
	"bytes"

	"github.com/valyala/fastjson"
)

// What some tools write of their failures alone: kinds are known, requests
// aren't.

// locustFailures is locust's failures.csv, rewritten in place: a row per kind of
// error.
var locustFailures = Format{
	Name: "locust_failures", Versions: "2.12.1",
	Sniff:    func(lines [][]byte) float64 { return startsWith(lines, "Method,Name,Error,Occurrences") },
	New:      func(*Options) parser { return newReport(readLocustFailures) },
	Document: true,
}

func readLocustFailures(text []byte, s *Summary) bool {
	var c columns
	var by [outcomeCount]Num
	total := Num(0)
	head := false
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		c.split(line)
		if bytes.HasPrefix(line, []byte("Method,")) {
			c.header()
			head = true
			continue
		}
		if n := Num(c.number("Occurrences")); n.known() {
			by[reasonOutcome(c.get("Error"))] += n
			total += n
		}
	}
	s.Part = "failures"
	s.Failed = total
	s.ByKind = Kinds{Timeout: by[Timeout], Rejected: by[Rejected], Reset: by[ConnReset], HTTPError: by[HTTPError], Other: by[Other] + by[Cancelled]}
	return head
}

// k6Log is k6's stderr: a logfmt line per request without an answer. Statuses
// aren't logged.
var k6Log = Format{
	Name: "k6_log", Versions: "1.8.1",
	Sniff: func(lines [][]byte) float64 {
		return share(lines, func(l []byte) bool {
			return bytes.HasPrefix(l, []byte("time=")) && bytes.Contains(l, []byte(` msg="Request Failed"`))
		})
	},
	New: func(*Options) parser { return &failureLog{read: k6Failure, unknown: []Outcome{Rejected, HTTPError}} },
}

func k6Failure(line []byte) (Outcome, bool) {
	if !bytes.Contains(line, []byte(` msg="Request Failed"`)) {
		return NoOutcome, false
	}
	_, text, ok := bytes.Cut(line, []byte(" error="))
	return outcomeOfError(text), ok
}

// fortioLog is fortio's stderr: JSON log lines between plain ones. What failed
// on a connection used before is tried again and is no failure yet.
var fortioLog = Format{
	Name: "fortio_log", Versions: "1.63.8",
	Sniff: func(lines [][]byte) float64 {
		if holds(lines, `{"ts":`, `"file":"`, `"msg":"Starting http test"`) == 1 || holds(lines, `{"ts":`, `"file":"http_client.go"`) == 1 {
			return 0.95
		}
		return 0
	},
	New: func(*Options) parser {
		var o object
		return &failureLog{read: func(line []byte) (Outcome, bool) { return fortioFailure(&o, line) }, unknown: []Outcome{Other}}
	},
}

func fortioFailure(o *object, line []byte) (Outcome, bool) {
	obj, err := o.open(line)
	if err != nil {
		return NoOutcome, false
	}
	switch msg := str(obj.Get("msg")); {
	case bytes.HasPrefix(msg, []byte("Timeout error")):
		return Timeout, true
	case bytes.HasPrefix(msg, []byte("Read error")), bytes.HasPrefix(msg, []byte("Unable to")):
		return outcomeOfError(str(obj.Get("err"))), true
	case bytes.HasPrefix(msg, []byte("Non ok http code")):
		return outcomeOfStatus(whole(obj.Get("code"))), true
	}
	return NoOutcome, false
}

// failureLog counts the failures that a log tells.
type failureLog struct {
	read    func(line []byte) (Outcome, bool)
	unknown []Outcome // kinds the log doesn't tell
	by      [outcomeCount]Num
	seen    bool
}

func (p *failureLog) parse(line []byte, _ func(*Record)) error {
	if o, ok := p.read(line); ok {
		p.by[o]++
		p.seen = true
	}
	return nil
}

func (p *failureLog) flush(last bool, yield func(*Record)) error {
	if !last || !p.seen {
		return nil
	}
	for _, o := range p.unknown {
		p.by[o] = noNum()
	}
	s := newSummary()
	s.Part = "failures"
	s.ByKind = Kinds{Timeout: p.by[Timeout], Rejected: p.by[Rejected], Reset: p.by[ConnReset], HTTPError: p.by[HTTPError], Other: p.by[Other]}
	yield(reportOf(s))
	p.seen = false
	return nil
}

// vegetaHist is `vegeta report -type=hist`: counts of latencies in buckets.
var vegetaHist = Format{
	Name: "vegeta_hist", Versions: "12.13.0",
	Sniff:    func(lines [][]byte) float64 { return startsWith(lines, "Bucket           #") },
	New:      func(*Options) parser { return newReport(readVegetaHist) },
	Document: true,
}

func readVegetaHist(text []byte, s *Summary) bool {
	n := noNum()
	for line := range bytes.Lines(text) {
		if _, rest, ok := bytes.Cut(line, []byte("]")); ok && line[0] == '[' {
			n = sum(n, figure(nth(bytes.Fields(rest), 0)))
		}
	}
	s.Requests = n
	return n.known()
}

// tgiBenchmark is the tables of text-generation-benchmark: steps of one batch,
// no requests.
var tgiBenchmark = Format{
	Name: "tgi_benchmark", Versions: "db931fc (read)",
	Sniff: func(lines [][]byte) float64 {
		return holds(lines, "| Step           | Batch Size |")
	},
	New:      func(*Options) parser { return newReport(func([]byte, *Summary) bool { return true }) },
	Document: true,
}

// aiperfProgress is answers of AIPerf's GET /api/progress, one or several after
// one another: the sender's own counters.
var aiperfProgress = Format{
	Name: "aiperf_progress", Versions: "0.9 (read)",
	Sniff: func(lines [][]byte) float64 {
		return max(opens(lines, '{', `"phases"`, `"profiling"`), opens(lines, '{', `"phases"`, `"warmup"`))
	},
	New:      func(*Options) parser { return &aiperfPolls{} },
	Document: true, // its last line has no end
}

type aiperfPolls struct {
	p    fastjson.Parser
	text []byte
	last *Summary
}

func (p *aiperfPolls) parse(line []byte, yield func(*Record)) error {
	if len(p.text)+len(line) > maxPoll {
		p.text = p.text[:0]
		return badLine("an answer without an end")
	}
	p.text = append(append(p.text, line...), '\n')
	v, err := p.p.ParseBytes(bytes.TrimSpace(p.text))
	if err != nil {
		return nil // it goes on
	}
	p.text = p.text[:0]
	ph := v.Get("phases", "profiling")
	if ph == nil {
		return nil // the warm-up
	}
	or0 := func(key string) float64 { // fields at 0 are left out
		if f := amount(ph.Get(key)); f >= 0 {
			return f
		}
		return 0
	}
	sent, done := or0("requests_sent"), or0("requests_completed")
	r := gaugeOf(done, amount(ph.Get("total_expected_requests")))
	r.InFlight = sent - done - or0("requests_cancelled")
	r.Sender = true
	r.At, _ = decimal(p.digits(ph.Get("last_update_ns")), 0)
	yield(r)
	s := newSummary()
	s.Requests, s.Failed = Num(done), Num(or0("request_errors"))
	s.OK = s.Requests - s.Failed
	p.last = s
	return nil
}

// maxPoll bounds one answer of an endpoint.
const maxPoll = 1 << 20

func (p *aiperfPolls) digits(v *fastjson.Value) []byte {
	if v == nil {
		return nil
	}
	return v.MarshalTo(nil)
}

func (p *aiperfPolls) flush(last bool, yield func(*Record)) error {
	if last && p.last != nil {
		yield(reportOf(p.last))
		p.last = nil
	}
	return nil
}
