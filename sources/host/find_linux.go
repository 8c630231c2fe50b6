package host

import (
	"cmp"
	"maps"
	"net/netip"
	"os"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Finder finds out which processes are the server and the load generator,
// again and again: servers are restarted and clients come late. It is not safe
// for concurrent use.
type Finder struct {
	o     FinderOptions
	files procFiles
	next  time.Time
	last  Parties
}

// The most that finding may take of one core, as its share of time.
const findShare = 1000

// NewFinder makes a finder; it looks at nothing yet.
func NewFinder(o FinderOptions) *Finder {
	if o.Proc == "" {
		o.Proc = "/proc"
	}
	return &Finder{o: o}
}

// Find looks for both. What a look takes decides when the next one may be: till
// then the answer is the last one.
func (f *Finder) Find() Parties {
	changed := f.o.Started != nil && f.o.Started() != f.last.Client // when it starts, once
	if time.Now().Before(f.next) && !changed {
		return f.last
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	began := spent()
	f.last = f.find()
	f.next = time.Now().Add(findShare * (spent() - began))
	return f.last
}

// scan is what one look has read.
type scan struct {
	scene  Scene
	rows   []endpoint
	holder map[string][]int // descriptor's target → processes
	pids   []int
}

func (f *Finder) find() Parties {
	s := scan{holder: make(map[string][]int)}
	scene, err := Look(f.o.Proc)
	if err != nil {
		return Parties{Port: f.o.Port}
	}
	s.scene = scene
	s.rows = endpoints(&f.files, f.o.Proc+"/self/net")
	for _, name := range names(f.o.Proc, -1) {
		pid, err := strconv.Atoi(name)
		if err != nil || pid == os.Getpid() {
			continue
		}
		s.pids = append(s.pids, pid)
		for _, to := range descriptors(f.o.Proc, pid) {
			if !strings.HasPrefix(to, "anon_inode") {
				s.holder[to] = append(s.holder[to], pid)
			}
		}
	}
	p := Parties{Port: f.o.Port}
	if f.o.Side != Client {
		p.Server, p.Port = f.server(&s)
	}
	if f.o.Side != Server {
		p.Client = f.client(&s, p)
	}
	if p.Port == 0 && p.Client != 0 {
		p.Port = f.target(&s, p.Client)
	}
	return p
}

// server finds the process that listens at the port, or at whose metrics port
// we were sent to, and where it serves.
func (f *Finder) server(s *scan) (pid, port int) {
	port = f.o.Port
	for i := range s.scene.Servers {
		v := &s.scene.Servers[i]
		published := v.URL != "" && strings.Contains(v.URL, ":"+strconv.Itoa(port)+"/")
		if port == 0 || v.Port == port || v.Metrics == port || published {
			if v.guessed {
				l := looker{proc: f.o.Proc}
				return v.PID, f.busiestPort(s, l.family(v.PID), cmp.Or(port, v.Port))
			}
			return v.PID, cmp.Or(v.Port, port)
		}
	}
	if port == 0 {
		if pid = f.holding(s, f.o.Logs); pid == 0 {
			return 0, 0
		}
		l := looker{proc: f.o.Proc}
		pid = f.topmost(pid)
		return pid, f.busiestPort(s, l.family(pid), 0)
	}
	for _, e := range s.rows {
		if e.state != stListen || int(e.local.Port()) != port {
			continue
		}
		if pids := s.holder[socketName(e)]; len(pids) > 0 {
			l := looker{proc: f.o.Proc}
			pid = f.topmost(slices.Min(pids))
			return pid, f.busiestPort(s, l.family(pid), port)
		}
	}
	return 0, port
}

func socketName(e endpoint) string { return "socket:[" + strconv.FormatUint(e.inode, 10) + "]" }

// busiestPort is the port of some processes that has most connections of
// others: metrics may have one of their own, and so may what the processes say
// to each other. Without any it is the one that we were told.
func (f *Finder) busiestPort(s *scan, pids []int, told int) int {
	listens := make(map[int]bool)
	among := make(map[netip.AddrPort]bool) // ends of connections that are theirs
	count := make(map[int]int)
	for _, e := range s.rows {
		if !slices.ContainsFunc(s.holder[socketName(e)], func(p int) bool { return slices.Contains(pids, p) }) {
			continue
		}
		if e.state != stListen {
			among[e.local] = true
			continue
		}
		listens[int(e.local.Port())] = true
		if told == 0 {
			told = int(e.local.Port())
		}
	}
	for _, e := range s.rows {
		if p := int(e.local.Port()); e.state == stEstablished && listens[p] && !among[e.remote] {
			count[p]++
		}
	}
	best := told
	for p, n := range count {
		if n > count[best]+2 { // our own polls are connections too
			best = p
		}
	}
	return best
}

// client finds the load generator: who has connections to the server's port, a
// known one first; else who writes the load stream; else a known one that runs.
func (f *Finder) client(s *scan, p Parties) int {
	if f.o.Started != nil {
		return f.o.Started()
	}
	count := make(map[int]int)
	if p.Port != 0 {
		for _, e := range s.rows {
			if int(e.remote.Port()) != p.Port {
				continue
			}
			for _, pid := range s.holder[socketName(e)] {
				count[f.topmost(pid)]++
			}
		}
	}
	delete(count, p.Server)
	if len(count) == 0 && p.Port != 0 {
		f.fleeting(s, p, count)
	}
	best := 0
	for pid, n := range count {
		if f.between(pid) {
			continue
		}
		k, kb := f.known(s, pid), f.known(s, best)
		if best == 0 || k && !kb || k == kb && (n > count[best] || n == count[best] && pid < best) {
			best = pid
		}
	}
	if best != 0 {
		return best
	}
	if w := f.writer(s); w != 0 && w != p.Server {
		return w
	}
	if len(s.scene.Loads) > 0 {
		return s.scene.Loads[0].PID
	}
	return 0
}

// fleeting counts connections that are over before a look at all processes is:
// of those processes that have most sockets, each is looked at together with
// the table of that moment.
func (f *Finder) fleeting(s *scan, p Parties, count map[int]int) {
	sockets := make(map[int]int)
	for to, pids := range s.holder {
		if strings.HasPrefix(to, "socket:") {
			for _, pid := range pids {
				sockets[pid]++
			}
		}
	}
	delete(sockets, p.Server)
	pids := slices.SortedFunc(maps.Keys(sockets), func(a, b int) int { return sockets[b] - sockets[a] })
	for _, pid := range pids[:min(len(pids), 16)] {
		for range 2 {
			has := make(map[string]bool)
			for _, to := range descriptors(f.o.Proc, pid) {
				has[to] = true
			}
			for _, e := range endpoints(&f.files, f.o.Proc+"/self/net") {
				if int(e.remote.Port()) == p.Port && has[socketName(e)] {
					count[f.topmost(pid)]++
				}
			}
		}
	}
}

func (f *Finder) known(s *scan, pid int) bool {
	return slices.ContainsFunc(s.scene.Loads, func(l Found) bool { return l.PID == pid })
}

// between reports whether a process passes on what others ask: it has
// connections to the server and is no client.
func (f *Finder) between(pid int) bool {
	switch f.program(pid) {
	case "docker-proxy", "nginx", "haproxy", "envoy", "traefik", "caddy", "rootlessport", "prometheus", "benchtop":
		return true
	}
	return false
}

// writer finds who writes the load stream, and of a pipeline its beginning.
func (f *Finder) writer(s *scan) int {
	pid := f.holding(s, f.o.Streams)
	for range 4 {
		to, err := os.Readlink(f.o.Proc + "/" + strconv.Itoa(pid) + "/fd/0")
		if pid == 0 || err != nil || !strings.HasPrefix(to, "pipe:") {
			break
		}
		before := 0
		for _, p := range s.holder[to] {
			if out, err := os.Readlink(f.o.Proc + "/" + strconv.Itoa(p) + "/fd/1"); p != pid && err == nil && out == to {
				before = p
			}
		}
		if before == 0 {
			break
		}
		pid = before
	}
	if pid == 0 {
		return 0
	}
	return f.topmost(pid)
}

// holding is a process that has one of some places open for writing, 0 if none
// has.
func (f *Finder) holding(s *scan, places []string) int {
	l := looker{proc: f.o.Proc}
	for _, place := range places {
		for _, p := range s.holder[place] {
			for fd, to := range descriptors(f.o.Proc, p) {
				if to == place && l.written(p, fd) {
					return p
				}
			}
		}
	}
	return 0
}

// target is the port that most of a client's connections go to.
func (f *Finder) target(s *scan, client int) int {
	l := looker{proc: f.o.Proc, files: f.files}
	mine := make(map[string]bool)
	for _, pid := range l.family(client) {
		for _, to := range descriptors(f.o.Proc, pid) {
			mine[to] = true
		}
	}
	count := make(map[int]int)
	best := 0
	for _, e := range endpoints(&f.files, f.o.Proc+"/"+strconv.Itoa(client)+"/net") {
		if p := int(e.remote.Port()); e.state == stEstablished && mine[socketName(e)] {
			if count[p]++; best == 0 || count[p] > count[best] {
				best = p
			}
		}
	}
	return best
}

// topmost climbs from a worker to the process that started it, as long as that
// runs the same program.
func (f *Finder) topmost(pid int) int {
	name := f.program(pid)
	for range 32 {
		up := parentOf(&f.files, f.o.Proc, pid)
		if up <= 1 || name == "" || f.program(up) != name {
			return pid
		}
		pid = up
	}
	return pid
}

// program is the name of what a process runs: of an interpreter, the script.
func (f *Finder) program(pid int) string {
	b, err := f.files.read(f.o.Proc + "/" + strconv.Itoa(pid) + "/cmdline")
	if err != nil || len(b) == 0 {
		return ""
	}
	list := programs(strings.Split(strings.TrimRight(string(b[:min(len(b), maxArgs)]), "\x00"), "\x00"))
	if len(list) == 0 {
		return ""
	}
	return path.Base(list[len(list)-1].name)
}
