package store_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"benchtop/model"
	"benchtop/model/store"
)

// TestServersBesideEachOther lays the load of one client over several servers:
// what they hold adds up, and their engines are told apart.
func TestServersBesideEachOther(t *testing.T) {
	type src struct {
		kind    model.SourceKind
		label   string
		running float64
		until   int // seconds it speaks; 0 is to the end
	}
	log, metrics := model.KindServerLog, model.KindMetrics
	for _, c := range []struct {
		name    string
		sources []src
		ns, b   float64 // NaN is unknown
		engines int
	}{
		{"one", []src{{log, "", 32, 0}}, 32, 64, 0},
		{"a log and its endpoint", []src{{log, "", 32, 0}, {metrics, "", 32, 0}}, 32, 64, 0},
		{"the same by label", []src{{log, "a", 32, 0}, {metrics, "a", 32, 0}}, 32, 64, 0},
		{"maybe the same", []src{{log, "", 32, 0}, {metrics, "a", 32, 0}}, 32, 64, 0},
		{"two by label", []src{{log, "a", 20, 0}, {log, "b", 12, 0}}, 32, 128, 2},
		{"two endpoints without one", []src{{metrics, "", 20, 0}, {metrics, "", 12, 0}}, 32, 128, 2},
		{"two with both", []src{{log, "a", 20, 0}, {metrics, "a", 20, 0}, {log, "b", 12, 0}, {metrics, "b", 12, 0}}, 32, 128, 2},
		{"one fell silent", []src{{log, "a", 20, 0}, {log, "b", 12, 20}}, math.NaN(), 128, 2},
		{"one fell silent with nothing to do", []src{{log, "a", 32, 0}, {log, "b", 0, 20}}, 32, 128, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := store.New(model.DefaultThresholds())
			at := model.InstantOf(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC))
			head := model.Batch{Notes: []model.Note{{At: at, Seen: at, Kind: model.NoteConfig, Name: "max_batch", Value: 64, Text: "log"}}}
			for i, x := range c.sources {
				head.Notes = append(head.Notes, model.Note{At: at, Seen: at, Kind: model.NoteSource, Name: fmt.Sprint("place", i), Text: "vllm|" + x.label, Value: float64(x.kind), Source: model.SourceID(i + 1)})
			}
			s.Apply(&head)
			var v *model.ServerSignals
			for sec := range 130 {
				now := at.Add(time.Duration(sec) * time.Second)
				var b model.Batch
				for i, x := range c.sources {
					if x.until > 0 && sec > x.until {
						continue
					}
					seen := now.Add(time.Duration(i) * 100 * time.Millisecond)
					for _, e := range []model.Event{
						{Series: model.ServerRunning, Value: x.running}, {Series: model.ServerWaiting},
					} {
						e.At, e.Seen, e.Source, e.Kind = seen, seen, model.SourceID(i+1), model.Level
						b.Events = append(b.Events, e)
					}
				}
				b.Events = append(b.Events, model.Event{Seen: now.Add(900 * time.Millisecond), Kind: model.Tick})
				s.Apply(&b)
				v = &s.Second(now.Add(900 * time.Millisecond)).Server
			}
			if got := v.Running; got != c.ns && !(math.IsNaN(got) && math.IsNaN(c.ns)) {
				t.Errorf("want %v running, got %v", c.ns, got)
			}
			if v.B != c.b || len(v.Engines) != c.engines {
				t.Errorf("want a batch of %v and %d engines, got %v and %+v", c.b, c.engines, v.B, v.Engines)
			}
		})
	}
}

