// Command benchtop watches an inference benchmark while it runs and says where
// the bottleneck is. Everything but the process itself (signals, exit code,
// standard streams) lives in the packages below; see `go doc ./...`.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"benchtop/ui/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT)
	hangup := make(chan os.Signal, 1) // ends the program too, unless it was told to keep going
	signal.Notify(hangup, syscall.SIGHUP)
	// Whoever read our output may leave: that is a write error, not the death of
	// a run that is being recorded. Caught, not ignored: children inherit what
	// is ignored.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	code := run(ctx, os.Args[1:], cli.Stdio{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Env: os.Environ(), Hangup: hangup})
	stop()
	os.Exit(code)
}

// run is the whole program as a function of its arguments and streams.
func run(ctx context.Context, args []string, stdio cli.Stdio) int {
	return cli.Main(ctx, args, stdio)
}
