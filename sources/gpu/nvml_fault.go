//go:build linux && cgo

package gpu

import (
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

// The functions that count what went wrong.
const (
	symECC    = "nvmlDeviceGetTotalEccErrors"
	symReplay = "nvmlDeviceGetPcieReplayCounter"
	symNVLink = "nvmlDeviceGetNvLinkErrorCounter"
	symFields = "nvmlDeviceGetFieldValues"
)

// How often faults are asked for: they are rare, and the answers cost. A GPU has
// one NVLink counter for each kind of error of each link.
const (
	faultsEvery = 10 * time.Second
	linksEvery  = 30 * time.Second
	maxLinks    = 18
	linkErrors  = 4 // replays, recoveries, bad flits, bad data
)

// faultCounters are the counters of faults, in the order they are asked for.
var faultCounters = [...]struct {
	fault  FaultKind
	symbol string
	every  time.Duration
	read   func(nvml.Device) (float64, nvml.Return)
}{
	{FaultECCCorrected, symECC, faultsEvery, eccErrors(nvml.MEMORY_ERROR_TYPE_CORRECTED)},
	{FaultECCUncorrected, symECC, faultsEvery, eccErrors(nvml.MEMORY_ERROR_TYPE_UNCORRECTED)},
	{FaultPCIeReplay, symReplay, faultsEvery, func(d nvml.Device) (float64, nvml.Return) {
		n, ret := d.GetPcieReplayCounter()
		return float64(n), ret
	}},
	{FaultRecovery, symFields, faultsEvery, recoveryAction},
	{FaultNVLink, symNVLink, linksEvery, nvlinkErrors},
}

func eccErrors(kind nvml.MemoryErrorType) func(nvml.Device) (float64, nvml.Return) {
	return func(d nvml.Device) (float64, nvml.Return) {
		n, ret := d.GetTotalEccErrors(kind, nvml.VOLATILE_ECC)
		return float64(n), ret
	}
}

func recoveryAction(d nvml.Device) (float64, nvml.Return) {
	f := []nvml.FieldValue{{FieldId: nvml.FI_DEV_GET_GPU_RECOVERY_ACTION}}
	if ret := d.GetFieldValues(f); ret != nvml.SUCCESS {
		return 0, ret
	}
	v, code := fieldNumber(&f[0])
	return v, nvml.Return(code)
}

func nvlinkErrors(d nvml.Device) (sum float64, ret nvml.Return) {
	for link := range maxLinks {
		for kind := range nvml.NvLinkErrorCounter(linkErrors) {
			n, ret := d.GetNvLinkErrorCounter(link, kind)
			switch {
			case ret == nvml.SUCCESS:
				sum += float64(n)
			case link == 0 && kind == 0, Code(ret).gone():
				return 0, ret
			}
		}
	}
	return sum, nvml.SUCCESS
}

// faults remembers what the counters of faults said last.
type faults struct {
	ask   [len(faultCounters)]ask
	last  [len(faultCounters)]float64
	known [len(faultCounters)]bool
}

// readFaults asks for the counters that are due and notes which grew. What the
// card lacks is asked for as seldom as any other reading that it lacks.
func (g *nvmlGPU) readFaults(r *Reading, now time.Time, t *tally) {
	f := &g.faults
	for i := range faultCounters {
		c := &faultCounters[i]
		if t.gone != 0 || !g.n.has[c.symbol] || !f.ask[i].due(now) {
			continue
		}
		v, ret := c.read(g.dev)
		t.add(Code(ret))
		f.ask[i].answer(Code(ret), now, g.n.o.pace.again)
		f.ask[i].next = latest(f.ask[i].next, now.Add(c.every))
		if ret != nvml.SUCCESS {
			continue
		}
		was := f.last[i]
		if c.fault == FaultRecovery { // no counter: told when it comes to be wanted
			if v > 0 && v != was {
				r.Faults = append(r.Faults, Fault{c.fault, int(v)})
			}
		} else if f.known[i] && v > was {
			r.Faults = append(r.Faults, Fault{c.fault, int(v - was)})
		}
		f.last[i], f.known[i] = v, true
	}
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
