package tail

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"benchtop/model"
	"benchtop/sources"
)

// MaxLine is how many bytes of a line are kept; what lies beyond is read,
// counted and thrown away.
const MaxLine = 1 << 20

// DefaultHistory is how many of a followed file's last lines come first.
const DefaultHistory = 200

// blockSize is how much is read at once.
const blockSize = 256 << 10

// pollEvery is how often a file and its path are looked at. A file that grows
// by busyBytes between two looks is looked at every pollBusy, lest what is read
// at once grows large; a load stream, and one that has been quiet for
// quietAfter, every pollQuiet.
// All looks fall on multiples of these, so that all who follow files wake
// together: waking is what a quiet run costs.
const (
	pollBusy   = 20 * time.Millisecond
	pollEvery  = 50 * time.Millisecond
	pollQuiet  = 100 * time.Millisecond // as often as the screen looks
	quietAfter = time.Second
	busyBytes  = 64 << 10
)

// The kinds of events that a Handler hears. A kind is a stable word, the text
// beside it is one line for users.
const (
	EventWaiting   = "waiting"   // the path is not there yet
	EventTrouble   = "trouble"   // it can't be read at the moment; it is tried again
	EventOpened    = "opened"    // it is there, or readable again
	EventRotated   = "rotated"   // the path names another file now
	EventTruncated = "truncated" // the file was emptied, or emptied and refilled
	EventHandover  = "handover"  // the direct follower goes on for the library
	EventReopened  = "reopened"  // a FIFO was made anew and opened
	EventGone      = "gone"      // a FIFO has no writer any more
	EventBack      = "back"      // it has one again
	EventEnded     = "ended"     // the command or the input ended
	EventAsked     = "asked"     // the command was asked to end, or takes its time
)

// Options say what to read and how.
type Options struct {
	Spec
	FromStart bool // deliver all that a followed file holds, not its last lines
	History   int  // how many last lines; 0 is DefaultHistory, below 0 is none
	Follow    bool // false: read all there is once and return nil
	Direct    bool // never the library; for load streams
	// BurstIsHistory marks as history what a pipe or command prints before its
	// first wait of 50 ms after the first line, 10 s at most. For server logs.
	BurstIsHistory bool
	// Whole delivers the last line of a file though it has no end, when ctx ends:
	// its writer is known to have gone.
	Whole bool
	// Returns makes a carriage return end a line too, as progress bars are
	// drawn; what lies between two of them is left out if it is empty.
	Returns bool
	// Argv is a program that the run is about, instead of a shell's command: for
	// the place Exec. It gets Stdin if that is an *os.File and no terminal, its
	// end is no failure whatever its code, and when ctx ends it may take its time.
	Argv []string
	Env  []string // of such a program; nil is this process's own
	// Signals are forwarded to such a program and all it started, the second kills.
	Signals <-chan os.Signal
	// Backlog bounds what is held in memory of each output of such a program that
	// prints faster than it is taken; beyond it, lines are lost. 0 is 64 MiB.
	Backlog int
	// Stdin is read for the place "-"; nil is the process's own. A Reader that is
	// no *os.File can't be woken: cancelling takes effect at its next line.
	Stdin io.Reader
	Poll  time.Duration // how often to look at a file; 0 is 50 ms, 100 ms when quiet or Direct, 20 ms when busy
	Log   *slog.Logger  // nil is none
}

// Line is one line of text.
type Line struct {
	Text    []byte        // without its LF or CR LF; valid only during the call
	Seen    model.Instant // when its bytes were first seen
	Offset  int64         // where the next line begins: bytes into the file, or read from the pipe
	Cut     int           // bytes beyond MaxLine that were thrown away
	History bool          // it was there before we came: not live
	Partial bool          // its input ended, or was truncated, before its line end
	Stream  uint8         // which output of a command: Stdout or Stderr; else 0
}

// The outputs of a command.
const (
	Stdout uint8 = iota
	Stderr
)

// Stats are the totals of one Run so far.
type Stats struct {
	Bytes, Lines           int64
	Cuts, CutBytes         int64 // lines longer than MaxLine, and what they lost
	Rotations, Truncations int64
	Lag                    int64  // bytes written and not yet read; -1 where nobody can tell (pipes)
	Follower               string // "direct", "library" or "pipe"
}

