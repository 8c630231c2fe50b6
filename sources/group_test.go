package sources_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"benchtop/model"
	"benchtop/sources"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// scripted runs one function a life.
type scripted struct {
	lives []func(ctx context.Context, out *sources.Outlet) error
	n     int
}

func (s *scripted) Name() string { return "scripted" }

func (s *scripted) Run(ctx context.Context, out *sources.Outlet) error {
	f := s.lives[min(s.n, len(s.lives)-1)]
	s.n++
	return f(ctx, out)
}

// heard reads a group to its end.
func heard(g *sources.Group) (states []model.SourceState, why []string, ticks int) {
	for b := range g.Batches() {
		for _, e := range b.Events {
			switch e.Kind {
			case model.State:
				states = append(states, model.SourceState(e.Value))
			case model.Tick:
				ticks++
			}
		}
		for _, n := range b.Notes {
			why = append(why, n.Text)
		}
	}
	return states, why, ticks
}

func TestGroupRestartsAndBacksOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := sources.NewGroup()
		fail := func(context.Context, *sources.Outlet) error { return errors.New("no luck") }
		s := &scripted{lives: []func(context.Context, *sources.Outlet) error{fail, fail, fail, func(context.Context, *sources.Outlet) error { return nil }}}
		began := time.Now()
		g.Start(t.Context(), s, sources.Block, true)
		g.WhenFinite(func() { g.Wait(0) })
		states, why, _ := heard(g)
		want := []model.SourceState{model.Retrying, model.Retrying, model.Retrying, model.Ended}
		if len(states) != len(want) || states[0] != want[0] || states[3] != want[3] {
			t.Errorf("want states %v, got %v", want, states)
		}
		if len(why) != 3 || why[0] != "no luck" {
			t.Errorf("want the reason three times, got %q", why)
		}
		if d := time.Since(began); d != 500*time.Millisecond+time.Second+2*time.Second {
			t.Errorf("want a doubling delay, 3.5 s in all, got %v", d)
		}
	})
}

func TestPanicCostsOneSource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := sources.NewGroup()
		stacks := 0
		g.OnPanic = func(string, any, []byte) { stacks++ }
		g.Start(t.Context(), &scripted{lives: []func(context.Context, *sources.Outlet) error{func(context.Context, *sources.Outlet) error { panic("boom") }}}, sources.Drain, true)
		ctx, stop := context.WithCancel(t.Context())
		g.Start(ctx, sources.Heartbeat{}, sources.Block, false)
		time.AfterFunc(time.Second, stop)
		g.WhenFinite(func() { g.Wait(0) })
		states, why, ticks := heard(g)
		if len(states) != 1 || states[0] != model.Failed || stacks != 1 {
			t.Errorf("want the one source failed with its stack, got %v, %d stacks", states, stacks)
		}
		if len(why) != 1 || !strings.Contains(why[0], "boom") {
			t.Errorf("want the panic's text, got %q", why)
		}
		if ticks < 9 {
			t.Errorf("want the other source to go on, got %d ticks", ticks)
		}
	})
}

func TestFinalErrorsAreNotRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := sources.NewGroup()
		s := &scripted{lives: []func(context.Context, *sources.Outlet) error{func(context.Context, *sources.Outlet) error {
			return sources.Final(errors.New("is a folder"))
		}}}
		g.Start(t.Context(), s, sources.Block, true)
		g.WhenFinite(func() { g.Wait(0) })
		states, _, _ := heard(g)
		if len(states) != 1 || states[0] != model.Failed || s.n != 1 {
			t.Errorf("want one try and failed, got %d tries, %v", s.n, states)
		}
		if sources.Final(nil) != nil {
			t.Error("want no error to stay none")
		}
	})
}

func TestLaggardsAreNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := sources.NewGroup()
		release := make(chan struct{})
		g.Start(t.Context(), &scripted{lives: []func(context.Context, *sources.Outlet) error{func(context.Context, *sources.Outlet) error {
			<-release
			return nil
		}}}, sources.Block, false)
		if g.Wait(2 * time.Second) {
			t.Error("want a laggard left behind")
		}
		if b, ok := <-g.Batches(); b != nil || !ok {
			t.Error("want a nil batch for the end")
		}
		if l := g.Laggards(); len(l) != 1 || l[0] != "scripted" {
			t.Errorf("want scripted named, got %v", l)
		}
		close(release)
		heard(g)
	})
}

func TestSpawnTellsPanics(t *testing.T) {
	done := make(chan error)
	sources.Spawn("engine", func() { panic("boom") }, func(err error) { done <- err })
	var c *sources.Crash
	if err := <-done; !errors.As(err, &c) || c.Name != "engine" || !strings.Contains(string(c.Stack), "TestSpawnTellsPanics") {
		t.Errorf("want a crash with its stack, got %v", err)
	}
	sources.Spawn("engine", func() {}, func(err error) { done <- err })
	if err := <-done; err != nil {
		t.Errorf("want no error, got %v", err)
	}
}

func TestMarkerTellsMarks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := sources.NewGroup()
		m := sources.NewMarker()
		ctx, stop := context.WithCancel(t.Context())
		g.Start(ctx, m, sources.Block, true)
		m.Mark(sources.Now(), "here")
		time.AfterFunc(time.Second, stop)
		g.WhenFinite(func() { g.Wait(0) })
		_, why, _ := heard(g)
		if len(why) != 1 || why[0] != "here" {
			t.Errorf("want the mark, got %q", why)
		}
	})
}
