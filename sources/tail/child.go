package tail

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// childGrace is how long a child may take from SIGTERM to its end; childRest
// how long the pipes are read on after its end while something it left behind
// holds them open and says nothing.
const (
	childGrace = 2 * time.Second
	childRest  = 250 * time.Millisecond
	childReap  = time.Second // from SIGKILL to its end; then it hangs in the kernel

	programGrace = 5 * time.Second        // a program's from SIGINT: it may write its report
	killAfter    = 2                      // signals: the second one is SIGKILL
	signalApart  = 300 * time.Millisecond // what comes within is one: timeout(1) and make send it twice
	waitedFor    = time.Second            // a program that takes longer to end is told of
)

// child is a running command.
type child struct {
	cmd     *exec.Cmd
	done    chan error       // its end, then closed
	signals <-chan os.Signal // to forward
	got     int              // signals sent to end it
	last    time.Time        // the latest of them
	tell    func(kind, text string)
}

// runChild runs the command until it or ctx ends.
func (t *tailer) runChild(ctx context.Context) error {
	c, out, errs, err := t.startChild()
	if err != nil {
		return err
	}
	defer func() { _, _ = out.f.Close(), errs.f.Close() }() // read only
	defer c.abandon()
	errs.last = &lastLine{}
	t.opened(Exec)
	r := t.newReader(out, errs)
	ended, err := c.read(ctx, r)
	switch {
	case err == nil && ctx.Err() == nil && len(t.o.Argv) == 0:
		return t.childEnded(*ended, errs.last.String())
	case ended == nil && (len(t.o.Argv) == 0 || !c.end(r, syscall.SIGINT, programGrace)):
		c.stop(r)
	}
	if len(t.o.Argv) > 0 && t.h.Exited != nil {
		t.h.Exited(c.state())
	}
	var q question
	switch {
	case errors.As(err, &q):
		t.event(EventEnded, fmt.Sprintf("%s asks and waits for an answer", t.o.Place))
		return fmt.Errorf("%s asks %q and waits for an answer (it has no terminal; %s)", t.o.Place, string(q), q.cure())
	case err != nil:
		return fmt.Errorf("%s: reading what it prints: %w", t.o.Place, err)
	}
	return nil
}

// startChild starts the command in a session of its own, without a terminal
// and with nothing to read, so that it can neither ask nor draw.
func (t *tailer) startChild() (c *child, out, errs *pipe, err error) {
	var files []*os.File
	defer func() {
		if err != nil {
			for _, f := range files {
				_ = f.Close() // nothing was written
			}
			err = fmt.Errorf("%s: %w", t.o.Place, err)
		}
	}()
	for range 2 {
		r, w, perr := os.Pipe()
		if perr != nil {
			return nil, nil, nil, perr
		}
		files = append(files, r, w)
	}
	if out, err = newPipe(files[0]); err != nil {
		return nil, nil, nil, err
	}
	if errs, err = newPipe(files[2]); err != nil {
		return nil, nil, nil, err
	}
	errs.id = Stderr
	if len(t.o.Argv) > 0 {
		out.room, errs.room = capacity(out.fd), capacity(errs.fd)
	}
	cmd := exec.Command("sh", "-c", t.o.Command) //nolint:gosec,noctx // the user's own command; ended by stop, as a group
	if a := t.o.Argv; len(a) > 0 {
		cmd = exec.Command(a[0], a[1:]...) //nolint:gosec,noctx // as above
		if in, ok := t.o.Stdin.(*os.File); ok && !isTerminal(in) {
			cmd.Stdin = in
		}
		cmd.Env = t.o.Env
	} else {
		// ssh asks in a window of its own where it has no terminal.
		cmd.Env = append(os.Environ(), "SSH_ASKPASS_REQUIRE=never")
	}
	cmd.Stdout, cmd.Stderr = files[1], files[3]
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err = cmd.Start(); err != nil {
		return nil, nil, nil, err
	}
	_, _ = files[1].Close(), files[3].Close() // the child has its own
	c = &child{cmd: cmd, done: make(chan error, 1), signals: t.o.Signals, tell: t.event}
	if t.h.Started != nil {
		t.h.Started(cmd.Process.Pid)
	}
	// Ends with the child, which stop kills.
	go func() { c.done <- cmd.Wait(); close(c.done) }()
	return c, out, errs, nil
}

// read reads until ctx ends (nil, nil) or the child has ended and everything
// it printed was read (its end).
func (c *child) read(ctx context.Context, r *reader) (ended *error, err error) {
	for {
		if ended == nil {
			select {
			case end := <-c.done:
				ended = &end
			default:
			}
		}
		c.forward()
		open, err := r.round()
		switch {
		case err != nil:
			return ended, err
		case ended == nil && r.waited >= askedAfter && r.question() != "":
			return nil, r.question()
		case ended != nil && (!open || r.waited >= childRest):
			if open {
				c.kill(syscall.SIGTERM) // what it left behind
				r.drain()
			}
			return ended, nil
		case ctx.Err() != nil:
			return nil, nil
		case !open:
			// It closed what it prints to and lives on.
			select {
			case end := <-c.done:
				return &end, nil
			case sig := <-c.signals:
				c.pass(sig)
			case <-ctx.Done():
				return nil, nil
			}
		}
	}
}

// forward passes on the signals that have come.
func (c *child) forward() {
	for {
		select {
		case sig := <-c.signals:
			c.pass(sig)
		default:
			return
		}
	}
}

