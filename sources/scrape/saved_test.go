package scrape_test

import (
	"io"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"benchtop/model"
	"benchtop/sources"
	"benchtop/sources/scrape"
)

// play reads a feed to its end and returns its events and the instants that
// Next announced.
func play(t *testing.T, f *sources.Feed) ([]model.Event, []model.Note, []model.Instant) {
	t.Helper()
	out, read := outlet(t)
	var ats []model.Instant
	for {
		at, ok, err := f.Next()
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			break
		}
		ats = append(ats, at)
		f.Emit(out, at)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	evs, notes := read()
	return evs, notes, ats
}

// TestRealRecordings holds what the feed makes of two recordings of a real
// llama-server against the truth that was measured beside them.
func TestRealRecordings(t *testing.T) {
	type stat struct {
		n              int
		mean, min, max float64
	}
	tests := []struct {
		file             string
		from, to         string
		scrapes          int
		running, waiting stat
		gen, prompt      float64 // tokens between the first and last scrape under load
		batch            float64 // mean of /slots, polled four times a second
	}{
		{
			"testdata/llamacpp-b-matched.prom", "2026-11-30T13:51:27.904837Z", "2026-11-30T13:52:13.705151Z", 51,
			stat{45, 3.93, 3, 4},
			stat{45, 0, 0, 0},
			12739 - 122, 9286 - 235, 3.91,
		},
		{
			"testdata/llamacpp-c-queue-grows.prom", "2026-11-30T13:52:20.448430Z", "2026-11-30T13:53:26.748449Z", 72,
			stat{66, 3.97, 2, 4},
			stat{66, 22.06, 0, 28},
			17622 - 52, 12946 - 130, 3.93,
		},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			r, err := os.Open(tt.file)
			if err != nil {
				t.Fatal(err)
			}
			f := scrape.NewFeed(r, tt.file, "")
			evs, _, ats := play(t, f)
			if len(ats) != tt.scrapes || f.Format != "llamacpp" || f.Kind != model.KindMetrics {
				t.Errorf("want %d scrapes of llamacpp, got %d of %s", tt.scrapes, len(ats), f.Format)
			}
			from, to := instant(t, tt.from), instant(t, tt.to)
			got := make(map[model.SeriesID]stat)
			sum := make(map[model.SeriesID]float64)
			first := model.Instant(math.MaxInt64)
			for _, e := range evs {
				if e.At < from || e.At > to {
					continue
				}
				first = min(first, e.At)
				if e.Kind == model.Add && e.At == first {
					continue // grown since the scrape before the load
				}
				s, ok := got[e.Series]
				if !ok {
					s.min, s.max = math.Inf(1), math.Inf(-1)
				}
				s.n++
				s.min, s.max = min(s.min, e.Value), max(s.max, e.Value)
				got[e.Series] = s
				sum[e.Series] += e.Value
			}
			check := func(id model.SeriesID, want stat) {
				t.Helper()
				g := got[id]
				g.mean = math.Round(100*sum[id]/float64(g.n)) / 100
				if g != want {
					t.Errorf("%s: want %+v, got %+v", id, want, g)
				}
			}
			check(model.ServerRunning, tt.running)
			check(model.ServerWaiting, tt.waiting)
			if sum[model.ServerGenTokens] != tt.gen || sum[model.ServerPromptTokens] != tt.prompt {
				t.Errorf("want %g and %g tokens, got %g and %g", tt.gen, tt.prompt, sum[model.ServerGenTokens], sum[model.ServerPromptTokens])
			}
			b := got[model.ServerBatch]
			if mean := sum[model.ServerBatch] / float64(b.n); math.Abs(mean-tt.batch) > 0.1 || b.min < 1 || b.max > 4.05 {
				t.Errorf("want a mean batch of %g ± 0.1 within 1..4, got %g in %+v", tt.batch, mean, b)
			}
			if got[model.ScrapeTime].n != tt.running.n {
				t.Errorf("want %d scrape times, got %+v", tt.running.n, got[model.ScrapeTime])
			}
		})
	}
}

func instant(t *testing.T, text string) model.Instant {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		t.Fatal(err)
	}
	return model.InstantOf(at)
}

func feed(text string) *sources.Feed {
	return scrape.NewFeed(io.NopCloser(strings.NewReader(text)), "saved.prom", "a")
}

