package loadgen

import "benchtop/model"

// How a stream knows what is in flight, as the summary says it.
const (
	howExact         = "exact"
	howReconstructed = "reconstructed"
	howEstimated     = "estimated"
)

// knows tells how in-flight is known so far, when that changes.
func (t *tracker) knows(r *Record) {
	how := t.how
	switch {
	case t.vague:
		how = howEstimated
	case t.starts > 0:
		how = howExact
	case t.told > 0:
		how = howReconstructed
	case r.Kind == KindGauge && r.InFlight >= 0 && r.Sender:
		how = howExact
	case r.Kind == KindGauge && r.InFlight >= 0:
		how = howEstimated
	}
	if how != t.how {
		t.how = how
		t.note(model.NoteRun, r.At, "concurrency_how", how, 0)
	}
}
