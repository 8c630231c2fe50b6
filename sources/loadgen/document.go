package loadgen

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/valyala/fastjson"

	"benchtop/model"
)

// maxDocument bounds a stream that is one text.
const maxDocument = 256 << 20

// document gathers the lines of a stream that is one text, and reads it when
// nothing more comes.
type document struct {
	text []byte
	// read takes the whole text. What it doesn't understand may still be
	// incomplete: its error counts only at the end.
	read func(text []byte, yield func(*Record)) error
}

func (d *document) parse(line []byte, _ func(*Record)) error {
	if len(d.text)+len(line) > maxDocument {
		return badLine("the text is too long to be read as one")
	}
	d.text = append(append(d.text, line...), '\n')
	return nil
}

func (d *document) flush(last bool, yield func(*Record)) error {
	if len(bytes.TrimSpace(d.text)) == 0 {
		return nil
	}
	err := d.read(d.text, yield)
	if err == nil || last {
		d.text = d.text[:0]
	}
	if !last {
		return nil
	}
	return err
}

// newJSONDocument is a document that is one JSON value.
func newJSONDocument(read func(v *fastjson.Value, yield func(*Record)) error) parser {
	var p fastjson.Parser
	return &document{read: func(text []byte, yield func(*Record)) error {
		v, err := wholeJSON(&p, text)
		if err != nil {
			return err
		}
		return read(v, yield)
	}}
}

// newReport is a document that says something of a whole run.
func newReport(read func(text []byte, s *Summary) bool) parser {
	return &document{read: func(text []byte, yield func(*Record)) error {
		s := newSummary()
		if !read(text, s) {
			return badLine("not a whole report")
		}
		yield(reportOf(s))
		return nil
	}}
}

// newJSONReport is newReport for one JSON value.
func newJSONReport(read func(v *fastjson.Value, s *Summary) bool) parser {
	var p fastjson.Parser
	return newReport(func(text []byte, s *Summary) bool {
		v, err := wholeJSON(&p, text)
		return err == nil && read(v, s)
	})
}

// wholeJSON parses a text, but not one that visibly goes on.
func wholeJSON(p *fastjson.Parser, text []byte) (*fastjson.Value, error) {
	text = bytes.TrimSpace(text)
	if n := len(text); n > 0 && (text[n-1] == '}' || text[n-1] == ']') {
		if v, err := p.ParseBytes(text); err == nil {
			return v, nil
		}
		if v, err := p.ParseBytes(strict(text)); err == nil {
			return v, nil
		}
	}
	return nil, badLine("not one whole JSON value")
}

// strict puts null where Python writes words that JSON doesn't have.
func strict(text []byte) []byte {
	for _, w := range [...]string{": Infinity", ": -Infinity", ": NaN"} {
		text = bytes.ReplaceAll(text, []byte(w), []byte(": null"))
	}
	return text
}

func reportOf(s *Summary) *Record {
	var r Record
	r.clear(KindSummary)
	r.Report = s
	return &r
}

// holds scores 1 if the first lines hold all of the words.
func holds(lines [][]byte, words ...string) float64 {
	text := bytes.Join(lines, []byte("\n"))
	for _, w := range words {
		if !bytes.Contains(text, []byte(w)) {
			return 0
		}
	}
	return 1
}

// opens is holds for a text that begins with c, as a JSON value does.
func opens(lines [][]byte, c byte, words ...string) float64 {
	for _, l := range lines {
		if l = bytes.TrimSpace(l); len(l) > 0 {
			if l[0] != c {
				return 0
			}
			return holds(lines, words...)
		}
	}
	return 0
}

// num is a number of a JSON report, times scale.
func num(v *fastjson.Value, scale float64, path ...string) Num {
	return Num(numeric(v.Get(path...)) * scale)
}

// after is what follows a label on its line; nil if the label isn't there.
func after(text []byte, label string) []byte {
	i := bytes.Index(text, []byte(label))
	if i < 0 {
		return nil
	}
	line, _, _ := bytes.Cut(text[i+len(label):], []byte("\n"))
	return bytes.TrimSpace(line)
}

// word is the nth word after a label; nil if there is none.
func word(text []byte, label string, n int) []byte {
	w := bytes.Fields(after(text, label))
	if n >= len(w) {
		return nil
	}
	return w[n]
}

// figure is a word as a number, without a comma or a percent sign after it.
func figure(b []byte) Num {
	return Num(float(bytes.TrimRight(b, ",;%")))
}

// milliseconds reads a duration with its unit, as in 63.46ms or 1.00s.
func milliseconds(b []byte) Num {
	d, err := time.ParseDuration(string(bytes.TrimRight(b, ",")))
	if err != nil {
		return noNum()
	}
	return Num(float64(d) / float64(time.Millisecond))
}

// sum adds what is known; unknown if nothing is.
func sum(n ...Num) Num {
	t := noNum()
	for _, x := range n {
		switch {
		case !x.known():
		case t.known():
			t += x
		default:
			t = x
		}
	}
	return t
}

// codes adds the counts of an object whose keys are statuses by outcome.
func codes(v *fastjson.Value, count func(*fastjson.Value) float64) (by [outcomeCount]Num) {
	obj := v.GetObject()
	if obj == nil {
		for i := range by {
			by[i] = noNum()
		}
		return by
	}
	obj.Visit(func(key []byte, v *fastjson.Value) {
		code, _ := integer(key)
		if n := count(v); !math.IsNaN(n) {
			by[outcomeOfStatus(int(code))] += Num(n)
		}
	})
	return by
}

// place puts the records of a text that came all at once into the order in
// which they would have been seen, and moves times that count from the run's
// start to where it began: as the user says, else so that the last record was
// written when it was read.
func place(records []Record, f *Format, start, seen model.Instant) {
	slices.SortStableFunc(records, func(a, b Record) int {
		if (a.Kind == KindRun) != (b.Kind == KindRun) {
			if a.Kind == KindRun {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.At, b.At)
	})
	if !f.Relative || len(records) == 0 {
		return
	}
	if start == 0 {
		last := model.Instant(0)
		for i := range records {
			last = max(last, records[i].At)
		}
		if start = seen - last; start <= 0 { // nobody knows: they stay where they are
			return
		}
	}
	for i := range records {
		r := &records[i]
		if r.At != 0 {
			r.At += start
		}
		if r.Start != 0 {
			r.Start += start
		}
	}
}
