package cli

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"benchtop/sources/host"
	"benchtop/ui/report"
)

// From where on something counts as drifting.
const (
	busyCores     = 0.1   // cores of other processes that are many, as a share of all
	quietCores    = 0.02  // and that are next to none
	diskReadLimit = 1e6   // bytes a second: something still fills the cache
	linkShare     = 0.02  // of a link's speed, with no run on
	linkBytes     = 1.5e6 // bytes a second, where the speed is not told
)

// hostRows are the checklist's rows about the machine.
func hostRows(e *host.Environment, scene *host.Scene) []checkRow {
	rows := []checkRow{cpuRow(e), memoryRow(e), backgroundRow(e), cacheRow(e, scene), networkRow(e, scene), quotaRow(e)}
	return rows
}

func cpuRow(e *host.Environment) checkRow {
	r := checkRow{
		ID: "cpu_clock", Title: "CPU clocks", Lock: "sudo cpupower frequency-set -g performance",
		Values: map[string]report.Num{"cores": report.Num(e.Cores), "cpu_mhz_mean": report.Num(e.CPUMHz), "max_mhz": report.Num(e.TopMHz), "steal_share": report.Num(e.Steal)},
	}
	var names []string
	for g := range e.Governors {
		names = append(names, g)
	}
	slices.Sort(names)
	r.Value = fmt.Sprintf("%d cores", e.Cores)
	if len(names) > 0 {
		r.Value += fmt.Sprintf(", governor %s, mean %s of %s MHz", strings.Join(names, " and "), whole(e.CPUMHz), whole(e.TopMHz))
	}
	if e.Preference != "" {
		r.Value += ", preference " + e.Preference
	}
	if e.Boost != "" {
		r.Value += ", boost " + e.Boost
	}
	switch {
	case e.Steal >= 0.01:
		r.State, r.Why, r.Lock = checkDrifting, fmt.Sprintf("the hypervisor took %.1f %% of the CPU time", 100*e.Steal), "a machine, or cores, of its own for the run"
	case len(names) == 0 && e.Virtual:
		r.State, r.Why, r.Lock = checkUnknown, "a virtual machine does not tell its cores' clocks", "on its host: sudo cpupower frequency-set -g performance"
	case len(names) == 0:
		r.State, r.Why = checkUnknown, "no cpufreq here"
	case len(names) == 1 && names[0] == "performance", e.Preference == "performance" && len(names) == 1:
		r.State, r.Why = checkLocked, "the governor keeps the clocks up"
	default:
		r.State, r.Why = checkDrifting, "the governor moves the clocks with the load"
	}
	return r
}

func memoryRow(e *host.Environment) checkRow {
	r := checkRow{
		ID: "memory", Title: "memory state", State: checkRecorded, Lock: "sudo sh -c 'echo 1 > /proc/sys/vm/compact_memory' (or reboot)",
		Value: fmt.Sprintf("%s of %s MiB available, %s MiB swapped out, %.0f huge pages, transparent ones %s, %s of the free memory in pieces of 2 MiB and more",
			whole(e.MemAvailable), whole(e.MemTotal), whole(e.SwapUsed), e.HugePages, orDash(e.Transparent), percent(e.Whole)),
		Values: map[string]report.Num{
			"mem_total_mib": report.Num(e.MemTotal), "mem_available_mib": report.Num(e.MemAvailable), "swap_used_mib": report.Num(e.SwapUsed),
			"huge_pages": report.Num(e.HugePages), "unfragmented_share": report.Num(e.Whole), "swap_in_pages_s": report.Num(e.SwapIn), "psi_memory_some": report.Num(e.Pressure),
		},
		Why: "the state at the start is recorded with each run",
	}
	switch {
	case math.IsNaN(e.MemAvailable):
		r.State, r.Why = checkUnknown, "/proc/meminfo does not tell"
	case e.SwapIn > 0:
		r.State, r.Why, r.Lock = checkDrifting, fmt.Sprintf("%.0f pages a second come back from swap", e.SwapIn), "sudo swapoff -a && sudo swapon -a"
	case e.Pressure >= 0.01:
		r.State, r.Why = checkDrifting, fmt.Sprintf("some task waits for memory %.0f %% of the time", 100*e.Pressure)
	case e.MemAvailable < 0.05*e.MemTotal:
		r.State, r.Why = checkDrifting, "less than 5 % of the memory is available: reclaim is near"
	}
	return r
}

func orDash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

func percent(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", 100*v)
}

func backgroundRow(e *host.Environment) checkRow {
	share := e.Others / float64(max(e.Cores, 1))
	r := checkRow{
		ID: "background", Title: "other processes", State: checkRecorded,
		Value:  fmt.Sprintf("%.2f of %d cores in use", e.Others, e.Cores),
		Values: map[string]report.Num{"other_cores": report.Num(e.Others), "other_cpu_share": report.Num(share)},
		Why:    "their share is recorded with each run",
	}
	var who, stop []string
	for _, p := range e.Busiest {
		who = append(who, fmt.Sprintf("%s (PID %d, %s) %.2f", p.Name, p.PID, p.User, p.Cores))
		if c := "kill -STOP " + fmt.Sprint(p.PID); p.Unit != "" {
			stop = append(stop, "sudo systemctl stop "+p.Unit)
		} else {
			stop = append(stop, c)
		}
	}
	if len(who) > 0 {
		r.Value += ": " + strings.Join(who, ", ")
		r.Lock = stop[0]
	}
	switch {
	case share >= busyCores:
		r.State, r.Why = checkDrifting, "what others use comes and goes"
	case share <= quietCores:
		r.State, r.Why = checkLocked, "next to nothing else runs"
	}
	return r
}

