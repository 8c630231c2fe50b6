package serverlog_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"benchtop/model"
	"benchtop/sources/serverlog"
)

func vllmLine(clock string, running, waiting int) string {
	return fmt.Sprintf("(APIServer pid=1) INFO 11-30 %s [loggers.py:257] Engine 000: Avg prompt throughput: 10.0 tokens/s, Avg generation throughput: 20.0 tokens/s, Running: %d reqs, Waiting: %d reqs, GPU KV cache usage: 50.0%%, Prefix cache hit rate: 0.0%%", clock, running, waiting)
}

func TestVLLMEvents(t *testing.T) {
	b := newBench(t, serverlog.Options{Format: "vllm", Label: "a"})
	b.live(
		"(APIServer pid=1) INFO 11-30 12:00:00 [utils.py:328] non-default args: {'model': 'm', 'api_key': ['secret-1'], 'max_num_seqs': 64}",
		"(EngineCore_DP0 pid=2) INFO 11-30 12:00:00 [kv_cache_utils.py:1234] GPU KV cache size: 417,136 tokens",
		vllmLine("12:00:01", 12, 3),
		`(APIServer pid=1) INFO:     10.0.0.1:5 - "POST /v1/completions HTTP/1.1" 503 Service Unavailable`,
		"(APIServer pid=1) DEBUG 11-30 12:00:02 [core.py:1] x",
		vllmLine("12:00:03", 0, 0),
	)
	b.want(model.ServerRunning, 12, 0)
	b.want(model.ServerWaiting, 3, 0)
	b.want(model.ServerBatch, 12) // a step without requests is none
	b.want(model.ServerKV, .5, .5)
	b.want(model.ServerPromptTPS, 10, 10)
	b.want(model.ServerGenTPS, 20, 20)
	b.want(model.ServerRejected, 1)
	b.want(model.ServerDebugLines, 1)
	b.want(model.SourceMatched, 5)
	b.wantConfig("max_batch", 64)
	b.wantConfig("kv_tokens", 417136)
	if n := b.note(model.NoteEngine, "0"); n == nil || n.Key == 0 {
		t.Errorf("want engine 0 noted with a key, got %+v", n)
	}
	for _, n := range b.notes {
		if strings.Contains(n.Text, "secret") {
			t.Errorf("want no secret in notes, got %q", n.Text)
		}
	}
	for _, e := range b.evs {
		if e.At != e.Seen || e.Late {
			t.Fatalf("want live events at their arrival, got %+v", e)
		}
	}
}

func TestEnginesApart(t *testing.T) {
	b := newBench(t, serverlog.Options{Format: "vllm"})
	line := vllmLine("12:00:01", 5, 1)
	b.live(line, strings.Replace(line, "Engine 000", "Engine 001", 1), strings.Replace(line, "Engine 000", "2 Engines Aggregated", 1))
	keys := map[uint64]bool{}
	for _, e := range b.evs {
		if e.Series == model.ServerRunning {
			keys[e.Key] = true
		}
	}
	if len(keys) != 3 {
		t.Errorf("want three keys, got %v", keys)
	}
	b.want(model.ServerBatch, 5, 5) // the sum over engines is no batch
	if b.note(model.NoteEngine, "all") == nil {
		t.Error("want the aggregated line noted as all")
	}
}

func TestCumulativePreemptions(t *testing.T) {
	b := newBench(t, serverlog.Options{Format: "vllm"})
	for _, n := range []int{51, 101, 151, 1} {
		b.live(fmt.Sprintf("WARNING 11-30 12:00:00 scheduler.py:1] Sequence group 1 is preempted by PreemptionMode.SWAP mode because. total_num_cumulative_preemption=%d", n))
	}
	b.want(model.ServerPreempted, 1, 50, 50, 1) // what was before we came is not ours to count
}

func llamaLaunch(slot, task int) string {
	return fmt.Sprintf("1.02.003.004 I slot launch_slot_: id  %d | task %d | processing task, is_child = 0", slot, task)
}

