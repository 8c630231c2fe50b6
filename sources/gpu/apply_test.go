package gpu_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"benchtop/model"
	"benchtop/sources"
	"benchtop/sources/gpu"
)

func TestApplyUnits(t *testing.T) {
	r := reading(noon, 0)
	got := collect(t, func(out *sources.Outlet) {
		gpu.Apply(&r, noon, noon.Add(time.Millisecond), out, new(gpu.State))
	})
	for id, want := range map[model.SeriesID]float64{
		model.GPUSMClock: 1980e6, model.GPUMemClock: 2619e6, model.GPUMaxSMClock: 1980e6, model.GPUTemp: 59,
		model.GPUMemTemp: 66, model.GPUMargin: 26, model.GPUPower: 625.68, model.GPUPowerInstant: 641.2,
		model.GPUPowerLimit: 700, model.GPUEnergy: 91000123.456, model.GPUUtil: 0.29, model.GPUMemUsed: 72001.5 * (1 << 20),
		model.GPUMemTotal: 81559 * (1 << 20), model.GPUReasons: 36, model.GPUHeldPowerCap: 3.500000001,
		model.GPUHeldSyncBoost: 0, model.GPUHeldBoard: 0, model.GPUHeldSWThermal: 0.2, model.GPUHeldHWThermal: 0,
		model.GPUHeldBrake: 0, model.GPUHeldReliability: 0, model.GPUSMActivity: 0.88, model.GPUSMOccupancy: 0.31,
		model.GPUTensorActivity: 0.385, model.GPUDRAMActivity: 0.64, model.GPULost: 0,
	} {
		v := got.values(id, 1)
		if len(v) != 1 || math.Abs(v[0]-want) > 1e-9*max(1, want) {
			t.Errorf("%v: want [%v], got %v", id, want, v)
		}
	}
	if len(got.events) != 26 {
		t.Errorf("want 26 events, one a series, got %d", len(got.events))
	}
	for _, e := range got.events {
		if e.Kind != model.Level || e.At != noon || e.Seen != noon.Add(time.Millisecond) || e.Source != 1 {
			t.Fatalf("want a level at noon, seen 1 ms later, of source 1, got %+v", e)
		}
	}
	n := got.notesOf(model.NoteGPU)
	if len(n) != 1 || n[0].Key != 1 || n[0].Name != r.UUID || n[0].Text != r.Name || n[0].Value != 0 {
		t.Errorf("want one note that names the GPU, got %+v", n)
	}
}

func TestApplySequence(t *testing.T) {
	// A step: what the reading of that second has.
	type step func(r *gpu.Reading)
	set := func(f gpu.Field, v float64) step { return func(r *gpu.Reading) { r.Set(f, v) } }
	stock := func(limit, of float64) step {
		return func(r *gpu.Reading) { r.Set(gpu.PowerLimit, limit); r.Stock = of }
	}
	nothing := func(*gpu.Reading) {}
	gone := func(r *gpu.Reading) { r.State, r.Held = gpu.Lost, true }
	nan := math.NaN()
	for _, tc := range []struct {
		name  string
		steps []step
		id    model.SeriesID
		want  []float64
		marks []string
	}{
		{"a reading that stops is one gap", []step{set(gpu.Temp, 50), nothing, nothing, set(gpu.Temp, 52)}, model.GPUTemp, []float64{50, nan, 52}, nil},
		{"what was never read is nothing", []step{nothing, nothing}, model.GPUTemp, nil, nil},
		{"a GPU that is not well has no gaps", []step{set(gpu.Temp, 50), func(r *gpu.Reading) { r.State = gpu.Stale; r.Set(gpu.SMClock, 1) }, set(gpu.Temp, 51)}, model.GPUTemp, []float64{50, 51}, nil},
		{"a lost GPU keeps its last values", []step{set(gpu.Temp, 50), gone, gone}, model.GPUTemp, []float64{50}, []string{"gpu_lost"}},
		{"and its state says so", []step{set(gpu.Temp, 50), gone, gone}, model.GPULost, []float64{0, 3, 3}, []string{"gpu_lost"}},
		{"one that comes back", []step{set(gpu.Temp, 50), gone, set(gpu.Temp, 40)}, model.GPUTemp, []float64{50, 40}, []string{"gpu_lost", "gpu_back"}},
		{"a counter that grows", []step{set(gpu.HeldBrake, 1e9), set(gpu.HeldBrake, 2e9)}, model.GPUHeldBrake, []float64{1, 2}, []string{"throttle"}},
		{"a counter that starts over", []step{set(gpu.HeldPowerCap, 5e9), set(gpu.HeldPowerCap, 0), set(gpu.HeldPowerCap, 1e9)}, model.GPUHeldPowerCap, []float64{5, nan, 0, 1}, []string{"gpu_counters"}},
		{"a counter updated in steps", []step{set(gpu.HeldBrake, 0), set(gpu.HeldBrake, 0), set(gpu.HeldBrake, 3e9)}, model.GPUHeldBrake, []float64{0, 0, 3}, []string{"throttle"}},
		{"a hold of 40 ms", []step{set(gpu.HeldHWThermal, 0), set(gpu.HeldHWThermal, 4e7), set(gpu.HeldHWThermal, 8e7)}, model.GPUHeldHWThermal, []float64{0, 0.04, 0.08}, []string{"throttle"}},
		{"power is held all the time", []step{set(gpu.HeldPowerCap, 0), set(gpu.HeldPowerCap, 4e7)}, model.GPUHeldPowerCap, []float64{0, 0.04}, nil},
		{"a limit below the card's own", []step{stock(350, 350), stock(300, 350), stock(300, 350), stock(350, 350), stock(250, 350)}, model.GPUPowerLimit, []float64{350, 300, 300, 350, 250}, []string{"gpu_limit", "gpu_limit"}},
		{"a limit above it", []step{stock(400, 350)}, model.GPUPowerLimit, []float64{400}, nil},
		{"a limit with nothing to compare", []step{stock(300, 0)}, model.GPUPowerLimit, []float64{300}, nil},
		{"a counter in another unit", []step{set(gpu.HeldBrake, 7e9), set(gpu.HeldBrake, 1007e9), set(gpu.HeldBrake, 1008e9)}, model.GPUHeldBrake, []float64{7, nan}, []string{"gpu_counters"}},
		{"energy has no such bound", []step{set(gpu.Energy, 1e6), set(gpu.Energy, 9e6)}, model.GPUEnergy, []float64{1e6, 9e6}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var st gpu.State
			got := collect(t, func(out *sources.Outlet) {
				for i, s := range tc.steps {
					at := noon.Add(time.Duration(i) * time.Second)
					r := gpu.Reading{At: at, UUID: "GPU-1"}
					s(&r)
					gpu.Apply(&r, at, at, out, &st)
				}
			})
			wantValues(t, got, tc.id, 1, tc.want...)
			var marks []string
			for _, n := range got.notesOf(model.NoteMark) {
				marks = append(marks, n.Name)
			}
			if len(marks) != len(tc.marks) || len(marks) > 0 && marks[0] != tc.marks[0] || len(marks) > 1 && marks[1] != tc.marks[1] {
				t.Errorf("want marks %v, got %v", tc.marks, marks)
			}
		})
	}
}

