package host

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// looker is one look around.
type looker struct {
	proc  string
	files procFiles
	pids  []int
	args  map[int][]string
	tools map[int]*Tool
	ports []published
	open  map[int]map[string]string // process → descriptor → what it leads to
	local map[string]bool           // ends of connections on this machine: "address:port"
}

// published is a port of a container that a proxy on this machine leads to.
type published struct {
	address  string
	inside   int
	outside  int
	loopback bool
}

// maxArgs bounds what is read of a command line.
const maxArgs = 4096

func look(proc string) (Scene, error) {
	l := &looker{
		proc: proc, args: make(map[int][]string), tools: make(map[int]*Tool),
		open: make(map[int]map[string]string), local: make(map[string]bool),
	}
	list := names(proc, -1)
	if len(list) == 0 {
		return Scene{}, fmt.Errorf("look around: nothing in %s (is procfs mounted there?)", proc)
	}
	for _, name := range list {
		if pid, err := strconv.Atoi(name); err == nil {
			l.pids = append(l.pids, pid)
		}
	}
	slices.Sort(l.pids)
	for _, pid := range l.pids {
		l.consider(pid)
	}
	var s Scene
	for _, pid := range l.pids {
		t := l.tools[pid]
		if t == nil || l.below(pid, t) {
			continue
		}
		f := Found{Tool: *t, PID: pid}
		l.describe(&f, l.args[pid])
		if t.Role == RoleServer {
			l.serve(&f, l.args[pid])
			s.Servers = append(s.Servers, f)
		} else {
			l.load(&f, l.args[pid])
			s.Loads = append(s.Loads, f)
		}
	}
	for i := range s.Servers {
		s.Servers[i].Callers = l.callers(&s.Servers[i])
	}
	return s, nil
}

// consider reads one process' command line.
func (l *looker) consider(pid int) {
	argv := l.argv(pid)
	if len(argv) == 0 || pid == os.Getpid() {
		return
	}
	if strings.HasSuffix(argv[0], "docker-proxy") {
		l.publish(argv[1:])
		return
	}
	if t, args := identify(argv); t != nil {
		l.tools[pid], l.args[pid] = t, args
	}
}

func (l *looker) argv(pid int) []string {
	b, err := l.files.read(l.dir(pid) + "/cmdline")
	if err != nil || len(b) == 0 {
		return nil
	}
	return strings.Split(strings.TrimRight(string(b[:min(len(b), maxArgs)]), "\x00"), "\x00")
}

func (l *looker) dir(pid int) string { return l.proc + "/" + strconv.Itoa(pid) }

func (l *looker) publish(args []string) {
	inside, _ := flag(args, "-container-port")
	outside, _ := flag(args, "-host-port")
	address, _ := flag(args, "-container-ip")
	host, _ := flag(args, "-host-ip")
	p := published{address: address, loopback: host == "" || host == "0.0.0.0" || host == "::" || strings.HasPrefix(host, "127.")}
	p.inside, _ = strconv.Atoi(inside)
	p.outside, _ = strconv.Atoi(outside)
	l.ports = append(l.ports, p)
}

// parent reads who started a process, 0 if that is not known.
func (l *looker) parent(pid int) int { return parentOf(&l.files, l.proc, pid) }

func parentOf(f *procFiles, proc string, pid int) int {
	b, err := f.read(proc + "/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0
	}
	i := strings.LastIndexByte(string(b), ')')
	if i < 0 {
		return 0
	}
	_, rest := word(b[i+1:]) // state
	w, _ := word(rest)
	v, _ := decimal(w)
	return int(v)
}

// below reports whether a process is a worker of one that was found: a
// descendant of one that runs the same tool.
func (l *looker) below(pid int, t *Tool) bool {
	for range 32 {
		pid = l.parent(pid)
		if pid <= 1 {
			return false
		}
		if o := l.tools[pid]; o != nil && o.Name == t.Name && o.Role == t.Role {
			return true
		}
	}
	return false
}

// describe fills in what servers and load generators have in common.
func (l *looker) describe(f *Found, args []string) {
	dir := l.dir(f.PID)
	if info, err := os.Stat(dir); err == nil {
		if st, ok := info.Sys().(*syscall.Stat_t); ok {
			f.uid, f.User = uint64(st.Uid), userName(st.Uid)
		}
	}
	if b, err := l.files.read(dir + "/cgroup"); err == nil {
		f.Group = parseGroup(b)
	}
	f.Mine = l.opened(f.PID) != nil
	if v, ok := l.environment(f.PID, "CUDA_VISIBLE_DEVICES"); ok {
		f.Visible = v
	}
	f.Model, _ = flag(args, f.Tool.model...)
	if f.Model == "" && len(f.Tool.verb) > 0 && f.Tool.Role == RoleServer {
		f.Model = operand(args)
	}
	f.Settings = f.Tool.declared(args)
	f.Place = placement(&l.files, l.proc, f.PID)
}

