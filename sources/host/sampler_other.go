//go:build !linux

package host

import (
	"errors"
	"fmt"
	"runtime"

	"benchtop/model"
)

// ErrUnsupported says that this machine's readings are not to be had.
var ErrUnsupported = errors.New("host readings need Linux's procfs")

// Sampler reads this machine; there is none on this system.
type Sampler struct{}

// NewSampler fails: there is no procfs on this system.
func NewSampler(Options) (*Sampler, error) {
	return nil, fmt.Errorf("%w: no rows for the host on %s (give --host=exec:'ssh SERVER benchtop probe --json host' for a Linux server, or --host=off)", ErrUnsupported, runtime.GOOS)
}

// News has nothing to tell.
func (*Sampler) News() []model.Note { return nil }

// Read reads nothing.
func (*Sampler) Read(r *Reading) []Field {
	r.Clear()
	return nil
}