func TestApplyKeys(t *testing.T) {
	type who struct {
		index int
		uuid  string
	}
	for _, tc := range []struct {
		name  string
		seen  []who
		keys  []uint64
		named int
	}{
		{"index + 1", []who{{0, "a"}, {3, "b"}}, []uint64{1, 4}, 2},
		{"the UUID keeps its key when indexes move", []who{{0, "a"}, {1, "b"}, {0, "b"}}, []uint64{1, 2, 2}, 2},
		{"another GPU at an index is another key", []who{{0, "a"}, {0, "b"}, {0, "a"}}, []uint64{1, 2, 1}, 2},
		{"without a UUID the index counts", []who{{0, ""}, {1, ""}, {0, ""}}, []uint64{1, 2, 1}, 2},
		{"one that says its UUID later is named again", []who{{1, ""}, {1, "a"}}, []uint64{2, 2}, 2},
		{"one that can no longer say it", []who{{0, "a"}, {0, ""}}, []uint64{1, 1}, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var st gpu.State
			got := collect(t, func(out *sources.Outlet) {
				for _, w := range tc.seen {
					r := gpu.Reading{Index: w.index, UUID: w.uuid, Held: true}
					gpu.Apply(&r, noon, noon, out, &st)
				}
			})
			var keys []uint64
			for _, e := range got.events {
				keys = append(keys, e.Key)
			}
			if len(keys) != len(tc.keys) {
				t.Fatalf("want keys %v, got %v", tc.keys, keys)
			}
			for i := range keys {
				if keys[i] != tc.keys[i] {
					t.Fatalf("want keys %v, got %v", tc.keys, keys)
				}
			}
			if n := len(got.notesOf(model.NoteGPU)); n != tc.named {
				t.Errorf("want %d notes, got %d", tc.named, n)
			}
		})
	}
}

func BenchmarkApply(b *testing.B) {
	ch := make(chan *model.Batch, 1)
	out := sources.NewOutlet(b.Context(), ch, 1, sources.Latest, nil)
	r := reading(noon, 0)
	var st gpu.State
	gpu.Apply(&r, noon, noon, out, &st)
	b.ReportAllocs()
	at := noon
	for b.Loop() {
		at = at.Add(time.Second)
		gpu.Apply(&r, at, at, out, &st)
		out.FlushAt(at)
		select {
		case batch := <-ch:
			sources.Recycle(batch)
		default:
		}
	}
}

// TestManyGPUs reads more GPUs than a machine has, with names of a megabyte.
func TestManyGPUs(t *testing.T) {
	got := collect(t, func(out *sources.Outlet) {
		var st gpu.State
		for i := range 10_000 {
			r := gpu.Reading{At: noon, Index: i, UUID: fmt.Sprint("GPU-", i), Name: strings.Repeat("x", 1<<20)}
			r.Set(gpu.SMClock, 1980)
			gpu.Apply(&r, noon, noon, out, &st)
		}
	})
	if n := got.notesOf(model.NoteGPU); len(n) != 64 || len(n[0].Text) > model.MaxName {
		t.Errorf("want 64 GPUs with names of at most %d bytes, got %d with %d", model.MaxName, len(n), len(n[0].Text))
	}
	if n := got.notesOf(model.NoteError); len(n) != 1 || !strings.Contains(n[0].Text, "more than 64 GPUs") {
		t.Errorf("want it told once, got %v", n)
	}
	if n := len(got.events); n != 2*64 {
		t.Errorf("want the clock and the state of 64 GPUs, got %d events", n)
	}
}
