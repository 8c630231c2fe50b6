package model

import (
	"math"
	"time"
)

// ChunkLen is how many buckets share one allocation. A chunk that was
// published is never written again: the store copies it first.
const ChunkLen = 32

// Bucket aggregates what fell into one step of time. N = 0 is a gap.
type Bucket struct {
	Min, Max, Sum float32
	N             uint32
}

// Mean is the bucket's mean, NaN for a gap.
func (b Bucket) Mean() float64 {
	if b.N == 0 {
		return math.NaN()
	}
	return float64(b.Sum) / float64(b.N)
}

// Add merges o into b.
func (b *Bucket) Add(o Bucket) {
	if o.N == 0 {
		return
	}
	if b.N == 0 {
		*b = o
		return
	}
	b.Min, b.Max = min(b.Min, o.Min), max(b.Max, o.Max)
	b.Sum += o.Sum
	b.N += o.N
}

// Tier is one resolution of a series: buckets of one width on absolute
// boundaries, in chunks. A nil chunk is all gaps.
type Tier[T any] struct {
	Step   time.Duration
	First  int64 // bucket number (Instant ÷ Step) of the first chunk's first bucket; a multiple of ChunkLen
	Chunks []*[ChunkLen]T
}

// At is the bucket with the given number, or nil outside the tier's reach.
func (t *Tier[T]) At(n int64) *T {
	i := n - t.First
	if i < 0 || i >= int64(len(t.Chunks))*ChunkLen {
		return nil
	}
	c := t.Chunks[i/ChunkLen]
	if c == nil {
		return nil
	}
	return &c[i%ChunkLen]
}

// End is the number of the first bucket past the tier.
func (t *Tier[T]) End() int64 { return t.First + int64(len(t.Chunks))*ChunkLen }

// Track is one series of one source and key, as frozen in a snapshot.
// Source AllSources holds what the run as a whole shows: for the client the
// sum over its streams, for the server the sum over the engines of the source
// that tells it best.
type Track struct {
	Series SeriesID
	Source SourceID
	Key    uint64
	Tiers  [3]Strip // 100 ms for 5 min, 1 s for 1 h, 10 s for 24 h
	Last   float64  // newest value; NaN after a gap
	LastAt Instant
	Total  float64 // Counter: sum of all amounts; Cumulative: the value now; Span: growth since the start
	N      uint64  // events in all
	Sum    float64 // of all levels or observations, for the run's mean: Sum ÷ N
	Min    float64 // of the run; NaN where it makes no sense
	Max    float64
	Until  Instant       // of a cumulative series: nothing is known after it, since who told it has ended; 0 while it is told
	Period time.Duration // usual spacing of samples, 0 if not known yet
	// Changes says that it is told at its changes rather than sampled: a value
	// stands until the next one, however long that takes.
	Changes bool
}

// AllSources is the Source of tracks that stand for the run as a whole.
const AllSources SourceID = 0xffff

// TierSteps are the widths of a track's tiers.
var TierSteps = [3]time.Duration{100 * time.Millisecond, time.Second, 10 * time.Second}

// TierLens are how many buckets of each width are kept.
var TierLens = [3]int64{3000, 3600, 8640}

// tierFor picks the finest tier that reaches back to from and is not finer
// than one bucket a column needs.
func (t *Track) tierFor(from Instant, step time.Duration) *Strip {
	best := &t.Tiers[2]
	for i := 2; i >= 0; i-- {
		tier := &t.Tiers[i]
		if tier.Step > step || tier.Len() == 0 {
			continue
		}
		if i < 2 && Instant(tier.First)*Instant(tier.Step) > from && t.reaches(i, from) {
			continue
		}
		best = tier
		if tier.Step*4 <= step || i == 0 {
			break
		}
	}
	return best
}

// reaches reports whether a coarser tier than i holds something between from
// and the start of tier i, so that choosing i would hide it.
func (t *Track) reaches(i int, from Instant) bool {
	start := Instant(t.Tiers[i].First) * Instant(t.Tiers[i].Step)
	for j := i + 1; j < len(t.Tiers); j++ {
		c := &t.Tiers[j]
		if c.Len() > 0 && Instant(c.First)*Instant(c.Step) < start && start > from {
			return Instant(c.First)*Instant(c.Step)+Instant(c.Step)*ChunkLen <= start
		}
	}
	return false
}

// Columns fills dst with one bucket a column: column i covers
// [from + i·step, from + (i+1)·step). from is floored to step. Gaps stay gaps;
// see Held for gauges that are told only now and then.
//
// For a Cumulative series a column holds the value's mean, min and max (N = 1)
// from the first event on. For a Span series Sum is the growth in the column.
func (t *Track) Columns(dst []Bucket, from Instant, step time.Duration) {
	from = from.Floor(step)
	clear(dst)
	tier := t.tierFor(from, step)
	if tier.Len() == 0 {
		return
	}
	switch t.Series.Describe().Shape {
	case Cumulative:
		t.levels(dst, tier, from, step)
	case Span:
		t.growth(dst, tier, from, step)
	case Gauge, Counter, Sample:
		c := tier.Cursor()
		for i := range dst {
			lo := int64(from.Add(time.Duration(i)*step)) / int64(tier.Step)
			hi := int64(from.Add(time.Duration(i+1)*step)) / int64(tier.Step)
			for n := lo; n < max(hi, lo+1); n++ {
				if b := c.At(n); b != nil {
					dst[i].Add(*b)
				}
			}
		}
	}
}

