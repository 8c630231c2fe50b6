package store

import (
	"math/rand/v2"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"

	"benchtop/model"
)

// TestOverMerges wants the window's histogram to be the merged seconds,
// whether these hold few latencies or many.
func TestOverMerges(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, perSecond := range []int{1, 100, fewValues, fewValues + 1, 3 * fewValues} {
		s := newSketch()
		want := hdrhistogram.New(1, latencyMax, windowDigits)
		for sec := range int64(100) { // the ring goes round
			for range perSecond {
				v := rng.ExpFloat64()
				s.add(model.Instant(sec*1e9), v)
				if sec >= 60 && sec < 90 {
					_ = want.RecordValue(micros(v))
				}
			}
		}
		got := s.over(60e9, 90e9)
		if w, g := quantiles(want), quantiles(got); w != g {
			t.Errorf("%d a second: want %+v, got %+v", perSecond, w, g)
		}
	}
}

// TestFirstTokensOfTheWindow wants the last 30 s told apart from the run: what
// was slow a minute ago is no more.
func TestFirstTokensOfTheWindow(t *testing.T) {
	s := New(model.DefaultThresholds())
	for i := range model.Instant(100) {
		at, ttft := origin+i*sec, 4.0
		if i >= 60 {
			ttft = 0.2
		}
		s.Apply(&model.Batch{Events: []model.Event{
			{At: at, Seen: at, Kind: model.Observe, Series: model.ClientTTFT, Value: ttft, Source: 1},
			{At: at, Seen: at, Kind: model.Observe, Series: model.ClientTPOT, Value: ttft / 10, Source: 1},
			{At: at, Seen: at, Kind: model.Tick},
		}})
	}
	var snap model.Snapshot
	s.Freeze(&snap, nil, true)
	l := &snap.Latency
	near := func(got, want float64) bool { return got > 0.98*want && got < 1.02*want }
	if !near(l.TTFT.P50, 4) || !near(l.TPOT.P50, 0.4) || l.TTFT.N != 100 {
		t.Errorf("want the run's median 4 s and 400 ms of 100, got %+v, %+v", l.TTFT, l.TPOT)
	}
	if !near(l.WindowTTFT.P99, 0.2) || !near(l.WindowTPOT.P99, 0.02) || l.WindowTTFT.N < 29 || l.WindowTTFT.N > 31 {
		t.Errorf("want the last 30 s at 200 ms and 20 ms, got %+v, %+v", l.WindowTTFT, l.WindowTPOT)
	}
}
