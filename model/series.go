package model

// SeriesID indexes the catalogue. Ids may move between versions; a recording
// stores names.
type SeriesID uint16

// Side says who measured a series.
type Side uint8

// The sides of a run.
const (
	SideClient Side = iota
	SideServer
	SideGPU
	SideHost
	SideSelf
)

var sideNames = [...]string{"client", "server", "gpu", "host", "self"}

// String is the side's word.
func (s Side) String() string { return sideNames[s] }

// Unit is a series' base unit.
type Unit uint8

// Base units.
const (
	Count Unit = iota
	Seconds
	Ratio
	Hertz
	Watts
	Celsius
	Bytes
	Tokens
	TokensPerSecond
	Cores
	PerSecond
	BytesPerSecond
	Joules
)

var unitNames = [...]string{"count", "seconds", "ratio", "hertz", "watts", "celsius", "bytes", "tokens", "tokens/s", "cores", "1/s", "bytes/s", "joules"}

// String is the unit's word.
func (u Unit) String() string { return unitNames[u] }

// Shape says how a series' buckets are read.
type Shape uint8

// The shapes of series.
const (
	Gauge      Shape = iota // Level events; a bucket's mean, min and max
	Counter                 // Add, Begin or End events; a bucket's sum
	Cumulative              // Add, Begin and End events as deltas; the value is their running sum
	Sample                  // Observe events; a bucket's count and mean
	Span                    // Level events of an ever-growing amount (time held): a bucket's last minus the one before
)

// The catalogue's ids, in its order.
const (
	ClientInFlight SeriesID = iota
	ClientHorizon
	ClientSent
	ClientOK
	ClientTimeout
	ClientRejected
	ClientReset
	ClientHTTPError
	ClientOther
	ClientCancelled
	ClientTTFT
	ClientTPOT
	ClientInputTokens
	ClientOutputTokens
	ClientTarget
	ClientOpenConns
	ClientQueued
	ClientReused
	ClientBarDone
	ClientSchedDelay
	ClientGaugeInFlight

	ServerRunning
	ServerWaiting
	ServerBatch
	ServerBatchWait
	ServerExec
	ServerKV
	ServerPromptTPS
	ServerGenTPS
	ServerPromptTokens
	ServerGenTokens
	ServerLatency
	ServerTTFT
	ServerQueueTime
	ServerStarted
	ServerFinished
	ServerTimeout
	ServerRejected
	ServerQueueFull
	ServerDropped
	ServerReset
	ServerAborted
	ServerError
	ServerPreempted
	ServerDebugLines
	ServerLogLines
	ServerLogBytes

	GPUSMClock
	GPUMemClock
	GPUMaxSMClock
	GPUTemp
	GPUMemTemp
	GPUMargin
	GPUSlowdown
	GPUPower
	GPUPowerInstant
	GPUPowerLimit
	GPUEnergy
	GPUUtil
	GPUMemUsed
	GPUMemTotal
	GPUMemKind
	GPUReasons
	GPUHeldPowerCap
	GPUHeldSWThermal
	GPUHeldHWThermal
	GPUHeldBrake
	GPUHeldSyncBoost
	GPUHeldBoard
	GPUHeldReliability
	GPUSMActivity
	GPUSMOccupancy
	GPUTensorActivity
	GPUDRAMActivity
	GPULost

	HostClientThread
	HostClientCPU
	HostServerThread
	HostServerCPU
	HostOtherCPU
	HostCPUClock
	HostSteal
	HostEstablished
	HostConnecting
	HostAcceptQueue
	HostConnsOpened
	HostSegsOut
	HostSegsRetrans
	HostQuotaPeriods
	HostQuotaThrottled
	HostPSICPU
	HostPSIMemory
	HostPSIIO
	HostMemAvailable
	HostOOMKills
	HostIdle
	HostClosing
	HostClientQuotaPeriods
	HostClientQuotaThrottled
	HostClientRSS
	HostServerRSS
	HostClientFiles
	HostServerFiles
	HostBusiestCore
	HostSwitches
	HostDiskRead
	HostNetRx
	HostNetTx
	HostCPUPower

	SelfCPU
	SelfRSS
	ScrapeTime
	SourceLines
	SourceMatched
	SourceBytes
	SourceDropped
	SourceErrors
	SourceSkew

	seriesCount
)

