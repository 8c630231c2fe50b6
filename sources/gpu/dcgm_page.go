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
	reserved float64
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
	if !ok || labels["GPU_I_ID"] != "" {
		return // of a MIG instance: the whole GPU has lines of its own
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
	}
	if m, ok := dcgmMetrics[name]; ok && (!g.Has(m.field) || m.rank < g.rank[m.field]) {
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
	g := p.gpus[id]
	if g == nil {
		g = &dcgmGPU{free: math.NaN()}
		g.At, g.Index, g.UUID, g.Name, g.Driver = p.at, int(index), labels["UUID"], labels["modelName"], labels["DCGM_FI_DRIVER_VERSION"]
		p.gpus[id] = g
	}
	return g
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
