package loadgen_test

import (
	"bytes"
	"testing"

	"benchtop/model"
	"benchtop/sources/loadgen"
)

// A bar that only counts is told as it moves, whatever is drawn around it.
func TestBars(t *testing.T) {
	tests := []struct {
		name, text string
		want       []float64 // finished
		expected   float64   // 0 if the bar names no total
	}{
		{"tqdm", " 2%|▏         | 2/100 [00:00<00:06, 15.09it/s]\r 36%|███▌      | 36/100 [00:00<00:00, 77.08it/s]\r100%|██████████| 100/100 [00:01<00:00, 53.16it/s]\n", []float64{2, 36, 100}, 100},
		{"a description and s/it", "Processing: 10%|#| 1/10 [01:00<09:00, 60.00s/it]\rProcessing: 20%|##| 2/10 [02:00<08:00, 60.00s/it]\n", []float64{1, 2}, 10},
		{"AIPerf", "Requests (Profiling): 1,200/5,000 |███| 24% [00:10<00:31]\rRequests (Profiling): 1,300/5,000 |███| 26% [00:11<00:31]\n", []float64{1200, 1300}, 5000},
		{"without a total", "36it [00:01, 30.1it/s]\r40it [00:02, 30.1it/s]\n", []float64{36, 40}, 0},
		{"scaled", " 24%|██| 1.20k/5.00k [00:10<00:31, 120it/s]\n", []float64{1200}, 5000},
		{"a download is none", " 50%|█████| 36/72 [00:01<00:01, 12.1MB/s]\r  9%|▉| 9/100 [00:00<00:02, 35.12it/s]\n", []float64{9}, 100},
		{"a print in the middle", "  9%|▉| 9/100 [00:00<00:02, 35.12it/s]retrying one request\r 10%|█| 10/100 [00:00<00:02, 35.12it/s]\n", []float64{9, 10}, 100},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newSink(t)
			d := loadgen.NewDecoder(loadgen.Options{Format: "tqdm"})
			for _, l := range bytes.FieldsFunc([]byte(tt.text), func(r rune) bool { return r == '\r' || r == '\n' }) {
				d.Line(l, seenAt, false, false, s.out)
			}
			s.drain()
			got := s.of(model.Level, model.ClientBarDone)
			if len(got) != len(tt.want) {
				t.Fatalf("want %v, got %v", tt.want, got)
			}
			for i, w := range tt.want {
				if got[i].Value != w || got[i].At != seenAt {
					t.Errorf("state %d: want %g when it was read, got %g at %d", i, w, got[i].Value, got[i].At)
				}
			}
			n, ok := s.note(model.NoteConfig, "expected_requests")
			if ok != (tt.expected > 0) || n.Value != tt.expected {
				t.Errorf("want %g expected, got %g (%v)", tt.expected, n.Value, ok)
			}
			if len(s.ends()) > 0 {
				t.Error("want no requests from a bar: it says nothing of their outcome")
			}
		})
	}
}

// What k6 and locust print as they go counts too.
func TestConsoleLines(t *testing.T) {
	tests := []struct {
		file   string
		least  int // states told
		target float64
	}{
		{"k6.stdout.txt", 2, 8},
		{"locust.stderr.txt", 3, 0},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			_, s := decode(t, loadgen.Options{}, readFile(t, "testdata/"+tt.file))
			got := s.of(model.Level, model.ClientBarDone)
			if len(got) < tt.least {
				t.Fatalf("want %d states at least, got %v", tt.least, got)
			}
			for i := 1; i < len(got)-1; i++ {
				if got[i].Value < got[i-1].Value {
					t.Errorf("want a count that grows, got %g after %g", got[i].Value, got[i-1].Value)
				}
			}
			users := s.of(model.Level, model.ClientTarget)
			if (len(users) > 0) != (tt.target > 0) || tt.target > 0 && users[0].Value != tt.target {
				t.Errorf("want %g users, got %v", tt.target, users)
			}
		})
	}
}

// A tool that says nothing until its end is counted by its report then; one
// that told its requests isn't counted twice.
func TestReportsCount(t *testing.T) {
	tests := []struct {
		file string
		want []float64
	}{
		{"hey.txt", []float64{96}},
		{"vllm-bench-progress.composed.txt", []float64{60}},
		{"vegeta.ndjson", nil},
		{"bench_client.ndjson", nil},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			_, s := decode(t, loadgen.Options{}, readFile(t, "testdata/"+tt.file))
			got := s.of(model.Level, model.ClientBarDone)
			if (len(got) > 0) != (len(tt.want) > 0) {
				t.Fatalf("want %v, got %v", tt.want, got)
			}
			if len(got) > 0 && got[len(got)-1].Value != tt.want[0] {
				t.Errorf("want %v, got %v", tt.want, got[len(got)-1].Value)
			}
		})
	}
}

// Cumulative answers of an endpoint, one after another.
func TestAIPerfPolls(t *testing.T) {
	one := string(readFile(t, "testdata/aiperf-progress.composed.json"))
	_, s := decode(t, loadgen.Options{}, []byte(one+"\n"+`{"phases":{"profiling":{"requests_sent":50,"requests_completed":50,"last_update_ns":1796044003112999936}}}`+"\n"))
	got := s.of(model.Level, model.ClientGaugeInFlight)
	if len(got) != 2 || got[0].Value != 6 || got[1].Value != 0 {
		t.Fatalf("want 6 and 0 in flight, got %v", got)
	}
	if want := model.Instant(1796044003112999936); got[1].At != want {
		t.Errorf("want its own time %d, got %d", want, got[1].At)
	}
}
