package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"benchtop/model"
	"benchtop/sources"
	"benchtop/sources/gpu"
	"benchtop/sources/host"
	"benchtop/sources/scrape"
	"benchtop/sources/serverlog"
)

// discovery is what looking around found, what was chosen of it and why.
type discovery struct {
	lines []string     // for the user: found, chosen, not to be seen, what to give
	notes []model.Note // settings that command lines declare
	flags []string     // of the same run without looking around
	gaps  []string     // flags to give for what can't be seen from here
}

// askTimeout is how long the one request to a server's endpoint may take.
const askTimeout = time.Second

func (d *discovery) say(format string, args ...any) {
	d.lines = append(d.lines, oneLine(fmt.Sprintf(format, args...)))
}

func (d *discovery) gap(flag string) { d.gaps = append(d.gaps, flag) }

// bare reports whether no flag names a source, so that it is for us to look.
func (f *sourceFlags) bare() bool {
	return !f.any() && len(f.hosts) == 0 && !strings.HasPrefix(f.gpu, "exec:")
}

// discover looks around on this machine and fills in the flags it would give.
// It reads procfs, the heads of files that are being written, and asks the
// metrics endpoint of the chosen server once, on loopback only.
func (f *sourceFlags) discover(ctx context.Context) *discovery {
	d := &discovery{}
	scene, err := host.Look("")
	if err != nil {
		d.say("%s", err)
		return d
	}
	var callers []host.Found
	if s := f.chooseServer(ctx, d, scene.Servers); s != nil {
		callers = s.Callers
	}
	f.chooseLoad(d, scene.Loads, callers)
	f.lookGPU(d)
	if f.someone {
		d.say("watching this machine: cores, the processes found%s", socketsOf(f.port))
	}
	if len(d.flags) > 0 {
		d.say("the same without looking around: %s", d.repeat())
	}
	if len(d.gaps) > 0 {
		d.say("for what can't be seen from here add: %s", strings.Join(d.gaps, " "))
	}
	return d
}

// repeat is the command line of the same run.
func (d *discovery) repeat() string { return "benchtop " + strings.Join(d.flags, " ") }

// flag notes a flag that was chosen, as a shell takes it.
func (d *discovery) flag(name, value string) { d.flags = append(d.flags, name+" "+quote(value)) }

// quote makes one word for a shell.
func quote(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,@%+") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// chooseServer takes the server with most connections and says what of it can
// be seen. It is nil if there is none.
func (f *sourceFlags) chooseServer(ctx context.Context, d *discovery, servers []host.Found) *host.Found {
	if len(servers) == 0 {
		d.say("no inference server found by its command line")
		return nil
	}
	best := 0
	for i := range servers {
		d.say("found %s", serverLine(&servers[i]))
		if servers[i].Open > servers[best].Open {
			best = i
		}
	}
	s := &servers[best]
	if len(servers) > 1 {
		d.say("chose %s, PID %d, of %d servers: it has most connections, or else came first", s.Tool.Name, s.PID, len(servers))
	}
	f.port, f.someone = s.Port, true
	f.endpoint(ctx, d, s)
	f.serverLog(d, s)
	d.declared(s)
	if s.Visible != "" {
		d.notes = append(d.notes, model.Note{Kind: model.NoteRun, Name: "cuda_visible_devices", Text: s.Visible})
		d.say("%s was started with CUDA_VISIBLE_DEVICES=%s: its cuda:0 is the first of these", s.Tool.Name, s.Visible)
	}
	for _, p := range s.Peers[:min(1, len(s.Peers))] {
		d.say("%d connections come from %s: a client on another machine, whose own readings are not visible from here", p.Count, p.Address)
		d.gap("--host server=auto --host " + quote("client=exec:ssh "+p.Address+" benchtop probe --json host --server-port "+strconv.Itoa(s.Port)+" --for 24h"))
	}
	return s
}

// serverLine is a server in one line; of its command line only what is
// understood.
func serverLine(s *host.Found) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: PID %d of user %s", s.Tool.Name, s.PID, s.User)
	if s.Model != "" {
		fmt.Fprintf(&b, ", %s", s.Model)
	}
	switch {
	case s.Port != 0:
		fmt.Fprintf(&b, ", port %d (by %s)", s.Port, s.PortFrom)
	default:
		b.WriteString(", port not visible from here")
	}
	if s.Container != "" {
		fmt.Fprintf(&b, ", in container %s", s.Container)
	} else if s.Unit != "" {
		fmt.Fprintf(&b, ", service %s", s.Unit)
	}
	if s.Apart {
		b.WriteString(", in a network namespace of its own")
		if len(s.Addresses) > 0 {
			fmt.Fprintf(&b, " (%s)", strings.Join(s.Addresses, ", "))
		}
	}
	if s.Place != "" {
		fmt.Fprintf(&b, ", bound to %s", s.Place)
	}
	return b.String()
}

