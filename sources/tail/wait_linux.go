package tail

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// readable waits until one of fds has bytes or has ended, at most for d, and
// marks which. It may return early with none.
func readable(fds []int, ready []bool, d time.Duration) (bool, error) {
	var list [2]unix.PollFd
	for i, fd := range fds {
		list[i] = unix.PollFd{Fd: int32(fd), Events: unix.POLLIN} //nolint:gosec // a file descriptor
	}
	n, err := unix.Poll(list[:len(fds)], int(d/time.Millisecond))
	if errors.Is(err, unix.EINTR) {
		return false, nil
	}
	for i := range fds {
		ready[i] = list[i].Revents != 0
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
		_, terr := unix.IoctlGetTermios(int(fd), unix.TCGETS)
		terminal = terr == nil
	})
	return err == nil && terminal
}

// pipeSize is what a pipe is made to hold where the system allows it: a reader
// that is late for a moment holds nobody up.
const pipeSize = 1 << 20

func widen(f *os.File) {
	conn, err := f.SyscallConn()
	if err == nil {
		_ = conn.Control(func(fd uintptr) {
			_, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeSize) // else it holds what it held
		})
	}
}

// capacity is how many bytes a pipe holds; 0 if that is not known.
func capacity(fd int) int {
	n, err := unix.FcntlInt(uintptr(fd), unix.F_GETPIPE_SZ, 0)
	if err != nil {
		return 0
	}
	return n
}

// pending is how many bytes stand in a pipe; 0 if that is not known.
func pending(fd int) int {
	n, err := unix.IoctlGetInt(fd, unix.TIOCINQ)
	if err != nil {
		return 0
	}
	return n
}