func cacheRow(e *host.Environment, scene *host.Scene) checkRow {
	model := "MODEL"
	for _, s := range scene.Servers {
		if strings.HasPrefix(s.Model, "/") {
			model = s.Model
		}
	}
	r := checkRow{
		ID: "disk_cache", Title: "disk cache", State: checkRecorded,
		Lock:   "find " + quote(model) + " -type f -exec cat {} + > /dev/null (warm), or sudo sh -c 'sync; echo 3 > /proc/sys/vm/drop_caches' (cold)",
		Value:  fmt.Sprintf("%s MiB cached, %.1f MB/s read from disks", whole(e.Cached), e.DiskRead/1e6),
		Values: map[string]report.Num{"cached_mib": report.Num(e.Cached), "disk_read_bps": report.Num(e.DiskRead)},
		Why:    "its size and the disks' reads are recorded; hits can't be counted without tracing",
	}
	switch {
	case math.IsNaN(e.DiskRead):
		r.State, r.Why = checkUnknown, "the disks' reads are not told here"
		r.Value = whole(e.Cached) + " MiB cached"
	case e.DiskRead >= diskReadLimit:
		r.State, r.Why = checkDrifting, "something reads from the disks: the cache still fills"
	}
	return r
}

func networkRow(e *host.Environment, scene *host.Scene) checkRow {
	r := checkRow{ID: "network", Title: "network", State: checkRecorded, Values: map[string]report.Num{}, Why: "bytes and retransmits are recorded with each run"}
	remote, local := 0, false
	for _, s := range scene.Servers {
		for _, p := range s.Peers {
			remote += p.Count
		}
		local = local || s.URL != "" || s.Open > 0
		if s.Port != 0 {
			r.Lock = fmt.Sprintf("send the load to http://127.0.0.1:%d, or over a link of its own", s.Port)
		}
	}
	if r.Lock == "" {
		r.Lock = "send the load over loopback or a link of its own"
	}
	var parts []string
	busy := ""
	for _, l := range e.Links {
		parts = append(parts, fmt.Sprintf("%s %s Mbit/s, %.2f MB/s used", l.Name, whole(l.Mbit), l.Bytes/1e6))
		r.Values[l.Name+"_mbit"], r.Values[l.Name+"_bps"] = report.Num(l.Mbit), report.Num(l.Bytes)
		if l.Bytes > linkShare*l.Mbit*1e6/8 || math.IsNaN(l.Mbit) && l.Bytes > linkBytes {
			busy = l.Name
		}
	}
	r.Value = strings.Join(parts, "; ")
	if r.Value == "" {
		r.Value = "no link but loopback is up"
	}
	switch {
	case len(scene.Loads) == 0 && remote == 0 && busy != "":
		r.State, r.Why = checkDrifting, busy+" carries traffic that is no benchmark's"
	case len(e.Links) == 0, local && remote == 0 && len(scene.Loads) > 0:
		r.State, r.Why = checkLocked, "client and server talk over loopback"
	}
	return r
}

func quotaRow(e *host.Environment) checkRow {
	r := checkRow{ID: "quota", Title: "container quota", State: checkUnknown, Why: "no control group can be read", Values: map[string]report.Num{}}
	var parts []string
	limited, seen := "", false
	for _, l := range e.Limits {
		if math.IsNaN(l.Cores) && math.IsNaN(l.MiB) {
			continue
		}
		seen = true
		parts = append(parts, fmt.Sprintf("%s: %s, %s", l.Who, limitWords(l.Cores, "cores"), limitWords(l.MiB, "MiB")))
		key := fmt.Sprintf("%s_%d_", l.Who, l.PID)
		r.Values[key+"cores"], r.Values[key+"mib"], r.Values[key+"throttled"] = report.Num(l.Cores), report.Num(l.MiB), report.Num(l.Throttled)
		if !math.IsInf(l.Cores, 1) || !math.IsInf(l.MiB, 1) {
			limited = l.Who
			r.Lock = relax(&l)
		}
		if l.Throttled > 0 {
			r.State, r.Why = checkDrifting, fmt.Sprintf("%s is being held back by its quota in %.0f %% of its periods", l.Who, 100*l.Throttled)
		}
	}
	r.Value = strings.Join(parts, "; ")
	switch {
	case !seen:
		r.Value = "not readable"
	case r.State == checkDrifting:
	case limited != "":
		r.State, r.Why = checkRecorded, "the limits are recorded; they bound what "+limited+" can do"
	default:
		r.State, r.Why = checkLocked, "nothing is limited"
	}
	return r
}

func limitWords(v float64, unit string) string {
	switch {
	case math.IsNaN(v):
		return unit + " not known"
	case math.IsInf(v, 1):
		return "no limit of " + unit
	}
	return fmt.Sprintf("%.4g %s", v, unit)
}

// relax is the command that takes a limit away.
func relax(l *host.Limit) string {
	switch g := l.Group; {
	case g.Container != "" && g.Engine == "cri":
		return "kubectl set resources … --limits=cpu=0 (for the pod of container " + g.Container + ")"
	case g.Container != "" && g.Engine == "podman":
		return "podman update --cpus 0 --memory 0 " + g.Container
	case g.Container != "":
		return "docker update --cpus 0 --memory 0 " + g.Container
	case g.Unit != "":
		return "sudo systemctl set-property --runtime " + g.Unit + " CPUQuota= MemoryMax=infinity"
	}
	return "sudo sh -c 'echo max > /sys/fs/cgroup/GROUP/cpu.max'"
}
