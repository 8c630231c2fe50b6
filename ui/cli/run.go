package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"benchtop/model"
	"benchtop/sources"
	"benchtop/sources/host"
	"benchtop/sources/loadgen"
	"benchtop/sources/tail"
)

func newRun(stdio Stdio) *cobra.Command {
	var (
		screen screenFlags
		run    runFlags
		in     sourceFlags
		assist bool
	)
	c := &cobra.Command{
		Use:   "run [flags] -- COMMAND…",
		Short: "Start the load generator and watch the run it makes",
		Long: `run starts COMMAND as a child in a session of its own and reads what it prints
as the load stream, on whichever of its outputs that is; files that it writes
its stream or report to are followed too. Its start and end are marked, signals
are passed on to it and all it started, and its exit code, if not 0, is
benchtop's; a second signal kills it. Without a screen the run ends with it; with
one it stays until q. Where no flag names the server, it is looked for on this
machine, at the address that COMMAND names.

The command is never altered, unless --assist asks for the options that make a
known tool readable: what was changed is printed.`,
		Example: "  benchtop run --log vllm.log -- vegeta attack -targets=t.txt -rate=50 -duration=120s -timeout=60s\n" +
			"  benchtop run --assist --log vllm.log -- k6 run script.js\n" +
			"  benchtop run --headless --summary out.json -- ./bench_client --target http://127.0.0.1:8000/generate --concurrency 32",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("no command (write it after --: benchtop run --log vllm.log -- vegeta attack …)")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := run.settle(cmd, stdio); err != nil {
				return err
			}
			if err := screen.check(); err != nil {
				return err
			}
			return runCommand(cmd.Context(), stdio, &screen, &run, &in, args, assist)
		},
	}
	f := c.Flags()
	f.SetInterspersed(false) // what follows the command's name is the command's
	screen.add(f)
	run.add(f)
	in.add(f)
	addAssist(f, &assist)
	return c
}

// programPatience is how long the program may take to end when the screen was
// left before it had: it is asked first, then told.
const programPatience = 10 * time.Second

func runCommand(ctx context.Context, stdio Stdio, screen *screenFlags, run *runFlags, in *sourceFlags, argv []string, assist bool) error {
	var load *loadgen.Command // made below, before any source starts
	in.started = func() int { return load.PID() }
	ses := &session{io: stdio, screen: screen, run: run, title: cmp.Or(run.title, "run"), keep: true, finite: true, patience: programPatience}
	plan, err := in.beside(ctx, ses, argv)
	if err != nil {
		return err
	}
	how, err := prepare(stdio, argv, assist, run.fresh)
	if err != nil {
		return err
	}
	defer how.clear()

	// The program ends the run, not the signal that it is given.
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !run.keep.keepGoing { // its terminal is gone, but the run goes on
		signal.Notify(signals, syscall.SIGHUP)
	}
	defer signal.Stop(signals)
	o := loadgen.Options{Timeout: run.timeout, Zone: zoneOr(nil), KeepText: in.keepText}
	load = loadgen.NewCommand(life, loadgen.CommandOptions{
		Options: o, Argv: how.argv, Env: how.env, Stdin: stdio.In, Signals: signals, Say: ses.say,
	})
	var files []sources.Source
	for _, f := range how.outputs {
		files = append(files, load.Output(f, o))
	}

	ses.preset = append(ses.preset, how.notes...)
	ses.marker = sources.NewMarker()
	ses.closing = func() []string { return closingLines(load) }
	ses.start = func(ctx context.Context, g *sources.Group) error {
		g.Start(ctx, sources.Heartbeat{}, sources.Block, false)
		g.Start(ctx, ses.marker, sources.Block, false)
		for _, p := range plan {
			g.Start(ctx, p.source, p.policy, false) // the program's end is the run's
		}
		for _, f := range files {
			g.Start(ctx, f, sources.Block, true)
		}
		g.Start(ctx, load, sources.Drain, true)
		return nil
	}
	return outcome(ses.Go(life), load, argv[0])
}

// outcome is the program's exit code if it is not 0, else how the session went.
func outcome(err error, load *loadgen.Command, program string) error {
	code, ok := load.ExitCode()
	switch {
	case ok && code != 0:
		return &exitError{code, fmt.Errorf("%s ended with exit code %d", load.Name(), code)}
	case !ok && err == nil:
		return &exitError{exitFailed, fmt.Errorf("run %s: it did not run to its end (check the command after --)", program)}
	}
	return err
}

