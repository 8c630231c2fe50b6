package recording

import (
	"math"
	"math/rand/v2"
	"time"

	"benchtop/model"
)

const t0 = model.Instant(1_767_225_600_000_000_000) // 2026-01-01

// stream is an endless run as the sources would tell it: 200 requests a second
// told as they begin and end, 25 readings of 8 GPUs a second, a server log line
// a second, and ticks.
type stream struct {
	rng    *rand.Rand
	now    model.Instant
	key    uint64
	hashed bool // keys are hashes rather than a row
	open   []flight
	n      int
	gpu    [8][25]float64
}

type flight struct {
	key   uint64
	begin model.Instant
	end   model.Instant
}

func newStream(seed uint64, hashed bool) *stream {
	return &stream{rng: rand.New(rand.NewPCG(seed, 1)), now: t0, hashed: hashed}
}

// micros rounds to what a load generator prints.
func micros(sec float64) float64 { return math.Round(sec*1e6) / 1e6 }

// second returns the batches of one second.
func (s *stream) second() []*model.Batch {
	var out []*model.Batch
	for tick := range 10 {
		b := &model.Batch{}
		for range 20 {
			s.request(b)
		}
		if tick == 3 {
			s.readings(b)
		}
		if tick == 7 {
			s.line(b)
		}
		out = append(out, b)
		at := t0.Add(time.Duration(s.n)*time.Second + time.Duration(tick+1)*100*time.Millisecond).Add(time.Duration(s.rng.IntN(300_000)))
		s.now = at
		out = append(out, &model.Batch{Events: []model.Event{{At: at, Seen: at, Kind: model.Tick}}})
	}
	s.n++
	return out
}

func (s *stream) request(b *model.Batch) {
	s.now = s.now.Add(time.Duration(s.rng.IntN(9_000_000)))
	seen := s.now
	s.key++
	key := s.key
	if s.hashed {
		key = s.rng.Uint64()
	}
	at := seen - model.Instant(s.rng.IntN(400_000))
	at -= at % 1000
	b.Events = append(b.Events, model.Event{At: at, Seen: seen, Series: model.ClientInFlight, Source: 1, Key: key, Kind: model.Begin})
	s.open = append(s.open, flight{key, at, 0})
	if len(s.open) < 1600 {
		return
	}
	i := s.rng.IntN(64)
	f := s.open[i]
	s.open = append(s.open[:i], s.open[i+1:]...)
	add := func(series model.SeriesID, kind model.Kind, v float64) {
		b.Events = append(b.Events, model.Event{At: at, Seen: seen, Series: series, Source: 1, Key: f.key, Kind: kind, Value: v})
	}
	lat := micros(float64(at-f.begin) / 1e9)
	ttft := micros(0.05 + s.rng.ExpFloat64()*0.1)
	tokens := float64(100 + s.rng.IntN(400))
	add(model.ClientOK, model.End, lat)
	add(model.ClientTTFT, model.Observe, ttft)
	add(model.ClientTPOT, model.Observe, (lat-ttft)/(tokens-1))
	add(model.ClientInputTokens, model.Observe, float64(20+s.rng.IntN(4000)))
	add(model.ClientOutputTokens, model.Observe, tokens)
	b.Events = append(b.Events, model.Event{At: at, Seen: seen, Series: model.ClientHorizon, Source: 1, Kind: model.Level, Value: 0})
}

func (s *stream) readings(b *model.Batch) {
	for g := range s.gpu {
		s.now = s.now.Add(time.Duration(100_000 + s.rng.IntN(300_000)))
		for i := range s.gpu[g] {
			id := model.GPUSMClock + model.SeriesID(i)
			v := &s.gpu[g][i]
			switch id.Describe().Unit {
			case model.Hertz:
				*v = float64(1980-15*s.rng.IntN(20)) * 1e6
			case model.Watts:
				*v = float64(600_000+s.rng.IntN(100_000)) / 1e3
			case model.Bytes:
				*v = 70e9
			case model.Celsius:
				*v = float64(60 + s.rng.IntN(5))
			case model.Joules:
				*v += float64(s.rng.IntN(700_000)) / 1e3
			case model.Ratio:
				*v = float64(s.rng.IntN(101)) / 100
			default:
				if s.rng.IntN(4) == 0 {
					*v += float64(s.rng.IntN(1_000_000)) / 1e9
				}
			}
			b.Events = append(b.Events, model.Event{At: s.now, Seen: s.now, Series: id, Source: 3, Key: uint64(g), Kind: model.Level, Value: *v})
		}
	}
}

func (s *stream) line(b *model.Batch) {
	at := s.now - s.now%1_000_000
	for i, v := range []float64{512, float64(s.rng.IntN(900)), float64(s.rng.IntN(1000)) / 1000, float64(s.rng.IntN(90000)) / 10} {
		b.Events = append(b.Events, model.Event{At: at, Seen: s.now, Series: model.ServerRunning + model.SeriesID(i), Source: 2, Kind: model.Level, Value: v})
	}
	b.Events = append(b.Events, model.Event{At: s.now, Seen: s.now, Series: model.SourceLines, Source: 2, Kind: model.Add, Value: 11})
}
