package scrape_test

import (
	"bytes"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"benchtop/model"
	"benchtop/sources/scrape"
)

// FuzzScrapes: whatever a server or a file says, nothing panics, values are
// finite, amounts are positive and times are as given.
func FuzzScrapes(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.prom")
	for _, path := range files {
		b, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b[:min(len(b), 4000)], b[:min(len(b), 1000)])
	}
	f.Add([]byte("vllm:num_requests_running 1e308\nvllm:num_requests_running{a=\"b\"} 1e308\n"), []byte("# scrape 1970-01-01T00:00:10Z status=200 took_ms=1e300\nx -Inf\n"))
	f.Add([]byte("a{b=\"\\"), []byte("# scrape \n# scrape x y z\n"))
	f.Fuzz(func(t *testing.T, one, two []byte) {
		out, read := outlet(t)
		m := scrape.NewMeter()
		for i, body := range [][]byte{one, two, one} {
			if x, err := scrape.Parse(bytes.NewReader(body)); err == nil {
				m.Apply(x, model.Instant(i+1)*sec, model.Instant(i+1)*sec, out)
			}
		}
		_, _ = scrape.Probe(bytes.NewReader(two))
		feed := scrape.NewFeed(io.NopCloser(io.MultiReader(bytes.NewReader(two), bytes.NewReader(one))), "f", "")
		for {
			at, ok, err := feed.Next()
			if !ok || err != nil {
				break
			}
			feed.Emit(out, at)
		}
		evs, _ := read()
		for _, e := range evs {
			finite := !math.IsNaN(e.Value) && !math.IsInf(e.Value, 0)
			if !finite && e.Kind != model.Gap || e.Value < 0 || e.Series.String() == "unknown" {
				t.Fatalf("want finite values, none below zero, of known series, got %+v", e)
			}
		}
	})
}

// BenchmarkScrape is one poll's work on our side: parse and apply 1,200 lines.
func BenchmarkScrape(b *testing.B) {
	one, err := os.ReadFile("testdata/vllm-v1.prom")
	if err != nil {
		b.Fatal(err)
	}
	var text bytes.Buffer
	text.Write(one)
	for i := range 1200 {
		text.WriteString("vllm:request_prompt_tokens_bucket{engine=\"0\",model_name=\"acme/tiny-8b\",le=\"")
		text.WriteString(string(rune('a'+i%26)) + "\"} 12345.0\n")
	}
	out, read := outlet(b)
	m := scrape.NewMeter()
	b.ReportAllocs()
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		x, err := scrape.Parse(bytes.NewReader(text.Bytes()))
		if err != nil {
			b.Fatal(err)
		}
		m.Apply(x, sec, sec, out)
		read()
	}
}
