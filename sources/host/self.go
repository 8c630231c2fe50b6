package host

import (
	"context"
	"time"

	"benchtop/model"
	"benchtop/sources"
)

// Self tells what benchtop itself costs, and nothing else: for a run whose
// machines are read elsewhere, or not at all. Where that can't be read it tells
// nothing and ends.
type Self struct{}

// Name implements sources.Source.
func (Self) Name() string { return "benchtop" }

// Run implements sources.Source.
func (s Self) Run(ctx context.Context, out *sources.Outlet) error {
	out.SetPolicy(sources.Latest)
	out.Describe(sources.Now(), s.Name(), model.KindClock, formatLive, "")
	tick := time.NewTicker(DefaultInterval)
	defer tick.Stop()
	m := newMeter()
	var st State
	for m != nil {
		var r Reading
		r.At = sources.Now()
		m.self(&r)
		Apply(&r, r.At, r.At, out, &st)
		out.FlushAt(r.At)
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
	return nil
}