// beside makes the sources that are read beside the command's own output. Where
// no flag names the server, it is looked for on this machine.
func (f *sourceFlags) beside(ctx context.Context, ses *session, argv []string) ([]planned, error) {
	if _, err := exec.LookPath(argv[0]); err != nil {
		return nil, &exitError{exitFailed, fmt.Errorf("run %s: %w (check the command after --)", argv[0], err)}
	}
	for _, l := range f.loads {
		if s, err := tail.ParseSpec(l); err == nil && s.Kind == tail.Stdin {
			return nil, usage("--load -: the command reads standard input (give a file, or pipe into benchtop watch)")
		}
	}
	if f.noServer() {
		f.discoverFor(ctx, argv).preset(ses)
	}
	live := *ses.screen
	live.exit = false // the program's end is the run's: what is followed is followed until then
	plan, err := f.plan(ses.io, &live, ses.run)
	if err != nil {
		return nil, err
	}
	if len(plan) == 0 { // nothing but the command: this machine's own readings belong to it
		return f.planHost(&parties{here: !f.away, port: f.port, started: f.started}, true)
	}
	return plan, nil
}

// prepared is a command ready to be started.
type prepared struct {
	argv, env []string
	outputs   []loadgen.Output
	notes     []model.Note
	dir       string // of our files; "" if there are none
	kept      string // what in it is the user's
}

// clear removes the files that were only for us to read.
func (p *prepared) clear() {
	if p.dir != "" && p.kept == "" {
		_ = os.RemoveAll(p.dir) // what it holds is in the recording
	}
}

// prepare looks at the command: it says what would make its stream readable or,
// with assist, does that and says what it changed.
func prepare(stdio Stdio, argv []string, assist bool, fresh func(line string) bool) (*prepared, error) {
	p := &prepared{argv: argv, env: stdio.Env}
	if p.env == nil {
		p.env = os.Environ()
	}
	p.notes = declaredNotes(argv)
	a := loadgen.Advise(argv, "FOLDER")
	if !assist || len(a.Changes) == 0 {
		p.outputs = a.Own
		switch {
		case len(a.Changes) > 0:
			text := fmt.Sprintf("%s (with --assist: %s)", a.Why, oneLine(strings.Join(a.Changes, ", ")))
			if fresh(text) {
				fmt.Fprintf(stdio.Err, "benchtop: %s\n", text)
			}
			now := sources.Now()
			p.notes = append(p.notes, model.Note{At: now, Seen: now, Kind: model.NoteRun, Name: "suggestion", Text: text})
		case (assist || a.Tool == "") && fresh(a.Why):
			fmt.Fprintf(stdio.Err, "benchtop: %s\n", a.Why)
		}
		return p, nil
	}
	dir, err := os.MkdirTemp("", "benchtop-run-")
	if err != nil {
		return nil, &exitError{exitFailed, fmt.Errorf("--assist needs a folder for the stream: %w", err)}
	}
	p.dir = dir
	a = loadgen.Advise(argv, dir)
	for path, text := range a.Scripts {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			p.clear()
			return nil, &exitError{exitFailed, fmt.Errorf("--assist: %w", err)}
		}
	}
	for _, c := range a.Changes {
		fmt.Fprintf(stdio.Err, "benchtop: --assist %s\n", oneLine(c))
	}
	fmt.Fprintf(stdio.Err, "benchtop: it runs %s\n", oneLine(strings.Join(slices.Concat(a.Env, a.Argv), " ")))
	if p.kept = a.Keep; p.kept != "" {
		fmt.Fprintf(stdio.Err, "benchtop: %s stay in %s\n", p.kept, dir)
	}
	p.argv, p.env, p.outputs = a.Argv, slices.Concat(p.env, a.Env), a.Outputs
	now := sources.Now()
	p.notes = append(p.notes, model.Note{At: now, Seen: now, Kind: model.NoteRun, Name: "assist", Text: strings.Join(a.Changes, "; ")})
	return p, nil
}

// declaredNotes are what the command line itself says of the run.
func declaredNotes(argv []string) []model.Note {
	now := sources.Now()
	tool, all := host.Declared(argv)
	var out []model.Note
	for _, s := range all {
		out = append(out, model.Note{At: now, Seen: now, Kind: model.NoteConfig, Name: s.Name, Value: s.Value, Text: tool + " " + s.Flag + " (declared on its command line)"})
	}
	return out
}

// closingShown is how many of a program's last lines the scrollback gets.
const closingShown = 8

// closingLines are what the scrollback says of the program.
func closingLines(load *loadgen.Command) []string {
	var out []string
	if code, ok := load.ExitCode(); ok {
		out = append(out, fmt.Sprintf("%-9s %s ended with exit code %d", "command", oneLine(load.Name()), code))
	}
	last := load.LastLines()
	for i, l := range last[max(0, len(last)-closingShown):] {
		name := ""
		if i == 0 {
			name = "it said"
		}
		out = append(out, fmt.Sprintf("%-9s %s", name, oneLine(sources.Redact(l))))
	}
	return out
}
