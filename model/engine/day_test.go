package engine_test

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"benchtop/model"
	"benchtop/model/engine"
)

// big is a run of 16 GPUs and 8 engines with so many requests a second.
type big struct {
	gpus, engines, rate int
	key                 uint64
}

// notes name what is there.
func (g *big) notes() *model.Batch {
	b := &model.Batch{Notes: []model.Note{
		{Kind: model.NoteSource, Source: 1, Name: "client", Value: float64(model.KindLoad)},
		{Kind: model.NoteSource, Source: 2, Name: "gpu", Value: float64(model.KindGPU)},
		{Kind: model.NoteSource, Source: 3, Name: "server", Value: float64(model.KindServerLog)},
		{Kind: model.NoteSource, Source: 4, Name: "host", Value: float64(model.KindHost)},
	}}
	for i := range g.gpus {
		b.Notes = append(b.Notes, model.Note{Kind: model.NoteGPU, Source: 2, Key: uint64(i) + 1, Name: fmt.Sprint("GPU-", i), Text: "H100", Value: float64(i)})
	}
	for i := range g.engines {
		b.Notes = append(b.Notes, model.Note{Kind: model.NoteEngine, Source: 3, Key: uint64(i), Name: fmt.Sprint(i)})
	}
	return b
}

// reading is what a GPU says: of each three series one is noise to the last bit
// (power, traffic), one moves in whole steps (temperature, utilization) and one
// stands still (limits, counters of errors).
func reading(id model.SeriesID, gpu int, at model.Instant) float64 {
	const golden = 0x9e3779b97f4a7c15
	x := (uint64(at) + uint64(id)<<40 + uint64(gpu)<<50) * golden
	x = (x ^ x>>29) * golden
	noise := float64(x>>11) / (1 << 53)
	switch id % 3 {
	case 0:
		return 300 + 100*noise
	case 1:
		return float64(60 + gpu + int(20*noise))
	}
	return float64(gpu + int(id))
}

// second is what is told in one second of it, ten ticks included.
func (g *big) second(b *model.Batch, at model.Instant) {
	b.Clear()
	for tick := range 10 {
		from := at + model.Instant(tick)*1e8
		for i := range g.rate {
			if i*10/g.rate != tick {
				continue
			}
			g.key++
			seen := from + 1e6
			took := 1 + float64(g.key*2654435761%1000)/250 // 1 to 5 s
			begin := seen - model.Instant(took*1e9)
			b.Events = append(b.Events,
				model.Event{At: begin, Seen: seen, Kind: model.Begin, Series: model.ClientSent, Key: g.key, Source: 1},
				model.Event{At: seen, Seen: seen, Kind: model.Observe, Series: model.ClientTTFT, Key: g.key, Source: 1, Value: took / 10},
				model.Event{At: seen, Seen: seen, Kind: model.Observe, Series: model.ClientOutputTokens, Key: g.key, Source: 1, Value: 64},
				model.Event{At: seen, Seen: seen, Kind: model.End, Series: model.ClientOK, Key: g.key, Source: 1, Value: took})
		}
		if tick == 5 {
			for i := range g.gpus {
				for id := model.GPUSMClock; id <= model.GPULost; id++ {
					b.Events = append(b.Events, model.Event{At: from, Seen: from, Kind: model.Level, Series: id, Key: uint64(i) + 1, Source: 2, Value: reading(id, i, at)})
				}
			}
			for id := model.HostClientThread; int(id) < model.NumSeries && id.Describe().Side == model.SideHost; id++ {
				b.Events = append(b.Events, model.Event{At: from, Seen: from, Kind: model.Level, Series: id, Source: 4, Value: 0.5})
			}
		}
		if tick == 7 && at/1e9%5 == 0 {
			for i := range g.engines {
				for _, id := range []model.SeriesID{model.ServerRunning, model.ServerWaiting, model.ServerKV, model.ServerGenTPS, model.ServerPromptTPS} {
					b.Events = append(b.Events, model.Event{At: from, Seen: from, Kind: model.Level, Series: id, Key: uint64(i), Source: 3, Value: float64(at / 5e9 % 9)})
				}
			}
		}
		b.Events = append(b.Events, model.Event{Seen: from + 99e6, Kind: model.Tick})
	}
}

