package loadgen

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"benchtop/model"
	"benchtop/sources"
	"benchtop/sources/tail"
)

// CommandOptions say which load generator to start and what is known of it.
type CommandOptions struct {
	Options
	Argv    []string         // the program and its arguments, no shell
	Env     []string         // nil is this process's own
	Stdin   io.Reader        // handed on if it is an *os.File and no terminal
	Signals <-chan os.Signal // passed on to it and all it started
	// Say, if set, hears what a user must know while it is being ended.
	Say func(text string)
}

// Command is a load generator that is run as a child, as a source. Whichever of
// its outputs speaks is the load stream; of the other the last lines are kept.
// Its start and end are marked and bound the run. It is drained always, so it
// is never slowed; what the engine can't take is counted as dropped.
type Command struct {
	o      CommandOptions
	over   context.Context //nolint:containedctx // it ends with the program
	end    context.CancelFunc
	state  atomic.Pointer[os.ProcessState]
	pid    atomic.Int64
	began  model.Instant
	voices [2]voice
}

// voice is one output of the program.
type voice struct {
	d      *Decoder
	out    *sources.Outlet
	name   string
	lines  int
	format string
	last   lastLines
}

// NewCommand makes a source that starts the program when it is run, once. ctx
// bounds what waits for its end.
func NewCommand(ctx context.Context, o CommandOptions) *Command {
	c := &Command{o: o}
	c.over, c.end = context.WithCancel(ctx)
	if c.o.Name == "" && len(o.Argv) > 0 {
		c.o.Name = toolName(o.Argv)
	}
	if c.o.Party == "" {
		c.o.Party = c.o.Name
	}
	return c
}

// Name implements sources.Source.
func (c *Command) Name() string { return c.o.Name }

// Over is closed when the program has ended and all it printed was read.
func (c *Command) Over() <-chan struct{} { return c.over.Done() }

// PID is the program's process, 0 before it runs.
func (c *Command) PID() int { return int(c.pid.Load()) }

// ExitCode is the program's, by the shell's convention 128 and the signal's
// number if one ended it; ok is false if it didn't run or hangs in the kernel.
func (c *Command) ExitCode() (code int, ok bool) {
	s := c.state.Load()
	if s == nil {
		return 0, false
	}
	if w, isWait := s.Sys().(syscall.WaitStatus); isWait && w.Signaled() {
		return 128 + int(w.Signal()), true
	}
	return s.ExitCode(), true
}

// LastLines are the last lines of the output that isn't the load stream, or of
// both. Call it when the program is over.
func (c *Command) LastLines() []string {
	var all []string
	for i := range c.voices {
		all = append(all, c.voices[i].last.all()...)
	}
	return all
}

// Run implements sources.Source. Whatever happens it isn't started again.
func (c *Command) Run(ctx context.Context, out *sources.Outlet) error {
	defer c.end()
	for i := range c.voices {
		v := &c.voices[i]
		o := c.o.Options
		o.Perhaps = true
		v.d, v.out, v.name = NewDecoder(o), out, c.o.Name
		if err := v.d.Err(); err != nil {
			return sources.Final(err)
		}
	}
	c.voices[tail.Stderr].out, c.voices[tail.Stderr].name = nil, c.o.Name+" (stderr)"
	out.SetPolicy(sources.Drain)
	c.o.party(sources.Now(), out)
	out.Describe(sources.Now(), c.o.Name, model.KindLoad, c.o.Format, c.o.Label)
	out.Flush()
	in := tail.Options{
		Spec: tail.Spec{Place: c.o.Argv[0], Kind: tail.Exec},
		Argv: c.o.Argv, Env: c.o.Env, Stdin: c.o.Stdin, Signals: c.o.Signals, Returns: true,
	}
	err := tail.Run(ctx, in, tail.Handler{
		Line:    func(l tail.Line) { c.line(l, out) },
		Raw:     func(s uint8, b []byte, base int64, seen model.Instant) bool { return c.raw(s, b, base, seen, out) },
		Lost:    func(s uint8, lines int, size int64) { c.lost(s, lines, size, out) },
		Started: func(pid int) { c.started(pid, out) },
		Exited:  c.state.Store,
		Event:   func(kind, text string) { c.event(kind, text, out) },
		Idle:    func() { c.idle(out) },
	})
	now := sources.Now()
	for i := range c.voices {
		if v := &c.voices[i]; v.out != nil {
			v.d.End(now, v.out)
			v.tell(now, c.o.Options)
			if v.out != out && v.d.Err() == nil {
				v.out.State(now, model.Ended, "")
			}
		}
	}
	c.ended(now, out)
	out.FlushAt(now)
	if err != nil {
		err = fmt.Errorf("%w (check the command after --)", err)
	}
	return sources.Final(err)
}

// voice is the output a block or line came from; stderr gets a source of its
// own when it first says something.
func (c *Command) voice(stream uint8, seen model.Instant, out *sources.Outlet) *voice {
	v := &c.voices[stream]
	if v.out == nil {
		v.out = out.Fork()
		c.o.party(seen, v.out)
		v.out.Describe(seen, v.name, model.KindLoad, "", c.o.Label)
		v.out.State(seen, model.Running, "")
	}
	return v
}

func (c *Command) line(l tail.Line, out *sources.Outlet) {
	v := c.voice(l.Stream, l.Seen, out)
	v.last.add(l.Text, v.spoken())
	if v.d.Err() == nil {
		v.d.Line(l.Text, l.Seen, false, l.Partial, v.out)
	}
	v.tell(l.Seen, c.o.Options)
}

