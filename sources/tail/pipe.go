package tail

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"benchtop/sources"
)

// Times of reading pipes. A pipe is waited for in short pieces, so that ctx is
// seen soon whatever kind of file it is.
const (
	pipeWait   = 50 * time.Millisecond  // one piece
	pipeSettle = 5 * time.Millisecond   // quiet for so long: flush
	pipeFlush  = 100 * time.Millisecond // flush at least so often
	burstQuiet = 50 * time.Millisecond  // a wait of so long ends the first burst
	burstMax   = 10 * time.Second       // and so does this time since its first line
)

// lastRead bounds what is read once more after ctx has ended: as much as the
// largest pipe of an unprivileged process holds.
const lastRead = 1 << 20

// pipe is one open stream that can't be read at an offset.
type pipe struct {
	f     *os.File
	fd    int
	pos   int64
	split splitter
	ended bool
	last  *lastLine // remembers the last line; nil for none
	id    uint8     // which output of a command
	room  int       // how much it holds, if it must never be full; else 0
	store stored    // what was moved out of it and not yet taken
	raw   bool      // it is taken as it is, not as lines
}

func newPipe(f *os.File) (*pipe, error) {
	conn, err := f.SyscallConn()
	if err != nil {
		return nil, err
	}
	widen(f)
	p := &pipe{f: f}
	return p, conn.Control(func(fd uintptr) { p.fd = int(fd) })
}

// reader reads pipes in turn, in the goroutine of Run.
type reader struct {
	t       *tailer
	pipes   []*pipe
	buf     []byte
	fds     []int  // of those that have not ended; scratch
	ready   []bool // beside fds
	burst   burst
	waited  time.Duration // since bytes came last
	flushed time.Time
}

func (t *tailer) newReader(pipes ...*pipe) *reader {
	t.stats.Follower, t.stats.Lag = "pipe", -1
	return &reader{t: t, pipes: pipes, buf: make([]byte, blockSize), burst: burst{on: t.o.BurstIsHistory}, flushed: time.Now()}
}

// burst is the state of the rule by which a first burst is history.
type burst struct {
	on    bool
	since time.Time // of its first bytes
}

// mark is the mark of bytes that come now, after a wait.
func (b *burst) mark(now time.Time, waited time.Duration) mark {
	m := mark{seen: sources.InstantOf(now), history: -1}
	if !b.on {
		return m
	}
	if b.since.IsZero() {
		b.since = now
	} else if waited >= burstQuiet || now.Sub(b.since) >= burstMax {
		b.on = false
		return m
	}
	m.history = math.MaxInt64
	return m
}

// round waits at most pipeWait and reads what is there, one block a pipe. It
// returns whether a pipe is still open.
func (r *reader) round() (open bool, err error) {
	wait := pipeWait
	if r.t.dirty {
		wait = pipeSettle
	}
	began := time.Now()
	some, err := r.await(wait)
	if len(r.fds) == 0 {
		return false, nil
	}
	now := time.Now()
	r.waited += now.Sub(began)
	if err != nil {
		return false, err
	}
	if some {
		if err := r.take(now); err != nil {
			return false, err
		}
	}
	if !some || now.Sub(r.flushed) >= pipeFlush {
		r.flushed = now
		r.t.idle()
	}
	return true, nil
}

// take reads one block from every pipe that is ready.
func (r *reader) take(now time.Time) error {
	i := 0
	for _, p := range r.pipes {
		if p.ended {
			continue
		}
		i++
		if !r.ready[i-1] {
			continue
		}
		block, err := r.block(p)
		switch {
		case errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EINTR):
			continue
		case err != nil:
			return err
		case len(block) == 0:
			p.ended = true
			r.end(p, now)
			continue
		}
		m := r.burst.mark(now, r.waited)
		m.stream, r.waited = p.id, 0
		p.last.note(block)
		if block = r.resume(p, block); len(block) > 0 {
			p.raw = r.t.feed(&p.split, block, p.pos, m)
			p.pos += int64(len(block))
		}
		r.relieve(p)
	}
	return nil
}

// block is the next block of a pipe, from memory or else read; empty at its end.
func (r *reader) block(p *pipe) ([]byte, error) {
	if p.store.left() > 0 {
		return p.store.next(), nil
	}
	buf := r.buf
	if p.room > 0 {
		buf = buf[:takeBlock]
	}
	n, err := unix.Read(p.fd, buf)
	return buf[:max(n, 0)], err
}

// await waits until a pipe has something, at most for d: what is in memory is
// there.
func (r *reader) await(d time.Duration) (some bool, err error) {
	r.fds, r.ready = r.fds[:0], r.ready[:0]
	stored := false
	for _, p := range r.pipes {
		if !p.ended {
			r.fds, r.ready = append(r.fds, p.fd), append(r.ready, false)
			stored = stored || p.store.left() > 0
		}
	}
	if len(r.fds) == 0 {
		return false, nil
	}
	if stored {
		d = 0
	}
	if some, err = readable(r.fds, r.ready, d); err != nil || !stored {
		return some, err
	}
	i := 0
	for _, p := range r.pipes {
		if !p.ended {
			r.ready[i] = r.ready[i] || p.store.left() > 0
			i++
		}
	}
	return true, nil
}

