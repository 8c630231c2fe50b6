package store_test

import (
	"strings"
	"testing"
	"time"

	"benchtop/model"
	"benchtop/model/store"
)

// TestSourcesDisagree lays a log of a line each 10 s beside an endpoint that is
// asked each 2 s.
func TestSourcesDisagree(t *testing.T) {
	for _, c := range []struct {
		name         string
		log, metrics float64
		label        string
		want         bool
	}{
		{"far apart", 10, 14, "", true},
		{"within a twentieth", 100, 103, "", false},
		{"less than a request apart", 1, 1.8, "", false},
		{"another server", 10, 14, "other", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := store.New(model.DefaultThresholds())
			at := model.InstantOf(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC))
			s.Apply(&model.Batch{Notes: []model.Note{
				{At: at, Seen: at, Kind: model.NoteSource, Name: "server.log", Text: "vllm|", Value: float64(model.KindServerLog), Source: 1},
				{At: at, Seen: at, Kind: model.NoteSource, Name: "http://h/metrics", Text: "vllm|" + c.label, Value: float64(model.KindMetrics), Source: 2},
			}})
			snap := &model.Snapshot{}
			for sec := range 120 {
				now := at.Add(time.Duration(sec) * time.Second)
				var b model.Batch
				level := func(src model.SourceID, v float64) {
					b.Events = append(b.Events, model.Event{At: now, Seen: now, Series: model.ServerRunning, Source: src, Kind: model.Level, Value: v})
				}
				if sec%10 == 0 {
					level(1, c.log)
				}
				if sec%2 == 0 {
					level(2, c.metrics)
				}
				b.Events = append(b.Events, model.Event{Seen: now, Kind: model.Tick})
				s.Apply(&b)
				next := &model.Snapshot{}
				s.Freeze(next, snap, true)
				snap = next
			}
			n := 0
			for _, m := range snap.Marks {
				if strings.Contains(m.Text, "disagree on server_running: server.log says") {
					n++
				}
			}
			if (n == 1) != c.want || n > 1 {
				t.Errorf("want it told %v, once; got %d marks", c.want, n)
			}
			if got := snap.Primary[model.ServerRunning]; got != 2 {
				t.Errorf("want running shown from the source that tells it more often, got %d", got)
			}
		})
	}
}
