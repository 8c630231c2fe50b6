package host_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"benchtop/sources/host"
)

// TestEveryEngineIsFound looks around on a machine, written down, on which one
// server runs: each engine by the command line that it has when started as its
// documentation says, and the workers that it starts are no servers of their own.
func TestEveryEngineIsFound(t *testing.T) {
	tests := []struct {
		line    string // arguments are separated by blanks, except where the process set its title
		workers []string
		engine  string
		port    int // where it listens
		url     string
		ask     host.Asking
		lacks   string // the flag without which it has no metrics
		model   string
	}{
		{line: "/opt/venv/bin/python3 /opt/venv/bin/vllm serve tiny --port 8001", workers: []string{"VLLM::EngineCore", "VLLM::Worker_TP0"}, engine: "vllm", port: 8001, url: ":8001/metrics", model: "tiny"},
		{line: "python3 -m vllm.entrypoints.openai.api_server --model tiny", workers: []string{"python3 -c from multiprocessing.spawn import spawn_main"}, engine: "vllm", port: 8000, url: ":8000/metrics", model: "tiny"},
		{line: "python3 -m sglang.launch_server --model-path tiny --port 30001 --enable-metrics", workers: []string{"sglang::scheduler", "sglang::detokenizer"}, engine: "sglang", port: 30001, url: ":30001/metrics", model: "tiny"},
		{line: "python3 -m sglang.launch_server --model-path tiny", engine: "sglang", port: 30000, url: ":30000/metrics", lacks: "--enable-metrics", model: "tiny"},
		{line: "/srv/llama.cpp/build/bin/llama-server -m tiny.gguf --port 8081 --metrics -np 4", engine: "llamacpp", port: 8081, url: ":8081/metrics", ask: host.TakeAsIs, model: "tiny.gguf"},
		{line: "/usr/bin/python3 /usr/local/bin/trtllm-serve tiny --port 8002", workers: []string{"/usr/bin/python3 -m mpi4py.futures.server"}, engine: "trtllm", port: 8002, url: ":8002/metrics", ask: host.AskNever},
		{line: "/usr/bin/python3 /usr/local/bin/trtllm-serve serve tiny --port 8002", engine: "trtllm", port: 8002, url: ":8002/metrics", ask: host.AskNever},
		{line: "text-generation-launcher --model-id tiny -p 3001", workers: []string{"text-generation-router --port 3001", "/usr/bin/python3 /opt/conda/bin/text-generation-server serve tiny"}, engine: "tgi", port: 3001, url: ":3001/metrics", model: "tiny"},
		{line: "text-embeddings-router --model-id tiny --port 8089", engine: "tei", port: 8089, url: ":8089/metrics", model: "tiny"},
		{line: "/usr/bin/python3 /usr/local/bin/infinity_emb v2 --model-id tiny --port 7998", engine: "infinity", port: 7998, url: ":7998/metrics", model: "tiny"},
		{line: "/usr/local/bin/ollama serve", workers: []string{"/usr/local/bin/ollama runner --model /m --port 41023"}, engine: "ollama", port: 11434, ask: host.NoMetrics},
		{line: "/usr/bin/python3 /usr/local/bin/lmdeploy serve api_server tiny --server-port 23334", engine: "lmdeploy", port: 23334, url: ":23334/metrics", model: "tiny"},
		{line: "tritonserver --model-repository=/models --http-port=8010 --metrics-port=8012", workers: []string{"/opt/tritonserver/backends/python/triton_python_backend_stub /models/a/1/model.py"}, engine: "triton", port: 8010, url: ":8012/metrics"},
		{line: "java -Dmodel_server_home=/opt/ts -cp .:/opt/ts/frontend/* org.pytorch.serve.ModelServer --python /usr/bin/python3", workers: []string{"/usr/bin/python3 /opt/ts/model_service_worker.py --sock-type unix"}, engine: "torchserve", port: 8080, url: ":8082/metrics"},
		{line: "ray::ProxyActor", engine: "ray-serve", port: 8000, url: ":8080/metrics"},
	}
	for _, tt := range tests {
		t.Run(tt.line, func(t *testing.T) {
			dir := t.TempDir()
			process := func(pid, parent int, line string) {
				at := fmt.Sprintf("proc/%d/", pid)
				argv := strings.ReplaceAll(line, " ", "\x00") + "\x00"
				write(t, dir, at+"cmdline", argv)
				write(t, dir, at+"stat", fmt.Sprintf("%d (x) S %d %d %d 0 -1 0 0 0 0 0 1 1 0 0 20 0 1 0 100 1 1\n", pid, parent, pid, pid))
				write(t, dir, at+"cgroup", "0::/\n")
			}
			process(100, 1, tt.line)
			children := ""
			for i, w := range tt.workers {
				process(101+i, 100, w)
				children += fmt.Sprint(101+i, " ")
			}
			write(t, dir, "proc/100/task/100/children", children)
			rows := "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
			listen := []int{tt.port}
			if _, metrics, ok := strings.Cut(tt.url, ":"); ok {
				var n int
				if fmt.Sscanf(metrics, "%d/", &n); n != tt.port {
					listen = append(listen, n)
				}
			}
			if err := os.MkdirAll(filepath.Join(dir, "proc/100/fd"), 0o755); err != nil {
				t.Fatal(err)
			}
			for i, p := range listen {
				rows += fmt.Sprintf("   %d: 0100007F:%04X 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 %d 1 0 100 0 0 10 0\n", i, p, 4000+i)
				if err := os.Symlink(fmt.Sprintf("socket:[%d]", 4000+i), filepath.Join(dir, "proc/100/fd", fmt.Sprint(3+i))); err != nil {
					t.Fatal(err)
				}
			}
			write(t, dir, "proc/self/net/tcp", rows)
			if err := os.Symlink("../self/net", filepath.Join(dir, "proc/100/net")); err != nil { // of the same namespace
				t.Fatal(err)
			}
			process(50, 1, "vim "+tt.engine+".log")
			scene, err := host.Look(dir + "/proc")
			if err != nil {
				t.Fatal(err)
			}
			if len(scene.Servers) != 1 || len(scene.Loads) != 0 {
				t.Fatalf("want one server and no load generator, got %+v", scene)
			}
			f := scene.Servers[0]
			if f.Tool.Name != tt.engine || f.PID != 100 || f.Port != tt.port || f.Tool.Ask != tt.ask || f.Disabled != tt.lacks || f.Model != tt.model {
				t.Errorf("want %+v, got %s, PID %d, port %d, ask %d, lacking %q, model %q", tt, f.Tool.Name, f.PID, f.Port, f.Tool.Ask, f.Disabled, f.Model)
			}
			want := ""
			if tt.url != "" {
				want = "http://127.0.0.1" + tt.url
			}
			if tt.ask != host.NoMetrics && f.URL != want {
				t.Errorf("want its metrics at %q, got %q", want, f.URL)
			}
		})
	}
}
