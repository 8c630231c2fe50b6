package cli

import (
	"errors"
	"fmt"

	"benchtop/model"
	"benchtop/sources"
)

// caught keeps a panic of the engine.
func (s *session) caught(err error) {
	var c *sources.Crash
	if errors.As(err, &c) {
		s.crash.Store(c)
	}
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
