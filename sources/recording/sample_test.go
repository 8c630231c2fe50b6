package recording

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"benchtop/model"
)

// newSample makes the sample of the newest format, which is done once, before
// the first release that writes it. A sample is never made again.
var newSample = flag.Bool("new-sample", false, "write testdata/v<Version>.btr, unless it exists")

// sampleRun is a run with one of everything.
func sampleRun() []*model.Batch {
	at := func(ms int) model.Instant { return t0 + model.Instant(ms)*1_000_000 }
	return []*model.Batch{
		{
			Events: []model.Event{{At: at(0), Seen: at(1), Source: 1, Kind: model.State, Value: float64(model.Running)}},
			Notes: []model.Note{
				{At: at(0), Seen: at(1), Source: 1, Kind: model.NoteSource, Name: "server.log", Text: "vllm|gpu1", Value: float64(model.KindServerLog)},
				{At: at(0), Seen: at(1), Kind: model.NoteConfig, Name: "max_batch", Text: "--max-batch", Value: 32},
			},
		},
		{Events: []model.Event{
			{At: at(2), Seen: at(3), Series: model.ClientInFlight, Source: 2, Key: 1, Kind: model.Begin},
			{At: at(902), Seen: at(905), Series: model.ClientOK, Source: 2, Key: 1, Kind: model.End, Value: 0.9},
			{At: at(902), Seen: at(905), Series: model.ClientTTFT, Source: 2, Key: 1, Kind: model.Observe, Value: 0.123457},
			{At: at(902), Seen: at(905), Series: model.ClientTPOT, Source: 2, Key: 1, Kind: model.Observe, Value: 1.0 / 3},
			{At: at(-60000), Seen: at(906), Series: model.ServerRunning, Source: 1, Key: 7, Kind: model.Level, Value: 12, Late: true},
			{At: at(907), Seen: at(907), Series: model.SourceLines, Source: 1, Kind: model.Add, Value: 4},
			{At: at(1000), Seen: at(1000), Kind: model.Tick},
		}},
		{Events: []model.Event{
			{At: at(1200), Seen: at(1200), Series: model.GPUSMClock, Source: 3, Kind: model.Level, Value: 1.98e9},
			{At: at(1200), Seen: at(1200), Series: model.GPUSMClock, Source: 3, Key: 1, Kind: model.Level, Value: 1.755e9},
			{At: at(1200), Seen: at(1200), Series: model.GPUPower, Source: 3, Key: 1, Kind: model.Gap},
			{At: at(1300), Seen: at(1300), Source: 1, Kind: model.Reset},
			{At: at(2000), Seen: at(2000), Kind: model.Tick},
		}},
		{Notes: []model.Note{{At: at(2000), Seen: at(2000), Kind: model.NoteVerdict, Name: "queue_unbounded", Text: "|major|firm|the queue grows without bound"}}},
		{Events: []model.Event{{At: at(2100), Seen: at(2100), Kind: model.Tick}}},
	}
}

// listing is what a sample must go on saying, series by their names.
func listing(t testing.TB, r *Reader) string {
	t.Helper()
	var s strings.Builder
	h := r.Header()
	fmt.Fprintf(&s, "%s %q %d %s %s\n", h.ID, h.Label, h.Started, h.Benchtop, h.Thresholds)
	var b model.Batch
	for r.Next(&b) == nil {
		for _, n := range b.Notes {
			fmt.Fprintf(&s, "note %d %d %d %d %d %g %q %q\n", n.Kind, n.At, n.Seen, n.Source, n.Key, n.Value, n.Name, n.Text)
		}
		for _, e := range b.Events {
			fmt.Fprintf(&s, "event %d %d %d %d %d %g %s %v\n", e.Kind, e.At, e.Seen, e.Source, e.Key, e.Value, e.Series, e.Late)
		}
	}
	fmt.Fprintf(&s, "cut %v damaged %d lost %d skipped %d\n", r.Cut(), r.Damaged(), r.Lost(), r.Skipped())
	return s.String()
}

// Every version ever released stays readable.
func TestSamples(t *testing.T) {
	if *newSample {
		makeSample(t)
	}
	paths, err := filepath.Glob(filepath.Join("testdata", "v*"+Ext))
	if err != nil || len(paths) != Version {
		t.Fatalf("want a sample of each of %d versions, got %v, %v", Version, paths, err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			r, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			want, err := os.ReadFile(strings.TrimSuffix(path, Ext) + ".txt")
			if err != nil {
				t.Fatal(err)
			}
			if got := listing(t, r); got != string(want) {
				t.Errorf("want\n%s\ngot\n%s", want, got)
			}
		})
	}
}

func makeSample(t *testing.T) {
	base := filepath.Join("testdata", fmt.Sprintf("v%d", Version))
	w, err := Create(base+Ext, Header{ID: "20260101-000000-sample", Label: "sample", Started: t0, Benchtop: "0.1.0", Thresholds: []byte(`{"RaiseS":10}`)})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range sampleRun() {
		w.Write(b)
		settle(w)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := Open(base + Ext)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := os.WriteFile(base+".txt", []byte(listing(t, r)), 0o600); err != nil {
		t.Fatal(err)
	}
}
