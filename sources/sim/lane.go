package sim

import (
	"fmt"
	"time"

	"benchtop/model"
	"benchtop/sources"
	"benchtop/sources/gpu"
	"benchtop/sources/host"
	"benchtop/sources/loadgen"
	"benchtop/sources/serverlog"
)

// forks are the outlets of the sources that a scenario has, nil for the rest.
// They outlive a seek, so that a source keeps its id.
type forks struct{ load, log, gpu, host *sources.Outlet }

func forksOf(p *Params, out *sources.Outlet) (f forks) {
	if p.HaveClient {
		f.load = out.Fork()
	}
	if p.HaveLog {
		f.log = out.Fork()
	}
	if p.HaveGPU {
		f.gpu = out.Fork()
	}
	if p.HaveHost {
		f.host = out.Fork()
	}
	return f
}

func (f *forks) all() []*sources.Outlet {
	var some []*sources.Outlet
	for _, o := range []*sources.Outlet{f.load, f.log, f.gpu, f.host} {
		if o != nil {
			some = append(some, o)
		}
	}
	return some
}

// lanes read what the model writes, as the real sources read it. Nothing but
// text and readings passes from the model to them.
type lanes struct {
	forks
	loadDec   *loadgen.Decoder
	logDec    *serverlog.Decoder
	logFormat string
	cards     gpu.State
	hosts     host.State
}

func newLanes(f forks, start model.Instant, static bool) *lanes {
	format := "vllm" // named, so that nothing is held back until it is found out
	if static {
		format = "generic"
	}
	return &lanes{
		logFormat: format,
		forks:     f,
		loadDec:   loadgen.NewDecoder(loadgen.Options{Name: "simulated client", Zone: time.UTC, Year: start.Time().UTC().Year()}),
		logDec:    serverlog.NewDecoder(serverlog.Options{Format: format, Name: "simulated server", Zone: time.UTC, Year: start.Time().UTC().Year()}),
	}
}

// describe introduces the four and says that they run.
func (l *lanes) describe(at model.Instant) {
	for _, d := range [...]struct {
		out    *sources.Outlet
		name   string
		kind   model.SourceKind
		format string
	}{
		{l.load, "simulated client", model.KindLoad, "ndjson"},
		{l.log, "simulated server", model.KindServerLog, l.logFormat},
		{l.gpu, "simulated GPU", model.KindGPU, "sim"},
		{l.host, "simulated host", model.KindHost, "sim"},
	} {
		if d.out != nil {
			d.out.Describe(at, d.name, d.kind, d.format, "")
			d.out.State(at, model.Running, "")
		}
	}
}

// idle tells the decoders that nothing more is there to read now, as a source
// does while it waits.
func (l *lanes) idle(at model.Instant) {
	if l.load != nil {
		l.loadDec.Idle(at, l.load)
	}
	if l.log != nil {
		l.logDec.Idle(at, l.log)
	}
}

// end closes the streams: the run is over.
func (l *lanes) end(at model.Instant) {
	if l.load != nil {
		l.loadDec.End(at, l.load)
	}
	if l.log != nil {
		l.logDec.Close(at, l.log)
	}
	for _, o := range l.all() {
		o.State(at, model.Ended, "")
	}
}

// sinks are where the world writes to. It asks only for what the scenario has.
func (l *lanes) sinks() sinks {
	return sinks{
		load: func(at model.Instant, line []byte) { l.loadDec.Line(line, at, false, false, l.load) },
		log:  func(at model.Instant, line []byte) { l.logDec.Line(line, at, false, l.log) },
		gpu: func(at model.Instant, s *cardSample) {
			r := s.reading(at)
			l.gpu.Count(1, 1, 0, 0, 0)
			gpu.Apply(&r, at, at, l.gpu, &l.cards)
		},
		host: func(at model.Instant, s *hostSample) {
			r := s.reading(at)
			l.host.Count(1, 1, 0, 0, 0)
			host.Apply(&r, at, at, l.host, &l.hosts)
		},
	}
}

// reading is the sample as the GPU package has it.
func (s *cardSample) reading(at model.Instant) gpu.Reading {
	r := gpu.Reading{At: at, Index: s.Index, UUID: fmt.Sprintf("GPU-51000000-0000-4000-8000-%012d", s.Index), Name: "simulated GPU, 80 GB"}
	for _, f := range [...]struct {
		field gpu.Field
		value float64
	}{
		{gpu.SMClock, s.SMClockMHz},
		{gpu.MaxSMClock, s.MaxClockMHz},
		{gpu.MemClock, 2619},
		{gpu.Temp, s.TempC},
		{gpu.Slowdown, s.SlowdownC},
		{gpu.Margin, s.MarginC},
		{gpu.Power, s.PowerW},
		{gpu.PowerInstant, s.InstantW},
		{gpu.PowerLimit, s.LimitW},
		{gpu.Energy, s.EnergyJ},
		{gpu.Util, s.UtilPct},
		{gpu.MemUsed, s.MemUsedMiB},
		{gpu.MemTotal, s.MemTotalMiB},
		{gpu.Reasons, float64(s.Reasons)},
		{gpu.HeldPowerCap, float64(s.PowerCapNS)},
		{gpu.HeldSWThermal, float64(s.SWThermalNS)},
		{gpu.HeldHWThermal, float64(s.HWThermalNS)},
		{gpu.HeldBrake, float64(s.BrakeNS)},
		{gpu.SMActivity, s.SMActivity},
		{gpu.TensorActivity, s.TensorActivity},
		{gpu.DRAMActivity, s.DRAMBusy},
	} {
		r.Set(f.field, f.value)
	}
	if s.SMOccupancy > 0 {
		r.Set(gpu.SMOccupancy, s.SMOccupancy)
	}
	return r
}

// reading is the sample as the host package has it.
func (s *hostSample) reading(at model.Instant) host.Reading {
	r := host.Reading{At: at, Governor: "performance"}
	for _, f := range [...]struct {
		field host.Field
		value float64
	}{
		{host.ClientThread, s.ClientThread},
		{host.ServerThread, s.ServerThread},
		{host.OtherCPU, s.OtherShare},
		{host.CPUMHz, s.CPUMHz},
		{host.Steal, 0},
		{host.Established, float64(s.Established)},
		{host.Connecting, float64(s.Connecting)},
		{host.AcceptQueue, float64(s.AcceptQueue)},
		{host.ConnsOpened, float64(s.Opened)},
		{host.SegsOut, float64(s.Segs)},
		{host.SegsRetrans, float64(s.Retrans)},
		{host.QuotaPeriods, float64(s.QuotaPeriods)},
		{host.QuotaThrottled, float64(s.QuotaThrottled)},
		{host.PSIMemory, s.MemPSI},
		{host.PSICPU, s.CPUPSI},
		{host.PSIIO, 0},
		{host.MemAvailable, s.MemAvailableMiB},
		{host.OOMKills, float64(s.OOMKills)},
	} {
		r.Set(f.field, f.value)
	}
	return r
}
