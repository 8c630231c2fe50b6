package host

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"benchtop/model"
	"benchtop/sources"

	"github.com/prometheus/procfs"
)

// Survey is a machine between two looks; rates are over the time between them.
type Survey struct {
	proc, sys string
	fs        procfs.FS
	files     procFiles
	scene     Scene
	m         machine
	first     Reading
	ticks     map[int]uint64
	links     map[string]float64
	swapIn    float64
	limits    []Limit
	periods   map[int][2]float64
	at        model.Instant
}

// StartSurvey takes the first look. The benchmark's own processes, as in scene,
// are not others. Empty proc and sys are where procfs and sysfs are as usual.
func StartSurvey(scene Scene, proc, sys string) (*Survey, error) {
	o := Options{Proc: proc, Sys: sys}
	o.defaults()
	fs, err := procfs.NewFS(o.Proc)
	if err != nil {
		return nil, fmt.Errorf("check: %w (is procfs mounted at %s?)", err, o.Proc)
	}
	s := &Survey{proc: o.Proc, sys: o.Sys, fs: fs, scene: scene, periods: make(map[int][2]float64)}
	s.at = sources.Now()
	s.first.At = s.at
	s.m.read(&s.files, s.fs, &o, "/net", &s.first)
	s.ticks = s.processes()
	s.links = s.traffic()
	s.swapIn = s.vmstat("pswpin")
	s.limit("benchtop", os.Getpid())
	for _, f := range slices.Concat(scene.Servers, scene.Loads) {
		s.limit(f.Tool.Name, f.PID)
	}
	return s, nil
}

// End takes the second look.
func (s *Survey) End() *Environment {
	o := Options{Proc: s.proc, Sys: s.sys}
	r := Reading{At: sources.Now()}
	s.m.clockAt = 0
	s.m.read(&s.files, s.fs, &o, "/net", &r)
	span := r.At.Sub(s.at)
	e := &Environment{
		Cores: len(s.m.cores), CPUMHz: r.Get(CPUMHz), Steal: r.Get(Steal), DiskRead: r.Get(DiskRead), Pressure: r.Get(PSIMemory),
		SwapIn: (s.vmstat("pswpin") - s.swapIn) / span.Seconds(),
	}
	s.clocks(e)
	s.memory(e)
	s.others(e, span)
	now := s.traffic()
	for name, was := range s.links {
		if v, ok := now[name]; ok {
			e.Links = append(e.Links, Link{name, s.speed(name), (v - was) / span.Seconds()})
		}
	}
	slices.SortFunc(e.Links, func(a, b Link) int { return strings.Compare(a.Name, b.Name) })
	for _, l := range s.limits {
		l.Throttled = s.throttled(l.PID)
		e.Limits = append(e.Limits, l)
	}
	return e
}

// clocks reads how the cores' clocks are governed.
func (s *Survey) clocks(e *Environment) {
	cpu := s.sys + "/devices/system/cpu/"
	for i := range e.Cores {
		if g := s.text(cpu + "cpu" + strconv.Itoa(i) + "/cpufreq/scaling_governor"); g != "" {
			if e.Governors == nil {
				e.Governors = make(map[string]int)
			}
			e.Governors[g]++
		}
	}
	e.Preference = s.text(cpu + "cpu0/cpufreq/energy_performance_preference")
	e.TopMHz = math.NaN()
	if v, ok := s.files.number(cpu + "cpu0/cpufreq/cpuinfo_max_freq"); ok {
		e.TopMHz = v / 1000
	}
	switch {
	case s.text(cpu+"intel_pstate/no_turbo") == "1", s.text(cpu+"cpufreq/boost") == "0":
		e.Boost = "off"
	case s.text(cpu+"intel_pstate/no_turbo") == "0", s.text(cpu+"cpufreq/boost") == "1":
		e.Boost = "on"
	}
	if b, err := s.files.read(s.proc + "/cpuinfo"); err == nil {
		e.Virtual = bytes.Contains(b, []byte(" hypervisor"))
	}
}

func (s *Survey) text(path string) string {
	b, err := s.files.read(path)
	if err != nil {
		return ""
	}
	return string(bytes.TrimSpace(b))
}

func (s *Survey) vmstat(key string) float64 {
	b, err := s.files.read(s.proc + "/vmstat")
	if err != nil {
		return math.NaN()
	}
	if v, ok := keyed(b, key); ok {
		return v
	}
	return math.NaN()
}

