package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"benchtop/model"
	"benchtop/sources"
	"benchtop/ui"
)

// caught keeps a panic of the engine.
func (s *session) caught(err error) {
	var c *sources.Crash
	if errors.As(err, &c) {
		s.crash.Store(c)
	}
}

// lostOne keeps the stack of the first source that broke, for when the terminal
// is the user's again.
func (s *session) lostOne(name string, value any, stack []byte) {
	s.lost.CompareAndSwap(nil, &sources.Crash{Name: name, Value: value, Stack: stack})
}

// showSafely is show, but for what breaks in it outside bubbletea's reach: the
// run is still brought to its end in order.
func (s *session) showSafely(ctx context.Context) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &ui.Broken{Value: r, Stack: debug.Stack()}
		}
	}()
	return s.show(ctx)
}

// salvage stands in for an engine that broke: it records what the sources still
// tell until they have ended, so that nobody waits for it and nothing that was
// read is lost.
func (s *session) salvage() {
	for b := range s.group.Batches() {
		if b == nil {
			return
		}
		if s.writer != nil {
			s.recordAlone(b)
		}
	}
}

// recordAlone outlives a recorder that is what broke.
func (s *session) recordAlone(b *model.Batch) {
	defer func() { _ = recover() }() // the first panic is the one that is told
	s.writer.Write(b)
}

// broke tells of a fault of our own: the stack, then one line with where the
// run is.
func (s *session) broke(err error, stack []byte) error {
	if len(stack) > 0 {
		fmt.Fprintf(s.io.Err, "%s\n", stack)
	}
	where := ""
	if s.writer != nil && s.writer.Stats().Err == nil {
		where = "; the run is in " + s.writer.Stats().Path
	}
	return &exitError{exitFailed, fmt.Errorf("%w (please report it with the lines above%s)", err, where)}
}

// caughtLast makes the one line and the exit code of a fault that nobody nearer
// caught: Go's own way out is the code of bad usage.
func caughtLast(stdio Stdio, code *int) {
	if r := recover(); r != nil {
		fmt.Fprintf(stdio.Err, "%s\nbenchtop: internal error: %s (please report it with the lines above)\n", debug.Stack(), oneLine(fmt.Sprint(r)))
		*code = exitFailed
	}
}
