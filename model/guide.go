package model

import "slices"

// QuickRow is one row of the quick reference: what one sees, what it may come
// from, where to look and what to do.
type QuickRow struct {
	ID     string // stable, snake_case
	See    string
	Causes string
	Look   string
	Do     string
}

// QuickRows is the quick reference: the order in which a slow run is taken
// apart first, then the symptoms of a run that can't be trusted.
var QuickRows = []QuickRow{
	{"client_first", "the client's concurrency can't rise and the server's is not high", "too few connections or workers, connections not reused, one full thread, requests not sent", "requests in flight on both sides, open connections, new connections a second, the client's busiest thread", "fix the client's concurrency and connection reuse before anything else"},
	{"then_batching", "the client is at its target and the mean batch stays close to 1", "batching is off, max batch is 1, or one request at a time arrives", "the batching switch, max batch, requests per executed batch in the server's log", "see that batching is in effect; one setting, then a rerun at fixed length"},
	{"then_waiting", "batches leave not full after their whole wait, or never can fill", "batch wait too long for the arrivals, concurrency below max batch", "batch wait against its limit, share of latency spent waiting, in flight against max batch", "change only the batch wait, or only the concurrency, and run again"},
	{"then_losses", "batches are as they should be, but requests time out or are refused", "client timeout shorter than the server's time, queue or admission limit, connections reset", "counts of each kind on both sides, latency against the timeout", "set batch wait against the timeout; lengthen the timeout once to find the true latency"},
	{"fluctuates", "the same configuration gives another result each time", "temperature drift, background processes, clock scaling", "recorded curves of temperature and clock, the list of processes", "lock the clock, stop the processes, cool down to the same start"},
	{"batch_doubled", "the batch was doubled, throughput was not", "memory bandwidth, compute, power", "bandwidth in use, SM occupancy, clock", "tune the batch, optimise kernels, relax the power limit"},
	{"quantised", "quantised, and no faster", "fallback to the wider type, calibration, kernels that are not there", "a profile by operator, the calibration data", "mend the calibration, another framework, another strategy"},
	{"p99_high", "P99 is far above the median", "queueing, garbage collection, memory reclaim", "the distribution of latency, the garbage collector's log", "adjust concurrency or memory, shorten the queue"},
	{"busy_but_slow", "utilization is high, throughput is low", "little parallelism in the kernels, waiting for memory", "SM occupancy, memory bandwidth", "block size, memory access"},
	{"not_settling", "it still fluctuates after warm-up", "asynchronous work not finished, caches not stable yet", "a longer warm-up; idle a moment, then record", "more rounds; be sure that it is stable first"},
}

// Tools that see further than benchtop does, with the way to point them at what
// was found.
const (
	toolTrace   = "nsys: record 10 to 20 s of the server while the finding stands, such as nsys profile --duration=15 -t cuda,nvtx,osrt, and look for the gaps between kernels"
	toolKernels = "nsys, then ncu on the longest kernel: occupancy and memory bandwidth of one launch"
	toolClient  = "py-spy: py-spy top --pid of the load generator shows what its full thread does; py-spy record -d 20 draws it"
	toolServer  = "py-spy: py-spy top --pid of the server's process with the full thread; --native if it spends its time outside Python"
	toolPerf    = "perf: perf top -a for who uses the cores; perf sched record -- sleep 10, perf sched latency for who had to wait"
	toolSockets = "ss -tinp on the client's host: each connection's state, retransmits and queues"
	toolGPU     = "nvidia-smi -q -d PERFORMANCE,POWER,TEMPERATURE,CLOCK: reasons, limits and ceilings as the driver has them"
	toolLog     = "the server's log around that second, then its effective configuration"
	toolRepeat  = "the same run again: benchtop compare tells whether two runs differ by more than chance"
	toolOther   = "the same load from another generator: if both agree, the figure can be trusted"
	toolMemory  = "perf: perf stat -e major-faults -p of the server's process, and the kernel's log for the killer's lines"
)

// Guide is what to read about a finding: rows of the quick reference and the
// next tool to reach for.
type Guide struct {
	Rows []QuickRow
	Tool string
}

type guided struct {
	tool string
	rows []string
}

