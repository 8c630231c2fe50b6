package serverlog_test

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"benchtop/model"
	"benchtop/sources"
	"benchtop/sources/serverlog"
)

// BenchmarkDecode is one pass over a corpus file per op, through parser and
// events; compare with BenchmarkScan, which only finds the lines.
func BenchmarkDecode(b *testing.B) {
	for _, path := range corpusFiles(b) {
		b.Run(strings.TrimSuffix(filepath.Base(path), ".log"), func(b *testing.B) {
			data, lines := benchLines(b, path)
			ch := make(chan *model.Batch, 4)
			out := sources.NewOutlet(context.Background(), ch, 1, sources.Drain, nil)
			d := serverlog.NewDecoder(serverlog.Options{Format: corpusFormat(path), Year: 2026})
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			now := t0
			pass := func() {
				for _, l := range lines {
					now++
					d.Line(l, now, false, out)
				}
				out.FlushAt(now)
				for len(ch) > 0 {
					sources.Recycle(<-ch)
				}
			}
			for range 8 { // past the samples of damaged lines
				pass()
			}
			b.ResetTimer()
			for b.Loop() {
				pass()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(lines)), "ns/line")
		})
	}
}

func benchLines(b *testing.B, path string) ([]byte, [][]byte) {
	b.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	return data, bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
}

func BenchmarkScan(b *testing.B) {
	data, lines := benchLines(b, "testdata/vllm.log")
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		sc := bufio.NewScanner(bytes.NewReader(data))
		for sc.Scan() {
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(lines)), "ns/line")
}

// TestHotPathAllocs: the lines a server prints all day cost no memory.
func TestHotPathAllocs(t *testing.T) {
	for format, lines := range map[string][]string{
		"vllm":       {vllmLine("12:00:01", 3, 4), `(APIServer pid=1) INFO:     10.0.0.1:5 - "POST /v1/completions HTTP/1.1" 200 OK`, "\x1b[36m(APIServer pid=1)\x1b[0m " + vllmLine("12:00:01", 3, 4)},
		"llamacpp":   {llamaLaunch(1, 2), llamaRelease(1, 2), "1.02.003.004 I slot print_timing: id  0 | task 19 |       total time =     877.62 ms /   137 tokens"},
		"generic":    {`time=2026-09-01T10:00:02Z level=info msg="batch dispatched" batch_size=64 batch_wait=1.5s queue_length=212 inflight=276 worker=gpu0`, `{"ts":"2026-09-01T10:01:00.5Z","level":"info","msg":"batch","batch_size":32,"batch_wait_ms":7.25,"queue_depth":14,"inflight":46,"engine":"gpu1"}`},
		"deepinfer":  {"2026-09-02T10:00:01.250Z  INFO deepinfer_scheduler::batcher: Executing batch 17 on gpu0: 16 requests, waited 4.75ms, 3 queued, 19 active"},
		"sglang":     {"[2026-06-03 09:02:01 TP0] Decode batch, #running-req: 32, #token: 11179, token usage: 0.08, cuda graph: True, gen throughput (token/s): 1635.11, #queue-req: 0"},
		"trtllm":     {"[06/10/2026-09:57:00] [TRT-LLM] [I] [_torch][RANK 0] iter = 300, global_rank = 0, rank = 0, num_scheduled_requests = 64, kv_cache_util = 0.412, currank_total_requests = 1/1024, host_step_time = 24.08ms, prev_device_step_time = 23.13ms, states = {}"},
		"tgi":        {`2026-05-08T21:31:00.100001Z  INFO generate{parameters=GenerateParameters { stop: ["x"] } total_time="667.179861ms" queue_time="129.535µs"}: text_generation_router::server: router/src/server.rs:432: Success`},
		"ollama":     {`[GIN] 2026/03/17 - 07:01:05 | 200 | 2.909282444s |       127.0.0.1 | POST     "/api/generate"`},
		"torchserve": {`2026-03-08T08:44:35,301 [INFO ] W-9003-vehicles_1.0 ACCESS_LOG - /10.60.0.8:47348 "POST /predictions/vehicles HTTP/1.1" 200 43`},
	} {
		ch := make(chan *model.Batch, 4)
		out := sources.NewOutlet(context.Background(), ch, 1, sources.Drain, nil)
		d := serverlog.NewDecoder(serverlog.Options{Format: format, Year: 2026})
		for _, l := range lines {
			text, now := []byte(l), t0
			got := testing.AllocsPerRun(2000, func() {
				now++
				d.Line(text, now, false, out)
				out.FlushAt(now)
				for len(ch) > 0 {
					sources.Recycle(<-ch)
				}
			})
			if got > 0 {
				t.Errorf("%s: want no allocation, got %v for %q", format, got, l)
			}
		}
	}
}
