package store

import (
	"testing"

	"benchtop/model"
)

// TestClockStepped runs a load stream whose machine's clock is set by an hour
// in mid-run, with ours on the same machine: our time goes on evenly, stamps
// don't. Requests must stand where they happened, none may be lost.
func TestClockStepped(t *testing.T) {
	for _, tt := range []struct {
		name string
		by   model.Instant
	}{{"forward", 3600 * sec}, {"back", -3600 * sec}, {"by five minutes back", -300 * sec}, {"not at all", 0}} {
		t.Run(tt.name, func(t *testing.T) {
			s := New(model.DefaultThresholds())
			s.Apply(&model.Batch{Notes: []model.Note{{Kind: model.NoteSource, Source: 1, Name: "client", Value: float64(model.KindLoad)}}})
			key := uint64(0)
			for i := range 120 {
				now, off := origin+model.Instant(i)*sec, model.Instant(0)
				if i >= 60 {
					off = tt.by
				}
				if i == 60 && off != 0 {
					s.Apply(&model.Batch{Notes: []model.Note{{At: now, Seen: now, Kind: model.NoteMark, Name: model.MarkClock, Text: "set"}}})
				}
				var b model.Batch
				for range 10 { // told at their ends, each took 2 s
					key++
					b.Events = append(b.Events,
						model.Event{At: now + off - 2*sec, Seen: now + sec/100, Kind: model.Begin, Series: model.ClientSent, Source: 1, Key: key},
						model.Event{At: now + off, Seen: now + sec/100, Kind: model.End, Series: model.ClientOK, Source: 1, Key: key, Value: 2})
				}
				b.Events = append(b.Events, model.Event{Seen: now + sec/2, Kind: model.Tick})
				s.Apply(&b)
			}
			if want := origin + 119*sec + sec/2; s.Now() != want {
				t.Errorf("want the run's time to go on evenly to %d, got %d", want, s.Now())
			}
			ok := s.whole[model.ClientOK]
			if ok.n != 1200 {
				t.Errorf("want 1200 requests counted, got %d", ok.n)
			}
			wrong := 0
			for i := range 120 {
				at := origin + model.Instant(i)*sec
				if n := ok.count(at, at+sec); n != 10 {
					wrong++
				}
			}
			if wrong > 3 { // around the step
				t.Errorf("want 10 ends in each second, got another number in %d of them", wrong)
			}
		})
	}
}
