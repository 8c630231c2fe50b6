package tail

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"benchtop/sources"
)

// grace is how long a file that was rotated away is still read after it has
// gone quiet: its writer keeps it until it is told to reopen.
const grace = 2 * time.Second

// maxStreams bounds the files held open while rotations pile up.
const maxStreams = 16

// follower reads the files that one path names, one after the other.
type follower struct {
	t       *tailer
	path    string
	streams []*stream // oldest first; the last is what the path names, or named last
	buf     []byte
	direct  bool      // the library is not used, or not any more
	said    string    // the trouble with the path that was told last, so that it is told once
	unread  bool      // trouble with reading was told
	active  time.Time // when bytes came last
	rate    rateMeter
	paced   int64 // bytes read at the last pause
	local   bool  // on a local file system, where a stat tells that nothing was written
}

// readFile reads a regular file: once, or from its last lines on for ever.
// fresh says that the file was not there when we came.
func (t *tailer) readFile(ctx context.Context, f *os.File, fresh bool) error {
	s, err := newStream(f)
	if err != nil {
		_ = f.Close() // read only
		return t.explain(err)
	}
	fl := &follower{t: t, path: t.o.Place, streams: []*stream{s}, buf: make([]byte, blockSize), active: time.Now()}
	defer fl.close()
	if !fresh {
		s.history = s.size
	}
	if t.o.Follow && !t.o.FromStart && !fresh {
		n := t.o.History
		if n == 0 {
			n = DefaultHistory
		}
		if s.pos, err = lastLines(f, s.size, n); err != nil {
			return t.explain(err)
		}
		s.recall()
	}
	t.stats.Follower = "direct"
	t.opened(File)
	if !t.o.Follow {
		return fl.once(ctx, s)
	}
	fl.local = localFile(f)
	// The library needs a file that is reachable through /proc, and where a stat
	// of an open file can't fail.
	fl.direct = t.o.Direct || !fl.local
	fl.follow(ctx)
	return nil
}

func (fl *follower) close() {
	for _, s := range fl.streams {
		s.close()
	}
}

// once reads to the end.
func (fl *follower) once(ctx context.Context, s *stream) error {
	for ctx.Err() == nil {
		n, err := s.f.ReadAt(fl.buf, s.pos)
		m := mark{seen: sources.Now(), history: s.history}
		fl.t.feed(&s.split, fl.buf[:n], s.pos, m)
		s.pos += int64(n)
		switch {
		case errors.Is(err, io.EOF):
			fl.t.last(&s.split, s.pos, m)
			return nil
		case err != nil:
			return fl.t.explain(err)
		}
	}
	return nil
}

// follow is the direct follower's loop; it lends the file to the library while
// that is safe.
func (fl *follower) follow(ctx context.Context) {
	fl.rate.at = time.Now()
	for ctx.Err() == nil {
		still := fl.watch()
		fl.tooFast(time.Now())
		if !still && fl.drain(ctx) {
			fl.t.idle() // due anyway: this takes as long as a poll
			continue
		}
		fl.retire()
		if fl.libraryMay() {
			fl.library(ctx)
			continue
		}
		fl.t.idle()
		sleep(ctx, fl.t.nextLook(fl.pace()))
	}
	fl.finish()
}

// pace is how long to wait between two looks, by what the last one found.
func (fl *follower) pace() time.Duration {
	read := fl.t.stats.Bytes - fl.paced
	fl.paced = fl.t.stats.Bytes
	switch {
	case read >= busyBytes:
		return pollBusy
	case fl.t.o.Direct || time.Since(fl.active) > quietAfter:
		return pollQuiet // a load stream tells the time itself
	}
	return pollEvery
}

