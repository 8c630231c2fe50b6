package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// command is a child whose output is read: in a session of its own, without a
// terminal, so that one that wants a password fails instead of drawing over
// the screen.
type command struct {
	*os.File
	cmd *exec.Cmd
}

// startCommand runs an exec: place that prints readings.
func startCommand(ctx context.Context, text string) (io.ReadCloser, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("exec %s: %w", text, err)
	}
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", text)
	cmd.Stdout, cmd.Stderr = w, w
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 2 * time.Second
	err = cmd.Start()
	_ = w.Close() // the child has it
	if err != nil {
		_ = r.Close()
		return nil, fmt.Errorf("exec %s: %w", text, err)
	}
	return &command{r, cmd}, nil
}

// Close ends the child and tells how it ended.
func (c *command) Close() error {
	err := c.File.Close()
	_ = syscall.Kill(-c.cmd.Process.Pid, syscall.SIGTERM) // it may have ended by itself
	if werr := c.cmd.Wait(); err == nil {
		err = werr
	}
	return err
}