// BenchmarkBigRun measures what a large run costs in memory and time: a day at
// 20 requests a second, and ten minutes at 2,000. The heap is what lives after a
// collection; -quarter is the same after a quarter of the run: it must not grow
// much from there. The collector lets the heap grow as far as the program has it;
// what is resident is looked at each 100 s of the run.
func BenchmarkBigRun(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(50))
	for _, tt := range []struct {
		name          string
		rate, seconds int
	}{{"24h-20rps", 20, 24 * 3600}, {"10min-2000rps", 2000, 600}} {
		b.Run(tt.name, func(b *testing.B) {
			events := 0
			for b.Loop() {
				g := &big{gpus: 16, engines: 8, rate: tt.rate}
				in := make(chan *model.Batch)
				e := engine.New(engine.Options{})
				done := make(chan struct{})
				go func() { defer close(done); e.Run(in) }()
				in <- g.notes()
				quarter, most := 0.0, 0.0
				for i := range tt.seconds {
					batch := &model.Batch{}
					g.second(batch, start+model.Instant(i)*1e9)
					events += len(batch.Events)
					in <- batch
					if i%30 == 0 { // a screen looks now and then: each look is a copy, of which BenchmarkFreeze tells the cost
						select {
						case <-e.Changed():
						default:
						}
					}
					if i%100 == 0 {
						most = max(most, resident())
					}
					if i == tt.seconds/4 {
						quarter = heap()
					}
				}
				close(in)
				<-done
				live := heap()
				if n := e.Latest().Client.Done; n != uint64(tt.rate*tt.seconds) {
					b.Fatalf("want %d requests counted, got %d", tt.rate*tt.seconds, n)
				}
				b.ReportMetric(quarter, "heap-MB-quarter")
				b.ReportMetric(live, "heap-MB")
				if most > 0 {
					b.ReportMetric(most, "resident-MB-most")
				}
				runtime.KeepAlive(e)
			}
			b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

// BenchmarkHold is how long the loop takes nothing else while it publishes, after
// half an hour of a run of 16 GPUs and 8 engines that a screen looks at each
// tick. A tick with nothing before it is timed from when the loop takes it to
// when it takes the next batch; each tenth judges a second as well. The floor is
// a channel that is handed over as often.
func BenchmarkHold(b *testing.B) {
	g := &big{gpus: 16, engines: 8, rate: 200}
	in := make(chan *model.Batch)
	e := engine.New(engine.Options{})
	done := make(chan struct{})
	go func() { defer close(done); e.Run(in) }()
	in <- g.notes()
	second := 0
	var held, judged, floor []float64
	next := func(timed bool) {
		batch := &model.Batch{}
		g.second(batch, start+model.Instant(second)*1e9)
		second++
		from := 0
		for i, ev := range batch.Events {
			if ev.Kind != model.Tick {
				continue
			}
			in <- &model.Batch{Events: batch.Events[from:i]}
			tick, none := &model.Batch{Events: batch.Events[i : i+1]}, &model.Batch{}
			from = i + 1
			in <- none
			began := time.Now()
			in <- none
			handed := time.Now()
			in <- tick
			taken := time.Now()
			in <- none
			took := float64(time.Since(taken).Nanoseconds()) / 1e3
			select {
			case <-e.Changed():
			default:
				b.Fatal("want a snapshot each tick")
			}
			switch {
			case !timed:
			case ev.Seen.Floor(time.Second) != (ev.Seen - 100e6).Floor(time.Second):
				judged = append(judged, took)
			default:
				held = append(held, took)
			}
			if timed {
				floor = append(floor, float64(handed.Sub(began).Nanoseconds())/1e3)
			}
		}
	}
	for second < 1800 {
		next(false)
	}
	for b.Loop() {
		for range 60 {
			next(true)
		}
	}
	close(in)
	<-done
	for _, s := range []struct {
		name string
		v    []float64
	}{{"publish", held}, {"judge", judged}, {"floor", floor}} {
		slices.Sort(s.v)
		b.ReportMetric(s.v[len(s.v)/2], "us-"+s.name)
		b.ReportMetric(s.v[len(s.v)-1], "us-"+s.name+"-longest")
	}
}

// heap is what lives, in MB.
func heap() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / 1e6
}

// resident is what the process has in memory, in MB; 0 where that is not told.
func resident() float64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var size, pages float64
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		return 0
	}
	return pages * float64(os.Getpagesize()) / 1e6
}
