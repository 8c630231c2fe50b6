package serverlog_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"benchtop/sources/serverlog"
)

const (
	v1stats  = `Engine 002: Avg prompt throughput: 1.0 tokens/s, Avg generation throughput: 2.0 tokens/s, Running: 3 reqs, Waiting: 4 reqs, GPU KV cache usage: 5.0%, Prefix cache hit rate: 0.0%`
	v1fields = `"engine":"2","running":3,"waiting":4,"kv_usage":0.05,"prompt_tps":1,"gen_tps":2}`
	v1line   = `INFO 11-05 10:00:02 [loggers.py:257] ` + v1stats
	v1at     = `{"time":"2026-11-05T10:00:02Z",` + v1fields
	sglLine  = `Decode batch, #running-req: 8, #token: 1, token usage: 0.13, cuda graph: True, gen throughput (token/s): 171.01, #queue-req: 5`
	sglOut   = `"running":8,"waiting":5,"batch":8,"kv_usage":0.13,"gen_tps":171.01}`
)

// TestForms holds prefixes, glued records and quoted text that the corpus
// files do not.
func TestForms(t *testing.T) {
	for _, tt := range []struct {
		name, format, text string
		want               []string
	}{
		{"bare", "vllm", v1line, []string{v1at}},
		{"compose with stamp", "vllm", "my-vllm-1   | 2026-11-05T10:00:03.5Z (APIServer pid=1) " + v1line, []string{`{"time":"2026-11-05T10:00:03.5Z",` + v1fields}},
		{"kubectl prefix and stamps", "vllm", "[pod/llm-0/vllm] 2026-11-05T12:00:03.5+02:00 (APIServer pid=1) " + v1line, []string{`{"time":"2026-11-05T10:00:03.5Z",` + v1fields}},
		{"viewer with bar", "vllm", "2026-11-05 09:55:22.281 | " + v1line, []string{`{"time":"2026-11-05T09:55:22.281Z",` + v1fields}},
		{"viewer without bar", "vllm", "2026-11-05 09:55:22.281 " + v1line, []string{`{"time":"2026-11-05T09:55:22.281Z",` + v1fields}},
		{"cloud export", "vllm", "INFO 2026-11-05T09:55:22.28Z [resource.labels.containerName: vllm] (APIServer pid=1) " + v1line, []string{`{"time":"2026-11-05T09:55:22.28Z",` + v1fields}},
		{"table export", "vllm", "  | 2026-11-05 09:55:22 | " + v1line, []string{`{"time":"2026-11-05T09:55:22Z",` + v1fields}},
		{"journal", "vllm", "nov 05 10:00:01 gpu-a.example vllm[41]: " + v1line, []string{`{"time":"2026-11-05T10:00:01Z",` + v1fields}},
		{"journal, short day", "vllm", "Nov  5 10:00:01 gpu-a python3[41]: " + v1line, []string{`{"time":"2026-11-05T10:00:01Z",` + v1fields}},
		{"journal, ISO", "vllm", "2026-11-05T10:00:01+0000 gpu-a vllm[41]: " + v1line, []string{`{"time":"2026-11-05T10:00:01Z",` + v1fields}},
		{"system log without a process number", "vllm", "Nov  5 10:00:01 gpu-a vllm: " + v1line, []string{`{"time":"2026-11-05T10:00:01Z",` + v1fields}},
		{"journal with its host taken out", "vllm", "Nov  5 10:00:01  vllm-a:[41]: " + v1line, []string{`{"time":"2026-11-05T10:00:01Z",` + v1fields}},
		{"journal as JSON", "vllm", `{"MESSAGE":"` + v1line + `","__REALTIME_TIMESTAMP":"1793872802500000","_HOSTNAME":"gpu-a","PRIORITY":"6"}`, []string{`{"time":"2026-11-05T10:00:02.5Z",` + v1fields}},
		{"cloud JSON, what went to stderr", "vllm", `{"severity":"ERROR","textPayload":"Loading safetensors checkpoint shards: 50% Completed","timestamp":"2026-11-05T10:00:03Z"}`, nil},
		{"cloud JSON, an error", "vllm", `{"severity":"ERROR","textPayload":"ERROR 11-05 10:00:02 [async_llm.py:1] x","timestamp":"2026-11-05T10:00:03Z"}`, []string{`{"time":"2026-11-05T10:00:03Z","engine":null,"event":"error"}`}},
		{"cloud JSON, a server without levels", "sglang", `{"severity":"ERROR","textPayload":"[2026-11-05 10:00:02] The server is fired up and ready to roll!","timestamp":"2026-11-05T10:00:03Z"}`, nil},
		{"cloud export, what went to stderr", "vllm", "ERROR 2026-11-05T09:55:22.28Z [resource.labels.containerName: vllm] Loading safetensors checkpoint shards: 50% Completed", nil},
		{"llama-server, an error by its level", "llamacpp", "0.01.002.003 E slot update_slots: id  1 | task 1 | failed to process image", []string{`{"time":null,"engine":null,"event":"error"}`}},
		{"llama-server, a level without a clock", "llamacpp", "E srv    load_model: failed to load model", []string{`{"time":null,"engine":null,"event":"error"}`}},
		{"llama-server, a batch that failed in a slot", "llamacpp", "slot update_slots: id  1 | task 1 | failed to decode the batch", []string{`{"time":null,"engine":null,"event":"error"}`}},
		{"llama-server, what went to stderr", "llamacpp", `{"severity":"ERROR","textPayload":"slot update_slots: id  0 | task 0 | prompt done, n_tokens = 12","timestamp":"2026-11-05T10:00:03Z"}`, nil},
		{"Loki", "vllm", `{"labels":{"app":"llm"},"line":"` + v1line + `","timestamp":"2026-11-05T10:00:03Z"}`, []string{`{"time":"2026-11-05T10:00:03Z",` + v1fields}},
		{"cloud JSON", "vllm", `{"insertId":"x","severity":"INFO","textPayload":"(APIServer pid=1) ` + v1line + `","timestamp":"2026-11-05T10:00:03Z"}`, []string{`{"time":"2026-11-05T10:00:03Z",` + v1fields}},
		{"cloud stream", "vllm", "2026-11-05T10:00:03+00:00 ecs/llm/0a1b2c (APIServer pid=1) " + v1line, []string{`{"time":"2026-11-05T10:00:03Z",` + v1fields}},
		{"stern", "vllm", "llm-7d9f8b6c5-x2x9z vllm " + v1line, []string{v1at}},
		{"stern and a process", "vllm", "llm-7d9f8b6c5-x2x9z vllm (APIServer pid=1) " + v1line, []string{v1at}},
		{"words that are no pod", "generic", "re-run soon INFO running=3", []string{`{"time":null,"engine":null,"running":3}`}},
		{"docker service", "vllm", "stack_llm.1.x9zq@node-1    | " + v1line, []string{v1at}},
		{"podman compose", "vllm", "[llm] | (APIServer pid=1) " + v1line, []string{v1at}},
		{"process manager", "vllm", "0|llm-serve  | " + v1line, []string{v1at}},
		{"a layout of Python's", "sglang", "2026-06-07 10:59:31,659 [INFO] sglang.srt.managers.scheduler_metrics_mixin: " + sglLine, []string{`{"time":"2026-06-07T10:59:31.659Z","engine":null,` + sglOut}},
		{"a step by the statistics' logger", "vllm", "(APIServer pid=1) INFO 11-05 10:00:02 [loggers.py:300] Engine 001: Iteration(10): 1 context requests, 50 context tokens, 3 generation requests, 3 generation tokens, iteration elapsed time: 10.99 ms, GPU KV cache usage: 12.5%, encoder inputs: 4, encoder output embeddings: 3520", []string{`{"time":"2026-11-05T10:00:02Z","engine":"1","batch":4,"kv_usage":0.125}`}},
		{"a step without requests", "vllm", "(EngineCore_DP1 pid=1) INFO 11-05 10:00:02 [core.py:349] Iteration(91): 0 context requests, 0 context tokens, 0 generation requests, 0 generation tokens, iteration elapsed time: 9.1 ms (dummy)", []string{`{"time":"2026-11-05T10:00:02Z","engine":"1","batch":0}`}},
		{"Python's own layout", "vllm", "INFO:vllm.v1.metrics.loggers:" + v1stats, []string{`{"time":null,` + v1fields}},
		{"journal blob", "vllm", "Nov 05 10:00:01 gpu-a vllm[41]: [100B blob data]", nil},
		{"mail quote", "vllm", "> > " + v1line, []string{v1at}},
		{"emphasis", "vllm", "**" + v1line, []string{v1at}},
		{"spelled colours", "vllm", "#033[36m(APIServer pid=1)#033[0;0m ^[[32mINFO^[[0m 11-05 10:00:02 [loggers.py:257] " + v1stats, []string{v1at}},
		{"nested Ray", "vllm", "(MapWorker(MapBatches(X)) pid=1202, ip=10.0.0.7) (EngineCore_DP02 pid=2) INFO 11-05 10:00:02 [core.py:1] Iteration(1): 1 context requests, 5 context tokens, 2 generation requests, 2 generation tokens, iteration elapsed time: 1.5 ms", []string{`{"time":"2026-11-05T10:00:02Z","engine":"2","batch":3}`}},
		{"CRI in pieces", "vllm", "2026-11-05T10:00:09Z stdout P (APIServer pid=1) " + v1line[:60] + "\n2026-11-05T10:00:09Z stdout P " + v1line[60:90] + "\n2026-11-05T10:00:09Z stdout F " + v1line[90:], []string{`{"time":"2026-11-05T10:00:09Z",` + v1fields}},
		{"docker file", "vllm", `{"log":"\u001b[32mINFO\u001b[0m 11-05 10:00:02 [loggers.py:257] ` + v1stats + `\r\n","stream":"stderr","time":"2026-11-05T10:00:07Z"}`, []string{`{"time":"2026-11-05T10:00:07Z",` + v1fields}},
		{"glued", "vllm", "(APIServer pid=1) " + v1line + "(APIServer pid=1) " + strings.Replace(v1line, "002", "003", 1), []string{v1at, strings.Replace(v1at, `"2"`, `"3"`, 1)}},
		{"glued, no process", "vllm", v1line + v1line, []string{v1at, v1at}},
		{"behind a progress bar", "vllm", "Loading:  50%|#####     | 1/2 [00:00<00:00, 1.2it/s]\rLoading: 100%|##########| 2/2 [00:01<00:00, 1.1it/s]\r(APIServer pid=1) " + v1line, []string{v1at}},
		{"bar glued", "vllm", "Capturing: 100%|##########| 2/2 [00:01<00:00, 1.1it/s]" + v1line, []string{v1at}},
		{"glued, V0 behind its process", "vllm", "(_AsyncLLMEngine pid=7) INFO 01-25 11:26:53 llm_engine.py:706] Avg prompt throughput: 0.0 tokens/s, Avg generation throughput: 77.3 tokens/s, Running: 1 reqs, Swapped: 0 reqs, Pending: 3 reqs, GPU KV cache usage: 0.1%, CPU KV cache usage: 0.0% (_AsyncLLMEngine pid=7) INFO 01-25 11:26:58 llm_engine.py:706] Avg prompt throughput: 0.0 tokens/s, Avg generation throughput: 77.4 tokens/s, Running: 2 reqs, Swapped: 0 reqs, Pending: 0 reqs, GPU KV cache usage: 0.2%, CPU KV cache usage: 0.0%", []string{
			`{"time":"2026-01-25T11:26:53Z","engine":null,"running":1,"waiting":3,"kv_usage":0.001,"prompt_tps":0,"gen_tps":77.3}`,
			`{"time":"2026-01-25T11:26:58Z","engine":null,"running":2,"waiting":0,"kv_usage":0.002,"prompt_tps":0,"gen_tps":77.4}`,
		}},
		{"byte order mark", "vllm", "\xef\xbb\xbf" + v1line, []string{v1at}},
		{"behind a hole in the file", "vllm", strings.Repeat("\x00", 5000) + v1line, []string{v1at}},
		{"two bytes a character", "vllm", wide(v1line+"\r\n"+v1line, 0), []string{v1at, v1at}},
		{"two bytes a character, the other way round", "vllm", wide(v1line+"\r\n"+v1line, 1), []string{v1at, v1at}},
		{"a bar inside a prompt", "vllm", "INFO 11-05 10:00:02 [logger.py:61] Received request a: prompt: '50%|# | 1/2 [00:00<00:00, 1.2it/s]" + v1line + "', params: x", nil},
		{"a carriage return inside a prompt", "vllm", "INFO 11-05 10:00:02 [logger.py:61] Received request a: prompt: 'x\r" + v1line + "', params: x", nil},
		{"where prompts are written", "vllm", "INFO 11-05 10:00:02 [entrypoints/logger.py:61] " + v1stats, nil},
		{"where prompts are written, JSON", "vllm", `{"asctime": "2026-11-05 10:00:02,000", "levelname": "INFO", "name": "vllm.entrypoints.logger", "message": "` + v1stats + `"}`, nil},
		{"overwritten middle", "vllm", "INFO 11-05 10:00:02 [loggers.py:257] Engine 000: Avg prompt throughp### tokens/s, Avg generation throughput: 2.0 tokens/s, Running: 3 reqs, Waiti", []string{`{"time":"2026-11-05T10:00:02Z","engine":"0","running":3,"gen_tps":2}`}},
		{"prompt over several records", "vllm", "INFO 11-05 10:00:02 [logger.py:61] Received request a: prompt: 'x " + v1line + "', params: SamplingParams(n=1)", nil},
		{"uvicorn error", "vllm", "(APIServer pid=1) ERROR:    Exception in ASGI application", []string{`{"time":null,"engine":null,"event":"error"}`}},
		{"status on other paths", "vllm", `INFO:     1.2.3.4:5 - "POST /tokenize HTTP/1.1" 500 Internal Server Error`, nil},
		{"status of a GET", "vllm", `INFO:     1.2.3.4:5 - "GET /v1/chat/completions HTTP/1.1" 405 Method Not Allowed`, nil},
		{"client gone", "vllm", `INFO:     1.2.3.4:5 - "POST /v1/messages?x=chat HTTP/1.1" 499`, []string{`{"time":null,"engine":null,"event":"aborted"}`}},
		{"words in the query", "vllm", `INFO:     1.2.3.4:5 - "POST /x?q=chat HTTP/1.1" 500`, nil},
		{"JSON glued", "vllm", `{"asctime": "2026-11-05 10:00:02,000", "levelname": "INFO", "name": "vllm.x", "message": "` + v1stats + `"}{"asctime": "2026-11-05 10:00:03,000", "levelname": "INFO", "name": "vllm.x", "message": "` + v1stats + `"}`, []string{v1at, strings.Replace(v1at, ":02Z", ":03Z", 1)}},
		{"JSON with a tail", "vllm", `{"asctime": "2026-11-05 10:00:02,000", "levelname": "INFO", "name": "vllm.x", "message": "` + v1stats + `"}]`, nil},
		{"ranks glued", "lmdeploy", "[2026-02-05 17:05:17 DP0] Avg thr (in/out): 1.0 / 2.0 tokens/s, API server (completed/routed/waiting): 1 / 50 / 50, Engine (running/waiting): 45 / 5, KV cache: 21.6%, [2026-02-05 17:05:17 DP1] Avg thr (in/out): 1.0 / 2.0 tokens/s, API server (completed/routed/waiting): 1 / 50 / 5, Engine (running/waiting): 4 / 5, KV cache: 1.6%, ", []string{
			`{"time":"2026-02-05T17:05:17Z","engine":"0","running":45,"waiting":55,"kv_usage":0.216,"prompt_tps":1,"gen_tps":2}`,
			`{"time":"2026-02-05T17:05:17Z","engine":"1","running":4,"waiting":10,"kv_usage":0.016,"prompt_tps":1,"gen_tps":2}`,
		}},
		{"worker inside an engine", "vllm", "(EngineCore_DP1 pid=1) (Worker_TP0 pid=2) ERROR 11-05 10:00:02 [multiproc.py:9] WorkerProc hit an exception.", []string{`{"time":"2026-11-05T10:00:02Z","engine":"1","event":"error"}`}},
		{"model in the path", "torchserve", `2026-03-08T08:50:00,000 [INFO ] epollEventLoopGroup-3-2 ACCESS_LOG - /10.60.0.8:47360 "POST /v1/models/m:predict HTTP/1.1" 200 12`, []string{`{"time":"2026-03-08T08:50:00Z","engine":null,"event":"finished","latency_ms":12}`}},
		{"cut before the time", "torchserve", `2026-03-08T08:50:00,000 - /10.60.0.8:47360 "POST /predictions/m HTTP/1.1" 200`, []string{`{"time":"2026-03-08T08:50:00Z","engine":null,"event":"finished"}`}},
		{"shipped as JSON", "trtllm", `{"ts":"2026-06-10T09:00:00Z","message":"[06/10/2026-09:57:00] [TRT-LLM] [I] iter = 3, global_rank = 0, rank = 2, num_scheduled_requests = 64, kv_cache_util = 0.5, x"}`, []string{`{"time":"2026-06-10T09:00:00Z","engine":"2","batch":64,"kv_usage":0.5}`}},
		{"shipped without prefix", "llamacpp", `{"time":"2026-06-10T09:00:00Z","msg":"slot launch_slot_: id  0 | task 12 | processing task"}`, []string{`{"time":"2026-06-10T09:00:00Z","engine":null,"event":"started"}`}},
		{"GIN shipped", "ollama", `{"time":"2026-03-17T07:00:00Z","log":"[GIN] 2026/03/17 - 07:01:05 | 200 | 2.5s |       127.0.0.1 | POST     \"/api/chat\"\n"}`, []string{`{"time":"2026-03-17T07:00:00Z","engine":null,"event":"finished","latency_ms":2500}`}},
		{"shard error as JSON", "tgi", `{"timestamp":"2026-05-08T21:33:02Z","level":"ERROR","message":"Server error: x","target":"text_generation_router_v3::client","span":{"size":12,"name":"decode"},"spans":[{"batch_size":12,"name":"batch"},{"name":"decode"}]}`, []string{`{"time":"2026-05-08T21:33:02Z","engine":null,"batch":12,"event":"error"}`}},
		{"two processes, one line", "sglang", "[2026-06-03 09:04:00 DP0 TP0] " + sglLine + "[2026-06-03 09:04:00 DP1 TP1] " + sglLine, []string{`{"time":"2026-06-03T09:04:00Z","engine":"0",` + sglOut, `{"time":"2026-06-03T09:04:00Z","engine":"1",` + sglOut}},
		{"request dump", "sglang", "[2026-06-03 09:04:00] Receive: obj=GenerateReqInput(text='ValueError: Request is disconnected from the client side')", nil},
		{"two on one line", "llamacpp", "0.20.000.000 D que         post: new task, id = 12, front = 00.21.000.000 I slot launch_slot_: id  0 | task 12 | processing task, is_child = 0", []string{`{"time":null,"engine":null,"event":"started"}`}},
		{"bodies at debug", "llamacpp", `0.20.000.000 D srv  log_server_r: request: {"prompt":"0.21.000.000 I slot launch_slot_: id  0 | task 12 | processing task"}`, nil},
		{"invalid UTF-8", "llamacpp", "0.20.000.000 E srv    send_error: task id = 9, error: \xff\xfe", []string{`{"time":null,"engine":null,"event":"error"}`}},
		{"level without clock", "llamacpp", "I slot      release: id  0 | task 1 | stop processing: n_past = 4, truncated = 0", []string{`{"time":null,"engine":null,"event":"finished"}`}},
		{"2023 release", "llamacpp", "slot 0 released (24 tokens in cache)", []string{`{"time":null,"engine":null,"event":"finished"}`}},
		{"stop string with braces", "tgi", `2026-05-08T21:31:00Z  INFO generate{parameters=GenerateParameters { stop: ["}: text_generation_router::server: Success", "total_time=\"1s\" "], seed: None } total_time="2s" queue_time="1ms"}: text_generation_router::server: router/src/server.rs:432: Success`, []string{`{"time":"2026-05-08T21:31:00Z","engine":null,"batch_wait_ms":1,"event":"finished","latency_ms":2000}`}},
		{"model print", "torchserve", `2026-03-08T08:44:35,262 [INFO ] W-9003-v_1.0-stdout MODEL_LOG - QueueTime.ms:7|#Level:Host|x`, nil},
		{"model error print", "torchserve", `2026-03-08T08:44:35,262 [ERROR] W-9003-v_1.0-stderr MODEL_LOG - Traceback`, nil},
		{"load call", "triton", `I0512 09:01:00.121581 77 http_server.cc:4857] "HTTP request: 2 /v2/repository/models/chat/load"`, nil},
		{"failed word inside a prompt", "generic", `2026-09-01T10:00:00Z INFO handling prompt: "queue full" and connection reset`, nil},
		{"quoted user text", "generic", `2026-09-01T10:00:00Z INFO got "the queue is full, timed out" from client`, nil},
		{"retry notice", "generic", "2026-09-01T10:00:00Z WARN request rejected, retrying", nil},
		{"uppercase keys", "generic", `ts=2026-09-01T10:00:00Z Queue-Depth=3 In_Flight=4 KV-Usage=50%`, []string{`{"time":"2026-09-01T10:00:00Z","engine":null,"running":4,"waiting":3,"kv_usage":0.5}`}},
		{"limits are no gauges", "generic", `{"time":"2026-09-01T10:00:00Z","level":"info","queue":{"limit":5},"running_total":9,"max_running":4}`, nil},
		{"epoch milliseconds", "generic", `{"ts":1788256861750,"running":1}`, []string{`{"time":"2026-09-01T10:01:01.75Z","engine":null,"running":1}`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []serverlog.Record
			_, err := serverlog.Probe(strings.NewReader(tt.text), serverlog.Options{Format: tt.format, Year: 2026, Zone: time.UTC}, func(r serverlog.Record) error {
				got = append(got, r)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != len(tt.want) {
				b, _ := json.Marshal(got)
				t.Fatalf("want %d records, got %s", len(tt.want), b)
			}
			for i, want := range tt.want {
				e := expected{}
				if err := json.Unmarshal([]byte(want), &e.Fields); err != nil {
					t.Fatal(err)
				}
				if d := compare(e, plain(t, got[i])); d != nil {
					t.Errorf("record %d: %s", i+1, strings.Join(d, "; "))
				}
			}
		})
	}
}

func TestReferenceZone(t *testing.T) {
	zone := time.FixedZone("", 2*3600)
	for _, tt := range []struct{ format, text, want string }{
		{"vllm", v1line, "2026-11-05T08:00:02Z"},
		{"vllm", "2026-11-05T10:00:00Z " + v1line, "2026-11-05T10:00:00Z"},
		{"triton", `E0512 09:01:00.180000 77 x.cc:402] "bad"`, "2026-05-12T09:01:00.18Z"}, // klog writes UTC
		{"sglang", "[2025-06-03 09:04:00 TP0] " + sglLine, "2025-06-03T07:04:00Z"},
	} {
		var got string
		_, err := serverlog.Probe(strings.NewReader(tt.text), serverlog.Options{Format: tt.format, Year: 2026, Zone: zone}, func(r serverlog.Record) error {
			got = *r.Fields.Time
			return nil
		})
		if err != nil || got != tt.want {
			t.Errorf("%q: want %s, got %s (%v)", tt.text, tt.want, got, err)
		}
	}
}

// wide spells text with two bytes a character and their mark in front; swap is 1
// for the high byte first.
func wide(text string, swap int) string {
	var b []byte
	for _, c := range []byte("\xff" + text) {
		pair := [2]byte{c, 0}
		if c == 0xff {
			pair[1] = 0xfe
		}
		b = append(b, pair[swap], pair[1-swap])
	}
	return string(b)
}
