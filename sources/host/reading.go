package host

import (
	"math"

	"benchtop/model"
)

// Reading is what one poll of a machine said. A field is there only if its
// validity bit is set; the zero Reading has none.
type Reading struct {
	At       model.Instant // when it was measured
	Governor string        // of the cores' clock, "" if not known
	PerCore  []float64     // busy share of each core since the poll before, 0..1; nil if not known
	valid    uint64
	value    [NumFields]float64
}

// Set stores a value in the field's unit, unless it can't be one (negative, not
// finite): then the field is absent.
func (r *Reading) Set(f Field, v float64) {
	if !(v >= 0) || math.IsInf(v, 0) {
		r.Unset(f)
		return
	}
	r.valid |= 1 << f
	r.value[f] = v
}

// Unset removes a value.
func (r *Reading) Unset(f Field) {
	r.valid &^= 1 << f
	r.value[f] = 0
}

// Has reports whether the field was read.
func (r *Reading) Has(f Field) bool { return r.valid&(1<<f) != 0 }

// Get is the field's value in its unit, NaN if it was not read.
func (r *Reading) Get(f Field) float64 {
	if !r.Has(f) {
		return math.NaN()
	}
	return r.value[f]
}

// Count is how many fields were read.
func (r *Reading) Count() int {
	n := 0
	for f := range fieldCount {
		if r.Has(f) {
			n++
		}
	}
	return n
}

// Clear empties the reading and keeps its memory.
func (r *Reading) Clear() { *r = Reading{PerCore: r.PerCore[:0]} }
