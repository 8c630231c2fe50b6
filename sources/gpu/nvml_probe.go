//go:build linux && cgo

package gpu

import (
	"math"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

// batch are the readings that come as field values, all with one call.
var batch = []struct {
	id     uint32
	field  Field
	per    float64 // NVML's units in one of the field's
	seldom bool
}{
	{id: nvml.FI_DEV_CLOCKS_EVENT_REASON_SW_POWER_CAP, field: HeldPowerCap, per: 1},
	{id: nvml.FI_DEV_CLOCKS_EVENT_REASON_SYNC_BOOST, field: HeldSyncBoost, per: 1},
	{id: nvml.FI_DEV_PERF_POLICY_BOARD_LIMIT, field: HeldBoard, per: 1},
	{id: nvml.FI_DEV_PERF_POLICY_RELIABILITY, field: HeldReliability, per: 1},
	{id: nvml.FI_DEV_CLOCKS_EVENT_REASON_SW_THERM_SLOWDOWN, field: HeldSWThermal, per: 1},
	{id: nvml.FI_DEV_CLOCKS_EVENT_REASON_HW_THERM_SLOWDOWN, field: HeldHWThermal, per: 1},
	{id: nvml.FI_DEV_CLOCKS_EVENT_REASON_HW_POWER_BRAKE_SLOWDOWN, field: HeldBrake, per: 1},
	{id: nvml.FI_DEV_MEMORY_TEMP, field: MemTemp, per: 1},
	{id: nvml.FI_DEV_POWER_AVERAGE, field: Power, per: 1e3},
	{id: nvml.FI_DEV_POWER_INSTANT, field: PowerInstant, per: 1e3},
	{id: nvml.FI_DEV_TOTAL_ENERGY_CONSUMPTION, field: Energy, per: 1e3},
	{id: nvml.FI_DEV_POWER_CURRENT_LIMIT, field: PowerLimit, per: 1e3, seldom: true},
}

// seldom stands for the slow period of the options.
const seldom time.Duration = 1

// probe is one reading that has calls of its own, or that a call can still give
// where its field value is missing.
type probe struct {
	fields []Field
	every  time.Duration // 0 each round, seldom, forever
	ways   []way         // tried in order until one is supported
}

// way is one call. It must not be made before its symbol was looked up.
type way struct {
	symbol string
	read   func(d nvml.Device, r *Reading) nvml.Return
}

// answered reports whether this round already knows what the probe would give,
// or that asking for it fails. What is read seldom was looked at before.
func (p *probe) answered(r *Reading) bool {
	if p.every != 0 {
		return false
	}
	for _, f := range p.fields {
		if !r.Has(f) && r.Err(f) == 0 {
			return false
		}
	}
	return true
}

// The functions that tell whose memory a GPU works in, by how it finds addresses
// (the system's own page tables, on a chip with its CPU) and by its bus, and the
// power limit that it is made with.
const (
	symAddressing = "nvmlDeviceGetAddressingMode"
	symPCI        = "nvmlDeviceGetPciInfo"
	symStock      = "nvmlDeviceGetPowerManagementDefaultLimit"
)

// memoryWays are the calls that tell the memory of a GPU or of an instance.
var memoryWays = [...]way{
	{"nvmlDeviceGetMemoryInfo_v2", func(d nvml.Device, r *Reading) nvml.Return {
		v, ret := d.GetMemoryInfo_v2()
		return memory(r, v.Used, v.Total, ret)
	}},
	{"nvmlDeviceGetMemoryInfo", func(d nvml.Device, r *Reading) nvml.Return {
		v, ret := d.GetMemoryInfo()
		return memory(r, v.Used, v.Total, ret)
	}},
}

// probes are the calls of a round, in order: what moves fastest first.
var probes = []probe{
	{fields: []Field{SMClock}, ways: []way{{"nvmlDeviceGetClockInfo", clock(SMClock, nvml.CLOCK_SM)}}},
	{fields: []Field{MemClock}, ways: []way{{"nvmlDeviceGetClockInfo", clock(MemClock, nvml.CLOCK_MEM)}}},
	{fields: []Field{Reasons}, ways: []way{
		{"nvmlDeviceGetCurrentClocksEventReasons", func(d nvml.Device, r *Reading) nvml.Return {
			v, ret := d.GetCurrentClocksEventReasons()
			return set(r, Reasons, float64(v), ret)
		}},
		{"nvmlDeviceGetCurrentClocksThrottleReasons", func(d nvml.Device, r *Reading) nvml.Return {
			v, ret := d.GetCurrentClocksThrottleReasons()
			return set(r, Reasons, float64(v), ret)
		}},
	}},
	{fields: []Field{Temp}, ways: []way{
		{"nvmlDeviceGetTemperature", func(d nvml.Device, r *Reading) nvml.Return {
			v, ret := d.GetTemperature(nvml.TEMPERATURE_GPU)
			return set(r, Temp, float64(int32(v)), ret)
		}},
		{"nvmlDeviceGetTemperatureV", func(d nvml.Device, r *Reading) nvml.Return {
			v, ret := d.GetTemperatureV().V1()
			return set(r, Temp, float64(v.Temperature), ret)
		}},
	}},
	{fields: []Field{Margin}, ways: []way{{"nvmlDeviceGetMarginTemperature", func(d nvml.Device, r *Reading) nvml.Return {
		v, ret := d.GetMarginTemperature()
		return set(r, Margin, float64(v.MarginTemperature), ret)
	}}}},
	{fields: []Field{Util}, ways: []way{{"nvmlDeviceGetUtilizationRates", func(d nvml.Device, r *Reading) nvml.Return {
		v, ret := d.GetUtilizationRates()
		return set(r, Util, float64(v.Gpu), ret)
	}}}},
	{fields: []Field{MemUsed, MemTotal}, ways: memoryWays[:]},

	// Where the field value is missing.
	{fields: []Field{Power}, ways: []way{{"nvmlDeviceGetPowerUsage", func(d nvml.Device, r *Reading) nvml.Return {
		v, ret := d.GetPowerUsage()
		return set(r, Power, float64(v)/1e3, ret)
	}}}},
	{fields: []Field{Energy}, ways: []way{{"nvmlDeviceGetTotalEnergyConsumption", func(d nvml.Device, r *Reading) nvml.Return {
		v, ret := d.GetTotalEnergyConsumption()
		return set(r, Energy, float64(v)/1e3, ret)
	}}}},
	{fields: []Field{PowerLimit}, ways: []way{{"nvmlDeviceGetEnforcedPowerLimit", func(d nvml.Device, r *Reading) nvml.Return {
		v, ret := d.GetEnforcedPowerLimit()
		return set(r, PowerLimit, float64(v)/1e3, ret)
	}}}},
	violation(HeldPowerCap, nvml.PERF_POLICY_POWER),
	violation(HeldSWThermal, nvml.PERF_POLICY_THERMAL),
	violation(HeldSyncBoost, nvml.PERF_POLICY_SYNC_BOOST),
	violation(HeldBoard, nvml.PERF_POLICY_BOARD_LIMIT),
	violation(HeldReliability, nvml.PERF_POLICY_RELIABILITY),

	// What does not change.
	{fields: []Field{MaxSMClock}, every: forever, ways: []way{{"nvmlDeviceGetMaxClockInfo", maxClock(MaxSMClock, nvml.CLOCK_SM)}}},
	{fields: []Field{MaxMemClock}, every: forever, ways: []way{{"nvmlDeviceGetMaxClockInfo", maxClock(MaxMemClock, nvml.CLOCK_MEM)}}},
	{fields: []Field{Slowdown}, every: forever, ways: []way{{"nvmlDeviceGetTemperatureThreshold", func(d nvml.Device, r *Reading) nvml.Return {
		v, ret := d.GetTemperatureThreshold(nvml.TEMPERATURE_THRESHOLD_SLOWDOWN)
		return set(r, Slowdown, float64(int32(v)), ret)
	}}}},
}

// symbols are all functions that may be missing in the library.
func symbols() []string {
	s := []string{
		"nvmlSystemGetDriverVersion", "nvmlDeviceGetUUID", "nvmlDeviceGetName", "nvmlDeviceGetFieldValues",
		symEventCreate, symEventRegister, symEventWait, symEventWait + "_v2", symEventFree,
		symProcesses, symProcesses + "_v2", symProcesses + "_v3",
		symMigMode, symMigCount, symMigHandle, symMigID, symGpmMig,
		symAddressing, symPCI, symPCI + "_v2", symPCI + "_v3", symStock,
		symECC, symReplay, symNVLink,
		symGpmQuery, symGpmAlloc, symGpmFree, symGpmGet, symGpmMetrics,
	}
	for i := range probes {
		for _, w := range probes[i].ways {
			s = append(s, w.symbol)
		}
	}
	return s
}

func set(r *Reading, f Field, v float64, ret nvml.Return) nvml.Return {
	if ret == nvml.SUCCESS {
		r.Set(f, v)
	}
	return ret
}

func clock(f Field, kind nvml.ClockType) func(nvml.Device, *Reading) nvml.Return {
	return func(d nvml.Device, r *Reading) nvml.Return {
		v, ret := d.GetClockInfo(kind)
		return set(r, f, float64(v), ret)
	}
}

func maxClock(f Field, kind nvml.ClockType) func(nvml.Device, *Reading) nvml.Return {
	return func(d nvml.Device, r *Reading) nvml.Return {
		v, ret := d.GetMaxClockInfo(kind)
		return set(r, f, float64(v), ret)
	}
}

// violation is the older way to a counter of time held, in ns too.
func violation(f Field, policy nvml.PerfPolicyType) probe {
	return probe{fields: []Field{f}, ways: []way{{"nvmlDeviceGetViolationStatus", func(d nvml.Device, r *Reading) nvml.Return {
		if f == HeldSWThermal && r.Has(HeldHWThermal) {
			return nvml.ERROR_NOT_SUPPORTED // it may count both, so it is only for cards that tell neither
		}
		v, ret := d.GetViolationStatus(policy)
		return set(r, f, float64(v.ViolationTime), ret)
	}}}}
}

func memory(r *Reading, used, total uint64, ret nvml.Return) nvml.Return {
	if ret != nvml.SUCCESS {
		return ret
	}
	if total == 0 || used > total { // unified memory, or "not available": all bits set
		return nvml.ERROR_NOT_SUPPORTED
	}
	r.Set(MemUsed, float64(used)/mib)
	r.Set(MemTotal, float64(total)/mib)
	return nvml.SUCCESS
}

func decodeDouble(word uint64) float64 { return math.Float64frombits(word) }
