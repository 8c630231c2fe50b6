package serverlog

import "bytes"

// vllm reads vLLM's log, V0 and V1, as text and as JSON.
//
// Origins: vllm-project/vllm vllm/v1/metrics/loggers.py, vllm/engine/metrics.py
// (V0), vllm/logger.py, vllm/logging_utils/formatter.py.
var vllm = Format{
	Name:     "vllm",
	Versions: "V0 (0.2–0.8) and V1 (0.7 to late 2026), plain, coloured, JSON",
	Hint:     "vLLM prints no statistics with --disable-log-stats, and none while no tokens move; remove the flag, or give --metrics http://HOST:PORT/metrics",
	silent:   answered,
	vote:     vllmVote,
	parse:    vllmParse,
	split:    vllmSplit,
}

var (
	avgPrompt   = []byte("Avg prompt throughput: ")
	avgGen      = []byte("Avg generation throughput: ")
	tokensPerS  = []byte(" tokens/s")
	runningIs   = []byte("Running: ")
	waitingIs   = []byte("Waiting: ")
	pendingIs   = []byte("Pending: ")
	reqs        = []byte(" reqs")
	kvUsageIs   = []byte("GPU KV cache usage: ")
	percent     = []byte("%")
	preemptIs   = []byte("Preemptions: ")
	comma       = []byte(",")
	aggregated  = []byte(" Engines Aggregated: ")
	engineLabel = []byte("Engine ")
)

func vllmVote(c *record) float64 {
	if bytes.HasPrefix(c.name, []byte("vllm.")) {
		return 1
	}
	_, text := vllmEngine(c)
	if bytes.HasPrefix(text, avgPrompt) && c.rank == nil && !bytes.Contains(text, []byte("Unfinished: ")) && !quoting(c.loc) {
		return 1
	}
	if c.level == noLevel || c.klog || c.name != nil || c.rank != nil {
		return 0
	}
	p := 0.0
	if vllmProcess(c.proc) {
		p = 0.5
	}
	if bytes.Contains(c.loc, []byte(".py:")) {
		p += 0.4
	}
	return p
}

// vllmProcess reports whether a process name is one that vLLM gives.
func vllmProcess(p []byte) bool {
	for _, w := range [...]string{"APIServer", "ApiServer", "EngineCore", "VllmWorker", "Worker_", "_AsyncLLMEngine", "AsyncLLMEngine", "DPMoEEngineCoreActor"} {
		if bytes.HasPrefix(p, []byte(w)) {
			return true
		}
	}
	return false
}

// vllmEngine takes `Engine 003: ` or `4 Engines Aggregated: ` off a text. The
// engine is nil if the text names none.
func vllmEngine(c *record) (engine, text []byte) {
	t := c.text
	if bytes.HasPrefix(t, engineLabel) {
		_, n := integer(t[len(engineLabel):])
		e := len(engineLabel) + n
		if n > 0 && e+1 < len(t) && t[e] == ':' && t[e+1] == ' ' {
			return trimZeros(t[len(engineLabel):e]), t[e+2:]
		}
		return nil, t
	}
	if _, n := integer(t); n > 0 && bytes.HasPrefix(t[n:], aggregated) {
		return allEngines, t[n+len(aggregated):]
	}
	return nil, t
}

// allEngines labels figures that are already sums over engines.
var allEngines = []byte("all")

func vllmParse(c *record, r *Reading) {
	if c.uvi && readAccess(c.text, r) {
		r.Engine = vllmRank(c.core)
		return
	}
	engine, text := vllmEngine(c)
	if engine == nil {
		engine = vllmRank(c.core)
	}
	r.Engine = engine
	switch {
	case len(text) == 0 || quoting(c.loc) || string(c.name) == "vllm.entrypoints.logger":
		return
	case text[0] == 'I' && bytes.HasPrefix(text, []byte("Iteration(")): // since mid 2026 by the statistics' logger
		vllmIteration(text, r)
		r.Odd = r.Empty()
	case vllmStats(c, text):
		vllmReadStats(text, r)
		r.Steps = r.Has(HasRunning) && string(engine) != "all"
		r.Odd = r.Empty()
	case text[0] == 'A' && bytes.HasPrefix(text, []byte("Added request ")):
		r.event(Started)
	case text[0] == 'A' && bytes.HasPrefix(text, []byte("Aborted request")):
		r.event(Aborted)
	case text[0] == 'F' && bytes.HasPrefix(text, []byte("Finished request ")):
		r.event(Finished)
	case text[0] == 'S' && bytes.HasPrefix(text, []byte("Sequence group ")):
		vllmPreempted(text, r)
	case readAccess(text, r):
	case c.level == noLevel:
		bareReset(text, r)
	case c.level == errorLevel:
		r.fault()
	default:
		vllmConfig(text, r)
	}
}

