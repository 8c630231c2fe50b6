package host

import (
	"path"
	"slices"
	"strings"
)

// Role is the part a program plays in a benchmark.
type Role uint8

// The roles.
const (
	RoleServer Role = iota // answers inference requests
	RoleLoad               // sends them
)

// Asking says how a server's metrics endpoint may be treated by who only looks
// around (see the scrape package on endpoints that reading changes).
type Asking uint8

// How to treat an endpoint.
const (
	AskFirst  Asking = iota // one GET tells whether it is there
	AskNever                // reading takes something away: never only to look
	TakeAsIs                // reading changes a little: poll it as a source or not at all
	NoMetrics               // it has none
)

// A Tool is one program of benchmarks, and how its command line is read.
type Tool struct {
	Name string // as the server's metrics or log format calls it
	Role Role
	// progs are names of programs, scripts or modules ("vllm.entrypoints" stands
	// for all below it); verb, if there is one, must follow as an argument.
	progs []string
	verb  []string

	Port        int      // where it serves if no flag says otherwise, 0 if that is not known
	portFlags   []string // flags that name the port
	hostFlags   []string
	metricsFlag []string // flags that name a port of its own for metrics
	MetricsPort int      // 0: the same port
	Path        string   // of the endpoint, "" is /metrics
	Ask         Asking
	enable      []string // flags without which there are no metrics
	settings    []flagSetting
	model       []string // flags that name the model
	logs        []string // flags that name the log file
	writes      []string // flags that name a file of results
}

// flagSetting is a flag whose number is a setting of the run.
type flagSetting struct {
	flags []string
	name  string // as in Note.Name of a setting
	unit  float64
}

func set(name string, flags ...string) flagSetting { return flagSetting{flags, name, 1} }

// within and rate are settings whose values may carry a unit: 60s, 50/1s.
func within(flags ...string) flagSetting { return set("client_timeout_s", flags...) }

func rate(flags ...string) flagSetting { return set("rate_rps", flags...) }

var (
	port = []string{"--port"}
	at   = []string{"--host"}
)

