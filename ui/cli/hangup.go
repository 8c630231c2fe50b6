package cli

import (
	"context"
	"os"
	"sync/atomic"

	"benchtop/sources"
)

// line is the line to the user's terminal: it may be cut while a run goes on.
type line struct {
	stop   context.CancelFunc
	stayUp atomic.Bool // a hangup is not the end
	cut    atomic.Bool // it has hung up
}

// watchLine ends the context when the line is cut, unless the run was told to
// keep going.
func watchLine(ctx context.Context, hangup <-chan os.Signal) (context.Context, *line) {
	ctx, stop := context.WithCancel(ctx)
	l := &line{stop: stop}
	if hangup == nil {
		return ctx, l
	}
	sources.Spawn("hangup", func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-hangup:
				l.cut.Store(true)
				if !l.stayUp.Load() {
					stop()
				}
			}
		}
	}, func(error) {})
	return ctx, l
}

func (l *line) close() { l.stop() }

// carryOn runs show until it ends. With keep, a screen that ended because its
// line was cut is not the end of the run: then only ctx ends it.
func (l *line) carryOn(ctx context.Context, keep bool, show func(context.Context) error) error {
	if !keep {
		return show(ctx)
	}
	l.stayUp.Store(true)
	err := show(ctx)
	if err != nil || l.cut.Load() {
		<-ctx.Done()
		return nil
	}
	return nil
}