func llamaRelease(slot, task int) string {
	return fmt.Sprintf("1.02.003.004 I slot      release: id  %d | task %d | stop processing: n_tokens = 1, truncated = 0", slot, task)
}

func TestLlamaSlots(t *testing.T) {
	start := "0.00.279.402 I srv    load_model: initializing, n_slots = 4, n_ctx_slot = 512, kv_unified = 'false'"
	t.Run("from the start", func(t *testing.T) {
		b := newBench(t, serverlog.Options{Format: "llamacpp"})
		b.live(start, llamaLaunch(3, 1), llamaLaunch(2, 2), llamaRelease(3, 1), llamaRelease(2, 2))
		b.want(model.ServerRunning, 0, 1, 2, 1, 0)
		b.want(model.ServerBatch) // at its changes the count would be biased by the change
		b.want(model.ServerWaiting)
		b.wantConfig("slots", 4)
		b.wantConfig("max_batch", 4)
	})
	t.Run("joined under way", func(t *testing.T) {
		b := newBench(t, serverlog.Options{Format: "llamacpp"})
		b.live(llamaRelease(3, 1), llamaLaunch(3, 5)) // slots 0 to 2 unknown: no count
		b.want(model.ServerRunning)
		b.live(llamaRelease(0, 2), llamaLaunch(1, 6), llamaLaunch(2, 7))
		b.want(model.ServerRunning, 3)
	})
	t.Run("killed and started again", func(t *testing.T) {
		b := newBench(t, serverlog.Options{Format: "llamacpp"})
		b.live(start, llamaLaunch(0, 1), llamaLaunch(1, 2), start, llamaLaunch(0, 1))
		b.want(model.ServerRunning, 0, 1, 2, 0, 0, 1) // the second 0 is the reset
		if n := b.kinds(model.Reset); n != 1 {
			t.Errorf("want one reset, got %d", n)
		}
	})
	t.Run("a count that stands still is told again", func(t *testing.T) {
		b := newBench(t, serverlog.Options{Format: "llamacpp"})
		b.live(start, llamaLaunch(0, 1), "0.50.000.000 I slot print_timing: id  0 | task 1 | n_gen = 300, tg =  12.00 t/s")
		b.want(model.ServerRunning, 0, 1, 1)
		b.want(model.ServerBatch)
	})
	t.Run("two processes behind a router", func(t *testing.T) {
		b := newBench(t, serverlog.Options{Format: "llamacpp"})
		b.live("[42027] "+start, "[42028] "+start, "[42027] "+llamaLaunch(0, 1), "[42028] "+llamaLaunch(0, 1))
		b.want(model.ServerRunning, 0, 0, 1, 1, 1) // the first one's is told again
	})
}

func TestRestartIsAReset(t *testing.T) {
	start := "INFO 11-30 12:00:00 [api_server.py:1] vLLM API server version 0.14.1"
	args := "INFO 11-30 12:00:00 [utils.py:1] non-default args: {'model': 'm'}"
	b := newBench(t, serverlog.Options{Format: "vllm"})
	b.live(start, args, vllmLine("12:00:01", 1, 0), start, args, vllmLine("12:00:09", 2, 0))
	if n := b.kinds(model.Reset); n != 1 {
		t.Errorf("want one reset, got %d", n)
	}
}

func TestSGLangPrefillIsNoDecodeBatch(t *testing.T) {
	b := newBench(t, serverlog.Options{Format: "sglang"})
	b.live(
		"[2026-11-30 12:00:00 TP0] Prefill batch, #new-seq: 2, #new-token: 512, #cached-token: 64, token usage: 0.91, #running-req: 46, #queue-req: 10",
		"[2026-11-30 12:00:01 TP0] Decode batch, #running-req: 48, #token: 34901, token usage: 0.93, cuda graph: True, gen throughput (token/s): 1447.08, #queue-req: 12",
	)
	b.want(model.ServerRunning, 48, 48) // the new ones are in the engine too
	b.want(model.ServerBatch, 48)
}

