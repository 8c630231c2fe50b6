package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"benchtop/model/compare"
	"benchtop/sources"
	"benchtop/sources/recording"
	"benchtop/ui/report"
)

// roundsRun is one `benchtop rounds`.
type roundsRun struct {
	io       Stdio
	file     *roundsFile
	headless bool
	out      string
	dry      bool

	rows []compare.Row
	told map[string]bool // what was said of the commands: once is enough
}

func newRounds(stdio Stdio) *cobra.Command {
	r := &roundsRun{io: stdio, told: map[string]bool{}}
	var path string
	c := &cobra.Command{
		Use:   "rounds --run-file FILE",
		Short: "Run the commands named in a file as interleaved rounds, each recorded, and compare them",
		Long: `rounds runs each arm's command in turn (A B C A B C), so that what drifts with
time falls on every arm alike: warm-up passes first, then as many passes as the
file says, each round watched and recorded. After every round its row is printed
and what to do next; at the end the comparison. It starts nothing but what the
file says. The file:

  passes: 4               # of every arm
  warmup: 1               # passes before them that do not count
  cool_below: 45C         # wait before each round until every GPU is this cool
  cool_wait: 10m          # but no longer than this
  watch: [--log, vllm.log, --metrics, "http://127.0.0.1:8000/metrics"]
  arms:
    - name: batch4
      before: [./serve.sh, restart, "4"]      # ended before the round begins
      run: [./bench_client, --concurrency, "32"]
      meta: {batch: "4"}
    - name: batch8
      change: max batch 8
      before: [./serve.sh, restart, "8"]
      run: [./bench_client, --concurrency, "32"]
      meta: {batch: "8"}`,
		Example: "  benchtop rounds --run-file rounds.yaml --dry-run\n  benchtop rounds --run-file rounds.yaml -o result.html",
		Args:    none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if path == "" {
				return usage("rounds of what? give --run-file FILE (see benchtop rounds --help)")
			}
			f, err := readRounds(path)
			if err != nil {
				return err
			}
			r.file = f
			return r.run(cmd.Context())
		},
	}
	s := c.Flags()
	s.StringVar(&path, "run-file", "", "the `FILE` that names arms and passes")
	s.BoolVar(&r.headless, "headless", false, "no screen: one line a second (chosen by itself when stdout is no terminal)")
	s.BoolVar(&r.dry, "dry-run", false, "print the order of the rounds and start nothing")
	s.StringVarP(&r.out, "output", "o", "", "also write the comparison to `FILE` (.html, .md, .json, .csv)")
	return c
}

// round is one turn of one arm.
type round struct {
	arm  *roundsArm
	pass int // from 1; 0 and below are warm-up
	no   int // of all
}

// order lays out all rounds.
func (f *roundsFile) order() []round {
	var out []round
	for pass := 1 - f.Warmup; pass <= f.Passes; pass++ {
		for i := range f.Arms {
			out = append(out, round{&f.Arms[i], pass, len(out) + 1})
		}
	}
	return out
}

func (r *roundsRun) run(ctx context.Context) error {
	order := r.file.order()
	t := &table{w: r.io.Out}
	t.print("%d rounds of %d arms: %s\n", len(order), len(r.file.Arms), sequence(order))
	if t.err != nil || r.dry {
		for _, o := range order {
			t.print("%3d  %-16s %-12s %s\n", o.no, o.arm.Name, o.name(r.file), oneLine(strings.Join(o.arm.Run, " ")))
		}
		return t.err
	}
	for i, o := range order {
		if err := r.one(ctx, order, i); err != nil {
			return r.stopped(o, err)
		}
	}
	return r.finish()
}

// sequence prints the order as letters, warm-up in brackets.
func sequence(order []round) string {
	names := map[string]string{}
	var b strings.Builder
	for i, o := range order {
		if names[o.arm.Name] == "" {
			names[o.arm.Name] = string(rune('A' + len(names)%26))
		}
		if i == 0 && o.pass < 1 {
			b.WriteByte('(')
		}
		if i > 0 && order[i-1].pass < 1 && o.pass == 1 {
			b.WriteString(") ")
		}
		b.WriteString(names[o.arm.Name])
	}
	return b.String()
}

