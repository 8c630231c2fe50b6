package report

import (
	"fmt"
	"math"

	"benchtop/model"
)

// ClockPart is a clock over the run, in MHz.
type ClockPart struct {
	RangePart
	Ceiling Num `json:"ceiling"`
}

// ThrottledPart is time held back, in seconds of the run.
type ThrottledPart struct {
	SWPowerCap Num `json:"sw_power_cap"`
	SWThermal  Num `json:"sw_thermal"`
	HWThermal  Num `json:"hw_thermal"`
	PowerBrake Num `json:"power_brake"`
	Other      Num `json:"other"`
}

// GPUPart is one GPU, or one MIG device of a GPU, which has of its own only its
// memory and how busy its part is.
type GPUPart struct {
	UUID         *string       `json:"uuid"`
	Index        int           `json:"index"`
	MIG          *int          `json:"mig"` // number of the MIG device, from 0; null for a whole GPU
	Name         *string       `json:"name"`
	SMMHz        ClockPart     `json:"sm_mhz"`
	TempC        RangePart     `json:"temp_c"`
	PowerW       RangePart     `json:"power_w"`
	LimitW       Num           `json:"limit_w"`
	ThrottledS   ThrottledPart `json:"throttled_s"`
	Busy         RangePart     `json:"busy"`
	SMActive     Num           `json:"sm_active"`
	TensorActive Num           `json:"tensor_active"`
	DRAMActive   Num           `json:"dram_active"`
	MemUsedMiB   RangePart     `json:"mem_used_mib"`
	MemTotalMiB  Num           `json:"mem_total_mib"`
	MemKind      *string       `json:"mem_kind"` // own, shared (the machine's memory) or kernel (own, managed by the kernel)
	EnergyJ      Num           `json:"energy_j"` // used in the run
}

// devices are the GPUs, each followed by its MIG devices.
func devices(s *model.Snapshot) (out []model.GPUInfo) {
	for _, g := range s.GPUs {
		out = append(out, g)
		for _, in := range s.Instances {
			if in.Parent() == g.Key {
				out = append(out, in)
			}
		}
	}
	return out
}

// memoryKind is whose memory a GPU works in: own, shared, kernel; "" if no
// reading tells its memory.
func memoryKind(s *model.Snapshot, key uint64) string {
	if t := s.GPU(model.GPUMemUsed, key); t == nil || t.N == 0 {
		return ""
	}
	if t := s.GPU(model.GPUMemKind, key); t != nil && t.N > 0 {
		switch t.Last {
		case 1:
			return "shared"
		case 2:
			return "kernel"
		}
	}
	return "own"
}

// memoryWords says what a memory is that is not just the GPU's own.
var memoryWords = map[string]string{"shared": " shared with the CPU", "kernel": " managed by the kernel"}

func gpuParts(s *model.Snapshot) []GPUPart {
	out := []GPUPart{}
	for _, g := range devices(s) {
		of := func(id model.SeriesID) *model.Track { return s.GPU(id, g.Key) }
		last := func(id model.SeriesID, scale float64) Num {
			if t := of(id); t != nil && t.N > 0 {
				return Num(t.Last * scale)
			}
			return absent
		}
		held := func(ids ...model.SeriesID) Num {
			sum, any := 0.0, false
			for _, id := range ids {
				if t := of(id); t != nil && t.N > 0 {
					sum, any = sum+t.Total, true
				}
			}
			if !any {
				return absent
			}
			return Num(sum)
		}
		power := of(model.GPUPower)
		if power == nil {
			power = of(model.GPUPowerInstant)
		}
		var mig *int
		if n := g.Instance(); n != 0 {
			n--
			mig = &n
		}
		out = append(out, GPUPart{
			UUID: text(g.UUID), Index: g.Index, MIG: mig, Name: text(g.Name),
			SMMHz: ClockPart{ranged(of(model.GPUSMClock), 1e-6), last(model.GPUMaxSMClock, 1e-6)},
			TempC: ranged(of(model.GPUTemp), 1), PowerW: ranged(power, 1), LimitW: last(model.GPUPowerLimit, 1),
			ThrottledS: ThrottledPart{
				held(model.GPUHeldPowerCap), held(model.GPUHeldSWThermal), held(model.GPUHeldHWThermal), held(model.GPUHeldBrake),
				held(model.GPUHeldSyncBoost, model.GPUHeldBoard, model.GPUHeldReliability),
			},
			Busy:     ranged(of(model.GPUUtil), 1),
			SMActive: ranged(of(model.GPUSMActivity), 1).Mean, TensorActive: ranged(of(model.GPUTensorActivity), 1).Mean,
			DRAMActive: ranged(of(model.GPUDRAMActivity), 1).Mean,
			MemUsedMiB: ranged(of(model.GPUMemUsed), 1.0/(1<<20)), MemTotalMiB: last(model.GPUMemTotal, 1.0/(1<<20)),
			MemKind: text(memoryKind(s, g.Key)), EnergyJ: held(model.GPUEnergy),
		})
	}
	return out
}