// TestHistoryIsNoPartOfTheRun feeds what a log held before we came: it is drawn,
// but counted only where there is nothing else.
func TestHistoryIsNoPartOfTheRun(t *testing.T) {
	at := model.InstantOf(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC))
	for _, live := range []bool{false, true} {
		s := store.New(model.DefaultThresholds())
		b := model.Batch{Notes: []model.Note{{At: at, Seen: at, Kind: model.NoteSource, Name: "log", Text: "vllm|", Value: float64(model.KindServerLog), Source: 1}}}
		tell := func(sec int, late bool, events ...model.Event) {
			for _, e := range events {
				e.At = at.Add(time.Duration(sec) * time.Second)
				e.Seen, e.Source, e.Late = at, 1, late
				if !late {
					e.Seen = e.At
				}
				b.Events = append(b.Events, e)
			}
		}
		for sec := range 10 {
			tell(sec-3600, true,
				model.Event{Series: model.ServerRunning, Kind: model.Level, Value: 50},
				model.Event{Series: model.ServerBatch, Kind: model.Observe, Value: 50},
				model.Event{Series: model.ServerTimeout, Kind: model.Add, Value: 1})
		}
		batch, timeouts, n, least := 50.0, 10.0, uint64(10), 50.0
		if live {
			for sec := range 4 {
				tell(sec+1, false,
					model.Event{Series: model.ServerRunning, Kind: model.Level, Value: 8},
					model.Event{Series: model.ServerBatch, Kind: model.Observe, Value: 8})
			}
			batch, timeouts, n, least = 8, 0, 4, 8
		}
		b.Events = append(b.Events, model.Event{Seen: at.Add(5 * time.Second), Kind: model.Tick})
		s.Apply(&b)
		snap := &model.Snapshot{}
		s.Freeze(snap, &model.Snapshot{}, true)
		run, size, lost := snap.Whole(model.ServerRunning), snap.Whole(model.ServerBatch), snap.Whole(model.ServerTimeout)
		if run == nil || size == nil || lost == nil {
			t.Fatal("want all three tracks")
		}
		if got := size.Sum / float64(size.N); got != batch || lost.Total != timeouts || run.N != n || run.Min != least || run.Max != least {
			t.Errorf("live %v: want batches of %v, %v timeouts, %d samples of %v; got %v, %v, %d of %v to %v", live, batch, timeouts, n, least, got, lost.Total, run.N, run.Min, run.Max)
		}
		cols := make([]model.Bucket, 1)
		lost.Columns(cols, at.Add(-2*time.Hour), 2*time.Hour)
		if cols[0].Sum != 10 {
			t.Errorf("live %v: want history drawn, got %+v", live, cols[0])
		}
	}
}

// TestRatesOfEnginesAddUp: what data parallel engines and servers beside each
// other print of their tokens is one rate of the whole; a line that stands for
// all of them is taken alone.
func TestRatesOfEnginesAddUp(t *testing.T) {
	type engine struct {
		label, name string // of the source, of the engine
		gen, prompt float64
	}
	for _, c := range []struct {
		name        string
		engines     []engine
		gen, prompt float64
	}{
		{"one", []engine{{"", "", 500, 80}}, 500, 80},
		{"three of one server", []engine{{"", "0", 500, 80}, {"", "1", 300, 10}, {"", "2", 0, 0}}, 800, 90},
		{"and their sum", []engine{{"", "0", 500, 80}, {"", "1", 300, 10}, {"", "all", 800, 90}}, 800, 90},
		{"two servers", []engine{{"a", "", 500, 80}, {"b", "", 300, 10}}, 800, 90},
		{"two of two", []engine{{"a", "0", 100, 1}, {"a", "1", 200, 2}, {"b", "0", 300, 3}, {"b", "1", 400, 4}}, 1000, 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := store.New(model.DefaultThresholds())
			at := model.InstantOf(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC))
			var head model.Batch
			ids := map[string]model.SourceID{}
			keys := map[string]uint64{"": 0}
			for i, e := range c.engines {
				if ids[e.label] == 0 {
					ids[e.label] = model.SourceID(len(ids) + 1)
					head.Notes = append(head.Notes, model.Note{At: at, Seen: at, Kind: model.NoteSource, Name: "log " + e.label, Text: "vllm|" + e.label, Value: float64(model.KindServerLog), Source: ids[e.label]})
				}
				if _, ok := keys[e.name]; !ok {
					keys[e.name] = uint64(i + 1)
					head.Notes = append(head.Notes, model.Note{At: at, Seen: at, Kind: model.NoteEngine, Key: keys[e.name], Name: e.name, Source: ids[e.label]})
				}
			}
			s.Apply(&head)
			snap := &model.Snapshot{}
			for sec := range 60 {
				now := at.Add(time.Duration(sec) * time.Second)
				var b model.Batch
				for i, e := range c.engines {
					when := now.Add(time.Duration(i) * time.Millisecond)
					for id, v := range map[model.SeriesID]float64{model.ServerGenTPS: e.gen, model.ServerPromptTPS: e.prompt} {
						b.Events = append(b.Events, model.Event{At: when, Seen: when, Series: id, Source: ids[e.label], Key: keys[e.name], Kind: model.Level, Value: v})
					}
				}
				if sec%10 != 0 { // the servers print a line each 10 s
					b.Events = nil
				}
				b.Events = append(b.Events, model.Event{Seen: now.Add(900 * time.Millisecond), Kind: model.Tick})
				s.Apply(&b)
				next := &model.Snapshot{}
				s.Freeze(next, snap, true)
				snap = next
			}
			for id, want := range map[model.SeriesID]float64{model.ServerGenTPS: c.gen, model.ServerPromptTPS: c.prompt} {
				if got := snap.Whole(id).Last; got != want {
					t.Errorf("%s: want %v, got %v", id, want, got)
				}
				cols := make([]model.Bucket, 20)
				snap.Whole(id).Columns(cols, at.Add(40*time.Second), time.Second)
				for _, col := range cols {
					if col.N > 0 && col.Mean() != want {
						t.Errorf("%s: want a mean of %v in a second, got %v", id, want, col.Mean())
					}
				}
			}
		})
	}
}

