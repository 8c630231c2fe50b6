package gpu

import (
	"sync"
	"time"

	"benchtop/model"
)

// A shelf hands the newest reading of one GPU from the goroutine that measures
// it to the one that asks, however long the measuring takes.
type shelf struct {
	mu    sync.Mutex
	r     Reading
	fresh bool
	at    time.Time // when r came, or when we began to wait for the first
}

// newShelf is a shelf that holds nothing yet, and says so.
func newShelf(index int, now time.Time) *shelf {
	return &shelf{r: Reading{Index: index, Held: true, State: Stale, At: model.InstantOf(now)}, at: now}
}

// put leaves a reading.
func (s *shelf) put(r Reading, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.r, s.fresh, s.at = r, true, now
}

// take is the newest reading. One that was taken before is held, and stale when
// it is older than limit.
func (s *shelf) take(now time.Time, limit time.Duration) Reading {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.r
	if !s.fresh {
		r.Held = true
		if r.State == OK && now.Sub(s.at) > limit {
			r.State = Stale
		}
	}
	s.fresh = false
	return r
}
