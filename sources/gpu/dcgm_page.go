package gpu

import (
	"math"
	"strconv"
	"strings"
	"time"

	"benchtop/model"
	"benchtop/sources"
)

// dcgmPage collects the GPUs of one scrape.
type dcgmPage struct {
	at   model.Instant
	gpus map[string]*dcgmGPU
}

// dcgmGPU is one GPU of a scrape, with what does not go into a field as it is.
type dcgmGPU struct {
	Reading
	rank     [NumFields]int
	free     float64
	xid      int // of the last one that the driver told, 0 if there was none
	reserved float64
	counts   faultCounts
}

func newDCGMPage(now time.Time) *dcgmPage {
	return &dcgmPage{at: sources.InstantOf(now), gpus: make(map[string]*dcgmGPU)}
}

// line takes one line of the exposition; what is no metric of ours is ignored.
func (p *dcgmPage) line(line string) {
	name, rest, ok := strings.Cut(line, "{")
	if !ok {
		return
	}
	name, ok = strings.CutPrefix(name, "DCGM_FI_")
	if !ok {
		return
	}
	labels, rest, ok := cutLabels(rest)
	if !ok {
		return
	}
	number, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	v, ok := dcgmNumber(number)
	if !ok {
		return
	}
	g := p.gpu(labels)
	if g == nil {
		return
	}
	switch name {
	case "DEV_FB_FREE":
		g.free = v
	case "DEV_FB_RESERVED":
		g.reserved = v
	case "DEV_XID_ERRORS":
		g.xid = int(v)
	}
	if kind, ok := dcgmFaults[name]; ok {
		g.counts.add(kind, v)
	}
	if m, ok := dcgmMetricOf(name); ok && (!g.Has(m.field) || m.rank < g.rank[m.field]) {
		g.rank[m.field] = m.rank
		g.Set(m.field, v/m.per)
	}
}

// gpu is the GPU that the labels name.
func (p *dcgmPage) gpu(labels map[string]string) *dcgmGPU {
	index, err := strconv.ParseUint(labels["gpu"], 10, 16)
	id := labels["UUID"]
	if err != nil && id == "" {
		return nil
	}
	if id == "" {
		id = labels["gpu"]
	}
	instance := labels["GPU_I_ID"]
	if instance != "" { // of a MIG instance: the whole GPU has lines of its own
		id += "/" + instance
	}
	g := p.gpus[id]
	if g == nil {
		g = &dcgmGPU{free: math.NaN()}
		g.At, g.Index, g.UUID, g.Name, g.Driver = p.at, int(index), labels["UUID"], labels["modelName"], labels["DCGM_FI_DRIVER_VERSION"]
		if instance != "" {
			n, err := strconv.ParseUint(instance, 10, 8)
			if err != nil {
				return nil
			}
			// The label UUID is the whole GPU's: the instance is known by its number.
			g.Instance, g.UUID, g.Name = int(n)+1, "", strings.TrimSpace(g.Name+" MIG "+labels["GPU_I_PROFILE"])
		}
		p.gpus[id] = g
	}
	return g
}

// dcgmUnits are what the newest DCGM ends its names with.
var dcgmUnits = [...]string{"_CELSIUS", "_MHZ", "_WATTS", "_MILLIJOULES", "_PERCENT", "_MIB", "_NS"}

// dcgmMetricOf finds a metric by its name, with or without the unit at its end.
func dcgmMetricOf(name string) (dcgmMetric, bool) {
	m, ok := dcgmMetrics[name]
	for _, u := range dcgmUnits {
		if base, cut := strings.CutSuffix(name, u); cut && !ok {
			m, ok = dcgmMetrics[base]
		}
	}
	return m, ok
}

// xids are the last Xid of each GPU.
func (p *dcgmPage) xids() map[string]int {
	all := make(map[string]int, len(p.gpus))
	for id, g := range p.gpus {
		all[id] = g.xid
	}
	return all
}

// readings are the GPUs as they were told.
func (p *dcgmPage) readings() map[string]Reading {
	rs := make(map[string]Reading, len(p.gpus))
	for id, g := range p.gpus {
		g.Set(MemTotal, g.Get(MemUsed)+g.free+g.reserved) // NaN if one is not known
		rs[id] = g.Reading
	}
	return rs
}

// cutLabels reads labels up to their closing brace.
func cutLabels(s string) (labels map[string]string, rest string, ok bool) {
	labels = make(map[string]string, 12)
	for {
		s = strings.TrimLeft(s, ", ")
		if rest, ok := strings.CutPrefix(s, "}"); ok {
			return labels, rest, true
		}
		name, after, ok := strings.Cut(s, "=")
		if !ok {
			return nil, "", false
		}
		quoted, err := strconv.QuotedPrefix(after)
		if err != nil {
			return nil, "", false
		}
		value, err := strconv.Unquote(quoted)
		if err != nil {
			return nil, "", false
		}
		labels[strings.TrimSpace(name)] = value
		s = after[len(quoted):]
	}
}

// DCGM writes giant numbers where it has none, each kind of number its own.
const (
	dcgmNone32  = 0x7ffffff0
	dcgmNone64  = 0x7ffffffffffffff0
	dcgmNoneF64 = 1 << 47
)

// dcgmNumber reads a value, integers exactly: as float64 the numbers that mean
// "none" can't be told from each other or from a large one.
func dcgmNumber(s string) (float64, bool) {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return float64(n), n < dcgmNone64 && (n < dcgmNone32 || n > dcgmNone32+15)
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil && !math.IsNaN(v) && v < dcgmNoneF64
}
