package store

import (
	"math"
	"testing"
)

// TestStepMaker cuts made-up histories into loads.
func TestStepMaker(t *testing.T) {
	nan := math.NaN()
	rep := func(v float64, n int) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = v
		}
		return out
	}
	join := func(parts ...[]float64) (out []float64) {
		for _, p := range parts {
			out = append(out, p...)
		}
		return out
	}
	for _, c := range []struct {
		name string
		open bool
		in   []float64
		want []float64
	}{
		{"one load", false, rep(32, 10), []float64{32}},
		{"three loads", false, join(rep(8, 5), rep(16, 5), rep(32, 5)), []float64{8, 16, 32}},
		{"a ramp is no load", false, []float64{1, 4, 8, 12, 16, 20, 24, 28, 32, 36}, nil},
		{"a ramp, then a load", false, join([]float64{2, 9, 17, 25}, rep(32, 6)), []float64{32}},
		{"one bucket apart is a hiccup", false, join(rep(32, 5), []float64{20}, rep(32, 5)), []float64{32}},
		{"too short at the start", false, join(rep(8, 1), rep(32, 1), rep(16, 8)), []float64{16}},
		{"two short ones", false, join(rep(8, 2), rep(32, 2), rep(16, 2)), nil},
		{"not told at first", false, join(rep(nan, 3), rep(16, 5)), []float64{16}},
		{"Poisson's noise", true, []float64{10, 11, 9.2, 10.8, 9.6, 10.4, 11.2, 8.8}, []float64{10.2}},
		{"arrivals doubled", true, join(rep(10, 6), rep(20, 6)), []float64{10, 20}},
		{"nothing", false, nil, nil},
	} {
		m := stepMaker{open: c.open}
		for i, v := range c.in {
			e := epoch{n: int64(i + 1), x: 1, ok: 1, flight: v, started: v, target: nan, clean: 5}
			m.take(e)
		}
		m.close()
		var got []float64
		for _, s := range m.steps {
			got = append(got, s.Level)
		}
		same := len(got) == len(c.want)
		for i := range got {
			same = same && math.Abs(got[i]-c.want[i]) <= 0.05*c.want[i]
		}
		if !same {
			t.Errorf("%s: want loads %v, got %v", c.name, c.want, got)
		}
	}
}
