package loadgen_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"benchtop/model"
	"benchtop/sources"
	"benchtop/sources/loadgen"
	"benchtop/sources/tail"
)

// plain are the events of requests without when they were read.
func plain(events []model.Event) (evs []model.Event) {
	for _, e := range events {
		if e.Kind == model.Tick || e.Kind == model.State || e.Series.Describe().Side == model.SideSelf {
			continue
		}
		e.Seen, e.Source = 0, 0
		if e.Value != e.Value {
			e.Value = -1
		}
		evs = append(evs, e)
	}
	return evs
}

func TestFeedGivesTheDecodersEvents(t *testing.T) {
	for _, file := range corpusFiles(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text := readFile(t, file)
			if f := formatOf(text); f != nil && (f.Relative || f.Document || f.Binary != nil) {
				t.Skip("placed by when it was read")
			}
			if b := filepath.Base(file); b == "k6.rest-metrics.ndjson" || b == "ghz.csv" || b == "siege.txt" || b == "sglang-bench.composed.jsonl" ||
				b == "ab-timeout-abort.stderr.txt" || b == "tqdm-piped.txt" || b == "guidellm.stderr.txt" || b == "jmeter-summary.composed.txt" {
				t.Skip("it has no times")
			}
			_, want := decode(t, loadgen.Options{}, text)
			s := newSink(t)
			m := sources.Merge{Pacer: sources.NewPacer(sources.Max), Open: func() ([]*sources.Feed, error) {
				return []*sources.Feed{loadgen.NewFeed(io.NopCloser(bytes.NewReader(text)), "x", loadgen.Options{})}, nil
			}}
			if err := m.Run(t.Context(), s.out); err != nil {
				t.Fatal(err)
			}
			s.drain()
			if w, g := plain(want.events), plain(s.events); !slices.Equal(w, g) {
				t.Errorf("want %d events, got %d, or others", len(w), len(g))
			}
		})
	}
}

func formatOf(text []byte) *loadgen.Format {
	m := loadgen.Sniff(bytes.SplitN(text, []byte("\n"), 50))
	if len(m) == 0 {
		return nil
	}
	return m[0].Format
}

func TestFeedRefusesWhatNobodyReads(t *testing.T) {
	f := loadgen.NewFeed(io.NopCloser(strings.NewReader("a\nb\n")), "x", loadgen.Options{})
	if _, _, err := f.Next(); !errors.Is(err, loadgen.ErrUnknown) {
		t.Errorf("want an unknown format, got %v", err)
	}
}

func TestSourceReadsAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "load.ndjson")
	if err := os.WriteFile(path, readFile(t, "testdata/bench_client.ndjson"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newSink(t)
	src := loadgen.NewSource(tail.Options{Spec: tail.Spec{Place: path, Label: "a"}, FromStart: true}, loadgen.Options{})
	if err := src.Run(t.Context(), s.out); err != nil {
		t.Fatal(err)
	}
	s.drain()
	if len(s.ends()) != 100 || inFlight(s.events).peak() != 8 || inFlight(s.events).last() != 0 {
		t.Errorf("want 100 ends, a peak of 8 and 0 left, got %d, %v, %v", len(s.ends()), inFlight(s.events).peak(), inFlight(s.events).last())
	}
	var texts []string
	for _, n := range s.notes {
		if n.Kind == model.NoteSource {
			texts = append(texts, n.Text)
		}
	}
	if want := []string{"|a", "benchtop_ndjson|a"}; !slices.Equal(texts, want) {
		t.Errorf("descriptions: want %q, got %q", want, texts)
	}
	lines := 0.0
	for _, e := range s.of(model.Add, model.SourceLines) {
		lines += e.Value
	}
	if want := float64(bytes.Count(readFile(t, path), []byte("\n"))); lines != want {
		t.Errorf("lines: want %v, got %v", want, lines)
	}
}

// TestSourceFollows: a stream that is followed is emitted as far as it goes
// before anybody waits, and what is in flight stays so when we leave.
func TestSourceFollows(t *testing.T) {
	defer goleak.VerifyNone(t)
	path := filepath.Join(t.TempDir(), "load.ndjson")
	text := lines(run0, `{"ev":"start","t":1796046000.1,"id":1}`, `{"ev":"start","t":1796046000.2,"id":2}`, `{"ev":"end","t":1796046000.3,"id":1,"dur_ms":200}`)
	if err := os.WriteFile(path, append(text, `{"ev":"end","t":1796046000.4,"id":2,"dur`...), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ch := make(chan *model.Batch, 100)
	out := sources.NewOutlet(ctx, ch, 1, sources.Block, nil)
	done := make(chan error)
	go func() {
		done <- loadgen.NewSource(tail.Options{Spec: tail.Spec{Place: path}, FromStart: true, Follow: true}, loadgen.Options{}).Run(ctx, out)
		close(ch)
	}()
	var events []model.Event
	for b := range ch {
		events = append(events, b.Events...)
		if slices.ContainsFunc(b.Events, func(e model.Event) bool { return e.Kind == model.End }) {
			cancel()
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	}
	if got := inFlight(events).last(); got != 1 {
		t.Errorf("in flight: want 1, got %v", got)
	}
}

func TestSourceGivesUpOnANewerVersion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "load.ndjson")
	if err := os.WriteFile(path, []byte(`{"v":9,"ev":"run","t":1}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := loadgen.NewSource(tail.Options{Spec: tail.Spec{Place: path}, FromStart: true, Follow: true}, loadgen.Options{}).Run(t.Context(), newSink(t).out)
	if !errors.Is(err, loadgen.ErrNewer) {
		t.Errorf("want a refusal, got %v", err)
	}
}
