package loadgen

import (
	"bytes"
)

// jmeterXML is JMeter's results file as XML, read line by line: its closing tag
// is missing while the test runs.
var jmeterXML = Format{
	Name: "jmeter_xml", Versions: "bb30edf (read)",
	Sniff: func(lines [][]byte) float64 {
		return max(holds(lines, "<testResults"), holds(lines, "<httpSample t="))
	},
	New: func(*Options) parser { return &jmeterTags{} },
}

type jmeterTags struct {
	unheld
	rec  Record
	text []byte
}

func (p *jmeterTags) parse(line []byte, yield func(*Record)) error {
	line = bytes.TrimSpace(line)
	tag, ok := bytes.CutPrefix(line, []byte("<httpSample"))
	if !ok {
		if tag, ok = bytes.CutPrefix(line, []byte("<sample")); !ok {
			return nil // what stands inside a sample, or around all of them
		}
	}
	start, ok1 := decimal(attribute(tag, "ts"), 6)
	took, ok2 := decimal(attribute(tag, "t"), 6)
	if !ok1 || !ok2 {
		return badLine("a sample without ts or t")
	}
	r := &p.rec
	r.clear(KindEnd)
	r.Start, r.At, r.Latency = start, start+took, float64(took)/1e9
	if c := attribute(tag, "ct"); c != nil {
		r.Reused = reusedIf(float(c))
	}
	rc := attribute(tag, "rc")
	code, isCode := integer(rc)
	switch {
	case isCode && code >= 400:
		r.Status, r.Outcome = int(code), outcomeOfStatus(int(code))
	case string(attribute(tag, "s")) == "true":
		r.Status, r.Outcome = int(max(code, 0)), OK
	case isCode: // an assertion failed
		r.Status, r.Outcome = int(max(code, 0)), Other
	default:
		p.text = append(append(append(p.text[:0], rc...), ' '), attribute(tag, "rm")...)
		r.Outcome = outcomeOfError(p.text)
	}
	yield(r)
	return nil
}

// attribute is the value of a tag's attribute; nil if there is none.
func attribute(tag []byte, name string) []byte {
	for from := 0; ; {
		i := bytes.Index(tag[from:], []byte(name+`="`))
		if i < 0 {
			return nil
		}
		i += from
		from = i + len(name) + 2
		if i > 0 && tag[i-1] != ' ' {
			continue
		}
		if j := bytes.IndexByte(tag[from:], '"'); j >= 0 {
			return tag[from : from+j]
		}
		return nil
	}
}
