//go:build !linux

package host

import "runtime"

func look(string) (Scene, error) {
	return Scene{}, &unsupportedError{"looking around needs Linux's procfs, this is " + runtime.GOOS + " (give --log, --load, --metrics)"}
}

type unsupportedError struct{ text string }

func (e *unsupportedError) Error() string { return e.text }

// Unwrap makes it an ErrUnsupported.
func (e *unsupportedError) Unwrap() error { return ErrUnsupported }
