package gpu_test

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"benchtop/model"
	"benchtop/sources"
	"benchtop/sources/gpu"
)

// TestHappenings: events of the driver become marks, bad ones marked as such on
// GPU 0 too, and processes are told when they change.
func TestHappenings(t *testing.T) {
	var st gpu.State
	got := collect(t, func(out *sources.Outlet) {
		for i, r := range []gpu.Reading{
			{Processes: []gpu.Process{{PID: 41, MiB: 71800}}},
			{},
			{Processes: []gpu.Process{{PID: 41, MiB: 71900}}},
			{Processes: []gpu.Process{{PID: 7, MiB: math.NaN()}, {PID: 41, MiB: 71900}}, Xids: []int{13, 79, 250}},
		} {
			r.UUID = "GPU-1"
			at := noon + model.Instant(i)*1e9
			gpu.Apply(&r, at, at, out, &st)
		}
	})
	want := []struct {
		class, text string
		bad         bool
	}{
		{"gpu_xid", "Xid 13: an exception in the application's own kernel", false},
		{"gpu_xid", "Xid 79: it fell off the bus", true},
		{"gpu_xid", "Xid 250", false},
		{"gpu_process", "another process, PID 7", false},
	}
	marks := got.notesOf(model.NoteMark)
	if len(marks) != len(want) {
		t.Fatalf("want %d marks, got %+v", len(want), marks)
	}
	for i, w := range want {
		if m := marks[i]; m.Name != w.class || !strings.Contains(m.Text, w.text) || (m.Value > 0) != w.bad {
			t.Errorf("want %s %q (bad: %v), got %+v", w.class, w.text, w.bad, m)
		}
	}
	var facts []string
	for _, n := range got.notesOf(model.NoteRun) {
		facts = append(facts, n.Name+": "+n.Text)
	}
	if w := "gpu0_processes: PID 41 71800 MiB|gpu0_processes: PID 7, PID 41 71900 MiB"; strings.Join(facts, "|") != w {
		t.Errorf("want %q, got %q", w, facts)
	}
}

func TestHappeningsRoundTrip(t *testing.T) {
	in := gpu.Reading{At: noon, UUID: "GPU-1", Xids: []int{79, 31}, Faults: []gpu.Fault{{Kind: gpu.FaultECCCorrected, Count: 3}, {Kind: gpu.FaultRecovery, Count: 2}}, Processes: []gpu.Process{{PID: 41, MiB: 100}, {PID: 7, MiB: math.NaN()}}}
	line := gpu.AppendReading(nil, &in)
	out, err := gpu.ParseReading(line)
	if err != nil {
		t.Fatal(err)
	}
	if again := gpu.AppendReading(nil, &out); !bytes.Equal(line, again) || len(out.Xids) != 2 || len(out.Processes) != 2 || !slices.Equal(out.Faults, in.Faults) {
		t.Errorf("want it back as it was\n%s\ngot\n%s", line, again)
	}
	if _, err := gpu.ParseReading([]byte(`{"ts":"2026-01-01T00:00:00Z","gpu":0,"xid":"79"}`)); err == nil {
		t.Error("want a text that is no list refused")
	}
}
