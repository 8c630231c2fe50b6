package store

import (
	"maps"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"benchtop/model"
)

const sec = model.Instant(time.Second)

func TestPublishedBucketsAreNeverWrittenAgain(t *testing.T) {
	tr := newTrack(trackKey{series: model.ServerRunning})
	base := model.Instant(1_700_000_000) * sec
	for i := range 100 {
		tr.level(base+model.Instant(i)*sec/10, float64(i))
	}
	pub := tr.publish(true)
	before := make([]model.Bucket, 20)
	pub.Columns(before, base, time.Second)
	for i := range 200 { // late and new values, into published chunks and new ones
		tr.level(base+model.Instant(i)*sec/10, 1000)
	}
	after := make([]model.Bucket, 20)
	pub.Columns(after, base, time.Second)
	for i := range before {
		if before[i] != after[i] {
			t.Errorf("column %d: want %v as published, got %v", i, before[i], after[i])
		}
	}
	again := tr.publish(true)
	again.Columns(after, base, time.Second)
	if after[0].Max != 1000 || after[0].N != 20 {
		t.Errorf("new snapshot: want max 1000 of 20, got %v", after[0])
	}
}

func TestStripLetsGoAndTakesLateOnes(t *testing.T) {
	r := newStrip(time.Second, 64)
	base := model.Instant(1_700_000_000) * sec
	at := func(t model.Instant) model.Bucket { return r.At(int64(t / sec)) }
	r.at(base).N = 1
	r.at(base - 40*sec).N = 2 // earlier than the first, within the limit
	if b := at(base - 40*sec); b.N != 2 {
		t.Fatalf("want the early bucket, got %v", b)
	}
	if b := r.at(base - 400*sec); b != nil {
		t.Errorf("want nothing 400 s back, got %v", b)
	}
	r.at(base + 200*sec).N = 3
	if b := at(base); b.N != 0 {
		t.Errorf("want the old bucket gone, got %v", b)
	}
	if n := r.Len(); n > 4 {
		t.Errorf("want at most 4 chunks, got %d", n)
	}
	r.at(base + 1e9*sec).N = 4 // a clock that jumps must not allocate the gap
	if n := r.Len(); n > 4 {
		t.Errorf("after a jump: want at most 4 chunks, got %d", n)
	}
}

// TestStripIsAList writes here and there, late and far ahead, and publishes now
// and then: each published strip must go on saying what a plain list of buckets
// said at that time.
func TestStripIsAList(t *testing.T) {
	const limit = 320
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 9))
		s := newStrip(time.Second, limit)
		want := map[int64]model.Bucket{}
		type printed struct {
			strip model.Strip
			want  map[int64]model.Bucket
		}
		var all []printed
		now, late := int64(1_700_000_000), int64(1+rng.IntN(200))
		for range 4000 {
			switch rng.IntN(400) {
			case 0:
				now += rng.Int64N(100)
			case 1:
				late = 1 + rng.Int64N(400)
			case 2:
				all = append(all, printed{s.publish(), maps.Clone(want)})
			case 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16:
				now++
			}
			n := now - rng.Int64N(late)
			f := float32(rng.NormFloat64())
			if b := s.at(model.Instant(n) * sec); b != nil {
				b.Add(model.Bucket{Min: f, Max: f, Sum: f, N: 1})
				w := want[n]
				w.Add(model.Bucket{Min: f, Max: f, Sum: f, N: 1})
				want[n] = w
			}
		}
		if s.late > limit/model.ChunkLen {
			t.Errorf("seed %d: want at most as many chunks held open as there are, got %d", seed, s.late)
		}
		all = append(all, printed{s.publish(), want})
		for i, p := range all {
			c := p.strip.Cursor()
			for n, w := range p.want {
				got := c.At(n)
				if n < p.strip.First || got != nil && *got == w {
					continue
				}
				t.Fatalf("seed %d, strip %d, bucket %d of %d..%d: want %v, got %v", seed, i, n, p.strip.First, p.strip.End(), w, got)
			}
			filled := 0
			for n := p.strip.First; n < p.strip.End(); n++ {
				if b := c.At(n); b != nil && b.N > 0 {
					filled++
					if _, ok := p.want[n]; !ok {
						t.Fatalf("seed %d, strip %d: bucket %d holds %v, which nobody put there", seed, i, n, *b)
					}
				}
			}
			if p.strip.Len() > limit/model.ChunkLen+1 || filled == 0 {
				t.Fatalf("seed %d, strip %d: want some buckets in at most %d chunks, got %d in %d", seed, i, limit/model.ChunkLen+1, filled, p.strip.Len())
			}
		}
	}
}