// drain reads every stream to its end, oldest first. True says that it
// stopped early, because the path is due for a look or ctx ended.
func (fl *follower) drain(ctx context.Context) bool {
	began := time.Now()
	for _, s := range fl.streams {
		for again := true; again; {
			again = fl.step(s)
			if again && (ctx.Err() != nil || time.Since(began) > pollEvery) {
				return true
			}
		}
	}
	fl.lag()
	return false
}

// step reads one block. True says that there may be more at once.
func (fl *follower) step(s *stream) bool {
	n, err := s.f.ReadAt(fl.buf, s.pos)
	if err != nil && !errors.Is(err, io.EOF) {
		fl.broken(s, err)
		return false
	}
	if !s.intact(n) {
		fl.truncated(s)
		return true
	}
	if n == 0 {
		return false
	}
	fl.active, fl.unread, s.quiet = time.Now(), false, time.Time{}
	block := fl.buf[:n]
	fl.t.feed(&s.split, block, s.pos, mark{seen: sources.Now(), history: s.history})
	s.pos += int64(n)
	s.remember(block)
	fl.lag()
	return n == len(fl.buf)
}

// lag sums what is written and not yet read.
func (fl *follower) lag() {
	fl.t.stats.Lag = 0
	for _, s := range fl.streams {
		fl.t.stats.Lag += max(0, s.size-s.pos)
	}
}

// truncated starts the file over. What the writer's copy of it holds beyond
// our position is read first; lines written between copy and truncation are
// lost to everybody.
func (fl *follower) truncated(s *stream) {
	held := s.split.held()
	n := fl.readCopy(s)
	fl.t.last(&s.split, s.pos, mark{seen: sources.Now(), history: 0})
	s.restart()
	fl.t.stats.Truncations++
	text := fmt.Sprintf("%s was truncated; reading it from its beginning", fl.path)
	switch {
	case n > 0:
		text += fmt.Sprintf(" (%d bytes not yet read were found in its copy)", n)
	case held:
		text += " (its last line was not whole)"
	default:
		text += " (lines written just before may be lost)"
	}
	fl.t.event(EventTruncated, text)
}

// broken opens the path anew after a read error, as on a stale network handle.
// The position stays: intact finds out whether it still means anything.
func (fl *follower) broken(s *stream, cause error) {
	if !fl.unread {
		fl.unread = true
		fl.t.event(EventTrouble, fl.t.explain(cause).Error()+"; opening it again")
	}
	if s != fl.newest() {
		return
	}
	f, err := openRegular(fl.path)
	if err != nil {
		return
	}
	id, err := f.Stat()
	if err != nil {
		_ = f.Close() // read only
		return
	}
	s.close()
	s.f, s.id = f, id
}

// trouble tells what is wrong with the path, once until it changes.
func (fl *follower) trouble(text string) {
	if fl.said != text {
		fl.said = text
		fl.t.event(EventTrouble, text)
	}
}

// retire closes files that were rotated away and have said nothing for a while.
func (fl *follower) retire() {
	for len(fl.streams) > 1 {
		s := fl.streams[0]
		now := time.Now()
		if s.quiet.IsZero() {
			s.quiet = now
		}
		if now.Sub(s.quiet) < grace && len(fl.streams) < maxStreams {
			return
		}
		fl.t.last(&s.split, s.pos, mark{seen: sources.Now(), history: s.history})
		s.close()
		fl.streams = append(fl.streams[:0], fl.streams[1:]...)
	}
}

// finish reads once more what is there when ctx has ended, and no more: a fast
// writer must not keep us.
func (fl *follower) finish() {
	for _, s := range fl.streams {
		if !s.intact(0) {
			fl.truncated(s)
			s.intact(0)
		}
		for end := s.size; s.pos < end; {
			at := s.pos
			if !fl.step(s) || s.pos <= at {
				break
			}
		}
		if fl.t.o.Whole {
			fl.t.last(&s.split, s.pos, mark{seen: sources.Now(), history: s.history})
		}
	}
}

func (fl *follower) newest() *stream { return fl.streams[len(fl.streams)-1] }
