//go:build linux && cgo

package gpu

import (
	"encoding/binary"
	"sync/atomic"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"benchtop/sources"
)

// nvmlGPU polls one GPU. Its rounds run under its watchdog, one at a time; what
// only a round touches stands below the line.
type nvmlGPU struct {
	n       *nvmlReader
	index   int
	dog     watchdog
	shelf   *shelf
	began   time.Time    // of the last round; the reading side's
	unknown atomic.Int32 // rounds in a row that gave nothing but UNKNOWN
	barren  atomic.Int32 // rounds in a row that gave nothing at all

	dev    nvml.Device
	found  bool
	retry  time.Time // when to look for the GPU again
	base   Reading   // identity, and what is read seldom
	last   Reading   // the last whole one
	whole  time.Time // when that was
	fields []ask     // one for each of batch
	ways   [][]ask   // one for each way of each of probes
	next   []time.Time
	buf    []nvml.FieldValue
	asked  []int // of batch, those in buf
	gpm    gpm
	migs   instances
	faults faults

	nextProcesses time.Time
	shares        bool // the machine's memory is its own
}

// ask is one question to the driver and how it was answered.
type ask struct {
	absent int       // times in a row that it was "not supported"
	next   time.Time // not to be asked before
	code   Code      // the last answer
}

func (a *ask) due(now time.Time) bool { return !now.Before(a.next) }

func (a *ask) answer(c Code, now time.Time, again time.Duration) {
	a.code = c
	if !c.absent() && c != CodeNoPermission || c == 0 {
		a.absent = 0
		return
	}
	if a.absent++; a.absent >= absentLimit {
		a.next = now.Add(again)
	}
}

func newNVMLGPU(n *nvmlReader, index int, now time.Time) *nvmlGPU {
	g := &nvmlGPU{n: n, index: index, shelf: newShelf(index, now)}
	g.reset()
	return g
}

// reset forgets what was learned about the GPU; it may be another one now.
func (g *nvmlGPU) reset() {
	g.base = Reading{Index: g.index, Driver: g.n.driver}
	g.fields = make([]ask, len(batch))
	g.ways = make([][]ask, len(probes))
	for i := range probes {
		g.ways[i] = make([]ask, len(probes[i].ways))
	}
	g.next = make([]time.Time, len(probes))
	g.gpm.forget()
}

// poll starts a round unless one is under way or the last began just now.
func (g *nvmlGPU) poll(now time.Time) <-chan struct{} {
	if now.Sub(g.began) < fastest-10*time.Millisecond {
		return nil
	}
	done := g.dog.start(g.round)
	if done != nil {
		g.began = now
	}
	return done
}

// tally is how the calls of one round went.
type tally struct {
	unknown int  // answers UNKNOWN
	gone    Code // a code that says the GPU is gone ends the round
}

func (t *tally) add(c Code) {
	switch {
	case c.gone():
		t.gone = c
	case c == CodeUnknown:
		t.unknown++
	}
}

// living are the readings of which every platform worth watching has some.
const living = 1<<SMClock | 1<<MemClock | 1<<Temp | 1<<Power | 1<<PowerInstant | 1<<Util | 1<<MemUsed | 1<<Reasons

// round asks the GPU everything that is due and leaves the reading.
func (g *nvmlGPU) round() {
	now := time.Now()
	if !g.found {
		if now.Before(g.retry) || !g.find(now) {
			return
		}
		now = time.Now()
	}
	r := g.base
	r.At = sources.InstantOf(now)
	var t tally
	g.putPart(&r)
	g.readFields(&r, now, &t)
	for i := range probes {
		if t.gone != 0 {
			break
		}
		g.putPart(&r)
		g.probe(i, &r, now, &t)
	}
	g.shareMemory(&r)
	if t.gone == 0 {
		g.gpm.read(g, &r, now, &t, func(s nvml.GpmSample) nvml.Return { return g.dev.GpmSampleGet(s) })
	}
	if t.gone == 0 {
		g.processes(g.dev, &g.nextProcesses, &r, now, &t)
		g.readFaults(&r, now, &t)
	}
	switch {
	case t.gone != 0:
		g.leave(Lost, t.gone, now.Add(g.n.o.pace.lost))
		return
	case t.unknown > 0 && r.valid&living == 0:
		g.unknown.Add(1)
		return // the shelf keeps the last values, and marks them stale
	}
	g.unknown.Store(0)
	if r.valid&living == 0 {
		g.barren.Add(1)
	} else {
		g.barren.Store(0)
	}
	g.last, g.whole = r, time.Now()
	g.shelf.put(r, g.whole)
	if t.gone == 0 {
		g.readInstances(now, &t)
	}
}

