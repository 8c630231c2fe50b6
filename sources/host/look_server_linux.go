package host

import (
	"cmp"
	"encoding/binary"
	hexadecimal "encoding/hex"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// endpoint is one row of a socket table.
type endpoint struct {
	local, remote netip.AddrPort
	state         uint64
	uid, inode    uint64
}

// endpoints reads the rows of a namespace's socket tables.
func endpoints(f *procFiles, dir string) (out []endpoint) {
	for _, name := range [...]string{"/tcp", "/tcp6"} {
		b, err := f.read(dir + name)
		if err != nil {
			continue
		}
		_, b = line(b)
		for len(b) > 0 {
			var l []byte
			l, b = line(b)
			w := strings.Fields(string(l))
			if len(w) < 10 {
				continue
			}
			var e endpoint
			var ok [3]bool
			e.local, ok[0] = addrPort(w[1])
			e.remote, ok[1] = addrPort(w[2])
			e.state, ok[2] = hex([]byte(w[3]))
			e.uid, _ = decimal([]byte(w[7]))
			e.inode, _ = decimal([]byte(w[9]))
			if ok[0] && ok[1] && ok[2] {
				out = append(out, e)
			}
		}
	}
	return out
}

// addrPort reads `address:port` in the kernel's words of 32 bits.
func addrPort(s string) (netip.AddrPort, bool) {
	a, p, ok := strings.Cut(s, ":")
	port, err := strconv.ParseUint(p, 16, 16)
	raw, herr := hexadecimal.DecodeString(a)
	if !ok || err != nil || herr != nil || len(raw) != 4 && len(raw) != 16 {
		return netip.AddrPort{}, false
	}
	for i := 0; i < len(raw); i += 4 {
		binary.NativeEndian.PutUint32(raw[i:], binary.BigEndian.Uint32(raw[i:]))
	}
	addr, _ := netip.AddrFromSlice(raw)
	return netip.AddrPortFrom(addr.Unmap(), uint16(port)), true
}

// serve fills in a server's ports, endpoint and logs.
func (l *looker) serve(f *Found, args []string) {
	family := l.family(f.PID)
	f.Apart = apart(l.proc+"/self/net", l.dir(f.PID)+"/net")
	rows := endpoints(&l.files, l.dir(f.PID)+"/net")
	listening := l.listening(f, family, rows)
	l.choosePort(f, args, listening)
	if f.Apart {
		f.Addresses = addresses(&l.files, l.dir(f.PID)+"/net")
	}
	f.Metrics = f.Port
	if f.Tool.MetricsPort != 0 {
		f.Metrics = f.Tool.MetricsPort
	}
	if v, ok := flag(args, f.Tool.metricsFlag...); ok {
		if n, err := strconv.Atoi(v); err == nil {
			f.Metrics = n
		}
	}
	if len(f.Tool.enable) > 0 && !given(args, f.Tool.enable...) {
		f.Disabled = f.Tool.enable[0]
	}
	f.URL = l.reach(f, listening)
	l.peers(f, rows)
	l.serverLogs(f, args, family)
}

// listening is the sockets that a server's processes listen at: those that are
// theirs by their descriptors or, where these can't be seen, their user's.
func (l *looker) listening(f *Found, family []int, rows []endpoint) (out []endpoint) {
	inodes := make(map[string]bool)
	if f.Mine {
		for _, pid := range family {
			for _, to := range l.opened(pid) {
				inodes[to] = true
			}
		}
	}
	for _, e := range rows {
		switch {
		case e.state != stListen:
		case f.Mine && inodes["socket:["+strconv.FormatUint(e.inode, 10)+"]"],
			!f.Mine && e.uid == f.uid:
			out = append(out, e)
		}
	}
	return out
}

func (l *looker) choosePort(f *Found, args []string, listening []endpoint) {
	at := func(port int) bool {
		return slices.ContainsFunc(listening, func(e endpoint) bool { return int(e.local.Port()) == port })
	}
	said := 0
	if v, ok := flag(args, f.Tool.portFlags...); ok {
		said, _ = strconv.Atoi(v)
	}
	how := "its socket"
	if !f.Mine {
		how = "a socket of user " + f.User
	}
	switch {
	case said != 0 && at(said), said == 0 && f.Tool.Port != 0 && at(f.Tool.Port):
		f.Port, f.PortFrom = cmp.Or(said, f.Tool.Port), how
	case said != 0:
		f.Port, f.PortFrom = said, "its command line; nothing listens there yet"
	case len(listening) > 0 && (f.Mine || f.Apart): // in a namespace of its own there is hardly anybody else
		for _, e := range listening {
			if p := int(e.local.Port()); f.Port == 0 || p < f.Port {
				f.Port, f.PortFrom = p, how
			}
			f.guessed = f.guessed || int(e.local.Port()) != int(listening[0].local.Port())
		}
	}
}

// reach is the address of the endpoint on this machine's loopback, "" if it
// can't be reached there.
func (l *looker) reach(f *Found, listening []endpoint) string {
	if f.Apart {
		for _, p := range l.ports {
			if p.inside == f.Metrics && p.loopback && (len(f.Addresses) == 0 || slices.Contains(f.Addresses, p.address)) {
				return l.url(f, "127.0.0.1", p.outside)
			}
		}
		return ""
	}
	host := ""
	for _, e := range listening {
		a := e.local.Addr()
		switch {
		case int(e.local.Port()) != f.Metrics:
		case a.Is4() && (a.IsUnspecified() || a.IsLoopback()), a.Is6() && a.IsUnspecified():
			host = "127.0.0.1"
		case a.IsLoopback() && host == "":
			host = "[::1]"
		}
	}
	if host == "" {
		return ""
	}
	return l.url(f, host, f.Metrics)
}

func (l *looker) url(f *Found, host string, port int) string {
	return "http://" + host + ":" + strconv.Itoa(port) + cmp.Or(f.Tool.Path, "/metrics")
}

// peers counts who is connected from elsewhere. An end that this machine's own
// table has as well is not elsewhere.
func (l *looker) peers(f *Found, rows []endpoint) {
	if len(l.local) == 0 {
		for _, e := range endpoints(&l.files, l.proc+"/self/net") {
			l.local[e.local.String()] = true
		}
	}
	count := make(map[string]int)
	for _, e := range rows {
		if e.state != stEstablished || int(e.local.Port()) != f.Port {
			continue
		}
		f.Open++
		if !l.local[e.remote.String()] && !e.remote.Addr().IsLoopback() {
			count[e.remote.Addr().String()]++
		}
	}
	for a, n := range count {
		f.Peers = append(f.Peers, Peer{a, n})
	}
	slices.SortFunc(f.Peers, func(a, b Peer) int { return cmp.Or(b.Count-a.Count, strings.Compare(a.Address, b.Address)) })
}

// addresses lists a namespace's own IPv4 addresses but loopback's.
func addresses(f *procFiles, dir string) (out []string) {
	b, err := f.read(dir + "/fib_trie")
	if err != nil {
		return nil
	}
	last := ""
	for l := range strings.Lines(string(b)) {
		w := strings.Fields(l)
		switch {
		case len(w) >= 2 && w[0] == "|--":
			last = w[1]
		case len(w) >= 3 && w[0] == "/32" && w[1] == "host" && w[2] == "LOCAL" && !strings.HasPrefix(last, "127.") && !slices.Contains(out, last):
			out = append(out, last)
		}
	}
	return out
}

// apart reports whether two net folders are of different namespaces: each
// namespace has files of its own. It needs no rights over the process.
func apart(a, b string) bool {
	x, errA := os.Stat(a + "/tcp")
	y, errB := os.Stat(b + "/tcp")
	return errA == nil && errB == nil && !os.SameFile(x, y)
}

// serverLogs finds the files a server prints to, or says where it prints
// instead.
func (l *looker) serverLogs(f *Found, args []string, family []int) {
	if v, ok := flag(args, f.Tool.logs...); ok {
		f.Logs = append(f.Logs, l.absolute(f.PID, v))
	}
	if !f.Mine {
		return
	}
	files, _ := l.output(family, true)
	for _, p := range files {
		if !slices.Contains(f.Logs, p) {
			f.Logs = append(f.Logs, p)
		}
	}
	switch to := l.opened(f.PID)["1"]; {
	case strings.HasPrefix(to, "pipe:"):
		f.Output = "pipe"
	case strings.HasPrefix(to, "socket:"):
		f.Output = "journal"
	case strings.HasPrefix(to, "/dev/pts/"), strings.HasPrefix(to, "/dev/tty"), strings.HasPrefix(to, "/dev/console"):
		f.Output = "terminal"
	case to == "/dev/null":
		f.Output = "nowhere"
	}
}

// absolute places a path from a process' command line.
func (l *looker) absolute(pid int, p string) string {
	if filepath.IsAbs(p) {
		return p
	}
	cwd, err := os.Readlink(l.dir(pid) + "/cwd")
	if err != nil {
		return p
	}
	return filepath.Join(cwd, p)
}

// load fills in what a load generator writes.
func (l *looker) load(f *Found, args []string) {
	files, fifos := l.output(l.family(f.PID), false)
	for i := range args {
		v, ok := flag(args[i:min(i+2, len(args))], f.Tool.writes...)
		if !ok {
			continue
		}
		if _, rest, has := strings.Cut(v, "="); has { // k6 --out json=FILE
			v = rest
		}
		if p := l.absolute(f.PID, v); regular(p) && !slices.Contains(files, p) {
			files = append(files, p)
		}
	}
	f.Writes, f.Pipes = files, fifos
}

func regular(p string) bool {
	info, err := os.Stat(p)
	return err == nil && info.Mode().IsRegular()
}