func (c *child) pass(sig os.Signal) {
	s, ok := sig.(syscall.Signal)
	now := time.Now()
	again := c.got > 0 && now.Sub(c.last) < signalApart
	if !again {
		c.got++
		c.last = now
	}
	switch {
	case !ok || c.got >= killAfter:
		s = syscall.SIGKILL
		c.tell(EventAsked, "killed: it did not end when it was asked")
	case !again:
		c.tell(EventAsked, fmt.Sprintf("%s was passed on; the next one kills", s))
	}
	c.kill(s)
}

// stop ends the child and all it started, reading on meanwhile so that its
// last words get through.
func (c *child) stop(r *reader) {
	if !c.end(r, syscall.SIGTERM, childGrace) {
		c.kill(syscall.SIGKILL)
		r.drain()
	}
}

// end asks the child to end, reads on and reports whether it did within grace.
func (c *child) end(r *reader, sig syscall.Signal, grace time.Duration) bool {
	c.kill(sig)
	asked, told := time.Now(), false
	if c.got == 0 { // the next one that the user sends kills
		c.got, c.last = 1, asked
	}
	for deadline := asked.Add(grace); time.Now().Before(deadline); {
		if !told && time.Since(asked) >= waitedFor {
			told = true
			c.tell(EventAsked, fmt.Sprintf("asked to end (%s), still running; killed in %s, or by Ctrl-C at once", sig, (grace-waitedFor)+childGrace))
		}
		c.forward()
		open, err := r.round()
		if !open || err != nil {
			select {
			case <-c.done:
				return true
			case <-time.After(time.Until(deadline)):
			}
			break
		}
		select {
		case <-c.done:
			c.kill(syscall.SIGKILL) // what it left behind
			r.drain()
			return true
		default:
		}
	}
	return false
}

// state is how the child ended; nil if it hangs in the kernel.
func (c *child) state() *os.ProcessState {
	select {
	case <-c.done:
		return c.cmd.ProcessState
	case <-time.After(childReap):
		return nil
	}
}

// abandon makes sure that the child has ended when its reader returns, even by
// a panic. After an orderly end there is nothing left to do.
func (c *child) abandon() {
	select {
	case <-c.done:
		return
	default:
	}
	c.kill(syscall.SIGKILL)
	select {
	case <-c.done:
	case <-time.After(childReap):
	}
}

// kill signals the child's whole session group; if that has gone, nothing.
func (c *child) kill(sig syscall.Signal) { _ = syscall.Kill(-c.cmd.Process.Pid, sig) }

// childEnded says what the end of a command means.
func (t *tailer) childEnded(end error, said string) error {
	if end == nil && !t.o.Follow {
		return nil
	}
	what := "has ended"
	if end != nil {
		what = "has ended with " + end.Error()
	}
	t.event(EventEnded, fmt.Sprintf("%s %s", t.o.Place, what))
	if t.stats.Lines > lastWordsMost && !refused(said) {
		// It did its work for a while: its last line is one of the log's, which
		// may hold what users sent, and not a reason.
		return fmt.Errorf("%s %s after %d lines", t.o.Place, what, t.stats.Lines)
	}
	switch {
	case end == nil:
		return fmt.Errorf("%s %s (if it should go on, add its option to follow, such as -f)", t.o.Place, what)
	case said == "":
		return fmt.Errorf("%s %s (it runs without a terminal; try: %s </dev/null)", t.o.Place, what, t.o.Command)
	case strings.Contains(strings.ToLower(said), "host key verification"):
		return fmt.Errorf("%s %s: %s (it can't ask: it has no terminal; connect once by hand, so that the host is known)", t.o.Place, what, said)
	case asks(said):
		return fmt.Errorf("%s %s: %s (it can't ask: it has no terminal; use keys, an agent or sudo -n)", t.o.Place, what, said)
	}
	return fmt.Errorf("%s %s: %s (try: %s </dev/null)", t.o.Place, what, said, t.o.Command)
}

// refused reports whether its last words are those of a login that failed, which
// may follow a long banner.
func refused(said string) bool {
	return strings.HasPrefix(said, "sudo: ") || strings.HasPrefix(said, "Host key verification failed") || strings.Contains(said, ": Permission denied (")
}

// lastLineMax is how much of a command's last words is told, lastWordsMost how
// many lines it may have printed for its last one to be told at all.
const (
	lastLineMax   = 300
	lastWordsMost = 10
)

// lastLine keeps the last line of a stream that is not blank.
type lastLine struct {
	line []byte
	rest []byte // the line that has not ended yet
}

// note takes the next block; a nil receiver ignores it.
func (l *lastLine) note(block []byte) {
	if l == nil {
		return
	}
	// Only the last whole line before the rest matters, and the rest itself.
	i := bytes.LastIndexByte(block, '\n')
	if i < 0 {
		l.rest = clip(append(l.rest, block...))
		return
	}
	whole := bytes.TrimRight(append(l.rest, block[:i]...), " \t\r\n")
	if j := bytes.LastIndexByte(whole, '\n'); j >= 0 {
		whole = whole[j+1:]
	}
	if len(whole) > 0 {
		l.line = append(l.line[:0], clip(whole)...)
	}
	l.rest = append(l.rest[:0], clip(block[i+1:])...)
}

func clip(b []byte) []byte { return b[:min(len(b), lastLineMax)] }

// String is the last line, or what there is of it.
func (l *lastLine) String() string {
	if rest := bytes.TrimSpace(l.rest); len(rest) > 0 {
		return string(rest)
	}
	return string(bytes.TrimSpace(l.line))
}
