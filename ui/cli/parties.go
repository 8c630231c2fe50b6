package cli

import (
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"benchtop/sources/host"
	"benchtop/sources/tail"
)

// parties is what the flags tell of where client and server run.
type parties struct {
	port    int
	here    bool // the server's endpoint is on this machine, or nobody said where
	streams []string
	logs    []string
	started func() int // the client that we start ourselves; nil if we don't
}

// server notes where the server is, from the address of its metrics.
func (p *parties) server(raw string) {
	if p.port == 0 {
		p.port = portOf(raw)
		p.here = onThisMachine(raw)
	}
}

// stream notes who may be the client: who writes where we read.
func (p *parties) stream(s *tail.Spec, stdin any) {
	switch s.Kind {
	case tail.Stdin:
		if f, ok := stdin.(*os.File); ok && f == os.Stdin {
			if to, err := os.Readlink("/proc/self/fd/0"); err == nil {
				p.streams = append(p.streams, to)
			}
		}
	case tail.File, tail.FIFO:
		p.streams = append(p.streams, absolute(s.Place))
	case tail.Exec: // whoever it is runs elsewhere
	}
}

// log notes who may be the server: who writes the file.
func (p *parties) log(s *tail.Spec) {
	if s.Kind == tail.File {
		p.logs = append(p.logs, absolute(s.Place))
	}
}

func absolute(path string) string {
	if p, err := filepath.Abs(path); err == nil {
		path = p
	}
	if p, err := filepath.EvalSymlinks(path); err == nil {
		path = p
	}
	return path
}

// options are those of this machine's readings, for the named side.
func (p *parties) options(label string) host.Options {
	o := host.Options{Label: label, ServerPort: p.port}
	switch {
	case label == "client", label == "" && !p.here:
		o.Side = host.Client
	case label == "server":
		o.Side = host.Server
	}
	o.Find = host.NewFinder(host.FinderOptions{Side: o.Side, Port: p.port, Streams: p.streams, Logs: p.logs, Started: p.started}).Find
	return o
}

// onThisMachine reports whether an address is this machine's, without asking
// the network for a name.
func onThisMachine(raw string) bool {
	if !strings.Contains(raw, "://") {
		raw = "http://" + raw
	}
	u, err := url.Parse(raw)
	if err != nil {
		return true
	}
	name := u.Hostname()
	if own, err := os.Hostname(); name == "" || name == "localhost" || err == nil && name == own {
		return true
	}
	ip := net.ParseIP(name)
	if ip == nil {
		return false
	}
	if ip.IsLoopback() || ip.IsUnspecified() {
		return true
	}
	all, err := net.InterfaceAddrs()
	if err != nil {
		return false
	}
	for _, a := range all {
		if n, ok := a.(*net.IPNet); ok && n.IP.Equal(ip) {
			return true
		}
	}
	scene, err := host.Look("") // a container's address
	return err == nil && slices.ContainsFunc(scene.Servers, func(s host.Found) bool { return slices.Contains(s.Addresses, name) })
}
