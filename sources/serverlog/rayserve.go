package serverlog

import "bytes"

// rayserve reads Ray Serve's controller, proxy and replica records, as text
// and JSON, and what vLLM prints inside a replica.
//
// Origins: Ray Serve 2.60.0 at work; ray-project/ray python/ray/serve/_private/logging_utils.py,
// issue 52624, pull request 51346.
var rayserve = Format{
	Name:     "rayserve",
	Versions: "2.0 to 2.60, text and JSON",
	Hint:     "Ray Serve logs one line a request; its queues are at --metrics http://HOST:8080/metrics",
	wraps:    "vllm",
	silent:   answered,
	vote:     rayVote,
	parse:    rayParse,
}

func rayVote(c *record) float64 {
	if c.structured() {
		if c.obj.has("deployment") && c.obj.has("replica") || c.obj.has("component_name") && c.obj.has("component_id") {
			return 1
		}
		return 0
	}
	if c.level == noLevel || !c.stamp.full() || c.name != nil {
		return 0
	}
	if component, _, _ := rayHead(c); component != nil {
		return 1
	}
	return 0
}

// rayHead splits `COMPONENT ID [REQUEST] -- message` and the older
// `component id [request route app] file.py:NNN - message`.
func rayHead(c *record) (component, head, msg []byte) {
	t := c.text
	i, n := dash(t)
	switch {
	case i > 0 && n == 2:
		head, msg = t[:i], t[i+4:]
	case i > 0:
		head, msg = t[:i], t[i+3:]
		at := bytes.LastIndexByte(head, ' ') + 1
		if n := location(head[at:]); at == 0 || n == 0 || n != len(head)-at {
			return nil, nil, nil
		}
		c.loc = head[at:]
	default:
		return nil, nil, nil
	}
	sp := bytes.IndexByte(head, ' ')
	if sp <= 0 || len(head) > 200 || bytes.Count(head, []byte(" ")) > 6 || !isWord(head[0]) {
		return nil, nil, nil
	}
	return head[:sp], head, msg
}

// dash finds the first of ` - ` and ` -- ` and says how many dashes it has; i
// is -1 if there is none.
func dash(t []byte) (i, n int) {
	for from := 1; from < len(t); {
		k := bytes.IndexByte(t[from:], '-')
		if k < 0 {
			break
		}
		k += from
		from = k + 1
		if t[k-1] != ' ' {
			continue
		}
		for n = 1; k+n < len(t) && t[k+n] == '-'; n++ {
		}
		if n <= 2 && k+n < len(t) && t[k+n] == ' ' {
			return k - 1, n
		}
	}
	return -1, 0
}

func rayParse(c *record, r *Reading) {
	if c.structured() {
		engine := c.obj.text("deployment")
		if engine == nil {
			engine = c.obj.text("component_name")
		}
		if engine != nil {
			r.Engine = rayEngine(engine)
			r.Request = requestID(nil, c.obj.text("request_id"))
			rayMessage(c, c.obj.text("route"), c.text, r)
			return
		}
	} else if c.stamp.full() && c.level != noLevel && c.loc == nil {
		if component, head, msg := rayHead(c); component != nil {
			r.Engine = rayEngine(component)
			r.Request = requestID(nil, rayRequest(head))
			rayMessage(c, rayRoute(head), msg, r)
			return
		}
	}
	vllmParse(c, r)
}

// rayRequest is the request's id in `COMPONENT ID REQUEST` and in the older
// `component id request route app`; nil if there is none.
func rayRequest(head []byte) []byte {
	for range 2 {
		i := bytes.IndexByte(head, ' ')
		if i < 0 {
			return nil
		}
		head = head[i+1:]
	}
	if i := bytes.IndexByte(head, ' '); i >= 0 {
		head = head[:i]
	}
	if len(head) < 8 || head[0] == '/' || bytes.IndexByte(head, ':') >= 0 {
		return nil
	}
	return head
}