// Series is one entry of the catalogue.
type Series struct {
	Name  string // stable, snake_case: written to recordings and summaries
	Side  Side
	Unit  Unit
	Shape Shape
	Help  string // one line
}

// Catalogue lists every series once, indexed by id. Panels, findings,
// recordings, the README and `benchtop series` all read it.
var Catalogue = [seriesCount]Series{
	ClientInFlight:      {"client_in_flight", SideClient, Count, Cumulative, "requests sent and neither finished, failed nor timed out, by the load generator's records"},
	ClientHorizon:       {"client_horizon", SideClient, Count, Gauge, "up to where client in-flight is exact: the event's own time"},
	ClientSent:          {"client_sent", SideClient, Count, Counter, "requests begun"},
	ClientOK:            {"client_ok", SideClient, Seconds, Counter, "requests that ended well, with their latency"},
	ClientTimeout:       {"client_timeout", SideClient, Seconds, Counter, "requests the client gave up by its deadline, with their latency"},
	ClientRejected:      {"client_rejected", SideClient, Seconds, Counter, "requests refused for load (429, 503), with their latency"},
	ClientReset:         {"client_reset", SideClient, Seconds, Counter, "requests whose connection was lost after it was open, with their latency"},
	ClientHTTPError:     {"client_http_error", SideClient, Seconds, Counter, "requests answered by another status of 400 and up, with their latency"},
	ClientOther:         {"client_other", SideClient, Seconds, Counter, "requests that failed in another way (refused, unreadable), with their latency"},
	ClientCancelled:     {"client_cancelled", SideClient, Seconds, Counter, "requests the client withdrew by itself, with their latency"},
	ClientTTFT:          {"client_ttft", SideClient, Seconds, Sample, "request sent to first token received"},
	ClientTPOT:          {"client_tpot", SideClient, Seconds, Sample, "(end-to-end − TTFT) ÷ (output tokens − 1), one value a request"},
	ClientInputTokens:   {"client_input_tokens", SideClient, Tokens, Sample, "prompt tokens of a finished request"},
	ClientOutputTokens:  {"client_output_tokens", SideClient, Tokens, Sample, "output tokens of a finished request"},
	ClientTarget:        {"client_target", SideClient, Count, Gauge, "the concurrency the client was told to hold"},
	ClientOpenConns:     {"client_open_conns", SideClient, Count, Gauge, "open connections, as the client itself reports"},
	ClientQueued:        {"client_queued", SideClient, Count, Gauge, "requests waiting inside the client, as it reports"},
	ClientReused:        {"client_reused", SideClient, Ratio, Sample, "1 if a request went over an already open connection, 0 if not"},
	ClientBarDone:       {"client_bar_done", SideClient, Count, Span, "requests finished so far whatever their outcome, as the tool's progress bar or report counts them"},
	ClientSchedDelay:    {"client_sched_delay", SideClient, Seconds, Sample, "how much later than scheduled a request went out (open loops)"},
	ClientGaugeInFlight: {"client_gauge_in_flight", SideClient, Count, Gauge, "in-flight as the client's own gauge says"},

	ServerRunning:      {"server_running", SideServer, Count, Gauge, "requests admitted to the batch"},
	ServerWaiting:      {"server_waiting", SideServer, Count, Gauge, "queue length: requests accepted and not yet scheduled"},
	ServerBatch:        {"server_batch", SideServer, Count, Sample, "requests in one forward step"},
	ServerBatchWait:    {"server_batch_wait", SideServer, Seconds, Sample, "time a batch or request waited before execution"},
	ServerExec:         {"server_exec", SideServer, Seconds, Sample, "time of one forward step"},
	ServerKV:           {"server_kv_usage", SideServer, Ratio, Gauge, "share of KV cache blocks in use"},
	ServerPromptTPS:    {"server_prompt_tps", SideServer, TokensPerSecond, Gauge, "prompt tokens a second, as the server prints it"},
	ServerGenTPS:       {"server_gen_tps", SideServer, TokensPerSecond, Gauge, "generated tokens a second, as the server prints it"},
	ServerPromptTokens: {"server_prompt_tokens", SideServer, Tokens, Counter, "prompt tokens processed, from the server's counter"},
	ServerGenTokens:    {"server_gen_tokens", SideServer, Tokens, Counter, "tokens generated, from the server's counter"},
	ServerLatency:      {"server_latency", SideServer, Seconds, Sample, "time of one whole request at the server"},
	ServerTTFT:         {"server_ttft", SideServer, Seconds, Sample, "time to first token as the server measures it"},
	ServerQueueTime:    {"server_queue_time", SideServer, Seconds, Sample, "time a request waited before scheduling"},
	ServerStarted:      {"server_started", SideServer, Count, Counter, "requests the server took up"},
	ServerFinished:     {"server_finished", SideServer, Count, Counter, "requests the server finished"},
	ServerTimeout:      {"server_timeout", SideServer, Count, Counter, "requests whose time ran out at the server"},
	ServerRejected:     {"server_rejected", SideServer, Count, Counter, "requests the server refused"},
	ServerQueueFull:    {"server_queue_full", SideServer, Count, Counter, "requests refused because the queue was full"},
	ServerDropped:      {"server_dropped", SideServer, Count, Counter, "requests dropped after being accepted"},
	ServerReset:        {"server_reset", SideServer, Count, Counter, "connections lost, as the server saw it"},
	ServerAborted:      {"server_aborted", SideServer, Count, Counter, "requests withdrawn by the client, as the server saw it"},
	ServerError:        {"server_error", SideServer, Count, Counter, "errors the server logged"},
	ServerPreempted:    {"server_preempted", SideServer, Count, Counter, "running requests pushed back to the queue"},
	ServerDebugLines:   {"server_debug_lines", SideServer, Count, Counter, "DEBUG lines in the server's log"},
	ServerLogLines:     {"server_log_lines", SideServer, Count, Counter, "lines of the server's log, of any level"},
	ServerLogBytes:     {"server_log_bytes", SideServer, Bytes, Counter, "bytes of the server's log"},

	GPUSMClock:         {"gpu_sm_clock", SideGPU, Hertz, Gauge, "SM clock, an instant"},
	GPUMemClock:        {"gpu_mem_clock", SideGPU, Hertz, Gauge, "memory clock, an instant"},
	GPUMaxSMClock:      {"gpu_max_sm_clock", SideGPU, Hertz, Gauge, "the highest SM clock the card allows"},
	GPUTemp:            {"gpu_temp", SideGPU, Celsius, Gauge, "GPU die temperature"},
	GPUMemTemp:         {"gpu_mem_temp", SideGPU, Celsius, Gauge, "GPU memory temperature"},
	GPUMargin:          {"gpu_margin", SideGPU, Celsius, Gauge, "degrees left until the GPU slows down"},
	GPUSlowdown:        {"gpu_slowdown_temp", SideGPU, Celsius, Gauge, "temperature at which the hardware slows the GPU down, where the card tells it in degrees"},
	GPUPower:           {"gpu_power", SideGPU, Watts, Gauge, "power draw, a mean over 1 s where the card gives one"},
	GPUPowerInstant:    {"gpu_power_instant", SideGPU, Watts, Gauge, "power draw, an instant"},
	GPUPowerLimit:      {"gpu_power_limit", SideGPU, Watts, Gauge, "the enforced power limit"},
	GPUEnergy:          {"gpu_energy", SideGPU, Joules, Span, "energy used"},
	GPUUtil:            {"gpu_util", SideGPU, Ratio, Gauge, "share of time with a kernel running: not how much of the GPU it used"},
	GPUMemUsed:         {"gpu_mem_used", SideGPU, Bytes, Gauge, "device memory in use"},
	GPUMemTotal:        {"gpu_mem_total", SideGPU, Bytes, Gauge, "device memory in all"},
	GPUMemKind:         {"gpu_mem_kind", SideGPU, Count, Gauge, "whose memory that is: 0 the device's own, 1 the machine's, shared with its CPU, 2 the device's, managed by the kernel"},
	GPUReasons:         {"gpu_reasons", SideGPU, Count, Gauge, "clocks event reasons, the bit mask as a number"},
	GPUHeldPowerCap:    {"gpu_held_sw_power_cap", SideGPU, Seconds, Span, "time held back by the software power cap"},
	GPUHeldSWThermal:   {"gpu_held_sw_thermal", SideGPU, Seconds, Span, "time held back by software thermal slowdown"},
	GPUHeldHWThermal:   {"gpu_held_hw_thermal", SideGPU, Seconds, Span, "time held back by hardware thermal slowdown"},
	GPUHeldBrake:       {"gpu_held_hw_power_brake", SideGPU, Seconds, Span, "time held back by the hardware power brake"},
	GPUHeldSyncBoost:   {"gpu_held_sync_boost", SideGPU, Seconds, Span, "time held to the slowest GPU of its group"},
	GPUHeldBoard:       {"gpu_held_board_limit", SideGPU, Seconds, Span, "time held back by the board's limit"},
	GPUHeldReliability: {"gpu_held_reliability", SideGPU, Seconds, Span, "time held back by the reliability limit"},
	GPUSMActivity:      {"gpu_sm_activity", SideGPU, Ratio, Gauge, "share of SMs with a warp present"},
	GPUSMOccupancy:     {"gpu_sm_occupancy", SideGPU, Ratio, Gauge, "warps present against the most possible"},
	GPUTensorActivity:  {"gpu_tensor_activity", SideGPU, Ratio, Gauge, "share of time a tensor pipe was busy"},
	GPUDRAMActivity:    {"gpu_dram_activity", SideGPU, Ratio, Gauge, "share of the memory bandwidth used"},
	GPULost:            {"gpu_state", SideGPU, Count, Gauge, "0 ok, 1 stale, 2 denied, 3 lost"},

	HostClientThread:   {"host_client_thread", SideHost, Cores, Gauge, "the load generator's busiest thread"},
	HostClientCPU:      {"host_client_cpu", SideHost, Cores, Gauge, "the load generator's CPU use"},
	HostServerThread:   {"host_server_thread", SideHost, Cores, Gauge, "the server's busiest thread"},
	HostServerCPU:      {"host_server_cpu", SideHost, Cores, Gauge, "the server's CPU use"},
	HostOtherCPU:       {"host_other_cpu", SideHost, Ratio, Gauge, "share of the machine used by other processes"},
	HostCPUClock:       {"host_cpu_clock", SideHost, Hertz, Gauge, "mean core clock"},
	HostSteal:          {"host_steal", SideHost, Ratio, Gauge, "share of CPU time taken by the hypervisor"},
	HostEstablished:    {"host_established", SideHost, Count, Gauge, "established sockets to the server's port"},
	HostConnecting:     {"host_connecting", SideHost, Count, Gauge, "sockets still connecting to the server's port"},
	HostAcceptQueue:    {"host_accept_queue", SideHost, Count, Gauge, "connections the server has not accepted yet"},
	HostConnsOpened:    {"host_conns_opened", SideHost, Count, Span, "connections opened"},
	HostSegsOut:        {"host_segs_out", SideHost, Count, Span, "TCP segments sent"},
	HostSegsRetrans:    {"host_segs_retrans", SideHost, Count, Span, "TCP segments sent again"},
	HostQuotaPeriods:   {"host_quota_periods", SideHost, Count, Span, "CPU quota periods of the server's cgroup"},
	HostQuotaThrottled: {"host_quota_throttled", SideHost, Count, Span, "CPU quota periods in which the server was throttled"},
	HostPSICPU:         {"host_psi_cpu", SideHost, Ratio, Gauge, "share of time some task waited for CPU"},
	HostPSIMemory:      {"host_psi_memory", SideHost, Ratio, Gauge, "share of time some task waited for memory"},
	HostPSIIO:          {"host_psi_io", SideHost, Ratio, Gauge, "share of time some task waited for I/O"},
	HostMemAvailable:   {"host_mem_available", SideHost, Bytes, Gauge, "memory available"},
	HostOOMKills:       {"host_oom_kills", SideHost, Count, Span, "out-of-memory kills"},
	HostIdle:           {"host_idle", SideHost, Count, Gauge, "connections on which the client has its answer and has sent nothing since"},
	HostClosing:        {"host_closing", SideHost, Count, Gauge, "connections to the server's port that are closing"},

	HostClientQuotaPeriods:   {"host_client_quota_periods", SideHost, Count, Span, "CPU quota periods of the client's cgroup"},
	HostClientQuotaThrottled: {"host_client_quota_throttled", SideHost, Count, Span, "CPU quota periods in which the client was throttled"},

	HostClientRSS:   {"host_client_rss", SideHost, Bytes, Gauge, "resident memory of the client's processes, what they share counted in each"},
	HostServerRSS:   {"host_server_rss", SideHost, Bytes, Gauge, "resident memory of the server's processes, what they share counted in each"},
	HostClientFiles: {"host_client_files", SideHost, Count, Gauge, "files and sockets the client has open"},
	HostServerFiles: {"host_server_files", SideHost, Count, Gauge, "files and sockets the server has open"},
	HostBusiestCore: {"host_busiest_core", SideHost, Ratio, Gauge, "busy share of the machine's busiest core"},
	HostSwitches:    {"host_ctx_switches", SideHost, Count, Span, "context switches of the whole machine"},
	HostDiskRead:    {"host_disk_read", SideHost, BytesPerSecond, Gauge, "read from disks"},
	HostNetRx:       {"host_net_rx", SideHost, BytesPerSecond, Gauge, "received by all network interfaces but loopback"},
	HostNetTx:       {"host_net_tx", SideHost, BytesPerSecond, Gauge, "sent by all network interfaces but loopback"},
	HostCPUPower:    {"host_cpu_power", SideHost, Watts, Gauge, "power of all processor packages (RAPL)"},

	SelfCPU:       {"self_cpu", SideSelf, Cores, Gauge, "benchtop's own CPU use"},
	SelfRSS:       {"self_rss", SideSelf, Bytes, Gauge, "benchtop's own resident memory"},
	ScrapeTime:    {"scrape_time", SideSelf, Seconds, Sample, "time one scrape of a metrics endpoint took"},
	SourceLines:   {"source_lines", SideSelf, Count, Counter, "lines or polls a source has read"},
	SourceMatched: {"source_matched", SideSelf, Count, Counter, "lines or polls a source understood"},
	SourceBytes:   {"source_bytes", SideSelf, Bytes, Counter, "bytes a source has read"},
	SourceDropped: {"source_dropped", SideSelf, Count, Counter, "events a source had to drop"},
	SourceErrors:  {"source_errors", SideSelf, Count, Counter, "lines or polls a source failed on"},
	SourceSkew:    {"source_skew", SideSelf, Seconds, Gauge, "smallest time seen minus time stamped in the last second: how far a source's clock is from ours"},
}

// Describe is the catalogue's entry for id.
func (id SeriesID) Describe() Series {
	if id >= seriesCount {
		return Series{Name: "unknown"}
	}
	return Catalogue[id]
}

// String is the series' name.
func (id SeriesID) String() string { return id.Describe().Name }

// SeriesByName finds a series by its stable name.
func SeriesByName(name string) (SeriesID, bool) {
	for i := range Catalogue {
		if Catalogue[i].Name == name {
			return SeriesID(i), true
		}
	}
	return 0, false
}

// NumSeries is the size of the catalogue.
const NumSeries = int(seriesCount)

// Outcomes lists the series that an End event may carry, in the order they
// are shown.
var Outcomes = []SeriesID{ClientOK, ClientTimeout, ClientRejected, ClientReset, ClientHTTPError, ClientOther, ClientCancelled}

// IsOutcome reports whether id is the outcome of a request.
func (id SeriesID) IsOutcome() bool { return id >= ClientOK && id <= ClientCancelled }