// putPart shows what a round has read so far, if the GPU is so slow that it is
// stale by now or has shown nothing yet.
func (g *nvmlGPU) putPart(r *Reading) {
	if !g.whole.IsZero() && (r.valid&living == 0 || time.Since(g.whole) <= g.n.o.staleAfter()) {
		return
	}
	part := *r
	part.fill(&g.last)
	part.Held = part.valid&^part.old == 0
	g.shelf.putPart(part)
}

// leave says that the GPU can't be read, and looks for it again later.
func (g *nvmlGPU) leave(c Condition, code Code, retry time.Time) {
	g.found, g.retry = false, retry
	r := g.last
	r.Processes, r.Faults = nil, nil
	r.Index, r.Driver = g.index, g.n.driver
	if r.At == 0 {
		r.At = sources.Now()
	}
	r.freeze(c, code)
	g.last = r
	g.shelf.put(r, time.Now())
}

// find looks the GPU up and asks who it is.
func (g *nvmlGPU) find(now time.Time) bool {
	dev, ret := g.n.api.DeviceGetHandleByIndex(g.index)
	switch {
	case ret == nvml.ERROR_NO_PERMISSION:
		g.leave(Denied, CodeNoPermission, now.Add(g.n.o.pace.again))
		return false
	case ret != nvml.SUCCESS:
		g.leave(Lost, Code(ret), now.Add(g.n.o.pace.lost))
		return false
	}
	g.dev, g.found = dev, true
	g.reset()
	g.n.events.register(dev, g.index)
	g.identify()
	return true
}

// identify asks who the GPU is and whose memory it works in.
func (g *nvmlGPU) identify() {
	dev := g.dev
	if g.n.has["nvmlDeviceGetUUID"] {
		if s, ret := dev.GetUUID(); ret == nvml.SUCCESS {
			g.base.UUID = s
		}
	}
	if g.n.has["nvmlDeviceGetName"] {
		if s, ret := dev.GetName(); ret == nvml.SUCCESS {
			g.base.Name = s
		}
	}
	if g.n.has[symStock] {
		if mw, ret := dev.GetPowerManagementDefaultLimit(); ret == nvml.SUCCESS {
			g.base.Stock = float64(mw) / 1e3
		}
	}
	g.shares = sharesMemory(g.base.Name)
	if g.n.has[symAddressing] {
		mode, ret := dev.GetAddressingMode()
		g.shares = g.shares || ret == nvml.SUCCESS && nvml.DeviceAddressingModeType(mode.Value) == nvml.DEVICE_ADDRESSING_MODE_ATS
	}
	if g.n.has[symPCI] || g.n.has[symPCI+"_v2"] || g.n.has[symPCI+"_v3"] {
		if pci, ret := dev.GetPciInfo(); ret == nvml.SUCCESS && kernelRuns(g.n.o.proc, text0(pci.BusId[:])) {
			g.base.Memory = MemoryKernel
		}
	}
}

// shareMemory reads the memory of a GPU that has none of its own: NVML has no
// such reading, which is another thing than a failure to read it.
func (g *nvmlGPU) shareMemory(r *Reading) {
	if g.shares && !r.Has(MemTotal) && r.Err(MemUsed) == 0 && r.valid&living != 0 {
		r.share(g.n.o.proc)
	}
}

// text0 is the text before the first NUL.
func text0[T int8 | uint8](b []T) string {
	s := make([]byte, 0, len(b))
	for _, c := range b {
		if c == 0 {
			break
		}
		s = append(s, byte(c))
	}
	return string(s)
}

