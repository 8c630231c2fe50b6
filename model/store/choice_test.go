package store_test

import (
	"testing"
	"time"

	"benchtop/model"
	"benchtop/model/store"
)

// TestWhichSourceIsShown lays a log and an endpoint of one server beside each
// other, which tell different numbers so that it shows which is taken.
func TestWhichSourceIsShown(t *testing.T) {
	const fromLog, fromMetrics = 10, 20
	for _, c := range []struct {
		name          string
		log, metrics  time.Duration // between samples, 0 for none
		history       int           // lines of the log before the run
		began, silent int           // second that the endpoint begins, that it falls silent
		want          float64
	}{
		{"the log alone", 10 * time.Second, 0, 0, 0, 0, fromLog},
		{"an endpoint asked more often", 10 * time.Second, 2 * time.Second, 0, 0, 0, fromMetrics},
		{"as often", 2 * time.Second, 2 * time.Second, 0, 0, 0, fromMetrics},
		{"a log with history", 10 * time.Second, 2 * time.Second, 200, 0, 0, fromMetrics},
		{"an endpoint that came late", 2 * time.Second, 2 * time.Second, 0, 80, 0, fromMetrics},
		{"a log of each batch", 100 * time.Millisecond, 2 * time.Second, 0, 0, 0, fromLog},
		{"an endpoint that fell silent", 10 * time.Second, 2 * time.Second, 0, 0, 60, fromLog},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := store.New(model.DefaultThresholds())
			at := model.InstantOf(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC))
			s.Apply(&model.Batch{Notes: []model.Note{
				{At: at, Seen: at, Kind: model.NoteSource, Name: "server.log", Text: "vllm|", Value: float64(model.KindServerLog), Source: 1},
				{At: at, Seen: at, Kind: model.NoteSource, Name: "http://h/metrics", Text: "vllm|", Value: float64(model.KindMetrics), Source: 2},
			}})
			level := func(b *model.Batch, now model.Instant, src model.SourceID, v float64, late bool) {
				b.Events = append(b.Events, model.Event{At: now, Seen: max(now, at), Series: model.ServerRunning, Source: src, Kind: model.Level, Value: v, Late: late})
			}
			var old model.Batch
			for i := range c.history {
				level(&old, at.Add(time.Duration(i-c.history)*10*time.Second), 1, fromLog, true)
			}
			s.Apply(&old)
			var snap *model.Snapshot
			const step = 100 * time.Millisecond
			for i := range 1200 {
				var b model.Batch
				passed := time.Duration(i) * step
				now, sec := at.Add(passed), i/10
				if passed%c.log == 0 {
					level(&b, now, 1, fromLog, false)
				}
				if c.metrics > 0 && passed%c.metrics == 0 && sec >= c.began && (c.silent == 0 || sec < c.silent) {
					level(&b, now, 2, fromMetrics, false)
				}
				if i%10 == 9 {
					b.Events = append(b.Events, model.Event{Seen: now, Kind: model.Tick})
				}
				s.Apply(&b)
			}
			snap = &model.Snapshot{}
			s.Freeze(snap, &model.Snapshot{}, true)
			if got := snap.Whole(model.ServerRunning).Last; got != c.want {
				t.Errorf("want %v shown at the end, got %v", c.want, got)
			}
		})
	}
}
