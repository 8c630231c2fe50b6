package host_test

import (
	"fmt"
	"math"
	"os"
	"slices"
	"testing"
	"time"

	"benchtop/sources/host"
)

// TestSurvey looks twice at a machine that was written down.
func TestSurvey(t *testing.T) {
	dir := t.TempDir()
	unpack(t, dir, "testdata/machine1.txt")
	cpu := "sys/devices/system/cpu/"
	write(t, dir, cpu+"intel_pstate/no_turbo", "0\n")
	write(t, dir, cpu+"cpu0/cpufreq/cpuinfo_max_freq", "3600000\n")
	write(t, dir, "sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n")
	write(t, dir, "proc/buddyinfo", "Node 0, zone   Normal   100  0 0 0 0 0 0 0 0 1 1\n")
	write(t, dir, "proc/300/stat", "300 (backup) S 1 300 300 0 -1 0 0 0 0 0 100 0 0 0 20 0 1 0 9000 1 1\n")
	write(t, dir, "proc/300/comm", "backup\n")
	write(t, dir, "proc/300/cgroup", "0::/system.slice/backup.service\n")
	write(t, dir, "proc/100/cgroup", "0::/pods/a\n")
	write(t, dir, "sys/fs/cgroup/cgroup.procs", "")
	write(t, dir, "sys/fs/cgroup/pods/cpu.max", "200000 100000\n")
	write(t, dir, "sys/fs/cgroup/pods/a/cpu.max", "max 100000\n")
	write(t, dir, "sys/fs/cgroup/pods/a/memory.max", "1073741824\n")
	scene := host.Scene{Servers: []host.Found{{Tool: host.Tool{Name: "vllm"}, PID: 100}}}
	s, err := host.StartSurvey(scene, dir+"/proc", dir+"/sys")
	if err != nil {
		t.Fatal(err)
	}
	pause(t, 100*time.Millisecond) // rates need some time
	write(t, dir, "proc/300/stat", "300 (backup) S 1 300 300 0 -1 0 0 0 0 0 150 0 0 0 20 0 1 0 9000 1 1\n")
	e := s.End()
	if e.Cores != 4 || e.Governors["performance"] == 0 || e.Boost != "on" || e.TopMHz != 3600 || e.Transparent != "madvise" {
		t.Errorf("want 4 cores at performance with boost to 3600 MHz, got %+v", e)
	}
	if want := float64(512+1024) / (100 + 512 + 1024); math.Abs(e.Whole-want) > 1e-9 {
		t.Errorf("want %v of the free memory whole, got %v", want, e.Whole)
	}
	i := slices.IndexFunc(e.Busiest, func(p host.Process) bool { return p.PID == 300 })
	if i < 0 || e.Busiest[i].Name != "backup" || e.Busiest[i].Unit != "backup.service" {
		t.Errorf("want the backup among the busiest, got %+v", e.Busiest)
	}
	i = slices.IndexFunc(e.Limits, func(l host.Limit) bool { return l.PID == 100 })
	if i < 0 || e.Limits[i].Cores != 2 || e.Limits[i].MiB != 1024 {
		t.Errorf("want the pod's 2 cores and its container's 1024 MiB, got %+v", e.Limits)
	}
}

// TestSurveyHere looks at this machine as it is.
func TestSurveyHere(t *testing.T) {
	s, err := host.StartSurvey(host.Scene{}, "", "")
	if err != nil {
		t.Fatal(err)
	}
	e := s.End()
	if e.Cores == 0 || !(e.MemTotal > 0) || len(e.Limits) != 1 || e.Limits[0].PID != os.Getpid() {
		t.Errorf("want this machine's cores, memory and own limits, got %+v", e)
	}
}

// TestQuotaOfThreeGroups: benchtop, the server and the load generator each sit in
// a control group of version 2 with a quota of its own; what each is allowed and
// how often it was held back between the looks is told apart.
func TestQuotaOfThreeGroups(t *testing.T) {
	dir := t.TempDir()
	unpack(t, dir, "testdata/machine1.txt")
	write(t, dir, "sys/fs/cgroup/cgroup.procs", "")
	groups := []struct {
		who       string
		pid       int
		max       string
		was, now  [2]int // periods, throttled
		cores     float64
		throttled float64 // NaN: no period passed
	}{
		{"benchtop", os.Getpid(), "50000 100000", [2]int{10, 0}, [2]int{20, 1}, 0.5, 0.1},
		{"vllm", 100, "400000 100000", [2]int{1000, 100}, [2]int{1040, 130}, 4, 0.75},
		{"vegeta", 200, "max 100000", [2]int{0, 0}, [2]int{0, 0}, math.Inf(1), math.NaN()},
	}
	stat := func(v [2]int) string {
		return fmt.Sprintf("usage_usec 9000000\nuser_usec 8000000\nsystem_usec 1000000\nnr_periods %d\nnr_throttled %d\nthrottled_usec 5\nnr_bursts 0\nburst_usec 0\n", v[0], v[1])
	}
	for _, g := range groups {
		write(t, dir, fmt.Sprintf("proc/%d/cgroup", g.pid), "0::/run/"+g.who+"\n")
		write(t, dir, "sys/fs/cgroup/run/"+g.who+"/cpu.max", g.max+"\n")
		write(t, dir, "sys/fs/cgroup/run/"+g.who+"/cpu.stat", stat(g.was))
	}
	scene := host.Scene{
		Servers: []host.Found{{Tool: host.Tool{Name: "vllm"}, PID: 100}},
		Loads:   []host.Found{{Tool: host.Tool{Name: "vegeta"}, PID: 200}},
	}
	s, err := host.StartSurvey(scene, dir+"/proc", dir+"/sys")
	if err != nil {
		t.Fatal(err)
	}
	m := sampler(t, host.Options{ServerPID: 100, ClientPID: 200, Proc: dir + "/proc", Sys: dir + "/sys"})
	for _, g := range groups {
		write(t, dir, "sys/fs/cgroup/run/"+g.who+"/cpu.stat", stat(g.now))
	}
	e := s.End()
	if len(e.Limits) != len(groups) {
		t.Fatalf("want the limits of %d groups, got %+v", len(groups), e.Limits)
	}
	for i, g := range groups {
		l := e.Limits[i]
		same := l.Throttled == g.throttled || math.IsNaN(l.Throttled) && math.IsNaN(g.throttled)
		if l.Who != g.who || l.PID != g.pid || l.Cores != g.cores || !same {
			t.Errorf("want %s with %v cores and %v of its periods held back, got %+v", g.who, g.cores, g.throttled, l)
		}
	}
	var r host.Reading
	m.Read(&r)
	for f, want := range map[host.Field]float64{host.QuotaPeriods: 1040, host.QuotaThrottled: 130, host.ClientQuotaPeriods: 0, host.ClientQuotaThrottled: 0} {
		if !r.Has(f) || r.Get(f) != want {
			t.Errorf("%s: want %v, got %v", f, want, r.Get(f))
		}
	}
}
