package serverlog_test

import (
	"strings"
	"testing"

	"benchtop/model"
	"benchtop/sources/serverlog"
)

// names gives the engines' names by their keys.
func (b *bench) names() map[uint64]string {
	m := map[uint64]string{}
	for _, n := range b.notes {
		if n.Kind == model.NoteEngine {
			m[n.Key] = n.Name
		}
	}
	return m
}

// newest gives the last level of a series of each engine since the newest gap.
func (b *bench) newest(id model.SeriesID) map[string]float64 {
	names, m := b.names(), map[string]float64{}
	for _, e := range b.evs {
		switch {
		case e.Series == id && e.Kind == model.Level:
			m[names[e.Key]] = e.Value
		case e.Series == model.ServerRunning && (e.Kind == model.Gap || e.Kind == model.Reset):
			clear(m)
		}
	}
	return m
}

// Servers whose logs were joined into one each count their engines from zero.
func TestJoinedLogs(t *testing.T) {
	stats := func(where, running string) string {
		return where + strings.Replace(v1line, "Running: 3", "Running: "+running, 1)
	}
	for _, c := range []struct {
		name, format string
		lines        []string
		want         map[string]float64
	}{
		{"one container", "vllm", []string{stats("vllm-1  | ", "3"), stats("vllm-1  | ", "5")}, map[string]float64{"2": 5}},
		{"two containers", "vllm", []string{stats("vllm-a-1  | (APIServer pid=1) ", "3"), stats("vllm-b-1  | (APIServer pid=1) ", "5"), stats("vllm-a-1  | (APIServer pid=1) ", "7")}, map[string]float64{"vllm-a-1 2": 7, "vllm-b-1 2": 5}},
		{"a container that tells nothing", "vllm", []string{stats("vllm-1  | ", "3"), "nginx-1 | 10.0.0.1 - - GET /", stats("vllm-1  | ", "4")}, map[string]float64{"2": 4}},
		{"two pods", "vllm", []string{stats("[pod/llm-0/vllm] ", "3"), stats("[pod/llm-1/vllm] ", "5")}, map[string]float64{"llm-1/vllm 2": 5}},
		{"two pods, stern", "vllm", []string{stats("llm-6d5-abcde vllm ", "3"), stats("llm-6d5-xyz12 vllm ", "5"), stats("llm-6d5-abcde vllm ", "1")}, map[string]float64{"llm-6d5-abcde 2": 1, "llm-6d5-xyz12 2": 5}},
		{"two replicas", "rayserve", []string{stats("(ServeReplica:default:LLM pid=11) ", "3"), stats("(ServeReplica:default:LLM pid=12, ip=10.0.0.2) ", "5"), stats("(ServeReplica:default:LLM pid=11) ", "4")}, map[string]float64{"default:LLM pid=11 2": 4, "default:LLM pid=12, ip=10.0.0.2 2": 5}},
		{"processes of one server", "vllm", []string{stats("(ApiServer_0 pid=11) ", "3"), stats("(ApiServer_1 pid=12) ", "5")}, map[string]float64{"2": 5}},
		{"no labels of their own", "sglang", []string{"a-1 | [2026-06-03 09:04:00 TP0] " + sglLine, "b-1 | [2026-06-03 09:04:00 TP0] " + sglLine, "a-1 | [2026-06-03 09:04:01 TP0] " + sglLine}, map[string]float64{"a-1": 8, "b-1": 8}},
		{"one of them starts anew", "vllm", []string{stats("a-1  | ", "3"), stats("b-1  | ", "5"), stats("a-1  | ", "3"), "a-1  | INFO 11-05 10:00:02 [api_server.py:1] vLLM API server version 0.27.1"}, map[string]float64{"a-1 2": 3, "b-1 2": 5}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, serverlog.Options{Format: c.format, Year: 2026})
			b.live(c.lines...)
			got := b.newest(model.ServerRunning)
			if len(got) != len(c.want) {
				t.Fatalf("want %v, got %v", c.want, got)
			}
			for name, want := range c.want {
				if got[name] != want {
					t.Errorf("%s: want %v, got %v", name, want, got[name])
				}
			}
		})
	}
}

// Two llama-servers count their slots apart, also those taken before the second
// one was heard of.
func TestJoinedSlots(t *testing.T) {
	start := "I srv    load_model: initializing, n_slots = 2, n_ctx_slot = 512"
	b := newBench(t, serverlog.Options{Format: "llamacpp"})
	b.live("a | "+start, "a | "+llamaLaunch(0, 7), "a | "+llamaLaunch(1, 8), "b | "+start, "b | "+llamaLaunch(0, 7), "a | "+llamaRelease(1, 8))
	got := b.newest(model.ServerRunning)
	if got["a"] != 1 || got["b"] != 1 || len(got) != 2 {
		t.Errorf("want one slot taken in each, got %v", got)
	}
}