func guide(tool string, rows ...string) guided { return guided{tool, rows} }

var guides = map[string]guided{
	"before_server": guide(toolSockets, "client_first"), "client_pool": guide(toolSockets, "client_first"), "client_cpu": guide(toolClient, "client_first"),
	"path_stuck": guide(toolSockets, "client_first"), "network": guide(toolSockets, "client_first", "then_losses"),
	"client_below_target": guide(toolClient, "client_first"), "concurrency_lt_maxbatch": guide(toolRepeat, "then_waiting", "batch_doubled"),
	"closed_loop_ceiling": guide(toolRepeat, "then_waiting"), "client_timeout": guide(toolLog, "then_losses", "p99_high"), "timeout_near": guide(toolLog, "then_losses", "p99_high"),
	"qps_counts_failures": guide(toolLog, "then_losses"), "engine_imbalance": guide(toolLog, "p99_high"), "batching_off": guide(toolLog, "then_batching"),
	"batch_wait_ceiling": guide(toolLog, "then_waiting"), "server_saturated": guide(toolTrace, "batch_doubled", "quantised"), "queue_unbounded": guide(toolRepeat, "p99_high"),
	"server_rejects": guide(toolLog, "then_losses"), "server_down": guide(toolLog, "then_losses"), "zombie_work": guide(toolLog, "then_losses"),
	"kv_pressure": guide(toolLog, "batch_doubled", "p99_high"), "thermal": guide(toolGPU, "fluctuates"), "power_cap": guide(toolGPU, "batch_doubled", "fluctuates"),
	"power_brake": guide(toolGPU, "fluctuates"), "clock_drift": guide(toolGPU, "fluctuates"), "hw_slowdown_other": guide(toolGPU, "fluctuates"),
	"sync_boost": guide(toolGPU, "fluctuates"), "app_clocks": guide(toolGPU, "fluctuates"), "board_limit": guide(toolGPU, "batch_doubled"),
	"reliability": guide(toolGPU, "fluctuates"), "display": guide(toolGPU, "fluctuates"), "gpu_idle_gaps": guide(toolTrace, "busy_but_slow", "p99_high"),
	"low_sm_activity": guide(toolKernels, "busy_but_slow", "quantised"), "memory_bound": guide(toolKernels, "batch_doubled", "quantised"),
	"compute_bound": guide(toolKernels, "batch_doubled", "quantised"), "mem_pressure": guide(toolMemory, "p99_high", "fluctuates"),
	"cpu_quota": guide(toolPerf, "fluctuates", "p99_high"), "debug_log": guide(toolServer, "busy_but_slow"), "cpu_freq": guide(toolPerf, "fluctuates"),
	"server_cpu": guide(toolServer, "busy_but_slow"), "noisy_neighbour": guide(toolPerf, "fluctuates"), "server_silent": guide(toolLog), "client_silent": guide(toolClient),
	"not_warm": guide(toolRepeat, "not_settling"), "unsteady": guide(toolPerf, "not_settling", "fluctuates"), "bimodal": guide(toolTrace, "p99_high"),
	"clock_skew": guide("chronyc tracking, or timedatectl timesync-status, on both machines"), "few_samples": guide(toolRepeat, "p99_high"),
	"co_risk": guide(toolOther, "p99_high"), "little_mismatch": guide(toolOther), "source_stale": guide("benchtop probe on that source alone"),
	"length_changed": guide(toolRepeat, "fluctuates"), "gpu_lost": guide("dmesg | grep -i xid, and nvidia-smi -q -i of that GPU", "fluctuates"), "log_unrecognised": guide("benchtop probe on the log: it shows what is understood of it"),
	VerdictNone: guide(toolRepeat, "batch_doubled"), VerdictNotEnough: guide(toolRepeat, "not_settling"),
}

// GuideTo is what to read about a finding or verdict; false if there is none of
// that id.
func GuideTo(id string) (Guide, bool) {
	g, ok := guides[id]
	out := Guide{Tool: g.tool}
	for _, r := range QuickRows {
		if slices.Contains(g.rows, r.ID) {
			out.Rows = append(out.Rows, r)
		}
	}
	return out, ok
}
