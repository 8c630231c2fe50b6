package scrape_test

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"benchtop/model"
	"benchtop/sources/scrape"
)

var update = flag.Bool("update", false, "write what is understood now to testdata/*.expect.json")

// TestCorpus compares what is understood of every exposition in testdata with
// the file beside it.
func TestCorpus(t *testing.T) {
	files, err := filepath.Glob("testdata/*.prom")
	if err != nil || len(files) == 0 {
		t.Fatalf("no corpus: %v", err)
	}
	seen := make(map[string]bool)
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".prom"), func(t *testing.T) {
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			got, err := scrape.Probe(f)
			if err != nil {
				t.Fatalf("want a summary, got %v", err)
			}
			seen[got.Engine] = true
			compare(t, path+".expect.json", got)
		})
	}
	for _, name := range scrape.Engines() {
		if !seen[name] {
			t.Errorf("want an exposition of %s in testdata, got none", name)
		}
	}
}

func compare(t *testing.T, path string, got scrape.Summary) {
	t.Helper()
	if *update {
		b, err := json.MarshalIndent(got, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, append(b, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var want scrape.Summary
	if err := json.Unmarshal(b, &want); err != nil {
		t.Fatal(err)
	}
	if got.Engine != want.Engine || got.Kind != "metrics" {
		t.Errorf("want engine %q, got %q of kind %q", want.Engine, got.Engine, got.Kind)
	}
	if got.Unknown == nil || !slices.Equal(got.Unknown, want.Unknown) {
		t.Errorf("want unknown %q, got %q", want.Unknown, got.Unknown)
	}
	for name, v := range want.Series {
		if g, ok := got.Series[name]; !ok || math.Abs(g-v) > 1e-9*math.Max(1, math.Abs(v)) {
			t.Errorf("%s: want %v, got %v (there: %v)", name, v, g, ok)
		}
	}
	for name := range got.Series {
		if _, ok := want.Series[name]; !ok {
			t.Errorf("%s: want nothing, got %v", name, got.Series[name])
		}
		if _, ok := model.SeriesByName(name); !ok {
			t.Errorf("%s: want a name of the catalogue", name)
		}
	}
}

// TestCovers: every series that an exposition gives is announced.
func TestCovers(t *testing.T) {
	files, err := filepath.Glob("testdata/*.expect.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var s scrape.Summary
		if err := json.Unmarshal(b, &s); err != nil {
			t.Fatal(err)
		}
		for name := range s.Series {
			id, _ := model.SeriesByName(name)
			if !slices.Contains(scrape.Covers(s.Engine), id) {
				t.Errorf("%s: want %s among what %s covers", path, name, s.Engine)
			}
		}
	}
	if got := scrape.Covers("nobody"); got != nil {
		t.Errorf("want nothing of an unknown engine, got %v", got)
	}
}
