package recording

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"benchtop/model"
	"benchtop/sources"
)

// save writes data where a Replay can open it.
func save(t testing.TB, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run"+Ext)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// got is what came out of a replay, and when.
type got struct {
	items []item
	when  []time.Duration
	sizes []int // items of each batch
}

// play runs r to its end and returns what came out. steer, if not nil, is
// called with each batch.
func play(t testing.TB, ctx context.Context, r *Replay, steer func(b *model.Batch)) (g got) {
	t.Helper()
	ch := make(chan *model.Batch)
	done := make(chan struct{})
	began := time.Now()
	go func() {
		defer close(done)
		for b := range ch {
			g.items = items(g.items, b)
			for len(g.when) < len(g.items) {
				g.when = append(g.when, time.Since(began))
			}
			g.sizes = append(g.sizes, len(b.Events)+len(b.Notes))
			if steer != nil {
				steer(b)
			}
		}
	}()
	err := r.Run(ctx, sources.NewOutlet(ctx, ch, 1, sources.Block, nil))
	close(ch)
	<-done
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// seconds records n seconds of a stream, with a note now and then.
func seconds(t testing.TB, n int) (data []byte, want []item) {
	t.Helper()
	s := newStream(5, false)
	var batches []*model.Batch
	for i := range n {
		for j, b := range s.second() {
			if j == 4 {
				at := b.Events[0].Seen
				b.Notes = append(b.Notes, model.Note{At: at, Seen: at, Kind: model.NoteVerdict, Name: "queue_unbounded", Text: "|major|firm|x", Value: float64(i)})
			}
			batches = append(batches, b)
			want = items(want, b)
		}
	}
	return record(t, batches...), want
}

// A replay gives the recorded sequence, source ids and verdict notes included,
// and adds nothing.
func TestReplayIsTheRun(t *testing.T) {
	data, want := seconds(t, 5)
	g := play(t, t.Context(), NewReplay(save(t, data), sources.NewPacer(sources.Max)), nil)
	same(t, want, g.items)
}

// However the run was cut into batches when it was recorded, its replay is the
// same.
func TestReplayAtAnyBoundaries(t *testing.T) {
	s := newStream(6, true)
	var events []model.Event
	for range 3 {
		for _, b := range s.second() {
			events = append(events, b.Events...)
		}
	}
	want := items(nil, &model.Batch{Events: events})
	for seed := range uint64(5) {
		rng := rand.New(rand.NewPCG(seed, 9))
		var batches []*model.Batch
		for rest := events; len(rest) > 0; {
			n := min(len(rest), 1+rng.IntN(700))
			batches = append(batches, &model.Batch{Events: rest[:n]})
			rest = rest[n:]
		}
		g := play(t, t.Context(), NewReplay(save(t, record(t, batches...)), sources.NewPacer(sources.Max)), nil)
		same(t, want, g.items)
	}
}

// Time passes at the pacer's speed, and a tick is out before the pacer waits
// for it.
func TestReplayPace(t *testing.T) {
	data, want := seconds(t, 6)
	path := save(t, data)
	for _, tt := range []struct {
		name  string
		speed float64
	}{{"as it was", 1}, {"twice as fast", 2}, {"half as fast", 0.5}} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := play(t, t.Context(), NewReplay(path, sources.NewPacer(tt.speed)), nil)
				same(t, want, g.items)
				var first, before model.Instant
				for i, it := range g.items {
					if it.ev.Kind != model.Tick {
						continue
					}
					if first == 0 {
						first, before = it.ev.Seen, it.ev.Seen
					}
					due := time.Duration(float64(before-first) / tt.speed)
					if d := (g.when[i] - due).Abs(); d > time.Microsecond {
						t.Fatalf("tick %v: want it out at %v, got %v", it.ev.Seen.Sub(first), due, g.when[i])
					}
					before = it.ev.Seen
				}
			})
		})
	}
}

// Full speed never waits.
func TestReplayMaxNeverWaits(t *testing.T) {
	data, _ := seconds(t, 5)
	path := save(t, data)
	synctest.Test(t, func(t *testing.T) {
		g := play(t, t.Context(), NewReplay(path, sources.NewPacer(sources.Max)), nil)
		if last := g.when[len(g.when)-1]; last != 0 {
			t.Errorf("want no time to pass, got %v", last)
		}
	})
}

// seekOnce asks for a seek when the given tick comes out.
func seekOnce(p *sources.Pacer, at, to model.Instant) func(b *model.Batch) {
	asked := false
	return func(b *model.Batch) {
		for _, ev := range b.Events {
			if !asked && ev.Kind == model.Tick && ev.Seen >= at {
				asked = true
				p.Seek(to)
			}
		}
	}
}

// split parts items at the Reset of a seek.
func split(t testing.TB, all []item) (before, after []item, reset model.Event) {
	t.Helper()
	for i, it := range all {
		if it.ev.Kind == model.Reset {
			return all[:i], all[i+1:], it.ev
		}
	}
	t.Fatal("want a reset, got none")
	return nil, nil, reset
}

