package store

import (
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

func TestRingLetsGoAndTakesLateOnes(t *testing.T) {
	r := newRing[model.Bucket](time.Second, 64)
	base := model.Instant(1_700_000_000) * sec
	r.at(base).N = 1
	r.at(base - 40*sec).N = 2 // earlier than the first, within the limit
	if b := r.peek(int64(base-40*sec) / int64(sec)); b == nil || b.N != 2 {
		t.Fatalf("want the early bucket, got %v", b)
	}
	if b := r.at(base - 400*sec); b != nil {
		t.Errorf("want nothing 400 s back, got %v", b)
	}
	r.at(base + 200*sec).N = 3
	if b := r.peek(int64(base) / int64(sec)); b != nil && b.N != 0 {
		t.Errorf("want the old bucket gone, got %v", b)
	}
	if n := len(r.chunks); n > 4 {
		t.Errorf("want at most 4 chunks, got %d", n)
	}
	r.at(base + 1e9*sec).N = 4 // a clock that jumps must not allocate the gap
	if n := len(r.chunks); n > 4 {
		t.Errorf("after a jump: want at most 4 chunks, got %d", n)
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
