package sim

import (
	"bufio"
	"bytes"
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

type record struct {
	Ev        string  `json:"ev"`
	T         float64 `json:"t"`
	ID        int     `json:"id"`
	DurMS     float64 `json:"dur_ms"`
	TTFTMS    float64 `json:"ttft_ms"`
	Outcome   string  `json:"outcome"`
	Status    int     `json:"status"`
	Output    int     `json:"output_tokens"`
	Prompt    int     `json:"prompt_tokens"`
	Date      string  `json:"date"`
	Conc      int     `json:"concurrency"`
	TimeoutMS float64 `json:"timeout_ms"`
	Requests  int     `json:"requests"`
	OK        int     `json:"ok"`
	at        float64 // seconds from the start, as the line was handed out
}

// records reads the load generator's lines out of a world's text.
func records(t testing.TB, text *bytes.Buffer) []record {
	t.Helper()
	var out []record
	for sc := bufio.NewScanner(bytes.NewReader(text.Bytes())); sc.Scan(); {
		at, line, _ := strings.Cut(sc.Text(), " ")
		if !strings.HasPrefix(line, `{"ev"`) {
			continue
		}
		var r record
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		ns, _ := strconv.ParseInt(at, 10, 64)
		r.at = float64(ns) / nanosPerSec
		out = append(out, r)
	}
	return out
}

// logLines reads the server's lines out of a world's text.
func logLines(text *bytes.Buffer) []string {
	var out []string
	for sc := bufio.NewScanner(bytes.NewReader(text.Bytes())); sc.Scan(); {
		_, line, _ := strings.Cut(sc.Text(), " ")
		if strings.HasPrefix(line, "(") || strings.HasPrefix(line, "time=") {
			out = append(out, line)
		}
	}
	return out
}

func TestRecords(t *testing.T) {
	for _, name := range []string{"tour", "short_timeout", "fast_fail", "resets", "server_crash", "overload_open", "client_cpu"} {
		t.Run(name, func(t *testing.T) {
			w, text, _ := play(t, name, "", 11)
			begun := map[int]float64{}
			next, ended, ok := 1, map[int]bool{}, 0
			rs := records(t, text)
			if len(rs) == 0 || rs[0].Ev != "run" || rs[len(rs)-1].Ev != "summary" {
				t.Fatalf("want a run line first and a summary last, got %d records", len(rs))
			}
			for _, r := range rs {
				if want := w.instantAt(r.at).Seconds(0); math.Abs(r.T-want) > 2e-6 || r.T > want+2e-7 {
					t.Fatalf("%s %d: says %f, was written at %f", r.Ev, r.ID, r.T, want)
				}
				switch r.Ev {
				case "start":
					if r.ID != next {
						t.Fatalf("start %d: want id %d", r.ID, next)
					}
					next++
					begun[r.ID] = r.at
				case "end":
					if ended[r.ID] {
						t.Fatalf("request %d ended twice", r.ID)
					}
					ended[r.ID] = true
					if d := r.at - begun[r.ID]; d < 0 || math.Abs(r.DurMS/1000-d) > 2e-6 {
						t.Fatalf("request %d: %v ms, but %v s between its records", r.ID, r.DurMS, d)
					}
					if r.Outcome == "ok" {
						ok++
						if r.Status != 200 || r.Output < 1 || r.Prompt != w.p.PromptTokens || r.TTFTMS <= 0 || r.TTFTMS > r.DurMS {
							t.Fatalf("request %d: %+v", r.ID, r)
						}
					}
				}
			}
			if last := rs[len(rs)-1]; last.Requests != len(ended) || last.OK != ok || next-1 != len(ended) {
				t.Errorf("summary %+v, but %d begun, %d ended, %d ok", last, next-1, len(ended), ok)
			}
		})
	}
}

func TestTimeoutsAgree(t *testing.T) {
	_, text, _ := play(t, "short_timeout", "", 11)
	n := 0
	for _, r := range records(t, text) {
		if r.Outcome == "timeout" {
			n++
			near(t, "timeout", 2600, r.DurMS, 0.002)
		}
	}
	if n < 100 {
		t.Errorf("only %d timeouts", n)
	}
}

// TestDateBoundsTheOffset intersects D − end ≤ θ < D + 1 − start over all
// answers, as a reader does to find the server's clock.
func TestDateBoundsTheOffset(t *testing.T) {
	for name, want := range map[string]float64{"clock_skew": 17, "saturated": 0} {
		_, text, _ := play(t, name, "", 11)
		lo, hi := math.Inf(-1), math.Inf(1)
		for _, r := range records(t, text) {
			if r.Date == "" {
				continue
			}
			d, err := time.Parse(time.RFC1123, r.Date)
			if err != nil {
				t.Fatal(err)
			}
			lo = max(lo, float64(d.Unix())-r.T)
			hi = min(hi, float64(d.Unix())+1-(r.T-r.DurMS/1000))
		}
		if !(lo <= want && want <= hi && hi-lo < 3) {
			t.Errorf("%s: offset between %v and %v, want %v", name, lo, hi, want)
		}
	}
}

func TestLogLines(t *testing.T) {
	stats := regexp.MustCompile(`^\(APIServer pid=\d+\) INFO \d\d-\d\d \d\d:\d\d:\d\d \[loggers\.py:\d+\] Engine 00(\d): Avg prompt throughput: [\d.]+ tokens/s, Avg generation throughput: ([\d.]+) tokens/s, Running: (\d+) reqs, Waiting: (\d+) reqs, GPU KV cache usage: ([\d.]+)%, Prefix cache hit rate: 0\.0%$`)
	count := func(lines []string, part string) (n int) {
		for _, l := range lines {
			if strings.Contains(l, part) {
				n++
			}
		}
		return n
	}
	_, text, _ := play(t, "saturated", "", 11)
	lines := logLines(text)
	n := 0
	for _, l := range lines {
		m := stats.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		n++
		if m[3] != "32" {
			t.Errorf("running %s in %s", m[3], l)
		}
		if gen, _ := strconv.ParseFloat(m[2], 64); n > 2 {
			near(t, "generated tokens a second", 16.4*64, gen, 0.08)
		}
	}
	if n != 17 { // the run ends before the one at 180 s
		t.Errorf("want 17 lines of statistics in 180 s, got %d", n)
	}
	if !strings.Contains(lines[0], "'max_num_seqs': 32}") || count(lines, "GPU KV cache size: 24,000 tokens") != 1 {
		t.Errorf("start-up lines: %q", lines[:3])
	}
	tests := []struct {
		name, changes, part string
		lo, hi              int
	}{
		{"saturated", "max_batch_known=false", "max_num_seqs", 0, 0},
		{"saturated", "have_server_log=false", "", 0, 0},
		{"server_silent", "", "Running:", 5, 5},
		{"hot_engine", "", "Engine 001:", 17, 18},
		{"server_crash", "", "GPU KV cache size", 2, 2},
		{"server_crash", "", "Running:", 16, 16},
		{"clock_skew", "", "14:00:17", 2, 2},
		{"fast_fail", "", "503 Service Unavailable", 10000, 100000},
		{"debug_log", "", "DEBUG", 3600, 40000},
		{"batch_wait", "", "batch_size=8 batch_wait_ms=150.00 ", 10, 1000},
		{"batch_wait", "", "max_batch_size=16 batch_timeout_ms=150", 1, 1},
	}
	for _, tt := range tests {
		_, text, _ := play(t, tt.name, tt.changes, 11)
		if got := count(logLines(text), tt.part); got < tt.lo || got > tt.hi {
			t.Errorf("%s %s: want %d..%d lines with %q, got %d", tt.name, tt.changes, tt.lo, tt.hi, tt.part, got)
		}
	}
}