// Handler takes what Run reads. All calls come from the goroutine that called
// Run. Line must be set, the others may be nil.
type Handler struct {
	Line  func(Line)
	Event func(kind, text string)
	Open  func(Kind)  // what the place turned out to be; once, before the first line
	Stats func(Stats) // just before Idle
	Idle  func()      // lines or events came and Run is about to wait: flush
	Quiet func()      // nothing came for a second; again each second
	// Raw is offered each block before it is cut into lines: base is its offset,
	// as of Line. It returns true if it takes it; then no line comes of it.
	Raw func(stream uint8, block []byte, base int64, seen model.Instant) bool
	// Lost tells that a program (Argv) printed more than could be taken: so many
	// line ends and bytes of an output were thrown away before the next line.
	Lost    func(stream uint8, lines int, bytes int64)
	Started func(pid int)          // a command runs
	Exited  func(*os.ProcessState) // a program (Argv) has ended and all it printed was read
}

// tailer is one Run.
type tailer struct {
	o     Options
	h     Handler
	log   *slog.Logger
	stats Stats
	dirty bool      // something was delivered since Idle
	quiet time.Time // when Idle or Quiet was called last
}

// Run reads until the input ends (nil), ctx ends (nil, after reading once more
// what is already there) or it fails. A failure that a restart can't cure, such
// as a directory, is sources.Final. A missing or unreadable path is none when
// following: it is waited for. A command that ends is a failure when following;
// without, only if its exit code says so.
func Run(ctx context.Context, o Options, h Handler) error {
	t := &tailer{o: o, h: h, log: o.Log}
	if t.log == nil {
		t.log = slog.New(slog.DiscardHandler)
	}
	defer t.idle()
	switch o.Kind {
	case Exec:
		return t.runChild(ctx)
	case Stdin:
		return t.readStdin(ctx)
	}
	return t.runPath(ctx)
}

// event tells the handler and the debug log.
func (t *tailer) event(kind, text string) {
	t.log.Debug("tail", "place", t.o.Place, "event", kind, "text", text)
	if t.h.Event != nil {
		t.h.Event(kind, text)
		t.dirty = true
	}
}

func (t *tailer) opened(k Kind) {
	if t.h.Open != nil {
		t.h.Open(k)
	}
}

// idle lets the handler flush, if there is anything to flush.
func (t *tailer) idle() {
	if !t.dirty {
		if t.h.Quiet != nil && time.Since(t.quiet) >= time.Second {
			t.quiet = time.Now()
			t.h.Quiet()
		}
		return
	}
	t.dirty, t.quiet = false, time.Now()
	if t.h.Stats != nil {
		t.h.Stats(t.stats)
	}
	if t.h.Idle != nil {
		t.h.Idle()
	}
}

// runPath opens the path and reads it as what it is.
func (t *tailer) runPath(ctx context.Context) error {
	said := ""
	absent := false
	for {
		fi, err := os.Stat(t.o.Place)
		if err == nil {
			err = t.readable(fi)
		}
		switch {
		case err == nil && fi.Mode().IsRegular():
			f, oerr := openRegular(t.o.Place)
			if oerr == nil {
				if said != "" {
					t.event(EventOpened, fmt.Sprintf("%s is there now", t.o.Place))
				}
				return t.readFile(ctx, f, absent)
			}
			err = oerr
		case err == nil:
			f, oerr := openPipe(t.o.Place)
			if oerr == nil {
				return t.readFIFO(ctx, f)
			}
			err = oerr
		}
		if !retriable(err) || !t.o.Follow {
			return sources.Final(t.explain(err))
		}
		kind, text := EventTrouble, t.explain(err).Error()+"; trying again"
		if absent = isAbsent(err); absent {
			kind, text = EventWaiting, fmt.Sprintf("waiting for %s to appear%s", t.o.Place, t.stray())
		}
		if said != text {
			said = text
			t.event(kind, text)
		}
		t.idle()
		if !sleep(ctx, t.nextLook(pollQuiet)) {
			return nil
		}
	}
}

// readable refuses what can never be read as lines.
func (t *tailer) readable(fi fs.FileInfo) error {
	switch m := fi.Mode(); {
	case m.IsDir():
		return errDirectory
	case m&fs.ModeSocket != 0:
		return errSocket
	case m&fs.ModeDevice != 0 && m&fs.ModeCharDevice == 0:
		return errDevice
	}
	return nil
}

// stray helps with an option name that is none.
func (t *tailer) stray() string {
	if m := strayPattern.FindString(t.o.Place); m != "" {
		return fmt.Sprintf(" (%q is taken as part of its name; the options are format, zone, year, start)", m)
	}
	return ""
}

func (t *tailer) pollOr(d time.Duration) time.Duration {
	if t.o.Poll > 0 {
		return t.o.Poll
	}
	return d
}

// nextLook is how long it is until the next look when there is one every d.
func (t *tailer) nextLook(d time.Duration) time.Duration {
	if t.o.Poll > 0 {
		return t.o.Poll
	}
	return sources.UntilNext(time.Now(), d)
}

// sleep waits for d; false says that ctx ended.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