// TestRatesOfServersWithEndpoints: each server's log prints its rate, and its
// endpoint, which tells all else, has none. Whoever speaks first, the rates add
// up, and those of many engines to the same bit each time.
func TestRatesOfServersWithEndpoints(t *testing.T) {
	log, metrics := model.KindServerLog, model.KindMetrics
	type src struct {
		kind  model.SourceKind
		label string
		gen   []float64 // of its engines
	}
	a, b := src{log, "a", []float64{0.1, 0.2, 0.3}}, src{log, "b", []float64{0.1}}
	ma, mb := src{metrics, "a", nil}, src{metrics, "b", nil}
	for _, c := range []struct {
		name    string
		sources []src
	}{
		{"logs first", []src{a, ma, b, mb}},
		{"endpoints first", []src{ma, a, mb, b}},
		{"the other server first", []src{mb, b, ma, a}},
		{"the other's log first", []src{b, mb, ma, a}},
	} {
		t.Run(c.name, func(t *testing.T) {
			first := math.NaN()
			for range 20 {
				s := store.New(model.DefaultThresholds())
				at := model.InstantOf(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC))
				var head model.Batch
				for i, x := range c.sources {
					head.Notes = append(head.Notes, model.Note{At: at, Seen: at, Kind: model.NoteSource, Name: fmt.Sprint("place", i), Text: "vllm|" + x.label, Value: float64(x.kind), Source: model.SourceID(i + 1)})
				}
				s.Apply(&head)
				for sec := range 30 {
					var b model.Batch
					for i, x := range c.sources {
						e := model.Event{At: at.Add(time.Duration(sec)*time.Second + time.Duration(i)*time.Millisecond), Source: model.SourceID(i + 1), Kind: model.Level}
						e.Seen = e.At
						tell := func(id model.SeriesID, v float64) {
							e.Series, e.Value = id, v
							b.Events = append(b.Events, e)
						}
						if x.kind == log && sec%10 != 0 {
							continue
						}
						for k, gen := range x.gen {
							e.Key = uint64(k)
							tell(model.ServerGenTPS, gen)
						}
						e.Key = 0
						tell(model.ServerRunning, 20)
						tell(model.ServerWaiting, 1)
					}
					b.Events = append(b.Events, model.Event{Seen: at.Add(time.Duration(sec)*time.Second + 900*time.Millisecond), Kind: model.Tick})
					s.Apply(&b)
				}
				snap := &model.Snapshot{}
				s.Freeze(snap, &model.Snapshot{}, true)
				got := snap.Whole(model.ServerGenTPS).Last
				if math.IsNaN(first) {
					first = got
				}
				if want := 0.7; math.Abs(got-want) > 1e-6 || got != first {
					t.Fatalf("want %v tokens a second, and %v as before; got %v", want, first, got)
				}
			}
		})
	}
}