// name says which turn this is.
func (o round) name(f *roundsFile) string {
	if o.pass < 1 {
		return fmt.Sprintf("warm-up %d of %d", o.pass+f.Warmup, f.Warmup)
	}
	return fmt.Sprintf("pass %d of %d", o.pass, f.Passes)
}

// one runs one round: the command before it, the wait for cool GPUs, the
// command itself under watch, its row and what comes next.
func (r *roundsRun) one(ctx context.Context, order []round, i int) error {
	o := order[i]
	fmt.Fprintf(r.io.Err, "benchtop: round %d of %d: %s, %s\n", o.no, len(order), oneLine(o.arm.Name), o.name(r.file))
	if err := r.before(ctx, o.arm); err != nil {
		return err
	}
	if err := r.cool(ctx); err != nil {
		return err
	}
	dir, err := recording.Dir()
	if err != nil {
		return err
	}
	label := o.arm.Name
	if o.pass < 1 {
		label += "-warmup"
	}
	_, path, err := recording.NewPath(dir, sources.Now(), label)
	if err != nil {
		return err
	}
	screen, run, in, err := r.flags(o, label, path)
	if err != nil {
		return err
	}
	stdio := r.io
	if screen.headless {
		stdio.Out = r.io.Err // what is on stdout are rows and the comparison
	}
	if err := runCommand(ctx, stdio, screen, run, in, o.arm.Run, r.file.Assist); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return errors.New("stopped")
	}
	if o.pass < 1 {
		return nil
	}
	rows, err := rowsOf(ctx, r.io, []named{{o.arm.Name, path}})
	if err != nil {
		return err
	}
	r.rows = append(r.rows, rows...)
	return r.coach(order, i)
}

// before runs an arm's preparation to its end; what it prints goes to stderr.
func (r *roundsRun) before(ctx context.Context, a *roundsArm) error {
	if len(a.Before) == 0 {
		return nil
	}
	said, err := os.CreateTemp("", "benchtop-before") // no pipe: a server it leaves behind may hold it
	if err != nil {
		return fmt.Errorf("before %s: %w", a.Name, err)
	}
	defer func() { _, _ = said.Close(), os.Remove(said.Name()) }() // it was for the error below
	cmd := childOf(ctx, a.Before)
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Run(); err != nil {
		text, _ := os.ReadFile(said.Name()) // what it said is an extra
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		return fmt.Errorf("before %s: %s: %w (%s)", a.Name, a.Before[0], err, oneLine(lines[len(lines)-1]))
	}
	return nil
}

// cool waits until the GPUs are as cool as the file wants.
func (r *roundsRun) cool(ctx context.Context) error {
	if math.IsNaN(r.file.cool) {
		return nil
	}
	c := &checker{io: r.io, gpu: r.file.gpu, patience: r.file.wait}
	gpus, why := c.openGPU()
	if gpus != nil {
		defer func() { _ = gpus.Close() }() // only read
	}
	cooled, waited, err := c.waitCool(ctx, gpus, why, r.file.cool)
	if err == nil && !cooled {
		err = fmt.Errorf("the GPUs are not below %g °C after %s (raise cool_below or cool_wait)", r.file.cool, waited.Round(time.Second))
	}
	return err
}

// flags are those of `benchtop run` for one round.
func (r *roundsRun) flags(o round, label, path string) (*screenFlags, *runFlags, *sourceFlags, error) {
	var (
		screen screenFlags
		run    runFlags
		in     sourceFlags
	)
	s := pflag.NewFlagSet("watch", pflag.ContinueOnError)
	s.SetOutput(io.Discard)
	screen.add(s)
	run.add(s)
	in.add(s)
	if err := s.Parse(r.file.Watch); err != nil {
		return nil, nil, nil, usage("run file: watch: %w", err)
	}
	if s.NArg() > 0 {
		return nil, nil, nil, usage("run file: watch: %q is no flag", s.Arg(0))
	}
	if err := s.Set("run-file", r.file.run.path); err != nil {
		return nil, nil, nil, usage("run file: %w", err)
	}
	set, err := settleFlags(s, r.io)
	if err != nil {
		return nil, nil, nil, err
	}
	run.file = set.file
	screen.headless = screen.headless || r.headless || !terminal(r.io.Out)
	screen.exit, screen.summary = true, ""
	run.record, run.label, run.change = path, label, cmp.Or(o.arm.Change, run.change)
	for _, k := range slices.Sorted(maps.Keys(o.arm.Meta)) {
		run.meta = append(run.meta, k+"="+o.arm.Meta[k])
	}
	run.meta = append(run.meta, "pass="+fmt.Sprint(o.pass))
	run.title = fmt.Sprintf("%s, %s", o.arm.Name, o.name(r.file))
	run.coach, run.told = r.comes(o), r.told
	if err := screen.check(); err != nil {
		return nil, nil, nil, err
	}
	return &screen, &run, &in, nil
}

