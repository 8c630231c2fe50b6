package serverlog

import (
	"bytes"
	"fmt"
	"math/bits"
	"strings"
	"time"

	"benchtop/model"
)

// Happening is something a line tells that is no statistic and no request's
// outcome, yet explains what the curves do: it becomes a mark on the time axis.
type Happening uint8

// The happenings.
const (
	NoHappening Happening = iota
	PrecisionFallback
	Compiling
	GraphCapture
	GarbageCollection
	AllocatorRetry
	AllocatorCompaction
	OutOfMemory
	Preemption
	Watchdog
	Restarted
)

// happeningTexts are a mark's words: ours, so that a mark can't carry what a
// user sent to the server.
var happeningTexts = [...]string{
	PrecisionFallback: "falls back to another precision or kernel", Compiling: "compiles", GraphCapture: "captures graphs",
	GarbageCollection: "collects garbage", AllocatorRetry: "GPU allocator retries", AllocatorCompaction: "compacts or frees its cache",
	OutOfMemory: "out of memory", Preemption: "preempts requests", Watchdog: "watchdog: the scheduler hangs", Restarted: "starts anew",
}

// sign is text that tells a happening.
type sign struct {
	text string
	what Happening
}

// signs stand at the start of a message, or of what follows its component.
//
// Origins: vllm-project/vllm vllm/compilation, v1/worker/gpu_model_runner.py,
// utils/gc_utils.py, config/model.py; sgl-project/sglang srt/model_executor,
// srt/managers/scheduler.py, srt/utils; ggml-org/llama.cpp tools/server,
// src/llama-kv-cache.cpp, ggml-cuda.cu; pytorch/pytorch c10/cuda; NVIDIA's
// tensorrt_llm/_torch/pyexecutor; OpenJDK's unified GC log.
var signs = signTable([]sign{
	{"Casting torch.", PrecisionFallback},
	{"Falling back to ", PrecisionFallback},
	{"falling back to ", PrecisionFallback},
	{"Fallback to ", PrecisionFallback},
	{"Your GPU does not have native support for FP", PrecisionFallback},
	{"Compiling a graph ", Compiling},
	{"torch.compile t", Compiling}, // takes, took
	{"torch.compile and initial profiling", Compiling},
	{"Dynamo bytecode transform time", Compiling},
	{"Start compile", Compiling},
	{"Compiling ", Compiling},
	{"compiling ", Compiling},
	{"Recompiling ", Compiling},
	{"recompiling ", Compiling},
	{"JIT compil", Compiling},
	{"jit compil", Compiling},
	{"JIT-compil", Compiling},
	{"Compile finished", Compiling},
	{"compile finished", Compiling},
	{"Compilation ", Compiling},
	{"compilation ", Compiling},
	{"Operator fusion", Compiling},
	{"operator fusion", Compiling},
	{"Autotuning", Compiling},
	{"[Autotuner]", Compiling},
	{"Entering DeepGEMM JIT ", Compiling},
	{"Triton kernel JIT compilation", Compiling},
	{"Capturing CUDA graph", GraphCapture},
	{"Capturing the model for CUDA graphs", GraphCapture},
	{"Graph capturing finished in ", GraphCapture},
	{"Capture cuda graph begin", GraphCapture},
	{"Capture cuda graph end", GraphCapture},
	{"CUDA graph warmup", GraphCapture},
	{"Cuda Graphs are enabled for sizes", GraphCapture},
	{"Capturing graph", GraphCapture},
	{"capturing graph", GraphCapture},
	{"capturing CUDA graph", GraphCapture},
	{"Captured graph", GraphCapture},
	{"captured graph", GraphCapture},
	{"Captured CUDA graph", GraphCapture},
	{"captured CUDA graph", GraphCapture},
	{"CUDA graph capture", GraphCapture},
	{"Graph capture", GraphCapture},
	{"graph capture", GraphCapture},
	{"GC took ", GarbageCollection},
	{"GC pause", GarbageCollection},
	{"gc pause", GarbageCollection},
	{"GC: ", GarbageCollection},
	{"gc: ", GarbageCollection},
	{"GC(", GarbageCollection},
	{"[gc]", GarbageCollection},
	{"[gc,", GarbageCollection},
	{"Garbage collect", GarbageCollection},
	{"garbage collect", GarbageCollection},
	{"GC start", GarbageCollection},
	{"LONG GARBAGE COLLECTION DETECTED", GarbageCollection},
	{"Pause Young", GarbageCollection},
	{"Pause Full", GarbageCollection},
	{"To-space exhausted", GarbageCollection},
	{"failed to find free space in the KV cache, retrying", AllocatorRetry},
	{"failed to find a memory slot for batch", AllocatorRetry},
	{"Cache flushed successfully", AllocatorCompaction},
	{"defragment", AllocatorCompaction},
	{"Defragment", AllocatorCompaction},
	{"Compacting ", AllocatorCompaction},
	{"compacting ", AllocatorCompaction},
	{"Memory compaction", AllocatorCompaction},
	{"memory compaction", AllocatorCompaction},
	{"purging slot ", AllocatorCompaction},
	{"torch.OutOfMemoryError", OutOfMemory},
	{"torch.cuda.OutOfMemoryError", OutOfMemory},
	{"CUDA error: out of memory", OutOfMemory},
	{"CUDA out of memory", OutOfMemory},
	{"RuntimeError: CUDA error: out of memory", OutOfMemory},
	{"RuntimeError: CUDA out of memory", OutOfMemory},
	{"OOM ", OutOfMemory},
	{"KV cache pool is full. Retract requests", Preemption},
	{"decode out of memory happened", Preemption},
	{"Preempting request", Preemption},
	{"preempting request", Preemption},
	{"Preempted request", Preemption},
	{"preempted request", Preemption},
	{"Decode out of memory happened", Preemption},
	{"Scheduler watchdog timeout", Watchdog},
	{"Watchdog timeout", Watchdog},
	{"No available shared memory broadcast block found", Watchdog},
})

