package store

import (
	"math"
	"testing"

	"benchtop/model"
)

// TestRateOfASource wants the rate of the last ten whole seconds: none before
// there is one, of the seconds there are at first, and 0 once it is silent.
func TestRateOfASource(t *testing.T) {
	s := New(model.DefaultThresholds())
	at := func(i int) model.Instant { return origin + model.Instant(i)*sec }
	rate := func(i int) float64 {
		var snap model.Snapshot
		s.Apply(&model.Batch{Events: []model.Event{{At: at(i), Seen: at(i), Kind: model.Tick}}})
		s.Freeze(&snap, nil, true)
		return snap.Sources[0].Rate
	}
	s.Apply(&model.Batch{Notes: []model.Note{{At: at(0), Seen: at(0), Source: 1, Kind: model.NoteSource, Name: "server.log", Value: float64(model.KindServerLog)}}})
	read := func(i int, lines float64) {
		s.Apply(&model.Batch{Events: []model.Event{{At: at(i), Seen: at(i) + sec/2, Kind: model.Add, Series: model.SourceLines, Value: lines, Source: 1}}})
	}
	read(0, 40)
	if got := rate(0); !math.IsNaN(got) {
		t.Errorf("before a whole second: want none, got %v", got)
	}
	for i := 1; i < 20; i++ {
		if got := rate(i); got != 40 {
			t.Errorf("at %d s: want 40 a second, got %v", i, got)
		}
		read(i, 40)
	}
	if got := rate(25); got != 20 {
		t.Errorf("silent for 5 of the 10 s: want 20 a second, got %v", got)
	}
	if got := rate(40); got != 0 {
		t.Errorf("silent for long: want 0, got %v", got)
	}
}
