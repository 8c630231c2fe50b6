package gpu_test

import (
	"math"
	"testing"

	"benchtop/model"
	"benchtop/sources"
	"benchtop/sources/gpu"
)

// told is what went through an outlet.
type told struct {
	events []model.Event
	notes  []model.Note
}

// collect runs f with an outlet and returns what it told.
func collect(t *testing.T, f func(out *sources.Outlet)) *told {
	t.Helper()
	ch := make(chan *model.Batch, 4096)
	out := sources.NewOutlet(t.Context(), ch, 1, sources.Block, nil)
	f(out)
	out.Flush()
	close(ch)
	got := &told{}
	for b := range ch {
		got.events = append(got.events, b.Events...)
		got.notes = append(got.notes, b.Notes...)
	}
	return got
}

// values are the series' values in order; NaN is a gap.
func (g *told) values(id model.SeriesID, key uint64) []float64 {
	var v []float64
	for _, e := range g.events {
		if e.Series != id || e.Key != key {
			continue
		}
		if e.Kind == model.Gap {
			v = append(v, math.NaN())
		} else {
			v = append(v, e.Value)
		}
	}
	return v
}

func (g *told) notesOf(k model.NoteKind) []model.Note {
	var ns []model.Note
	for _, n := range g.notes {
		if n.Kind == k {
			ns = append(ns, n)
		}
	}
	return ns
}

func same(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] && !(math.IsNaN(a[i]) && math.IsNaN(b[i])) {
			return false
		}
	}
	return true
}

func wantValues(t *testing.T, g *told, id model.SeriesID, key uint64, want ...float64) {
	t.Helper()
	if got := g.values(id, key); !same(got, want) {
		t.Errorf("%v of GPU key %d: want %v, got %v", id, key, want, got)
	}
}

// reading is a whole H100 under load.
func reading(at model.Instant, index int) gpu.Reading {
	r := gpu.Reading{At: at, Index: index, UUID: "GPU-0000000" + string(rune('0'+index)), Name: "NVIDIA H100 80GB HBM3"}
	for f, v := range map[gpu.Field]float64{
		gpu.SMClock: 1980, gpu.MemClock: 2619, gpu.MaxSMClock: 1980, gpu.MaxMemClock: 2619, gpu.Temp: 59, gpu.MemTemp: 66,
		gpu.Margin: 26, gpu.Power: 625.68, gpu.PowerInstant: 641.2, gpu.PowerLimit: 700, gpu.Energy: 91000123.456,
		gpu.Util: 29, gpu.MemUsed: 72001.5, gpu.MemTotal: 81559, gpu.Reasons: 0x24, gpu.HeldPowerCap: 3500000001,
		gpu.HeldSyncBoost: 0, gpu.HeldBoard: 0, gpu.HeldSWThermal: 200000000, gpu.HeldHWThermal: 0, gpu.HeldBrake: 0,
		gpu.HeldReliability: 0, gpu.SMActivity: 0.88, gpu.SMOccupancy: 0.31, gpu.TensorActivity: 0.385, gpu.DRAMActivity: 0.64,
		gpu.PCIeRx: 99614720, gpu.PCIeTx: 41943040,
	} {
		r.Set(f, v)
	}
	return r
}
