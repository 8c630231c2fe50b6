package host

import (
	"bytes"
	"math"
	"os"
	"slices"
	"strconv"
	"time"

	"benchtop/model"
)

// ticksPerSecond is the unit of processor time in procfs, on every architecture.
const ticksPerSecond = 100

const (
	treeEvery  = 5 * time.Second // how often a process' children are looked for
	maxTree    = 256             // processes of one tree that are watched
	maxBase    = 7 * time.Second // a thread's older count is no baseline; above maxRest
	maxParents = 256             // threads whose children are looked for
)

// process is one process of a tree as it was last read.
type process struct {
	pid     int
	start   uint64 // when it began, in ticks since boot: tells a reused pid
	ticks   uint64
	pages   uint64  // resident
	used    float64 // cores since the poll before, NaN if that is not known
	threads map[int]uint64
	scanned model.Instant
}

// tree is a process with its descendants: a server's workers, a load
// generator's children.
type tree struct {
	root    int
	procs   []*process
	at      model.Instant // when processor times were last read
	looked  model.Instant // when children were last looked for
	threads pacer
	files   float64 // open in all of them, NaN if that can't be seen; as of looked
}

// set makes pid the root. Another pid forgets everything.
func (t *tree) set(pid int) {
	if pid != t.root {
		*t = tree{root: pid}
	}
}

// read returns the cores used by the tree and by its busiest thread since the
// poll before; NaN where that is not known. alive is false if the root is gone.
func (t *tree) read(f *procFiles, proc string, now model.Instant) (cores, busiest float64, alive bool) {
	cores, busiest = math.NaN(), math.NaN()
	if t.root == 0 {
		return cores, busiest, false
	}
	if t.looked == 0 || now.Sub(t.looked) >= treeEvery {
		t.looked = now
		t.look(f, proc)
		t.files = t.openFiles(proc)
	}
	span := now.Sub(t.at).Seconds()
	known := t.at != 0 && span > 0
	t.at = now
	sum := 0.0
	for _, p := range t.procs {
		was, had := *p, p.start != 0
		p.used = math.NaN()
		if !p.stat(f, proc) {
			continue
		}
		if p.pid == t.root {
			alive = true
			known = known && had && was.start == p.start
		}
		if had && was.start == p.start && span > 0 && p.ticks >= was.ticks {
			p.used = float64(p.ticks-was.ticks) / ticksPerSecond / span
			sum += p.used
		}
	}
	t.procs = slices.DeleteFunc(t.procs, func(p *process) bool { return p.start == 0 })
	if !alive {
		*t = tree{root: t.root}
		return cores, busiest, false
	}
	if known {
		cores = sum
	}
	if t.threads.due(now) {
		busiest = t.busiest(f, proc, now)
		t.threads.done(now)
	}
	return cores, busiest, true
}

// stat reads the process' processor time; it returns false and forgets the
// process if it is gone.
func (p *process) stat(f *procFiles, proc string) bool {
	b, err := f.read(proc + "/" + strconv.Itoa(p.pid) + "/stat")
	ticks, start, ok := parseStat(b)
	if err != nil || !ok {
		p.start = 0
		return false
	}
	if p.start != start {
		p.threads = nil
	}
	p.ticks, p.start, p.pages = ticks, start, residentPages(b)
	return true
}

// resident is the memory of the tree in MiB. What its processes share is
// counted in each: telling it apart costs the kernel a walk over every page.
func (t *tree) resident() float64 {
	pages := uint64(0)
	for _, p := range t.procs {
		pages += p.pages
	}
	return float64(pages) * float64(os.Getpagesize()) / (1 << 20)
}

// openFiles counts the descriptors of the tree. Newer kernels tell the number
// as the folder's size, of other users' processes too; else it is counted where
// that is allowed.
func (t *tree) openFiles(proc string) float64 {
	n := 0.0
	for _, p := range t.procs {
		dir := proc + "/" + strconv.Itoa(p.pid) + "/fd"
		info, err := os.Stat(dir)
		if err != nil {
			return math.NaN()
		}
		if info.Size() > 0 && proc == "/proc" {
			n += float64(info.Size())
			continue
		}
		d, err := os.Open(dir)
		if err != nil {
			return math.NaN()
		}
		list, err := d.Readdirnames(-1)
		_ = d.Close() // read only: nothing can be lost
		if err != nil {
			return math.NaN()
		}
		n += float64(len(list))
	}
	return n
}

