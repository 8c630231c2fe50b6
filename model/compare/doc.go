// Package compare lays finished runs side by side and says what their
// difference proves: rows with the same columns, arms of repeated runs, effects
// with intervals, exact tests, the chain from cause to effect, and warnings as
// values next to each result.
//
// It owns no data: final snapshots (or saved rows) go in, values come out. It
// must not read files, clocks or chance other than its own fixed seed, so that
// the same runs always give the same answer. A number nobody measured is NaN,
// and whatever rests on it is "not measured", never "did not move".
//
// Delivery promise: a difference is claimed only where the runs can carry the
// claim; everything else has a name (inside noise, too few runs, not
// comparable) and a reason.
package compare
