package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime/debug"
	"strings"
	"syscall"

	"charm.land/fang/v2"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"benchtop/ui/report"
)

// Stdio are the process's streams and environment.
type Stdio struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer
	Env []string
	// Args is the command line, as far as it is kept with a run.
	Args []string
	// Hangup gets a value when the terminal hangs up; nil never.
	Hangup <-chan os.Signal

	line *line
}

// terminal reports whether a stream is one.
func terminal(v any) bool {
	f, ok := v.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// getenv reads the environment that was handed in.
func (s Stdio) getenv(name string) string {
	for i := len(s.Env) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(s.Env[i], name+"="); ok {
			return v
		}
	}
	return ""
}

// Exit codes (README "Exit codes").
const (
	exitDone     = 0
	exitFailed   = 1 // the job could not be done
	exitUsage    = 2 // bad usage or run file
	exitFinding  = 3 // a finding at or above --fail-on
	exitNoAnswer = 4 // --fail-on was asked for and there is not enough evidence
)

// exitError carries an exit code; err may be nil if there is nothing to say.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

func usage(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

// execute runs the command line. Only what prints help goes through fang: on
// an error it asks the terminal for its colours first, and one that does not
// answer is waited for, for seconds.
func execute(ctx context.Context, root *cobra.Command, args []string) error {
	root.Version = Version()
	if err := topic(root, args); err != nil {
		return err
	}
	for i, a := range args {
		if a == "--" {
			break
		}
		if a == "-h" || a == "--help" || i == 0 && (a == "help" || a == "completion") {
			return fang.Execute(ctx, root,
				fang.WithVersion(Version()),
				fang.WithoutManpage(), // see newMan
				fang.WithErrorHandler(func(io.Writer, fang.Styles, error) {}), // Main prints one line
			)
		}
	}
	return root.ExecuteContext(ctx)
}

// topic refuses help on what there is not, and completion for a shell there is
// not: cobra prints the whole help for both, as if that had been asked.
func topic(root *cobra.Command, args []string) error {
	if len(args) < 2 || strings.HasPrefix(args[1], "-") {
		return nil
	}
	switch args[0] {
	case "help":
		if c, _, err := root.Find(args[1:]); (err != nil || c == root) && args[1] != "completion" {
			return usage("help %q: no such command; see benchtop --help", args[1])
		}
	case "completion":
		switch args[1] {
		case "bash", "zsh", "fish", "powershell":
		default:
			return usage("completion %q: bash, zsh, fish or powershell", args[1])
		}
	}
	return nil
}

// Main runs one command line and returns the exit code.
func Main(ctx context.Context, args []string, stdio Stdio) (code int) {
	defer caughtLast(stdio, &code)
	stdio.Args = args
	ctx, stdio.line = watchLine(ctx, stdio.Hangup)
	defer stdio.line.close()
	root := newRoot(stdio)
	root.SetArgs(args)
	root.SetIn(stdio.In)
	root.SetOut(stdio.Out)
	root.SetErr(stdio.Err)
	err := execute(ctx, root, args)
	if err == nil {
		return exitDone
	}
	code = exitUsage // what cobra itself complains about is bad usage
	var e *exitError
	var file *fs.PathError
	switch {
	case errors.As(err, &e):
		code = e.code
		if e.err == nil {
			return code
		}
	case errors.As(err, &file): // a list that could not be printed
		code = exitFailed
		if errors.Is(err, syscall.EPIPE) { // whoever read it has seen enough
			return code
		}
	}
	fmt.Fprintln(stdio.Err, "benchtop: "+oneLine(err.Error()))
	return code
}

func oneLine(s string) string {
	return report.Clean(strings.Join(strings.Fields(strings.ReplaceAll(s, "\n", "; ")), " "))
}

// Version is the program's version as the build knows it.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "0.1.0-dev"
}

func newRoot(stdio Stdio) *cobra.Command {
	watch := newWatch(stdio)
	root := &cobra.Command{
		Use:   "benchtop",
		Short: "Watch an inference benchmark live and see where the bottleneck is",
		Long: `benchtop tails the server's log, polls the GPU and reads the load generator's
stream, all at once, on one time axis, and names one bottleneck with numbers.

Without a command it watches: benchtop --log server.log --load live.ndjson`,
		Args:          none,
		RunE:          watch.RunE,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.Flags().AddFlagSet(watch.Flags())
	root.AddCommand(watch, newRun(stdio), newDemo(stdio), newReplay(stdio), newProbe(stdio), newCheck(stdio), newVersion(stdio))
	root.AddCommand(newRuns(stdio), newAttach(stdio), newShot(stdio), newReport(stdio), newCompare(stdio), newBaseline(stdio), newRounds(stdio), newConfig(stdio), newMan(stdio))
	root.AddCommand(newLists(stdio)...)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usage("%w (see %s --help)", err, c.CommandPath())
	})
	return root
}

func newVersion(stdio Stdio) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: none,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(stdio.Out, "benchtop "+Version())
			return err
		},
	}
}
