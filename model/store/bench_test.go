package store

import (
	"testing"

	"benchtop/model"
)

const origin = 1_767_225_600 * sec

// requests is a batch of n requests in flight at once, each with a begin, a
// time to first token, tokens and an end.
func requests(n int, at model.Instant, key uint64) *model.Batch {
	b := &model.Batch{}
	for i := range n {
		from := at + model.Instant(i)*sec/model.Instant(n)
		end := from + 2*sec
		k := key + uint64(i)
		b.Events = append(b.Events,
			model.Event{At: from, Seen: from, Kind: model.Begin, Series: model.ClientSent, Key: k, Source: 1},
			model.Event{At: end, Seen: end, Kind: model.Observe, Series: model.ClientTTFT, Key: k, Source: 1, Value: 0.2},
			model.Event{At: end, Seen: end, Kind: model.Observe, Series: model.ClientOutputTokens, Key: k, Source: 1, Value: 64},
			model.Event{At: end, Seen: end, Kind: model.End, Series: model.ClientOK, Key: k, Source: 1, Value: 2},
		)
	}
	return b
}

// readings is one poll of n GPUs.
func readings(n int, at model.Instant) *model.Batch {
	b := &model.Batch{}
	for g := range n {
		for id := model.GPUSMClock; id <= model.GPULost; id++ {
			b.Events = append(b.Events, model.Event{At: at, Seen: at, Kind: model.Level, Series: id, Key: uint64(g) + 1, Source: 2, Value: float64(g + int(id))})
		}
	}
	return b
}

// lines is what n engines print at an instant.
func lines(n int, at model.Instant) *model.Batch {
	b := &model.Batch{}
	for g := range n {
		for _, id := range []model.SeriesID{model.ServerRunning, model.ServerWaiting, model.ServerKV, model.ServerGenTPS, model.ServerPromptTPS} {
			b.Events = append(b.Events, model.Event{At: at, Seen: at, Kind: model.Level, Series: id, Key: uint64(g), Source: 3, Value: 8})
		}
	}
	return b
}

// busy is a store that has watched a run for some seconds: 200 requests a
// second, 2 GPUs, a server of 2 engines, ticks.
func busy(seconds int) (*Store, model.Instant) {
	s := New(model.DefaultThresholds())
	s.Apply(&model.Batch{Notes: []model.Note{
		{Kind: model.NoteSource, Source: 1, Name: "client", Value: float64(model.KindLoad)},
		{Kind: model.NoteSource, Source: 2, Name: "gpu", Value: float64(model.KindGPU)},
		{Kind: model.NoteSource, Source: 3, Name: "server", Value: float64(model.KindServerLog)},
	}})
	at := origin
	for i := range seconds {
		at = origin + model.Instant(i)*sec
		s.Apply(requests(200, at, uint64(i)*1000))
		s.Apply(readings(2, at))
		s.Apply(lines(2, at))
		s.Apply(&model.Batch{Events: []model.Event{{Seen: at + sec, Kind: model.Tick}}})
		s.Second(at + sec)
	}
	return s, at + sec
}

func BenchmarkApply(b *testing.B) {
	for _, c := range []struct {
		name string
		make func(at model.Instant, i int) *model.Batch
	}{
		{"requests", func(at model.Instant, i int) *model.Batch { return requests(128, at, uint64(i)*128) }},
		{"gpus", func(at model.Instant, _ int) *model.Batch { return readings(8, at) }},
		{"server", func(at model.Instant, _ int) *model.Batch { return lines(2, at) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			s, at := busy(120)
			proto := c.make(at, 0)
			events := len(proto.Events)
			b.ReportAllocs()
			b.ResetTimer()
			for i := 0; i < b.N; i++ {
				if i > 0 { // one batch a tenth of a second
					for k := range proto.Events {
						proto.Events[k].At += sec / 10
						proto.Events[k].Seen += sec / 10
						proto.Events[k].Key += 128
					}
					if c.name != "requests" {
						for k := range proto.Events {
							proto.Events[k].Key -= 128
						}
					}
				}
				s.Apply(proto)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*events), "ns/event")
		})
	}
}

// BenchmarkApplyFloor is what taking an event can't do without: reading it once
// and adding its value to one place.
func BenchmarkApplyFloor(b *testing.B) {
	batch := requests(128, origin, 0)
	var sums [model.NumSeries]float64
	for b.Loop() {
		for i := range batch.Events {
			sums[batch.Events[i].Series] += batch.Events[i].Value
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(batch.Events)), "ns/event")
}

func BenchmarkSecond(b *testing.B) {
	s, at := busy(300)
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		s.Second(at)
	}
}

func BenchmarkFreeze(b *testing.B) {
	s, at := busy(300)
	prev := &model.Snapshot{}
	s.Freeze(prev, nil, true)
	poll := readings(2, at)
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		for k := range poll.Events {
			poll.Events[k].At += sec / 10
		}
		s.Apply(poll)
		next := &model.Snapshot{}
		s.Freeze(next, prev, false)
		prev = next
	}
	b.ReportMetric(float64(len(prev.Tracks)), "tracks")
}

// BenchmarkFreezeFloor is what a publish can't do without: copying as many bytes
// as its budget allows.
func BenchmarkFreezeFloor(b *testing.B) {
	src, dst := make([]byte, 400<<10), make([]byte, 400<<10)
	for b.Loop() {
		copy(dst, src)
	}
}
