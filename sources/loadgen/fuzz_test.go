package loadgen_test

import (
	"math"
	"slices"
	"testing"

	"benchtop/model"
	"benchtop/sources/loadgen"
)

// FuzzDecoder: whatever the bytes, nothing panics, series are known, values are
// finite or absent, and the events depend on the lines alone, not on whether a
// reader was idle in between.
func FuzzDecoder(f *testing.F) {
	for i, file := range corpusFiles(f) {
		text := readFile(f, file)
		f.Add(text[:min(len(text), 4000)], uint8(i))
	}
	f.Fuzz(func(t *testing.T, text []byte, pick uint8) {
		format := loadgen.Formats[int(pick)%len(loadgen.Formats)]
		o := loadgen.Options{Format: format.Name}
		_, s := decode(t, o, text)
		for _, e := range s.events {
			if int(e.Series) >= model.NumSeries {
				t.Fatalf("series %d is not in the catalogue", e.Series)
			}
			if math.IsInf(e.Value, 0) || math.IsNaN(e.Value) && e.Kind != model.End && e.Kind != model.Gap {
				t.Fatalf("%v %v: value %v", e.Kind, e.Series, e.Value)
			}
			if e.At < 0 {
				t.Fatalf("%v %v: at %v", e.Kind, e.Series, e.At)
			}
		}
		if c := inFlight(s.events); c.last() != 0 {
			t.Fatalf("in flight at the end: want 0, got %v", c.last())
		}
		if _, err := loadgen.Probe(newChunks(text, int(pick)%7+1), o, nil); err != nil {
			return
		}
		if format.Document || format.Relative {
			return
		}
		idle := newSink(t)
		d := loadgen.NewDecoder(o)
		for _, l := range slices.Collect(splitLines(text)) {
			d.Time(l)
			d.Line(l, seenAt, false, false, idle.out)
			d.Idle(seenAt, idle.out)
		}
		d.End(seenAt, idle.out)
		idle.drain()
		if w, g := plain(s.events), plain(idle.events); len(text) > 0 && text[len(text)-1] == '\n' && !slices.Equal(w, g) {
			t.Fatalf("want the same events when idle in between, got %d and %d", len(w), len(g))
		}
	})
}
