package recording

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"benchtop/model"
	"benchtop/model/engine"
)

// busy gives the batches of one second of rate requests, told as they begin and
// end or, with pairs, at their end only; then its ticks.
func busy(rng *rand.Rand, second, rate int, pairs bool) []*model.Batch {
	var out []*model.Batch
	start := t0.Add(time.Duration(second) * time.Second)
	n := 0
	for tick := range 10 {
		b := &model.Batch{}
		for i := range rate / 10 {
			at := start.Add(time.Duration(tick)*100*time.Millisecond + time.Duration(i)*100*time.Millisecond/time.Duration(rate/10))
			lat := 0.02 * math.Exp(0.4*rng.NormFloat64())
			end := at.Add(time.Duration(lat * 1e9))
			n++
			key := uint64(second*rate + n)
			seen := at.Add(time.Millisecond)
			if pairs {
				seen = end.Add(time.Millisecond)
			}
			b.Events = append(b.Events, model.Event{At: at, Seen: seen, Key: key, Series: model.ClientInFlight, Source: 1, Kind: model.Begin})
			outcome := model.ClientOK
			if rng.IntN(50) == 0 {
				outcome = model.ClientTimeout
			}
			b.Events = append(b.Events,
				model.Event{At: end, Seen: end.Add(time.Millisecond), Key: key, Series: outcome, Source: 1, Kind: model.End, Value: lat},
				model.Event{At: end, Seen: end.Add(time.Millisecond), Key: key, Series: model.ClientOutputTokens, Source: 1, Kind: model.Observe, Value: float64(50 + rng.IntN(100))})
		}
		slices.SortStableFunc(b.Events, func(x, y model.Event) int { return cmp.Compare(x.Seen, y.Seen) })
		at := start.Add(time.Duration(tick+1) * 100 * time.Millisecond)
		b.Events = append(b.Events,
			model.Event{At: at, Seen: at, Series: model.ServerRunning, Source: 2, Kind: model.Level, Value: float64(rng.IntN(30))},
			model.Event{At: at, Seen: at, Kind: model.Tick})
		out = append(out, b)
	}
	return out
}

// TestThinned records twenty seconds far above the stated rate between quiet
// ones: what a replay shows of totals, histograms, curves and other sources is
// what the run showed.
func TestThinned(t *testing.T) {
	for _, pairs := range []bool{false, true} {
		data, live := thinnedRun(t, pairs)
		r, err := readerOf(data)
		if err != nil {
			t.Fatal(err)
		}
		again := engine.New(engine.Options{})
		ch := make(chan *model.Batch)
		told, events := 0, 0
		go func() {
			defer close(ch)
			for {
				b := &model.Batch{}
				if r.Next(b) != nil {
					return
				}
				for _, n := range b.Notes {
					if n.Name == model.FactThinned {
						told++
					}
				}
				events += len(b.Events)
				ch <- b
			}
		}()
		again.Run(ch)
		want, got := live.Latest(), again.Latest()
		if told < 19 || told > 21 {
			t.Errorf("want the 20 seconds told as thinned, got %d", told)
		}
		if r.Damaged() > 0 {
			t.Errorf("want no damage, got %d", r.Damaged())
		}
		sameRun(t, want, got)
	}
}

func thinnedRun(t *testing.T, pairs bool) ([]byte, *engine.Engine) {
	t.Helper()
	d := &memory{}
	w, err := newWriter("x", Header{}, d.disk())
	if err != nil {
		t.Fatal(err)
	}
	w.wait = time.Minute
	live := engine.New(engine.Options{})
	ch := make(chan *model.Batch)
	rng := rand.New(rand.NewPCG(3, 1))
	go func() {
		defer close(ch)
		for sec := range 40 {
			rate := 500
			if sec >= 9 && sec < 30 {
				rate = 8000
			}
			for _, b := range busy(rng, sec, rate, pairs) {
				w.Write(b)
				settle(w)
				ch <- b
			}
		}
	}()
	live.Run(ch)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	st := w.Stats()
	if st.Thinned == 0 {
		t.Fatal("want events thinned, got none")
	}
	t.Logf("%d events thinned, %.1f kB in all", st.Thinned, float64(st.Bytes)/1e3)
	if perEvent := float64(st.Bytes) / float64(st.Thinned); perEvent > 1 {
		t.Errorf("want at most a byte an event, got %.2f", perEvent)
	}
	return d.data, live
}

func sameRun(t *testing.T, want, got *model.Snapshot) {
	t.Helper()
	for _, o := range []model.SeriesID{model.ClientOK, model.ClientTimeout} {
		if want.Client.ByOutcome[o] != got.Client.ByOutcome[o] {
			t.Errorf("%s: want %d, got %d", o, want.Client.ByOutcome[o], got.Client.ByOutcome[o])
		}
	}
	near := func(name string, want, got, tolerance float64) {
		t.Helper()
		if !(math.Abs(want-got) <= tolerance*math.Abs(want)) {
			t.Errorf("%s: want %g within %g, got %g", name, want, tolerance, got)
		}
	}
	q, p := want.Latency.OK, got.Latency.OK
	near("mean", q.Mean, p.Mean, 1e-6)
	near("p50", q.P50, p.P50, 0.002)
	near("p99", q.P99, p.P99, 0.002)
	near("p99.9", q.P999, p.P999, 0.002)
	near("max", q.Max, p.Max, 1e-6)
	near("tokens", want.Whole(model.ClientOutputTokens).Total, got.Whole(model.ClientOutputTokens).Total, 1e-9)
	near("peak in flight", want.Client.PeakFlight, got.Client.PeakFlight, 0.1)
	near("mean in flight", want.Client.MeanFlight, got.Client.MeanFlight, 0.02)
	if a, b := want.Whole(model.ServerRunning), got.Whole(model.ServerRunning); a.N != b.N || a.Total != b.Total {
		t.Errorf("the server's readings: want %d, got %d", a.N, b.N)
	}
}

// FuzzThaw reads payloads that may say anything: bounded, and no panic.
func FuzzThaw(f *testing.F) {
	var th thinner
	th.on = true
	for _, b := range busy(rand.New(rand.NewPCG(1, 1)), 0, 100, true) {
		for i := range b.Events {
			th.take(&b.Events[i])
		}
	}
	p, _, _, _ := th.encode(nil)
	f.Add(p)
	ids := make([]model.SeriesID, model.NumSeries)
	known := make([]bool, model.NumSeries)
	for i := range ids {
		ids[i], known[i] = model.SeriesID(i), true
	}
	f.Fuzz(func(t *testing.T, p []byte) {
		th, err := newThaw(p, ids, known)
		if err != nil {
			return
		}
		left := th.left
		var b model.Batch
		for n := uint64(0); n <= left; {
			b.Clear()
			if th.fill(&b); len(b.Events) == 0 {
				return
			}
			if n += uint64(len(b.Events)); n > left {
				t.Fatalf("want at most %d events, got more", left)
			}
			if n > 1<<16 {
				return // long enough to see that it goes on
			}
		}
	})
}