// lost books what was thrown away so that the program need not wait.
func (c *Command) lost(stream uint8, lines int, size int64, out *sources.Outlet) {
	now := sources.Now()
	v := c.voice(stream, now, out)
	v.d.Lost(lines, int(size), now, v.out)
}

func (c *Command) raw(stream uint8, block []byte, base int64, seen model.Instant, out *sources.Outlet) bool {
	v := &c.voices[stream]
	if v.d.Err() == nil && v.d.binary == nil && (base != 0 || !isVegetaGob(block)) {
		return false
	}
	v = c.voice(stream, seen, out)
	took := v.d.Raw(block, base, seen, false, v.out)
	v.tell(seen, c.o.Options)
	return took
}

func (c *Command) idle(out *sources.Outlet) {
	now := sources.Now()
	for i := range c.voices {
		if v := &c.voices[i]; v.out != nil {
			v.d.Idle(now, v.out)
		}
	}
	out.FlushAt(now)
}

// tell describes the output once its format is known, and says once why it
// can't be read.
func (v *voice) tell(seen model.Instant, o Options) {
	if v.format == "" {
		if v.format, _ = v.d.Format(); v.format != "" {
			v.out.Describe(seen, v.name, model.KindLoad, v.format, o.Label)
		}
	}
	if err := v.d.Err(); err != nil && v.lines == 0 {
		v.lines = 1
		v.out.State(seen, model.Failed, err.Error())
	}
}

// spoken reports whether the output is a stream of records, of which no last
// lines are kept.
func (v *voice) spoken() bool {
	f := v.d.format
	return f != nil && !f.Document && !slices.Contains(prints, f)
}

// prints are formats that a program prints for people: their last lines are kept.
var prints = []*Format{&tqdmBar, &abProgress, &k6Log, &fortioLog, &guidellmLog, &jmeterSummary}

func (c *Command) started(pid int, out *sources.Outlet) {
	now := sources.Now()
	c.began = now
	c.pid.Store(int64(pid))
	text := commandText(sources.RedactArgs(c.o.Argv))
	out.State(now, model.Running, "")
	out.Note(model.Note{At: now, Seen: now, Kind: model.NoteRun, Name: "command", Text: text})
	out.Note(model.Note{At: now, Seen: now, Kind: model.NoteRun, Name: "command_pid", Text: strconv.Itoa(pid)})
	out.Note(model.Note{At: now, Seen: now, Kind: model.NoteMark, Name: "run", Text: "started: " + text})
	out.FlushAt(now)
}

// event tells what happens while it is being ended.
func (c *Command) event(kind, text string, out *sources.Outlet) {
	if kind != tail.EventAsked {
		return
	}
	text = c.o.Name + ": " + text
	now := sources.Now()
	out.Note(model.Note{At: now, Seen: now, Kind: model.NoteMark, Name: "run", Text: text})
	out.FlushAt(now)
	if c.o.Say != nil {
		c.o.Say(text)
	}
}

// ended tells the end and what was said last.
func (c *Command) ended(now model.Instant, out *sources.Outlet) {
	if c.began == 0 {
		return
	}
	how, bad := "ended", 0.0
	code, ok := c.ExitCode()
	switch {
	case !ok:
		how, bad = "hangs", 1
	case code > 128:
		how, bad = "ended by "+syscall.Signal(code-128).String(), 1
	case code != 0:
		how, bad = fmt.Sprintf("ended with exit code %d", code), 1
	}
	took := now.Sub(c.began).Round(10 * time.Millisecond)
	out.Note(model.Note{At: now, Seen: now, Kind: model.NoteMark, Name: "run", Value: bad, Text: fmt.Sprintf("%s %s after %s", c.o.Name, how, took)})
	if ok {
		out.Note(model.Note{At: now, Seen: now, Kind: model.NoteRun, Name: "exit_code", Text: strconv.Itoa(code), Value: float64(code)})
	}
	out.Note(model.Note{At: now, Seen: now, Kind: model.NoteRun, Name: "command_seconds", Text: strconv.FormatFloat(took.Seconds(), 'f', 2, 64), Value: took.Seconds()})
	for i, name := range [...]string{"last_lines.stdout", "last_lines.stderr"} {
		if lines := c.voices[i].last.all(); len(lines) > 0 {
			out.Note(model.Note{At: now, Seen: now, Kind: model.NoteRun, Name: name, Text: strings.Join(lines, "\n")})
		}
	}
}

// Bounds of the last lines kept.
const (
	lastCount = 20
	lastBytes = 300
)

// lastLines keeps the last lines that aren't blank.
type lastLines struct {
	ring [lastCount][]byte
	n    int
}

// add takes a line; a stream's own records are left out.
func (l *lastLines) add(text []byte, record bool) {
	if record {
		l.n = 0 // what came before it was recognised
		return
	}
	if len(text) == 0 {
		return
	}
	slot := &l.ring[l.n%lastCount]
	*slot = append((*slot)[:0], text[:min(len(text), lastBytes)]...)
	l.n++
}

func (l *lastLines) all() []string {
	var all []string
	for i := max(0, l.n-lastCount); i < l.n; i++ {
		all = append(all, sources.Redact(strings.ToValidUTF8(string(l.ring[i%lastCount]), "?")))
	}
	return all
}

// commandText is a command as a user would type it.
func commandText(argv []string) string {
	words := make([]string, len(argv))
	for i, a := range argv {
		words[i] = a
		if a == "" || strings.ContainsAny(a, " \t\n\"'\\$&|;<>()*?#~`[]{}!") {
			words[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}
