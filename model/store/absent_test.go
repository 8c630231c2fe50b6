package store

import (
	"math"
	"testing"
	"time"

	"benchtop/model"
)

// TestUntoldLatenciesAreNoZero feeds a stream whose ends tell no latency, alone
// and beside some that do.
func TestUntoldLatenciesAreNoZero(t *testing.T) {
	base := model.Instant(1_700_000_000) * sec
	for _, c := range []struct {
		name string
		told int // each told-th end has a latency of 2 s; 0 is none
		want float64
	}{{"none told", 0, math.NaN()}, {"half told", 2, 2}, {"all told", 1, 2}} {
		s := New(model.DefaultThresholds())
		var b model.Batch
		for i := range 100 {
			at := base + model.Instant(i)*sec/10
			v := math.NaN()
			if c.told > 0 && i%c.told == 0 {
				v = 2
			}
			b.Events = append(b.Events,
				model.Event{At: at, Seen: at, Kind: model.Begin, Series: model.ClientInFlight, Key: uint64(i), Source: 1},
				model.Event{At: at, Seen: at, Kind: model.End, Series: model.ClientOK, Key: uint64(i), Value: v, Source: 1})
		}
		end := base + 10*sec
		b.Events = append(b.Events, model.Event{At: end, Seen: end, Kind: model.Tick})
		s.Apply(&b)
		got := s.Second(end).Client
		if got.OK != 100 {
			t.Errorf("%s: want 100 good, got %v", c.name, got.OK)
		}
		if math.IsNaN(c.want) != math.IsNaN(got.Mean) || math.Abs(got.Mean-c.want) > 0.02 {
			t.Errorf("%s: want a mean of %v, got %v", c.name, c.want, got.Mean)
		}
	}
	tr := newTrack(trackKey{series: model.ServerBatch})
	tr.observe(base, math.NaN())
	if tr.n != 0 {
		t.Error("an observation that is no number: want none")
	}
}

// TestCounterAtZero: an endpoint that tells of no error is known to, and does
// not silence the log that then tells of some.
func TestCounterAtZero(t *testing.T) {
	at := model.InstantOf(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC))
	add := func(src model.SourceID, sec int, v float64) model.Event {
		now := at.Add(time.Duration(sec) * time.Second)
		return model.Event{At: now, Seen: now, Series: model.ServerError, Source: src, Kind: model.Add, Value: v}
	}
	for _, c := range []struct {
		name   string
		events []model.Event
		want   float64 // -1: nobody tells
	}{
		{"nobody tells", nil, -1},
		{"the endpoint tells of none", []model.Event{add(2, 1, 0)}, 0},
		{"the log tells of two", []model.Event{add(2, 1, 0), add(1, 2, 1), add(1, 3, 1)}, 2},
		{"the endpoint tells first", []model.Event{add(2, 1, 0), add(2, 2, 3), add(1, 3, 1), add(2, 4, 0)}, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := New(model.DefaultThresholds())
			s.Apply(&model.Batch{Notes: []model.Note{
				{At: at, Seen: at, Kind: model.NoteSource, Name: "server.log", Text: "vllm|", Value: float64(model.KindServerLog), Source: 1},
				{At: at, Seen: at, Kind: model.NoteSource, Name: "http://h/metrics", Text: "vllm|", Value: float64(model.KindMetrics), Source: 2},
			}})
			s.Apply(&model.Batch{Events: append(c.events, model.Event{Seen: at.Add(10 * time.Second), Kind: model.Tick})})
			snap := &model.Snapshot{}
			s.Freeze(snap, &model.Snapshot{}, true)
			got := -1.0
			if tr := snap.Whole(model.ServerError); tr != nil {
				got = tr.Total
			}
			if got != c.want {
				t.Errorf("want %v errors, got %v", c.want, got)
			}
		})
	}
}

// TestTokensOfAnEndpointThatDied: while the endpoint answers its count of tokens
// is the rate, also when that is none; once it doesn't, the log's is.
func TestTokensOfAnEndpointThatDied(t *testing.T) {
	for _, c := range []struct {
		name  string
		until int // seconds that it answers
		step  float64
		want  float64
	}{{"it answers", 120, 480, 480}, {"it answers, and counts none", 120, 0, 0}, {"it died", 40, 480, 500}} {
		t.Run(c.name, func(t *testing.T) {
			s := New(model.DefaultThresholds())
			s.Apply(&model.Batch{Notes: []model.Note{
				{At: origin, Seen: origin, Kind: model.NoteSource, Name: "log", Text: "vllm|", Value: float64(model.KindServerLog), Source: 1},
				{At: origin, Seen: origin, Kind: model.NoteSource, Name: "http://h/metrics", Text: "vllm|", Value: float64(model.KindMetrics), Source: 2},
			}})
			for i := range 120 {
				at := origin + model.Instant(i)*sec
				b := &model.Batch{}
				tell := func(src model.SourceID, id model.SeriesID, kind model.Kind, v float64) {
					b.Events = append(b.Events, model.Event{At: at, Seen: at, Source: src, Series: id, Kind: kind, Value: v})
				}
				if i%10 == 0 {
					tell(1, model.ServerGenTPS, model.Level, 500)
				}
				if i < c.until {
					tell(2, model.ServerRunning, model.Level, 8)
					if c.step > 0 || i == 0 {
						tell(2, model.ServerGenTokens, model.Add, max(1, c.step))
					}
				}
				s.Apply(b)
			}
			if got := s.Second(origin + 120*sec).Server.GenTPS; math.Abs(got-c.want) > 20 {
				t.Errorf("want %v tokens a second, got %v", c.want, got)
			}
		})
	}
}
