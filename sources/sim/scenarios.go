package sim

import "fmt"

// Scenario is one named run of the model.
type Scenario struct {
	Name    string
	Line    string   // what it shows, one line
	Verdict []string // ids that are right at its end; an abstention is "not_enough_evidence/reason"
	Raised  []string // findings that must have been raised as well
	Changes string   // parameters that differ from Base, as Params.Change reads them
	Phases  []Phase  // changes in mid-run
}

// Phase changes parameters while the run goes on, with a mark on the time axis.
type Phase struct {
	At      float64 // seconds from the start
	Mark    string
	Changes string
	Verdict []string // ids that are right at the phase's end
}

// Params are the scenario's parameters at its start.
func (s *Scenario) Params() (Params, error) {
	p := Base()
	if err := p.Change(s.Changes); err != nil {
		return p, fmt.Errorf("scenario %s: %w", s.Name, err)
	}
	if err := p.Validate(); err != nil {
		return p, fmt.Errorf("scenario %s: %w", s.Name, err)
	}
	later := p
	for _, ph := range s.Phases {
		if err := later.Change(ph.Changes); err != nil {
			return p, fmt.Errorf("scenario %s, %s: %w", s.Name, ph.Mark, err)
		}
		if err := later.Validate(); err != nil {
			return p, fmt.Errorf("scenario %s, %s: %w", s.Name, ph.Mark, err)
		}
	}
	return p, nil
}

// Default is what a demo without a name plays.
const Default = "tour"

// Scenarios lists every scenario, in the order `demo --list` prints them. The
// caller may keep it.
func Scenarios() []Scenario { return append([]Scenario(nil), scenarios...) }

// Find is the scenario of that name.
func Find(name string) (Scenario, bool) {
	for _, s := range scenarios {
		if s.Name == name {
			return s, true
		}
	}
	return Scenario{}, false
}

func ids(s ...string) []string { return s }

