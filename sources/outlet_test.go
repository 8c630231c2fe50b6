package sources_test

import (
	"context"
	"math"
	"testing"

	"benchtop/model"
	"benchtop/sources"
)

const at = model.Instant(1_700_000_000_000_000_000)

func outlet(t *testing.T, size int, p sources.Policy) (*sources.Outlet, chan *model.Batch) {
	t.Helper()
	ch := make(chan *model.Batch, size)
	next := model.SourceID(7)
	return sources.NewOutlet(t.Context(), ch, 7, p, func() model.SourceID { next++; return next }), ch
}

func drain(ch chan *model.Batch) (evs []model.Event, notes []model.Note) {
	for {
		select {
		case b := <-ch:
			evs = append(evs, b.Events...)
			notes = append(notes, b.Notes...)
		default:
			return evs, notes
		}
	}
}

func TestOutletStampsAndFlushes(t *testing.T) {
	o, ch := outlet(t, 8, sources.Block)
	o.Emit(model.Event{Seen: at, Series: model.ServerRunning, Value: 3})
	o.Note(model.Note{Kind: model.NoteMark, Text: "hello"})
	o.Count(2, 1, 100, 0, 0)
	o.FlushAt(at)
	evs, notes := drain(ch)
	if len(evs) != 4 || evs[0].Source != 7 || evs[0].At != at {
		t.Fatalf("want the event and three counts stamped 7, got %+v", evs)
	}
	if len(notes) != 1 || notes[0].Source != 7 {
		t.Errorf("want one note stamped 7, got %+v", notes)
	}
	o.Flush()
	if evs, _ := drain(ch); len(evs) != 0 {
		t.Errorf("nothing new: want no batch, got %+v", evs)
	}
}

func TestForksShareOrderNotIDs(t *testing.T) {
	o, ch := outlet(t, 8, sources.Block)
	f := o.Fork()
	for i := range 10 {
		out := o
		if i%2 == 1 {
			out = f
		}
		out.Emit(model.Event{Seen: at, Value: float64(i)})
	}
	f.Flush()
	evs, _ := drain(ch)
	for i, e := range evs {
		want := model.SourceID(7)
		if i%2 == 1 {
			want = f.ID()
		}
		if e.Value != float64(i) || e.Source != want {
			t.Fatalf("event %d: want value %d of source %d, got %v of %d", i, i, want, e.Value, e.Source)
		}
	}
	if f.ID() == o.ID() || len(evs) != 10 {
		t.Errorf("want ten events of two sources, got %d, ids %d and %d", len(evs), o.ID(), f.ID())
	}
}

// TestDrainNeverWaits fills the engine's inbox and goes on emitting: amounts
// and the balance of begins and ends survive, observations are counted as shed.
func TestDrainNeverWaits(t *testing.T) {
	o, ch := outlet(t, 1, sources.Drain)
	const n = 50_000
	for i := range n {
		o.Emit(model.Event{Seen: at, Series: model.ServerFinished, Kind: model.Add, Value: 1})
		o.Emit(model.Event{Seen: at, Series: model.ServerRunning, Kind: model.Level, Value: float64(i)})
		o.Emit(model.Event{Seen: at, Series: model.ClientTTFT, Kind: model.Observe, Value: 0.1})
		if i%10 == 0 {
			o.Emit(model.Event{Seen: at, Series: model.ClientInFlight, Kind: model.Begin, Key: uint64(i)})
			o.Emit(model.Event{Seen: at, Series: model.ClientOK, Kind: model.End, Key: uint64(i)})
		}
	}
	sum, begins, ends, shed, observed := 0.0, 0, 0, 0.0, 0.0
	last := math.NaN()
	count := func() {
		evs, _ := drain(ch)
		for _, e := range evs {
			switch {
			case e.Series == model.ServerFinished:
				sum += e.Value
			case e.Series == model.ServerRunning:
				last = e.Value
			case e.Kind == model.Begin:
				begins++
			case e.Kind == model.End:
				ends++
			case e.Kind == model.Observe:
				observed++
			case e.Series == model.SourceDropped:
				shed += e.Value
			}
		}
	}
	for range 4 { // the inbox takes one batch at a time
		count()
		o.Flush()
	}
	count()
	if sum != n {
		t.Errorf("amounts: want %d in all, got %v", n, sum)
	}
	if last != n-1 {
		t.Errorf("level: want the newest, %d, got %v", n-1, last)
	}
	if begins != n/10 || ends != n/10 {
		t.Errorf("requests: want %d begins and ends, got %d and %d", n/10, begins, ends)
	}
	if observed+shed != n {
		t.Errorf("observations: want %d told or counted as shed, got %v + %v", n, observed, shed)
	}
}

func TestTooManyRequestsBecomeAGap(t *testing.T) {
	o, ch := outlet(t, 1, sources.Drain)
	o.Emit(model.Event{Seen: at})
	o.Flush() // fills the inbox
	for i := range 100_000 {
		o.Emit(model.Event{Seen: at, Series: model.ClientInFlight, Kind: model.Begin, Key: uint64(i)})
	}
	drain(ch)
	o.Flush()
	evs, _ := drain(ch)
	gaps := 0
	for _, e := range evs {
		if e.Kind == model.Gap && e.Series == model.ClientInFlight {
			gaps++
		}
	}
	if gaps == 0 || len(evs) > 80_000 {
		t.Errorf("want a gap and a bounded batch, got %d gaps in %d events", gaps, len(evs))
	}
}

func TestBlockLosesNothingWhenCancelled(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	ch := make(chan *model.Batch)
	o := sources.NewOutlet(ctx, ch, 1, sources.Block, nil)
	got := make(chan int)
	go func() {
		n := 0
		for b := range ch {
			n += len(b.Events)
		}
		got <- n
	}()
	stop() // the engine still reads
	for range 3000 {
		o.Emit(model.Event{Seen: at})
	}
	o.Flush()
	close(ch)
	if n := <-got; n != 3000 {
		t.Errorf("want 3000 events after cancelling, got %d", n)
	}
}
