package loadgen

import (
	"cmp"
	"slices"

	"benchtop/model"
)

// maxDocument bounds a stream that is one text.
const maxDocument = 256 << 20

// place puts the records of a text that came all at once into the order in
// which they would have been seen, and moves times that count from the run's
// start to where it began: as the user says, else so that the last record was
// written when it was read.
func place(records []Record, f *Format, start, seen model.Instant) {
	slices.SortStableFunc(records, func(a, b Record) int {
		if (a.Kind == KindRun) != (b.Kind == KindRun) {
			if a.Kind == KindRun {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.At, b.At)
	})
	if !f.Relative || len(records) == 0 {
		return
	}
	if start == 0 {
		last := model.Instant(0)
		for i := range records {
			last = max(last, records[i].At)
		}
		start = seen - last
	}
	for i := range records {
		r := &records[i]
		if r.At != 0 {
			r.At += start
		}
		if r.Start != 0 {
			r.Start += start
		}
	}
}
