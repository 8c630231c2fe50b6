package cli

import (
	"context"
	"fmt"
	"time"

	"benchtop/model"
	"benchtop/sources"
	"benchtop/sources/recording"
)

// keeperEvery is how often the recording is asked how it is doing.
const keeperEvery = time.Second

// keeper is the source that tells, while the run goes on, that its recording
// does not: a full disk shows as a failed source and a mark, a slow one as a
// mark.
type keeper struct{ writer *recording.Writer }

// Name implements sources.Source.
func (k keeper) Name() string { return "recording" }

// Run implements sources.Source.
func (k keeper) Run(ctx context.Context, out *sources.Outlet) error {
	t := time.NewTicker(keeperEvery)
	defer t.Stop()
	lost := false
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-t.C:
		}
		st := k.writer.Stats()
		switch {
		case st.Err != nil:
			why := fmt.Errorf("not recorded any more: %w (the run goes on)", recording.Why(st.Err))
			out.Describe(sources.Now(), "recording", model.KindOther, "", "")
			k.mark(out, why.Error())
			return sources.Final(why)
		case st.Lost > 0 && !lost:
			lost = true
			k.mark(out, fmt.Sprintf("the disk is too slow for the recording: %d events are missing in it so far", st.LostEvents))
		}
	}
}

func (k keeper) mark(out *sources.Outlet, text string) {
	now := sources.Now()
	out.Note(model.Note{At: now, Seen: now, Kind: model.NoteMark, Name: "source", Text: text, Value: 1})
	out.Flush()
}
