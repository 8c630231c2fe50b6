package loadgen

import (
	"bytes"
)

// gatlingText is Gatling's simulation.log up to 3.12: tab-separated, unix
// milliseconds, a line per finished request. Later ones are binary.
var gatlingText = Format{
	Name: "gatling_text", Versions: "3.10.5 (read)",
	Sniff: func(lines [][]byte) float64 {
		return share(lines, func(l []byte) bool {
			kind, _, tabs := bytes.Cut(l, []byte("\t"))
			return tabs && (string(kind) == "RUN" || string(kind) == "USER" || string(kind) == "REQUEST" || string(kind) == "GROUP")
		})
	},
	New: func(*Options) parser { return &gatlingLines{} },
}

type gatlingLines struct {
	unheld
	rec    Record
	fields [][]byte
}

func (p *gatlingLines) parse(line []byte, yield func(*Record)) error {
	p.fields = p.fields[:0]
	for rest, more := line, true; more; {
		var f []byte
		f, rest, more = bytes.Cut(rest, []byte("\t"))
		p.fields = append(p.fields, f)
	}
	switch string(p.fields[0]) {
	case "RUN":
		return p.run(yield)
	case "REQUEST":
		return p.request(yield)
	case "USER", "GROUP", "ERROR", "ASSERTION":
		return nil
	}
	return badLine("not a line of a simulation log")
}

func (p *gatlingLines) run(yield func(*Record)) error {
	if len(p.fields) < 4 {
		return badLine("a RUN line with fewer than 4 fields")
	}
	start, _ := decimal(p.fields[3], 6)
	f := newFacts()
	f.Tool, f.Name = "gatling", string(p.fields[1])
	r := impliedRun(start, f)
	yield(r)
	return nil
}

// request reads REQUEST, groups, name, start, end, OK or KO, message.
func (p *gatlingLines) request(yield func(*Record)) error {
	if len(p.fields) < 6 {
		return badLine("a REQUEST line with fewer than 6 fields")
	}
	start, ok1 := decimal(p.fields[3], 6)
	end, ok2 := decimal(p.fields[4], 6)
	if !ok1 || !ok2 || end < start {
		return badLine("a REQUEST line without start or end")
	}
	r := &p.rec
	r.clear(KindEnd)
	r.Start, r.At, r.Latency = start, end, end.Seconds(start)
	r.Outcome = OK
	if string(p.fields[5]) != "OK" {
		r.Outcome = Other
		if len(p.fields) > 6 {
			r.Outcome = gatlingOutcome(p.fields[6])
		}
	}
	yield(r)
	return nil
}

// gatlingOutcome reads the message of a failed request: a check that found
// another status, or an exception.
func gatlingOutcome(text []byte) Outcome {
	if i := bytes.LastIndex(text, []byte("found ")); i >= 0 {
		if code, ok := integer(bytes.TrimSpace(text[i+len("found "):])); ok && code >= 100 && code < 600 {
			if o := outcomeOfStatus(int(code)); o != OK {
				return o
			}
			return Other
		}
	}
	return outcomeOfError(text)
}