func (s *Survey) memory(e *Environment) {
	e.MemTotal, e.MemAvailable, e.Cached, e.SwapUsed, e.HugePages = math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN()
	if m, err := s.fs.Meminfo(); err == nil {
		mib := func(kb *uint64) float64 {
			if kb == nil {
				return math.NaN()
			}
			return float64(*kb) / 1024
		}
		e.MemTotal, e.MemAvailable, e.Cached = mib(m.MemTotal), mib(m.MemAvailable), mib(m.Cached)
		e.SwapUsed = mib(m.SwapTotal) - mib(m.SwapFree)
		if m.HugePagesTotal != nil {
			e.HugePages = float64(*m.HugePagesTotal)
		}
	}
	thp := s.text(s.sys + "/kernel/mm/transparent_hugepage/enabled")
	if _, rest, ok := strings.Cut(thp, "["); ok {
		e.Transparent, _, _ = strings.Cut(rest, "]")
	}
	e.Whole = s.whole()
}

// whole is the share of free memory that is in pieces of 2 MiB and more, from
// the free lists: a column for each power of two pages.
func (s *Survey) whole() float64 {
	big := 0
	for os.Getpagesize()<<big < 2<<20 {
		big++
	}
	var all, large float64
	for l := range strings.Lines(s.text(s.proc + "/buddyinfo")) {
		_, counts, ok := strings.Cut(l, "zone")
		if !ok {
			continue
		}
		for i, w := range strings.Fields(counts) {
			v, err := strconv.ParseFloat(w, 64)
			if i == 0 || err != nil {
				continue // the zone's name
			}
			size := v * math.Exp2(float64(i-1))
			all += size
			if i-1 >= big {
				large += size
			}
		}
	}
	return large / all
}

// processes reads the processor time of every process.
func (s *Survey) processes() map[int]uint64 {
	out := make(map[int]uint64)
	for _, name := range names(s.proc, -1) {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if b, err := s.files.read(s.proc + "/" + name + "/stat"); err == nil {
			if t, _, ok := parseStat(b); ok {
				out[pid] = t
			}
		}
	}
	return out
}

// others finds what takes no part and still uses the cores.
func (s *Survey) others(e *Environment, span time.Duration) {
	part := map[int]bool{os.Getpid(): true}
	l := looker{proc: s.proc}
	for _, f := range slices.Concat(s.scene.Servers, s.scene.Loads) {
		for _, pid := range l.family(f.PID) {
			part[pid] = true
		}
	}
	for pid, now := range s.processes() {
		was, ok := s.ticks[pid]
		if part[pid] || ok && now < was {
			continue
		}
		cores := float64(now-was) / ticksPerSecond / span.Seconds()
		if !ok { // it began meanwhile
			cores = min(cores, 1)
		}
		e.Others += cores
		if cores >= 0.01 {
			e.Busiest = append(e.Busiest, Process{PID: pid, Cores: cores})
		}
	}
	slices.SortFunc(e.Busiest, func(a, b Process) int {
		switch {
		case a.Cores > b.Cores:
			return -1
		case a.Cores < b.Cores:
			return 1
		}
		return a.PID - b.PID
	})
	e.Busiest = e.Busiest[:min(len(e.Busiest), 5)]
	for i := range e.Busiest {
		s.name(&e.Busiest[i])
	}
}

func (s *Survey) name(p *Process) {
	dir := s.proc + "/" + strconv.Itoa(p.PID)
	p.Name = s.text(dir + "/comm")
	if info, err := os.Stat(dir); err == nil {
		if st, ok := info.Sys().(*syscall.Stat_t); ok {
			p.User = userName(st.Uid)
		}
	}
	if b, err := s.files.read(dir + "/cgroup"); err == nil {
		p.Unit = parseGroup(b).Unit
	}
}

// traffic reads the bytes of each interface that is up, but for loopback.
func (s *Survey) traffic() map[string]float64 {
	out := make(map[string]float64)
	b, err := s.files.read(s.proc + "/net/dev")
	if err != nil {
		return out
	}
	for l := range strings.Lines(string(b)) {
		name, rest, ok := strings.Cut(l, ":")
		name = strings.TrimSpace(name)
		w := strings.Fields(rest)
		if !ok || name == "lo" || len(w) < 9 {
			continue
		}
		rx, err1 := strconv.ParseFloat(w[0], 64)
		tx, err2 := strconv.ParseFloat(w[8], 64)
		if err1 == nil && err2 == nil && rx+tx > 0 {
			out[name] = rx + tx
		}
	}
	return out
}

func (s *Survey) speed(name string) float64 {
	if v, ok := s.files.number(s.sys + "/class/net/" + name + "/speed"); ok && v > 0 {
		return v
	}
	return math.NaN()
}