func TestFeedTimes(t *testing.T) {
	evs, _, ats := play(t, feed("# scrape 1970-01-01T00:00:10Z status=200 took_ms=400\ntgi_queue_size 1\n\n# scrape 1970-01-01T00:00:12Z\ntgi_queue_size 2"))
	want := []model.Instant{10*sec + 4e8, 12 * sec}
	if len(ats) != 2 || ats[0] != want[0] || ats[1] != want[1] {
		t.Errorf("want a live reader to see them at %v, got %v", want, ats)
	}
	var at, seen []model.Instant
	for _, e := range evs {
		if e.Series == model.ServerWaiting {
			at, seen = append(at, e.At), append(seen, e.Seen)
		}
	}
	if len(at) != 2 || at[0] != 10*sec+2e8 || seen[0] != 10*sec+4e8 || at[1] != 12*sec {
		t.Errorf("want the gauge in the middle of its scrape, got %v seen %v", at, seen)
	}
}

func TestFeedFailedScrapes(t *testing.T) {
	evs, notes, ats := play(t, feed(`# saved by hand
# scrape 1970-01-01T00:00:10Z status=200 took_ms=1
tgi_queue_size 1
# scrape 1970-01-01T00:00:12Z error=refused
# scrape 1970-01-01T00:00:14Z status=503 took_ms=1
{"error":{"message":"Loading model"}}
# scrape 1970-01-01T00:00:16Z status=200 took_ms=1
<html></html>
# scrape 1970-01-01T00:00:18Z status=200 took_ms=1
tgi_queue_size 3
`))
	if len(ats) != 5 {
		t.Fatalf("want 5 scrapes, got %d", len(ats))
	}
	var got []string
	errored, matched := 0.0, 0.0
	for _, e := range evs {
		switch e.Series {
		case model.ServerWaiting:
			got = append(got, strings.TrimSpace(show([]model.Event{e})))
		case model.SourceErrors:
			errored += e.Value
		case model.SourceMatched:
			matched += e.Value
		}
	}
	want := "10 server_waiting level 1; 12 server_waiting gap; 18 server_waiting level 3"
	if g := strings.Join(got, "; "); g != want {
		t.Errorf("want %s, got %s", want, g)
	}
	if errored != 2 || matched != 2 {
		t.Errorf("want 2 good and 2 failed scrapes (a loading server is no failure), got %g and %g", matched, errored)
	}
	if len(notes) == 0 || !strings.Contains(notes[len(notes)-1].Text, "web page") {
		t.Errorf("want a note about the unreadable scrape, got %+v", notes)
	}
}

func TestFeedWithoutTimes(t *testing.T) {
	_, _, err := feed("tgi_queue_size 1\n").Next()
	if err == nil || !strings.Contains(err.Error(), "# scrape TIME") {
		t.Errorf("want an error that names the missing line, got %v", err)
	}
	if _, ok, err := feed("").Next(); ok || err != nil {
		t.Errorf("want the end of an empty file, got %v, %v", ok, err)
	}
}

func TestProbeSaved(t *testing.T) {
	tests := []struct {
		name, text string
		want       float64
		wantErr    string
	}{
		{"the last scrape counts", "# scrape 1970-01-01T00:00:10Z\ntgi_queue_size 1\n# scrape 1970-01-01T00:00:11Z\ntgi_queue_size 2\n", 2, ""},
		{"the last good one, if the server went away", "# scrape 1970-01-01T00:00:10Z\ntgi_queue_size 1\n# scrape 1970-01-01T00:00:11Z status=0\n", 1, ""},
		{"without a head", "tgi_queue_size 4\n", 4, ""},
		{"none good", "# scrape 1970-01-01T00:00:10Z status=500\noops\n", 0, "status 500"},
		{"nothing", "", 0, "no metric"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := scrape.Probe(strings.NewReader(tt.text))
			switch {
			case tt.wantErr != "":
				if err == nil || !strings.Contains(err.Error(), tt.wantErr) {
					t.Errorf("want an error with %q, got %v", tt.wantErr, err)
				}
			case err != nil || s.Series["server_waiting"] != tt.want:
				t.Errorf("want %g waiting, got %v, %v", tt.want, s.Series, err)
			}
		})
	}
}
