//go:build linux && cgo

package gpu

import (
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

// The functions of GPU performance monitoring (Hopper and later).
const (
	symGpmQuery   = "nvmlGpmQueryDeviceSupport"
	symGpmAlloc   = "nvmlGpmSampleAlloc"
	symGpmFree    = "nvmlGpmSampleFree"
	symGpmGet     = "nvmlGpmSampleGet"
	symGpmMetrics = "nvmlGpmMetricsGet"
)

// gpmApart is the least time between two samples: what is taken faster is
// invalid.
const gpmApart = 100 * time.Millisecond

// gpmMetrics are the metrics asked for, with NVML's units in one of the field's.
var gpmMetrics = []struct {
	id    nvml.GpmMetricId
	field Field
	per   float64
}{
	{nvml.GPM_METRIC_SM_UTIL, SMActivity, 100},
	{nvml.GPM_METRIC_SM_OCCUPANCY, SMOccupancy, 100},
	{nvml.GPM_METRIC_ANY_TENSOR_UTIL, TensorActivity, 100},
	{nvml.GPM_METRIC_DRAM_BW_UTIL, DRAMActivity, 100},
	{nvml.GPM_METRIC_PCIE_TX_PER_SEC, PCIeTx, 1.0 / mib},
	{nvml.GPM_METRIC_PCIE_RX_PER_SEC, PCIeRx, 1.0 / mib},
}

// gpm is one GPU's pair of samples: a value is the mean between them, so the
// first comes with the second round.
type gpm struct {
	support ask
	on      bool
	samples [2]nvml.GpmSample // older, newer
	taken   bool              // the newer one is filled
	at      time.Time
	get     *nvml.GpmMetricsGetType
}

// forget drops the samples' content; two of different handles don't pair.
func (p *gpm) forget() { p.support, p.on, p.taken = ask{}, false, false }

// read takes a sample by take, of the whole GPU or of one of its instances, and
// sets what GPM says of the time since the one before.
func (p *gpm) read(g *nvmlGPU, r *Reading, now time.Time, t *tally, take func(nvml.GpmSample) nvml.Return) {
	if !p.on && !p.start(g, r.Instance != 0, now, t) {
		return
	}
	if p.taken && now.Sub(p.at) < gpmApart {
		return
	}
	ret := take(p.samples[0])
	t.add(Code(ret))
	if ret != nvml.SUCCESS {
		p.taken = false
		p.fail(r, Code(ret))
		p.support.answer(Code(ret), now, g.n.o.pace.again)
		p.on = p.support.due(now)
		return
	}
	p.samples[0], p.samples[1] = p.samples[1], p.samples[0]
	had := p.taken
	p.taken, p.at = true, now
	if had {
		p.metrics(g, r, t)
	}
}

// start asks whether the GPU has it and makes the samples. Whether an instance
// has it its first sample tells: a GPU that is cut up may have none as a whole.
func (p *gpm) start(g *nvmlGPU, part bool, now time.Time, t *tally) bool {
	has := g.n.has
	if !p.support.due(now) || !(has[symGpmQuery] && has[symGpmAlloc] && has[symGpmFree] && has[symGpmGet] && has[symGpmMetrics]) {
		return false
	}
	if !part {
		s, ret := g.dev.GpmQueryDeviceSupport()
		code := Code(ret)
		t.add(code)
		if code == 0 && s.IsSupportedDevice == 0 {
			code = CodeNotSupported
		}
		p.support.answer(code, now, g.n.o.pace.again)
		if code != 0 {
			return false
		}
	}
	for i := range p.samples {
		if p.samples[i] == nil {
			var ret nvml.Return
			if p.samples[i], ret = g.n.api.GpmSampleAlloc(); ret != nvml.SUCCESS {
				p.samples[i] = nil
				return false
			}
		}
	}
	if p.get == nil {
		p.get = new(nvml.GpmMetricsGetType)
	}
	p.on = true
	return true
}

func (p *gpm) metrics(g *nvmlGPU, r *Reading, t *tally) {
	p.get.NumMetrics = uint32(len(gpmMetrics))
	p.get.Sample1, p.get.Sample2 = p.samples[0], p.samples[1]
	for i := range gpmMetrics {
		p.get.Metrics[i] = nvml.GpmMetric{MetricId: uint32(gpmMetrics[i].id)}
	}
	ret := g.n.api.GpmMetricsGet(p.get)
	t.add(Code(ret))
	if ret != nvml.SUCCESS {
		p.fail(r, Code(ret))
		return
	}
	for i, m := range gpmMetrics {
		if code := Code(p.get.Metrics[i].NvmlReturn); code != 0 {
			r.Fail(m.field, code)
			continue
		}
		r.Set(m.field, p.get.Metrics[i].Value/m.per)
	}
}

func (p *gpm) fail(r *Reading, c Code) {
	for _, m := range gpmMetrics {
		r.Fail(m.field, c)
	}
}

// free gives the samples back, before the library is shut down.
func (p *gpm) free(n *nvmlReader) {
	for i, s := range p.samples {
		if s != nil && n.has[symGpmFree] {
			n.api.GpmSampleFree(s)
			p.samples[i] = nil
		}
	}
}
