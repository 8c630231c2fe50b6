package serverlog_test

import (
	"fmt"
	"strings"
	"testing"

	"benchtop/model"
	"benchtop/sources/serverlog"
)

// What a proxy, its replica and the error between them tell of one request
// counts once. The wordings are those of Ray Serve 2.60.
func TestRayRequestsCountOnce(t *testing.T) {
	line := func(who, id, text string) string {
		return fmt.Sprintf("INFO 2026-11-30 12:00:01,000 %s %s -- %s", who, id, text)
	}
	const proxy, replica = "proxy 192.0.2.2", "app_Model 3l2zn5js"
	b := newBench(t, serverlog.Options{Format: "rayserve"})
	b.live(
		line(replica, "61b27d4f-ebf3", "POST /generate 200 55.4ms"),
		line(proxy, "61b27d4f-ebf3", "POST /generate 200 76.2ms"),
		"ERROR 2026-11-30 12:00:02,000 app_Model 3l2zn5js 6145e710-4ff4 -- Request failed.",
		line(replica, "6145e710-4ff4", "POST /generate 500 11.2ms"),
		line(proxy, "6145e710-4ff4", "POST /generate 500 24.9ms"),
		line(proxy, "ecf8fd47-c92b", "Client for request ecf8fd47-c92b disconnected, cancelling request."),
		line(replica, "ecf8fd47-c92b", "POST /generate CANCELLED 209.6ms"),
		line(proxy, "ecf8fd47-c92b", "POST /generate 499 219.0ms"),
		line(proxy, "57b2dde7-cfb6", "Request dropped due to backpressure (num_queued_requests=2, max_queued_requests=2)."),
		line(proxy, "57b2dde7-cfb6", "POST /generate 503 16.9ms"),
		line(replica, "9d86d134-f9b1", "POST /generate 200 888.4ms"),
		line(proxy, "9d86d134-f9b1", "POST /generate 408 1610.3ms"), // done, and too late
	)
	b.want(model.ServerFinished, 1, 1)
	b.want(model.ServerError, 1)
	b.want(model.ServerAborted, 1)
	b.want(model.ServerQueueFull, 1)
	b.want(model.ServerRejected)
	b.want(model.ServerTimeout, 1)
	b.want(model.ServerWaiting, 2)
}

// A cancelled request of llama-server still gives up its slot, and a new
// process counts its tasks from zero.
func TestLlamaRequestsCountOnce(t *testing.T) {
	start := "0.01.000.000 I srv    load_model: initializing, n_slots = 2, n_ctx_slot = 512"
	b := newBench(t, serverlog.Options{Format: "llamacpp"})
	b.live(
		start,
		llamaLaunch(0, 7), llamaLaunch(1, 8),
		"1.02.003.004 I srv  cancel_tasks: cancel task, id_task = 7",
		llamaRelease(0, 7), llamaRelease(1, 8),
		start,
		llamaLaunch(0, 8), llamaRelease(0, 8),
	)
	b.want(model.ServerStarted, 1, 1, 1)
	b.want(model.ServerAborted, 1)
	b.want(model.ServerFinished, 1, 1)
	b.want(model.ServerRunning, 0, 1, 2, 2, 1, 0, 0, 0, 1, 0) // told again after a second of other lines
}

// llama-server tells an error by its task and then the status of the answer,
// without the task: one failure. An answer that failed before it became a task
// is a failure of its own.
func TestLlamaErrorsCountOnce(t *testing.T) {
	sent := func(task int) string {
		return fmt.Sprintf("1.02.003.004 E srv    send_error: task id = %d, error: the context is too long", task)
	}
	answer := func(code int) string {
		return fmt.Sprintf("1.02.003.009 I srv  log_server_r: done request: POST /v1/completions 192.0.2.7 %d", code)
	}
	for _, c := range []struct {
		name             string
		lines            []string
		errors, rejected int
	}{
		{"an error and its answer", []string{sent(7), answer(500)}, 1, 0},
		{"refused by its context", []string{sent(7), answer(400)}, 1, 0},
		{"an answer alone", []string{answer(500)}, 1, 0},
		{"an error in the midst of a stream", []string{sent(7), answer(200)}, 1, 0},
		{"two of them, mixed", []string{sent(7), sent(8), answer(500), answer(500)}, 2, 0},
		{"one more answer than errors", []string{sent(7), answer(500), answer(500)}, 2, 0},
		{"the same error twice", []string{sent(7), sent(7), answer(500)}, 1, 0},
		{"unavailable", []string{sent(7), answer(503)}, 1, 0},
		{"refused before it was a task", []string{answer(503)}, 0, 1},
		{"a new process in between", []string{sent(7), "0.01.000.000 I srv    load_model: initializing, n_slots = 2, n_ctx_slot = 512", answer(500)}, 2, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, serverlog.Options{Format: "llamacpp"})
			b.live(c.lines...)
			ones := func(n int) (all []float64) {
				for range n {
					all = append(all, 1)
				}
				return all
			}
			b.want(model.ServerError, ones(c.errors)...)
			b.want(model.ServerRejected, ones(c.rejected)...)
		})
	}
}

