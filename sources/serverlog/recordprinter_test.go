package serverlog_test

import (
	"bytes"
	"encoding/json"
	"fmt"
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

// A log of two runs of a server is told as such, with the settings of the last.
func TestProbeTellsRuns(t *testing.T) {
	start := "(APIServer pid=1) INFO 11-30 11:59:00 [api_server.py:1] vLLM API server version 0.14.1\n"
	args := "(APIServer pid=1) INFO 11-30 11:59:01 [utils.py:328] non-default args: {'model': 'm'%s}\n"
	first := start + fmt.Sprintf(args, ", 'max_num_seqs': 64") + vllmLine("12:00:01", 1, 0) + "\n"
	for name, c := range map[string]struct {
		text string
		runs int
		max  string
	}{
		"one":              {first, 1, "64"},
		"one, no start":    {vllmLine("12:00:01", 1, 0) + "\n", 1, ""},
		"two":              {first + start + fmt.Sprintf(args, ", 'max_num_seqs': 32") + vllmLine("12:10:01", 1, 0) + "\n", 2, "32"},
		"two, one unset":   {first + start + fmt.Sprintf(args, "") + vllmLine("12:10:01", 1, 0) + "\n", 2, ""},
		"two, one failing": {start + first, 1, "64"},
	} {
		s, err := serverlog.Probe(strings.NewReader(c.text), serverlog.Options{Year: 2026}, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if s.Config.MaxBatch != nil {
			got = fmt.Sprint(*s.Config.MaxBatch)
		}
		if s.Runs != c.runs || got != c.max {
			t.Errorf("%s: want %d runs, max_batch %q; got %d, %q", name, c.runs, c.max, s.Runs, got)
		}
	}
}
