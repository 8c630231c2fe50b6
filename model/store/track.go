package store

import (
	"math"
	"time"

	"benchtop/model"
)

// trackKey names a track.
type trackKey struct {
	series model.SeriesID
	source model.SourceID
	key    uint64
}

// track is one series of one source and key under construction.
type track struct {
	id      trackKey
	shape   model.Shape
	tiers   [3]strip
	last    float64
	lastAt  model.Instant
	total   float64
	n       uint64
	sum     float64 // of all levels or observations
	min     float64
	max     float64
	period  float64 // seconds between samples, smoothed; 0 if unknown
	hold    holding // of a gauge told at its changes
	area    float64 // Cumulative: Σ delta · (at − origin), for the time average
	origin  model.Instant
	until   model.Instant // Cumulative: who told it has ended; 0 while it is told
	changes bool          // told at its changes rather than sampled
	past    totals        // the part of n, sum and total that is history; its least and most
}

// totals are a track's figures over the whole run.
type totals struct {
	n           uint64
	sum, total  float64
	least, most float64
}

// totals are the figures so far.
func (t *track) totals() totals { return totals{t.n, t.sum, t.total, t.min, t.max} }

// settle books what came since was: history is drawn, but is no part of the
// run's figures once there are others.
func (t *track) settle(was totals, history bool) {
	if !history || t.n == was.n {
		return
	}
	p := &t.past
	if p.n == 0 {
		p.least, p.most = math.Inf(1), math.Inf(-1)
	}
	p.n += t.n - was.n
	p.sum += t.sum - was.sum
	p.total += t.total - was.total
	p.least, p.most = min(p.least, t.min), max(p.most, t.max)
	t.min, t.max = was.least, was.most
}

func newTrack(id trackKey) *track {
	t := &track{id: id, shape: id.series.Describe().Shape, last: math.NaN(), min: math.Inf(1), max: math.Inf(-1)}
	for i := range t.tiers {
		t.tiers[i] = newStrip(model.TierSteps[i], model.TierLens[i])
	}
	return t
}

// put adds one value to the buckets that hold at.
func (t *track) put(at model.Instant, v float64) {
	f := float32(v)
	for i := range t.tiers {
		b := t.tiers[i].at(at)
		if b == nil {
			continue
		}
		if b.N == 0 {
			*b = model.Bucket{Min: f, Max: f, Sum: f, N: 1}
			continue
		}
		b.Min, b.Max = min(b.Min, f), max(b.Max, f)
		b.Sum += f
		b.N++
	}
	t.n++
}

// level sets a sampled value. Of an ever-growing amount (Span) the buckets
// hold the growth since the first sample, so that a counter that stands at
// millions keeps its small steps, and a restart is no growth.
func (t *track) level(at model.Instant, v float64) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return
	}
	t.changes = false
	stored := v
	if t.shape == model.Span {
		if at < t.lastAt {
			return
		}
		if v > t.last {
			t.total += v - t.last
		}
		stored = t.total
	}
	t.put(at, stored)
	t.sum += v
	t.min, t.max = min(t.min, v), max(t.max, v)
	if at < t.lastAt {
		return
	}
	t.pace(at)
	t.last, t.lastAt = v, at
}

// pace learns the usual spacing of samples from one more at at.
func (t *track) pace(at model.Instant) {
	d := at.Seconds(t.lastAt)
	switch {
	case t.lastAt == 0 || d <= 0.02:
	case t.period == 0:
		t.period = d
	default:
		t.period += 0.2 * (min(d, 5*t.period) - t.period)
	}
}

// amend replaces the newest sampled value of a gauge: another part of the same
// sum was told a moment later.
func (t *track) amend(at model.Instant, v float64) {
	if t.n == 0 || at < t.lastAt || math.IsNaN(t.last) || math.IsNaN(v) || math.IsInf(v, 0) {
		t.level(at, v)
		return
	}
	f, was := float32(v), float32(t.last)
	for i := range t.tiers {
		r := &t.tiers[i]
		b := r.at(at)
		if b == nil {
			continue
		}
		if int64(at)/int64(r.Step) != int64(t.lastAt)/int64(r.Step) || b.N == 0 { // the breath crosses a border
			b.Add(model.Bucket{Min: f, Max: f, Sum: f, N: 1})
			continue
		}
		b.Sum += f - was
		b.Max = max(b.Max, f)
		if b.Min = min(b.Min, f); b.N == 1 {
			b.Min, b.Max = f, f
		}
	}
	t.sum += v - t.last
	t.min, t.max = min(t.min, v), max(t.max, v)
	t.last, t.lastAt = v, at
}

// add sums an amount; for in-flight it is a change of the value.
func (t *track) add(at model.Instant, v float64) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return
	}
	t.put(at, v)
	t.total += v
	if t.origin == 0 {
		t.origin = at
	}
	t.area += v * at.Seconds(t.origin)
	t.lastAt = max(t.lastAt, at)
	t.last = t.total
}

