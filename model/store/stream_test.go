package store

import (
	"math"
	"testing"

	"benchtop/model"
)

// streams is a store with the named load streams, numbered from 1.
func streams(t *testing.T, names ...string) *Store {
	t.Helper()
	s := New(model.DefaultThresholds())
	b := &model.Batch{}
	for i, n := range names {
		b.Notes = append(b.Notes, model.Note{Kind: model.NoteSource, Source: model.SourceID(i + 1), Name: n, Text: "benchtop_ndjson|", Value: float64(model.KindLoad)})
	}
	b.Events = append(b.Events, model.Event{Seen: second(0), Kind: model.Tick})
	s.Apply(b)
	return s
}

func second(f float64) model.Instant { return model.Instant(1_800_000_000e9 + f*1e9) }

func (s *Store) tell(evs ...model.Event) {
	for i := range evs {
		evs[i].Seen = evs[i].At
	}
	s.Apply(&model.Batch{Events: evs})
}

func begin(src model.SourceID, key uint64, at float64) model.Event {
	return model.Event{Kind: model.Begin, Series: model.ClientInFlight, Source: src, Key: key, At: second(at)}
}

func end(src model.SourceID, key uint64, at, took float64) model.Event {
	return model.Event{Kind: model.End, Series: model.ClientOK, Source: src, Key: key, At: second(at), Value: took}
}

func (s *Store) flying() float64 { return s.whole[model.ClientInFlight].total }

// Several generators are one client: peaks and totals add up, and a new run of
// one of them touches only what is its own.
func TestStreamsAddUp(t *testing.T) {
	s := streams(t, "a", "b")
	s.tell(begin(1, 1, 1), begin(1, 2, 1.1), begin(2, 1, 1.2), begin(2, 2, 1.3), begin(2, 3, 1.4))
	s.tell(end(1, 1, 2, 1), end(2, 1, 2.1, 0.9))
	if got := s.flying(); got != 3 {
		t.Fatalf("want 3 in flight, got %g", got)
	}
	// Stream 1 was cut off: its decoder took nothing back before it began anew.
	s.tell(model.Event{Kind: model.Reset, Series: model.ClientInFlight, Source: 1, At: second(3)})
	if got := s.flying(); got != 2 {
		t.Errorf("after the reset of one: want the other's 2 in flight, got %g", got)
	}
	// Stream 2 takes its own back, then says that it begins anew.
	s.tell(model.Event{Kind: model.Add, Series: model.ClientInFlight, Source: 2, At: second(4), Value: -2},
		model.Event{Kind: model.Reset, Series: model.ClientInFlight, Source: 2, At: second(4)})
	if got := s.flying(); got != 0 {
		t.Errorf("after the reset of both: want none in flight, got %g", got)
	}
	s.tell(begin(1, 9, 5), begin(2, 9, 5))
	snap := &model.Snapshot{}
	s.Freeze(snap, nil, true)
	for src := model.SourceID(1); src <= 2; src++ {
		if tr := snap.Track(model.ClientInFlight, src, 0); tr == nil || tr.Total != 1 {
			t.Errorf("want 1 in flight of stream %d by itself, got %+v", src, tr)
		}
	}
	if c := snap.Client; c.PeakFlight != 5 || c.Begun != 7 || c.Done != 2 || s.flying() != 2 {
		t.Errorf("want a peak of 5, 7 begun, 2 done, 2 in flight, got %g, %d, %d, %g", c.PeakFlight, c.Begun, c.Done, s.flying())
	}
}

// What is rebuilt is exact only as far as the stream that lags most has told.
func TestHorizonIsTheLeast(t *testing.T) {
	s := streams(t, "a", "b")
	horizon := func(src model.SourceID, at float64) model.Event {
		return model.Event{Kind: model.Level, Series: model.ClientHorizon, Source: src, At: second(at)}
	}
	s.tell(horizon(1, 5), horizon(2, 2), horizon(1, 8))
	if want, got := second(5), s.client.horizon; got != want { // as the first alone had it before the second spoke
		t.Errorf("want %d, got %d", want, got)
	}
	s.tell(horizon(2, 6))
	if want, got := second(6), s.client.horizon; got != want {
		t.Errorf("want the laggard's %d, got %d", want, got)
	}
	s.tell(model.Event{Kind: model.State, Source: 2, At: second(9), Value: float64(model.Ended)}, horizon(1, 10))
	if want, got := second(10), s.client.horizon; got != want {
		t.Errorf("want the one that still speaks, %d, got %d", want, got)
	}
}

