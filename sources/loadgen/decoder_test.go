package loadgen_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"benchtop/model"
	"benchtop/sources/loadgen"
)

func TestDecoderFindsTheFormatAmongForeignLines(t *testing.T) {
	s := newSink(t)
	d := loadgen.NewDecoder(loadgen.Options{})
	all := bytes.Split(bytes.TrimSpace(readFile(t, "testdata/vegeta.ndjson")), []byte("\n"))
	for i, l := range all {
		d.Line(l, seenAt, false, false, s.out)
		d.Line(fmt.Appendf(nil, "progress %d", i), seenAt, false, false, s.out)
		if name, _ := d.Format(); i >= 4 && name != "vegeta_json" {
			t.Fatalf("after %d lines: want vegeta_json, got %q", 2*i+2, name)
		}
	}
	d.End(seenAt, s.out)
	s.drain()
	if len(s.ends()) != len(all) {
		t.Errorf("want no request lost, %d ends, got %d", len(all), len(s.ends()))
	}
}

func TestDecoderSaysWhenNoFormatFits(t *testing.T) {
	d, s := decode(t, loadgen.Options{}, []byte(strings.Repeat("hello\n", 60)))
	if name, _ := d.Format(); name != "" {
		t.Errorf("format: want none, got %q", name)
	}
	n := 0
	for _, x := range s.notes {
		if x.Kind == model.NoteError && strings.Contains(x.Text, ",format=NAME") {
			n++
		}
	}
	if n != 1 {
		t.Errorf("want one note that tells the next step, got %d", n)
	}
}

func TestDecoderRefusesAnUnknownName(t *testing.T) {
	if err := loadgen.NewDecoder(loadgen.Options{Format: "nope"}).Err(); err == nil {
		t.Error("want an error for an unknown format")
	}
}

func TestDecoderHistoryIsLate(t *testing.T) {
	s := newSink(t)
	d := loadgen.NewDecoder(loadgen.Options{})
	d.Line([]byte(run0), seenAt, true, false, s.out)
	d.Line([]byte(`{"ev":"start","t":1796046000.1,"id":1}`), seenAt, true, false, s.out)
	d.Line([]byte(`{"ev":"end","t":1796046000.2,"id":1}`), seenAt, false, false, s.out)
	s.drain()
	if b := s.of(model.Begin, model.ClientInFlight); len(b) != 1 || !b[0].Late {
		t.Errorf("begin from history: want it late, got %v", b)
	}
	if e := s.ends(); len(e) != 1 || e[0].Late {
		t.Errorf("live end: want it not late, got %v", e)
	}
}

func TestDecoderTime(t *testing.T) {
	d := loadgen.NewDecoder(loadgen.Options{})
	line := []byte(request{0, ms(10), ms(110)}.line())
	for range 2 { // asking twice reads nothing twice
		if at, ok := d.Time(line); !ok || at != ms(110) {
			t.Errorf("want the request's end, got %v (%v)", at-seenAt, ok)
		}
	}
	s := newSink(t)
	d.Line(line, seenAt, false, false, s.out)
	s.drain()
	if len(s.ends()) != 1 {
		t.Errorf("want one end, got %d", len(s.ends()))
	}
	if _, ok := loadgen.NewDecoder(loadgen.Options{}).Time([]byte("hello")); ok {
		t.Error("want no time in a foreign line")
	}
}

func TestRowsBelowTheirHeader(t *testing.T) {
	for _, name := range []string{"k6.ms.csv", "jmeter.composed.csv"} {
		t.Run(name, func(t *testing.T) {
			_, rows, _ := bytes.Cut(readFile(t, "testdata/"+name), []byte("\n"))
			sum, err := loadgen.Probe(bytes.NewReader(rows), loadgen.Options{}, nil)
			if err != nil || sum.Requests < 50 || sum.Format != formats[name] {
				t.Errorf("want over 50 requests of %s, got %v of %v (%v)", formats[name], sum.Requests, sum.Format, err)
			}
		})
	}
}

// TestRelativeTimes: the records of a file whose times count from the run's
// start are placed by what the user says.
func TestRelativeTimes(t *testing.T) {
	for _, name := range []string{"hey.csv", "vllm-bench.composed.json", "inference-perf-per-request.composed.json", "mlperf_log_trace.composed.json"} {
		t.Run(name, func(t *testing.T) {
			_, s := decode(t, loadgen.Options{Start: ms(0)}, readFile(t, "testdata/"+name))
			first, last := model.Instant(1<<62), model.Instant(0)
			for _, e := range s.events {
				if e.Kind == model.Begin {
					first = min(first, e.At)
				}
				if e.Kind == model.End {
					last = max(last, e.At)
				}
			}
			if first < ms(0) || first > ms(50) || last > ms(4000) || last < ms(1000) {
				t.Errorf("want the run from 0 to a few seconds, got %v to %v", first-seenAt, last-seenAt)
			}
		})
	}
}
