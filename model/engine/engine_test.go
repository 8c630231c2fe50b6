package engine_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"benchtop/model"
	"benchtop/model/engine"
)

const (
	start  = model.Instant(1_700_000_000_000_000_000)
	second = model.Instant(time.Second)
)

func tick(at model.Instant) model.Event { return model.Event{At: at, Seen: at, Kind: model.Tick} }

func level(at model.Instant, v float64) model.Event {
	return model.Event{At: at, Seen: at, Series: model.ServerRunning, Source: 3, Value: v}
}

// run feeds batches and returns what the engine published last.
func run(o engine.Options, batches ...*model.Batch) *engine.Engine {
	ch := make(chan *model.Batch, len(batches))
	for _, b := range batches {
		ch <- b
	}
	close(ch)
	e := engine.New(o)
	e.Run(ch)
	return e
}

func TestFinalSnapshotHoldsEverything(t *testing.T) {
	var recorded, recycled int
	e := run(engine.Options{
		Record:  func(b *model.Batch) { recorded += len(b.Events) },
		Recycle: func(*model.Batch) { recycled++ },
	},
		&model.Batch{Events: []model.Event{level(start, 1), tick(start), level(start+second, 5)}},
		&model.Batch{Events: []model.Event{tick(start + second), level(start+second+1, 7)}}, // after the last tick
	)
	s := e.Latest()
	if !s.Final || s.Now != start+second {
		t.Errorf("want a final snapshot of the last tick, got final %v at %v", s.Final, s.Now.Seconds(start))
	}
	if tr := s.Whole(model.ServerRunning); tr == nil || tr.Last != 7 || tr.N != 3 {
		t.Errorf("want all three values, got %+v", tr)
	}
	if recorded != 5 || recycled != 2 {
		t.Errorf("want 5 events recorded and 2 batches given back, got %d and %d", recorded, recycled)
	}
}

func TestSnapshotsAreMadeOnlyForReaders(t *testing.T) {
	ch := make(chan *model.Batch)
	e := engine.New(engine.Options{})
	done := make(chan struct{})
	go func() { e.Run(ch); close(done) }()
	<-e.Changed() // the empty one
	for i := range 50 {
		ch <- &model.Batch{Events: []model.Event{tick(start + model.Instant(i)*second/10)}}
	}
	ch <- &model.Batch{} // the fifty are applied
	seq := e.Latest().Seq
	if seq > 3 {
		t.Errorf("nobody read: want one snapshot, got sequence %d", seq)
	}
	<-e.Changed()
	ch <- &model.Batch{Events: []model.Event{tick(start + 6*second)}}
	<-e.Changed()
	if now := e.Latest().Now; now != start+6*second {
		t.Errorf("a reader: want the newest, got %v", now.Seconds(start))
	}
	close(ch)
	<-done
}

// A reader that always looks gets a snapshot for each multiple of Every and for
// each judged second, and the final one.
func TestSnapshotsComeNoMoreOftenThanAsked(t *testing.T) {
	for _, c := range []struct {
		name  string
		every time.Duration
		want  []int // tenths of a second
	}{
		{"each tick", 0, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}},
		{"five a second", 200 * time.Millisecond, []int{0, 2, 4, 6, 8, 10, 12}},
		{"one a minute, and seconds", time.Minute, []int{0, 10}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ch := make(chan *model.Batch)
			e := engine.New(engine.Options{Every: c.every})
			<-e.Changed() // the empty one
			done := make(chan struct{})
			go func() { e.Run(ch); close(done) }()
			var got []int
			seen := e.Latest().Seq
			for i := range 13 {
				ch <- &model.Batch{Events: []model.Event{tick(start + model.Instant(i)*second/10)}}
				ch <- &model.Batch{} // taken once the tick was
				if s := e.Latest(); s.Seq != seen {
					<-e.Changed()
					seen = s.Seq
					got = append(got, int((s.Now-start)/(second/10)))
				}
			}
			close(ch)
			<-done
			if !slices.Equal(got, c.want) {
				t.Errorf("want snapshots at %v, got %v", c.want, got)
			}
			if s := e.Latest(); !s.Final || s.Now != start+12*second/10 {
				t.Errorf("want a final snapshot of the last tick, got final %v at %v", s.Final, s.Now.Seconds(start))
			}
		})
	}
}

