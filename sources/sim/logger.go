package sim

import (
	"fmt"
	"strconv"
	"time"
)

// logger writes the server's log: vLLM's lines for a continuous batcher,
// key=value lines for a static one.
type logger struct {
	w    *world
	line []byte
	port int
}

// firstEnginePID is the process id of engine 0 in vLLM's lines.
const firstEnginePID = 4231

// stamp is the server's own clock, which may be wrong.
func (l *logger) stamp() time.Time {
	skew := time.Duration(l.w.p.ClockSkew * nanosPerSec)
	return l.w.instant().Time().Add(skew).UTC()
}

func (l *logger) write(line []byte) {
	l.line = line
	p := &l.w.p
	if !p.HaveLog || p.LogSilentAfter > 0 && l.w.now >= p.LogSilentAfter {
		return
	}
	l.w.tell.log(l.w.instant(), line)
}

func (l *logger) static() bool { return l.w.p.Server == engineStatic }

// startUp writes what a server says before its first request, and books its
// periodic lines.
func (l *logger) startUp() {
	p := &l.w.p
	if l.static() {
		b := append(l.kv("info", "server listening"), " addr=0.0.0.0:8080"...)
		if p.MaxBatchKnown {
			b = strconv.AppendInt(append(b, " max_batch_size="...), int64(p.MaxBatch), 10)
		}
		b = strconv.AppendFloat(append(b, " batch_timeout_ms="...), p.BatchWait*1000, 'f', -1, 64)
		l.write(b)
		return
	}
	b := append(l.record("(APIServer pid=4107) ", "INFO", "utils.py:233"), "non-default args: {'model': 'example/instruct-8b'"...)
	if p.MaxBatchKnown {
		b = strconv.AppendInt(append(b, ", 'max_num_seqs': "...), int64(p.MaxBatch), 10)
	}
	l.write(append(b, '}'))
	for i := range p.Engines {
		if p.KVTokens > 0 {
			who := fmt.Sprintf("(EngineCore_DP%d pid=%d) ", i, firstEnginePID+i)
			b = append(l.record(who, "INFO", "kv_cache_utils.py:1234"), "GPU KV cache size: "...)
			l.write(append(thousands(b, p.KVTokens), " tokens"...))
		}
	}
	l.write(append(l.line[:0], "(APIServer pid=4107) INFO:     Application startup complete."...))
	l.periodic(1, l.w.now, l.w.server.epoch)
}

// periodic writes the statistics lines of one life of the server.
func (l *logger) periodic(k int, since float64, epoch int) {
	l.w.at(since+float64(k)*l.w.p.LogEvery, func() {
		if epoch != l.w.server.epoch {
			return
		}
		for _, e := range l.w.server.engines {
			l.stats(e)
		}
		l.periodic(k+1, since, epoch)
	})
}

// record begins a vLLM record.
func (l *logger) record(who, level, where string) []byte {
	b := append(l.line[:0], who...)
	b = append(append(b, level...), ' ')
	b = l.stamp().AppendFormat(b, "01-02 15:04:05")
	b = append(append(b, " ["...), where...)
	return append(b, "] "...)
}

// stats is vLLM's line about the last interval; an engine without tokens in it
// says nothing.
func (l *logger) stats(e *engine) {
	p := &l.w.p
	prompt, output := e.tokens.prompt, e.tokens.output
	e.tokens.prompt, e.tokens.output = 0, 0
	if prompt+output == 0 {
		return
	}
	b := l.record("(APIServer pid=4107) ", "INFO", "loggers.py:257")
	b = fmt.Appendf(b, "Engine %03d", e.index)
	b = append(b, ": Avg prompt throughput: "...)
	b = strconv.AppendFloat(b, float64(prompt)/p.LogEvery, 'f', 1, 64)
	b = append(b, " tokens/s, Avg generation throughput: "...)
	b = strconv.AppendFloat(b, float64(output)/p.LogEvery, 'f', 1, 64)
	b = append(b, " tokens/s, Running: "...)
	b = strconv.AppendInt(b, int64(e.last.running), 10)
	b = append(b, " reqs, Waiting: "...)
	b = strconv.AppendInt(b, int64(e.last.waiting), 10)
	b = append(b, " reqs, GPU KV cache usage: "...)
	kv := 0.0
	if p.KVTokens > 0 {
		kv = min(100, 100*float64(e.last.kv)/float64(p.KVTokens))
	}
	b = strconv.AppendFloat(b, kv, 'f', 1, 64)
	l.write(append(b, "%, Prefix cache hit rate: 0.0%"...))
}

// debugLines is what DEBUG says a step: where, and what it counts.
var debugLines = [...]struct{ where, text string }{
	{"v1/core/sched/scheduler.py:412", "scheduled requests"},
	{"v1/worker/gpu_model_runner.py:1130", "requests in the model input"},
	{"v1/engine/core.py:268", "step outputs ready"},
	{"v1/engine/async_llm.py:391", "outputs to process"},
}

// debugStep is the flood of a DEBUG level.
func (l *logger) debugStep(e *engine) {
	who := fmt.Sprintf("(EngineCore_DP%d pid=%d) ", e.index, firstEnginePID+e.index)
	for _, d := range debugLines {
		var b []byte
		if l.static() {
			b = append(l.kv("debug", d.text), " n="...)
		} else {
			b = append(append(l.record(who, "DEBUG", d.where), d.text...), ": "...)
		}
		l.write(strconv.AppendInt(b, int64(len(e.running)), 10))
	}
}

// rejected is the line of a request that was refused.
func (l *logger) rejected(full bool, waiting int) {
	if l.static() {
		msg := "request rejected"
		if full {
			msg = "queue full, request rejected"
		}
		b := append(l.kv("warn", msg), " queue_len="...)
		l.write(strconv.AppendInt(b, int64(waiting), 10))
		return
	}
	l.port = (l.port + 7) % 20000
	b := append(l.line[:0], "(APIServer pid=4107) INFO:     10.90.0.9:"...)
	b = strconv.AppendInt(b, int64(40000+l.port), 10)
	l.write(append(b, ` - "POST /v1/completions HTTP/1.1" 503 Service Unavailable`...))
}

// kv begins a key=value line.
func (l *logger) kv(level, msg string) []byte {
	b := append(l.line[:0], "time="...)
	b = l.stamp().AppendFormat(b, "2006-01-02T15:04:05.000Z")
	b = append(append(b, " level="...), level...)
	return strconv.AppendQuote(append(b, " msg="...), msg)
}

// batch is a static batch's line, written as it is handed to the executor.
func (l *logger) batch(e *engine, wait, exec float64) {
	if l.w.p.DebugLog {
		l.debugStep(e)
	}
	b := append(l.kv("info", "batch dispatched"), " batch_size="...)
	b = strconv.AppendInt(b, int64(len(e.running)), 10)
	b = strconv.AppendFloat(append(b, " batch_wait_ms="...), wait*1000, 'f', 2, 64)
	b = strconv.AppendInt(append(b, " queue_len="...), int64(e.queued()), 10)
	b = strconv.AppendFloat(append(b, " exec_ms="...), exec*1000, 'f', 2, 64)
	if l.w.p.Engines > 1 {
		b = strconv.AppendInt(append(b, " engine="...), int64(e.index), 10)
	}
	l.write(b)
}

// thousands writes n with commas, as the server does.
func thousands(b []byte, n int) []byte {
	s := strconv.Itoa(n)
	for i := range len(s) {
		if i > 0 && (len(s)-i)%3 == 0 {
			b = append(b, ',')
		}
		b = append(b, s[i])
	}
	return b
}