// onTheWay is what a replay gives of a recording that it feeds from a to b on
// its way to b: of the ticks only the first of each whole second, as late.
func onTheWay(all []item, a, b model.Instant) (rest []item) {
	var second model.Instant
	for _, it := range all {
		if it.ev.Kind == model.Tick {
			sec := it.ev.Seen.Floor(time.Second)
			first := sec > second
			second = max(second, sec)
			if it.ev.Seen >= a && it.ev.Seen < b {
				if !first {
					continue
				}
				it.ev.Late = true
			}
		}
		rest = append(rest, it)
	}
	return rest
}

func TestSeekBack(t *testing.T) {
	data, want := seconds(t, 6)
	path := save(t, data)
	synctest.Test(t, func(t *testing.T) {
		p := sources.NewPacer(1)
		to := t0.Add(2 * time.Second)
		g := play(t, t.Context(), NewReplay(path, p), seekOnce(p, t0.Add(4*time.Second), to))
		before, after, reset := split(t, g.items)
		same(t, want[:len(before)], before)
		if reset.At != to || reset.Seen != to || reset.Source != model.AllSources {
			t.Errorf("want a reset of all sources at the target, got %+v", reset)
		}
		same(t, onTheWay(want, 0, to), after)
		// 4 s played, and what was on the way; then from the target to the end.
		asked := g.when[len(before)]
		if (asked - 4*time.Second).Abs() > 300*time.Millisecond {
			t.Errorf("want the seek after about 4 s, got %v", asked)
		}
		if took, end := g.when[len(g.when)-1]-asked, want[len(want)-1].ev.Seen.Sub(to); (took - end).Abs() > 300*time.Millisecond {
			t.Errorf("want %v from the target to the end, got %v", end, took)
		}
	})
}

func TestSeekForward(t *testing.T) {
	data, want := seconds(t, 6)
	path := save(t, data)
	synctest.Test(t, func(t *testing.T) {
		p := sources.NewPacer(1)
		from, to := t0.Add(time.Second), t0.Add(4*time.Second)
		g := play(t, t.Context(), NewReplay(path, p), seekOnce(p, from, to))
		if missing := len(want) - len(g.items); missing < 22 || missing > 28 {
			t.Errorf("want about 27 ticks passed by, got %d", missing)
		}
		same(t, onTheWay(want, from.Add(50*time.Millisecond), to), g.items)
		// 0.8 s from the first tick to the seek, then 1.9 s to the last tick's wait.
		if last := g.when[len(g.when)-1]; (last - 2700*time.Millisecond).Abs() > 50*time.Millisecond {
			t.Errorf("want about 2.7 s in all, got %v", last)
		}
	})
}

// A target past the end shows the end.
func TestSeekPastTheEnd(t *testing.T) {
	data, want := seconds(t, 3)
	path := save(t, data)
	synctest.Test(t, func(t *testing.T) {
		p := sources.NewPacer(1)
		g := play(t, t.Context(), NewReplay(path, p), seekOnce(p, t0.Add(time.Second), t0.Add(time.Hour)))
		if g.items[len(g.items)-1] != want[len(want)-1] {
			t.Errorf("want the last tick at the end, got %+v", g.items[len(g.items)-1])
		}
	})
}

func TestStart(t *testing.T) {
	data, want := seconds(t, 4)
	r := NewReplay(save(t, data), sources.NewPacer(sources.Max))
	r.Start = t0.Add(3 * time.Second)
	g := play(t, t.Context(), r, nil)
	same(t, onTheWay(want, 0, r.Start), g.items)
}

// A deck stays at the end, paused, and goes back when asked.
func TestStay(t *testing.T) {
	data, want := seconds(t, 3)
	path := save(t, data)
	synctest.Test(t, func(t *testing.T) {
		p := sources.NewPacer(1)
		r := NewReplay(path, p)
		r.Stay = true
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		time.AfterFunc(time.Minute, func() {
			if !p.Paused() {
				t.Error("want the deck paused at the end")
			}
			p.Seek(t0.Add(time.Second))
		})
		time.AfterFunc(2*time.Minute, func() { p.Pause(false) })
		time.AfterFunc(3*time.Minute, cancel)
		g := play(t, ctx, r, nil)
		before, after, _ := split(t, g.items)
		same(t, want, before)
		same(t, onTheWay(want, 0, t0.Add(time.Second)), after)
	})
}

func TestReplayEndsWithItsContext(t *testing.T) {
	data, _ := seconds(t, 6)
	path := save(t, data)
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 2050*time.Millisecond)
		defer cancel()
		g := play(t, ctx, NewReplay(path, sources.NewPacer(1)), nil)
		if last := g.when[len(g.when)-1]; last > 3*time.Second || last < time.Second {
			t.Errorf("want it to end at about 2 s, got %v", last)
		}
	})
}

