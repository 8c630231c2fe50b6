package sources

import (
	"context"
	"time"

	"benchtop/model"
)

// TickEvery is the heartbeat's period: the screen's frame rate.
const TickEvery = 100 * time.Millisecond

// Heartbeat emits a Tick ten times a second. It is what makes time an event:
// the recorder stores it and a replay brings it back.
type Heartbeat struct{}

// Name implements Source.
func (Heartbeat) Name() string { return "heartbeat" }

// Run implements Source.
func (Heartbeat) Run(ctx context.Context, out *Outlet) error {
	t := time.NewTicker(TickEvery)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-t.C:
			out.Emit(model.Event{Seen: Now(), Kind: model.Tick})
			out.Flush()
		}
	}
}
