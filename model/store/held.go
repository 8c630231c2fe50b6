package store

import (
	"math"

	"benchtop/model"
)

// heldFor is how long a value that is told at its changes stands without
// being told again.
const heldFor = 60_000_000_000

// holding is the open bucket of each tier of a gauge that is told at its
// changes: the area under it so far, and the time that covers.
type holding [3]struct{ area, span float64 }

// change sets a gauge that is told at its changes rather than sampled: its
// buckets hold means over time, and the time between two changes is no gap.
// Counting the changes would be biased by what just changed: a slot freed and
// taken again within 10 ms would look half empty.
func (t *track) change(at model.Instant, v float64) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return
	}
	if t.lastAt == 0 || at < t.lastAt || at-t.lastAt > heldFor || math.IsNaN(t.last) {
		t.level(at, v)
		t.hold, t.changes = holding{}, true
		return
	}
	t.changes = true
	for i := range t.tiers {
		t.holdTier(i, at, v)
	}
	t.n++
	t.sum += v
	t.min, t.max = min(t.min, v), max(t.max, v)
	t.pace(at)
	t.last, t.lastAt = v, at
}

// holdTier books the value that stood from lastAt to at in one tier.
func (t *track) holdTier(i int, at model.Instant, v float64) {
	r, h := &t.tiers[i], &t.hold[i]
	step := model.Instant(r.Step)
	from := t.lastAt
	for from < at {
		end := min(at, (from/step+1)*step)
		h.area += t.last * float64(end-from)
		h.span += float64(end - from)
		t.setHeld(r.at(from), h.area/h.span, t.last)
		if end%step == 0 {
			h.area, h.span = 0, 0
		}
		from = end
	}
	mean := v
	if h.span > 0 {
		mean = h.area / h.span
	}
	t.setHeld(r.at(at), mean, v)
}

func (t *track) setHeld(b *model.Bucket, mean, v float64) {
	if b == nil {
		return
	}
	f := float32(v)
	if b.N == 0 {
		*b = model.Bucket{Min: f, Max: f, Sum: float32(mean), N: 1}
		return
	}
	b.Min, b.Max, b.Sum, b.N = min(b.Min, f), max(b.Max, f), float32(mean), 1
}
