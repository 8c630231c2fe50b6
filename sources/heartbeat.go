package sources

import (
	"context"
	"fmt"
	"time"

	"benchtop/model"
)

// TickEvery is the heartbeat's period: the screen's frame rate.
const TickEvery = 100 * time.Millisecond

// tickAfter is how long after a multiple of TickEvery a tick comes. Files are
// looked at on the multiples: what is read then shall stand in the very next
// picture, not in the one after it, on a busy machine too.
const tickAfter = 15 * time.Millisecond

// Heartbeat emits a Tick ten times a second. It is what makes time an event:
// the recorder stores it and a replay brings it back.
type Heartbeat struct{}

// UntilNext is how long it is from now to the next multiple of every. Sources
// that look at something every so often wake at these, all at once: each
// wake-up of its own costs more than what is done in it.
func UntilNext(now time.Time, every time.Duration) time.Duration {
	return every - time.Duration(now.UnixNano()%int64(every))
}

// Name implements Source.
func (Heartbeat) Name() string { return "heartbeat" }

// Run implements Source. A run that ends before the first tick is due has one
// at its end: without any it would have no time at all.
func (Heartbeat) Run(ctx context.Context, out *Outlet) error {
	t := time.NewTimer(untilTick(time.Now()))
	defer t.Stop()
	var watch clockWatch
	for ticked := false; ; ticked = true {
		select {
		case <-ctx.Done():
			if !ticked {
				out.Emit(model.Event{Seen: Now(), Kind: model.Tick})
			}
			return nil
		case <-t.C:
			now := Now()
			if by := watch.look(model.InstantOf(time.Now()), now); by != 0 {
				out.Note(stepNote(now, by))
			}
			out.Emit(model.Event{Seen: now, Kind: model.Tick})
			out.Flush()
			t.Reset(untilTick(time.Now()))
		}
	}
}

// untilTick is how long it is to the next tick. One that came a little early
// has not yet to come; one that came late is not followed at once by the next.
func untilTick(now time.Time) time.Duration {
	d := UntilNext(now.Add(-tickAfter), TickEvery)
	if d < TickEvery/2 {
		d += TickEvery
	}
	return d
}

// stepNote marks the moment at which the wall clock was set.
func stepNote(now model.Instant, by time.Duration) model.Note {
	way := "forward"
	if by < 0 {
		way = "back"
	}
	return model.Note{
		At: now, Seen: now, Kind: model.NoteMark, Name: model.MarkClock, Value: 1,
		Text: fmt.Sprintf("this machine's clock was set %s by %s (or it slept); the run's own time goes on evenly", way, by.Abs().Round(100*time.Millisecond)),
	}
}
