package gpu

import (
	"sync"
	"time"

	"benchtop/sources"
)

// A shelf hands the newest reading of one GPU from the goroutine that measures
// it to the one that asks, however long the measuring takes.
type shelf struct {
	mu    sync.Mutex
	r     Reading
	taken bool
	whole time.Time // when the last whole reading came; before the first, when we began to wait
}

// newShelf is a shelf that holds nothing yet, and says so.
func newShelf(index int, now time.Time) *shelf {
	return &shelf{r: Reading{Index: index, Held: true, State: Stale, At: sources.InstantOf(now)}, taken: true, whole: now}
}

// put leaves a reading that has all there is to read.
func (s *shelf) put(r Reading, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.r, s.taken, s.whole = r, false, now
}

// putPart leaves what a poll that takes long has read so far.
func (s *shelf) putPart(r Reading) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.State = Stale
	s.r, s.taken = r, false
}

// take is the newest reading. One that was taken before is held, and stale when
// the last whole one is older than limit.
func (s *shelf) take(now time.Time, limit time.Duration) Reading {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.r
	if s.taken {
		r.Held = true
		r.Processes, r.Xids, r.Faults = nil, nil, nil // told before
	}
	if r.Held {
		r.Polled = sources.InstantOf(now)
	}
	if r.State == OK && now.Sub(s.whole) > limit {
		r.State = Stale
	}
	s.taken = true
	return r
}