func TestSniffing(t *testing.T) {
	t.Run("decides and replays", func(t *testing.T) {
		b := newBench(t, serverlog.Options{Name: "x.log"})
		b.live(vllmLine("12:00:01", 1, 0))
		if name, _ := b.d.Format(); name != "" || len(b.of(model.ServerRunning)) != 0 {
			t.Errorf("want nothing after one line, got %q", name)
		}
		b.live(vllmLine("12:00:02", 2, 0), vllmLine("12:00:03", 3, 0), vllmLine("12:00:04", 4, 0))
		b.want(model.ServerRunning, 1, 2, 3, 4)
		if n := b.note(model.NoteSource, "vllm"); n == nil {
			t.Error("want the format described")
		}
	})
	t.Run("an idle source decides", func(t *testing.T) {
		b := newBench(t, serverlog.Options{})
		b.live(vllmLine("12:00:01", 1, 0))
		b.d.Idle(b.now.Add(3*time.Second), b.out)
		b.collect()
		b.want(model.ServerRunning, 1)
	})
	t.Run("falls back and says so", func(t *testing.T) {
		b := newBench(t, serverlog.Options{})
		for range 500 {
			b.live("nothing to see")
		}
		if name, _ := b.d.Format(); name != "generic" {
			t.Errorf("want generic, got %q", name)
		}
		if b.note(model.NoteError, ",format=NAME") == nil {
			t.Error("want a note with the next step")
		}
		for range 4 {
			b.live(vllmLine("12:00:01", 7, 0))
		}
		if name, _ := b.d.Format(); name != "vllm" {
			t.Errorf("want vllm found late, got %q", name)
		}
	})
	t.Run("an outer log shows itself late", func(t *testing.T) {
		b := newBench(t, serverlog.Options{})
		for range 70 {
			b.live("slot launch_slot_: id  0 | task 0 | processing task, is_child = 0")
		}
		b.live(`[GIN] 2026/03/17 - 07:01:05 | 200 | 2.909282444s |       127.0.0.1 | POST     "/api/generate"`)
		if name, _ := b.d.Format(); name != "ollama" {
			t.Errorf("want ollama, got %q", name)
		}
	})
	t.Run("an override holds", func(t *testing.T) {
		b := newBench(t, serverlog.Options{Format: "generic"})
		for range 10 {
			b.live(vllmLine("12:00:01", 1, 0))
		}
		if name, score := b.d.Format(); name != "generic" || score != 1 {
			t.Errorf("want generic, got %q %v", name, score)
		}
		b.want(model.ServerRunning)
	})
}

func TestHistory(t *testing.T) {
	t.Run("placed by stamps moved by the offset", func(t *testing.T) {
		b := newBench(t, serverlog.Options{Format: "vllm"})
		b.past(vllmLine("05:59:40", 1, 0), vllmLine("05:59:50", 2, 0)) // a server six hours behind
		b.want(model.ServerRunning)
		b.live(vllmLine("06:00:00", 3, 0))
		b.want(model.ServerRunning, 1, 2, 3)
		var at []float64
		for _, e := range b.evs {
			if e.Series == model.ServerRunning {
				at = append(at, e.At.Seconds(b.now))
				if e.Late != (e.Value != 3) {
					t.Errorf("want only history late, got %+v", e)
				}
			}
		}
		if len(at) != 3 || at[0] != -20 || at[1] != -10 || at[2] != 0 {
			t.Errorf("want history 20 and 10 s before, got %v", at)
		}
	})
	t.Run("without a stamp it keeps the state only", func(t *testing.T) {
		b := newBench(t, serverlog.Options{Format: "llamacpp"})
		b.past("srv    load_model: initializing, n_slots = 2, n_ctx_slot = 512", "slot launch_slot_: id  0 | task 1 | processing task")
		b.wantConfig("slots", 2)
		b.want(model.ServerRunning)
		b.live("slot launch_slot_: id  1 | task 2 | processing task")
		b.want(model.ServerRunning, 2)
	})
	t.Run("a clock since start is placed by the first live line", func(t *testing.T) {
		b := newBench(t, serverlog.Options{Format: "llamacpp"})
		b.past("0.10.000.000 I srv    load_model: initializing, n_slots = 2, n_ctx_slot = 512", "0.20.000.000 I slot launch_slot_: id  0 | task 1 | processing task")
		b.live("0.50.000.000 I slot launch_slot_: id  1 | task 2 | processing task")
		b.want(model.ServerRunning, 0, 1, 2)
		for _, e := range b.evs {
			if e.Series == model.ServerRunning && e.Value == 1 && e.At.Sub(b.now) != -30*time.Second {
				t.Errorf("want the launch 30 s before, got %v", e.At.Sub(b.now))
			}
		}
	})
	t.Run("no live line comes", func(t *testing.T) {
		b := newBench(t, serverlog.Options{Format: "vllm"})
		b.past(vllmLine("11:59:40", 1, 0))
		b.d.Idle(b.now.Add(11*time.Second), b.out)
		b.collect()
		b.want(model.ServerRunning, 1)
	})
}

