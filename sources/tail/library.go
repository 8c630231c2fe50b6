package tail

import (
	"context"
	"fmt"
	"time"

	"github.com/nxadm/tail"

	"benchtop/model"
	"benchtop/sources"
)

// The library is left when it would have to deliver more than rateLimit lines
// a second for rateFor: it takes about 11 us a line and drops what it has not
// read on a rotation.
const (
	rateLimit  = 5000
	rateFor    = 2 * time.Second
	rateWindow = 500 * time.Millisecond
)

// libraryStuck is how much may lie unread without a single line for a second
// before the direct follower takes over: the library keeps a line without an
// end in memory whatever its length.
const libraryStuck = 4 * MaxLine

// libraryMay tells whether this is a moment to lend the file: one stream, read
// to its end, slowly enough, at a place from which the library can go on.
func (fl *follower) libraryMay() bool {
	return !fl.direct && fl.rate.since.IsZero() && len(fl.streams) == 1 && fl.newest().split.length() < blockSize
}

// loan is one stretch of a file that the library reads.
type loan struct {
	fl     *follower
	s      *stream
	looked time.Time // when the path was looked at last
	moved  time.Time // when the last line came
	seen   arrivals
}

// library follows the newest stream with nxadm/tail until ctx ends, the path or
// the file changes, or it is no longer safe. On return the stream stands behind
// the last line that was delivered.
func (fl *follower) library(ctx context.Context) {
	s := fl.newest()
	s.pos -= s.split.length() // the library reads the unfinished line again
	fl.t.stats.Bytes -= s.split.length()
	s.split.reset()
	lib, err := openLibrary(s)
	if err != nil {
		fl.handover("could not open it: " + err.Error())
		return
	}
	defer stopLibrary(lib)
	fl.t.stats.Follower = "library"
	defer func() { fl.t.stats.Follower = "direct" }()
	tick := time.NewTimer(fl.t.nextLook(pollEvery))
	defer tick.Stop()
	now := time.Now()
	ln := &loan{fl: fl, s: s, looked: now, moved: now}
	ln.seen.add(s.size, sources.InstantOf(now))
	fl.t.idle()
	for {
		var line *tail.Line
		look := false
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			fl.t.idle()
			tick.Reset(fl.t.nextLook(fl.pace()))
			look = true
		case l, ok := <-lib.Lines:
			if !ok {
				fl.handover("the library closed it")
				return
			}
			line = l
		}
		now := time.Now()
		if !ln.safe(now, look) || line != nil && !ln.accept(line, now) {
			return
		}
	}
}

// openLibrary gives the library the open file, never its path: a failing stat
// of a path would end the program.
func openLibrary(s *stream) (*tail.Tail, error) {
	conn, err := s.f.SyscallConn()
	if err != nil {
		return nil, err
	}
	var fd uintptr
	if err := conn.Control(func(n uintptr) { fd = n }); err != nil {
		return nil, err
	}
	return tail.TailFile(fmt.Sprintf("/proc/self/fd/%d", fd), tail.Config{
		Location:      &tail.SeekInfo{Offset: s.pos},
		MustExist:     true,
		Poll:          true,
		Follow:        true,
		CompleteLines: true,
		MaxLineSize:   MaxLine,
		Logger:        tail.DiscardingLogger,
	})
}

// stopLibrary waits until the library has let go of the file. Its error says
// why it closed, which the handover has told already.
func stopLibrary(lib *tail.Tail) { _ = lib.Stop() }

// handover tells that the direct follower goes on, for good.
func (fl *follower) handover(why string) {
	fl.direct = true
	fl.t.event(EventHandover, fmt.Sprintf("%s: %s; the direct follower goes on at byte %d", fl.path, why, fl.newest().pos))
}