// quoting reports whether a record stands where vLLM writes what it was asked
// and what it answered (vllm/entrypoints/logger.py): whatever it looks like, it
// is a user's text.
func quoting(loc []byte) bool {
	const file = "logger.py:"
	if len(loc) <= len(file) {
		return false
	}
	if loc[0] == 'l' {
		return string(loc[:len(file)]) == file
	}
	i := bytes.Index(loc, []byte(file)) // entrypoints/logger.py, request_logger.py
	return i > 0 && (loc[i-1] == '/' || loc[i-1] == '_')
}

// vllmRank is the engine number in a process name: EngineCore_DP1, EngineCore_1.
func vllmRank(p []byte) []byte {
	if !bytes.HasPrefix(p, []byte("EngineCore_")) {
		return nil
	}
	p = bytes.TrimPrefix(p[len("EngineCore_"):], []byte("DP"))
	if _, n := integer(p); n > 0 {
		return trimZeros(p[:n])
	}
	return nil
}

// vllmStats reports whether a text is the periodic statistics. A line that a
// terminal damaged is still known by its logger.
func vllmStats(c *record, text []byte) bool {
	if bytes.HasPrefix(text, avgPrompt) {
		return true
	}
	if len(text) < 3 || text[0] == 'S' || text[0] == 'P' {
		return false // SpecDecoding and Speculative metrics, Prefix cache
	}
	labelled := len(text) != len(c.text)
	logger := !labelled && len(c.loc)+len(c.name) > 10 && (bytes.Contains(c.loc, []byte("loggers.py:")) || bytes.HasPrefix(c.loc, []byte("metrics.py:")) ||
		bytes.HasPrefix(c.loc, []byte("llm_engine.py:")) || string(c.name) == "vllm.v1.metrics.loggers")
	return (labelled || logger) && (bytes.Contains(text, runningIs) && bytes.Contains(text, reqs) || bytes.Contains(text, kvUsageIs) || bytes.Contains(text, avgGen))
}

// vllmReadStats reads what both generations print. A value counts only with
// its unit behind it.
func vllmReadStats(text []byte, r *Reading) {
	for len(text) > 0 {
		// Parts end in a comma or, with V0, in a full stop.
		part := text
		if i := bytes.IndexByte(text, ','); i >= 0 {
			part, text = text[:i+1], trimBlank(text[i+1:])
		} else {
			text = nil
		}
		if !vllmPart(part, r) {
			vllmOddPart(part, r)
		}
	}
}

// vllmPart reads one part of the statistics that begins with its key, and
// reports whether it does.
func vllmPart(p []byte, r *Reading) bool {
	if len(p) < 8 {
		return false
	}
	switch {
	case p[0] == 'A' && bytes.HasPrefix(p, avgPrompt):
		if v, n := number(p[len(avgPrompt):]); n > 0 && bytes.HasPrefix(p[len(avgPrompt)+n:], tokensPerS) {
			r.promptTPS(v)
		}
	case p[0] == 'A' && bytes.HasPrefix(p, avgGen):
		if v, n := number(p[len(avgGen):]); n > 0 && bytes.HasPrefix(p[len(avgGen)+n:], tokensPerS) {
			r.genTPS(v)
		}
	case p[0] == 'R' && bytes.HasPrefix(p, runningIs):
		if v, n := integer(p[len(runningIs):]); n > 0 && bytes.HasPrefix(p[len(runningIs)+n:], reqs) {
			r.running(v)
		}
	case p[0] == 'W' && bytes.HasPrefix(p, waitingIs):
		if v, n := integer(p[len(waitingIs):]); n > 0 && bytes.HasPrefix(p[len(waitingIs)+n:], reqs) {
			r.waiting(v)
		}
	case p[0] == 'G' && bytes.HasPrefix(p, kvUsageIs):
		if v, n := number(p[len(kvUsageIs):]); n > 0 && bytes.HasPrefix(p[len(kvUsageIs)+n:], percent) {
			r.kv(v / 100)
		}
	default:
		return false
	}
	return true
}

// vllmOddPart reads V0's parts, rare ones, and those in which a key stands
// behind what a terminal left there.
func vllmOddPart(p []byte, r *Reading) {
	if len(p) == 0 {
		return
	}
	switch p[0] {
	case 'A':
		if v, ok := figure(p, avgPrompt, tokensPerS); ok {
			r.promptTPS(v)
		}
		if v, ok := figure(p, avgGen, tokensPerS); ok {
			r.genTPS(v)
		}
	case 'R':
		if v, ok := count(p, runningIs, reqs); ok {
			r.running(v)
		}
	case 'W':
		if v, ok := count(p, waitingIs, reqs); ok {
			r.waiting(v)
		}
	case 'P':
		if v, ok := count(p, pendingIs, reqs); ok {
			r.waiting(v)
		}
		if v, ok := count(p, preemptIs, comma); ok {
			r.preempted(v)
		}
	case 'G':
		if v, ok := figure(p, kvUsageIs, percent); ok {
			r.kv(v / 100)
		}
	}
}

