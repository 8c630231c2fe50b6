//go:build !linux

package host

// Finder finds processes; there is nothing to find them by on this system.
type Finder struct{ port int }

// NewFinder makes a finder that finds nothing.
func NewFinder(o FinderOptions) *Finder { return &Finder{o.Port} }

// Find finds nothing.
func (f *Finder) Find() Parties { return Parties{Port: f.port} }
