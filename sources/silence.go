package sources

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// SilentAfter is how long a command that prints readings may print nothing
// before that is told: to connect and to start take seconds.
const SilentAfter = 15 * time.Second

// Silence words it: a connection that stands and brings nothing looks from here
// like one that was lost.
func Silence(which string, once bool) string {
	if once {
		return fmt.Sprintf("%s: nothing more for %s: stuck, or its connection is lost (ssh -o ServerAliveInterval=5 ends one that is)", which, SilentAfter)
	}
	return fmt.Sprintf("%s: nothing for %s: does the command print a line each second when you run it by hand?", which, SilentAfter)
}

// Heard is a stream that tells when nothing comes: a read that waits longer than
// limit calls silent, and waits on. It is called once until something comes
// again, from the goroutine that reads. A stream whose reads can't be given a
// deadline, such as a file, is returned as it is.
func Heard(in io.Reader, limit time.Duration, silent func()) io.Reader {
	timed, ok := in.(interface{ SetReadDeadline(time.Time) error })
	if !ok || timed.SetReadDeadline(time.Time{}) != nil {
		return in
	}
	return &heard{in: in, limit: limit, silent: silent, deadline: timed.SetReadDeadline}
}

type heard struct {
	in       io.Reader
	limit    time.Duration
	silent   func()
	deadline func(time.Time) error
	told     bool
}

// Read implements io.Reader.
func (h *heard) Read(b []byte) (int, error) {
	until := time.Time{} // told once: it may take as long as it likes
	if !h.told {
		until = time.Now().Add(h.limit)
	}
	for {
		if err := h.deadline(until); err != nil {
			return 0, err
		}
		n, err := h.in.Read(b)
		if n == 0 && errors.Is(err, os.ErrDeadlineExceeded) {
			h.told, until = true, time.Time{}
			h.silent()
			continue
		}
		if n > 0 {
			h.told = false
		}
		return n, err
	}
}
