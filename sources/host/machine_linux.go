package host

import (
	"bytes"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"benchtop/model"

	"github.com/prometheus/procfs"
)

// coreTimes is one processor's time since boot, in ticks.
type coreTimes struct{ all, busy, steal uint64 }

// machine is what the whole machine said at the poll before.
type machine struct {
	at       model.Instant
	total    coreTimes
	cores    []coreTimes
	stall    [3]uint64 // microseconds that some task waited for CPU, memory, I/O
	traffic  [3]float64
	haveLast bool
	clockAt  model.Instant
	clock    float64
	governor string
	energy   float64 // joules of all processor packages, NaN where that may not be read
	packages int     // that tell it, -1 if there are none
	busy     float64 // cores in use since the poll before, NaN if that is not known
}

// clockEvery is how often core clocks are read: asking a core may wake it.
const (
	clockEvery = 5 * time.Second
	maxClocks  = 32 // cores that are asked
)

// read sets the machine's fields of r.
func (m *machine) read(f *procFiles, fs procfs.FS, o *Options, near string, r *Reading) {
	now := r.At
	span := now.Sub(m.at).Seconds()
	known := m.at != 0 && span > 0
	m.at = now
	m.times(f, o.Proc, r, known)
	m.pressure(fs, r, known, span)
	if mem, err := fs.Meminfo(); err == nil && mem.MemAvailable != nil {
		r.Set(MemAvailable, float64(*mem.MemAvailable)/1024)
	}
	if b, err := f.read(o.Proc + "/vmstat"); err == nil {
		if v, ok := keyed(b, "oom_kill"); ok {
			r.Set(OOMKills, v)
		}
	}
	segments(f, o.Proc+near+"/snmp", r)
	m.throughput(f, o, near, r, known, span)
	m.clocks(f, o.Sys, r)
	m.power(f, o.Sys, r, known, span)
}

// power reads what the processor packages draw, from their counters of energy.
// Most systems let only root read them.
func (m *machine) power(f *procFiles, sys string, r *Reading, known bool, span float64) {
	if m.packages < 0 {
		return
	}
	was, sum, n := m.energy, 0.0, 0
	for ; n < 16; n++ {
		v, ok := f.number(sys + "/class/powercap/intel-rapl:" + strconv.Itoa(n) + "/energy_uj")
		if !ok {
			break
		}
		sum += v / 1e6
	}
	if n == 0 {
		m.packages = -1
		return
	}
	if known && m.packages == n && sum >= was { // else a counter has wrapped, or a package came
		r.Set(CPUPower, math.Round(10*(sum-was)/span)/10)
	}
	m.energy, m.packages = sum, n
}

// keyed finds the number behind a key in a file of `key number` lines.
func keyed(b []byte, key string) (float64, bool) {
	for len(b) > 0 {
		var l []byte
		l, b = line(b)
		k, l := word(l)
		if string(k) == key {
			w, _ := word(l)
			v, ok := decimal(w)
			return float64(v), ok
		}
	}
	return 0, false
}

// times reads /proc/stat up to its interrupts, which are long on a large
// machine and of no use here.
func (m *machine) times(f *procFiles, proc string, r *Reading, known bool) {
	m.busy = math.NaN()
	b, err := f.read(proc + "/stat")
	if err != nil {
		return
	}
	n := 0
	for len(b) > 0 {
		var l []byte
		l, b = line(b)
		key, l := word(l)
		switch {
		case string(key) == "cpu":
			was := m.total
			m.total = parseTimes(l)
			if d := float64(m.total.all - was.all); known && m.total.all > was.all {
				r.Set(Steal, float64(m.total.steal-was.steal)/d)
				m.busy = float64(m.total.busy-was.busy) / d
			}
		case bytes.HasPrefix(key, []byte("cpu")):
			m.core(n, parseTimes(l), r, known)
			n++
		case string(key) == "ctxt":
			if v, ok := decimal(bytes.TrimSpace(l)); ok {
				r.Set(Switches, float64(v))
			}
		}
	}
	m.busy *= float64(n)
	if n != len(r.PerCore) {
		r.PerCore = r.PerCore[:0]
	}
	m.cores = m.cores[:n]
}

// core books the n-th core's times.
func (m *machine) core(n int, now coreTimes, r *Reading, known bool) {
	if n == len(m.cores) {
		m.cores = append(m.cores, now)
		return
	}
	was := m.cores[n]
	m.cores[n] = now
	if known && now.all > was.all && now.busy >= was.busy {
		share := float64(now.busy-was.busy) / float64(now.all-was.all)
		r.PerCore = append(r.PerCore, math.Round(1e4*min(1, share))/1e4)
	}
}

// parseTimes reads `user nice system idle iowait irq softirq steal …`; guest
// times behind them are part of user.
func parseTimes(l []byte) (t coreTimes) {
	for i := range 8 {
		var w []byte
		w, l = word(l)
		v, ok := decimal(w)
		if !ok {
			break
		}
		t.all += v
		switch i {
		case 3, 4: // idle, waiting for I/O
		case 7:
			t.steal = v
		default:
			t.busy += v
		}
	}
	return t
}

