package host

import "benchtop/model"

// Field is one value of a Reading.
type Field uint8

// The fields, in the order of the NDJSON's keys. Their units are the keys'.
const (
	ClientThread Field = iota
	ClientCPU
	ServerThread
	ServerCPU
	OtherCPU
	CPUMHz
	Switches
	Steal
	Established
	Connecting
	AcceptQueue
	ConnsOpened
	SegsOut
	SegsRetrans
	QuotaPeriods
	QuotaThrottled
	ClientQuotaPeriods
	ClientQuotaThrottled
	PSICPU
	PSIMemory
	PSIIO
	MemAvailable
	OOMKills
	DiskRead
	NetRx
	NetTx
	SelfCPU
	SelfRSS
	CPUPower
	ClientRSS
	ServerRSS
	ClientFiles
	ServerFiles
	Idle
	Closing
	fieldCount
)

// NumFields is how many fields there are.
const NumFields = int(fieldCount)

const (
	mega = 1e6
	mebi = 1 << 20
)

// fields lists, once for each field, its key, its series and what a value is
// multiplied with to be in the series' base unit.
var fields = [fieldCount]struct {
	key    string
	series model.SeriesID
	scale  float64
}{
	ClientThread:         {"client_busiest_thread_cores", model.HostClientThread, 1},
	ClientCPU:            {"client_cpu_cores", model.HostClientCPU, 1},
	ServerThread:         {"server_busiest_thread_cores", model.HostServerThread, 1},
	ServerCPU:            {"server_cpu_cores", model.HostServerCPU, 1},
	OtherCPU:             {"other_cpu_share", model.HostOtherCPU, 1},
	CPUMHz:               {"cpu_mhz_mean", model.HostCPUClock, mega},
	Switches:             {"ctx_switches_total", model.HostSwitches, 1},
	Steal:                {"steal_share", model.HostSteal, 1},
	Established:          {"sockets_established", model.HostEstablished, 1},
	Connecting:           {"sockets_connecting", model.HostConnecting, 1},
	AcceptQueue:          {"accept_queue", model.HostAcceptQueue, 1},
	ConnsOpened:          {"connections_opened_total", model.HostConnsOpened, 1},
	SegsOut:              {"tcp_out_segs_total", model.HostSegsOut, 1},
	SegsRetrans:          {"tcp_retrans_total", model.HostSegsRetrans, 1},
	QuotaPeriods:         {"cgroup_nr_periods", model.HostQuotaPeriods, 1},
	QuotaThrottled:       {"cgroup_nr_throttled", model.HostQuotaThrottled, 1},
	ClientQuotaPeriods:   {"client_cgroup_nr_periods", model.HostClientQuotaPeriods, 1},
	ClientQuotaThrottled: {"client_cgroup_nr_throttled", model.HostClientQuotaThrottled, 1},
	PSICPU:               {"psi_cpu_some", model.HostPSICPU, 1},
	PSIMemory:            {"psi_memory_some", model.HostPSIMemory, 1},
	PSIIO:                {"psi_io_some", model.HostPSIIO, 1},
	MemAvailable:         {"mem_available_mib", model.HostMemAvailable, mebi},
	OOMKills:             {"oom_kills_total", model.HostOOMKills, 1},
	DiskRead:             {"disk_read_bps", model.HostDiskRead, 1},
	NetRx:                {"net_rx_bps", model.HostNetRx, 1},
	NetTx:                {"net_tx_bps", model.HostNetTx, 1},
	SelfCPU:              {"self_cpu_cores", model.SelfCPU, 1},
	SelfRSS:              {"self_rss_mib", model.SelfRSS, mebi},
	CPUPower:             {"cpu_power_w", model.HostCPUPower, 1},
	ClientRSS:            {"client_rss_mib", model.HostClientRSS, mebi},
	ServerRSS:            {"server_rss_mib", model.HostServerRSS, mebi},
	ClientFiles:          {"client_open_files", model.HostClientFiles, 1},
	ServerFiles:          {"server_open_files", model.HostServerFiles, 1},
	Idle:                 {"sockets_idle", model.HostIdle, 1},
	Closing:              {"sockets_closing", model.HostClosing, 1},
}

// String is the field's key in the NDJSON.
func (f Field) String() string {
	if f < fieldCount {
		return fields[f].key
	}
	return "unknown"
}

// Series is the series that the field gives; ok is false if there is no such
// field.
func (f Field) Series() (id model.SeriesID, ok bool) {
	if f >= fieldCount {
		return 0, false
	}
	return fields[f].series, true
}
