package store

import (
	"fmt"
	"testing"

	"benchtop/model"
)

// TestStrangers: which of two GPUs are none of the server's, by what their
// processes and the server's are called and by whether they ever worked.
func TestStrangers(t *testing.T) {
	type fact struct{ name, text string }
	tests := []struct {
		name  string
		facts []fact
		util  [2]float64
		want  [2]bool
	}{
		{"both work, nobody tells whose", nil, [2]float64{0.9, 0.9}, [2]bool{}},
		{"one never worked", nil, [2]float64{0.9, 0}, [2]bool{false, true}},
		{"none worked", nil, [2]float64{0, 0}, [2]bool{}},
		{"the other is another's", []fact{{"server_pids", "40 41"}, {"gpu0_processes", "PID 41 71800 MiB"}, {"gpu1_processes", "PID 7 100 MiB, PID 8"}}, [2]float64{0.9, 0.9}, [2]bool{false, true}},
		{"the other is nobody's", []fact{{"server_pids", "40 41"}, {"gpu0_processes", "PID 41"}, {"gpu1_processes", ""}}, [2]float64{0.9, 0.9}, [2]bool{false, true}},
		{"the other is not told", []fact{{"server_pids", "40 41"}, {"gpu0_processes", "PID 41"}}, [2]float64{0.9, 0.9}, [2]bool{}},
		{"numbers of another namespace", []fact{{"server_pids", "1 2"}, {"gpu0_processes", "PID 4041"}, {"gpu1_processes", "PID 4042"}}, [2]float64{0.9, 0.9}, [2]bool{}},
		{"the server's own idles", []fact{{"server_pids", "40 41"}, {"gpu0_processes", "PID 40"}, {"gpu1_processes", "PID 41"}}, [2]float64{0.9, 0}, [2]bool{}},
		{"on a MIG device of the other", []fact{{"server_pids", "41"}, {"gpu0_processes", "PID 7"}, {"gpu1/0_processes", "PID 41"}, {"gpu1_processes", ""}}, [2]float64{0.9, 0.9}, [2]bool{true, false}},
		{"not a list", []fact{{"server_pids", "x"}, {"gpu0_processes", "PID , PID y"}, {"gpu_processes", "PID 1"}}, [2]float64{0.9, 0.9}, [2]bool{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := New(model.DefaultThresholds())
			b := &model.Batch{}
			for _, f := range tt.facts {
				b.Notes = append(b.Notes, model.Note{At: origin, Seen: origin, Kind: model.NoteRun, Name: f.name, Text: f.text})
			}
			for i := range 5 {
				at := origin + model.Instant(i)*sec
				for key, u := range tt.util {
					b.Events = append(b.Events, model.Event{At: at, Seen: at, Source: 1, Key: uint64(key + 1), Series: model.GPUUtil, Kind: model.Level, Value: u})
				}
			}
			s.Apply(b)
			for i, g := range s.Second(origin + 5*sec).GPUs {
				if g.Other != tt.want[i] {
					t.Errorf("GPU %d: want a stranger: %v, got %v", i, tt.want[i], g.Other)
				}
			}
		})
	}
	// Of two servers that share the load one's processes are told: the GPU of the
	// other is no stranger.
	for _, label := range []string{"a", "b"} {
		s := New(model.DefaultThresholds())
		b := &model.Batch{}
		for i, at := range []string{"a", label} {
			b.Notes = append(b.Notes, model.Note{At: origin, Seen: origin, Kind: model.NoteSource, Name: fmt.Sprint("log", i), Text: "vllm|" + at, Value: float64(model.KindServerLog), Source: model.SourceID(2 + i)})
			b.Events = append(b.Events, model.Event{At: origin, Seen: origin, Source: model.SourceID(2 + i), Series: model.ServerRunning, Kind: model.Level, Value: 8})
		}
		for _, f := range []fact{{"server_pids", "40 41"}, {"gpu0_processes", "PID 41"}, {"gpu1_processes", "PID 50"}} {
			b.Notes = append(b.Notes, model.Note{At: origin, Seen: origin, Kind: model.NoteRun, Name: f.name, Text: f.text})
		}
		for key := range uint64(2) {
			b.Events = append(b.Events, model.Event{At: origin, Seen: origin, Source: 1, Key: key + 1, Series: model.GPUUtil, Kind: model.Level, Value: 0.9})
		}
		s.Apply(b)
		if gpus := s.Second(origin + sec).GPUs; gpus[0].Other || gpus[1].Other != (label == "a") {
			t.Errorf("servers a and %s: want the second GPU a stranger: %v, got %v, %v", label, label == "a", gpus[0].Other, gpus[1].Other)
		}
	}
	// Another's heat spoils no second.
	for _, whose := range []string{"PID 41", "PID 7"} {
		s := New(model.DefaultThresholds())
		b := &model.Batch{Notes: []model.Note{{Kind: model.NoteRun, Name: "server_pids", Text: "40 41"}, {Kind: model.NoteRun, Name: "gpu0_processes", Text: "PID 40"}, {Kind: model.NoteRun, Name: "gpu1_processes", Text: whose}}}
		for i := range 30 {
			at := origin + model.Instant(i)*sec
			for key := range uint64(2) {
				ev := model.Event{At: at, Seen: at, Source: 1, Key: key + 1, Kind: model.Level}
				for id, v := range map[model.SeriesID]float64{model.GPUUtil: 0.9, model.GPUSMClock: 1980e6 - 500e6*float64(key), model.GPUMaxSMClock: 1980e6, model.GPUHeldSWThermal: float64(i) * float64(key)} {
					ev.Series, ev.Value = id, v
					b.Events = append(b.Events, ev)
				}
			}
		}
		s.Apply(b)
		sig := s.Second(origin + 29*sec)
		spoilt := false
		for _, g := range s.gpuList {
			spoilt = spoilt || !g.other && g.heldNow(sig.At, &s.run.Thresholds) != ""
		}
		if want := whose == "PID 41"; spoilt != want || sig.GPUs[1].Other == want {
			t.Errorf("%s on the hot GPU: want the second spoilt: %v, got %v", whose, want, spoilt)
		}
	}
	var u users
	for i := range 10_000 {
		u.take(&model.Note{Name: fmt.Sprintf("gpu%d_processes", i), Text: "PID 1"})
		u.take(&model.Note{Name: fmt.Sprintf("gpu0/%d_processes", i), Text: "PID 1"})
	}
	if len(u.of) > maxUsed || len(u.of["0"]) > maxUsed {
		t.Errorf("want at most %d kept, got %d and %d", maxUsed, len(u.of), len(u.of["0"]))
	}
}