// TestStripStaysSmall holds what the memory of a large run rests on: a strip
// keeps few chunks open, and packs the others, whoever was late long ago.
func TestStripStaysSmall(t *testing.T) {
	s := newStrip(time.Second, 3600)
	base := model.Instant(1_700_000_000) * sec
	for i := range 4000 {
		s.at(base + model.Instant(i)*sec).Add(model.Bucket{Min: 1, Max: 1, Sum: 1, N: 1})
		if i == 1000 {
			s.at(base).Add(model.Bucket{Min: 1, Max: 1, Sum: 1, N: 1}) // all before it is open now
			if len(s.New) != 1000/model.ChunkLen+1 {
				t.Fatalf("want all chunks open for a late event, got %d", len(s.New))
			}
		}
	}
	if len(s.New) != 1 {
		t.Errorf("want one open chunk, got %d", len(s.New))
	}
	apart := map[*model.Packed]bool{}
	for _, p := range s.Old {
		apart[p] = true
	}
	if len(apart) > 2 {
		t.Errorf("want chunks that say the same kept once, got %d", len(apart))
	}
}

// TestInFlightFromShuffledEnds checks that in-flight at any bucket is right
// whatever the order in which ends are told.
func TestInFlightFromShuffledEnds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	base := model.Instant(1_700_000_000) * sec
	type span struct{ from, to model.Instant }
	var spans []span
	for range 500 {
		from := base + model.Instant(rng.Int64N(int64(60*sec)))
		spans = append(spans, span{from, from + model.Instant(rng.Int64N(int64(9*sec)))})
	}
	rng.Shuffle(len(spans), func(i, j int) { spans[i], spans[j] = spans[j], spans[i] })
	tr := newTrack(trackKey{series: model.ClientInFlight})
	var f flight
	for _, s := range spans {
		tr.add(s.from, 1)
		tr.add(s.to, -1)
		f.begin(s.from, 1)
		f.end(s.to)
	}
	f.slot(base + 70*sec)
	f.sweep()
	pub := tr.publish(true)
	cols := make([]model.Bucket, 700)
	pub.Columns(cols, base, 100*time.Millisecond)
	for i := range cols {
		at := base + model.Instant(i+1)*sec/10 // a bucket shows the value at its end
		want := 0.0
		for _, s := range spans {
			if s.from < at && s.to >= at {
				want++
			}
		}
		if cols[i].N > 0 && float64(cols[i].Max) != want {
			t.Fatalf("column %d: want %v in flight, got %v", i, want, cols[i].Max)
		}
		if got, ok := f.at(at-1, 0); !ok || got != want {
			t.Fatalf("flight at %d: want %v, got %v (%v)", i, want, got, ok)
		}
	}
}

