package serverlog

import "bytes"

// sglang reads SGLang's log from 0.1 to 2026.
//
// Origins: sgl-project/sglang python/sglang/srt/managers/scheduler_metrics_mixin.py
// and python/sglang/srt/observability/scheduler_metrics_mixin.py.
var sglang = Format{
	Name:     "sglang",
	Versions: "0.1 to mid 2026, data parallel and disaggregated forms",
	Hint:     "SGLang prints statistics only while tokens move (--decode-log-interval sets how often); --enable-metrics with --metrics http://HOST:PORT/metrics tells more",
	silent:   answered,
	vote:     sglangVote,
	parse:    sglangParse,
	split:    sglangSplit,
}

func sglangVote(c *record) float64 {
	t := c.text
	if _, kind := sglangKind(t); kind != 0 {
		return 1
	}
	for _, p := range [...]string{"server_args=ServerArgs(", "max_total_num_tokens=", "The server is fired up and ready to roll!", "KV cache pool is full. Retract"} {
		if bytes.HasPrefix(t, []byte(p)) {
			return 1
		}
	}
	if bytes.Contains(t, []byte("#retracted_reqs: ")) {
		return 1
	}
	return 0
}

// sglangKind tells decode ('d'), prefill ('p') and the first version's prefill
// ('f') statistics, and gives the text behind their head.
func sglangKind(t []byte) (rest []byte, kind byte) {
	if len(t) == 0 || t[0] != 'D' && t[0] != 'P' && t[0] != 'n' && t[0] != '#' {
		return nil, 0
	}
	switch {
	case bytes.HasPrefix(t, []byte("Decode batch")):
		rest, kind = t[len("Decode batch"):], 'd'
	case bytes.HasPrefix(t, []byte("Prefill batch")):
		rest, kind = t[len("Prefill batch"):], 'p'
	case bytes.HasPrefix(t, []byte("new fill batch. ")):
		return t[len("new fill batch. "):], 'f'
	case bytes.HasPrefix(t, []byte("#running-req: ")):
		return t, 'd'
	default:
		return nil, 0
	}
	if i := bytes.IndexByte(rest, '#'); i >= 0 {
		return rest[i:], kind
	}
	return nil, 0
}

func sglangParse(c *record, r *Reading) {
	t := c.text
	var repeats bool
	r.Engine, repeats = sglangRank(c.rank)
	if len(t) == 0 {
		return
	}
	rest, kind := sglangKind(t)
	switch {
	case kind != 0:
		if !repeats {
			sglangStats(rest, kind, r)
			r.Odd = r.Empty()
		}
	case bytes.HasPrefix(t, []byte("KV cache pool is full. Retract requests.")), bytes.HasPrefix(t, []byte("Testing retraction.")),
		bytes.HasPrefix(t[1:], []byte("ecode out of memory happened")):
		if v, ok := count(t, []byte("#retracted_reqs: "), comma); ok && !repeats {
			r.preempted(v)
		}
	case bytes.HasPrefix(t, []byte("Scheduler hit an exception")), bytes.HasPrefix(t, []byte("Scheduler watchdog timeout")), bytes.HasPrefix(t, []byte("Watchdog timeout")):
		r.event(Error)
	case bytes.HasPrefix(t, []byte("server_args=ServerArgs(")):
		r.Restart = true
		if v, ok := after(t, "max_running_requests="); ok {
			r.maxBatch(v)
		}
	case bytes.HasPrefix(t, []byte("max_total_num_tokens=")):
		if v, ok := after(t, "max_total_num_tokens="); ok {
			r.kvTokens(v)
		}
		if v, ok := after(t, "max_running_requests="); ok {
			r.maxBatch(v)
		}
	case bytes.HasPrefix(t, []byte("Receive: obj=")), bytes.HasPrefix(t, []byte("Finish: obj=")): // user text
	case readAccess(t, r):
	case c.level == errorLevel:
		r.fault()
	case c.level == noLevel && !c.fresh:
		sglangBare(t, r)
	}
}

