package loadgen

import (
	"bytes"
	"errors"
	"fmt"
	"math"

	"github.com/valyala/fastjson"
)

// ndjsonVersion is the version of the contract read here.
const ndjsonVersion = 1

// ErrNewer marks a stream written to a newer contract than this program reads.
var ErrNewer = errors.New("written for a newer benchtop")

// ndjson is benchtop's own stream: one object a line, in the order in which
// things happened.
var ndjson = Format{
	Name: "benchtop_ndjson", Versions: "1",
	Sniff: func(lines [][]byte) float64 {
		return share(lines, func(l []byte) bool {
			i := bytes.Index(l, []byte(`"ev"`))
			if i < 0 || l[0] != '{' {
				return false
			}
			kind := bytes.TrimLeft(l[i+4:], ": \t")
			for _, k := range ndjsonKinds {
				if bytes.HasPrefix(kind, []byte(`"`+k.word+`"`)) {
					return true
				}
			}
			return false
		})
	},
	New: func(*Options) parser {
		p := &ndjsonParser{}
		p.visit = p.field
		return p
	},
}

var ndjsonKinds = [...]struct {
	word string
	kind RecordKind
}{
	{"start", KindBegin},
	{"end", KindEnd},
	{"first", KindFirst},
	{"gauge", KindGauge},
	{"run", KindRun},
	{"summary", KindSummary},
}

// ndjsonParser reads every key in one pass; which of them count depends on the
// kind, which may come last.
type ndjsonParser struct {
	unheld
	object
	visit   func(key []byte, v *fastjson.Value)
	rec     Record
	facts   RunFacts
	version float64
	word    []byte // of the outcome
	failed  bool   // there is an error text
	known   bool   // ev was read
	bare    bool   // a NaN or an infinity stands in it: it is no JSON
	odd     bool   // its t is no time of day
	id      []byte
	report  ndjsonReport
}

type ndjsonReport struct{ requests, ok, failed, mean, p95, average, peak float64 }

func (p *ndjsonParser) parse(line []byte, yield func(*Record)) error {
	obj, err := p.open(line)
	if err != nil {
		return err
	}
	p.rec.clear(KindNone)
	p.version, p.word, p.failed, p.known = 0, nil, false, false
	p.bare, p.odd = false, false
	p.id = p.id[:0]
	p.facts = noFacts()
	nan := math.NaN()
	p.report = ndjsonReport{nan, nan, nan, nan, nan, nan, nan}
	obj.Visit(p.visit)
	if p.version > ndjsonVersion {
		return fmt.Errorf("%w: NDJSON stream version %g, this one reads %d (update benchtop, or let the client print \"v\":%d)",
			ErrNewer, p.version, ndjsonVersion, ndjsonVersion)
	}
	if !p.known {
		return badLine(`no "ev"`)
	}
	if p.rec.Kind == KindNone {
		return nil // a kind of some later version
	}
	if p.bare {
		return badLine("a bare NaN or infinity, which is no JSON")
	}
	p.complete()
	p.odd = p.odd || p.rec.At > maxInstant
	yield(&p.rec)
	if p.odd { // it happened, and nobody can say when
		return badLine(`"t" is no time of day in unix seconds`)
	}
	return nil
}

// field takes one key of the object.
func (p *ndjsonParser) field(key []byte, v *fastjson.Value) {
	r := &p.rec
	switch string(key) {
	case "ev":
		p.kind(v)
	case "t":
		var ok bool
		r.At, ok = p.decimal(v, 9)
		p.odd = !ok || r.At <= 0
		p.finite(v, ok)
	case "id":
		p.id = append(p.id[:0], p.text(v)...)
	case "dur_ms":
		r.Latency = numeric(v) / 1e3
		p.finite(v, !math.IsNaN(r.Latency))
	case "outcome":
		p.word = str(v)
	case "status":
		r.Status = whole(v)
	case "error":
		p.failed = len(str(v)) > 0
	case "ttft_ms":
		r.TTFT = amount(v) / 1e3
		p.finite(v, !math.IsNaN(r.TTFT))
	case "prompt_tokens":
		r.Prompt = amount(v)
	case "output_tokens":
		r.Output = amount(v)
	case "conn_reused":
		r.Reused = flag(v)
	case "date":
		r.Date, _ = httpDate(str(v))
	case "sched":
		r.Sched, _ = p.decimal(v, 9)
	case "v":
		p.version = numeric(v)
	default:
		p.rare(string(key), v)
	}
}

