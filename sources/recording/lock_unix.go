//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package recording

import (
	"errors"
	"os"
	"syscall"
)

// lockFile marks f as being recorded to, for as long as it is open in this
// process: the kernel drops the lock of a process that was killed.
func lockFile(f *os.File) lockState { return flock(f, syscall.LOCK_EX) }

// probeLock finds out whether somebody records to f, without keeping a lock.
func probeLock(f *os.File) lockState {
	s := flock(f, syscall.LOCK_SH)
	if s == lockFree {
		_ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN) // closing f would do it too
	}
	return s
}

func flock(f *os.File, how int) lockState {
	for {
		err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		switch {
		case err == nil:
			return lockFree
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return lockTaken
		default: // a file system without locks
			return lockUnknown
		}
	}
}