// end delivers a last line without an end.
func (r *reader) end(p *pipe, now time.Time) {
	m := r.burst.mark(now, r.waited)
	m.stream = p.id
	r.t.last(&p.split, p.pos, m)
}

// drain reads what is there already and no more.
func (r *reader) drain() {
	most := int64(lastRead)
	for _, p := range r.pipes {
		most += int64(p.store.left())
	}
	for before := r.t.stats.Bytes; r.t.stats.Bytes-before < most; {
		had := r.t.stats.Bytes
		if some, err := r.await(0); err != nil || !some {
			return
		}
		if r.take(time.Now()) != nil || r.t.stats.Bytes == had {
			return
		}
	}
}

// readStdin reads standard input to its end.
func (t *tailer) readStdin(ctx context.Context) error {
	in := t.o.Stdin
	if in == nil {
		in = os.Stdin
	}
	f, ok := in.(*os.File)
	if !ok {
		return t.readPlain(ctx, in)
	}
	if isTerminal(f) {
		return sources.Final(errors.New("standard input is a terminal (pipe something into it: vegeta encode ... | benchtop --load -)"))
	}
	p, err := newPipe(f)
	if err != nil {
		return sources.Final(fmt.Errorf("read standard input: %w", err))
	}
	t.opened(Stdin)
	if err := t.readToEnd(ctx, t.newReader(p)); err != nil {
		return fmt.Errorf("read standard input: %w", err)
	}
	return nil
}

// readToEnd reads until the pipes end or ctx does.
func (t *tailer) readToEnd(ctx context.Context, r *reader) error {
	for {
		if ctx.Err() != nil {
			r.drain()
			return nil
		}
		if open, err := r.round(); err != nil || !open {
			return err
		}
	}
}

// readPlain reads what is no file of the system's.
func (t *tailer) readPlain(ctx context.Context, in io.Reader) error {
	t.opened(Stdin)
	r := t.newReader()
	p := &pipe{}
	for ctx.Err() == nil {
		t.idle()
		n, err := in.Read(r.buf)
		now := time.Now()
		t.feed(&p.split, r.buf[:n], p.pos, mark{seen: sources.InstantOf(now), history: -1})
		p.pos += int64(n)
		switch {
		case errors.Is(err, io.EOF):
			r.end(p, now)
			return nil
		case err != nil:
			return fmt.Errorf("read standard input: %w", err)
		}
	}
	return nil
}

// openPipe opens a FIFO or device without waiting for a writer.
func openPipe(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// inherited tells whether the path names a pipe of this process, whose writer
// can't come back once it has gone.
func inherited(path string) bool {
	return path == "/dev/stdin" || strings.HasPrefix(path, "/dev/fd/") || strings.HasPrefix(path, "/proc/self/fd/")
}

// readFIFO reads a named pipe. Its end is held open all the time, so a writer
// never waits for us; when the last one has gone, the next is waited for.
func (t *tailer) readFIFO(ctx context.Context, f *os.File) error {
	p, err := newPipe(f)
	if err != nil {
		_ = f.Close() // read only
		return t.explain(err)
	}
	defer func() { _ = p.f.Close() }() // read only
	if isTerminal(f) {
		return sources.Final(fmt.Errorf("follow %s: is a terminal (name a file, a pipe or exec:COMMAND)", t.o.Place))
	}
	t.opened(FIFO)
	r := t.newReader(p)
	once := !t.o.Follow || inherited(t.o.Place)
	gone := false
	for {
		if ctx.Err() != nil {
			r.drain()
			return nil
		}
		had := p.pos
		if _, err := r.round(); err != nil {
			return t.explain(err)
		}
		if gone && p.pos > had {
			gone = false
			t.event(EventBack, fmt.Sprintf("%s has a writer again", t.o.Place))
		}
		if !p.ended {
			continue
		}
		if once {
			t.event(EventEnded, fmt.Sprintf("%s has ended", t.o.Place))
			return nil
		}
		p.ended = false
		if !gone {
			gone = true
			r.waited = burstQuiet
			t.event(EventGone, fmt.Sprintf("%s has no writer any more; waiting for the next", t.o.Place))
		}
		t.idle()
		if err := t.renew(p); err != nil {
			return err
		}
		sleep(ctx, t.pollOr(pollEvery))
	}
}

// renew opens the FIFO anew if its path names another one now.
func (t *tailer) renew(p *pipe) error {
	ours, err := p.f.Stat()
	if err != nil {
		return t.explain(err)
	}
	fi, err := os.Stat(t.o.Place)
	if err != nil || os.SameFile(fi, ours) {
		return nil // a path that is missing for now may come back
	}
	if fi.Mode()&os.ModeNamedPipe == 0 {
		return fmt.Errorf("follow %s: is no pipe any more; opening it as what it is", t.o.Place)
	}
	f, err := openPipe(t.o.Place)
	if err != nil {
		return t.explain(err)
	}
	next, err := newPipe(f)
	if err != nil {
		_ = f.Close() // read only
		return t.explain(err)
	}
	_ = p.f.Close() // read only
	p.f, p.fd = next.f, next.fd
	t.event(EventReopened, fmt.Sprintf("%s was made anew; reading the new one", t.o.Place))
	return nil
}
