package gpu

import (
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"
)

// A watchdog runs jobs that may hang for good, such as a call into the driver,
// one at a time on a goroutine of its own. A job that hangs is abandoned, not
// waited for: nothing else runs behind it, and its goroutine and its thread are
// left to the end of the process.
type watchdog struct {
	busy  atomic.Bool
	fault atomic.Pointer[string]
}

// start runs job and returns a channel that closes when it is done, or nil if
// the job before it has not returned. The goroutine ends with the job.
func (w *watchdog) start(job func()) <-chan struct{} {
	if !w.busy.CompareAndSwap(false, true) {
		return nil
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer w.busy.Store(false)
		defer func() {
			if r := recover(); r != nil {
				s := fmt.Sprintf("internal error: %v (please report it): %s", r, debug.Stack())
				w.fault.Store(&s)
			}
		}()
		job()
	}()
	return done
}

// panicked is what the last job died of, "" if it did not.
func (w *watchdog) panicked() string {
	if s := w.fault.Swap(nil); s != nil {
		return *s
	}
	return ""
}

// waitAll waits for all the channels, nil ones excepted, but not past limit.
func waitAll(limit time.Duration, done ...<-chan struct{}) bool {
	t := time.NewTimer(limit)
	defer t.Stop()
	for _, d := range done {
		if d == nil {
			continue
		}
		select {
		case <-d:
		case <-t.C:
			return false
		}
	}
	return true
}