// gpuEnvironment adds each GPU's rows.
func gpuEnvironment(s *model.Snapshot, add func(name, a, b, c, state string)) {
	for _, g := range s.GPUs {
		n := fmt.Sprintf("GPU %d ", g.Index)
		row := func(id model.SeriesID, name, unit string, scale float64, state func(first, last, lo, hi float64) string) {
			first, last, lo, hi, ok := ends(s.GPU(id, g.Key))
			if !ok {
				add(n+name, "–", "–", "–", "not measured")
				return
			}
			w := func(v float64) string { return short(math.Round(v*scale)) + " " + unit }
			add(n+name, w(first), w(last), w(lo)+" to "+w(hi), state(first, last, lo, hi))
		}
		row(model.GPUTemp, "temperature", "°C", 1, func(first, _, _, hi float64) string {
			if hi-first > 15 {
				return "rose: later runs start hotter unless they cool"
			}
			return "recorded"
		})
		row(model.GPUSMClock, "SM clock", "MHz", 1e-6, func(_, _, lo, hi float64) string {
			if hi > 0 && lo > 0.97*hi {
				return "steady"
			}
			return "moved: see the curve"
		})
		row(model.GPUMemClock, "memory clock", "MHz", 1e-6, func(_, _, lo, hi float64) string {
			if hi > 0 && lo > 0.97*hi {
				return "steady"
			}
			return "moved"
		})
		row(model.GPUMemUsed, "memory in use"+memoryWords[memoryKind(s, g.Key)], "MiB", 1.0/(1<<20), func(first, last, _, _ float64) string {
			if math.Abs(last-first) > 512<<20 {
				return "changed"
			}
			return "steady"
		})
		add(n+"held back", "", "", heldText(s, g.Key), "recorded")
	}
	for _, in := range s.Instances {
		n := fmt.Sprintf("MIG device %s ", in.Label())
		for _, r := range []struct {
			id    model.SeriesID
			name  string
			unit  string
			scale float64
		}{{model.GPUSMActivity, "SMs busy", "%", 100}, {model.GPUMemUsed, "memory in use", "MiB", 1.0 / (1 << 20)}} {
			first, last, lo, hi, ok := ends(s.GPU(r.id, in.Key))
			if !ok {
				add(n+r.name, "–", "–", "–", "not measured")
				continue
			}
			w := func(v float64) string { return short(math.Round(v*r.scale)) + " " + r.unit }
			add(n+r.name, w(first), w(last), w(lo)+" to "+w(hi), "recorded")
		}
	}
}

// closingGPUs says in a line each how the GPUs fared, those of many that are
// first.
func closingGPUs(s *model.Snapshot, line func(name, format string, args ...any)) {
	all, infos := gpuParts(s), devices(s)
	for i, g := range all {
		if i >= 8 {
			line("gpu", "… and %d more", len(all)-i)
			return
		}
		if g.MIG != nil {
			line("gpu", "%d/%d: SMs busy %s %%, memory %s of %s MiB", g.Index, *g.MIG, short(float64(g.SMActive)*100), short(float64(g.MemUsedMiB.Max)), short(float64(g.MemTotalMiB)))
			continue
		}
		t, lost := g.ThrottledS, ""
		if state := s.GPU(model.GPULost, infos[i].Key); state != nil && state.Last == 3 {
			lost = "; LOST: what is said is of before, and the run does not count"
		}
		line("gpu", "%d: SM %s of %s MHz%s, %s °C, %s W; held back: power cap %s s, thermal %s s, brake %s s%s", g.Index, short(float64(g.SMMHz.Mean)), short(float64(g.SMMHz.Ceiling)), below(float64(g.SMMHz.Mean), float64(g.SMMHz.Ceiling)),
			short(float64(g.TempC.Max)), short(float64(g.PowerW.Mean)), short(float64(t.SWPowerCap)), short(sum(float64(t.SWThermal), float64(t.HWThermal))), short(float64(t.PowerBrake)), lost)
	}
}
