package serverlog_test

import (
	"fmt"
	"strings"
	"testing"

	"benchtop/model"
	"benchtop/sources/serverlog"
)

// unread gives what the source last told of lines in which nothing is
// recognised; -1 if it told nothing.
func (b *bench) unread() (lines float64, hint string) {
	lines = -1
	for _, n := range b.notes {
		if n.Kind == model.NoteRun && n.Name == model.FactUnrecognised {
			lines, hint = n.Value, n.Text
		}
	}
	return lines, hint
}

func TestLogThatTellsNothing(t *testing.T) {
	served := `(APIServer pid=1) INFO:     10.0.0.1:5 - "POST /v1/completions HTTP/1.1" 200 OK`
	looked := `(APIServer pid=1) INFO:     10.0.0.1:5 - "GET /health HTTP/1.1" 200 OK`
	for _, c := range []struct {
		name, format, line string
		n                  int
		past               bool
		want               float64
		hint               string
	}{
		{name: "statistics switched off", format: "vllm", line: served, n: 520, want: 500, hint: "--disable-log-stats"},
		{name: "too few to say", format: "vllm", line: served, n: 480, want: -1},
		{name: "only looked at", format: "vllm", line: looked, n: 2000, want: -1},
		{name: "nothing of ours", line: "lorem ipsum dolor", n: 520, want: 500, hint: ",format=NAME"},
		{name: "the wrong format", format: "sglang", line: "lorem ipsum dolor", n: 520, want: 500, hint: "--decode-log-interval"},
		{name: "history alone", format: "sglang", line: "lorem ipsum dolor", n: 600, past: true, want: 600, hint: "--decode-log-interval"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, serverlog.Options{Format: c.format, Year: 2026})
			for i := range c.n {
				text := c.line
				if !strings.Contains(text, "HTTP") {
					text = fmt.Sprint(text, " ", i)
				}
				if c.past {
					b.past(text)
				} else {
					b.live(text)
				}
			}
			b.d.Close(b.now, b.out)
			b.collect()
			got, hint := b.unread()
			if got != c.want || !strings.Contains(hint, c.hint) {
				t.Errorf("want %v lines and %q, got %v and %q", c.want, c.hint, got, hint)
			}
		})
	}
}

func TestLogThatTellsAgain(t *testing.T) {
	b := newBench(t, serverlog.Options{Format: "vllm", Year: 2026})
	for range 510 {
		b.live(`(APIServer pid=1) INFO:     10.0.0.1:5 - "POST /v1/completions HTTP/1.1" 200 OK`)
	}
	if n, _ := b.unread(); n != 500 {
		t.Fatalf("want 500 lines told as unread, got %v", n)
	}
	b.live(vllmLine("12:00:01", 3, 4))
	if n, _ := b.unread(); n != 0 {
		t.Errorf("want the end of it told, got %v", n)
	}
	var states []float64
	for _, e := range b.evs {
		if e.Kind == model.State {
			states = append(states, e.Value)
		}
	}
	want := []float64{float64(model.Quiet), float64(model.Running)}
	if fmt.Sprint(states) != fmt.Sprint(want) {
		t.Errorf("want the source quiet, then running, got %v", states)
	}
}

// A log that was joined in the midst of a long dump is known by the first line
// that only one engine writes, and that line counts.
func TestFormatFoundLate(t *testing.T) {
	b := newBench(t, serverlog.Options{Year: 2026})
	for i := range 600 {
		b.live(fmt.Sprint("llama_model_loader: - tensor ", i, ": blk.weight q4_K [ 4096, 4096, 1, 1 ]"))
	}
	b.live(v1line)
	if name, _ := b.d.Format(); name != "vllm" {
		t.Errorf("want vllm, got %q", name)
	}
	b.want(model.ServerRunning, 3)
}