// comes names the round after this one, and what those before it say.
func (r *roundsRun) comes(o round) string {
	all := r.file.order()
	next := "the last one"
	if o.no < len(all) {
		n := all[o.no]
		next = fmt.Sprintf("next: %s, %s", n.arm.Name, n.name(r.file))
	}
	return join(next, r.standing())
}

// coach prints the round's row, what the rounds so far say, and what comes next.
func (r *roundsRun) coach(order []round, i int) error {
	rows := compare.Number(r.rows)
	var b bytes.Buffer
	page := report.RoundLine(rows[len(rows)-1:], len(rows) == 1)
	if err := page.WriteText(&b); err != nil {
		return err
	}
	if _, err := r.io.Out.Write(b.Bytes()); err != nil {
		return err
	}
	line := r.standing()
	if i+1 < len(order) {
		line = join("next: "+order[i+1].arm.Name+", "+order[i+1].name(r.file), line)
	}
	fmt.Fprintf(r.io.Err, "benchtop: %s\n", oneLine(line))
	return nil
}

// join puts what there is of two clauses together.
func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

// standing is what the rounds so far say of each arm against the first, and how
// many passes would let the exact test speak.
func (r *roundsRun) standing() string {
	res := compare.Compare(r.rows, compare.Options{By: compare.ByArm, Knob: r.file.Knob})
	var parts []string
	least := 0
	for i := range res.Pairs {
		p := &res.Pairs[i]
		text := p.B + " " + string(p.Verdict)
		for k := range p.Effects {
			e := &p.Effects[k]
			if e.ID != p.Headline {
				continue
			}
			if !math.IsNaN(e.Ratio) {
				text += fmt.Sprintf(" (%+.1f %%)", 100*e.Ratio)
			}
			least = max(least, e.MorePasses)
		}
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		return ""
	}
	out := "so far: " + strings.Join(parts, ", ")
	switch {
	case least == 1:
		out += "; one more pass would let the exact test speak"
	case least > 1:
		out += fmt.Sprintf("; %d more passes would let the exact test speak", least)
	case res.Pairs[0].Verdict == compare.TooFewRuns:
		out += "; " + res.Next
	}
	return out
}

// stopped tells which round ended the whole, after what there is was compared.
func (r *roundsRun) stopped(o round, err error) error {
	if len(r.rows) > 0 {
		if ferr := r.finish(); ferr != nil {
			fmt.Fprintf(r.io.Err, "benchtop: %s\n", oneLine(ferr.Error()))
		}
	}
	code := exitFailed
	if e := (*exitError)(nil); errors.As(err, &e) {
		code = e.code
	}
	return &exitError{code, fmt.Errorf("round %d (%s, %s): %w", o.no, o.arm.Name, o.name(r.file), err)}
}

// finish prints the comparison of all rounds.
func (r *roundsRun) finish() error {
	res := compare.Compare(r.rows, compare.Options{By: compare.ByArm, Knob: r.file.Knob})
	page := report.Comparison(&res)
	var b bytes.Buffer
	if err := page.WriteText(&b); err != nil {
		return &exitError{exitFailed, err}
	}
	if err := writeOut(r.io.Out, "", b.Bytes()); err != nil {
		return err
	}
	if r.out == "" {
		return gated(&res)
	}
	f := compareFlags{out: r.out}
	kind, err := f.kind()
	if err != nil {
		return err
	}
	err = f.write(r.io, kind, page, report.ComparisonHead(&res), report.RowCSV(res.Rows), struct {
		Schema string `json:"schema"`
		compare.Result
	}{"benchtop/compare/v1", res})
	if err == nil {
		err = gated(&res)
	}
	return err
}
