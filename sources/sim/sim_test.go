package sim_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"benchtop/model"
	"benchtop/sources"
	"benchtop/sources/sim"
)

const start = model.Instant(1796047200 * 1e9) // 2026-11-30 14:00:00 UTC

// heard is all that came out of a source, in order.
type heard struct {
	events []model.Event
	notes  []model.Note
}

// listen runs a source to its end, in this goroutine but for the reader.
func listen(t testing.TB, ctx context.Context, s sources.Source, each func(*model.Batch)) heard {
	t.Helper()
	ch := make(chan *model.Batch)
	ids := model.SourceID(7)
	out := sources.NewOutlet(ctx, ch, ids, sources.Block, func() model.SourceID { ids++; return ids })
	var h heard
	done := make(chan struct{})
	go func() {
		defer close(done)
		for b := range ch {
			h.events = append(h.events, b.Events...)
			h.notes = append(h.notes, b.Notes...)
			if each != nil {
				each(b)
			}
			sources.Recycle(b)
		}
	}()
	if err := s.Run(ctx, out); err != nil {
		t.Errorf("%s: %v", s.Name(), err)
	}
	out.Flush()
	close(ch)
	<-done
	return h
}

func newSim(t testing.TB, name string, seed uint64, p *sources.Pacer) *sim.Sim {
	t.Helper()
	s, err := sim.New(name, seed, start+123_456_789, p)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (h *heard) ticks() (out []model.Instant) {
	for _, e := range h.events {
		if e.Kind == model.Tick {
			out = append(out, e.Seen)
		}
	}
	return out
}

func (h *heard) sum(id model.SeriesID) (n int) {
	for _, e := range h.events {
		if e.Series == id && e.Kind == model.End {
			n++
		}
	}
	return n
}

func TestEveryScenarioRunsFast(t *testing.T) {
	for _, sc := range sim.Scenarios() {
		t.Run(sc.Name, func(t *testing.T) {
			defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
			s := newSim(t, sc.Name, 11, nil)
			began := time.Now()
			h := listen(t, t.Context(), s, nil)
			if d := time.Since(began); d > 10*time.Second {
				t.Errorf("took %v", d)
			}
			ticks := h.ticks()
			if want := int(s.Params().Duration*10) + 1; len(ticks) != want || ticks[0] != start || ticks[want-1] != start.Add(time.Duration(s.Params().Duration*1e9)) {
				t.Errorf("want %d ticks from the start to the end, got %d", want, len(ticks))
			}
			if last := h.events[len(h.events)-1]; last.Kind != model.Tick {
				t.Errorf("want a tick at the end, got %+v", last)
			}
			var seen model.Instant
			running, ended := 0, 0
			for _, e := range h.events {
				if e.Kind == model.Tick && e.Seen < seen {
					t.Fatalf("a tick at %v s after something read at %v s", e.Seen.Seconds(start), seen.Seconds(start))
				}
				seen = max(seen, e.Seen)
				if e.Kind == model.State && e.Value == float64(model.Running) {
					running++
				}
				if e.Kind == model.State && e.Value == float64(model.Ended) {
					ended++
				}
			}
			want := 4
			for _, have := range []bool{s.Params().HaveClient, s.Params().HaveHost} {
				if !have {
					want--
				}
			}
			if running != want || ended != want {
				t.Errorf("want %d sources to run and to end, got %d and %d", want, running, ended)
			}
			for _, n := range h.notes {
				if n.Kind == model.NoteBadLine || n.Kind == model.NoteError {
					t.Errorf("note %+v", n)
				}
			}
			if truth := s.Truth(); s.Params().HaveClient && h.sum(model.ClientOK) != truth[len(truth)-1].OK {
				t.Errorf("want %d good ends, got %d", truth[len(truth)-1].OK, h.sum(model.ClientOK))
			}
		})
	}
}

func TestSameSeedSameEvents(t *testing.T) {
	a := listen(t, t.Context(), newSim(t, "tour", 3, nil), nil)
	b := listen(t, t.Context(), newSim(t, "tour", 3, sources.NewPacer(1e6)), nil)
	drop := func(e model.Event) bool { return e.Kind == model.Add } // counts are booked at a flush
	if !slices.Equal(slices.DeleteFunc(a.events, drop), slices.DeleteFunc(b.events, drop)) {
		t.Error("another speed gave other events")
	}
	if !slices.Equal(a.notes, b.notes) {
		t.Error("another speed gave other notes")
	}
	c := listen(t, t.Context(), newSim(t, "tour", 4, nil), nil)
	if slices.Equal(a.events, slices.DeleteFunc(c.events, drop)) {
		t.Error("another seed gave the same events")
	}
}

func TestMarksAtPhaseBorders(t *testing.T) {
	s := newSim(t, sim.Default, 1, nil)
	h := listen(t, t.Context(), s, nil)
	var got []float64
	for _, n := range h.notes {
		if n.Kind == model.NoteMark && n.Name == "run" {
			got = append(got, n.At.Seconds(start))
		}
	}
	var want []float64
	for _, ph := range s.Scenario().Phases {
		want = append(want, ph.At)
	}
	if !slices.Equal(want, got) {
		t.Errorf("want marks at %v s, got %v", want, got)
	}
}

func TestSpeedOneKeepsStepWithTheClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var late, early time.Duration
		listen(t, t.Context(), newSim(t, "short_run", 1, sources.NewPacer(1)), func(b *model.Batch) {
			for _, e := range b.Events {
				lag := time.Since(began) - e.Seen.Sub(start)
				late, early = max(late, lag), min(early, lag)
			}
		})
		if d := time.Since(began); d != 35*time.Second {
			t.Errorf("35 s of demo took %v", d)
		}
		if late > 200*time.Millisecond || early < 0 {
			t.Errorf("events came up to %v late and %v early", late, -early)
		}
	})
}

