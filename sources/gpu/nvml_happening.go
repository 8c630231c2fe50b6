//go:build linux && cgo

package gpu

import (
	"math"
	"sync"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

// The functions of events and of processes.
const (
	symEventCreate   = "nvmlEventSetCreate"
	symEventRegister = "nvmlDeviceRegisterEvents"
	symEventWait     = "nvmlEventSetWait"
	symEventFree     = "nvmlEventSetFree"
	symProcesses     = "nvmlDeviceGetComputeRunningProcesses"
)

// processesEvery is how often a GPU is asked for its processes: the answer
// holds the driver's lock for milliseconds.
const processesEvery = 10 * time.Second

// maxEvents bounds what one look takes out of the driver's queue.
const maxEvents = 16

// events collects what the driver tells of its own accord. The queue is the
// driver's: a look that does not wait takes what came since the one before.
type events struct {
	dog watchdog
	set nvml.EventSet

	mu      sync.Mutex
	index   map[nvml.Device]int // of those that are registered
	pending map[int][]int       // GPU → codes not yet handed on
}

// open makes the set, if the library has events.
func (e *events) open(n *nvmlReader) {
	if !n.has[symEventCreate] || !n.has[symEventRegister] || !n.has[symEventFree] || !n.has[symEventWait] && !n.has[symEventWait+"_v2"] {
		return
	}
	if set, ret := n.api.EventSetCreate(); ret == nvml.SUCCESS {
		e.set, e.index, e.pending = set, make(map[nvml.Device]int), make(map[int][]int)
	}
}

// register asks for a GPU's critical events; a GPU that has none is no error.
func (e *events) register(dev nvml.Device, index int) {
	if e.set == nil {
		return
	}
	e.mu.Lock()
	_, had := e.index[dev]
	e.index[dev] = index
	e.mu.Unlock()
	if !had {
		dev.RegisterEvents(nvml.EventTypeXidCriticalError, e.set) // what it answers changes nothing
	}
}

// look takes what is in the queue. It runs under the events' own watchdog.
func (e *events) look() {
	for range maxEvents {
		ev, ret := e.set.Wait(0)
		if ret != nvml.SUCCESS {
			return // a timeout, mostly: nothing came
		}
		if ev.EventType != nvml.EventTypeXidCriticalError {
			continue
		}
		e.mu.Lock()
		if i, ok := e.index[ev.Device]; ok {
			e.pending[i] = append(e.pending[i], int(ev.EventData))
		}
		e.mu.Unlock()
	}
}

// poll starts a look, if the one before is over.
func (e *events) poll() <-chan struct{} {
	if e.set == nil {
		return nil
	}
	return e.dog.start(e.look)
}

// take hands on what came for a GPU.
func (e *events) take(index int) []int {
	e.mu.Lock()
	defer e.mu.Unlock()
	codes := e.pending[index]
	delete(e.pending, index)
	return codes
}

// processes asks who has memory of the GPU, or of an instance, now and then. An empty list is one:
// in a container others' processes are not told.
func (g *nvmlGPU) processes(dev nvml.Device, next *time.Time, r *Reading, now time.Time, t *tally) {
	if !(g.n.has[symProcesses] || g.n.has[symProcesses+"_v2"] || g.n.has[symProcesses+"_v3"]) || now.Before(*next) {
		return
	}
	list, ret := dev.GetComputeRunningProcesses()
	t.add(Code(ret))
	*next = now.Add(processesEvery)
	if ret != nvml.SUCCESS {
		if Code(ret).absent() || ret == nvml.ERROR_NO_PERMISSION {
			*next = now.Add(g.n.o.pace.again)
		}
		return
	}
	r.Processes = make([]Process, 0, len(list))
	for _, p := range list {
		q := Process{PID: int(p.Pid), MiB: float64(p.UsedGpuMemory) / mib}
		if p.UsedGpuMemory >= 1<<63 { // "not available": all bits set
			q.MiB = math.NaN()
		}
		r.Processes = append(r.Processes, q)
	}
}