// tools lists every program that is known, the more particular first.
var tools = []Tool{
	// Load generators come first: some share a program with a server.
	{
		Name: "vllm_bench", Role: RoleLoad, progs: []string{"vllm"}, verb: []string{"bench"},
		settings: []flagSetting{set("target_concurrency", "--max-concurrency"), rate("--request-rate")}, writes: []string{"--result-filename"},
	},
	{
		Name: "vllm_bench", Role: RoleLoad, progs: []string{"benchmark_serving", "vllm.benchmarks"},
		settings: []flagSetting{set("target_concurrency", "--max-concurrency"), rate("--request-rate")}, writes: []string{"--result-filename"},
	},
	{
		Name: "sglang_bench", Role: RoleLoad, progs: []string{"sglang.bench_serving", "bench_serving"},
		settings: []flagSetting{set("target_concurrency", "--max-concurrency"), rate("--request-rate")}, writes: []string{"--output-file"},
	},
	{
		Name: "vegeta", Role: RoleLoad, progs: []string{"vegeta"}, verb: []string{"attack"},
		settings: []flagSetting{set("client_connections", "-max-connections"), rate("-rate"), within("-timeout")}, writes: []string{"-output"},
	},
	{Name: "k6", Role: RoleLoad, progs: []string{"k6"}, settings: []flagSetting{set("target_concurrency", "--vus", "-u")}, writes: []string{"--out", "-o", "--summary-export"}},
	{Name: "locust", Role: RoleLoad, progs: []string{"locust"}, settings: []flagSetting{set("target_concurrency", "--users", "-u")}, writes: []string{"--csv", "--logfile"}},
	{Name: "wrk", Role: RoleLoad, progs: []string{"wrk", "wrk2"}, settings: []flagSetting{set("target_concurrency", "-c", "--connections"), rate("-R", "--rate"), within("--timeout")}},
	{Name: "hey", Role: RoleLoad, progs: []string{"hey"}, settings: []flagSetting{set("target_concurrency", "-c"), within("-t")}},
	{Name: "oha", Role: RoleLoad, progs: []string{"oha"}, settings: []flagSetting{set("target_concurrency", "-c"), rate("-q"), within("-t")}, writes: []string{"--output", "-o"}},
	{Name: "fortio", Role: RoleLoad, progs: []string{"fortio"}, verb: []string{"load"}, settings: []flagSetting{set("target_concurrency", "-c"), rate("-qps"), within("-timeout")}, writes: []string{"-json", "-access-log-file"}},
	{Name: "h2load", Role: RoleLoad, progs: []string{"h2load"}, settings: []flagSetting{set("client_connections", "-c", "--clients")}, writes: []string{"--log-file"}},
	{Name: "ab", Role: RoleLoad, progs: []string{"ab"}, settings: []flagSetting{set("target_concurrency", "-c"), within("-s")}, writes: []string{"-g", "-e"}},
	{Name: "siege", Role: RoleLoad, progs: []string{"siege"}, settings: []flagSetting{set("target_concurrency", "-c", "--concurrent")}, writes: []string{"--log"}},
	{Name: "bombardier", Role: RoleLoad, progs: []string{"bombardier"}, settings: []flagSetting{set("target_concurrency", "-c", "--connections"), rate("-r", "--rate"), within("-t", "--timeout")}},
	{Name: "autocannon", Role: RoleLoad, progs: []string{"autocannon"}, settings: []flagSetting{set("target_concurrency", "-c", "--connections"), rate("-R", "--overallRate"), within("-t", "--timeout")}},
	{Name: "ghz", Role: RoleLoad, progs: []string{"ghz"}, settings: []flagSetting{set("target_concurrency", "-c", "--concurrency"), rate("-r", "--rps"), within("-t", "--timeout")}, writes: []string{"-o", "--output"}},
	{Name: "jmeter", Role: RoleLoad, progs: []string{"jmeter", "ApacheJMeter"}, writes: []string{"-l"}},
	{Name: "gatling", Role: RoleLoad, progs: []string{"io.gatling"}},
	{Name: "artillery", Role: RoleLoad, progs: []string{"artillery"}, writes: []string{"--output", "-o"}},
	{Name: "guidellm", Role: RoleLoad, progs: []string{"guidellm"}, writes: []string{"--output-path"}},
	{Name: "genai_perf", Role: RoleLoad, progs: []string{"genai-perf", "genai_perf", "perf_analyzer"}, settings: []flagSetting{set("target_concurrency", "--concurrency")}, writes: []string{"--profile-export-file"}},
	{Name: "aiperf", Role: RoleLoad, progs: []string{"aiperf"}, settings: []flagSetting{set("target_concurrency", "--concurrency"), rate("--request-rate"), within("--request-timeout-seconds")}},
	{Name: "llmperf", Role: RoleLoad, progs: []string{"token_benchmark_ray"}, settings: []flagSetting{set("target_concurrency", "--num-concurrent-requests")}},
	{Name: "inference_perf", Role: RoleLoad, progs: []string{"inference-perf", "inference_perf"}},
	{Name: "evalscope", Role: RoleLoad, progs: []string{"evalscope"}, verb: []string{"perf"}, settings: []flagSetting{set("target_concurrency", "--parallel")}},

	{
		Name: "vllm", progs: []string{"vllm"}, verb: []string{"serve"}, Port: 8000, portFlags: port, hostFlags: at,
		settings: []flagSetting{set("max_batch", "--max-num-seqs")}, model: []string{"--model"},
	},
	{
		Name: "vllm", progs: []string{"vllm.entrypoints"}, Port: 8000, portFlags: port, hostFlags: at,
		settings: []flagSetting{set("max_batch", "--max-num-seqs")}, model: []string{"--model"},
	},
	{
		Name: "sglang", progs: []string{"sglang.launch_server"}, Port: 30000, portFlags: port, hostFlags: at, enable: []string{"--enable-metrics"},
		settings: []flagSetting{set("max_batch", "--max-running-requests")}, model: []string{"--model-path", "--model"},
	},
	{
		Name: "sglang", progs: []string{"sglang"}, verb: []string{"serve"}, Port: 30000, portFlags: port, hostFlags: at, enable: []string{"--enable-metrics"},
		settings: []flagSetting{set("max_batch", "--max-running-requests")}, model: []string{"--model-path", "--model"},
	},
	{
		Name: "llamacpp", progs: []string{"llama-server", "llama_server"}, Port: 8080, portFlags: port, hostFlags: at, Ask: TakeAsIs, enable: []string{"--metrics"},
		settings: []flagSetting{set("slots", "-np", "--parallel")}, model: []string{"-m", "--model", "--alias", "-a"}, logs: []string{"--log-file"},
	},
	{
		Name: "trtllm", progs: []string{"trtllm-serve", "tensorrt_llm.commands.serve"}, Port: 8000, portFlags: port, hostFlags: at, Ask: AskNever,
		settings: []flagSetting{set("max_batch", "--max_batch_size")},
	},
	{
		Name: "tgi", progs: []string{"text-generation-launcher", "text-generation-router"}, Port: 3000, portFlags: []string{"--port", "-p"}, hostFlags: []string{"--hostname"},
		settings: []flagSetting{set("max_batch", "--max-batch-size"), set("max_queue", "--max-concurrent-requests")}, model: []string{"--model-id"},
	},
	{
		Name: "tei", progs: []string{"text-embeddings-router"}, Port: 3000, portFlags: []string{"--port", "-p"}, hostFlags: []string{"--hostname"},
		settings: []flagSetting{set("max_batch", "--max-batch-requests"), set("max_queue", "--max-concurrent-requests")}, model: []string{"--model-id"},
	},
	{
		Name: "infinity", progs: []string{"infinity_emb"}, Port: 7997, portFlags: port, hostFlags: at,
		settings: []flagSetting{set("max_batch", "--batch-size")}, model: []string{"--model-id"},
	},
	{Name: "ollama", progs: []string{"ollama"}, verb: []string{"serve"}, Port: 11434, Ask: NoMetrics},
	{
		Name: "lmdeploy", progs: []string{"lmdeploy"}, verb: []string{"serve"}, Port: 23333, portFlags: []string{"--server-port"}, hostFlags: []string{"--server-name"},
		settings: []flagSetting{set("max_batch", "--max-batch-size")},
	},
	{Name: "triton", progs: []string{"tritonserver"}, Port: 8000, portFlags: []string{"--http-port"}, hostFlags: []string{"--http-address"}, MetricsPort: 8002, metricsFlag: []string{"--metrics-port"}},
	{Name: "torchserve", progs: []string{"org.pytorch.serve"}, Port: 8080, MetricsPort: 8082},
	{Name: "ray-serve", progs: []string{"ray::ProxyActor", "ray::HTTPProxyActor"}, Port: 8000, MetricsPort: 8080},
	{Name: "deepinfer", progs: []string{"deepinfer-gateway", "deepinfer"}, portFlags: port, hostFlags: at},
}