// scenarios is the registry: one row each, its parameters spelled as in the
// model's description.
var scenarios = []Scenario{
	{"tour", "all of it in one run: balanced, a pool of 8, a short timeout, hot air, cooled again", ids("server_saturated", "none", "closed_loop_ceiling"), ids("thermal"), "duration_s=335, workers=32", tour},

	{"healthy_balanced", "healthy: 32 workers against a batch of 32", ids("none", "closed_loop_ceiling"), nil, "", nil},
	{"healthy_open", "healthy: 10 arrivals a second, the server keeps up", ids("none"), nil, "mode=open, poisson=true, rate_per_s=10", nil},
	{"healthy_static_open", "healthy: a static batcher with 70 arrivals a second", ids("none"), nil, "batch_wait_s=0.008, host_step_s=0.002, kv_tokens=0, max_batch=16, mode=open, poisson=true, rate_per_s=70, server=static, t0_s=0.06, t1_s=0.003", nil},

	{"client_pool", "48 workers share 8 connections; the server has room", ids("client_pool"), nil, "pool=8, workers=48", nil},
	{"client_cpu", "one client thread is full: 64 workers, 6 requests a second", ids("client_cpu"), nil, "client_cpu_recv_s=0.096, client_cpu_send_s=0.064, workers=64", nil},
	{"gateway_limit", "a gateway on the way lets 8 requests through", ids("path_stuck"), nil, "gateway_limit=8, workers=48", nil},
	{"slow_connect", "keep-alive off and a slow accept: requests are stuck connecting", ids("path_stuck"), nil, "accept_s=0.18, connect_s=0.01, keep_alive=false, workers=48", nil},
	{"gateway_full_server", "a gateway holds the queue of a server that is full", ids("server_saturated"), nil, "gateway_limit=33, workers=72", nil},
	{"low_concurrency", "10 workers can't fill a batch of 32", ids("concurrency_lt_maxbatch", "closed_loop_ceiling"), nil, "workers=10", nil},
	{"client_below_target", "told to hold 48 in flight, the client holds 8", ids("client_below_target"), ids("client_below_target"), "target=48, workers=8", nil},

	{"batching_off", "batch size 1 while others wait", ids("batching_off"), nil, "max_batch=1, output_tokens=16, workers=24", nil},
	{"batch_wait", "batches wait 150 ms for company that never comes", ids("batch_wait_ceiling"), nil, "batch_wait_s=0.15, host_step_s=0.002, kv_tokens=0, max_batch=16, server=static, t0_s=0.06, t1_s=0.003, workers=8", nil},
	{"saturated", "64 workers against a batch of 32: full and queueing", ids("server_saturated"), nil, "workers=64", nil},
	{"power_cap_benign", "saturated, with the power cap's bit on and hardly any clock lost", ids("server_saturated"), nil, "power_limit_w=376.9, workers=64", nil},
	{"overload_open", "21 arrivals a second against a capacity of 16: the queue grows", ids("queue_unbounded"), ids("queue_unbounded"), "mode=open, poisson=true, rate_per_s=21", nil},

	{"short_timeout", "the client gives up after 2.6 s, the server needs longer", ids("client_timeout"), ids("client_timeout"), "client_timeout_s=2.6, output_cv=0.35, workers=64", nil},
	{"queue_full", "a queue of 6 overflows: 503s are the surplus of a full server", ids("server_saturated"), ids("server_rejects"), "mode=open, poisson=true, queue_limit=6, rate_per_s=24", nil},
	{"fast_fail", "rejected workers come back at once: the rate counts failures", ids("server_saturated"), ids("server_rejects", "qps_counts_failures"), "queue_limit=3, workers=44", nil},
	{"rejects_with_room", "an admission limit of 14 rejects while the batch has room", ids("server_rejects"), ids("server_rejects"), "admission_limit=14, workers=22", nil},
	{"net_loss", "packets are lost: latency in steps of 200 ms", ids("network"), ids("network"), "loss_p=0.15, output_tokens=10, prompt_tokens=64, workers=24", nil},
	{"resets", "8 % of the requests find their connection reset", ids("network"), ids("network"), "reset_p=0.08, workers=64", nil},

	{"thermal_sw", "the inlet air gets hot: software thermal slowdown", ids("thermal"), ids("thermal"), "hot_by_c=38, hot_from_s=50, thermal_tau_s=14, workers=64", nil},
	{"thermal_hw", "the inlet air gets hot: hardware thermal slowdown", ids("thermal"), ids("thermal"), "hot_by_c=38, hot_from_s=45, sw_slowdown_c=200, thermal_tau_s=12, workers=64", nil},
	{"power_cap", "a power limit of 251 W costs a fifth of the clock", ids("power_cap"), ids("power_cap"), "power_limit_w=251.5, workers=64", nil},
	{"power_brake", "the power supply pulls the brake at 80 s", ids("power_brake"), ids("power_brake"), "brake_from_s=80, brake_len_s=200, workers=64", nil},
	{"clock_drift", "the clock falls by a fifth and no reason bit says why", ids("clock_drift"), ids("clock_drift"), "drift_frac=0.22, drift_from_s=80, workers=64", nil},
	{"idle_gaps", "the GPU idles between steps: the host is slow", ids("gpu_idle_gaps"), ids("gpu_idle_gaps"), "host_step_s=0.016, workers=64", nil},
	{"low_sm", "kernels run all the time and fill a fifth of the GPU", ids("low_sm_activity"), ids("low_sm_activity"), "sm_activity_full=0.22, workers=64", nil},
	{"kv_pressure", "the KV cache is full before the batch is", ids("kv_pressure"), ids("kv_pressure"), "kv_tokens=7000, max_batch=64, output_tokens=140, prompt_tokens=120, workers=80", nil},
	{"hot_engine", "two engines, and the router sends 90 % to one", ids("engine_imbalance"), ids("engine_imbalance"), "engines=2, router_share=0.9, workers=64", nil},

	{"cpu_quota", "the container's CPU quota stops the server half of the time", ids("cpu_quota"), ids("cpu_quota"), "cpu_quota_host_mul=16, cpu_quota_throttled_share=0.5, workers=64", nil},
	{"cpu_freq", "the CPU clock halves at 80 s", ids("cpu_freq"), ids("cpu_freq"), "cpu_freq_drop_at_s=80, cpu_freq_frac=0.5, host_step_s=0.006, workers=64", nil},
	{"noisy_cpu", "a neighbour takes the CPU in bursts", ids("noisy_neighbour"), ids("noisy_neighbour"), "host_step_s=0.002, noisy_cpu_share=0.6, noisy_duty=0.7, noisy_from_s=60, noisy_host_mul=7, noisy_period_s=25, workers=64", nil},
	{"mem_oom", "memory runs out at 80 s", ids("mem_pressure"), ids("mem_pressure"), "mem_host_mul=16, mem_pressure_from_s=80, mem_psi=0.3, workers=64", nil},
	{"server_cpu", "the server's busiest thread is full, the GPU waits for it", ids("server_cpu"), ids("server_cpu", "gpu_idle_gaps"), "host_step_s=0.016, server_busiest_thread_cores=1.0, workers=64", nil},
	{"debug_log", "DEBUG logging slows the server down", ids("debug_log"), ids("debug_log"), "debug_host_mul=16, debug_log=true, workers=64", nil},
	{"debug_log_harmless", "DEBUG logging that costs nothing", ids("server_saturated"), nil, "debug_host_mul=1.3, debug_log=true, host_step_s=0.0006, workers=64", nil},

	{"server_silent", "the server's log stops at 60 s", ids("not_enough_evidence/server_log"), ids("server_silent"), "server_log_silent_after_s=60, workers=64", nil},
	{"clock_skew", "the server's clock is 17 s ahead", ids("server_saturated"), ids("clock_skew"), "server_clock_skew_s=17, workers=64", nil},
	{"cold_start", "the run ends before the server is warm", ids("not_enough_evidence/not_warm"), nil, "duration_s=75, warm_amp=1.8, warm_tau_s=55, workers=64", nil},
	{"unstable", "throughput jumps about for no reason anybody can see", ids("not_enough_evidence/unsteady"), ids("unsteady"), "regime_amp=1.3, regime_period_s=16, workers=64", nil},
	{"short_run", "35 s and few requests: too little to judge", ids("not_enough_evidence/too_few", "not_enough_evidence/not_warm"), nil, "duration_s=35, output_tokens=400, workers=4", nil},
	{"bimodal", "one request in eight is five times longer", ids("server_saturated"), ids("bimodal"), "long_frac=0.12, long_mul=5, output_cv=0.06, output_tokens=32, workers=44", nil},
	{"server_crash", "the server is killed at 80 s and comes back cold", ids("server_saturated"), ids("server_down"), "crash_at_s=80, crash_down_s=8, workers=64", nil},

	{"timeout_slow_clock", "timeouts that follow a falling clock", ids("thermal"), ids("thermal", "client_timeout"), "client_timeout_s=2.4, clock_elasticity=0.9, hot_by_c=48, hot_from_s=55, output_cv=0, thermal_tau_s=11, warm_amp=0.03", nil},
	{"timeout_batch_wait", "timeouts that follow a long batch wait", ids("batch_wait_ceiling"), ids("client_timeout", "batch_wait_ceiling"), "batch_wait_s=0.2, client_timeout_s=0.296, host_step_s=0.002, kv_tokens=0, max_batch=16, server=static, step_noise_cv=0.08, t0_s=0.06, t1_s=0.003, workers=8", nil},
	{"throttled_client_bound", "a hot GPU that is not the limit: the pool is", ids("client_pool"), ids("thermal"), "hot_by_c=46, hot_from_s=35, pool=8, thermal_tau_s=11, workers=48", nil},
	{"throttled_open_keeps_up", "a hot GPU that keeps up with its arrivals", ids("none"), ids("thermal"), "hot_by_c=46, hot_from_s=35, mode=open, poisson=true, rate_per_s=5, thermal_tau_s=11", nil},
	{"case_batch4", "the case study, batch 4: 1200 tokens a second at 1.8 GHz, below the power limit", ids("server_saturated"), nil, "workers=16, output_tokens=128, output_cv=0, warm_amp=0.05, clock_max_mhz=1800, power_limit_w=310, step_noise_cv=0.01, t1_s=0, tp_s=0, host_step_s=0, log_every_s=2, max_batch=4, t0_s=0.00333, power_dynamic_w=230, sm_occupancy=0.85", nil},
	{"case_batch8", "the case study, batch 8: 900 tokens a second, held at the power limit", ids("power_cap"), ids("power_cap"), "workers=16, output_tokens=128, output_cv=0, warm_amp=0.05, clock_max_mhz=1800, power_limit_w=310, step_noise_cv=0.01, t1_s=0, tp_s=0, host_step_s=0, log_every_s=2, max_batch=8, t0_s=0.0081, power_dynamic_w=330, sm_occupancy=0.7", nil},
	{"load_steps", "10, 20, 32, 45 and 60 workers in turn: throughput stops rising at 32", ids("server_saturated"), ids("server_saturated"), "duration_s=300, workers=10", steps},
	{"pool_no_host", "a pool of 8, and nobody looks at the sockets", ids("before_server"), nil, "have_host_source=false, pool=8, workers=48", nil},
	{"server_side_only", "saturated, and no stream from the client", ids("server_saturated"), nil, "have_client_stream=false, workers=64", nil},
}

