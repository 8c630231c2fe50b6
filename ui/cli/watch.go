package cli

import (
	"context"
	"io"
	"net"
	"net/url"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"benchtop/sources"
	"benchtop/sources/gpu"
	"benchtop/sources/host"
	"benchtop/sources/loadgen"
	"benchtop/sources/serverlog"
	"benchtop/sources/tail"
)

// smallLoad is up to what size a load stream that is already there is read
// from its start: what it holds are records of this run.
const smallLoad = 64 << 20

func newWatch(stdio Stdio) *cobra.Command {
	var (
		screen screenFlags
		run    runFlags
		in     sourceFlags
	)
	c := &cobra.Command{
		Use:   "watch",
		Short: "Watch a run live (the default command)",
		Example: "  benchtop --log vllm.log --load live.ndjson\n" +
			"  vegeta attack … | vegeta encode --to json | benchtop --load - --log vllm.log --metrics http://127.0.0.1:8000/metrics\n" +
			"  benchtop --log 'exec:ssh gpu1 tail -F /var/log/vllm.log' --gpu off --load live.ndjson",
		Args: none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := run.settle(cmd, stdio); err != nil {
				return err
			}
			if err := screen.check(); err != nil {
				return err
			}
			return watch(cmd.Context(), stdio, &screen, &run, &in)
		},
	}
	f := c.Flags()
	screen.add(f)
	run.add(f)
	in.add(f)
	return c
}

// planned is one source ready to start.
type planned struct {
	source sources.Source
	policy sources.Policy
	finite bool
}

func watch(ctx context.Context, stdio Stdio, screen *screenFlags, run *runFlags, in *sourceFlags) error {
	var found *discovery
	if in.bare() && !screen.exit {
		found = in.discover(ctx)
	}
	plan, err := in.plan(stdio, screen, run)
	if err != nil {
		return err
	}
	if len(plan) == 0 {
		if found != nil {
			found.print(stdio.Err, run.fresh)
			return &exitError{exitFailed, usagePlain(whatToGive)}
		}
		return &exitError{exitFailed, errNothing(in)}
	}
	ses := &session{io: stdio, screen: screen, run: run, title: "watch", keep: true}
	ses.marker = sources.NewMarker()
	found.preset(ses)
	ses.start = func(ctx context.Context, g *sources.Group) error {
		g.Start(ctx, sources.Heartbeat{}, sources.Block, false)
		g.Start(ctx, ses.marker, sources.Block, false)
		for _, p := range plan {
			g.Start(ctx, p.source, p.policy, p.finite)
		}
		return nil
	}
	return ses.Go(ctx)
}

// errNothing says which flags to give.
func errNothing(in *sourceFlags) error {
	why := ""
	if in.gpu != "off" {
		r, _, err := gpu.Open(in.gpu, gpu.Options{})
		if err != nil {
			why = err.Error() + "; "
		} else {
			_ = r.Close() // it was only asked whether there is one
		}
	}
	return usagePlain(why + whatToGive)
}

const whatToGive = "nothing to watch: give --log FILE (the server's log), --load FILE or --load - (the load generator's stream), --metrics URL; or try benchtop demo"

type plainError string

func (e plainError) Error() string { return string(e) }

func usagePlain(s string) error { return plainError(s) }

// plan makes the sources that the flags name.
func (f *sourceFlags) plan(stdio Stdio, screen *screenFlags, run *runFlags) ([]planned, error) {
	var out []planned
	if err := f.check(run); err != nil {
		return nil, err
	}
	follow := !screen.exit
	stdin := 0
	who := parties{here: !f.away, port: f.port, started: f.started}
	for _, l := range f.logs {
		s, err := f.spec("--log", l, run)
		if err != nil {
			return nil, err
		}
		stdin += count(s.Kind == tail.Stdin)
		who.log(&s)
		o := tail.Options{Spec: s, FromStart: f.from == "start", Follow: follow, BurstIsHistory: s.Kind != tail.File, Stdin: stdio.In}
		out = append(out, planned{
			serverlog.NewSource(o, serverlog.Options{Format: s.Format, Zone: zoneOr(s.Zone), Year: s.Year, Start: s.Start, KeepText: f.keepText, Label: s.Label, Name: s.Name()}),
			sources.Block, !follow || s.Kind == tail.Stdin,
		})
	}
	for _, l := range f.loads {
		s, err := f.spec("--load", l, run)
		if err != nil {
			return nil, err
		}
		stdin += count(s.Kind == tail.Stdin)
		who.stream(&s, stdio.In)
		o := tail.Options{Spec: s, FromStart: f.loadFromStart(s), Follow: follow, Direct: true, Stdin: stdio.In}
		out = append(out, planned{
			loadgen.NewSource(o, loadgen.Options{Format: s.Format, Zone: zoneOr(s.Zone), Year: s.Year, Start: s.Start, Label: s.Label, Name: s.Name(), Timeout: run.timeout, KeepText: f.keepText}),
			sources.Drain, !follow || s.Kind == tail.Stdin,
		})
	}
	if stdin > 1 {
		return nil, usage("only one source can be standard input (-)")
	}
	ms, err := f.planMetrics(&who, follow)
	if err != nil {
		return nil, err
	}
	out = append(out, ms...)
	g, err := f.planGPU(len(out) > 0)
	if err != nil {
		return nil, err
	}
	out = append(out, g...)
	h, err := f.planHost(&who, len(out) > 0 || f.someone)
	if err != nil {
		return nil, err
	}
	return withSelf(append(out, h...)), nil
}

