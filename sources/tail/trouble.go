package tail

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

var (
	errDirectory = errors.New("is a directory (name a file in it)")
	errSocket    = errors.New("is a socket (use exec:COMMAND with a program that prints what it sends)")
	errDevice    = errors.New("is a block device, not a log")
	errNotFile   = errors.New("is no regular file any more")
)

// retriable tells whether waiting may cure err.
func retriable(err error) bool {
	return !errors.Is(err, errDirectory) && !errors.Is(err, errSocket) && !errors.Is(err, errDevice)
}

// isAbsent tells whether err says that the path does not exist.
func isAbsent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// explain makes one line of err: what, where and the next step.
func (t *tailer) explain(err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		err = pathError.Err
	}
	hint := ""
	switch {
	case isAbsent(err):
		hint = " (check the path)"
	case errors.Is(err, fs.ErrPermission):
		hint = " (give this user read access to it and its folder, or use exec:sudo -n tail -F FILE)"
	}
	return fmt.Errorf("follow %s: %w%s", t.o.Place, err, hint)
}

// openRegular opens a regular file. Non-blocking, because the path may have
// become a FIFO since it was looked at, and that open would wait for a writer.
func openRegular(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	fi, err := f.Stat()
	switch {
	case err == nil && fi.Mode().IsRegular():
		return f, nil
	case err == nil && fi.IsDir():
		err = errDirectory
	case err == nil:
		err = errNotFile
	}
	_ = f.Close() // read only
	return nil, err
}
