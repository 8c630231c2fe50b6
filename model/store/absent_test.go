package store

import (
	"math"
	"testing"

	"benchtop/model"
)

// TestUntoldLatenciesAreNoZero feeds a stream whose ends tell no latency, alone
// and beside some that do.
func TestUntoldLatenciesAreNoZero(t *testing.T) {
	base := model.Instant(1_700_000_000) * sec
	for _, c := range []struct {
		name string
		told int // each told-th end has a latency of 2 s; 0 is none
		want float64
	}{{"none told", 0, math.NaN()}, {"half told", 2, 2}, {"all told", 1, 2}} {
		s := New(model.DefaultThresholds())
		var b model.Batch
		for i := range 100 {
			at := base + model.Instant(i)*sec/10
			v := math.NaN()
			if c.told > 0 && i%c.told == 0 {
				v = 2
			}
			b.Events = append(b.Events,
				model.Event{At: at, Seen: at, Kind: model.Begin, Series: model.ClientInFlight, Key: uint64(i), Source: 1},
				model.Event{At: at, Seen: at, Kind: model.End, Series: model.ClientOK, Key: uint64(i), Value: v, Source: 1})
		}
		end := base + 10*sec
		b.Events = append(b.Events, model.Event{At: end, Seen: end, Kind: model.Tick})
		s.Apply(&b)
		got := s.Second(end).Client
		if got.OK != 100 {
			t.Errorf("%s: want 100 good, got %v", c.name, got.OK)
		}
		if math.IsNaN(c.want) != math.IsNaN(got.Mean) || math.Abs(got.Mean-c.want) > 0.02 {
			t.Errorf("%s: want a mean of %v, got %v", c.name, c.want, got.Mean)
		}
	}
	tr := newTrack(trackKey{series: model.ServerBatch})
	tr.observe(base, math.NaN())
	if tr.n != 0 {
		t.Error("an observation that is no number: want none")
	}
}
