//go:build linux && cgo

package gpu

import (
	"slices"
	"sync"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"benchtop/sources"
)

// The functions of MIG: a GPU that is cut into instances.
const (
	symMigMode   = "nvmlDeviceGetMigMode"
	symMigCount  = "nvmlDeviceGetMaxMigDeviceCount"
	symMigHandle = "nvmlDeviceGetMigDeviceHandleByIndex"
	symMigID     = "nvmlDeviceGetGpuInstanceId"
	symGpmMig    = "nvmlGpmMigSampleGet"
)

// instance is one MIG device of a GPU: its memory, its processes and what GPM
// tells of it are its own; the rest is the whole GPU's. Only the GPU's rounds
// touch it, but for its shelf.
type instance struct {
	number int // of the device, from 0; there may be gaps
	dev    nvml.Device
	id     int // of its GPU instance
	base   Reading
	memory [2]ask
	gpm    gpm
	shelf  *shelf

	nextProcesses time.Time
}

// instances are those of one GPU.
type instances struct {
	next time.Time // when to look at the layout again
	mode ask
	list []*instance

	mu      sync.Mutex
	shelves []*shelf // of list, for who reads
}

// take appends the instances' newest readings.
func (m *instances) take(dst []Reading, now time.Time, limit time.Duration) []Reading {
	m.mu.Lock()
	shelves := m.shelves
	m.mu.Unlock()
	for _, s := range shelves {
		dst = append(dst, s.take(now, limit))
	}
	return dst
}

// readInstances reads what the GPU's instances have of their own. A layout that
// changed gives new handles: the old ones lead nowhere.
func (g *nvmlGPU) readInstances(now time.Time, t *tally) {
	m := &g.migs
	if !now.Before(m.next) {
		m.next = now.Add(g.n.o.pace.slow)
		g.layOut(now)
	}
	for _, in := range m.list {
		if t.gone != 0 {
			return
		}
		g.readInstance(in, now, t)
	}
}

// layOut lists the instances anew and keeps those that are still there.
func (g *nvmlGPU) layOut(now time.Time) {
	m := &g.migs
	has := g.n.has
	if !(has[symMigMode] && has[symMigCount] && has[symMigHandle] && has[symMigID] && has["nvmlDeviceGetUUID"]) || !m.mode.due(now) {
		return
	}
	mode, _, ret := g.dev.GetMigMode()
	m.mode.answer(Code(ret), now, g.n.o.pace.again)
	count := 0
	if ret == nvml.SUCCESS && mode == nvml.DEVICE_MIG_ENABLE {
		if count, ret = g.dev.GetMaxMigDeviceCount(); ret != nvml.SUCCESS {
			return
		}
	}
	var list []*instance
	for i := range count {
		dev, ret := g.dev.GetMigDeviceHandleByIndex(i)
		if ret != nvml.SUCCESS { // a gap
			continue
		}
		uuid, _ := dev.GetUUID()
		if k := slices.IndexFunc(m.list, func(in *instance) bool { return in.number == i && in.base.UUID == uuid }); k >= 0 {
			m.list[k].dev = dev
			list = append(list, m.list[k])
			continue
		}
		id, ret := dev.GetGpuInstanceId()
		if ret != nvml.SUCCESS {
			continue
		}
		in := &instance{number: i, dev: dev, id: id, base: Reading{Index: g.index, Instance: i + 1, UUID: uuid, Driver: g.n.driver}}
		if has["nvmlDeviceGetName"] {
			in.base.Name, _ = dev.GetName()
		}
		in.shelf = newShelf(g.index, now)
		in.shelf.r.Instance = i + 1
		list = append(list, in)
	}
	for _, in := range m.list {
		if !slices.Contains(list, in) {
			in.gpm.free(g.n)
		}
	}
	m.list = list
	shelves := make([]*shelf, 0, len(list))
	for _, in := range list {
		shelves = append(shelves, in.shelf)
	}
	m.mu.Lock()
	m.shelves = shelves
	m.mu.Unlock()
}

// readInstance asks one instance for what is its own.
func (g *nvmlGPU) readInstance(in *instance, now time.Time, t *tally) {
	r := in.base
	r.At = sources.InstantOf(now)
	for w, way := range memoryWays {
		a := &in.memory[w]
		if !a.due(now) || !g.n.has[way.symbol] {
			continue
		}
		code := Code(way.read(in.dev, &r))
		t.add(code)
		if a.answer(code, now, g.n.o.pace.again); code == 0 {
			break
		}
	}
	in.gpm.read(g, &r, now, t, func(s nvml.GpmSample) nvml.Return {
		if !g.n.has[symGpmMig] {
			return nvml.ERROR_NOT_SUPPORTED
		}
		return g.dev.GpmMigSampleGet(in.id, s)
	})
	g.processes(in.dev, &in.nextProcesses, &r, now, t)
	if t.gone == 0 && (r.valid != 0 || r.Processes != nil) {
		in.shelf.put(r, time.Now())
	}
}
