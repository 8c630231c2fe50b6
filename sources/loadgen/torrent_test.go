package loadgen_test

import (
	"bytes"
	"fmt"
	"testing"

	"benchtop/model"
	"benchtop/sources/loadgen"
)

// An output that may be no stream is read past quickly, counted whole, and what
// stands at its end is still found.
func TestOutputThatMayBeNone(t *testing.T) {
	report := readFile(t, "testdata/hey.txt")
	chatter := func(n int) []byte {
		var b bytes.Buffer
		for i := range n {
			fmt.Fprintf(&b, "request %d done\n", i)
		}
		return b.Bytes()
	}
	tests := []struct {
		name  string
		text  []byte
		found bool
		blink int // lines between two reads
	}{
		{"nothing but chatter at once", chatter(3000), false, 3000},
		{"a report after chatter, at once", append(chatter(3000), report...), true, 1 << 20},
		{"a report after chatter, line by line", append(chatter(300), report...), true, 1},
		{"a report after chatter, in blocks", append(chatter(3000), report...), true, 500},
		{"a report alone", report, true, 7},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newSink(t)
			d := loadgen.NewDecoder(loadgen.Options{Perhaps: true})
			lines, size := 0, 0
			for l := range splitLines(tt.text) {
				d.Line(l, seenAt+model.Instant(lines/tt.blink), false, false, s.out)
				lines, size = lines+1, size+len(l)+1
			}
			d.End(seenAt+model.Instant(lines), s.out)
			s.drain()
			_, found := s.note(model.NoteRun, "reported")
			if found != tt.found {
				t.Errorf("want a report: %v, got %v", tt.found, found)
			}
			for id, want := range map[model.SeriesID]int{model.SourceLines: lines, model.SourceBytes: size, model.SourceErrors: 0} {
				got := 0.0
				for _, e := range s.of(model.Add, id) {
					got += e.Value
				}
				if got != float64(want) {
					t.Errorf("%s: want %d, got %g", id, want, got)
				}
			}
			for _, n := range s.notes {
				if n.Kind == model.NoteError || n.Kind == model.NoteBadLine {
					t.Errorf("want no complaint, got %+v", n)
				}
			}
		})
	}
}
