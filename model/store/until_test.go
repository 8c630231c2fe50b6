package store

import (
	"testing"
	"time"

	"benchtop/model"
)

// TestInFlightEndsWithItsStream wants a zero where a stream that still speaks
// says that nothing is in flight, and a gap once it has ended.
func TestInFlightEndsWithItsStream(t *testing.T) {
	s := New(model.DefaultThresholds())
	steadyRun(s, 0, 30, nil)
	at := origin + 30*sec
	var b model.Batch
	for k := range uint64(20) { // everybody ends
		b.Events = append(b.Events, model.Event{At: at, Seen: at, Kind: model.End, Series: model.ClientOK, Value: 1, Key: 29_000 + k, Source: 1})
	}
	end := at + 5*sec
	b.Events = append(b.Events,
		model.Event{At: end, Seen: end, Kind: model.State, Value: float64(model.Ended), Source: 1},
		model.Event{Seen: at + 20*sec, Kind: model.Tick})
	s.Apply(&b)
	tr := s.whole[model.ClientInFlight].publish(false)
	cols := make([]model.Bucket, 20)
	tr.Columns(cols, at, time.Second)
	if cols[2].N == 0 || cols[2].Mean() != 0 {
		t.Errorf("2 s after the last request, the stream open: want 0, got %+v", cols[2])
	}
	if cols[10].N != 0 {
		t.Errorf("5 s after the stream's end: want a gap, got %v", cols[10].Mean())
	}
	s.Apply(&model.Batch{Events: []model.Event{{At: at + 20*sec, Seen: at + 20*sec, Kind: model.State, Value: float64(model.Running), Source: 1}}})
	tr = s.whole[model.ClientInFlight].publish(false)
	if tr.Columns(cols, at, time.Second); cols[19].N == 0 {
		t.Error("it speaks again: want what it holds, got a gap")
	}
}
