package host

import (
	"os"
	"slices"
)

// fewCalls is how many connections a process must have to a server to be taken
// for its load: a monitor has one or two.
const fewCalls = 3

// callers finds the programs of this machine that hold connections to a server
// and are no load generators by name: a generator may be anybody's own. What
// passes on what others ask is none.
func (l *looker) callers(f *Found) (out []Found) {
	ports := make(map[int]bool)
	if !f.Apart && f.Port != 0 {
		ports[f.Port] = true
	}
	for _, p := range l.ports {
		if f.Apart && p.inside == f.Port && slices.Contains(f.Addresses, p.address) {
			ports[p.outside] = true
		}
	}
	if len(ports) == 0 {
		return nil
	}
	ends := make(map[string]bool) // the callers' sockets
	for _, e := range endpoints(&l.files, l.proc+"/self/net") {
		if e.state == stEstablished && e.inode != 0 && ports[int(e.remote.Port())] {
			ends[socketName(e)] = true
		}
	}
	if len(ends) == 0 {
		return nil
	}
	who := Finder{o: FinderOptions{Proc: l.proc}}
	family := l.family(f.PID)
	calls := make(map[int]int)
	for _, pid := range l.pids {
		if pid == os.Getpid() || slices.Contains(family, pid) || l.tools[pid] != nil || who.between(pid) {
			continue
		}
		for _, to := range l.opened(pid) {
			if ends[to] {
				calls[who.topmost(pid)]++
			}
		}
	}
	for pid, n := range calls {
		if n < fewCalls {
			continue
		}
		c := Found{Tool: Tool{Name: who.program(pid), Role: RoleLoad}, PID: pid, Open: n}
		argv := l.argv(pid)
		l.describe(&c, argv)
		l.load(&c, argv)
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b Found) int { return b.Open - a.Open })
	return out
}