func TestSkew(t *testing.T) {
	b := newBench(t, serverlog.Options{Format: "tgi"})
	for i := range 3 {
		at := b.now.Add(time.Second).Time().UTC().Add(-250 * time.Millisecond)
		b.live(at.Format("2006-01-02T15:04:05.000000Z") + "  INFO text_generation_router::server: router/src/server.rs:2302: Connected")
		_ = i
	}
	got := b.of(model.SourceSkew)
	if len(got) == 0 || got[0] < .24 || got[0] > .26 {
		t.Errorf("want a skew of 0.25 s, got %v", got)
	}
	b = newBench(t, serverlog.Options{Format: "vllm"})
	b.live(vllmLine("12:00:01", 1, 0)) // neither year nor zone: the rest of a quarter of an hour is skew
	b.live(vllmLine("14:00:02", 1, 0))
	b.live(vllmLine("12:00:20", 1, 0))
	b.want(model.SourceSkew, 0, 0, -17)
}

func TestSilence(t *testing.T) {
	b := newBench(t, serverlog.Options{Format: "vllm", Name: "v.log"})
	for range 499 {
		b.live(`INFO:     10.0.0.1:5 - "POST /v1/completions HTTP/1.1" 200 OK`)
	}
	if n := b.note(model.NoteError, ""); n != nil {
		t.Fatalf("want no complaint yet, got %q", n.Text)
	}
	b.live("x", "y")
	n := b.note(model.NoteError, "--disable-log-stats")
	if n == nil {
		t.Fatal("want a note that names the setting")
	}
	was := len(b.notes)
	for range 600 {
		b.live("x")
	}
	if len(b.notes) != was {
		t.Errorf("want it said once, got %d more notes", len(b.notes)-was)
	}
}

func TestBadLinesAreSampledAndClean(t *testing.T) {
	b := newBench(t, serverlog.Options{Format: "vllm"})
	for range 50 {
		b.live("INFO 11-30 12:00:00 [loggers.py:257] Engine 000: Avg prompt throughput: 5\x07\xff\x1b]0;x\u202e" + strings.Repeat("z", 500))
	}
	n := 0
	for _, x := range b.notes {
		if x.Kind == model.NoteBadLine {
			n++
			if len(x.Text) > 204 || strings.ContainsAny(x.Text, "\x07\x1b\u202e") || strings.Contains(x.Text, "\xff") {
				t.Fatalf("want a clean short sample, got %q", x.Text)
			}
		}
	}
	if n == 0 || n > 20 {
		t.Errorf("want 1 to 20 samples, got %d", n)
	}
}

