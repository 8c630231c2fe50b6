package sources_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"benchtop/model"
	"benchtop/sources"
)

// TestTicksFollowTheLooks checks that ticks come ten times a second, a little
// after the multiples of a tenth on which files are looked at, whenever the
// heartbeat was started.
func TestTicksFollowTheLooks(t *testing.T) {
	for _, after := range []time.Duration{0, 3 * time.Millisecond, 15 * time.Millisecond, 61 * time.Millisecond, 99 * time.Millisecond} {
		t.Run(after.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(after)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				g := sources.NewGroup()
				g.Start(ctx, sources.Heartbeat{}, sources.Block, true)
				g.WhenFinite(func() { g.Wait(0) })
				time.AfterFunc(3*time.Second, cancel)
				var at []time.Time
				for b := range g.Batches() {
					for _, e := range b.Events {
						if e.Kind == model.Tick {
							at = append(at, time.Now())
						}
					}
					sources.Recycle(b)
				}
				if len(at) < 29 || len(at) > 30 {
					t.Errorf("want 30 ticks in 3 s or the one at its end too few, got %d", len(at))
				}
				for i, now := range at {
					if late := now.Sub(now.Truncate(sources.TickEvery)); late <= 0 || late > sources.TickEvery/4 {
						t.Fatalf("tick %d: want it shortly after a multiple of %v, got it %v after", i, sources.TickEvery, late)
					}
					if i > 0 && now.Sub(at[i-1]) != sources.TickEvery {
						t.Errorf("tick %d: want %v after the one before, got %v", i, sources.TickEvery, now.Sub(at[i-1]))
					}
				}
			})
		})
	}
}
