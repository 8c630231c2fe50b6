package serverlog_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"benchtop/sources/serverlog"
)

// TestWriteProbe: what is printed is what encoding the records gives, labels
// that need escapes and numbers of any size included.
func TestWriteProbe(t *testing.T) {
	texts := map[string]string{
		"odd": "engine=a\"<b>\x01é running=3 latency_ms=1e-9\n" +
			"engine=\xff\xfe queue_len=2 latency_ms=123456789012.5\n" +
			"time=2026-09-01T10:00:02.000000001Z kv_usage=33.3% latency=1.1us gen_tps=0.1\n" +
			"time=1969-12-31T10:00:02.5Z batch=0 batch_wait=0.30000000000000004s\n",
	}
	for _, path := range corpusFiles(t) {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(path)] = string(b)
	}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			o := serverlog.Options{Year: 2026}
			var want, got bytes.Buffer
			enc := json.NewEncoder(&want)
			n := 0
			sum, err := serverlog.Probe(strings.NewReader(text), o, func(r serverlog.Record) error { n++; return enc.Encode(r) })
			if err != nil {
				t.Fatal(err)
			}
			if err := enc.Encode(map[string]serverlog.Summary{"summary": sum}); err != nil {
				t.Fatal(err)
			}
			if _, err := serverlog.WriteProbe(&got, strings.NewReader(text), o); err != nil {
				t.Fatal(err)
			}
			if n < 4 {
				t.Fatalf("want some records, got %d", n)
			}
			w, g := strings.Split(want.String(), "\n"), strings.Split(got.String(), "\n")
			if len(w) != len(g) {
				t.Fatalf("want %d lines, got %d", len(w), len(g))
			}
			for i := range w {
				if w[i] != g[i] {
					t.Errorf("want %s\ngot  %s", w[i], g[i])
				}
			}
		})
	}
}
