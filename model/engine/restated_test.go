package engine_test

import (
	"testing"

	"benchtop/model"
	"benchtop/model/engine"
)

// TestAStandingVerdictIsRestated runs 200 s at a rate that creeps up: the
// verdict stands, its numbers don't, and what it rested on is kept each 10 s at
// most, in order, in the words of that second.
func TestAStandingVerdictIsRestated(t *testing.T) {
	const start = 1_000_000_000_000_000_000
	in := make(chan *model.Batch, 2000)
	key := uint64(0)
	for i := range model.Instant(2000) {
		at := start + i*100_000_000
		b := &model.Batch{Events: []model.Event{{At: at, Seen: at, Kind: model.Tick}}}
		for n := range 1 + i/200 {
			key++
			b.Events = append(b.Events,
				model.Event{At: at + 2*n + 1, Seen: at + 2*n + 1, Kind: model.Begin, Series: model.ClientInFlight, Key: key, Source: 1},
				model.Event{At: at + 2*n + 2, Seen: at + 2*n + 2, Kind: model.End, Series: model.ClientOK, Key: key, Value: 1e-9, Source: 1})
		}
		in <- b
	}
	close(in)
	e := engine.New(engine.Options{})
	e.Run(in)
	s := e.Latest()
	if len(s.Restated) < 3 {
		t.Fatalf("want the verdict put into words again and again, got %d times in %d changes", len(s.Restated), len(s.Verdicts))
	}
	for i, r := range s.Restated {
		var stood model.VerdictChange
		for _, c := range s.Verdicts {
			if c.At <= r.At {
				stood = c
			}
		}
		if r.Words == nil || r.Words.ID != stood.ID || r.Words.Text == "" {
			t.Errorf("want the words of %s at %d s, got %+v", stood.ID, (r.At-start)/1e9, r.Words)
		}
		if i == 0 {
			continue
		}
		if was := s.Restated[i-1]; r.At-was.At < 10e9 || r.Words.Text == was.Words.Text && r.Words.ID == was.Words.ID {
			t.Errorf("want other words each 10 s at most, got %q after %q, %d s apart", r.Words.Text, was.Words.Text, (r.At-was.At)/1e9)
		}
	}
}
