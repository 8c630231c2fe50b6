package serverlog_test

import (
	"bytes"
	"math"
	"os"
	"slices"
	"testing"
	"time"

	"benchtop/model"
	"benchtop/sources/serverlog"
)

// FuzzDecode feeds arbitrary bytes to a format, or to none that is known:
// nothing may panic, every event must be of a known series and finite, and the
// same lines must give the same events wherever batches end. One format at a
// time: all of them for each input is fifteen times the set-up, and the fuzzer
// finds nothing more by it.
func FuzzDecode(f *testing.F) {
	formats := append(serverlog.Names(), "")
	for _, path := range corpusFiles(f) {
		b, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		own := max(slices.Index(formats, corpusFormat(path)), 0)
		for i := range formats {
			f.Add(b, uint8(i)) // whole: also to those it is not of
		}
		for i, l := range bytes.Split(b, []byte("\n")) {
			if i%5 == 0 && len(l) > 4 {
				f.Add(l[:len(l)/2], uint8(own))
				f.Add(append(bytes.Clone(l), l...), uint8(own))
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, pick uint8) {
		lines := bytes.Split(data, []byte("\n"))
		if len(lines) > 100 || len(data) > 16<<10 {
			return // more of the same only takes time
		}
		format := formats[int(pick)%len(formats)]
		once := decodeAll(t, format, lines, 1)
		more := decodeAll(t, format, lines, 7)
		if len(once) != len(more) {
			t.Fatalf("%s: %d events one by one, %d in sevens", format, len(once), len(more))
		}
		for i := range once {
			if once[i] != more[i] && !(math.IsNaN(once[i].Value) && math.IsNaN(more[i].Value)) {
				t.Fatalf("%s: event %d: %+v one by one, %+v in sevens", format, i, once[i], more[i])
			}
		}
		if format != "" { // Probe and Sniff look for the format themselves
			return
		}
		if _, err := serverlog.Probe(bytes.NewReader(data), serverlog.Options{Year: 2026, Zone: time.UTC}, nil); err != nil {
			t.Fatal(err)
		}
		serverlog.Sniff(lines)
	})
}

// decodeAll decodes lines, flushing every n, and drops the counts, which are
// booked at each flush.
func decodeAll(t *testing.T, format string, lines [][]byte, n int) []model.Event {
	b := newBench(t, serverlog.Options{Format: format, Year: 2026})
	for i, l := range lines {
		b.now = b.now.Add(10 * time.Millisecond)
		own := bytes.Clone(l)
		b.d.Line(own, b.now, i%3 == 0, b.out)
		for j := range own {
			own[j] = '?' // whoever keeps the line will show
		}
		if i%n == 0 {
			b.collect()
		}
	}
	b.d.Close(b.now, b.out)
	b.collect()
	var evs []model.Event
	for _, e := range b.evs {
		if int(e.Series) >= model.NumSeries {
			t.Fatalf("%s: unknown series %d", format, e.Series)
		}
		if math.IsInf(e.Value, 0) || math.IsNaN(e.Value) {
			t.Fatalf("%s: %v is %v", format, e.Series, e.Value)
		}
		if e.Series < model.SourceLines || e.Series > model.SourceErrors {
			evs = append(evs, e)
		}
	}
	return evs
}

// FuzzProfile gives any text as a profile: an error or a format, and what it
// reads is finite.
func FuzzProfile(f *testing.F) {
	f.Add([]byte(mine), []byte("batch of 4 after 1.5ms, 9 running"))
	if b, err := os.ReadFile("profiles/deepinfer.yaml"); err == nil {
		f.Add(b, []byte("KV cache 71.9% used, 640.5 tokens/s out"))
	}
	f.Fuzz(func(t *testing.T, text, line []byte) {
		if len(text) > 4<<10 || len(line) > 4<<10 {
			return
		}
		if _, err := serverlog.ParseProfile("x.yaml", text); err != nil {
			return
		}
		path := t.TempDir() + "/x.yaml"
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		decodeAll(t, path, [][]byte{line}, 1)
	})
}
