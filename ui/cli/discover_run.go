package cli

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"benchtop/sources/host"
)

// noServer reports whether no flag says anything of the server, so that it is
// for us to look for it.
func (f *sourceFlags) noServer() bool {
	return len(f.logs)+len(f.metrics)+len(f.hosts) == 0 && !strings.HasPrefix(f.gpu, "exec:") && !strings.HasPrefix(f.gpu, "file:")
}

// discoverFor looks on this machine for the server that a command will load:
// the one at the address it names, or else the one that most connect to. A
// server at another port than the one named is not the run's.
func (f *sourceFlags) discoverFor(ctx context.Context, argv []string) *discovery {
	d := &discovery{}
	scene, err := host.Look("")
	if err != nil {
		d.say("%s", err)
		return d
	}
	servers := scene.Servers
	to, here := target(argv)
	if to != "" {
		port := portOf(to)
		servers = slices.DeleteFunc(servers, func(s host.Found) bool { return !here || s.Port != port })
		f.port, f.away = port, !here
	}
	switch {
	case len(servers) > 0:
		f.chooseServer(ctx, d, servers)
	case to != "" && !here:
		d.say("the command's target %s is not on this machine: nothing of the server is visible from here", hostOf(to))
		d.gap("--metrics URL")
		d.gap("--log 'exec:ssh HOST …'")
	case to != "":
		d.say("no inference server that is known serves %s, the command's target", hostOf(to))
		d.gap("--log FILE")
		d.gap("--metrics URL")
	default:
		d.say("no inference server found by its command line")
	}
	f.lookGPU(d)
	if len(d.gaps) > 0 {
		d.say("for what can't be seen from here add: %s", strings.Join(d.gaps, " "))
	}
	d.flags = nil // the command line given is the one that repeats it
	return d
}

// target is the first address among a command's words, and whether it is this
// machine's; "" if there is none.
func target(argv []string) (address string, here bool) {
	for _, a := range argv[min(len(argv), 1):] {
		if _, v, ok := strings.Cut(a, "="); ok && strings.HasPrefix(a, "-") {
			a = v
		}
		if u, err := url.Parse(a); err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" {
			return a, onThisMachine(a)
		}
	}
	return "", false
}

// hostOf is the host and port of an address: its path and its user may be
// private.
func hostOf(address string) string {
	if u, err := url.Parse(address); err == nil {
		return u.Host
	}
	return "it"
}