func TestNewYear(t *testing.T) {
	d := serverlog.NewDecoder(serverlog.Options{Format: "vllm", Year: 2026})
	b := newBench(t, serverlog.Options{})
	b.d = d
	dec := strings.Replace(vllmLine("23:59:59", 1, 0), "11-30", "12-31", 1)
	jan := strings.Replace(vllmLine("00:00:01", 1, 0), "11-30", "01-01", 1)
	b.live(dec)
	at, ok := d.Time([]byte(jan))
	want := time.Date(2027, 1, 1, 0, 0, 1, 0, time.UTC)
	if !ok || !at.Time().Equal(want) {
		t.Errorf("want %v, got %v", want, at.Time().UTC())
	}
}

func TestUnknownFormatNames(t *testing.T) {
	for _, name := range []string{"vllm", "vLLM-v0", "llama.cpp", "llama-server", "TensorRT-LLM", "sglang-old", "Ray", "logfmt"} {
		if _, ok := serverlog.Lookup(name); !ok {
			t.Errorf("want %q known", name)
		}
	}
	for _, name := range []string{"", "nginx", "-v0"} {
		if f, ok := serverlog.Lookup(name); ok {
			t.Errorf("want %q unknown, got %s", name, f.Name)
		}
	}
}

func TestRegistry(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range serverlog.Names() {
		if seen[name] || strings.ToLower(name) != name {
			t.Errorf("want names unique and lower case, got %q", name)
		}
		seen[name] = true
		f, _ := serverlog.Lookup(name)
		if f.Versions == "" || f.Hint == "" {
			t.Errorf("%s: want versions and a hint", name)
		}
		if _, err := os.Stat("testdata/" + name + ".log"); err != nil {
			t.Errorf("%s: want a corpus file: %v", name, err)
		}
	}
}

// A bad line's sample holds nothing that a user sent, unless they may be kept.
func TestSamplesAreDiscreet(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{`INFO 11-30 12:00:00 [loggers.py:257] Engine 000: Avg prompt throughput: 5 prompt: my secret`, "Engine 000: Avg prompt throughput: 5 prompt …"},
		{`INFO 11-30 12:00:00 [loggers.py:257] Engine 000: Avg prompt throughput: 5 x "my \"secret" y`, `throughput: 5 x "…" y`},
		{`INFO 11-30 12:00:00 [loggers.py:257] Engine 000: Avg prompt throughput: 5 x 'my secret`, "throughput: 5 x '…"},
	} {
		for _, keep := range []bool{false, true} {
			b := newBench(t, serverlog.Options{Format: "vllm", KeepText: keep})
			b.live(c.line)
			n := b.note(model.NoteBadLine, "")
			if n == nil {
				t.Fatalf("%s: want a sample", c.line)
			}
			if strings.Contains(n.Text, "secret") != keep || !keep && !strings.HasSuffix(n.Text, c.want) {
				t.Errorf("kept %v: want %q, got %q", keep, c.want, n.Text)
			}
		}
	}
}

// TestManyEngines reads a log in which each line names an engine of its own.
func TestManyEngines(t *testing.T) {
	b := newBench(t, serverlog.Options{Format: "generic"})
	for i := range 10_000 {
		b.live(fmt.Sprintf("engine=%s%d running=3 waiting=1 batch_size=2", strings.Repeat("e", 40), i))
	}
	keys := map[uint64]bool{}
	for _, e := range b.evs {
		if e.Series == model.ServerRunning {
			keys[e.Key] = true
		}
	}
	names, told := 0, 0
	for _, n := range b.notes {
		switch {
		case n.Kind == model.NoteEngine:
			names++
		case n.Kind == model.NoteError && strings.Contains(n.Text, "more than 256 engines"):
			told++
		}
	}
	if len(keys) != 257 || names != 257 || told != 1 {
		t.Errorf("want 256 engines, one for the rest, told once; got %d keys, %d names, told %d times", len(keys), names, told)
	}
	if n := len(b.of(model.ServerRunning)); n != 10_000 {
		t.Errorf("want no line lost, got %d", n)
	}
}
