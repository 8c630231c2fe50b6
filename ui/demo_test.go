package ui_test

import (
	"context"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"benchtop/model"
	"benchtop/ui"
)

// feed hands snapshots to the program as the engine does.
type feed struct {
	latest atomic.Pointer[model.Snapshot]
	wake   chan struct{}
}

func newFeed(s *model.Snapshot) *feed {
	f := &feed{wake: make(chan struct{}, 1)}
	f.latest.Store(s)
	return f
}

func (f *feed) Latest() *model.Snapshot  { return f.latest.Load() }
func (f *feed) Changed() <-chan struct{} { return f.wake }

func (f *feed) publish(s *model.Snapshot) {
	f.latest.Store(s)
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// With BENCHTOP_DEMO set, the test binary shows a moving scene on its terminal.
func TestDemo(t *testing.T) {
	if os.Getenv("BENCHTOP_DEMO") == "" {
		t.Skip("set BENCHTOP_DEMO=1 and run the test binary in a terminal to see a moving scene")
	}
	f := newFeed(busy())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for now := sceneNow; ctx.Err() == nil; now = now.Add(100 * time.Millisecond) {
			f.publish(busyAt(now))
			time.Sleep(80 * time.Millisecond)
		}
	}()
	if err := ui.Run(ctx, f, ui.Options{Zone: time.UTC, Theme: os.Getenv("BENCHTOP_THEME"), Mouse: true, Output: os.Stdout}); err != nil {
		t.Fatal(err)
	}
}
