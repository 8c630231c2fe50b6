package host

import (
	"syscall"
	"time"

	"benchtop/model"
)

// The most of one core that a costly part may take, as its share of time, and
// how seldom it may become for that.
const (
	restShare = 250
	maxRest   = 5 * time.Second
)

// pacer lets a costly part of a poll happen less often the longer it takes.
type pacer struct {
	next  model.Instant
	began time.Duration
}

// due reports whether the part may happen now; done must follow.
func (p *pacer) due(now model.Instant) bool {
	p.began = spent()
	return now >= p.next
}

// done notes that the part happened, and when it may again.
func (p *pacer) done(now model.Instant) {
	if took := spent() - p.began; took*restShare > time.Second {
		p.next = now.Add(min(took*restShare, maxRest) - 100*time.Millisecond)
	}
}

// spent is the processor time that this thread has used: a part that waits for
// a core on a busy machine costs nothing meanwhile. The caller holds its thread.
func spent() time.Duration {
	const thisThread = 1
	var u syscall.Rusage
	if err := syscall.Getrusage(thisThread, &u); err != nil {
		return 0 // then nothing seems to cost anything
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