func TestSeekStartsOver(t *testing.T) {
	preset := []model.Note{{Kind: model.NoteConfig, Name: "max_batch", Value: 32, Text: "--max-batch (declared)"}}
	e := run(engine.Options{Preset: preset},
		&model.Batch{
			Notes:  []model.Note{{Source: 3, Kind: model.NoteSource, Name: "log", Value: float64(model.KindServerLog)}},
			Events: []model.Event{level(start, 1), level(start+second, 2), tick(start + 2*second)},
		},
		&model.Batch{Events: []model.Event{{At: start, Seen: start, Kind: model.Reset, Source: model.AllSources}}},
		&model.Batch{Events: []model.Event{level(start, 9), tick(start + second)}},
	)
	s := e.Latest()
	if tr := s.Whole(model.ServerRunning); tr == nil || tr.N != 1 || tr.Last != 9 {
		t.Errorf("after a seek: want one value, got %+v", tr)
	}
	if v := s.Run.Configured("max_batch"); v != 32 {
		t.Errorf("want what the user declared kept, got %v", v)
	}
	if s.Now != start+second {
		t.Errorf("want time to have gone back, got %v", s.Now.Seconds(start))
	}
}

// TestBatchBordersDoNotMatter cuts one stream in different places.
func TestBatchBordersDoNotMatter(t *testing.T) {
	var all []model.Event
	for i := range 900 {
		at := start + model.Instant(i)*second/10
		key := uint64(i)
		all = append(all,
			model.Event{At: at, Seen: at, Kind: model.Begin, Series: model.ClientInFlight, Key: key, Source: 4},
			model.Event{At: at + second/20, Seen: at + second/20, Kind: model.End, Series: model.ClientOK, Key: key, Value: 0.05, Source: 4},
			level(at, float64(i%7)),
			tick(at+second/10))
	}
	var first *model.Snapshot
	var verdicts []model.VerdictChange
	for _, size := range []int{1, 3, 512, 5000} {
		var bs []*model.Batch
		for i := 0; i < len(all); i += size {
			bs = append(bs, &model.Batch{Events: all[i:min(i+size, len(all))]})
		}
		var got []model.VerdictChange
		s := run(engine.Options{OnVerdict: func(c model.VerdictChange) { got = append(got, c) }}, bs...).Latest()
		if first == nil {
			first, verdicts = s, got
			if len(got) == 0 || s.Client.Done != 900 {
				t.Fatalf("want verdicts and 900 requests, got %d and %d", len(got), s.Client.Done)
			}
			continue
		}
		if len(got) != len(verdicts) {
			t.Fatalf("batches of %d: want %d verdict changes, got %d", size, len(verdicts), len(got))
		}
		for i := range got {
			if got[i].At != verdicts[i].At || got[i].ID != verdicts[i].ID {
				t.Errorf("batches of %d: want %+v, got %+v", size, verdicts[i], got[i])
			}
		}
		if s.Client.Done != first.Client.Done || s.Latency.All != first.Latency.All || s.Client.MeanFlight != first.Client.MeanFlight {
			t.Errorf("batches of %d: other totals", size)
		}
	}
}

func TestVerdictGoesToTheRecorder(t *testing.T) {
	var notes []model.Note
	run(engine.Options{Record: func(b *model.Batch) {
		for _, n := range b.Notes {
			if n.Kind == model.NoteVerdict {
				notes = append(notes, n)
			}
		}
	}}, &model.Batch{Events: []model.Event{tick(start), tick(start + 2*second)}})
	if len(notes) != 1 || notes[0].Name != model.VerdictNotEnough || math.IsNaN(notes[0].Value) {
		t.Errorf("want the first verdict noted, got %+v", notes)
	}
}

// BenchmarkEngine is the whole middle: batches of a request stream with ticks,
// applied, judged and published.
func BenchmarkEngine(b *testing.B) {
	var batches []*model.Batch
	for i := range 200 {
		bt := &model.Batch{}
		for k := range 255 {
			at := start + model.Instant(i)*second/10 + model.Instant(k)*100_000
			bt.Events = append(bt.Events,
				model.Event{At: at, Seen: at, Kind: model.Begin, Series: model.ClientInFlight, Key: uint64(i*255 + k), Source: 4},
				model.Event{At: at, Seen: at, Kind: model.End, Series: model.ClientOK, Key: uint64(i*255 + k), Value: 0.05, Source: 4})
		}
		bt.Events = append(bt.Events, tick(start+model.Instant(i+1)*second/10))
		batches = append(batches, bt)
	}
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		ch := make(chan *model.Batch, len(batches))
		for _, x := range batches {
			ch <- x
			n += len(x.Events)
		}
		close(ch)
		engine.New(engine.Options{}).Run(ch)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/event")
}
