package serverlog_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"benchtop/sources/serverlog"
)

// corpusFormat is the format a corpus file is of.
func corpusFormat(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), ".log")
	name, _, _ = strings.Cut(name, "-")
	return name
}

func corpusFiles(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.log")
	if err != nil || len(files) < 17 {
		t.Fatalf("want at least 17 corpus files, got %d (%v)", len(files), err)
	}
	return files
}

type expected struct {
	Line   int            `json:"line"`
	Fields map[string]any `json:"fields"`
}

func readExpected(t *testing.T, path string) []expected {
	t.Helper()
	b, err := os.ReadFile(strings.TrimSuffix(path, ".log") + ".expect.json")
	if err != nil {
		t.Fatal(err)
	}
	var e []expected
	if err := json.Unmarshal(b, &e); err != nil {
		t.Fatal(err)
	}
	return e
}

// plain brings a record to the form of an expect file.
func plain(t *testing.T, r serverlog.Record) expected {
	t.Helper()
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var e expected
	if err := json.Unmarshal(b, &e); err != nil {
		t.Fatal(err)
	}
	return e
}

func sameValue(key string, want, got any) bool {
	if key == "time" && want != nil && got != nil {
		w, err1 := time.Parse(time.RFC3339Nano, want.(string))
		g, err2 := time.Parse(time.RFC3339Nano, got.(string))
		return err1 == nil && err2 == nil && w.Equal(g)
	}
	w, ok1 := want.(float64)
	g, ok2 := got.(float64)
	if ok1 && ok2 {
		return math.Abs(w-g) <= 1e-6*math.Max(1, math.Abs(w))
	}
	return want == got
}

// compare lists what differs between two records of one line.
func compare(want, got expected) []string {
	var diffs []string
	for k, w := range want.Fields {
		g, ok := got.Fields[k]
		if !ok || !sameValue(k, w, g) {
			diffs = append(diffs, fmt.Sprintf("%s: want %v, got %v", k, w, g))
		}
	}
	for k, g := range got.Fields {
		if _, ok := want.Fields[k]; !ok {
			diffs = append(diffs, fmt.Sprintf("%s: want nothing, got %v", k, g))
		}
	}
	return diffs
}

func TestCorpus(t *testing.T) {
	for _, path := range corpusFiles(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var got []expected
			sum, err := serverlog.Probe(bytes.NewReader(b), serverlog.Options{Year: 2026, Zone: time.UTC}, func(r serverlog.Record) error {
				got = append(got, plain(t, r))
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if want := corpusFormat(path); sum.Format != want || sum.Confidence < 0.5 {
				t.Errorf("want format %s, got %s (%.2f)", want, sum.Format, sum.Confidence)
			}
			compareAll(t, strings.Split(string(b), "\n"), readExpected(t, path), got)
		})
	}
}

// compareAll pairs records by line and place on the line.
func compareAll(t *testing.T, text []string, want, got []expected) {
	t.Helper()
	byLine := func(es []expected) map[string]expected {
		m := map[string]expected{}
		for i, e := range es {
			n := 0
			for j := i - 1; j >= 0 && es[j].Line == e.Line; j-- {
				n++
			}
			m[fmt.Sprintf("%d.%d", e.Line, n)] = e
		}
		return m
	}
	w, g := byLine(want), byLine(got)
	for k, e := range w {
		o, ok := g[k]
		if !ok {
			t.Errorf("line %s: want %v, got nothing\n\t%s", k, e.Fields, text[e.Line-1])
			continue
		}
		if d := compare(e, o); d != nil {
			t.Errorf("line %s: %s\n\t%s", k, strings.Join(d, "; "), text[e.Line-1])
		}
	}
	for k, e := range g {
		if _, ok := w[k]; !ok {
			t.Errorf("line %s: want nothing, got %v\n\t%s", k, e.Fields, text[e.Line-1])
		}
	}
}