// endpoint decides about the server's metrics.
func (f *sourceFlags) endpoint(ctx context.Context, d *discovery, s *host.Found) {
	name := s.Tool.Name
	switch {
	case s.Tool.Ask == host.NoMetrics:
		d.say("%s has no metrics endpoint: its log is all there is", name)
	case s.Tool.Ask == host.AskNever:
		d.say("%s's /metrics is emptied by reading it, so it was not asked; with return_perf_metrics its /prometheus/metrics may be given", name)
		if s.Port != 0 && !s.Apart {
			d.gap(fmt.Sprintf("--metrics http://127.0.0.1:%d/prometheus/metrics", s.Port))
		}
	case s.Disabled != "":
		d.say("%s runs without %s, so it has no metrics: restart it with that flag", name, s.Disabled)
	case s.URL == "" && s.Port == 0:
		d.say("where %s tells its metrics is not visible from here", name)
		d.gap("--metrics http://HOST:PORT/metrics")
	case s.URL == "":
		where := "127.0.0.1"
		if len(s.Addresses) > 0 {
			where = s.Addresses[0]
		}
		d.say("%s's metrics are not on this machine's loopback, so they were not asked for", name)
		d.gap(fmt.Sprintf("--metrics http://%s:%d/metrics", where, s.Metrics))
	case s.Tool.Ask == host.TakeAsIs:
		d.say("chose %s: %s, asked for its metrics only as a source (reading resets its rate gauges)", s.URL, name)
		f.metrics = append(f.metrics, s.URL)
		d.flag("--metrics", s.URL)
	default:
		sum, err := scrape.ProbeURL(ctx, scrape.Options{URL: s.URL, Timeout: askTimeout})
		if err != nil || sum.Engine == "unknown" {
			why := "none of its names are known"
			if err != nil {
				why = err.Error()
			}
			d.say("asked %s once and did not take it: %s", s.URL, why)
			return
		}
		d.say("chose %s: metrics of %s, asked once", s.URL, sum.Engine)
		f.metrics = append(f.metrics, s.URL)
		d.flag("--metrics", s.URL)
	}
}

// serverLog decides about the server's log.
func (f *sourceFlags) serverLog(d *discovery, s *host.Found) {
	for _, p := range s.Logs {
		lines, err := headLines(p)
		if err != nil {
			d.say("its log %s can't be read: %s", p, err)
			d.gap("--log " + quote("exec:sudo -n tail -n 200 -F "+p))
			return
		}
		if g := serverlog.Sniff(lines); len(lines) > 0 && (len(g) == 0 || g[0].Score <= 0) {
			d.say("%s is open in the server, but looks like none of the known logs", p)
			continue
		}
		d.say("chose %s: the file %s prints to", p, s.Tool.Name)
		f.logs = append(f.logs, p)
		d.flag("--log", p)
		return
	}
	if c := s.LogCommand(); c != "" {
		d.say("its log is kept by who started it; the command that shows it was not run (see the flags to add)")
		d.gap("--log " + quote(c))
		return
	}
	if !s.Mine {
		d.say("its open files belong to user %s and are not visible from here, so neither is its log (see the flags to add)", s.User)
		d.gap("--log " + quote(fmt.Sprintf("exec:sudo -n sh -c 'test -f /proc/%d/fd/1 && exec tail -n 200 -f /proc/%d/fd/1'", s.PID, s.PID)))
		return
	}
	switch s.Output {
	case "terminal", "nowhere":
		d.say("%s prints to %s: restart it with its output in a file (> server.log 2>&1) for its log", s.Tool.Name, map[string]string{"terminal": "a terminal", "nowhere": "/dev/null"}[s.Output])
	case "pipe":
		d.say("%s prints into a pipe whose reader writes no file here", s.Tool.Name)
	}
}

// headLines reads the first lines of a regular file.
func headLines(path string) ([][]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // read only
	b, err := io.ReadAll(io.LimitReader(file, 64<<10))
	if err != nil {
		return nil, err
	}
	lines := bytes.Split(b, []byte("\n"))
	return lines[:min(len(lines)-1, 400)], nil
}

// declared keeps what a command line says of the run.
func (d *discovery) declared(p *host.Found) {
	for _, s := range p.Settings {
		d.notes = append(d.notes, model.Note{Kind: model.NoteConfig, Name: s.Name, Value: s.Value, Text: p.Tool.Name + " " + s.Flag + " (declared on its command line)"})
	}
}

// lookGPU says what GPUs there are.
func (f *sourceFlags) lookGPU(d *discovery) {
	if f.gpu == "off" {
		return
	}
	r, name, err := gpu.Open(f.gpu, gpu.Options{})
	if err != nil {
		d.say("no GPU rows: %s", err)
		return
	}
	defer func() { _ = r.Close() }() // the source opens its own
	rs, err := r.Read(nil)
	if err != nil && len(rs) == 0 {
		d.say("GPUs by %s: %s", name, err)
		return
	}
	kinds := map[string]int{}
	order := []string{}
	for i := range rs {
		if kinds[rs[i].Name]++; kinds[rs[i].Name] == 1 {
			order = append(order, rs[i].Name)
		}
	}
	var parts []string
	for _, k := range order {
		parts = append(parts, fmt.Sprintf("%d × %s", kinds[k], strings.TrimSpace(k+" ")))
	}
	d.say("found %s, read by %s", strings.Join(parts, ", "), name)
	d.flag("--gpu", name)
}

// marks are the discovery's lines for the screen's list of events.
func (d *discovery) marks(now model.Instant) []model.Note {
	var out []model.Note
	for _, n := range d.notes {
		n.At, n.Seen = now, now
		out = append(out, n)
	}
	for _, l := range d.lines {
		out = append(out, model.Note{At: now, Seen: now, Kind: model.NoteMark, Name: "look", Text: l})
	}
	return out
}

// print writes the lines where there is no screen for them.
func (d *discovery) print(w io.Writer, fresh func(line string) bool) {
	for _, l := range d.lines {
		if !fresh("looked around: " + l) {
			continue
		}
		_, _ = fmt.Fprintln(w, "looked around: "+l) // a reader that left shows itself at the next line
	}
}

// preset hands the discovery to the session that it is of.
func (d *discovery) preset(s *session) {
	if d == nil {
		return
	}
	s.preset = append(s.preset, d.marks(sources.Now())...)
	s.found = d
}

// socketsOf names the connections that are counted, if any are.
func socketsOf(port int) string {
	if port == 0 {
		return ""
	}
	return fmt.Sprintf(", the connections to port %d", port)
}