// find is bytes.Index for a key that mostly stands at the start.
func find(text, key []byte) int {
	if bytes.HasPrefix(text, key) {
		return 0
	}
	return bytes.Index(text, key)
}

// figure reads the number behind key if unit follows it.
func figure(text, key, unit []byte) (float64, bool) {
	i := find(text, key)
	if i < 0 {
		return 0, false
	}
	rest := text[i+len(key):]
	v, n := number(rest)
	return v, n > 0 && bytes.HasPrefix(rest[n:], unit)
}

// count reads the integer behind key if unit follows it.
func count(text, key, unit []byte) (int64, bool) {
	i := find(text, key)
	if i < 0 {
		return 0, false
	}
	rest := text[i+len(key):]
	v, n := integer(rest)
	return v, n > 0 && bytes.HasPrefix(rest[n:], unit)
}

// vllmIteration reads the opt-in line of one step.
func vllmIteration(text []byte, r *Reading) {
	context, ok1 := count(text, []byte("): "), []byte(" context requests,"))
	generation, ok2 := count(text, []byte("tokens, "), []byte(" generation requests,"))
	if ok1 && ok2 {
		r.batch(context + generation)
	}
	if v, ok := figure(text, []byte("iteration elapsed time: "), []byte(" ms")); ok {
		r.exec(v)
	}
	if v, ok := figure(text, kvUsageIs, percent); ok {
		r.kv(v / 100)
	}
}

// vllmPreempted reads V0's warning. It is written for the first and every
// fiftieth preemption, so only its counter counts.
func vllmPreempted(text []byte, r *Reading) {
	if !bytes.Contains(text, []byte(" is preempted by ")) {
		return
	}
	for _, key := range [...]string{"total_num_cumulative_preemption=", "total_cumulative_preemption_cnt="} {
		i := bytes.Index(text, []byte(key))
		if i < 0 {
			continue
		}
		if v, n := integer(text[i+len(key):]); n > 0 {
			r.preempted(v)
			r.Cumulative = true
		}
	}
}

// vllmConfig reads start-up lines. Their dictionaries can hold secrets: single
// keys are taken, nothing is kept.
func vllmConfig(text []byte, r *Reading) {
	switch {
	case bytes.HasPrefix(text, []byte("non-default args: ")):
		if v, ok := after(text, "'max_num_seqs': "); ok {
			r.maxBatch(v)
		}
		r.Restart = true
	case bytes.HasPrefix(text, []byte("args: Namespace(")):
		if v, ok := after(text, "max_num_seqs="); ok {
			r.maxBatch(v)
		}
		r.Restart = true
	case bytes.HasPrefix(text, []byte("Setting max_num_seqs to ")):
		if v, ok := after(text, "max_num_seqs to "); ok {
			r.maxBatch(v)
		}
	case bytes.HasPrefix(text, []byte("GPU KV cache size: ")):
		if v, n := grouped(text[len("GPU KV cache size: "):]); n > 0 {
			r.kvTokens(float64(v))
		}
	case bytes.HasPrefix(text, []byte("vLLM API server version ")):
		r.Restart = true
	}
}

// after reads the whole number behind key.
func after(text []byte, key string) (float64, bool) {
	i := bytes.Index(text, []byte(key))
	if i < 0 {
		return 0, false
	}
	v, n := integer(text[i+len(key):])
	return float64(v), n > 0
}

// vllmSplit finds a record that starts inside a line: behind a progress bar's
// carriage return, or glued to the end of another statistics line.
func vllmSplit(c *record) int {
	text := c.text
	if bytes.IndexByte(text, ']') < 0 {
		return 0 // a record's head has one
	}
	bar := c.level == noLevel && c.loc == nil // in a record of its own it would be quoted
	if !bar && !bytes.HasPrefix(text, avgPrompt) && !bytes.HasPrefix(text, engineLabel) || quoting(c.loc) {
		return 0
	}
	if i := bytes.IndexByte(text, '\r'); i >= 0 {
		if j := nextHead(text[i+1:]); j >= 0 {
			return i + 1 + j
		}
	}
	if !bar || bytes.HasPrefix(text, avgPrompt) || bytes.HasPrefix(text, engineLabel) || bytes.Contains(text, []byte("it/s]")) {
		if j := nextHead(text[1:]); j >= 0 {
			return 1 + j
		}
	}
	return 0
}

// nextHead finds `LEVEL MM-DD hh:mm:ss `, with the process in front if there.
func nextHead(text []byte) int {
	for _, l := range [...]string{"INFO ", "WARNING ", "ERROR ", "DEBUG "} {
		i := bytes.Index(text, []byte(l))
		if i < 0 {
			continue
		}
		if _, n := parseStamp(text[i+len(l):]); n == 0 {
			continue
		}
		if p := bytes.LastIndexByte(text[:i], '('); p >= 0 && i-p < 80 && bytes.Contains(text[p:i], []byte(" pid=")) && bytes.HasSuffix(text[:i], []byte(") ")) {
			return p
		}
		return i
	}
	return -1
}