// pressure reads how long some task waited for each resource since the poll
// before.
func (m *machine) pressure(fs procfs.FS, r *Reading, known bool, span float64) {
	for i, res := range [...]string{"cpu", "memory", "io"} {
		was := m.stall[i]
		m.stall[i] = 0
		p, err := fs.PSIStatsForResource(res)
		if err != nil || p.Some == nil {
			continue
		}
		m.stall[i] = p.Some.Total
		if known && was != 0 && p.Some.Total >= was {
			r.Set([...]Field{PSICPU, PSIMemory, PSIIO}[i], min(1, float64(p.Some.Total-was)/1e6/span))
		} else if known && was == 0 {
			// No stall so far, or the first look: the kernel's own mean of 10 s.
			r.Set([...]Field{PSICPU, PSIMemory, PSIIO}[i], min(1, p.Some.Avg10/100))
		}
	}
}

// segments reads TCP segments sent and sent again: a line of names and a line
// of numbers.
func segments(f *procFiles, file string, r *Reading) {
	b, err := f.read(file)
	if err != nil {
		return
	}
	var head []byte
	for len(b) > 0 {
		var l []byte
		l, b = line(b)
		if !bytes.HasPrefix(l, []byte("Tcp:")) {
			continue
		}
		if head == nil {
			head = l
			continue
		}
		for len(head) > 0 && len(l) > 0 {
			var name, value []byte
			name, head = word(head)
			value, l = word(l)
			v, ok := decimal(value)
			switch {
			case len(name) == 0:
				return
			case !ok:
			case string(name) == "OutSegs":
				r.Set(SegsOut, float64(v))
			case string(name) == "RetransSegs":
				r.Set(SegsRetrans, float64(v))
			}
		}
		return
	}
}

// throughput reads bytes over all network interfaces but loopback, and bytes
// read from disks, a second.
func (m *machine) throughput(f *procFiles, o *Options, near string, r *Reading, known bool, span float64) {
	was := m.traffic
	haveNet, haveDisk := false, false
	m.traffic = [3]float64{}
	if b, err := f.read(o.Proc + near + "/dev"); err == nil {
		m.traffic[0], m.traffic[1] = netBytes(b)
		haveNet = true
	}
	if b, err := f.read(o.Proc + "/diskstats"); err == nil {
		m.traffic[2] = diskBytes(b)
		haveDisk = true
	}
	rate := func(field Field, i int, have bool) {
		if known && have && m.haveLast && m.traffic[i] >= was[i] {
			r.Set(field, math.Round((m.traffic[i]-was[i])/span))
		}
	}
	rate(NetRx, 0, haveNet)
	rate(NetTx, 1, haveNet)
	rate(DiskRead, 2, haveDisk)
	m.haveLast = true
}

func netBytes(b []byte) (rx, tx float64) {
	for len(b) > 0 {
		var l []byte
		l, b = line(b)
		i := bytes.IndexByte(l, ':')
		if i < 0 || string(bytes.TrimSpace(l[:i])) == "lo" {
			continue
		}
		l = l[i+1:]
		for n := range 9 {
			var w []byte
			w, l = word(l)
			v, _ := decimal(w)
			switch n {
			case 0:
				rx += float64(v)
			case 8:
				tx += float64(v)
			}
		}
	}
	return rx, tx
}

// diskBytes sums what whole disks have read; partitions and stacked devices
// would count it again.
func diskBytes(b []byte) (read float64) {
	prev := ""
	for len(b) > 0 {
		var l, w []byte
		l, b = line(b)
		_, l = word(l)
		_, l = word(l)
		w, l = word(l)
		name := string(w)
		if name == "" || stacked(name) || prev != "" && strings.HasPrefix(name, prev) {
			continue
		}
		prev = name
		_, l = word(l)
		_, l = word(l)
		w, _ = word(l)
		v, _ := decimal(w)
		read += 512 * float64(v)
	}
	return read
}

func stacked(name string) bool {
	for _, p := range [...]string{"loop", "ram", "zram", "dm-", "md", "sr", "fd", "nbd"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// clocks sets the mean core clock and its governor, as of at most 5 s ago.
func (m *machine) clocks(f *procFiles, sys string, r *Reading) {
	if m.clockAt == 0 || r.At.Sub(m.clockAt) >= clockEvery {
		m.clockAt = r.At
		m.readClocks(f, sys)
		if m.clock > 0 {
			r.Set(CPUMHz, math.Round(m.clock*10)/10)
		}
	}
	r.Governor = m.governor
}

func (m *machine) readClocks(f *procFiles, sys string) {
	m.clock, m.governor = 0, ""
	n := len(m.cores)
	step := max(1, (n+maxClocks-1)/maxClocks)
	sum, count := 0.0, 0.0
	for i := 0; i < n; i += step {
		v, ok := f.number(sys + "/devices/system/cpu/cpu" + strconv.Itoa(i) + "/cpufreq/scaling_cur_freq")
		if !ok {
			if i == 0 {
				return // a virtual machine, mostly
			}
			continue
		}
		sum += v / 1000
		count++
	}
	if count > 0 {
		m.clock = sum / count
	}
	if b, err := f.read(sys + "/devices/system/cpu/cpu0/cpufreq/scaling_governor"); err == nil {
		m.governor = string(bytes.TrimSpace(b))
	}
}

// own reads what this process uses: processor time in ticks, memory in MiB.
func own(f *procFiles, proc string) (ticks uint64, mib float64, ok bool) {
	b, err := f.read(proc + "/self/stat")
	if err != nil {
		return 0, 0, false
	}
	ticks, _, ok = parseStat(b)
	if !ok {
		return 0, 0, false
	}
	b, err = f.read(proc + "/self/statm")
	if err != nil {
		return 0, 0, false
	}
	_, b = word(b)
	w, _ := word(b)
	pages, ok := decimal(w)
	return ticks, float64(pages) * float64(os.Getpagesize()) / (1 << 20), ok
}
