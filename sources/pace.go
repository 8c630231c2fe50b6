package sources

import (
	"context"
	"math"
	"sync"
	"time"

	"benchtop/model"
)

// Max is the speed that never waits.
var Max = math.Inf(1)

// Pacer makes recorded or simulated time pass at a chosen speed. It is the
// replay deck: Pause, Speed and Seek may be called from any goroutine, Wait
// belongs to the source that plays.
type Pacer struct {
	mu     sync.Mutex
	speed  float64
	paused bool
	seek   model.Instant
	anchor model.Instant // recorded instant that was played at wall time from
	from   time.Time
	wake   chan struct{}
}

// NewPacer makes a pacer; a speed of Max (or anything not above 0) never waits.
func NewPacer(speed float64) *Pacer {
	if !(speed > 0) {
		speed = Max
	}
	return &Pacer{speed: speed, wake: make(chan struct{}, 1)}
}

func (p *Pacer) nudge() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// Pause stops or resumes the passing of time.
func (p *Pacer) Pause(on bool) {
	p.mu.Lock()
	p.paused, p.anchor = on, 0
	p.mu.Unlock()
	p.nudge()
}

// Paused reports whether time stands still.
func (p *Pacer) Paused() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.paused
}

// Speed sets how many recorded seconds pass in a second.
func (p *Pacer) Speed(x float64) {
	if !(x > 0) {
		x = Max
	}
	p.mu.Lock()
	p.speed, p.anchor = x, 0
	p.mu.Unlock()
	p.nudge()
}

// Rate is the speed now; Max if it never waits.
func (p *Pacer) Rate() float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.speed
}

// Seek asks the playing source to go to an instant.
func (p *Pacer) Seek(to model.Instant) {
	p.mu.Lock()
	p.seek, p.anchor = to, 0
	p.mu.Unlock()
	p.nudge()
}

// Wait returns when it is time for at. A non-zero seek asks the caller to go
// there instead (back: emit Reset and refeed without ticks; forward: feed
// without waiting). err is ctx's.
func (p *Pacer) Wait(ctx context.Context, at model.Instant) (seek model.Instant, err error) {
	for {
		p.mu.Lock()
		if p.seek != 0 {
			seek, p.seek = p.seek, 0
			p.mu.Unlock()
			return seek, nil
		}
		if p.anchor == 0 {
			p.anchor, p.from = at, time.Now()
		}
		d := time.Duration(-1)
		if !math.IsInf(p.speed, 1) {
			d = time.Duration(float64(at-p.anchor)/p.speed) - time.Since(p.from)
		}
		paused := p.paused
		p.mu.Unlock()
		if !paused && d <= 0 {
			return 0, ctx.Err()
		}
		if paused {
			d = time.Hour
		}
		t := time.NewTimer(d)
		select {
		case <-ctx.Done():
			t.Stop()
			return 0, ctx.Err()
		case <-p.wake:
		case <-t.C:
		}
		t.Stop()
	}
}