// Python's web server tells an answer's status and the exception behind it in
// two lines without an id, in either order; vLLM's handlers tell why they refuse
// and then the status.
func TestServedErrorsCountOnce(t *testing.T) {
	const (
		failed  = `(APIServer pid=1) INFO:     10.0.0.1:5 - "POST /v1/chat/completions HTTP/1.1" 500 Internal Server Error`
		refused = `(APIServer pid=1) INFO:     10.0.0.1:5 - "POST /v1/chat/completions HTTP/1.1" 404 Not Found`
		crash   = `(APIServer pid=1) ERROR:    Exception in ASGI application`
		other   = `(APIServer pid=1) INFO:     10.0.0.1:5 - "POST /v1/chat/completions HTTP/1.1" 200 OK`
		serving = `(APIServer pid=1) ERROR 11-05 10:00:02 [serving_chat.py:200] Error with model object='error' message='no such model' code=404`
		engine  = `(EngineCore_DP0 pid=2) ERROR 11-05 10:00:02 [core.py:700] EngineCore encountered a fatal error.`
	)
	for _, c := range []struct {
		name  string
		lines []string
		want  int
	}{
		{"an answer and its exception", []string{failed, crash}, 1},
		{"an exception and its answer", []string{crash, failed}, 1},
		{"two of each", []string{failed, failed, crash, crash}, 2},
		{"an exception in the midst of a stream", []string{other, crash}, 1},
		{"answers alone", []string{failed, failed}, 2},
		{"refused with a word", []string{serving, refused}, 1},
		{"refused without", []string{refused, refused}, 2},
		{"of the engine", []string{engine, failed}, 2},
		{"long before", []string{failed, other, other, other, crash}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, serverlog.Options{Format: "vllm", Year: 2026})
			b.live(c.lines...)
			if got := len(b.of(model.ServerError)); got != c.want {
				t.Errorf("want %d errors, got %d", c.want, got)
			}
		})
	}
}

// A call between two deployments is no request where the log tells requests.
func TestRayCallsInside(t *testing.T) {
	b := newBench(t, serverlog.Options{Format: "rayserve"})
	line := func(app, id, text string) string {
		return "INFO 2026-11-30 12:00:01,000 " + app + " 3l2zn5js " + id + " -- " + text
	}
	b.live(
		line("app_In", "61b27d4f-ebf3", "POST /generate 200 55.4ms"),
		line("app_Enc", "6145e710-4ff4", "CALL __call__ OK 11.2ms"),
		line("app_In", "6145e710-4ff4", "POST /generate 200 54.9ms"),
	)
	b.want(model.ServerFinished, 1, 1)
	b.want(model.ServerLatency, 0.0554, 0.0549)
}

// TorchServe tells each wait up to three times: one writer's word is counted, and
// which is said.
func TestTorchserveWaitsCountOnce(t *testing.T) {
	line := func(text string) string { return "2024-03-08T08:44:35,262 " + text }
	queue := line("[INFO ] W-9003-m_1.0 TS_METRICS - QueueTime.Milliseconds:4.0|#Level:Host|#hostname:h,timestamp:1709887475")
	micro := line("[INFO ] W-9003-m_1.0 TS_METRICS - ts_queue_latency_microseconds.Microseconds:4100.0|#model_name:m|#hostname:h,timestamp:1709887475")
	job := line("[DEBUG] W-9003-m_1.0 org.pytorch.serve.job.RestJob - Waiting time ns: 4120000, Backend time ns: 9112033")
	b := newBench(t, serverlog.Options{Format: "torchserve"})
	b.live(micro, job, queue, micro, job, queue)
	b.want(model.ServerBatchWait, 0.0041, 0.0041)
	if n := b.note(model.NoteMark, "source"); n == nil || !strings.Contains(n.Text, "ts_queue_latency_microseconds") {
		t.Errorf("want a mark that says which writer counts, got %+v", n)
	}
	b = newBench(t, serverlog.Options{Format: "torchserve"})
	b.live(queue, queue)
	b.want(model.ServerBatchWait, 0.004, 0.004)
}
