package store

import (
	"testing"

	"benchtop/model"
)

// TestInstances: MIG devices are rows of their own and no GPUs; what holds the
// clock is the whole GPU's, which is under load when one of them is.
func TestInstances(t *testing.T) {
	for _, c := range []struct {
		name  string
		busy  float64
		loads bool
	}{{"one works", 0.8, true}, {"none works", 0.02, false}} {
		s := New(model.DefaultThresholds())
		part := uint64(1 | 2<<model.GPUInstanceShift)
		for i := range 30 {
			at := origin + model.Instant(i)*sec
			ev := func(key uint64, id model.SeriesID, v float64) model.Event {
				return model.Event{At: at, Seen: at, Source: 1, Key: key, Series: id, Kind: model.Level, Value: v}
			}
			s.Apply(&model.Batch{Events: []model.Event{
				ev(1, model.GPUSMClock, 1500e6), ev(1, model.GPUMaxSMClock, 1980e6), ev(1, model.GPUHeldSWThermal, float64(i)*0.9),
				ev(part, model.GPUSMActivity, c.busy), ev(part, model.GPUMemUsed, 1<<30),
			}})
		}
		snap := new(model.Snapshot)
		s.Freeze(snap, nil, true)
		if len(snap.GPUs) != 1 || len(snap.Instances) != 1 || snap.Instances[0].Label() != "0/1" || snap.Instances[0].Parent() != snap.GPUs[0].Key {
			t.Errorf("%s: want a GPU and its device 0/1, got %+v and %+v", c.name, snap.GPUs, snap.Instances)
		}
		sig := s.Second(origin + 30*sec)
		if len(sig.GPUs) != 1 || (sig.GPUs[0].Loss > 0.2) != c.loads || !(sig.GPUs[0].SWThermal > 0.8) {
			t.Errorf("%s: want one GPU, its clock counted: %v, got %+v", c.name, c.loads, sig.GPUs)
		}
	}
}
