package cli

import (
	"slices"

	"benchtop/sources/host"
	"benchtop/sources/loadgen"
)

// chooseLoad takes the streams of every load generator that runs or, if none is
// known by its name, of who is connected to the server.
func (f *sourceFlags) chooseLoad(d *discovery, loads, callers []host.Found) {
	for i := range loads {
		p := &loads[i]
		f.someone = true
		d.say("found %s: PID %d of user %s", p.Tool.Name, p.PID, p.User)
		d.declared(p)
		took := f.takeStreams(d, p, true)
		for _, path := range p.Pipes {
			d.say("%s writes the named pipe %s, which was left alone: reading it takes its lines from who else reads it", p.Tool.Name, path)
			d.gap("--load " + quote(path))
		}
		switch {
		case took || len(p.Pipes) > 0:
		case !p.Mine:
			d.say("what %s writes is not visible from here: its open files belong to user %s", p.Tool.Name, p.User)
			d.gap("--load FILE")
		default:
			d.say("%s writes no file of results that can be followed: pipe what it prints into benchtop --load -, or let it write a file", p.Tool.Name)
		}
	}
	if len(loads) == 0 && !f.chooseCallers(d, callers) {
		d.say("no load generator found: start it with a file of results and give --load FILE, or pipe it into benchtop --load -")
	}
}

// chooseCallers takes the load streams that programs write which hold
// connections to the server. They may be anything, so what is no known stream is
// left alone.
func (f *sourceFlags) chooseCallers(d *discovery, callers []host.Found) bool {
	for i := range callers {
		p := &callers[i]
		d.say("found %s: PID %d of user %s, with %d connections to it: no load generator by its name, but it may be one", p.Tool.Name, p.PID, p.User, p.Open)
		if !f.takeStreams(d, p, false) {
			d.say("%s writes no file that is a known load stream: if it is the load, let it write one (benchtop formats lists them) and give --load FILE", p.Tool.Name)
		}
	}
	return len(callers) > 0
}

// takeStreams takes the files of a load generator that hold a known stream or,
// if none does yet and it is one for sure, the first that is still empty.
func (f *sourceFlags) takeStreams(d *discovery, p *host.Found, sure bool) bool {
	empty, took := "", false
	take := func(path, why string) {
		if !slices.Contains(f.loads, path) {
			f.loads = append(f.loads, path)
			d.flag("--load", path)
			d.say("chose %s: the file %s writes%s", path, p.Tool.Name, why)
		}
		took = true
	}
	for _, path := range p.Writes {
		lines, err := headLines(path)
		switch g := loadgen.Sniff(lines); {
		case err != nil:
		case len(lines) > 0 && len(g) > 0 && g[0].Score > 0:
			take(path, "")
		case len(lines) == 0 && empty == "":
			empty = path
		}
	}
	if !took && empty != "" && sure {
		take(empty, ", empty until now")
	}
	return took
}