// levels walks a cumulative track's deltas backward from its value now.
func (t *Track) levels(dst []Bucket, tier *Strip, from Instant, step time.Duration) {
	level := t.Total
	end := tier.End()
	first := int64(from) / int64(tier.Step)
	last := int64(from.Add(time.Duration(len(dst))*step)) / int64(tier.Step)
	ratio := int64(max(1, step/tier.Step))
	lastN := int64(t.LastAt) / int64(tier.Step)
	begun := firstFilled(tier)
	c := tier.Cursor()
	for n := end - 1; n >= max(first, tier.First); n-- {
		b := c.At(n)
		if n < last && n >= begun && n <= lastN {
			i := (n - first) / ratio
			if i >= 0 && i < int64(len(dst)) {
				v := float32(level)
				dst[i].Add(Bucket{v, v, v, 1})
			}
		}
		if b != nil && b.N > 0 {
			level -= float64(b.Sum)
		}
	}
	// After the newest event the value stands still: it is known, not a gap,
	// until nobody tells it any more.
	if t.Until != 0 {
		last = min(last, int64(t.Until)/int64(tier.Step)+1)
	}
	for n := max(lastN+1, first); n < last; n++ {
		i := (n - first) / ratio
		if i >= 0 && i < int64(len(dst)) && dst[i].N == 0 && t.N > 0 {
			v := float32(t.Total)
			dst[i].Add(Bucket{v, v, v, 1})
		}
	}
}

func firstFilled(tier *Strip) int64 {
	c := tier.Cursor()
	for n := tier.First; n < tier.End(); n++ {
		if b := c.At(n); b != nil && b.N > 0 {
			return n
		}
	}
	return tier.End()
}

// growth turns an ever-growing amount into growth a column.
func (t *Track) growth(dst []Bucket, tier *Strip, from Instant, step time.Duration) {
	first := int64(from) / int64(tier.Step)
	ratio := int64(max(1, step/tier.Step))
	prev := math.NaN()
	c := tier.Cursor()
	for n := tier.First; n < min(first, tier.End()); n++ {
		if b := c.At(n); b != nil && b.N > 0 {
			prev = float64(b.Max)
		}
	}
	for i := range dst {
		for n := first + int64(i)*ratio; n < first+int64(i+1)*ratio; n++ {
			b := c.At(n)
			if b == nil || b.N == 0 {
				continue
			}
			if d := float64(b.Max) - prev; d >= 0 {
				dst[i].Add(Bucket{float32(d), float32(d), float32(d), 1})
			}
			prev = float64(b.Max)
		}
	}
}

// Held fills gaps of a gauge's columns with the value before them, for at most
// reach (a log line each 10 s says what was so until the next). A reach of 0
// takes two and a half periods of the track, a minute where it tells changes. Columns after now stay gaps.
func (t *Track) Held(dst []Bucket, from Instant, step, reach time.Duration, now Instant) {
	t.Columns(dst, from, step)
	switch {
	case reach == 0 && t.Changes:
		reach = time.Minute
	case reach == 0:
		reach = t.Period * 5 / 2
	}
	from = from.Floor(step)
	steps := int64(reach / step)
	prev, age := t.before(from, reach)
	for i := range dst {
		if from.Add(time.Duration(i)*step) > now {
			return
		}
		if dst[i].N > 0 {
			v := float32(dst[i].Mean())
			if end := from.Add(time.Duration(i+1) * step); t.LastAt < end && !math.IsNaN(t.Last) {
				v = float32(t.Last) // what stands is the newest value, not its bucket's mean
			}
			prev, age = Bucket{v, v, v, 1}, 0
			continue
		}
		age++
		if prev.N > 0 && age <= steps {
			dst[i] = prev
		}
	}
}

// before looks for the last bucket before from, within reach.
func (t *Track) before(from Instant, reach time.Duration) (Bucket, int64) {
	tier := &t.Tiers[1]
	c := tier.Cursor()
	n := int64(from)/int64(tier.Step) - 1
	for back := int64(1); back <= int64(reach/tier.Step); back, n = back+1, n-1 {
		if b := c.At(n); b != nil && b.N > 0 {
			v := float32(b.Mean())
			if t.LastAt < from && !math.IsNaN(t.Last) {
				v = float32(t.Last)
			}
			return Bucket{v, v, v, 1}, back
		}
	}
	return Bucket{}, 0
}
