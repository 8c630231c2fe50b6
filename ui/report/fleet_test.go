package report

import (
	"math"
	"testing"
	"time"

	"benchtop/model"
	"benchtop/model/store"
)

// TestTwoServers: of two servers each has its own part; the schedulers of one
// add up, and its endpoint is preferred to its log.
func TestTwoServers(t *testing.T) {
	s := store.New(model.DefaultThresholds())
	at := model.InstantOf(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC))
	source := func(id model.SourceID, name, format, label string, kind model.SourceKind) model.Note {
		return model.Note{At: at, Seen: at, Kind: model.NoteSource, Name: name, Text: format + "|" + label, Value: float64(kind), Source: id}
	}
	s.Apply(&model.Batch{Notes: []model.Note{
		source(1, "a.log", "vllm", "a", model.KindServerLog),
		source(2, "http://a/metrics", "vllm", "a", model.KindMetrics),
		source(3, "http://b/metrics", "sglang", "b", model.KindMetrics),
	}})
	snap := &model.Snapshot{}
	for sec := range 30 {
		now := at.Add(time.Duration(sec) * time.Second)
		var b model.Batch
		put := func(src model.SourceID, key uint64, id model.SeriesID, kind model.Kind, v float64) {
			b.Events = append(b.Events, model.Event{At: now, Seen: now, Series: id, Source: src, Key: key, Kind: kind, Value: v})
		}
		if sec%2 == 0 {
			put(1, 0, model.ServerRunning, model.Level, 9)
			put(2, 0, model.ServerRunning, model.Level, 4)
			put(2, 0, model.ServerKV, model.Level, .5)
			put(2, 0, model.ServerError, model.Add, 1)
			for key := range uint64(2) {
				put(3, 1+key, model.ServerRunning, model.Level, 10)
				put(3, 1+key, model.ServerWaiting, model.Level, float64(key))
				put(3, 1+key, model.ServerKV, model.Level, .2+.4*float64(key))
				put(3, 1+key, model.ServerBatch, model.Observe, 10+2*float64(key))
				put(3, 1+key, model.ServerGenTokens, model.Add, 100)
			}
		}
		put(0, 0, 0, model.Tick, 0)
		s.Apply(&b)
		next := &model.Snapshot{}
		s.Freeze(next, snap, true)
		snap = next
	}
	for i := range snap.Sources {
		snap.Sources[i].Matched = 1
	}
	parts := serverParts(snap)
	if len(parts) != 2 {
		t.Fatalf("want two servers, got %+v", parts)
	}
	a, b := parts[0], parts[1]
	for _, c := range []struct {
		what string
		want float64
		got  Num
	}{
		{"a running", 4, a.Running.Mean},
		{"a kv", .5, a.KVUsage.Mean},
		{"a errors", 15, a.Events.Error},
		{"a preempted", math.NaN(), a.Events.Preempted},
		{"b running", 20, b.Running.Mean},
		{"b running peak", 20, b.Running.Peak},
		{"b waiting", 1, b.Waiting.Mean},
		{"b kv", .6, b.KVUsage.Mean},
		{"b batch", 11, b.Batch.Mean},
		{"b batch median", 11, b.Batch.P50},
		{"b largest batch", 12, b.Batch.Max},
		{"b tokens", 3000 / 29., b.GenTPS},
		{"b errors", math.NaN(), b.Events.Error},
	} {
		if got := float64(c.got); math.Abs(got-c.want) > 1e-6 && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%s: want %v, got %v", c.what, c.want, got)
		}
	}
}