// steps raise the load until throughput stops rising.
var steps = []Phase{
	{0, "load: 10 workers", "", ids("concurrency_lt_maxbatch", "closed_loop_ceiling")},
	{60, "load: 20 workers", "workers=20", ids("concurrency_lt_maxbatch", "closed_loop_ceiling")},
	{120, "load: 32 workers", "workers=32", ids("none", "closed_loop_ceiling")},
	{180, "load: 45 workers", "workers=45", ids("server_saturated")},
	{240, "load: 60 workers", "workers=60", ids("server_saturated")},
}

// tour is what a demo shows: one setting changes at each border.
var tour = []Phase{
	{0, "balanced: 32 workers, batch of 32", "", ids("none", "closed_loop_ceiling")},
	{65, "client: 48 workers share a pool of 8", "workers=48, pool=8", ids("client_pool")},
	{135, "client: pool lifted, 64 workers, timeout 2.6 s", "workers=64, pool=0, client_timeout_s=2.6, output_cv=0.35", ids("client_timeout")},
	{200, "machine: hot inlet air; timeout back at 60 s", "client_timeout_s=60, output_cv=0.15, hot_by_c=26, thermal_tau_s=12", ids("thermal")},
	{270, "machine: cooled again", "hot_by_c=0, thermal_tau_s=8", ids("server_saturated")},
}
