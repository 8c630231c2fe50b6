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

// secondBySecond wants no other claim than the right one at any second, and
// that one by so many seconds after the load began.
func secondBySecond(t *testing.T, s *model.Snapshot, want string, by float64) {
	t.Helper()
	began := s.Client.First.Seconds(s.Start)
	for i, v := range s.Verdicts {
		until := s.Now.Seconds(s.Start)
		if i+1 < len(s.Verdicts) {
			until = s.Verdicts[i+1].TS
		}
		t.Logf("%5.1f to %5.1f s of the load: %s %s", v.TS-began, until-began, v.ID, v.Reason)
		if v.ID != want && v.ID != model.VerdictNotEnough {
			t.Errorf("at %.1f s: want %s or not enough evidence, got %s", v.TS-began, want, v.ID)
		}
		if v.ID == model.VerdictNotEnough && until-began > by {
			t.Errorf("want %s by %v s of the load, got %s until %.1f s", want, by, v.Reason, until-began)
		}
	}
}

// TestRealRecordings replays runs of a real llama-server from their raw files
// and compares what the screen would show with what was counted then.
func TestRealRecordings(t *testing.T) {
	const logs = "../../sources/serverlog/testdata/real"
	for _, c := range []struct {
		dir, metrics string
		done, ok     uint64
		verdict      string
		by           float64 // seconds after the load began, by which it must stand
	}{
		// 4 in flight on 4 slots, nobody waits: nothing limits but the load itself.
		{"b-matched", "../../sources/scrape/testdata/llamacpp-b-matched.prom", 204, 204, model.VerdictNone, 50},
		// 32 in flight on 4 slots, reached after 20 s at 7 s a request: full, and 28 wait.
		{"c-queue-grows", "../../sources/scrape/testdata/llamacpp-c-queue-grows.prom", 285, 285, "server_saturated", 56},
		// 16 in flight on 4 slots, two of three given up after 3 s.
		{"d-client-timeout", "testdata/llamacpp/d-client-timeout/metrics.prom", 258, 88, "client_timeout", 20},
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
			secondBySecond(t, s, c.verdict, c.by)
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