func TestSpan(t *testing.T) {
	data, all := few(t)
	r, err := readerOf(data)
	if err != nil {
		t.Fatal(err)
	}
	x, _, _ := r.survey()
	newest := func(block int) model.Instant { return all[block][len(all[block])-1].ev.Seen }
	for _, tt := range []struct {
		name string
		data []byte
		last model.Instant
	}{
		{"closed", data, newest(2)},
		{"without its trailer", data[:len(data)-3], newest(2)},
		{"cut in its last block", data[:x.entries[2].offset+50], newest(1)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if first, last := NewReplay(save(t, tt.data), sources.NewPacer(1)).Span(); first != t0 || last != tt.last {
				t.Errorf("want %d..%d, got %d..%d", t0, tt.last, first, last)
			}
		})
	}
	if first, last := NewReplay("missing.btr", sources.NewPacer(1)).Span(); first != 0 || last != 0 {
		t.Errorf("missing: want 0 0, got %d %d", first, last)
	}
}

// A reader that follows gets every block soon after it was closed, and ends
// when the writer closes the file.
func TestFollow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "live.btr")
	synctest.Test(t, func(t *testing.T) {
		w, err := Create(path, Header{ID: "live"})
		if err != nil {
			t.Fatal(err)
		}
		s := newStream(8, false)
		var want []item
		second := func() {
			for _, b := range s.second() {
				want = items(want, b)
				w.Write(b)
			}
		}
		second()
		second()
		go func() {
			for range 5 {
				time.Sleep(time.Second)
				second()
			}
			time.Sleep(time.Second)
			if err := w.Close(); err != nil {
				t.Error(err)
			}
		}()
		r := NewReplay(path, sources.NewPacer(sources.Max))
		r.Follow = true
		g := play(t, t.Context(), r, nil)
		same(t, want, g.items)
		for i, it := range g.items {
			// Second n is written at n−1 s (the first two at once), in a block that is
			// closed in the second after it at the latest.
			written := max(0, it.ev.Seen.Sub(t0)-2*time.Second)
			if it.note.Seen == 0 && g.when[i] > written+2*time.Second+200*time.Millisecond {
				t.Fatalf("item of %v: want it within 2.2 s of %v, got %v", it.ev.Seen.Sub(t0), written, g.when[i])
			}
		}
		if _, last := r.Span(); last != want[len(want)-1].ev.Seen {
			t.Errorf("want the span to grow to the end, got %v less", want[len(want)-1].ev.Seen.Sub(last))
		}
	})
}

// Who attaches late gets what was with late ticks, up to the newest one, and
// from there on sees time pass.
func TestAttach(t *testing.T) {
	path := filepath.Join(t.TempDir(), "live.btr")
	synctest.Test(t, func(t *testing.T) {
		w, err := Create(path, Header{ID: "live"})
		if err != nil {
			t.Fatal(err)
		}
		s := newStream(8, false)
		var want []item
		second := func() {
			for _, b := range s.second() {
				want = items(want, b)
				w.Write(b)
			}
		}
		for range 20 {
			second()
		}
		synctest.Wait()
		r := NewReplay(path, sources.NewPacer(1))
		r.Follow = true
		_, r.Start = r.Span()
		go func() {
			for range 5 {
				time.Sleep(time.Second)
				second()
			}
			if err := w.Close(); err != nil {
				t.Error(err)
			}
		}()
		g := play(t, t.Context(), r, nil)
		shown := 0
		for _, it := range g.items {
			if it.ev.Kind == model.Tick && !it.ev.Late && it.ev.Seen < r.Start {
				shown++
			}
		}
		if shown > 2 { // the next block's first may lie before the newest event, too
			t.Errorf("want no tick shown but the newest before the end of what was, got %d", shown)
		}
		sameEvents := func(all []item) (rest []item) {
			for _, it := range all {
				if it.ev.Kind != model.Tick {
					rest = append(rest, it)
				}
			}
			return rest
		}
		same(t, sameEvents(want), sameEvents(g.items))
		for i, it := range g.items {
			if late := g.when[i] - max(0, it.ev.Seen.Sub(r.Start)); it.ev.Kind == model.Tick && late > 2200*time.Millisecond {
				t.Fatalf("want the tick of %v within 2.2 s, it came %v late", it.ev.Seen.Sub(t0), late)
			}
		}
	})
}

// A writer that died is not waited for, and the run is told.
func TestFollowTheDead(t *testing.T) {
	data, _ := seconds(t, 3)
	path := save(t, data[:indexStart(data)])
	synctest.Test(t, func(t *testing.T) {
		r := NewReplay(path, sources.NewPacer(sources.Max))
		r.Follow = true
		g := play(t, t.Context(), r, nil)
		last := g.items[len(g.items)-1].note
		if last.Kind != model.NoteRun || last.Name != "recording" || !strings.HasPrefix(last.Text, "cut short") {
			t.Errorf("want a note that it is cut short, got %+v", last)
		}
	})
}

func TestReplayOfNothing(t *testing.T) {
	r := NewReplay(filepath.Join(t.TempDir(), "none.btr"), sources.NewPacer(1))
	ch := make(chan *model.Batch, 1)
	err := r.Run(t.Context(), sources.NewOutlet(t.Context(), ch, 1, sources.Block, nil))
	if err == nil || !strings.Contains(err.Error(), "none.btr: no such file") {
		t.Errorf("want the error of a missing file, got %v", err)
	}
}