// faultSigns, 32 at most, may stand anywhere in a WARN or ERROR message, in lower case.
var faultSigns = [...]struct {
	text []byte
	what Happening
}{
	{[]byte("out of memory"), OutOfMemory},
	{[]byte("out_of_memory"), OutOfMemory},
	{[]byte("outofmemory"), OutOfMemory},
	{[]byte("memory allocation retries"), AllocatorRetry},
	{[]byte("allocator cache flush"), AllocatorRetry},
	{[]byte("oom"), OutOfMemory}, // as a word: a room is none
	{[]byte("cudamalloc"), AllocatorRetry},
	{[]byte("allocation failed"), AllocatorRetry},
	{[]byte("failed to allocate"), AllocatorRetry},
	{[]byte("empty_cache"), AllocatorCompaction},
	{[]byte("fragmentation"), AllocatorCompaction},
	// Parts of words whose first letters are rare.
	{[]byte("mpaction"), AllocatorCompaction},
	{[]byte("eempting"), Preemption},
	{[]byte("eempted"), Preemption},
	{[]byte("watchdog"), Watchdog},
	{[]byte("falling back"), PrecisionFallback},
	{[]byte("fall back to "), PrecisionFallback},
	{[]byte("fallback"), PrecisionFallback},
	// A queue or a buffer may overflow too.
	{[]byte("numeric overflow"), PrecisionFallback},
	{[]byte("numerical overflow"), PrecisionFallback},
	{[]byte("numeric underflow"), PrecisionFallback},
	{[]byte("fp16 overflow"), PrecisionFallback},
	{[]byte("bf16 overflow"), PrecisionFallback},
	{[]byte("fp8 overflow"), PrecisionFallback},
	{[]byte("garbage collection"), GarbageCollection},
}

// signTable sorts signs by their first two letters, each list in its order.
func signTable(list []sign) (t [1024][]sign) {
	for _, s := range list {
		p := pair(s.text[0], s.text[1])
		t[p] = append(t[p], s)
	}
	return t
}

// Bounds of where signs are looked for.
const (
	headMost  = 60  // bytes of a component in front of the message
	faultMost = 240 // bytes of a WARN or ERROR message
)

// happening finds what a record tells beside statistics. Quoted text and dumps
// are out of its reach: it looks at the start of messages only and, in records
// of a level that tells trouble, at their first words.
func (c *record) happening() Happening {
	t := c.text
	if len(t) < 8 || c.voice {
		return NoHappening
	}
	if h := startSign(t); h != NoHappening {
		return h
	}
	if c.uvi {
		return NoHappening
	}
	if i := bytes.IndexByte(t[:min(len(t), headMost)], ':'); i > 0 && i+2 < len(t) && t[i+1] == ' ' {
		if h := startSign(trimBlank(t[i+1:])); h != NoHappening && !leadsToText(t[:i]) {
			return h
		}
	}
	if c.level < warnLevel && !machinery(t) {
		return NoHappening
	}
	return faultSign(t[:min(len(t), faultMost)])
}

