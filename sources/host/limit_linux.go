package host

import (
	"math"
	"os"
	"path"
	"strconv"
	"strings"
)

// limit notes what a process' groups allow.
func (s *Survey) limit(who string, pid int) {
	l := Limit{Who: who, PID: pid, Cores: math.NaN(), MiB: math.NaN()}
	b, err := s.files.read(s.proc + "/" + strconv.Itoa(pid) + "/cgroup")
	if err == nil {
		l.Group = parseGroup(b)
		text := string(b)
		l.Cores, l.MiB = s.allowed(text)
	}
	s.limits = append(s.limits, l)
	s.periods[pid] = s.quotaPeriods(pid)
}

// quotaPeriods reads how many periods of its quota a process' group had, and in
// how many of them it was held back.
func (s *Survey) quotaPeriods(pid int) [2]float64 {
	var q quota
	n, k, ok := q.read(&s.files, s.proc, s.sys, pid)
	if !ok {
		return [2]float64{math.NaN(), math.NaN()}
	}
	return [2]float64{n, k}
}

// throttled is the share of periods since the first look in which the group
// was held back.
func (s *Survey) throttled(pid int) float64 {
	was, now := s.periods[pid], s.quotaPeriods(pid)
	if !(now[0] > was[0]) {
		return math.NaN()
	}
	return (now[1] - was[1]) / (now[0] - was[0])
}

// allowed is the least that any group from the process' own up allows: cores
// and MiB, +Inf where nothing limits it, NaN where no group can be read.
func (s *Survey) allowed(cgroup string) (cores, mib float64) {
	cores, mib = math.NaN(), math.NaN()
	least := func(at *float64, v float64) {
		if math.IsNaN(*at) || v < *at {
			*at = v
		}
	}
	for l := range strings.Lines(cgroup) {
		p := strings.SplitN(strings.TrimSpace(l), ":", 3)
		if len(p) != 3 {
			continue
		}
		root := s.sys + "/fs/cgroup"
		if p[1] != "" {
			root += "/" + p[1]
		}
		for dir := path.Clean("/" + p[2]); ; dir = path.Dir(dir) {
			at := path.Join(root, dir)
			if v, ok := s.quotaOf(at); ok {
				least(&cores, v)
			}
			if v, ok := s.memoryOf(at); ok {
				least(&mib, v)
			}
			if dir == "/" {
				break
			}
		}
		if _, err := os.Stat(root + "/cgroup.procs"); err == nil { // the hierarchy can be seen: no limit is none
			cpu := p[1] == "" || strings.Contains(","+p[1]+",", ",cpu,")
			if cpu && math.IsNaN(cores) {
				cores = math.Inf(1)
			}
			if (p[1] == "" || p[1] == "memory") && math.IsNaN(mib) {
				mib = math.Inf(1)
			}
		}
	}
	return cores, mib
}

// quotaOf reads a group's quota in cores, of either version.
func (s *Survey) quotaOf(dir string) (float64, bool) {
	if w := strings.Fields(s.text(dir + "/cpu.max")); len(w) == 2 {
		if w[0] == "max" {
			return math.Inf(1), true
		}
		return ratio(w[0], w[1])
	}
	quota, period := s.text(dir+"/cpu.cfs_quota_us"), s.text(dir+"/cpu.cfs_period_us")
	if strings.HasPrefix(quota, "-") {
		return math.Inf(1), true
	}
	return ratio(quota, period)
}

func ratio(a, b string) (float64, bool) {
	x, err1 := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	return x / y, err1 == nil && err2 == nil && y > 0
}

// memoryOf reads a group's memory limit in MiB, of either version.
func (s *Survey) memoryOf(dir string) (float64, bool) {
	text := s.text(dir + "/memory.max")
	if text == "" {
		text = s.text(dir + "/memory.limit_in_bytes")
	}
	if text == "max" {
		return math.Inf(1), true
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, false
	}
	if v > 1<<60 { // version 1 writes the largest number for none
		return math.Inf(1), true
	}
	return v / (1 << 20), true
}