func TestSpanGrowthSurvivesRestartAndLargeValues(t *testing.T) {
	tr := newTrack(trackKey{series: model.GPUHeldPowerCap})
	base := model.Instant(1_700_000_000) * sec
	v := 1_234_567.0 // seconds held since the driver was loaded
	for i := range 10 {
		tr.level(base+model.Instant(i)*sec, v+0.001*float64(i))
	}
	if d, s := tr.growth(base, base+9*sec); math.Abs(d-0.009) > 1e-6 || s != 9 {
		t.Errorf("want 0.009 held in 9 s, got %v in %v", d, s)
	}
	tr.level(base+10*sec, 0.5) // a driver reload
	tr.level(base+11*sec, 0.75)
	if d, _ := tr.growth(base, base+11*sec); math.Abs(d-0.259) > 1e-6 {
		t.Errorf("across a restart: want 0.259, got %v", d)
	}
}

func TestFractionsAddUpToRequests(t *testing.T) {
	var f fractions
	base := model.Instant(1_700_000_000) * sec
	want := 0.0
	for i := range 100 {
		f.add(base+model.Instant(i)*sec, 0.5+float64(i%7)*2)
		want++
	}
	x, _ := f.rates(int64(base)/fracStep-10, int64(base+100*sec)/fracStep+1)
	got := 0.0
	for _, v := range x {
		got += v * 5
	}
	if math.Abs(got-want) > 1e-6 {
		t.Errorf("want %v requests in all, got %v", want, got)
	}
}

func TestTrendsAgainstPublishedExamples(t *testing.T) {
	ramp := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	flat := []float64{5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5}
	zig := []float64{5, 6, 5, 6, 5, 6, 5, 6, 5, 6, 5, 6}
	for _, c := range []struct {
		name         string
		y            []float64
		slope        float64
		below, above float64
	}{
		{"ramp", ramp, 1, 0.0001, 0},
		{"constant", flat, 0, 1.01, 0.99},
		{"zigzag", zig, 0, 1.01, 0.3},
	} {
		if got := theilSen(c.y); got != c.slope {
			t.Errorf("%s: want slope %v, got %v", c.name, c.slope, got)
		}
		if p := mannKendall(c.y); !(p < c.below && p >= c.above) {
			t.Errorf("%s: want p in [%v, %v), got %v", c.name, c.above, c.below, p)
		}
	}
	// Ten rising values with ties: far beyond chance, but not certain.
	y := []float64{10, 22, 21, 30, 22, 30, 40, 40, 41, 39}
	if p := mannKendall(y); p > 0.01 || p < 0.0005 {
		t.Errorf("rising sample: want p between 0.0005 and 0.01, got %v", p)
	}
	if !math.IsNaN(mannKendall([]float64{1, 2, 3})) || !math.IsNaN(theilSen([]float64{1})) {
		t.Error("want NaN below the least number of points")
	}
}

// TestFlightOver compares the mean and the peak of any stretch with a walk over
// its steps.
func TestFlightOver(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	base := model.Instant(1_700_000_000) * sec
	var f flight
	for range 3000 {
		from := base + model.Instant(rng.Int64N(int64(150*sec)))
		f.begin(from, 1)
		if rng.IntN(10) > 0 {
			f.end(from + model.Instant(rng.Int64N(int64(9*sec))))
		}
	}
	f.slot(base + 160*sec)
	f.sweep()
	for range 500 {
		from := base + model.Instant(rng.Int64N(int64(170*sec)))
		to := from + model.Instant(rng.Int64N(int64(120*sec)))
		sum, peak, n := 0.0, 0.0, 0
		for s := int64(from) / flightStep; s < int64(to)/flightStep; s++ {
			if s < f.base || s > f.newest {
				continue
			}
			v := float64(f.sumBegun[s-f.base] - f.sumEnded[s-f.base])
			sum, peak, n = sum+v, max(peak, v), n+1
		}
		mean, most, ok := f.over(from, to)
		if ok != (n > 0) || ok && (mean != sum/float64(n) || most != peak) {
			t.Fatalf("from %v for %v: want mean %v, peak %v of %d steps, got %v, %v (%v)", from.Seconds(base), to.Seconds(from), sum/float64(n), peak, n, mean, most, ok)
		}
	}
}