func TestSeek(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plain := listen(t, t.Context(), newSim(t, "short_run", 1, nil), nil)
		p := sources.NewPacer(1)
		began := time.Now()
		var forward, back bool
		h := listen(t, t.Context(), newSim(t, "short_run", 1, p), func(b *model.Batch) {
			now := b.Events[len(b.Events)-1].Seen
			if !forward && now >= start.Add(2*time.Second) {
				forward = true
				p.Seek(start.Add(30 * time.Second))
			}
			if !back && now >= start.Add(31*time.Second) {
				back = true
				p.Seek(start.Add(20 * time.Second))
			}
		})
		// 2 s, a jump to 30, 1 s, back to 20, and from there to the end.
		if d := time.Since(began).Round(time.Second); d != 18*time.Second {
			t.Errorf("want about 18 s, took %v", d)
		}
		i := slices.IndexFunc(h.events, func(e model.Event) bool { return e.Kind == model.Reset })
		if i < 0 {
			t.Fatal("no reset")
		}
		if h.events[i].At != start.Add(20*time.Second) {
			t.Errorf("reset to %v s", h.events[i].At.Seconds(start))
		}
		again := heard{events: h.events[i+1:]}
		if ticks := again.ticks(); ticks[0] != start.Add(20*time.Second) || len(ticks) != 151 {
			t.Errorf("after the reset: %d ticks from %v s", len(ticks), ticks[0].Seconds(start))
		}
		drop := func(e model.Event) bool { return e.Kind == model.Add || e.Kind == model.Tick }
		if !slices.Equal(slices.DeleteFunc(plain.events, drop), slices.DeleteFunc(again.events, drop)) {
			t.Error("the second run differs from a plain one")
		}
	})
}

func TestStopsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		h := listen(t, ctx, newSim(t, "saturated", 1, sources.NewPacer(1)), nil)
		if ticks := h.ticks(); len(ticks) < 29 || len(ticks) > 31 {
			t.Errorf("want about 30 ticks in 3 s, got %d", len(ticks))
		}
	})
}

func TestUnknownScenario(t *testing.T) {
	if _, err := sim.New("nothing", 1, start, nil); err == nil {
		t.Error("want an error")
	}
	if _, err := sim.Play(sim.Scenario{Name: "mine", Changes: "workers=-3"}, 1, start, nil); err == nil {
		t.Error("want an error for a parameter out of range")
	}
}

func BenchmarkSim(b *testing.B) {
	seconds := 0.0
	b.ReportAllocs()
	for b.Loop() {
		s := newSim(b, "saturated", 1, nil)
		listen(b, b.Context(), s, nil)
		seconds += s.Params().Duration
	}
	b.ReportMetric(seconds/b.Elapsed().Seconds(), "simulated-s/s")
}
