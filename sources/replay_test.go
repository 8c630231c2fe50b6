package sources_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"benchtop/model"
	"benchtop/sources"
)

const second = model.Instant(time.Second)

// listed is a feed of instants, in seconds after at.
func listed(name string, secs ...float64) *sources.Feed {
	i := -1
	return &sources.Feed{
		Name: name, Kind: model.KindServerLog,
		Next: func() (model.Instant, bool, error) {
			i++
			if i >= len(secs) {
				return 0, false, nil
			}
			if secs[i] < 0 {
				return 0, false, errors.New("cut short")
			}
			return at + model.Instant(secs[i]*1e9), true, nil
		},
		Emit: func(out *sources.Outlet, seen model.Instant) {
			out.Emit(model.Event{Seen: seen, Series: model.ServerRunning, Value: secs[i]})
		},
	}
}

func play(t *testing.T, p *sources.Pacer, feeds func() []*sources.Feed, hook func(model.Event)) []model.Event {
	t.Helper()
	g := sources.NewGroup()
	m := &sources.Merge{Open: func() ([]*sources.Feed, error) { return feeds(), nil }, Pacer: p}
	g.Start(t.Context(), m, sources.Block, true)
	g.WhenFinite(func() { g.Wait(0) })
	var evs []model.Event
	for b := range g.Batches() {
		for _, e := range b.Events {
			evs = append(evs, e)
			if hook != nil {
				hook(e)
			}
		}
	}
	return evs
}

func TestMergeIsInTimeOrderWithTicks(t *testing.T) {
	evs := play(t, sources.NewPacer(0), func() []*sources.Feed {
		return []*sources.Feed{listed("a", 0, 2, 1.5, 4), listed("b", 1, 3)} // 1.5 stands after 2: the file's order holds
	}, nil)
	var values []float64
	last := model.Instant(0)
	ticks := 0
	for _, e := range evs {
		if e.Kind == model.Tick {
			if last != 0 && e.Seen-last != second/10 {
				t.Fatalf("want ticks 100 ms apart, got %v", (e.Seen - last).Seconds(0))
			}
			last = e.Seen
			ticks++
		}
		if e.Kind == model.Level {
			values = append(values, e.Value)
			if last != 0 && (e.Seen < last || e.Seen-last > second/10) {
				t.Errorf("event at %v stands after tick %v", e.Seen.Seconds(at), last.Seconds(at))
			}
		}
	}
	want := []float64{0, 1, 2, 1.5, 3, 4}
	if len(values) != len(want) {
		t.Fatalf("want %v, got %v", want, values)
	}
	for i := range want {
		if values[i] != want[i] {
			t.Fatalf("want %v, got %v", want, values)
		}
	}
	if ticks != 41 {
		t.Errorf("want 41 ticks, got %d", ticks)
	}
}

// TestMergeFailsAlone: a file that can't be read costs that file.
func TestMergeFailsAlone(t *testing.T) {
	for _, c := range []struct {
		name   string
		feeds  func() []*sources.Feed
		values int
		states map[model.SourceState]int
	}{
		{"at its start", func() []*sources.Feed { return []*sources.Feed{listed("bad", -1), listed("b", 1, 3)} }, 2, map[model.SourceState]int{model.Failed: 1, model.Running: 1, model.Ended: 2}},
		{"in the middle", func() []*sources.Feed { return []*sources.Feed{listed("bad", 1, 2, -1, 4), listed("b", 1, 3)} }, 4, map[model.SourceState]int{model.Failed: 1, model.Running: 2, model.Ended: 2}},
		{"all of them", func() []*sources.Feed { return []*sources.Feed{listed("bad", -1), listed("worse", -1)} }, 0, map[model.SourceState]int{model.Failed: 1}},
	} {
		values, states := 0, map[model.SourceState]int{}
		for _, e := range play(t, sources.NewPacer(0), c.feeds, nil) {
			switch e.Kind {
			case model.Level:
				values++
			case model.State:
				states[model.SourceState(e.Value)]++
			}
		}
		if values != c.values {
			t.Errorf("%s: want %d values, got %d", c.name, c.values, values)
		}
		for st, n := range c.states {
			if states[st] != n { // the merge itself ends or fails too
				t.Errorf("%s: want %d times %s, got %v", c.name, n, st, states)
			}
		}
	}
}

func TestMergeSkipsHoles(t *testing.T) {
	evs := play(t, sources.NewPacer(0), func() []*sources.Feed { return []*sources.Feed{listed("a", 0, 86400*30)} }, nil)
	if len(evs) > 100 {
		t.Errorf("want a month without data not to be ticked through, got %d events", len(evs))
	}
}

func TestPacerKeepsStepAndPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := sources.NewPacer(2)
		began := time.Now()
		time.AfterFunc(time.Second, func() { p.Pause(true) })
		time.AfterFunc(11*time.Second, func() { p.Pause(false) })
		play(t, p, func() []*sources.Feed { return []*sources.Feed{listed("a", 0, 10)} }, nil)
		// 10 s at double speed are 5 s, and 10 s stood still
		if d := time.Since(began); d < 14800*time.Millisecond || d > 15200*time.Millisecond {
			t.Errorf("want 15 s, got %v", d)
		}
		if p.Paused() {
			t.Error("want it running")
		}
	})
}

func TestSeekBackResetsAndRefeeds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := sources.NewPacer(1)
		time.AfterFunc(5*time.Second, func() { p.Seek(at + 2*second) })
		var values []float64
		resets, ticksBefore := 0, 0
		evs := play(t, p, func() []*sources.Feed { return []*sources.Feed{listed("a", 0, 1, 2, 3, 4, 5, 6, 7, 8)} }, nil)
		for _, e := range evs {
			switch e.Kind {
			case model.Reset:
				resets++
				values = nil
			case model.Level:
				values = append(values, e.Value)
			case model.Tick:
				if resets == 1 && e.Seen < at+2*second {
					ticksBefore++
				}
			}
		}
		if resets != 1 || len(values) != 9 || ticksBefore != 0 {
			t.Errorf("want one reset, all nine values again and no tick before the target; got %d, %v, %d", resets, values, ticksBefore)
		}
	})
}

func TestSeekForwardDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := sources.NewPacer(1)
		began := time.Now()
		time.AfterFunc(time.Second, func() { p.Seek(at + 100*second) })
		evs := play(t, p, func() []*sources.Feed { return []*sources.Feed{listed("a", 0, 50, 102)} }, nil)
		if d := time.Since(began); d < 2900*time.Millisecond || d > 3300*time.Millisecond {
			t.Errorf("want 1 s, a jump and 2 s, got %v", d)
		}
		n := 0
		for _, e := range evs {
			if e.Kind == model.Level {
				n++
			}
		}
		if n != 3 {
			t.Errorf("want all three values, got %d", n)
		}
	})
}

func TestPacerEndsWithContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := sources.NewPacer(1)
		ctx, stop := context.WithCancel(t.Context())
		if _, err := p.Wait(ctx, at); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Second, stop)
		if _, err := p.Wait(ctx, at+1000*second); !errors.Is(err, context.Canceled) {
			t.Errorf("want the context's end, got %v", err)
		}
	})
}