// safe looks at the path, if a look is due or lines have put it off. False ends
// the loan.
func (ln *loan) safe(now time.Time, due bool) bool {
	s, fl := ln.s, ln.fl
	if !due && now.Sub(ln.looked) < fl.t.pollOr(pollEvery) {
		return true
	}
	ln.looked = now
	changed, still := fl.changed()
	if still {
		return true
	}
	if changed || !s.intact(0) {
		return false // follow finds out what happened
	}
	fl.lag()
	ln.seen.add(s.size, sources.InstantOf(now))
	if fl.tooFast(now) {
		return false
	}
	// libraryMay keeps the library away until that line has ended.
	return s.size-s.pos < libraryStuck || now.Sub(ln.moved) < time.Second
}

// tooFast hands over when lines come faster than is safe.
func (fl *follower) tooFast(now time.Time) bool {
	s := fl.newest()
	if s.pos < s.history {
		fl.rate = rateMeter{at: now, lines: fl.t.stats.Lines} // what was there says nothing of a rate
		return false
	}
	if fl.direct || !fl.rate.over(now, fl.t.stats.Lines) {
		return false
	}
	fl.handover(fmt.Sprintf("more than %d lines a second", rateLimit))
	return true
}

// accept delivers one line of the library's. False ends the loan. The file is
// looked at for every line: one that the library took from the middle of a
// file that was truncated and has grown back would come twice.
func (ln *loan) accept(l *tail.Line, now time.Time) bool {
	s, t := ln.s, ln.fl.t
	end := l.SeekInfo.Offset
	switch {
	case l.Err != nil || end < s.pos:
		return false // it has started the file over by itself: look what happened
	case end == s.pos:
		return true // a further piece of a line longer than MaxLine
	case !s.intact(int(end - s.pos)):
		return false
	}
	ln.moved, ln.fl.active = now, now
	// Pieces of one line all carry the offset behind the whole of it.
	cut := max(0, int(end-s.pos)-1-len(l.Text))
	ln.fl.buf = append(ln.fl.buf[:0], l.Text...)
	t.stats.Bytes += end - s.pos
	s.pos = end
	ln.fl.lag()
	ln.fl.buf = append(ln.fl.buf, '\n')
	s.remember(ln.fl.buf)
	t.line(ln.fl.buf[:len(l.Text)], end, cut, false, mark{seen: ln.seen.of(end, sources.InstantOf(now)), history: s.history})
	ln.fl.buf = ln.fl.buf[:cap(ln.fl.buf)]
	return true
}

// rateMeter finds a rate above the limit that lasts.
type rateMeter struct {
	at    time.Time
	lines int64
	since time.Time // since when the rate has been above the limit
}

func (r *rateMeter) over(now time.Time, lines int64) bool {
	dt := now.Sub(r.at)
	if dt < rateWindow {
		return false
	}
	switch fast := float64(lines-r.lines) > rateLimit*dt.Seconds(); {
	case !fast:
		r.since = time.Time{}
	case r.since.IsZero():
		r.since = r.at
	}
	r.at, r.lines = now, lines
	return !r.since.IsZero() && now.Sub(r.since) >= rateFor
}

// arrivals remembers when the file was first seen to have which size. The
// library looks only every 250 ms, but a server's lines are placed by the time
// they arrived, so that time is taken from our own look.
type arrivals struct {
	list []arrival
}

type arrival struct {
	size int64
	at   model.Instant
}

// maxArrivals is a second of looks and more.
const maxArrivals = 64

func (a *arrivals) add(size int64, at model.Instant) {
	if n := len(a.list); n >= maxArrivals || n > 0 && size <= a.list[n-1].size {
		return
	}
	a.list = append(a.list, arrival{size, at})
}

// of is when a line that ends at this offset was first seen; now if it was
// read before we looked.
func (a *arrivals) of(end int64, now model.Instant) model.Instant {
	i := 0
	for i < len(a.list) && a.list[i].size < end {
		i++
	}
	// The newest stays, so that add knows the size that was seen last.
	drop := min(i, max(0, len(a.list)-1))
	a.list = append(a.list[:0], a.list[drop:]...)
	if i-drop < len(a.list) {
		return a.list[i-drop].at
	}
	return now
}