// machinery reports whether a record is one of those that llama.cpp's lower
// layers print without a level.
func machinery(t []byte) bool {
	if t[0] != 'g' && t[0] != 'l' && t[0] != 'a' {
		return false
	}
	for _, p := range [...]string{"ggml_", "llama_", "alloc_tensor_range", "llm_load_"} {
		if len(t) > len(p) && string(t[:len(p)]) == p {
			return true
		}
	}
	return false
}

// leadsToText reports whether what stands in front of a colon says that what
// follows is a user's.
func leadsToText(head []byte) bool {
	from := bytes.LastIndexByte(head, ' ') + 1
	for _, w := range dumps {
		w = strings.TrimRight(w, ":=")
		if k := head[from:]; len(k) >= len(w) && bytes.EqualFold(k[len(k)-len(w):], []byte(w)) {
			return true
		}
	}
	return false
}

// faultSign finds the first of the fault signs, in their order, that stands
// in a text in front of its first quote: quoted text may be anybody's.
func faultSign(t []byte) Happening {
	first := len(faultSigns)
	open := ^uint32(0) // the signs in front of the first that was found
	for i := 0; i+1 < len(t); i++ {
		if quoteBytes[t[i]] {
			break
		}
		for m := faultStarts[pair(t[i], t[i+1])] & open; m != 0; m &= m - 1 {
			j := bits.TrailingZeros32(m)
			if text := faultSigns[j].text; startsLow(t[i:], text) && (len(text) > 3 || alone(t, i, len(text))) {
				first, open = j, 1<<j-1
				break
			}
		}
	}
	if first == len(faultSigns) {
		return NoHappening
	}
	return faultSigns[first].what
}

// alone reports whether the n bytes of t at i are a word of their own.
func alone(t []byte, i, n int) bool {
	return (i == 0 || !isLetter(t[i-1])) && (i+n == len(t) || !isLetter(t[i+n]))
}

func isLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }

// quoteBytes open text that may be anybody's.
var quoteBytes = [256]bool{'"': true, '\'': true, '`': true}

// startsLow reports whether t, in lower case, starts with low.
func startsLow(t, low []byte) bool {
	if len(t) < len(low) {
		return false
	}
	for i, b := range t[:len(low)] {
		if b >= 'A' && b <= 'Z' {
			b |= 0x20
		}
		if b != low[i] {
			return false
		}
	}
	return true
}

// More of them would need more bits: this does not compile then.
const _ = uint(32 - len(faultSigns))

// faultStarts tells which fault signs have those first two letters, a bit each.
var faultStarts = func() (t [1024]uint32) {
	for i, s := range faultSigns {
		t[pair(s.text[0], s.text[1])] |= 1 << i
	}
	return t
}()

func startSign(t []byte) Happening {
	if len(t) < 2 {
		return NoHappening
	}
	for _, s := range signs[pair(t[0], t[1])] {
		if len(t) >= len(s.text) && string(t[:len(s.text)]) == s.text {
			return s.what
		}
	}
	return NoHappening
}

// markEvery is how often a happening of one kind becomes a mark at most.
const markEvery = 5 * time.Second

// diary keeps marks rare.
type diary struct {
	last [len(happeningTexts)]model.Instant
	more [len(happeningTexts)]int
}

// mark puts a happening on the time axis, or counts it where there was one of
// its kind a moment ago.
func (e *emitter) mark(h Happening, at model.Instant) {
	if h == NoHappening || at == 0 {
		return
	}
	d := &e.diary
	if d.last[h] != 0 && at >= d.last[h] && at.Sub(d.last[h]) < markEvery {
		d.more[h]++
		return
	}
	text := "server " + happeningTexts[h]
	if n := d.more[h]; n > 0 {
		text = fmt.Sprintf("%s (%d times more since the last mark)", text, n)
	}
	bad := 0.0
	switch h {
	case OutOfMemory, Watchdog, AllocatorRetry, Preemption:
		bad = 1
	}
	d.last[h], d.more[h] = at, 0
	// The words are ours: no password to look for in them.
	e.out.RawNote(model.Note{At: at, Seen: e.seen, Source: e.out.ID(), Kind: model.NoteMark, Name: "server", Text: text, Value: bad})
}
