//go:build !linux

package tail

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// readable waits until one of fds has bytes or has ended, at most for d, and
// marks which. It may return early with none.
func readable(fds []int, ready []bool, d time.Duration) (bool, error) {
	var set unix.FdSet
	top := 0
	for _, fd := range fds {
		if fd >= unix.FD_SETSIZE {
			return false, fmt.Errorf("too many open files to wait for file %d", fd)
		}
		set.Set(fd)
		top = max(top, fd)
	}
	limit := unix.NsecToTimeval(int64(d))
	n, err := unix.Select(top+1, &set, nil, nil, &limit)
	if errors.Is(err, unix.EINTR) {
		return false, nil
	}
	for i, fd := range fds {
		ready[i] = set.IsSet(fd)
	}
	return n > 0, err
}

func isTerminal(f *os.File) bool {
	conn, err := f.SyscallConn()
	if err != nil {
		return false
	}
	terminal := false
	err = conn.Control(func(fd uintptr) {
		_, terr := unix.IoctlGetTermios(int(fd), unix.TIOCGETA)
		terminal = terr == nil
	})
	return err == nil && terminal
}

func widen(*os.File) {}

// Elsewhere a pipe's room is not known, and nothing is thrown away.
func capacity(int) int { return 0 }

func pending(int) int { return 0 }
