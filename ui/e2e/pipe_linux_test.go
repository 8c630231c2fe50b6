package e2e_test

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// pipeSize is how many bytes a pipe holds before its writer waits.
func pipeSize(t *testing.T, w *os.File) (n int) {
	t.Helper()
	conn, err := w.SyscallConn()
	if err == nil {
		err = conn.Control(func(fd uintptr) { n, _ = unix.FcntlInt(fd, unix.F_GETPIPE_SZ, 0) })
	}
	if err != nil {
		t.Fatal(err)
	}
	return n
}
