package serverlog

import "bytes"

// Paths that clients send inference to contain one of these; see also
// housekeepingPaths.
var inferencePaths = [...][]byte{
	[]byte("completion"), []byte("chat"), []byte("generate"), []byte("embed"), []byte("rerank"), []byte("predict"),
	[]byte("infer"), []byte("score"), []byte("responses"), []byte("messages"),
}

// housekeepingPaths are never inference, whatever they contain.
var housekeepingPaths = [...][]byte{
	[]byte("/api/show"), []byte("/api/tags"), []byte("/health"), []byte("/ping"), []byte("/metrics"), []byte("/v1/models"),
}

// inference reports whether a request is one whose end matters: a POST to an
// inference path. The query is not looked at; it may hold user text.
func inference(method, path []byte) bool {
	if len(method) != 4 || string(method) != "POST" {
		return false
	}
	if i := bytes.IndexByte(path, '?'); i >= 0 {
		path = path[:i]
	}
	for _, p := range housekeepingPaths {
		if bytes.HasPrefix(path, p) && bytes.IndexByte(path, ':') < 0 { // KServe: /v1/models/NAME:predict
			return false
		}
	}
	for _, p := range inferencePaths {
		if bytes.Contains(path, p) {
			return true
		}
	}
	return false
}

// httpOutcome is what a status says about an inference request. good is what
// 2xx means where the line is written.
func httpOutcome(code int64, good Outcome) Outcome {
	switch {
	case code >= 200 && code < 300:
		return good
	case code == 408 || code == 504:
		return Timeout
	case code == 429 || code == 503:
		return Rejected
	case code == 499:
		return Aborted
	case code >= 400 && code < 600:
		return Error
	}
	return NoOutcome
}

// answered ends the access lines that say nothing.
var answered = []byte(` HTTP/1.1" 200 OK`)

// readAccess reads an access line as uvicorn writes it,
//
//	addr:port - "METHOD path HTTP/1.1" code Reason
//
// and reports whether it is one. Its 2xx says nothing: uvicorn writes the line
// when the answer starts.
func readAccess(text []byte, r *Reading) bool {
	if bytes.HasSuffix(text, answered) {
		return true // most lines: they say nothing
	}
	i := bytes.IndexByte(text[:min(len(text), 65)], ' ')
	if i < 0 || len(text) < i+4 {
		return false
	}
	if string(text[i:i+4]) != ` - "` {
		if i != 1 && !isDigit(text[i+1]) {
			return false
		}
		if i = odder(text, i); i < -1 {
			return false
		}
	}
	if q := bytes.Index(text[i+4:], []byte(`" `)); q > 0 {
		code, n := statusCode(text[i+4+q+2:])
		if n > 0 && httpOutcome(code, NoOutcome) == NoOutcome {
			return bytes.IndexByte(text[i+4:i+4+q], ' ') > 0
		}
	}
	method, path, code, _, ok := requestLine(text[i+3:])
	if !ok {
		return false
	}
	if inference(method, path) {
		r.event(httpOutcome(code, NoOutcome))
		r.Answer = true
	}
	return true
}

// serves tells what an ERROR record has to do with an answer: Python's web
// server tells of an exception that its answer, a line of its own, was or will
// be about, and vLLM's handlers tell why they refuse.
func serves(c *record, r *Reading) {
	switch {
	case c.uvi:
		r.Crash = bytes.HasPrefix(c.text, []byte("Exception in ASGI application"))
		r.Owes = r.Crash
	case len(c.loc) > 0 && c.loc[0] == 's':
		r.Owes = bytes.HasPrefix(c.loc, []byte("serving"))
	}
}

// odder finds ` - "` where it does not stand behind the first word: of a socket
// in the file system, which has no address, and in KServe's layout, which has
// the process in between. It is less than -1 if it stands nowhere.
func odder(text []byte, i int) int {
	switch {
	case i == 1 && string(text[:3]) == `- "`:
		return -1
	case isDigit(text[i+1]):
		_, n := integer(text[i+1:])
		if i += 1 + n; n > 0 && len(text) > i+4 && string(text[i:i+4]) == ` - "` {
			return i
		}
	}
	return -2
}

// requestLine reads `"METHOD path HTTP/1.1" code` at the start of b and gives
// what follows.
func requestLine(b []byte) (method, path []byte, code int64, rest []byte, ok bool) {
	if len(b) == 0 || b[0] != '"' {
		return nil, nil, 0, nil, false
	}
	b = b[1:]
	q := bytes.Index(b, []byte(`" `))
	sp := bytes.IndexByte(b, ' ')
	if q < 0 || sp <= 0 || sp > q {
		return nil, nil, 0, nil, false
	}
	method, path = b[:sp], b[sp+1:q]
	if e := bytes.LastIndexByte(path, ' '); e >= 0 && bytes.HasPrefix(path[e:], []byte(" HTTP/")) {
		path = path[:e]
	}
	code, n := statusCode(b[q+2:])
	return method, path, code, b[q+2+n:], n > 0
}

// statusCode reads three digits that end there.
func statusCode(b []byte) (code int64, n int) {
	for n < len(b) && b[n] == ' ' {
		n++
	}
	v, k := integer(b[n:])
	if k != 3 || n+k < len(b) && isWord(b[n+k]) {
		return 0, 0
	}
	return v, n + k
}

// bareReset reads the lines without level that name a cause.
func bareReset(text []byte, r *Reading) {
	for _, p := range [...]string{"ConnectionResetError", "BrokenPipeError", "ConnectionAbortedError"} {
		if bytes.HasPrefix(text, []byte(p)) {
			r.event(Reset)
		}
	}
}