// residentPages is the 24th field of a stat file, 0 if it is not there.
func residentPages(b []byte) uint64 {
	b = b[bytes.LastIndexByte(b, ')')+1:]
	var w []byte
	for range 22 {
		w, b = word(b)
	}
	v, _ := decimal(w)
	return v
}

// parseStat reads user and system time and the start time of a stat file. The
// command's name may hold anything, so it counts from the last parenthesis.
func parseStat(b []byte) (ticks, start uint64, ok bool) {
	i := bytes.LastIndexByte(b, ')')
	if i < 0 {
		return 0, 0, false
	}
	var w []byte
	b = b[i+1:]
	for field := 3; field <= 22; field++ {
		w, b = word(b)
		switch field {
		case 14, 15:
			v, ok := decimal(w)
			if !ok {
				return 0, 0, false
			}
			ticks += v
		case 22:
			start, ok = decimal(w)
		}
	}
	return ticks, start + 1, ok // + 1: a process may start with the machine
}

// look finds the tree's processes, keeping those that are known.
func (t *tree) look(f *procFiles, proc string) {
	old := t.procs
	t.procs = nil
	queue := []int{t.root}
	for len(queue) > 0 && len(t.procs) < maxTree {
		pid := queue[0]
		queue = queue[1:]
		if slices.ContainsFunc(t.procs, func(p *process) bool { return p.pid == pid }) {
			continue
		}
		p := &process{pid: pid}
		if i := slices.IndexFunc(old, func(p *process) bool { return p.pid == pid }); i >= 0 {
			p = old[i]
		}
		t.procs = append(t.procs, p)
		queue = append(queue, children(f, proc, pid)...)
	}
}

// children lists a process' children, those of each of its threads. A kernel
// without that list gives none: then only the process itself is watched.
func children(f *procFiles, proc string, pid int) []int {
	dir := proc + "/" + strconv.Itoa(pid) + "/task"
	var pids []int
	for _, tid := range names(dir, maxParents) {
		b, err := f.read(dir + "/" + tid + "/children")
		if err != nil {
			continue
		}
		for {
			var w []byte
			w, b = word(b)
			v, ok := decimal(w)
			if !ok {
				break
			}
			pids = append(pids, int(v))
		}
	}
	return pids
}

// names lists a folder, at most n names (-1: all); nil if it can't be read.
func names(dir string, n int) []string {
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer func() { _ = d.Close() }() // read only: nothing can be lost
	list, err := d.Readdirnames(n)
	if err != nil {
		return nil
	}
	return list
}

// busiest finds the busiest thread. A thread can't use more than its process,
// so processes are looked at from the busiest down until none can beat what was
// found: an idle tree of a thousand threads costs next to nothing.
func (t *tree) busiest(f *procFiles, proc string, now model.Instant) float64 {
	slices.SortStableFunc(t.procs, func(a, b *process) int {
		switch {
		case a.used > b.used || math.IsNaN(b.used) && !math.IsNaN(a.used):
			return -1
		case b.used > a.used || math.IsNaN(a.used) && !math.IsNaN(b.used):
			return 1
		}
		return 0
	})
	best := math.NaN()
	for _, p := range t.procs {
		if p.used <= best {
			break
		}
		if v := p.scan(f, proc, now); v > best || math.IsNaN(best) {
			best = v
		}
	}
	return best
}

// scan reads the process' threads and returns the cores that the busiest used
// since the scan before, NaN if there was none lately.
func (p *process) scan(f *procFiles, proc string, now model.Instant) float64 {
	dir := proc + "/" + strconv.Itoa(p.pid) + "/task"
	span := now.Sub(p.scanned).Seconds()
	usable := p.threads != nil && span > 0 && now.Sub(p.scanned) <= maxBase
	next := make(map[int]uint64, len(p.threads)+8)
	best, some := 0.0, false
	for _, name := range names(dir, -1) {
		tid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		b, err := f.read(dir + "/" + name + "/stat")
		ticks, _, ok := parseStat(b)
		if err != nil || !ok {
			continue
		}
		next[tid] = ticks
		if was, had := p.threads[tid]; had && ticks >= was {
			some = true
			best = max(best, float64(ticks-was)/ticksPerSecond/max(span, 1e-9))
		}
	}
	p.threads, p.scanned = next, now
	if !usable || !some {
		return math.NaN()
	}
	return best
}
