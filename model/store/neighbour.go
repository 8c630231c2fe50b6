package store

import (
	"math"

	"benchtop/model"
)

// neighbour compares throughput while other processes were busy with
// throughput while they were not, over the 5-s buckets of the last five
// minutes.
func (s *Store) neighbour(sig *model.Signals) {
	h, t := &sig.Host, s.whole[model.HostOtherCPU]
	x := sig.Load.X5
	if t == nil || len(x) == 0 || !(t.max >= s.run.Thresholds.OtherCPU) {
		return
	}
	var busy, calm []float64
	last := s.lastBucket
	for i, v := range x {
		from := model.Instant((last - int64(len(x)-1-i)) * fracStep)
		switch share := t.mean(from, from+fracStep); {
		case math.IsNaN(share):
		case share >= s.run.Thresholds.OtherCPU:
			busy = append(busy, v)
		default:
			calm = append(calm, v)
		}
	}
	h.XBusy, h.XCalm = mean(busy), mean(calm)
}