// readFields asks for all field values in one call; each has a code and a type
// of its own.
func (g *nvmlGPU) readFields(r *Reading, now time.Time, t *tally) {
	if !g.n.has["nvmlDeviceGetFieldValues"] {
		return
	}
	g.buf, g.asked = g.buf[:0], g.asked[:0]
	for i := range batch {
		a := &g.fields[i]
		if !a.due(now) {
			if a.code == CodeNoPermission {
				r.Fail(batch[i].field, a.code)
			}
			continue
		}
		g.buf = append(g.buf, nvml.FieldValue{FieldId: batch[i].id})
		g.asked = append(g.asked, i)
	}
	if len(g.buf) == 0 {
		return
	}
	ret := g.dev.GetFieldValues(g.buf)
	if ret != nvml.SUCCESS {
		t.add(Code(ret))
	}
	for k, i := range g.asked {
		code, v := Code(ret), 0.0
		if code == 0 {
			v, code = fieldNumber(&g.buf[k])
			t.add(code)
		}
		b, a := &batch[i], &g.fields[i]
		a.answer(code, now, g.n.o.pace.again)
		if code != 0 {
			r.Fail(b.field, code)
			g.base.Unset(b.field)
			continue
		}
		r.Set(b.field, v/b.per)
		if b.seldom {
			g.base.Set(b.field, v/b.per)
			a.next = now.Add(g.n.o.pace.slow)
		}
	}
}

// fieldNumber decodes a field value by the type that NVML says it has.
func fieldNumber(f *nvml.FieldValue) (float64, Code) {
	if f.NvmlReturn != 0 {
		return 0, Code(f.NvmlReturn)
	}
	word := binary.NativeEndian.Uint64(f.Value[:])
	half := binary.NativeEndian.Uint32(f.Value[:])
	switch nvml.ValueType(f.ValueType) {
	case nvml.VALUE_TYPE_DOUBLE:
		return decodeDouble(word), 0
	case nvml.VALUE_TYPE_UNSIGNED_INT:
		return float64(half), 0
	case nvml.VALUE_TYPE_SIGNED_INT:
		return float64(int32(half)), 0
	case nvml.VALUE_TYPE_UNSIGNED_LONG, nvml.VALUE_TYPE_UNSIGNED_LONG_LONG:
		return float64(word), 0
	case nvml.VALUE_TYPE_SIGNED_LONG_LONG:
		return float64(int64(word)), 0
	case nvml.VALUE_TYPE_UNSIGNED_SHORT:
		return float64(binary.NativeEndian.Uint16(f.Value[:])), 0
	}
	return 0, CodeNotSupported
}

// probe asks for one reading in the first way that this card and this driver
// have.
func (g *nvmlGPU) probe(i int, r *Reading, now time.Time, t *tally) {
	p := &probes[i]
	if now.Before(g.next[i]) || p.answered(r) {
		return
	}
	for w := range p.ways {
		a := &g.ways[i][w]
		if !a.due(now) {
			if a.code == CodeNoPermission {
				r.Fail(p.fields[0], a.code)
			}
			continue
		}
		code := CodeFunctionNotFound
		if g.n.has[p.ways[w].symbol] {
			code = Code(p.ways[w].read(g.dev, r))
			t.add(code)
		}
		a.answer(code, now, g.n.o.pace.again)
		switch {
		case code == 0:
			if p.every != 0 {
				g.keep(i, r, now)
			}
			return
		case code.absent():
			continue
		}
		for _, f := range p.fields {
			r.Fail(f, code)
		}
		return
	}
}

// keep carries what is read seldom into the rounds to come.
func (g *nvmlGPU) keep(i int, r *Reading, now time.Time) {
	every := probes[i].every
	if every == seldom {
		every = g.n.o.pace.slow
	}
	g.next[i] = now.Add(every)
	for _, f := range probes[i].fields {
		if r.Has(f) {
			g.base.Set(f, r.value[f])
		}
	}
}
