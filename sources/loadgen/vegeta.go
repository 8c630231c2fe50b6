package loadgen

import (
	"bytes"
	"math"

	"github.com/valyala/fastjson"

	"benchtop/model"
)

// vegetaJSON is `vegeta encode --to json`: one object per finished request, as
// it ends, with a number given out at its start.
var vegetaJSON = Format{
	Name: "vegeta_json", Versions: "12.13.0",
	Sniff: func(lines [][]byte) float64 {
		return share(lines, func(l []byte) bool {
			return l[0] == '{' && bytes.Contains(l, []byte(`"seq":`)) && bytes.Contains(l, []byte(`"latency":`)) &&
				bytes.Contains(l, []byte(`"timestamp":"`)) && bytes.Contains(l, []byte(`"attack":`))
		})
	},
	New: func(*Options) parser {
		p := &vegetaParser{}
		p.visit = p.field
		return p
	},
}

// vegetaParser reads the keys that stand before the body only: bodies are the
// bulk of a line, and a line may be cut inside one.
type vegetaParser struct {
	unheld
	object
	visit  func(key []byte, v *fastjson.Value)
	head   []byte
	rec    Record
	code   int64
	failed []byte
	got    uint8
	told   bool
	attack []byte
}

// The keys without which there is no record.
const (
	gotSeq = 1 << iota
	gotCode
	gotTime
	gotLatency
	gotAll = gotSeq | gotCode | gotTime | gotLatency
)

var (
	vegetaBody = []byte(`,"body":`)
	vegetaURL  = []byte(`,"url":"`)
)

func (p *vegetaParser) parse(line []byte, yield func(*Record)) error {
	text := line
	// An unescaped quote can't stand inside a string, so this is the key itself.
	if i := bytes.Index(line, vegetaBody); i >= 0 {
		p.head = append(append(p.head[:0], line[:i]...), '}')
		text = p.head
	}
	obj, err := p.open(text)
	if err != nil {
		return err
	}
	p.rec.clear(KindEnd)
	p.got, p.failed, p.code = 0, nil, 0
	obj.Visit(p.visit)
	r := &p.rec
	if p.got != gotAll {
		return badLine("not a vegeta result")
	}
	r.HasSeq = true
	r.At = r.Start + span(r.Latency)
	r.Outcome = vegetaOutcome(p.code, p.failed)
	if p.code > 0 {
		r.Status = int(p.code)
	}
	if !p.told {
		p.told = true
		p.run(line, yield)
	}
	yield(r)
	return nil
}

// run tells the attack's name and URL once.
func (p *vegetaParser) run(line []byte, yield func(*Record)) {
	f := newFacts()
	f.Tool, f.Name = "vegeta", string(p.attack)
	if i := bytes.LastIndex(line, vegetaURL); i >= 0 {
		url := line[i+len(vegetaURL):]
		if j := bytes.IndexByte(url, '"'); j >= 0 {
			f.Target = string(url[:j])
		}
	}
	yield(impliedRun(p.rec.Start, f))
}

func (p *vegetaParser) field(key []byte, v *fastjson.Value) {
	switch string(key) {
	case "seq":
		if n, err := v.Uint64(); err == nil {
			p.rec.Seq = n
			p.got |= gotSeq
		}
	case "code":
		if n, ok := integer(p.number(v)); ok {
			p.code = n
			p.got |= gotCode
		}
	case "timestamp":
		if t, ok := rfc3339(str(v)); ok {
			p.rec.Start = t
			p.got |= gotTime
		}
	case "latency":
		if n, ok := integer(p.number(v)); ok && n >= 0 {
			p.rec.Latency = float64(n) / 1e9
			p.got |= gotLatency
		}
	case "error":
		p.failed = str(v)
	case "attack":
		p.attack = str(v)
	}
}

// vegetaOutcome tells the kind from the code and, where there was no answer,
// from the text.
func vegetaOutcome(code int64, text []byte) Outcome {
	if code >= 400 {
		return outcomeOfStatus(int(code))
	}
	if code >= 200 && len(text) == 0 {
		return OK
	}
	// Post "http://host/timeout": the words of the URL are not the failure's.
	if i := bytes.Index(text, []byte(`": `)); i >= 0 && bytes.Contains(text[:i], []byte(` "`)) {
		text = text[i+3:]
	}
	return outcomeOfError(text)
}

// endOf is a request's end from its start and latency in seconds; 0 if either
// is unknown.
func endOf(start model.Instant, latency float64) model.Instant {
	if start == 0 || math.IsNaN(latency) {
		return 0
	}
	return start + span(latency)
}
