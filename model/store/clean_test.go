package store

import (
	"testing"

	"benchtop/model"
)

// steadyRun feeds a closed loop of 20 requests in flight of 1 s each, told at
// their ends, with host and GPU readings each second, and judges each second.
// change may alter a second's events.
func steadyRun(s *Store, from, to int, change func(i int, b *model.Batch)) *model.Signals {
	var sig *model.Signals
	s.Apply(&model.Batch{Notes: []model.Note{
		{Kind: model.NoteSource, Source: 1, Name: "client", Value: float64(model.KindLoad)},
		{Kind: model.NoteSource, Source: 2, Name: "host", Value: float64(model.KindHost)},
		{Kind: model.NoteSource, Source: 3, Name: "gpu", Value: float64(model.KindGPU)},
	}})
	key := uint64(from * 1000)
	for i := from; i < to; i++ {
		var b model.Batch
		now := origin + model.Instant(i)*sec
		for k := range 20 {
			at := now + model.Instant(k)*sec/20
			if i > 0 {
				b.Events = append(b.Events, model.Event{At: at, Seen: at, Kind: model.End, Series: model.ClientOK, Value: 1, Key: key - 20 + uint64(k), Source: 1})
			}
			b.Events = append(b.Events, model.Event{At: at, Seen: at, Kind: model.Begin, Series: model.ClientInFlight, Key: key + uint64(k), Source: 1})
		}
		key += 20
		level := func(src model.SourceID, id model.SeriesID, v float64, k uint64) {
			b.Events = append(b.Events, model.Event{At: now + sec/2, Seen: now + sec/2, Kind: model.Level, Series: id, Value: v, Key: k, Source: src})
		}
		level(2, model.HostOtherCPU, 0.02, 0)
		level(2, model.HostClientThread, 0.2, 0)
		level(2, model.HostQuotaThrottled, 0, 0)
		level(3, model.GPUMaxSMClock, 2e9, 1)
		level(3, model.GPUSMClock, 2e9, 1)
		level(3, model.GPUUtil, 0.95, 1)
		level(3, model.GPUReasons, 0, 1)
		if change != nil {
			change(i, &b)
		}
		b.Events = append(b.Events, model.Event{Seen: now + sec, Kind: model.Tick})
		s.Apply(&b)
		sig = s.Second(now + sec)
	}
	return sig
}

// set gives the events of a series another value.
func set(b *model.Batch, id model.SeriesID, v float64) {
	for i := range b.Events {
		if b.Events[i].Series == id && b.Events[i].Kind == model.Level {
			b.Events[i].Value = v
		}
	}
}

func TestCleanSeconds(t *testing.T) {
	in := func(i, lo, hi int) bool { return i >= lo && i < hi }
	for _, c := range []struct {
		name   string
		cause  model.DirtyCause
		lo, hi float64 // seconds that must be dirty, at least and at most
		change func(i int, b *model.Batch)
	}{
		{"nothing", 0, 0, 0, nil},
		{"neighbour", model.DirtyNeighbour, 10, 13, func(i int, b *model.Batch) {
			if in(i, 70, 80) {
				set(b, model.HostOtherCPU, 0.6)
			}
		}},
		{"client thread", model.DirtyClient, 9, 13, func(i int, b *model.Batch) {
			if in(i, 70, 80) {
				set(b, model.HostClientThread, 1)
			}
		}},
		{"quota", model.DirtyQuota, 10, 12, func(i int, b *model.Batch) { set(b, model.HostQuotaThrottled, float64(max(0, min(i, 80)-70)*3)) }},
		{"heat", model.DirtyThrottle, 9, 14, func(i int, b *model.Batch) {
			if in(i, 70, 80) {
				set(b, model.GPUReasons, bitSWThermal)
				set(b, model.GPUSMClock, 1.5e9)
			}
		}},
		{"power cap as under any load", model.DirtyThrottle, 0, 0, func(i int, b *model.Batch) {
			set(b, model.GPUReasons, bitPowerCap)
			set(b, model.GPUSMClock, 1.92e9)
		}},
		{"rotation", model.DirtyRotation, 1, 3, func(i int, b *model.Batch) {
			if i == 70 {
				at := origin + 70*sec + sec/2
				b.Notes = append(b.Notes, model.Note{At: at, Seen: at, Kind: model.NoteMark, Name: model.MarkRotated, Text: "server.log was rotated", Source: 1})
			}
		}},
		{"scrape", model.DirtyScrape, 5, 7, func(i int, b *model.Batch) {
			if i == 76 {
				at := origin + 73*sec
				b.Events = append(b.Events, model.Event{At: at, Seen: at + 3*sec, Kind: model.Observe, Series: model.ScrapeTime, Value: 6, Source: 2})
			}
		}},
		{"silence", model.DirtyGap, 12, 16, func(i int, b *model.Batch) {
			if in(i, 70, 85) { // the GPU tells nothing
				kept := b.Events[:0]
				for _, e := range b.Events {
					if e.Source != 3 {
						kept = append(kept, e)
					}
				}
				b.Events = kept
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := New(model.DefaultThresholds())
			steadyRun(s, 0, 160, c.change) // the dirty seconds are long closed by the end
			v := s.cleanView()
			if !v.Known || v.Measured.Seconds < 100 {
				t.Fatalf("want at least 100 s measured, got %v", v.Measured.Seconds)
			}
			dirty, listed := v.Measured.Seconds-v.Clean.Seconds, 0.0
			for _, x := range v.Stretches {
				listed += x.To.Seconds(x.From)
				if x.Cause != c.cause || x.Text == "" {
					t.Errorf("want %v with its number, got %v %q", c.cause, x.Cause, x.Text)
				}
			}
			if dirty < c.lo || dirty > c.hi || listed != dirty {
				t.Errorf("want %v to %v s dirty, all listed; got %v, listed %v: %+v", c.lo, c.hi, dirty, listed, v.Stretches)
			}
			if x := v.Clean.XOK; x < 19 || x > 21 || v.Clean.Latency.N != uint64(v.Clean.OK) {
				t.Errorf("want 20 good answers a clean second with their latencies, got %v and %d of %v", x, v.Clean.Latency.N, v.Clean.OK)
			}
		})
	}
}

// TestCleanOpenSeconds wants the same figures whether the newest minute is
// closed or still open.
func TestCleanOpenSeconds(t *testing.T) {
	s := New(model.DefaultThresholds())
	busy := func(i int, b *model.Batch) {
		if i >= 90 && i < 95 {
			set(b, model.HostOtherCPU, 0.6)
		}
	}
	steadyRun(s, 0, 100, busy)
	a := s.cleanView()
	if a.Clean.Seconds == a.Measured.Seconds || len(a.Stretches) != 1 {
		t.Fatalf("want a dirty stretch that is still open, got %+v", a.Stretches)
	}
	steadyRun(s, 100, 200, nil)
	b := s.cleanView()
	if x, y := a.Measured.Seconds-a.Clean.Seconds, b.Measured.Seconds-b.Clean.Seconds; x != y || len(b.Stretches) != 1 || b.Stretches[0] != a.Stretches[0] {
		t.Errorf("want the same stretch once it is closed: %v s %+v, then %v s %+v", x, a.Stretches, y, b.Stretches)
	}
	if want := a.Measured.Seconds + 100; b.Measured.Seconds != want {
		t.Errorf("want %v s measured, got %v", want, b.Measured.Seconds)
	}
}