// observe adds one observation of a distribution. What is no number is none.
func (t *track) observe(at model.Instant, v float64) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return
	}
	t.put(at, v)
	t.sum += v
	t.total++
	t.min, t.max = min(t.min, v), max(t.max, v)
	if at >= t.lastAt {
		t.pace(at)
		t.last, t.lastAt = v, at
	}
}

// window merges the 100-ms buckets of [from, to).
func (t *track) window(from, to model.Instant) model.Bucket {
	var w model.Bucket
	if t == nil {
		return w
	}
	tier := &t.tiers[0]
	c := tier.Cursor()
	lo, hi := int64(from)/int64(tier.Step), int64(to)/int64(tier.Step)
	lo, hi = max(lo, tier.First), min(hi, tier.End())
	for n := lo; n < hi; n++ {
		if b := c.At(n); b != nil {
			w.Add(*b)
		}
	}
	return w
}

// mean of what was sampled in [from, to), NaN if nothing was.
func (t *track) mean(from, to model.Instant) float64 { return t.window(from, to).Mean() }

// median of the 100-ms buckets' means in [from, to), NaN without any.
func (t *track) median(from, to model.Instant) float64 {
	if t == nil {
		return math.NaN()
	}
	tier := &t.tiers[0]
	c := tier.Cursor()
	var v []float64
	for n := int64(from) / int64(tier.Step); n < int64(to)/int64(tier.Step); n++ {
		if b := c.At(n); b != nil && b.N > 0 {
			v = append(v, b.Mean())
		}
	}
	return model.Median(v)
}

// heldMean is the mean over time in [from, to) of a gauge that is told at its
// changes: each value holds until the next. NaN if nothing was ever told.
func (t *track) heldMean(from, to model.Instant) float64 {
	if t == nil || t.n == 0 {
		return math.NaN()
	}
	tier := &t.tiers[0]
	c := tier.Cursor()
	lo, hi := int64(from)/int64(tier.Step), int64(to)/int64(tier.Step)
	v := math.NaN()
	for n := lo - 1; n > lo-600 && math.IsNaN(v); n-- { // up to a minute back
		if b := c.At(n); b != nil && b.N > 0 {
			v = float64(b.Sum) / float64(b.N)
		}
	}
	sum, n := 0.0, 0.0
	for i := lo; i < hi; i++ {
		if b := c.At(i); b != nil && b.N > 0 {
			v = float64(b.Sum) / float64(b.N)
		}
		if !math.IsNaN(v) {
			sum, n = sum+v, n+1
		}
	}
	if n == 0 {
		return math.NaN()
	}
	return sum / n
}

// amount is the sum of what was added in [from, to); NaN if the track never
// got anything.
func (t *track) amount(from, to model.Instant) float64 {
	if t == nil || t.n == 0 {
		return math.NaN()
	}
	return float64(t.window(from, to).Sum)
}

// count is how many events fell into [from, to).
func (t *track) count(from, to model.Instant) float64 {
	if t == nil {
		return 0
	}
	return float64(t.window(from, to).N)
}

// growth of an ever-growing amount between the samples nearest to from and to,
// and the seconds between them; NaN without two samples. A fall restarts it.
func (t *track) growth(from, to model.Instant) (d, seconds float64) {
	if t == nil {
		return math.NaN(), math.NaN()
	}
	tier := &t.tiers[0]
	c := tier.Cursor()
	lo, hi := int64(from)/int64(tier.Step), int64(to)/int64(tier.Step)
	prev, sum := math.NaN(), 0.0
	var first, last int64
	for n := lo; n <= hi; n++ {
		b := c.At(n)
		if b == nil || b.N == 0 {
			continue
		}
		v := float64(b.Max)
		if math.IsNaN(prev) {
			first = n
		} else if v >= prev {
			sum += v - prev
		}
		prev, last = v, n
	}
	if last <= first || math.IsNaN(prev) {
		return math.NaN(), math.NaN()
	}
	return sum, float64(last-first) * float64(tier.Step) / 1e9
}

// rate is growth a second.
func (t *track) rate(from, to model.Instant) float64 {
	d, s := t.growth(from, to)
	return d / s
}

// publish freezes the track. Figures hold history only if there is nothing else.
func (t *track) publish(live bool) model.Track {
	m := model.Track{
		Series: t.id.series, Source: t.id.source, Key: t.id.key,
		Last: t.last, LastAt: t.lastAt, Total: t.total, N: t.n,
		Sum: t.sum, Min: t.min, Max: t.max,
		Until: t.until, Changes: t.changes,
		Period: time.Duration(t.period * 1e9),
	}
	switch p := &t.past; {
	case p.n == 0:
	case live:
		m.Total, m.N, m.Sum = t.total-p.total, t.n-p.n, t.sum-p.sum
	default:
		m.Min, m.Max = min(m.Min, p.least), max(m.Max, p.most)
	}
	if m.N == 0 || t.shape == model.Counter || t.shape == model.Cumulative {
		m.Min, m.Max = math.NaN(), math.NaN()
	}
	for i := range t.tiers {
		m.Tiers[i] = t.tiers[i].publish()
	}
	return m
}