func TestBarsAddUp(t *testing.T) {
	s := streams(t, "a", "b")
	bar := func(src model.SourceID, at, v float64) model.Event {
		return model.Event{Kind: model.Level, Series: model.ClientBarDone, Source: src, At: second(at), Value: v}
	}
	s.tell(bar(1, 1, 10), bar(2, 1.5, 5), bar(1, 2, 20), bar(2, 2.5, 15))
	if got := s.whole[model.ClientBarDone].last; got != 35 {
		t.Errorf("want 35 finished of both, got %g", got)
	}
}

// A single stream needs no track beside the whole one.
func TestOneStreamIsTheWhole(t *testing.T) {
	s := streams(t, "a")
	s.tell(begin(1, 1, 1))
	snap := &model.Snapshot{}
	s.Freeze(snap, nil, true)
	if tr := snap.Track(model.ClientInFlight, 1, 0); tr != nil {
		t.Errorf("want only the run-wide track, got %+v", tr)
	}
	s.Apply(&model.Batch{Notes: []model.Note{{Kind: model.NoteSource, Source: 2, Name: "b", Text: "|", Value: float64(model.KindLoad)}}})
	s.Freeze(snap, nil, true)
	if tr := snap.Track(model.ClientInFlight, 1, 0); tr == nil || tr.Total != 1 {
		t.Errorf("want it by itself once there is another, got %+v", tr)
	}
}

func TestHowInFlightIsKnown(t *testing.T) {
	requests := []model.Event{begin(1, 1, 1), end(1, 1, 2, 1)}
	gauge := []model.Event{
		{Kind: model.Level, Series: model.ClientGaugeInFlight, Source: 1, At: second(1), Value: 4},
		{Kind: model.Level, Series: model.ClientGaugeInFlight, Source: 1, At: second(2), Value: 8},
	}
	target := []model.Event{{Kind: model.Level, Series: model.ClientTarget, Source: 1, At: second(1), Value: 32}}
	tests := []struct {
		name   string
		hows   []string // of stream 1, 2
		events []model.Event
		want   string
		mean   float64
	}{
		{"nothing", nil, nil, "", math.NaN()},
		{"requests", nil, requests, "exact", 1},
		{"as the stream says", []string{"estimated"}, requests, "estimated", 1},
		{"as the worst of two says", []string{"exact", "reconstructed"}, requests, "reconstructed", 1},
		{"a gauge", nil, gauge, "estimated", 6},
		{"the sender's own gauge", []string{"exact"}, gauge, "exact", 6},
		{"only what it was told", nil, target, "declared", math.NaN()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := streams(t, "a", "b")
			for i, how := range tt.hows {
				s.Apply(&model.Batch{Notes: []model.Note{{Kind: model.NoteRun, Source: model.SourceID(i + 1), Name: "concurrency_how", Text: how}}})
			}
			s.tell(append([]model.Event{}, tt.events...)...)
			snap := &model.Snapshot{}
			s.Freeze(snap, nil, true)
			if got := snap.Client.How; got != tt.want {
				t.Errorf("want %q, got %q", tt.want, got)
			}
			if got := snap.Client.MeanFlight; got != tt.mean && !(math.IsNaN(got) && math.IsNaN(tt.mean)) {
				t.Errorf("mean: want %g, got %g", tt.mean, got)
			}
		})
	}
}

// The server's clock, as a load stream tells it by Date headers, moves nothing
// of the stream's own.
func TestServerClockByDate(t *testing.T) {
	s := streams(t, "a")
	s.tell(begin(1, 1, 1), end(1, 1, 2, 1), model.Event{Kind: model.Level, Series: model.SourceSkew, Source: 1, Key: 1, At: second(2), Value: -17})
	s.tell(begin(1, 2, 3), end(1, 2, 4, 1))
	if got := s.sources[1].shift; got != 0 {
		t.Errorf("want the stream placed by its own times, got a shift of %d", got)
	}
	var sig model.Signals
	s.skewSignals(&sig)
	if sig.Skew != -17 || sig.SkewOf != "the server" {
		t.Errorf("want the server 17 s ahead, got %g of %q", sig.Skew, sig.SkewOf)
	}
}
