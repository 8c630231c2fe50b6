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
		s := newSketch(true)
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
