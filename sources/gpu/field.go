package gpu

import "benchtop/model"

// Field names one number of a Reading.
type Field uint8

// The fields of a Reading, in the units of the readings' NDJSON.
const (
	SMClock         Field = iota // MHz, an instant
	MemClock                     // MHz
	MaxSMClock                   // MHz, the highest the card allows
	MaxMemClock                  // MHz
	Temp                         // °C, the GPU die
	MemTemp                      // °C
	Slowdown                     // °C at which the hardware slows down; older cards tell it
	Margin                       // °C left until the GPU slows down, 0 or less when it has; newer cards tell it
	Power                        // W, a mean over 1 s where the card gives one
	PowerInstant                 // W
	PowerLimit                   // W, the enforced limit
	Energy                       // J since the driver was loaded
	Util                         // percent of time with a kernel running
	MemUsed                      // MiB
	MemTotal                     // MiB
	Reasons                      // clocks event reasons, the bit mask as an integer
	HeldPowerCap                 // ns held back since the driver was loaded, by reason
	HeldSyncBoost                // ns
	HeldBoard                    // ns
	HeldSWThermal                // ns
	HeldHWThermal                // ns
	HeldBrake                    // ns
	HeldReliability              // ns
	SMActivity                   // 0..1
	SMOccupancy                  // 0..1
	TensorActivity               // 0..1
	DRAMActivity                 // 0..1
	PCIeRx                       // bytes a second
	PCIeTx                       // bytes a second
	NumFields       = int(PCIeTx) + 1
)

// nowhere marks a field that is read and written but has no series.
const nowhere model.SeriesID = 0xffff

// What a value of a field may be.
const (
	mayBeZero   = 1 << iota // else 0 is a platform without the sensor, not a reading
	mayBeBelow0             // else a negative number is no reading
	grows                   // ever growing: going down means the driver was reloaded
	held                    // ns of time, inside the object counters_ns
)

type fieldInfo struct {
	key    string // in the NDJSON; of those that are held, inside counters_ns
	series model.SeriesID
	scale  float64 // from the NDJSON's unit to the series' base unit
	is     int
}

const mib = 1 << 20

// fields says for each field how it is written and what it becomes. The order
// is the NDJSON's.
var fields = [NumFields]fieldInfo{
	SMClock:         {"sm_mhz", model.GPUSMClock, 1e6, 0},
	MemClock:        {"mem_mhz", model.GPUMemClock, 1e6, 0},
	MaxSMClock:      {"max_sm_mhz", model.GPUMaxSMClock, 1e6, 0},
	MaxMemClock:     {"max_mem_mhz", nowhere, 1e6, 0},
	Temp:            {"temp_c", model.GPUTemp, 1, mayBeBelow0},
	MemTemp:         {"mem_temp_c", model.GPUMemTemp, 1, mayBeBelow0},
	Slowdown:        {"slowdown_c", model.GPUSlowdown, 1, 0},
	Margin:          {"margin_c", model.GPUMargin, 1, mayBeZero | mayBeBelow0},
	Power:           {"power_w", model.GPUPower, 1, 0},
	PowerInstant:    {"power_instant_w", model.GPUPowerInstant, 1, 0},
	PowerLimit:      {"power_limit_w", model.GPUPowerLimit, 1, 0},
	Energy:          {"energy_j", model.GPUEnergy, 1, mayBeZero | grows},
	Util:            {"util_pct", model.GPUUtil, 1e-2, mayBeZero},
	MemUsed:         {"mem_used_mib", model.GPUMemUsed, mib, mayBeZero},
	MemTotal:        {"mem_total_mib", model.GPUMemTotal, mib, 0},
	Reasons:         {"reasons", model.GPUReasons, 1, mayBeZero},
	HeldPowerCap:    {"sw_power_cap", model.GPUHeldPowerCap, 1e-9, mayBeZero | grows | held},
	HeldSyncBoost:   {"sync_boost", model.GPUHeldSyncBoost, 1e-9, mayBeZero | grows | held},
	HeldBoard:       {"board_limit", model.GPUHeldBoard, 1e-9, mayBeZero | grows | held},
	HeldSWThermal:   {"sw_thermal", model.GPUHeldSWThermal, 1e-9, mayBeZero | grows | held},
	HeldHWThermal:   {"hw_thermal", model.GPUHeldHWThermal, 1e-9, mayBeZero | grows | held},
	HeldBrake:       {"hw_power_brake", model.GPUHeldBrake, 1e-9, mayBeZero | grows | held},
	HeldReliability: {"reliability", model.GPUHeldReliability, 1e-9, mayBeZero | grows | held},
	SMActivity:      {"sm_activity", model.GPUSMActivity, 1, mayBeZero},
	SMOccupancy:     {"sm_occupancy", model.GPUSMOccupancy, 1, mayBeZero},
	TensorActivity:  {"tensor_activity", model.GPUTensorActivity, 1, mayBeZero},
	DRAMActivity:    {"dram_activity", model.GPUDRAMActivity, 1, mayBeZero},
	PCIeRx:          {"pcie_rx_bps", nowhere, 1, mayBeZero},
	PCIeTx:          {"pcie_tx_bps", nowhere, 1, mayBeZero},
}

// Key is the field's name in the NDJSON; a held counter's is its name inside
// counters_ns, after a dot.
func (f Field) Key() string {
	if int(f) >= NumFields {
		return "unknown"
	}
	if fields[f].is&held != 0 {
		return "counters_ns." + fields[f].key
	}
	return fields[f].key
}
