// Command benchtop watches an inference benchmark while it runs and says where
// the bottleneck is. Everything but the process itself (signals, exit code,
// standard streams) lives in the packages below; see `go doc ./...`.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"benchtop/ui/cli"
)

// headroom is how far the heap may grow between two collections, in per cent of
// what lives. Memory beside an expensive run is dearer than the collector's
// time: half of Go's own default saves a tenth of a usual run's memory and a
// quarter of a large one's, and its time was not to be told from noise.
const headroom = 50

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(headroom)
	}
	abort, unabort := signal.NotifyContext(context.Background(), syscall.SIGABRT)
	ctx, stop := signal.NotifyContext(abort, os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT)
	hangup := make(chan os.Signal, 1) // ends the program too, unless it was told to keep going
	signal.Notify(hangup, syscall.SIGHUP)
	// Whoever read our output may leave: that is a write error, not the death of
	// a run that is being recorded. Caught, not ignored: children inherit what
	// is ignored.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	ended := make(chan struct{})
	go func() { // until the process ends
		<-abort.Done()
		unabort() // another one ends it at once
		select {
		case <-ended: // the terminal is as it was, the recording whole
		case <-time.After(abortGrace):
		}
		die()
	}()
	code := run(ctx, os.Args[1:], cli.Stdio{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Env: os.Environ(), Hangup: hangup})
	close(ended)
	stop()
	if abort.Err() != nil {
		select {} // it dies of that
	}
	os.Exit(code)
}

// abortGrace is how long an end in order may take after SIGABRT.
const abortGrace = 5 * time.Second

// die ends the process by SIGABRT, every goroutine's stack on stderr, as it
// does where nobody catches that signal.
func die() {
	debug.SetTraceback("crash")
	_ = syscall.Kill(os.Getpid(), syscall.SIGABRT)
	select {} // it takes a moment
}

// run is the whole program as a function of its arguments and streams.
func run(ctx context.Context, args []string, stdio cli.Stdio) int {
	return cli.Main(ctx, args, stdio)
}
