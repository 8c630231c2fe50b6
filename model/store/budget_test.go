package store

import (
	"fmt"
	"testing"
	"unsafe"

	"benchtop/model"
)

// copied is how many bytes of buckets two snapshots in a row do not share, and
// what the lists of their chunks take.
func copied(a, b *model.Snapshot) (bytes int) {
	chunk := int(unsafe.Sizeof([model.ChunkLen]model.Bucket{}))
	pointer := int(unsafe.Sizeof(uintptr(0)))
	for i := range b.Tracks {
		t := &b.Tracks[i]
		bytes += int(unsafe.Sizeof(*t))
		old := a.Track(t.Series, t.Source, t.Key)
		for k := range t.Tiers {
			shared := map[*[model.ChunkLen]model.Bucket]bool{}
			if old != nil {
				if same := len(old.Tiers[k].New) > 0 && len(t.Tiers[k].New) > 0 && &old.Tiers[k].New[0] == &t.Tiers[k].New[0]; same {
					continue
				}
				for _, c := range old.Tiers[k].New {
					shared[c] = true
				}
			}
			bytes += len(t.Tiers[k].New) * pointer
			for _, c := range t.Tiers[k].New {
				if c != nil && !shared[c] {
					bytes += chunk
				}
			}
		}
	}
	return bytes
}

// TestPublishCopiesLittle holds the budget of a publish at 80 series, whatever
// the run's length: between two ticks each series gets a value.
func TestPublishCopiesLittle(t *testing.T) {
	for _, seconds := range []int{60, 600} {
		t.Run(fmt.Sprint(seconds, " s"), func(t *testing.T) {
			s, at := busy(seconds)
			a := &model.Snapshot{}
			s.Freeze(a, nil, true)
			s.Apply(requests(20, at, 1<<40))
			s.Apply(readings(2, at))
			s.Apply(lines(2, at))
			b := &model.Snapshot{}
			s.Freeze(b, a, false)
			n := copied(a, b)
			t.Logf("%d tracks, %d bytes", len(b.Tracks), n)
			if len(b.Tracks) < 70 {
				t.Fatalf("want about 80 tracks, got %d", len(b.Tracks))
			}
			if n > 400<<10 {
				t.Errorf("want at most %d bytes copied, got %d", 400<<10, n)
			}
		})
	}
}

// TestApplyDoesNotAllocate holds the steady path: what is known already, in
// buckets that are there already.
func TestApplyDoesNotAllocate(t *testing.T) {
	s, at := busy(60)
	for _, b := range []*model.Batch{requests(64, at, 1<<41), readings(2, at), lines(2, at)} {
		s.Apply(b)
		if n := testing.AllocsPerRun(20, func() { s.Apply(b) }); n > 0 {
			t.Errorf("want no allocation for %d events, got %v", len(b.Events), n)
		}
	}
}