// withSelf adds what benchtop itself costs, where no source reads this machine.
func withSelf(out []planned) []planned {
	if len(out) == 0 || slices.ContainsFunc(out, func(p planned) bool { _, here := p.source.(*host.Source); return here }) {
		return out
	}
	return append(out, planned{host.Self{}, sources.Latest, false})
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// loadFromStart decides whether a load stream that exists is read whole.
func (f *sourceFlags) loadFromStart(s tail.Spec) bool {
	switch f.from {
	case "start":
		return true
	case "end":
		return false
	}
	info, err := os.Stat(s.Place)
	return s.Kind == tail.File && err == nil && info.Size() <= smallLoad && time.Since(info.ModTime()) < time.Minute
}

// planGPU adds the GPU source. With auto and nothing else named, a machine
// without a GPU has no source at all.
func (f *sourceFlags) planGPU(others bool) ([]planned, error) {
	command, isExec := strings.CutPrefix(f.gpu, "exec:")
	switch {
	case f.gpu == "off":
		return nil, nil
	case isExec:
		src := &gpu.LineSource{Place: f.gpu, Live: true, Open: func(ctx context.Context) (io.ReadCloser, error) { return startCommand(ctx, command) }}
		return []planned{{src, sources.Drain, false}}, nil
	case strings.HasPrefix(f.gpu, "file:"):
		path := strings.TrimPrefix(f.gpu, "file:")
		src := &gpu.LineSource{Place: f.gpu, Open: func(context.Context) (io.ReadCloser, error) { return os.Open(path) }}
		return []planned{{src, sources.Block, true}}, nil
	case (f.gpu == "auto" || f.gpu == "") && !others:
		r, _, err := gpu.Open("auto", gpu.Options{})
		if err != nil {
			return nil, nil //nolint:nilerr // errNothing tells why
		}
		_ = r.Close() // the source opens its own, and again when it goes down
	case f.gpu != "auto" && f.gpu != "" && f.gpu != "nvml" && f.gpu != "smi" && !strings.HasPrefix(f.gpu, "dcgm:"):
		return nil, usage("--gpu %s: auto, nvml, smi, dcgm:URL, file:PATH, exec:COMMAND or off", f.gpu)
	}
	return []planned{{&gpu.Source{Choice: f.gpu}, sources.Latest, false}}, nil
}

// planHost adds the machines' own readings: this one's, unless the flags name
// where client and server run.
func (f *sourceFlags) planHost(who *parties, others bool) ([]planned, error) {
	var out []planned
	hosts := f.hosts
	if len(hosts) == 0 {
		hosts = []string{"auto"}
	}
	for _, h := range hosts {
		label, place := cutLabel(h)
		command, isExec := strings.CutPrefix(place, "exec:")
		switch {
		case place == "off":
		case isExec:
			src := &host.LineSource{Place: h, Label: label, Live: true, Open: func(ctx context.Context) (io.ReadCloser, error) { return startCommand(ctx, command) }}
			out = append(out, planned{src, sources.Drain, false})
		case strings.HasPrefix(place, "file:"):
			path := strings.TrimPrefix(place, "file:")
			src := &host.LineSource{Place: h, Label: label, Open: func(context.Context) (io.ReadCloser, error) { return os.Open(path) }}
			out = append(out, planned{src, sources.Block, true})
		case place != "auto":
			return nil, usage("--host %s: auto, file:PATH, exec:COMMAND or off", h)
		case others && runtime.GOOS == "linux": // elsewhere there is no host row, and that is no failure
			out = append(out, planned{host.New(who.options(label)), sources.Latest, false})
		}
	}
	return out, nil
}

// portOf is the port of a URL, 0 if it names none.
func portOf(raw string) int {
	if !strings.Contains(raw, "://") {
		raw = "http://" + raw
	}
	u, err := url.Parse(raw)
	if err != nil {
		return 0
	}
	_, p, err := net.SplitHostPort(u.Host)
	if err != nil {
		return map[string]int{"http": 80, "https": 443}[u.Scheme]
	}
	n, err := strconv.Atoi(p)
	if err != nil {
		return 0
	}
	return n
}
