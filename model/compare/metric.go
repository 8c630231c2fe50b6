package compare

import "benchtop/model"

// Metric is one column that runs are compared by. Its ID is the key in
// Row.Values.
type Metric struct {
	ID     string
	Title  string
	Unit   string
	Scale  float64 // from base unit to Unit
	Better int     // 1: more is better, -1: less is better, 0: neither
	Effect bool    // what a run is judged by, rather than what explains it
	// Least is the smallest relative change that counts as one, Floor the
	// smallest absolute one in base units.
	Least, Floor float64
}

// Ids of metrics that are no series of the catalogue.
const (
	OutputTPS    = "output_tps"
	Goodput      = "goodput_rps"
	ServerTPS    = "server_tps"
	LatencyP50   = "latency_p50"
	LatencyP99   = "latency_p99"
	TTFTP50      = "ttft_p50"
	TTFTP99      = "ttft_p99"
	TPOTP50      = "tpot_p50"
	FailedShare  = "failed_share"
	Concurrency  = "client_concurrency"
	StartTemp    = "start_temp"
	HeldPower    = "held_power_cap"
	HeldThermal  = "held_thermal"
	PowerOfLimit = "power_of_limit"
	Clock        = "gpu_sm_clock"
	Batch        = "server_batch"
	StepTime     = "server_exec"
	Occupancy    = "gpu_sm_occupancy"
)

// metrics lists what has a title, a direction or a limit of its own. Other
// series of the catalogue are compared with the defaults.
var metrics = []Metric{
	{OutputTPS, "output tokens a second (client)", "tok/s", 1, 1, true, 0.01, 0},
	{Goodput, "good requests a second", "req/s", 1, 1, true, 0.01, 0},
	{ServerTPS, "generated tokens a second (server)", "tok/s", 1, 1, true, 0.01, 0},
	{LatencyP50, "latency p50", "ms", 1e3, -1, true, 0.01, 0},
	{LatencyP99, "latency p99", "ms", 1e3, -1, true, 0.02, 0},
	{TTFTP50, "time to first token p50", "ms", 1e3, -1, true, 0.02, 0.001},
	{TTFTP99, "time to first token p99", "ms", 1e3, -1, true, 0.02, 0.001},
	{TPOTP50, "time per output token p50", "ms", 1e3, -1, true, 0.02, 0.0002},
	{FailedShare, "failed requests", "%", 100, -1, true, 0.05, 0.005},

	{Concurrency, "client concurrency", "", 1, 0, false, 0.05, 0.5},
	{"server_running", "running at the server", "", 1, 0, false, 0.05, 0.5},
	{"server_waiting", "waiting at the server", "", 1, 0, false, 0.1, 1},
	{Batch, "requests in one step", "", 1, 0, false, 0.03, 0.2},
	{"server_batch_wait", "batch wait", "ms", 1e3, 0, false, 0.05, 0.001},
	{StepTime, "step time", "ms", 1e3, 0, false, 0.03, 0},
	{"server_kv_usage", "KV cache usage", "%", 100, 0, false, 0.05, 0.02},
	{"server_queue_time", "queue time", "ms", 1e3, 0, false, 0.05, 0.001},
	{Clock, "SM clock", "MHz", 1e-6, 0, false, 0.015, 15e6},
	{"gpu_mem_clock", "memory clock", "MHz", 1e-6, 0, false, 0.015, 15e6},
	{"gpu_temp", "GPU temperature", "°C", 1, 0, false, 0, 2},
	{StartTemp, "GPU temperature at the start", "°C", 1, 0, false, 0, 3},
	{"gpu_power", "power draw", "W", 1, 0, false, 0.03, 3},
	{PowerOfLimit, "power draw of its limit", "%", 100, 0, false, 0.03, 0.02},
	{HeldPower, "time held back by the power cap", "%", 100, 0, false, 0, 0.05},
	{HeldThermal, "time held back by heat", "%", 100, 0, false, 0, 0.05},
	{"gpu_util", "GPU busy time (no measure of efficiency)", "%", 100, 0, false, 0.02, 0.03},
	{"gpu_mem_used", "GPU memory in use", "MiB", 1.0 / (1 << 20), 0, false, 0.02, 64 << 20},
	{"gpu_sm_activity", "SM activity", "%", 100, 0, false, 0.03, 0.02},
	{Occupancy, "SM occupancy", "%", 100, 0, false, 0.03, 0.02},
	{"gpu_tensor_activity", "tensor activity", "%", 100, 0, false, 0.03, 0.02},
	{"gpu_dram_activity", "memory bandwidth used", "%", 100, 0, false, 0.03, 0.02},
	{"host_client_thread", "the client's busiest thread", "cores", 1, 0, false, 0.05, 0.05},
	{"host_server_thread", "the server's busiest thread", "cores", 1, 0, false, 0.05, 0.05},
	{"host_client_cpu", "the client's CPU", "cores", 1, 0, false, 0.1, 0.1},
	{"host_server_cpu", "the server's CPU", "cores", 1, 0, false, 0.1, 0.1},
	{"host_other_cpu", "CPU of other processes", "%", 100, 0, false, 0.1, 0.03},
	{"host_cpu_clock", "CPU clock", "MHz", 1e-6, 0, false, 0.03, 50e6},
	{"client_input_tokens", "prompt tokens a request", "", 1, 0, false, 0.01, 0.5},
	{"client_output_tokens", "output tokens a request", "", 1, 0, false, 0.01, 0.5},
}

// unit words and scales by base unit, for series without an entry above.
var units = map[model.Unit]struct {
	word  string
	scale float64
}{
	model.Count: {"", 1}, model.Seconds: {"ms", 1e3}, model.Ratio: {"%", 100}, model.Hertz: {"MHz", 1e-6}, model.Watts: {"W", 1},
	model.Celsius: {"°C", 1}, model.Bytes: {"MiB", 1.0 / (1 << 20)}, model.Tokens: {"", 1}, model.TokensPerSecond: {"tok/s", 1},
	model.Cores: {"cores", 1}, model.PerSecond: {"1/s", 1}, model.BytesPerSecond: {"MiB/s", 1.0 / (1 << 20)}, model.Joules: {"J", 1},
}

// Find is the metric of that id. A series of the catalogue without an entry of
// its own gets the defaults: 5 % counts as moved.
func Find(id string) (Metric, bool) {
	for _, m := range metrics {
		if m.ID == id {
			return m, true
		}
	}
	s, ok := model.SeriesByName(id)
	if !ok {
		return Metric{}, false
	}
	d := s.Describe()
	u := units[d.Unit]
	m := Metric{ID: id, Title: d.Help, Unit: u.word, Scale: u.scale, Least: 0.05}
	if d.Shape == model.Counter || d.Shape == model.Span { // compared as amounts a second
		m.Title, m.Unit, m.Scale, m.Floor = d.Help+", a second", "1/s", 1, 0.05
	}
	if d.Unit == model.Ratio {
		m.Floor = 0.02
	}
	return m, true
}

// Metrics lists the metrics with an entry of their own, effects first.
func Metrics() []Metric { return append([]Metric(nil), metrics...) }
