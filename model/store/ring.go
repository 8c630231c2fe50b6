package store

import (
	"slices"
	"time"

	"benchtop/model"
)

// ring is one tier of the latency map under construction: chunks of buckets, of which those that
// were published are copied before the next write.
type ring[T any] struct {
	step   int64 // ns
	limit  int64 // buckets kept
	first  int64
	chunks []*[model.ChunkLen]T
	frozen []bool // published: copy before writing
	thawed []int  // indexes not frozen
	dirty  bool
	pub    []*[model.ChunkLen]T
}

func newRing[T any](step time.Duration, limit int64) ring[T] {
	return ring[T]{step: int64(step), limit: limit}
}

// at is the bucket of an instant, for writing; nil if it is older than the
// tier reaches.
func (r *ring[T]) at(t model.Instant) *T {
	n := int64(t) / r.step
	c := n - n%model.ChunkLen
	switch {
	case len(r.chunks) == 0:
		r.first = c
	case c < r.first:
		if !r.prepend(c) {
			return nil
		}
	}
	r.extend(c)
	i := int((c - r.first) / model.ChunkLen)
	r.dirty = true
	if r.chunks[i] == nil {
		r.chunks[i] = new([model.ChunkLen]T)
		r.thaw(i)
	} else if r.frozen[i] {
		copied := *r.chunks[i]
		r.chunks[i] = &copied
		r.thaw(i)
	}
	return &r.chunks[i][n-c]
}

func (r *ring[T]) thaw(i int) {
	r.frozen[i] = false
	r.thawed = append(r.thawed, i)
}

// prepend makes room for a chunk before the first, within the limit.
func (r *ring[T]) prepend(c int64) bool {
	add := (r.first - c) / model.ChunkLen
	if (int64(len(r.chunks))+add)*model.ChunkLen > r.limit+model.ChunkLen {
		return false
	}
	r.chunks = slices.Insert(r.chunks, 0, make([]*[model.ChunkLen]T, add)...)
	r.frozen = slices.Insert(r.frozen, 0, make([]bool, add)...)
	for i := range r.thawed {
		r.thawed[i] += int(add)
	}
	r.first = c
	return true
}

// extend reaches up to chunk c and lets go of what falls out behind.
func (r *ring[T]) extend(c int64) {
	need := (c-r.first)/model.ChunkLen + 1
	most := r.limit/model.ChunkLen + 1
	if need-int64(len(r.chunks)) > most { // a jump past everything held
		clear(r.chunks)
		r.chunks, r.frozen, r.thawed = r.chunks[:0], r.frozen[:0], r.thawed[:0]
		r.first = c
		need = 1
	}
	for int64(len(r.chunks)) < need {
		r.chunks = append(r.chunks, nil)
		r.frozen = append(r.frozen, false)
	}
	if drop := int64(len(r.chunks)) - most; drop > 0 {
		r.chunks = r.chunks[drop:]
		r.frozen = r.frozen[drop:]
		r.first += drop * model.ChunkLen
		kept := r.thawed[:0]
		for _, i := range r.thawed {
			if i >= int(drop) {
				kept = append(kept, i-int(drop))
			}
		}
		r.thawed = kept
	}
}

// publish freezes the tier as it is.
func (r *ring[T]) publish() model.Tier[T] {
	if r.dirty || r.pub == nil {
		r.pub = slices.Clone(r.chunks)
		for _, i := range r.thawed {
			r.frozen[i] = true
		}
		r.thawed = r.thawed[:0]
		r.dirty = false
	}
	return model.Tier[T]{Step: time.Duration(r.step), First: r.first, Chunks: r.pub}
}