// finite looks at a number that could not be read: some libraries write a NaN
// or an infinity as they are, which JSON has no word for.
func (p *ndjsonParser) finite(v *fastjson.Value, read bool) {
	if read || v.Type() != fastjson.TypeNumber {
		return
	}
	digits := bytes.TrimLeft(p.number(v), "-+")
	p.bare = p.bare || len(digits) > 0 && (digits[0] < '0' || digits[0] > '9')
}

// rare takes the keys that few lines have.
func (p *ndjsonParser) rare(key string, v *fastjson.Value) {
	r, f, s := &p.rec, &p.facts, &p.report
	switch key {
	case "in_flight":
		r.InFlight = amount(v)
	case "target_concurrency":
		r.Target = amount(v)
	case "queued":
		r.Queued = amount(v)
	case "open_conns":
		r.OpenConns = amount(v)
	case "run":
		f.Name = string(p.text(v))
	case "tool":
		f.Tool = string(str(v))
	case "target":
		f.Target = string(str(v))
	case "concurrency":
		f.Concurrency = amount(v)
	case "connections":
		f.Connections = amount(v)
	case "keep_alive":
		f.KeepAlive = flag(v)
	case "timeout_ms":
		f.TimeoutSeconds = amount(v) / 1e3
	case "duration_s":
		f.DurationSeconds = amount(v)
	case "rate_rps":
		f.RatePerS = amount(v)
	case "requests":
		s.requests = amount(v)
	case "ok":
		s.ok = amount(v)
	case "failed":
		s.failed = amount(v)
	case "mean_ms":
		s.mean = amount(v)
	case "p95_ms":
		s.p95 = amount(v)
	case "avg_concurrency":
		s.average = amount(v)
	case "peak_concurrency":
		s.peak = amount(v)
	}
}

func (p *ndjsonParser) kind(v *fastjson.Value) {
	word := str(v)
	p.known = word != nil
	for i := range ndjsonKinds {
		if string(word) == ndjsonKinds[i].word {
			p.rec.Kind = ndjsonKinds[i].kind
		}
	}
}

// complete turns what was read into what the kind of record says.
func (p *ndjsonParser) complete() {
	r := &p.rec
	if len(p.id) > 0 {
		r.ID, r.Key = p.id, hashID(p.id)
	}
	switch r.Kind {
	case KindBegin:
		r.NoHorizon = r.Key == 0
	case KindEnd:
		r.Outcome = p.outcome()
		if r.Latency < 0 {
			r.Latency = math.NaN()
		}
	case KindRun:
		f := p.facts
		r.Run = &f
	case KindSummary:
		s := newSummary()
		s.Requests, s.OK, s.Failed = Num(p.report.requests), Num(p.report.ok), Num(p.report.failed)
		s.LatencyMS.Mean, s.LatencyMS.P95 = Num(p.report.mean), Num(p.report.p95)
		s.AverageConcurrency, s.PeakConcurrency = Num(p.report.average), Num(p.report.peak)
		r.Report = s
	}
}

// outcome is the word's, else the status', else told by whether there is an
// error text.
func (p *ndjsonParser) outcome() Outcome {
	switch string(p.word) {
	case "":
	case "ok":
		return OK
	case "rejected":
		return Rejected
	case "http_error":
		return HTTPError
	case "timeout":
		return Timeout
	case "reset":
		return ConnReset
	case "cancelled", "canceled":
		return Cancelled
	default: // refused, other, or a word of some later version
		return Other
	}
	if o := outcomeOfStatus(p.rec.Status); o != NoOutcome {
		return o
	}
	if p.failed {
		return Other
	}
	return OK
}
