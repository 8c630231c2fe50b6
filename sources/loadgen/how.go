package loadgen

import (
	"strings"

	"benchtop/model"
)

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
	case t.vague, t.holed:
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

// blind tells which kinds of failure the format doesn't tell apart, so that
// nobody takes their 0 for a count.
func (t *tracker) blind(f *Format) {
	if len(f.Blind) == 0 {
		return
	}
	kinds := make([]string, len(f.Blind))
	for i, o := range f.Blind {
		kinds[i] = o.String()
	}
	t.note(model.NoteRun, 0, "kinds_unknown", strings.Join(kinds, ","), 0)
}
