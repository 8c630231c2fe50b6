package store

import (
	"math"
	"math/rand/v2"
	"testing"

	"benchtop/model"
)

func TestGroupsOfLatencies(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	spread := func(mid, sigma float64) float64 { return mid * math.Exp(sigma*rng.NormFloat64()) }
	for _, c := range []struct {
		name string
		n    int
		one  func(i int) float64
		want bool
		low  float64
		high float64
	}{
		{"one group", 2000, func(int) float64 { return spread(1, 0.4) }, false, 0, 0},
		{"a constant", 500, func(int) float64 { return 1 }, false, 0, 0},
		{"two groups, one in eight five times longer", 2000, func(i int) float64 { return spread(map[bool]float64{true: 4, false: 0.8}[i%8 == 0], 0.1) }, true, 0.8, 4},
		{"too near each other", 2000, func(i int) float64 { return spread(1+0.3*float64(i%2), 0.02) }, false, 0, 0},
		{"too few in the upper one", 2000, func(i int) float64 { return spread(map[bool]float64{true: 4, false: 0.8}[i%50 == 0], 0.1) }, false, 0, 0},
	} {
		s := newSketch()
		for i := range c.n {
			s.add(origin, c.one(i))
		}
		g := groups(s.over(origin, origin+sec))
		if !g.Known || g.Two != c.want {
			t.Errorf("%s: want known, two %v; got %+v", c.name, c.want, g)
		}
		if c.want && (math.Abs(g.Low/c.low-1) > 0.05 || math.Abs(g.High/c.high-1) > 0.05 || g.Valley < g.Low || g.Valley > g.High || math.Abs(g.Above-0.125) > 0.01) {
			t.Errorf("%s: want %v and %v, got %+v", c.name, c.low, c.high, g)
		}
	}
	if g := groups(newSketch().over(origin, origin+sec)); g.Known || g.Two || !math.IsNaN(g.P99) {
		t.Errorf("nothing: want unknown, got %+v", g)
	}
}

func TestMeanOfInFlight(t *testing.T) {
	tr := newTrack(trackKey{series: model.ClientInFlight})
	for i := range 60 { // each second one begins and lasts 5 s: 5 at a time
		at := origin + model.Instant(i)*sec
		tr.add(at, 1)
		tr.add(at+5*sec, -1)
	}
	for _, c := range []struct {
		from, to model.Instant
		want     float64
	}{
		{10, 40, 5},
		{10, 50, 5},
		{64, 70, 0},
	} {
		if got, ok := tr.valueMean(origin+c.from*sec, origin+c.to*sec); !ok || math.Abs(got-c.want) > 0.11 {
			t.Errorf("%d..%d s: want %v, got %v (%v)", c.from, c.to, c.want, got, ok)
		}
	}
	if _, ok := tr.valueMean(origin-100*sec, origin); ok {
		t.Error("want nothing before the finest tier begins")
	}
}

func TestEnginesOfOneBreathAreOneValue(t *testing.T) {
	s := New(model.DefaultThresholds())
	for i := range 20 {
		at := origin + model.Instant(i)*10*sec
		for e, running := range []float64{30, 4 + float64(i%2)} {
			seen := at + model.Instant(e)*sec/1000
			s.Apply(&model.Batch{Events: []model.Event{{At: seen, Seen: seen, Kind: model.Level, Series: model.ServerRunning, Source: 1, Key: uint64(e), Value: running}}})
		}
	}
	tr := s.wholeTrack(model.ServerRunning)
	for i := 1; i < 20; i++ {
		want := 34 + float64(i%2)
		at := origin + model.Instant(i)*10*sec
		if got := tr.mean(at, at+sec); got != want {
			t.Fatalf("line %d: want %v running in all, got %v", i, want, got)
		}
	}
}

func TestStaleSources(t *testing.T) {
	s := New(model.DefaultThresholds())
	s.Apply(&model.Batch{Notes: []model.Note{
		{Kind: model.NoteSource, Source: 1, Name: "gpu", Value: float64(model.KindGPU)},
		{Kind: model.NoteSource, Source: 2, Name: "host", Value: float64(model.KindHost)},
	}})
	for i := range 60 {
		at := origin + model.Instant(i)*sec
		s.Apply(&model.Batch{Events: []model.Event{{At: at, Seen: at, Kind: model.Level, Series: model.HostOtherCPU, Source: 2, Value: 0.1}}})
		if i < 40 {
			s.Apply(&model.Batch{Events: []model.Event{{At: at, Seen: at, Kind: model.Level, Series: model.GPUUtil, Key: 1, Source: 1, Value: 1}}})
		}
		want := 0
		if i > 39+5 {
			want = 1
		}
		if got := s.Second(at).Stale; len(got) != want || want == 1 && (got[0].Name != "gpu" || got[0].Interval != 1) {
			t.Fatalf("second %d: want %d stale, got %+v", i, want, got)
		}
	}
}
