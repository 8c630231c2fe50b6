package sources

import (
	"context"
	"fmt"
)

// A Source emits until its input ends (nil), ctx ends (nil) or it fails
// (error: the Group restarts it, backing off; wrap the error with Final to be
// left alone). It must return soon after ctx ends, flush before it waits, and
// never close anything it did not open.
type Source interface {
	Name() string
	Run(ctx context.Context, out *Outlet) error
}

// Policy says what an outlet does when the engine lags.
type Policy uint8

// The policies, decided by what is being read.
const (
	Block  Policy = iota // regular file, replay, simulator: wait, lose nothing
	Drain                // pipe, socket, child: never wait, shed and count
	Latest               // poller: a missed poll is a gap
)

// StreamEnd is how a stream of a command ended: nil if it ended well, else an
// error in one line that says which, with the last that it said.
func StreamEnd(which string, end error, said string) error {
	switch {
	case end == nil:
		return nil
	case said != "":
		return fmt.Errorf("%s ended with %w: %s", which, end, said)
	}
	return fmt.Errorf("%s ended with %w", which, end)
}
