package host

import (
	"strings"
	"testing"
)

func TestIdentify(t *testing.T) {
	tests := []struct {
		line string
		want string // tool, "" if none is known
		role Role
	}{
		{"vllm serve Qwen/Qwen3-8B --port 8000", "vllm", RoleServer},
		{"/usr/bin/python3.12 /opt/venv/bin/vllm serve m", "vllm", RoleServer},
		{"python -u -m vllm.entrypoints.openai.api_server --model m", "vllm", RoleServer},
		{"/usr/bin/python3 /opt/venv/bin/vllm bench serve --max-concurrency 8", "vllm_bench", RoleLoad},
		{"python benchmarks/benchmark_serving.py --backend vllm", "vllm_bench", RoleLoad},
		{"vllm --version", "", 0},
		{"python3 -m sglang.launch_server --model-path m", "sglang", RoleServer},
		{"python3 -m sglang.bench_serving --num-prompts 100", "sglang_bench", RoleLoad},
		{"./build/bin/llama-server -m m.gguf -np 4", "llamacpp", RoleServer},
		{"/usr/bin/python3 /usr/local/bin/trtllm-serve m", "trtllm", RoleServer},
		{"text-generation-launcher --model-id m", "tgi", RoleServer},
		{"text-embeddings-router --model-id m", "tei", RoleServer},
		{"python3 /usr/bin/infinity_emb v2 --model-id m", "infinity", RoleServer},
		{"/usr/local/bin/ollama serve", "ollama", RoleServer},
		{"ollama run llama3", "", 0},
		{"python3 /usr/bin/lmdeploy serve api_server m", "lmdeploy", RoleServer},
		{"tritonserver --model-repository /models", "triton", RoleServer},
		{"java -Xmx4g -cp a.jar:b.jar org.pytorch.serve.ModelServer --python python3", "torchserve", RoleServer},
		{"ray::ProxyActor", "ray-serve", RoleServer},
		{"vegeta attack -rate 10", "vegeta", RoleLoad},
		{"vegeta -cpus 2 attack -rate 10", "vegeta", RoleLoad},
		{"vegeta encode --to json", "", 0}, // found by the pipe it reads
		{"k6 run script.js", "k6", RoleLoad},
		{"/usr/bin/python3 /usr/local/bin/locust -f locustfile.py", "locust", RoleLoad},
		{"fortio load -c 8 http://h", "fortio", RoleLoad},
		{"fortio server", "", 0},
		{"java -jar /opt/jmeter/bin/ApacheJMeter.jar -n -l out.jtl", "jmeter", RoleLoad},
		{"node /usr/bin/autocannon -c 10 http://h", "autocannon", RoleLoad},
		{"vim vllm", "", 0},
		{"tail -F vllm.log", "", 0},
		{"sh -c vllm serve m", "", 0},
		{"python -c import vllm", "", 0},
		{"python3 train.py vllm serve", "", 0},
		{"heya", "", 0},
		{"docker run vllm serve", "", 0},
		{"python3", "", 0},
	}
	for _, tt := range tests {
		t.Run(tt.line, func(t *testing.T) {
			argv := strings.Fields(tt.line)
			if strings.HasPrefix(tt.line, "sh -c ") {
				argv = []string{"sh", "-c", strings.TrimPrefix(tt.line, "sh -c ")}
			}
			got, _ := identify(argv)
			switch {
			case got == nil && tt.want != "", got != nil && (got.Name != tt.want || got.Role != tt.role):
				t.Errorf("want %q, got %+v", tt.want, got)
			}
		})
	}
}

func TestFlag(t *testing.T) {
	tests := []struct {
		args, names, want string
	}{
		{"serve m --port 8000", "--port", "8000"},
		{"serve m --port=8001", "--port", "8001"},
		{"--port 1 --port 2", "--port", "2"},
		{"--max_num_seqs 16", "--max-num-seqs", "16"},
		{"-c8", "-c", "8"},
		{"-np 4", "-np --parallel", "4"},
		{"--parallel 4", "-np --parallel", "4"},
		{"-max-connections=8", "-max-connections", "8"},
		{"--max-connections=8", "-max-connections", "8"},
		{"--portal 9", "--port", ""},
		{"--port", "--port", ""},
		{"port 8000", "--port", ""},
	}
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			got, ok := flag(strings.Fields(tt.args), strings.Fields(tt.names)...)
			if got != tt.want || ok != (tt.want != "") {
				t.Errorf("want %q, got %q, %v", tt.want, got, ok)
			}
		})
	}
}

// id is a container's id as control groups have it.
const id = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

func TestGroups(t *testing.T) {
	tests := []struct {
		name, text string
		want       Group
		log        string
	}{
		{"docker under systemd", "0::/system.slice/docker-" + id + ".scope\n", Group{"0123456789ab", "docker", ""}, "exec:docker logs -f --tail 200 0123456789ab"},
		{"docker without systemd", "4:cpu,cpuacct:/docker/" + id + "\n", Group{"0123456789ab", "docker", ""}, "exec:docker logs -f --tail 200 0123456789ab"},
		{"podman", "0::/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" + id + ".scope/container\n", Group{"0123456789ab", "podman", ""}, "exec:podman logs -f --tail 200 0123456789ab"},
		{"kubernetes", "0::/kubepods.slice/kubepods-pod1.slice/cri-containerd-" + id + ".scope\n", Group{"0123456789ab", "cri", ""}, "exec:crictl logs -f --tail 200 0123456789ab"},
		{"a service", "0::/system.slice/vllm.service\n", Group{"", "", "vllm.service"}, "exec:journalctl -fu vllm.service -n 200 -o cat"},
		{"a user's own shell", "0::/user.slice/user-1000.slice/user@1000.service/app.slice/term.scope\n", Group{}, ""},
		{"root", "0::/\n", Group{}, ""},
		{"no such file's form", "garbage\n", Group{}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := parseGroup([]byte(tt.text))
			if got != tt.want || got.LogCommand() != tt.log {
				t.Errorf("want %+v and %q, got %+v and %q", tt.want, tt.log, got, got.LogCommand())
			}
		})
	}
}
