package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"benchtop/model"
	"benchtop/model/engine"
	"benchtop/sources"
)

// truthAt reads one counted value per line, with its time.
func truthAt(t *testing.T, path, key string) map[model.Instant][]float64 {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	out := map[model.Instant][]float64{}
	for sc := bufio.NewScanner(bytes.NewReader(raw)); sc.Scan(); {
		var l map[string]any
		if err := json.Unmarshal(sc.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		at, err := time.Parse(time.RFC3339Nano, l["t"].(string))
		if err != nil {
			t.Fatal(err)
		}
		sec := model.InstantOf(at).Floor(time.Second)
		out[sec] = append(out[sec], l[key].(float64))
	}
	return out
}

// agreement is the share of seconds in which a track's mean lies within 1 of
// the counted mean.
func agreement(tr *model.Track, truth map[model.Instant][]float64, now model.Instant) (share float64, n int) {
	hit := 0
	for sec, vs := range truth {
		sum := 0.0
		for _, v := range vs {
			sum += v
		}
		cols := make([]model.Bucket, 10)
		tr.Held(cols, sec, 100*time.Millisecond, 2*time.Minute, now)
		got, k := 0.0, 0.0
		for _, c := range cols {
			if c.N > 0 {
				got, k = got+c.Mean(), k+1
			}
		}
		n++
		switch {
		case k == 0:
			if sum == 0 { // before the first request nothing is known, and nothing ran
				hit++
			}
		case math.Abs(got/k-sum/float64(len(vs))) <= 1:
			hit++
		}
	}
	return float64(hit) / float64(n), n
}

// replayed runs raw files through the engine and returns the final snapshot.
func replayed(t *testing.T, in *sourceFlags) *model.Snapshot {
	t.Helper()
	open, err := in.feeds(&runFlags{})
	if err != nil {
		t.Fatal(err)
	}
	g := sources.NewGroup()
	g.Start(context.Background(), &sources.Merge{Open: open, Pacer: sources.NewPacer(0)}, sources.Block, true)
	g.WhenFinite(func() { g.Wait(0) })
	e := engine.New(engine.Options{Recycle: sources.Recycle})
	e.Run(g.Batches())
	return e.Latest()
}

// TestRealRecordings replays runs of a real llama-server from their raw files
// and compares what the screen would show with what was counted then.
func TestRealRecordings(t *testing.T) {
	const logs = "../../sources/serverlog/testdata/real"
	for _, c := range []struct {
		dir, metrics string
		done, ok     uint64
		verdict      string
	}{
		{"b-matched", "../../sources/scrape/testdata/llamacpp-b-matched.prom", 204, 204, model.VerdictNone},
		{"c-queue-grows", "../../sources/scrape/testdata/llamacpp-c-queue-grows.prom", 285, 285, "server_saturated"},
		{"d-client-timeout", "testdata/llamacpp/d-client-timeout/metrics.prom", 258, 88, "client_timeout"},
	} {
		t.Run(c.dir, func(t *testing.T) {
			dir := filepath.Join("testdata/llamacpp", c.dir)
			s := replayed(t, &sourceFlags{
				logs:    []string{filepath.Join(logs, c.dir, "server.stamped.log") + ",zone=UTC"},
				loads:   []string{filepath.Join(dir, "client.ndjson")},
				metrics: []string{"file:" + c.metrics},
				gpu:     "off",
			})
			if s.Client.Done != c.done || s.Client.ByOutcome[model.ClientOK] != c.ok {
				t.Errorf("want %d requests, %d good; got %d, %d", c.done, c.ok, s.Client.Done, s.Client.ByOutcome[model.ClientOK])
			}
			if s.Verdict.ID != c.verdict {
				t.Errorf("want verdict %s, got %s (%s)", c.verdict, s.Verdict.ID, s.Verdict.Title)
			}
			share, n := agreement(s.Whole(model.ClientInFlight), truthAt(t, filepath.Join(dir, "truth-inflight.ndjson"), "inflight"), s.Now)
			t.Logf("client in flight: within 1 in %.1f %% of %d s", share*100, n)
			if share < 0.95 {
				t.Errorf("client in flight: want within 1 in at least 95 %% of seconds, got %.1f %%", share*100)
			}
			share, n = agreement(s.Whole(model.ServerRunning), truthAt(t, filepath.Join(logs, c.dir, "truth-busy.ndjson"), "busy"), s.Now)
			t.Logf("busy slots: within 1 in %.1f %% of %d s", share*100, n)
			if share < 0.95 {
				t.Errorf("busy slots: want within 1 in at least 95 %% of seconds, got %.1f %%", share*100)
			}
		})
	}
}
