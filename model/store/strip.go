package store

import (
	"slices"
	"time"

	"benchtop/model"
)

// strip is one tier of a track under construction. Chunks behind the newest are
// packed as soon as time has left them; one that a late event goes to is opened
// again, and as many are held open from then on as such events reach back.
type strip struct {
	model.Strip
	limit   int64  // buckets kept
	frozen  []bool // of the open chunks: published, copy before writing
	late    int    // how many chunks behind the newest are held open
	touched int    // how far behind the newest was written since it began
	dirty   bool
	pub     model.Strip
}

func newStrip(step time.Duration, limit int64) strip {
	return strip{Strip: model.Strip{Step: step}, limit: limit}
}

// at is the bucket of an instant, for writing; nil if it is older than the
// tier reaches.
func (s *strip) at(t model.Instant) *model.Bucket {
	n := int64(t) / int64(s.Step)
	c := n - n%model.ChunkLen
	switch {
	case s.Len() == 0:
		s.First = c
	case c < s.First:
		if !s.prepend(c) {
			return nil
		}
	}
	s.extend(c)
	i := int((c-s.First)/model.ChunkLen) - len(s.Old)
	if i < 0 {
		s.reopen(i + len(s.Old))
		i = 0
	}
	s.touched = max(s.touched, len(s.New)-1-i)
	s.dirty = true
	if s.New[i] == nil {
		s.New[i] = new([model.ChunkLen]model.Bucket)
		s.frozen[i] = false
	} else if s.frozen[i] {
		copied := *s.New[i]
		s.New[i], s.frozen[i] = &copied, false
	}
	return &s.New[i][n-c]
}

// prepend makes room for a chunk before the first, within the limit.
func (s *strip) prepend(c int64) bool {
	add := (s.First - c) / model.ChunkLen
	if (int64(s.Len())+add)*model.ChunkLen > s.limit+model.ChunkLen {
		return false
	}
	s.Old = slices.Insert(slices.Clone(s.Old), 0, make([]*model.Packed, add)...) // what was published keeps its own
	s.First = c
	return true
}

// extend reaches up to chunk c, packs what is left behind and lets go of what
// falls out.
func (s *strip) extend(c int64) {
	need := (c-s.First)/model.ChunkLen + 1
	if need <= int64(s.Len()) {
		return
	}
	most := s.limit/model.ChunkLen + 1
	if need-int64(s.Len()) > most { // a jump past everything held
		s.Old, s.New, s.frozen = nil, nil, s.frozen[:0]
		s.First, s.late, s.touched = c, 0, 0
		need = 1
	}
	for int64(s.Len()) < need {
		s.New = append(s.New, nil)
		s.frozen = append(s.frozen, false)
		s.late, s.touched = max(s.late-1, s.touched), 0
		if pack := len(s.New) - 1 - s.late; pack > 0 {
			s.pack(pack)
		}
	}
	if drop := int(int64(s.Len()) - most); drop > 0 {
		s.First += int64(drop) * model.ChunkLen
		old := min(drop, len(s.Old))
		s.Old = s.Old[old:]
		s.shift(drop - old)
	}
}

// pack packs the n oldest open chunks. One that says the same as the one before
// it is that one once more.
func (s *strip) pack(n int) {
	for _, c := range s.New[:n] {
		p := model.Pack(c)
		if k := len(s.Old) - 1; p != nil && k >= 0 && s.Old[k] != nil && *s.Old[k] == *p {
			p = s.Old[k]
		}
		s.Old = append(s.Old, p)
	}
	s.shift(n)
}

// shift lets go of the n oldest open chunks.
func (s *strip) shift(n int) {
	left := copy(s.New, s.New[n:])
	clear(s.New[left:])
	s.New = s.New[:left]
	s.frozen = s.frozen[:copy(s.frozen, s.frozen[n:])]
}

// reopen unpacks the chunks from k on.
func (s *strip) reopen(k int) {
	again := make([]*[model.ChunkLen]model.Bucket, len(s.Old)-k, len(s.Old)-k+len(s.New))
	for i, p := range s.Old[k:] {
		if p != nil {
			again[i] = new([model.ChunkLen]model.Bucket)
			p.Unpack(again[i])
		}
	}
	s.frozen = slices.Insert(s.frozen, 0, make([]bool, len(again))...)
	s.New = append(again, s.New...)
	s.Old = s.Old[:k:k] // what follows was published, perhaps
}

// publish freezes the tier as it is. What is appended to the packed chunks later
// lies past the end of what is given out.
func (s *strip) publish() model.Strip {
	if s.dirty {
		s.pub = s.Strip
		s.pub.Old = s.Old[:len(s.Old):len(s.Old)]
		s.pub.New = slices.Clone(s.New)
		for i := range s.frozen {
			s.frozen[i] = true
		}
		s.dirty = false
	} else if s.pub.Step == 0 {
		s.pub = s.Strip
	}
	return s.pub
}
