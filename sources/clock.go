package sources

import (
	"time"

	"benchtop/model"
)

// started ties the wall clock to one that nobody sets: what the program reads
// as the time is where it began and how long it has run since. A clock that is
// stepped under a run, by whoever keeps it or after a suspend, would stretch
// the run or make it stand still.
var started = time.Now()

// InstantOf is a moment that time.Now gave in this process, as an instant of
// the run: even when the wall clock was set in between. A time from elsewhere
// is taken as it is.
func InstantOf(t time.Time) model.Instant {
	if t == t.Round(0) { // no reading of the steady clock: parsed, or of a test's own clock
		return model.InstantOf(t)
	}
	return model.InstantOf(started).Add(t.Sub(started))
}

// Now is the time of the run, see InstantOf. Sources are the only place that
// reads the clock; tests run them in a synctest bubble.
func Now() model.Instant { return InstantOf(time.Now()) }

// stepLeast is how far the wall clock must move at once to be told: less is a
// clock that is kept well.
const stepLeast = 500 * time.Millisecond

// clockWatch finds out when somebody sets the wall clock, or the machine was
// suspended, which sets it too.
type clockWatch struct {
	off time.Duration // of the wall clock against the run's, when it was last told
}

// look compares the wall clock with the run's and returns by how much it was
// set since the last look that said so; 0 if it was not.
func (c *clockWatch) look(wall, now model.Instant) time.Duration {
	off := wall.Sub(now)
	by := off - c.off
	if by.Abs() < stepLeast {
		return 0
	}
	c.off = off
	return by
}