// operand is the first argument behind a server's verb that is no option:
// `serve MODEL`, or `serve api_server MODEL`.
func operand(args []string) string {
	if len(args) > 2 && args[1] == "api_server" {
		args = args[1:]
	}
	if len(args) > 1 && !strings.HasPrefix(args[1], "-") {
		return args[1]
	}
	return ""
}

// userName is a user's name, or the number where it has none here.
func userName(uid uint32) string {
	id := strconv.FormatUint(uint64(uid), 10)
	if u, err := user.LookupId(id); err == nil {
		return u.Username
	}
	return id
}

// environment is one variable of a process' environment; nothing else of it is
// kept.
func (l *looker) environment(pid int, name string) (string, bool) {
	b, err := l.files.read(l.dir(pid) + "/environ")
	if err != nil {
		return "", false
	}
	for v := range strings.SplitSeq(string(b), "\x00") {
		if text, ok := strings.CutPrefix(v, name+"="); ok {
			return text, true
		}
	}
	return "", false
}

// opened is what a process' descriptors lead to; nil if that can't be seen.
func (l *looker) opened(pid int) map[string]string {
	if m, ok := l.open[pid]; ok {
		return m
	}
	m := descriptors(l.proc, pid)
	l.open[pid] = m
	return m
}

// descriptors reads where a process' descriptors lead, nil if that is denied.
func descriptors(proc string, pid int) map[string]string {
	dir := proc + "/" + strconv.Itoa(pid) + "/fd"
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer func() { _ = d.Close() }() // read only: nothing can be lost
	list, err := d.Readdirnames(-1)
	if err != nil {
		return nil
	}
	m := make(map[string]string, len(list))
	for _, fd := range list {
		if to, err := os.Readlink(dir + "/" + fd); err == nil {
			m[fd] = to
		}
	}
	return m
}

// family is a process with its descendants.
func (l *looker) family(pid int) []int {
	out := []int{pid}
	for i := 0; i < len(out) && len(out) < maxTree; i++ {
		for _, c := range children(&l.files, l.proc, out[i]) {
			if !slices.Contains(out, c) {
				out = append(out, c)
			}
		}
	}
	return out
}

// written reports whether a descriptor is open for writing.
func (l *looker) written(pid int, fd string) bool {
	b, err := l.files.read(l.dir(pid) + "/fdinfo/" + fd)
	if err != nil {
		return false
	}
	for len(b) > 0 {
		var row []byte
		row, b = line(b)
		if text, ok := strings.CutPrefix(string(row), "flags:"); ok {
			v, err := strconv.ParseUint(strings.TrimSpace(text), 8, 64)
			return err == nil && v&3 != 0
		}
	}
	return false
}

// output collects the regular files and named pipes that some processes write
// to, and follows their anonymous pipes to who reads them. std says that only
// the two outputs and what is called a log count.
func (l *looker) output(pids []int, std bool) (files, fifos []string) {
	var errors []string // the likeliest to hold something else
	seen := make(map[string]bool)
	done := make(map[int]bool)
	for hop := 0; hop < 4 && len(pids) > 0; hop++ {
		var pipes []string
		for _, pid := range pids {
			done[pid] = true
			for _, fd := range sortedFDs(l.opened(pid)) {
				to := l.open[pid][fd]
				out := fd == "1" || fd == "2"
				switch {
				case seen[to]:
				case strings.HasPrefix(to, "pipe:") && out:
					seen[to] = true
					pipes = append(pipes, to)
				case !filepath.IsAbs(to), strings.HasSuffix(to, " (deleted)"), strings.HasPrefix(to, "/dev/"), strings.HasPrefix(to, "/proc/"):
				case std && hop == 0 && !out && !strings.Contains(filepath.Base(to), "log"):
				case l.written(pid, fd):
					seen[to] = true
					switch info, err := os.Stat(to); {
					case err != nil:
					case info.Mode().IsRegular() && fd == "2":
						errors = append(errors, to)
					case info.Mode().IsRegular():
						files = append(files, to)
					case info.Mode()&os.ModeNamedPipe != 0:
						fifos = append(fifos, to)
					}
				}
			}
		}
		pids = l.readers(pipes, done)
	}
	return append(files, errors...), fifos
}

// sortedFDs puts the two outputs first.
func sortedFDs(m map[string]string) []string {
	out := make([]string, 0, len(m))
	for fd := range m {
		out = append(out, fd)
	}
	slices.SortFunc(out, func(a, b string) int {
		x, _ := strconv.Atoi(a)
		y, _ := strconv.Atoi(b)
		return x - y
	})
	return out
}

// readers finds the processes whose input one of some pipes is.
func (l *looker) readers(pipes []string, done map[int]bool) (pids []int) {
	if len(pipes) == 0 {
		return nil
	}
	for _, pid := range l.pids {
		if done[pid] || pid == os.Getpid() {
			continue
		}
		if to, err := os.Readlink(l.dir(pid) + "/fd/0"); err == nil && slices.Contains(pipes, to) {
			pids = append(pids, pid)
		}
	}
	return pids
}