// sglangRank reads `DP1 PP0 TP1` or `gpu=4`: whose engine speaks, and whether
// it repeats what another rank counts, as later pipeline stages do, context
// ranks, which share each request's tokens, and tensor ranks that stand without
// a data rank.
func sglangRank(b []byte) (engine []byte, repeats bool) {
	tensor := false
	for len(b) > 0 {
		n := 0
		for n < len(b) && !isDigit(b[n]) {
			n++
		}
		e := n
		for e < len(b) && isDigit(b[e]) {
			e++
		}
		zero := e == n+1 && b[n] == '0'
		switch string(b[:n]) {
		case "DP", "gpu=":
			engine = trimZeros(b[n:e])
		case "PP", "CP", "ATTN_CP":
			repeats = repeats || !zero
		case "TP":
			tensor = !zero
		}
		if b = b[e:]; len(b) > 0 {
			b = b[1:]
		}
	}
	return engine, repeats || tensor && engine == nil
}

// sglangBare reads the end of a traceback that says why a request ended.
func sglangBare(t []byte, r *Reading) {
	e := bytes.Index(t, []byte("Error: "))
	if e > 0 && e < 40 && bytes.Contains(t, []byte("disconnected from the client side")) {
		r.event(Aborted)
		return
	}
	bareReset(t, r)
}

// sglangStats reads `key: value` parts that commas or full stops separate. A
// value that ends the line may be cut, unless its field can be the last.
func sglangStats(t []byte, kind byte, r *Reading) {
	for len(t) > 0 {
		part := t
		last := true
		if i := partEnd(t); i >= 0 {
			part, last = t[:i], false
			t = trimBlank(t[i+1:])
		} else {
			t = nil
		}
		colon := len(part) - 2
		for colon >= 0 && (part[colon] != ':' || part[colon+1] != ' ') {
			colon--
		}
		if colon < 0 {
			continue
		}
		k, v := part[:colon], part[colon+2:]
		x, n := number(v)
		if n == 0 || n != len(v) || last && (len(v) < 4 || v[len(v)-3] != '.') && bytes.HasSuffix(k, []byte("(token/s)")) {
			continue // rates have two decimals: this one is cut
		}
		sglangField(k, x, kind, last, r)
	}
	if kind == 'd' && r.Has(HasRunning) {
		r.batch(r.Running)
	}
	if kind != 'd' && r.Has(HasBatch) {
		r.Joining, r.Filled = r.Batch, true
		r.Set |= HasJoining
	}
}

// partEnd is where the first part of t ends: at a comma, or a full stop, that a
// blank or the line's end follows; -1 if none does.
func partEnd(t []byte) int {
	end := before(t, ',')
	head := t
	if end >= 0 {
		head = t[:end]
	}
	if dot := before(head, '.'); dot >= 0 && dot+1 < len(head) {
		return dot
	}
	return end
}

// before finds the first sep that a blank or the end of t follows; -1 if there
// is none.
func before(t []byte, sep byte) int {
	for from := 0; from < len(t); {
		i := bytes.IndexByte(t[from:], sep)
		if i < 0 {
			return -1
		}
		if from += i + 1; from == len(t) || t[from] == ' ' {
			return from - 1
		}
	}
	return -1
}

func sglangField(k []byte, x float64, kind byte, last bool, r *Reading) {
	switch string(k) {
	case "#queue-req":
		r.waiting(int64(x))
		return
	case "gen throughput (token/s)":
		r.genTPS(x)
		return
	case "input throughput (token/s)":
		r.promptTPS(x)
		return
	}
	if last {
		return
	}
	switch string(k) {
	case "#running-req":
		r.running(int64(x))
	case "#running_req":
		r.running(int64(x))
	case "#remaining_req":
		r.waiting(int64(x))
	case "#new-seq", "#seq":
		if kind != 'd' {
			r.batch(int64(x))
		}
	case "token usage", "full token usage", "swa token usage", "mamba usage":
		r.kv(x)
	}
}

func sglangSplit(c *record) int {
	if _, kind := sglangKind(c.text); kind == 0 {
		return 0
	}
	return nextBracket(c.text)
}
