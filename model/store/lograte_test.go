package store_test

import (
	"math"
	"testing"
	"time"

	"benchtop/model"
	"benchtop/model/store"
)

// TestLogRate: how much a server writes is a series of the run; what its log
// held before is not, nor what a load generator prints.
func TestLogRate(t *testing.T) {
	for _, c := range []struct {
		name         string
		kind         model.SourceKind
		lines, bytes float64 // a second
	}{
		{"a server's log", model.KindServerLog, 20, 3000},
		{"a load stream", model.KindLoad, math.NaN(), math.NaN()},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := store.New(model.DefaultThresholds())
			at := model.InstantOf(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC))
			s.Apply(&model.Batch{Notes: []model.Note{{At: at, Seen: at, Kind: model.NoteSource, Name: "x", Text: "vllm|", Value: float64(c.kind), Source: 1}}})
			var v *model.ServerSignals
			for sec := range 60 {
				now := at.Add(time.Duration(sec) * time.Second)
				add := func(id model.SeriesID, v float64) model.Event {
					return model.Event{At: now, Seen: now, Series: id, Source: 1, Kind: model.Add, Value: v}
				}
				lines := 20.
				if sec == 0 {
					lines = 100_000 // what it held
				}
				s.Apply(&model.Batch{Events: []model.Event{
					add(model.SourceLines, lines), add(model.SourceBytes, lines*150), add(model.ServerDebugLines, 5),
					{At: now, Seen: now, Series: model.ServerRunning, Source: 1, Kind: model.Level, Value: 4},
					{Seen: now.Add(900 * time.Millisecond), Kind: model.Tick},
				}})
				v = &s.Second(now.Add(900 * time.Millisecond)).Server
			}
			same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
			if !same(v.LogLines, c.lines) || !same(v.LogBytes, c.bytes) {
				t.Errorf("want %v lines and %v bytes a second, got %v and %v", c.lines, c.bytes, v.LogLines, v.LogBytes)
			}
			snap := &model.Snapshot{}
			s.Freeze(snap, &model.Snapshot{}, true)
			want := 0.
			if !math.IsNaN(c.lines) {
				want = 58 * c.lines
			}
			got := 0.
			if tr := snap.Whole(model.ServerLogLines); tr != nil {
				got = tr.Total
			}
			if got != want {
				t.Errorf("want %v lines in all, got %v", want, got)
			}
		})
	}
}
