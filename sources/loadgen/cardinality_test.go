package loadgen_test

import (
	"fmt"
	"runtime"
	"testing"

	"benchtop/model"
	"benchtop/sources/loadgen"
)

// TestDistinctErrors reads streams in which each line fails in its own way:
// errors that differ, lines that can't be read, ids that never end. Counts stay
// right, notes and memory stay bounded.
func TestDistinctErrors(t *testing.T) {
	n := 200_000
	if testing.Short() {
		n = 20_000
	}
	for _, tt := range []struct {
		name, format string
		line         func(i int) string
		ended        bool
	}{
		{"errors of benchtop_ndjson", "benchtop_ndjson", func(i int) string {
			return fmt.Sprintf(`{"ev":"end","t":%d.5,"id":"r%d","dur_ms":12,"outcome":"other","error":"strange fault number %d"}`, 1796046687+i/100, i, i)
		}, true},
		{"errors of vegeta", "vegeta_json", func(i int) string {
			return fmt.Sprintf(`{"attack":"","seq":%d,"code":0,"timestamp":"2026-11-30T12:%02d:%02d.%06dZ","latency":1000000,"bytes_out":0,"bytes_in":0,"error":"Post \"http://h:1/%d\": dial tcp: strange fault %d","body":null,"method":"POST","url":"http://h:1/%d","headers":null}`,
				i, i/60000%60, i/1000%60, i%1000*1000, i, i, i)
		}, true},
		{"lines nobody can read", "benchtop_ndjson", func(i int) string { return fmt.Sprintf(`{"ev":"what%d",,}`, i) }, false},
		{"starts that never end", "benchtop_ndjson", func(i int) string {
			return fmt.Sprintf(`{"ev":"start","t":%d.5,"id":"r%d"}`, 1796046687+i/100, i)
		}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			s := newSink(t)
			d := loadgen.NewDecoder(loadgen.Options{Format: tt.format})
			ends, notes := 0, 0
			for i := range n {
				line := tt.line(i)
				at := model.Instant(1796046687e9) + model.Instant(i)*1e7
				d.Line([]byte(line), at, false, false, s.out)
				if i%1000 == 999 {
					s.drain()
					for _, e := range s.events {
						if e.Kind == model.End {
							ends++
						}
					}
					notes += len(s.notes)
					s.events, s.notes = s.events[:0], s.notes[:0]
				}
			}
			runtime.GC()
			runtime.ReadMemStats(&after)
			if want := map[bool]int{true: n, false: 0}[tt.ended]; ends != want {
				t.Errorf("want %d requests ended, got %d", want, ends)
			}
			if notes > 100 {
				t.Errorf("want at most 100 notes, got %d", notes)
			}
			if grown := int(after.HeapAlloc) - int(before.HeapAlloc); grown > 64<<20 {
				t.Errorf("want at most 64 MiB kept, got %d", grown>>20)
			}
			runtime.KeepAlive(d)
		})
	}
}
