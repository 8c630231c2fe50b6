package store

import (
	"math"
	"math/rand/v2"
	"testing"

	"benchtop/model"
)

// How the client sends shows in its starts alone.
func TestShapeOfArrivals(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	tests := []struct {
		name      string
		starts    func() []float64 // seconds
		low, high float64          // dispersion
		gap       float64          // seconds, within 0.15
	}{
		{"even", func() (all []float64) {
			for i := range 1040 {
				all = append(all, 1.01+float64(i)*0.025)
			}
			return all
		}, 0, 0.05, 0},
		{"Poisson", func() (all []float64) {
			for at := 1.0; at < 26; at += rng.ExpFloat64() / 40 {
				all = append(all, at)
			}
			return all
		}, 0.6, 1.5, 0.1},
		{"blocks of 32 each 2 s", func() (all []float64) {
			for b := range 12 {
				for range 32 {
					all = append(all, 1+2*float64(b))
				}
			}
			return all
		}, 20, 40, 1.9},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := streams(t, "a")
			for i, at := range tt.starts() {
				s.tell(begin(1, uint64(i), at), end(1, uint64(i), at+0.01, 0.01))
			}
			sig := s.Second(second(27))
			k := &sig.Client
			if !(k.Dispersion >= tt.low && k.Dispersion <= tt.high) {
				t.Errorf("dispersion: want %g to %g, got %g", tt.low, tt.high, k.Dispersion)
			}
			if math.Abs(k.BurstGap-tt.gap) > 0.21 {
				t.Errorf("gap: want %g s, got %g", tt.gap, k.BurstGap)
			}
		})
	}
}

func TestShapeOfRequests(t *testing.T) {
	s := streams(t, "a")
	observe := func(id model.SeriesID, at, v float64) {
		s.tell(model.Event{Kind: model.Observe, Series: id, Source: 1, At: second(at), Value: v})
	}
	for i := range 1200 {
		at := 1 + float64(i)*0.1
		s.tell(begin(1, uint64(i), at), end(1, uint64(i), at+0.01, 0.01))
		observe(model.ClientInputTokens, at, 100)
		observe(model.ClientOutputTokens, at, 100+float64(i/600)*100) // longer in the second half
		observe(model.ClientReused, at, float64(min(i%4, 1)))         // every fourth opens one
		observe(model.ClientSchedDelay, at, 0.2)
	}
	sig := s.Second(second(121))
	k := &sig.Client
	for _, c := range []struct {
		name            string
		want, got, near float64
	}{
		{"input spread", 0, k.InputCV, 1e-9},
		{"input drift", 0, k.InputDrift, 1e-6},
		{"output drift", 200.0/(400.0/3) - 1, k.OutputDrift, 0.01}, // a quarter of them, against the others
		{"connections a request", 0.25, k.ConnsPerRequest, 0.01},
		{"schedule delay", 0.2, k.SchedDelay, 1e-6},
		{"longest delay", 0.2, k.SchedDelayMax, 1e-6},
	} {
		if !(math.Abs(c.want-c.got) <= c.near) {
			t.Errorf("%s: want %g, got %g", c.name, c.want, c.got)
		}
	}
}

// A bar gives a rate though no request is told.
func TestRateOfABar(t *testing.T) {
	s := streams(t, "a")
	for i := range 100 {
		s.tell(model.Event{Kind: model.Level, Series: model.ClientBarDone, Source: 1, At: second(1 + float64(i)*0.1), Value: float64(4 * i)})
	}
	sig := s.Second(second(11))
	if k := &sig.Client; k.Known || math.Abs(k.BarRate-40) > 1 {
		t.Errorf("want 40 a second and no request known, got %g, %v", k.BarRate, k.Known)
	}
	if got := sig.Server.X; math.Abs(got-40) > 1 {
		t.Errorf("want it to stand in for the server's count, got %g", got)
	}
}
