package serverlog_test

import (
	"strings"
	"testing"

	"benchtop/model"
	"benchtop/sources/serverlog"
)

// marks gives the texts of the marks so far.
func (b *bench) marks() []string {
	var out []string
	for _, n := range b.notes {
		if n.Kind == model.NoteMark {
			out = append(out, strings.TrimPrefix(n.Text, "server "))
		}
	}
	return out
}

func TestHappenings(t *testing.T) {
	for _, c := range []struct{ format, line, want string }{
		{"vllm", "WARNING 03-10 01:17:17 [config.py:2571] Casting torch.bfloat16 to torch.float16.", "precision"},
		{"vllm", "(EngineCore_DP0 pid=112) INFO 02-16 14:53:25 [monitor.py:34] torch.compile takes 9.85 s in total", "compiles"},
		{"vllm", "(EngineCore_DP0 pid=112) INFO 10-06 12:00:40 [gpu_model_runner.py:3480] Graph capturing finished in 8 secs, took 0.31 GiB", "captures graphs"},
		{"vllm", "(EngineCore_DP0 pid=112) ERROR 11-05 10:07:06 [core.py:1131] torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 50.00 MiB.", "out of memory"},
		{"vllm", "INFO 11-30 12:00:01 [loggers.py:257] Engine 000: Avg prompt throughput: 1.0 tokens/s, Avg generation throughput: 2.0 tokens/s, Running: 1 reqs, Waiting: 2 reqs, Preemptions: 3, GPU KV cache usage: 99.0%, Prefix cache hit rate: 0.0%", "preempts"},
		{"vllm", "(EngineCore_DP0 pid=112) INFO 02-16 14:53:25 [gc_utils.py:40] GC took 12.345ms to complete.", "garbage"},
		{"sglang", "[2026-06-03 09:11:03 TP0] Capture cuda graph end. Time elapsed: 7.00 s", "captures graphs"},
		{"sglang", "[2026-06-03 09:11:03 TP0] Scheduler watchdog timeout (self.watchdog_timeout=300, self.soft=False)", "watchdog"},
		{"sglang", "[2026-06-03 09:11:03 TP0] KV cache pool is full. Retract requests. #retracted_reqs: 2, #new_token_ratio: 0.4 -> 0.5", "preempts"},
		{"llamacpp", "1.02.003.004 W srv  update_slots: failed to find free space in the KV cache, retrying with smaller batch size, i = 0, n_batch = 1024, ret = 1", "retries"},
		{"trtllm", "[06/10/2026-09:58:00] [TRT-LLM] [E] Error in event loop: CUDA out of memory. Tried to allocate 512.00 MiB.", "out of memory"},
		{"lmdeploy", "2026-06-20 09:00:13,000 - lmdeploy - ERROR - engine_loop.py:120 - Engine main loop stopped. CUDA out of memory.", "out of memory"},
		{"ollama", "CUDA error: out of memory", "out of memory"},
		{"vllm", "(EngineCore pid=8878) INFO 07-22 04:31:48 [backends.py:387] Compiling a graph for compile range (1, 16384) takes 20.50 s", "compiles"},
		{"vllm", "(EngineCore pid=8878) INFO 07-22 04:31:51 [monitor.py:48] torch.compile and initial profiling/warmup run together took 34.76 s in total", "compiles"},
		{"vllm", "(EngineCore pid=8878) INFO 07-22 04:31:51 [monitor.py:34] torch.compile took 48.00 s in total", "compiles"},
		{"vllm", "Capturing CUDA graphs (mixed prefill-decode, PIECEWISE): 100%|##########| 11/11", "captures graphs"},
		{"tgi", "2024-05-31T05:54:04.410417Z  INFO text_generation_launcher: Cuda Graphs are enabled for sizes [1, 2, 4, 8, 16, 32]", "captures graphs"},
		{"llamacpp", "0.00.100.000 E ggml_backend_cuda_buffer_type_alloc_buffer: allocating 20000 MiB on device 0: cudaMalloc failed: out of memory", "out of memory"},
		{"llamacpp", "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 590.07 MiB on device 0: cudaMalloc failed: out of memory", "out of memory"},
		{"ollama", "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 590.07 MiB on device 0: cudaMalloc failed: out of memory", "out of memory"},
		{"llamacpp", "1.02.003.004 W srv  try_clear_id: purging slot 2 with 1024 tokens", "compacts"},
		{"vllm", "[2025-03-23 15:28:35,584] [WARNING] [stage3.py:2008:step] 1 pytorch allocator cache flushes since last step. this happens when there is high memory pressure", "allocator retries"},
		{"generic", "2026-11-30T12:00:02Z WARN FP16 overflow detected in layer 12", "precision"},
		{"generic", "2026-11-30T12:00:20Z INFO JIT compiling graph for batch size 16", "compiles"},
		{"generic", "2026-11-30T12:00:26Z INFO compile finished in 3.2 s", "compiles"},
		{"generic", "2026-11-30T12:00:34Z INFO capturing CUDA graph for batch size 8", "captures graphs"},
		{"generic", "2026-11-30T12:00:45Z INFO captured graph bs=8 in 1.2s", "captures graphs"},
		{"generic", "2026-11-30T12:00:55Z INFO GC pause 120 ms", "garbage"},
		{"generic", "2026-11-30T12:01:06Z INFO gc: collected 700 objects in 300 ms", "garbage"},
		{"generic", "[2026-11-30T12:01:06.000+0000][info][gc] GC(3) Pause Young (Normal) (G1 Evacuation Pause) 24M->4M(256M) 3.2ms", "garbage"},
		{"generic", "2026-11-30T12:01:15Z WARN cudaMalloc of 512 MB failed, retrying", "allocator retries"},
		{"generic", "2026-11-30T12:01:45Z WARN allocation failed, retry 1/3", "allocator retries"},
		{"generic", "2026-11-30T12:01:35Z INFO memory compaction took 45 ms", "compacts"},
		{"generic", "2026-11-30T12:02:05Z ERROR OOM while allocating tensor", "out of memory"},
		{"generic", "2026-11-30T12:02:05Z ERROR step failed: CUDA OOM", "out of memory"},
		{"generic", "2026-11-30T12:02:15Z WARN preempting request 17: KV cache full", "preempts"},
		{"generic", "2026-11-30T12:02:25Z WARN request 19 preempted by recompute", "preempts"},
		{"generic", "2026-11-30T12:02:25Z WARN queue overflow, rejecting", ""},
		{"generic", "2026-11-30T12:02:25Z WARN no room in the queue", ""},
		// What users write is none.
		{"torchserve", "2026-03-08T08:44:35,301 [WARN ] W-9003-vehicles_1.0-stderr MODEL_LOG - torch.OutOfMemoryError: CUDA out of memory", ""},
		{"generic", "2026-09-01 10:00:00 INFO prompt: CUDA out of memory", ""},
		{"generic", "2026-09-01 10:00:00 INFO user text: GC took long", ""},
		{"vllm", "INFO 11-30 12:00:01 [logger.py:41] Received request cmpl-1: prompt: 'CUDA out of memory. watchdog', params: x", ""},
		{"vllm", `WARNING 11-30 12:00:01 [api.py:41] rejected "out of memory"`, ""},
		{"sglang", "[2026-06-03 09:11:03] Receive: obj=GenerateReqInput(text='falling back to fp16')", ""},
		{"vllm", `INFO:     10.0.0.1:5 - "POST /v1/watchdog: GC took HTTP/1.1" 200 OK`, ""},
	} {
		b := newBench(t, serverlog.Options{Format: c.format, Year: 2026})
		b.live(c.line)
		got := strings.Join(b.marks(), "; ")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: want %q, got %q", c.line, c.want, got)
		}
	}
}

func TestMarksAreRare(t *testing.T) {
	b := newBench(t, serverlog.Options{Format: "ollama"})
	for range 12 { // a second apart
		b.live("CUDA error: out of memory")
	}
	got := b.marks()
	if len(got) != 3 || !strings.Contains(got[1], "4 times more") {
		t.Errorf("want three marks, the second with what it stands for; got %q", got)
	}
}

func TestRestartIsMarked(t *testing.T) {
	start := "INFO 11-30 12:00:00 [api_server.py:1] vLLM API server version 0.14.1"
	b := newBench(t, serverlog.Options{Format: "vllm"})
	b.live(start, vllmLine("12:00:01", 1, 0))
	if got := b.marks(); len(got) != 0 {
		t.Errorf("want no mark for the first start, got %q", got)
	}
	b.live(start)
	if got := b.marks(); len(got) != 0 {
		t.Errorf("want the restart told once, as an event; got %q beside it", got)
	}
	if n := b.kinds(model.Reset); n != 1 {
		t.Errorf("want one restart, got %d", n)
	}
}