// interpreters run what their first argument names.
var interpreters = []string{"python", "pypy", "node", "java", "ruby", "perl", "uv"}

// identify finds out which tool a command line starts, and gives the arguments
// behind its name; nil if none that is known.
func identify(argv []string) (*Tool, []string) {
	for _, p := range programs(argv) {
		for i := range tools {
			t := &tools[i]
			if !matches(t.progs, p.name) {
				continue
			}
			// Options of the program itself may stand before the verb.
			if len(t.verb) == 0 || slices.Contains(p.args[:min(len(p.args), 4)], t.verb[0]) {
				return t, p.args
			}
		}
	}
	return nil, nil
}

// program is one name that a command line may be known by.
type program struct {
	name string
	args []string
}

// programs lists what a command line runs: the program itself, or what an
// interpreter was told to run. A title that a process gave itself is one word
// with blanks ("ray::ProxyActor").
func programs(argv []string) []program {
	if len(argv) == 0 {
		return nil
	}
	name := argv[0]
	if len(argv) == 1 && strings.Contains(name, " ") {
		words := strings.Fields(name)
		return programs(words)
	}
	if !strings.Contains(name, "::") {
		name = path.Base(name)
	}
	out := []program{{name, argv[1:]}}
	for _, p := range interpreters {
		if rest, ok := strings.CutPrefix(name, p); !ok || strings.Trim(rest, "0123456789.t") != "" {
			continue
		}
		for i := 1; i < len(argv) && i < 64; i++ {
			a := argv[i]
			switch {
			case (a == "-m" || a == "-jar") && i+1 < len(argv):
				return append(out, program{strings.TrimSuffix(path.Base(argv[i+1]), ".jar"), argv[i+2:]})
			case a == "-c" || a == "-e":
				return out
			case a == "-cp" || a == "-classpath" || a == "-X" || a == "-W":
				i++ // its value
			case !strings.HasPrefix(a, "-") && a != "run":
				return append(out, program{strings.TrimSuffix(path.Base(a), ".py"), argv[i+1:]})
			}
		}
	}
	return out
}

// matches reports whether name is one of the programs, or below one of them in
// a dotted path.
func matches(progs []string, name string) bool {
	for _, p := range progs {
		if rest, ok := strings.CutPrefix(name, p); ok && (rest == "" || rest[0] == '.' || rest[0] == ':') {
			return true
		}
	}
	return false
}

// flag finds the value of the last of some flags, as `--flag value`,
// `--flag=value` or, for one letter, `-fvalue`; a flag's dashes and underscores
// are alike.
func flag(args []string, names ...string) (value string, ok bool) {
	for i, a := range args {
		if !strings.HasPrefix(a, "-") {
			continue
		}
		key, v, has := strings.Cut(a, "=")
		for _, n := range names {
			same := plainFlag(key) == plainFlag(n) || strings.HasPrefix(n, "-") && !strings.HasPrefix(n, "--") && len(n) > 2 && key == "-"+n
			switch {
			case same && has:
				value, ok = v, true
			case same && i+1 < len(args):
				value, ok = args[i+1], true
			case len(n) == 2 && len(a) > 2 && strings.HasPrefix(a, n) && a[2] >= '0' && a[2] <= '9':
				value, ok = a[2:], true
			}
		}
	}
	return value, ok
}

// given reports whether one of the flags stands there, with or without a value.
func given(args []string, names ...string) bool {
	for _, a := range args {
		key, v, _ := strings.Cut(a, "=")
		for _, n := range names {
			if plainFlag(key) == plainFlag(n) && v != "false" && v != "0" {
				return true
			}
		}
	}
	return false
}

func plainFlag(s string) string { return strings.ReplaceAll(s, "_", "-") }