// rayEngine is the label of a component; the controller and the driver serve
// no requests and have none.
func rayEngine(b []byte) []byte {
	switch string(b) {
	case "controller", "serve", "http_controller":
		return nil
	}
	return b
}

// rayRoute is the route that old records carry in front of the message.
func rayRoute(head []byte) []byte {
	i := bytes.Index(head, []byte(" /"))
	if i < 0 {
		return nil
	}
	b := head[i+1:]
	if e := bytes.IndexByte(b, ' '); e > 0 {
		b = b[:e]
	}
	return b
}

func rayMessage(c *record, route, m []byte, r *Reading) {
	switch {
	case bytes.HasPrefix(m, []byte("Request dropped due to backpressure ")):
		r.event(QueueFull)
		if v, ok := count(m, []byte("(num_queued_requests="), comma); ok {
			r.waiting(v)
		}
	case bytes.HasPrefix(m, []byte("Request ")) && bytes.Contains(m, []byte(" timed out after ")):
		r.event(Timeout)
	case bytes.HasPrefix(m, []byte("Client for request ")) && bytes.Contains(m, []byte(" disconnected")):
		r.event(Aborted)
	case rayAccess(route, m, r):
	case c.level == errorLevel:
		r.fault()
	}
}

// rayAccess reads `METHOD ROUTE CODE Fms`, maybe with the client's address in
// front, `CALL METHOD OK Fms` of one deployment's call to another, and the older
// `POST 200 Fms`, `HANDLE METHOD OK Fms` and `__CALL__ OK Fms`, all written at
// the end of a request.
func rayAccess(route, m []byte, r *Reading) bool {
	if n := len(m); n > 0 && (m[n-1] == ']' || m[n-1] == ')') {
		if i := bytes.LastIndex(m, []byte(" [repeated ")); i > 0 { // what Ray drops of many alike, it counts
			m = m[:i]
		}
	}
	sp := bytes.IndexByte(m, ' ')
	last := bytes.LastIndexByte(m, ' ')
	if sp <= 0 || last <= sp {
		return false
	}
	ms, n := number(m[last+1:])
	if n == 0 || string(m[last+1+n:]) != "ms" {
		return false
	}
	if client := m[:sp]; isDigit(client[0]) || client[0] == '[' {
		m, last = m[sp+1:], last-sp-1
		if sp = bytes.IndexByte(m, ' '); sp <= 0 || last <= sp {
			return false
		}
	}
	method, mid := m[:sp], m[sp+1:last]
	if bytes.HasPrefix(method, []byte("__")) || string(method) == "CALL" || string(method) == "HANDLE" {
		return rayCall(mid, ms, r)
	}
	status := mid
	if i := bytes.LastIndexByte(mid, ' '); i > 0 {
		route, status = mid[:i], mid[i+1:]
	}
	if string(status) == "CANCELLED" { // a replica whose client or proxy gave up (seen in 2.60)
		if inference(method, route) {
			r.event(Aborted)
			r.latency(ms)
		}
		return true
	}
	code, k := statusCode(status)
	if k == 0 || k != len(status) {
		return false
	}
	if inference(method, route) {
		if o := httpOutcome(code, Finished); o != NoOutcome {
			r.event(o)
			r.latency(ms)
		}
	}
	return true
}

// rayCall reads what ended a call: `OK`, or with the method or the route of the
// request in front, `__call__ OK`. Calls that do not serve a request (a check, a
// setting that is asked for) have a method of another name.
func rayCall(mid []byte, ms float64, r *Reading) bool {
	status := mid
	if i := bytes.LastIndexByte(mid, ' '); i >= 0 {
		what := mid[:i]
		if status = mid[i+1:]; string(what) != "__call__" && !inference([]byte("POST"), what) {
			return true
		}
	}
	switch string(status) {
	case "OK":
		r.event(Finished)
	case "ERROR":
		r.event(Error)
	case "CANCELLED":
		r.event(Aborted)
	default:
		return false
	}
	r.latency(ms)
	r.Inner = true
	return true
}
