package sources

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"benchtop/model"
)

// finalError marks a failure that a restart can't cure.
type finalError struct{ err error }

func (e finalError) Error() string { return e.err.Error() }
func (e finalError) Unwrap() error { return e.err }

// Final wraps an error that the Group must not retry.
func Final(err error) error {
	if err == nil {
		return nil
	}
	return finalError{err}
}

// channelCap is the engine's inbox, in batches: about 2 s of a stream of
// 200,000 events a second.
const channelCap = 800

// Restart delays, doubled each time up to the cap, reset after a good minute.
const (
	backoffMin = 500 * time.Millisecond
	backoffMax = 30 * time.Second
)

// Group owns the sources' lifetimes and the batch channel: it starts each in a
// goroutine, restarts what fails, turns a panic into that source's failed
// state, and, only it, closes the channel when all have ended.
type Group struct {
	ch     chan *model.Batch
	wg     sync.WaitGroup
	finite sync.WaitGroup
	nextID atomic.Uint32
	mu     sync.Mutex
	alive  map[string]int
	// OnFail, if set, hears of a source that failed for good.
	OnFail func(source string, err error)
	// OnPanic, if set, hears the stack of a source that panicked.
	OnPanic func(source string, value any, stack []byte)
}

// NewGroup makes an empty group.
func NewGroup() *Group {
	g := &Group{ch: make(chan *model.Batch, channelCap), alive: make(map[string]int)}
	g.nextID.Store(1)
	return g
}

// NumberFrom makes the next source get this id. A replay takes one far above
// the recorded sources, whose ids it keeps.
func (g *Group) NumberFrom(id model.SourceID) { g.nextID.Store(uint32(id)) }

// Batches is the channel the engine reads. It is closed when every source has
// ended and Wait was called.
func (g *Group) Batches() <-chan *model.Batch { return g.ch }

func (g *Group) alloc() model.SourceID { return model.SourceID(g.nextID.Add(1) - 1) }

// Start runs s in a goroutine of its own until it ends. A source that is
// finite counts for FiniteDone.
func (g *Group) Start(ctx context.Context, s Source, p Policy, finite bool) {
	id := g.alloc()
	g.wg.Add(1)
	if finite {
		g.finite.Add(1)
	}
	g.mark(s.Name(), 1)
	go func() {
		defer g.wg.Done()
		defer g.mark(s.Name(), -1)
		if finite {
			defer g.finite.Done()
		}
		g.supervise(ctx, s, p, id)
	}()
}

func (g *Group) mark(name string, d int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.alive[name] += d
	if g.alive[name] <= 0 {
		delete(g.alive, name)
	}
}

// Laggards names the sources that have not ended yet.
func (g *Group) Laggards() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	var names []string
	for n := range g.alive {
		names = append(names, n)
	}
	return names
}

func (g *Group) supervise(ctx context.Context, s Source, p Policy, id model.SourceID) {
	wait := backoffMin
	out := NewOutlet(ctx, g.ch, id, p, g.alloc)
	for {
		began := time.Now()
		err := g.once(ctx, s, out)
		now := Now()
		switch {
		case err == nil || ctx.Err() != nil && errors.Is(err, ctx.Err()):
			if ctx.Err() == nil {
				out.State(now, model.Ended, "")
			}
			out.SetPolicy(Block)
			out.Flush()
			return
		case errors.As(err, new(finalError)) || ctx.Err() != nil:
			if g.OnFail != nil && ctx.Err() == nil {
				g.OnFail(s.Name(), err)
			}
			out.State(now, model.Failed, err.Error())
			out.SetPolicy(Block)
			out.Flush()
			return
		}
		if time.Since(began) > time.Minute {
			wait = backoffMin
		}
		out.State(now, model.Retrying, err.Error())
		out.Flush()
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		wait = min(2*wait, backoffMax)
	}
}

// once runs the source and turns a panic into a final error.
func (g *Group) once(ctx context.Context, s Source, out *Outlet) (err error) {
	defer func() {
		if r := recover(); r != nil {
			if g.OnPanic != nil {
				g.OnPanic(s.Name(), r, debug.Stack())
			}
			err = Final(fmt.Errorf("%s: internal error: %v (please report it with what stands on stderr at the end)", s.Name(), r))
		}
	}()
	return s.Run(ctx, out)
}

// WhenFinite calls f once every finite source has ended.
func (g *Group) WhenFinite(f func()) {
	go func() { g.finite.Wait(); f() }()
}

// Crash is a panic of a goroutine that was started with Spawn.
type Crash struct {
	Name  string
	Value any
	Stack []byte
}

func (c *Crash) Error() string { return fmt.Sprintf("%s: internal error: %v", c.Name, c.Value) }

// Spawn runs f in a goroutine of its own and calls done when it has ended: with
// a *Crash if it panicked, so that the caller can restore the terminal before
// anything is printed. It is for the engine; sources are started by a Group.
func Spawn(name string, f func(), done func(error)) {
	go func() {
		var err error
		defer func() {
			if r := recover(); r != nil {
				err = &Crash{name, r, debug.Stack()}
			}
			done(err)
		}()
		f()
	}()
}

// Wait closes the batch channel once every source has ended. It returns false
// if some had not within limit; those are left behind, the channel stays open
// for them, and a nil batch on it stands for the close.
func (g *Group) Wait(limit time.Duration) bool {
	done := make(chan struct{})
	go func() { g.wg.Wait(); close(g.ch); close(done) }()
	if limit <= 0 {
		<-done
		return true
	}
	select {
	case <-done:
		return true
	case <-time.After(limit):
	}
	select { // the channel can't be closed under a laggard: a nil batch says that this is the end
	case g.ch <- nil:
	case <-time.After(limit):
	}
	return false
}
