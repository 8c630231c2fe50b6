package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"benchtop/model"
	"benchtop/model/engine"
	"benchtop/sources"
	"benchtop/sources/recording"
)

// findRun resolves what the user calls a run: a path, an id, the beginning of
// one, a label, or "last".
func findRun(name string) (string, error) {
	dir, err := recording.Dir()
	if err != nil {
		dir = ""
	}
	path, err := recording.Find(dir, name)
	if err != nil {
		return "", &exitError{exitFailed, err}
	}
	return path, nil
}

// played is a recording after its replay.
type played struct {
	Info recording.Info
	Snap *model.Snapshot
}

// play replays the recording at path as fast as it goes and returns what stands
// at its end, or, for an until above 0, so long after its first event. The
// rules judge by the thresholds that stood when it was recorded.
func play(ctx context.Context, path string, until time.Duration) (*played, error) {
	info, err := recording.Stat(path)
	if err != nil {
		return nil, &exitError{exitFailed, err}
	}
	h := info.Header
	o := engine.Options{Thresholds: thresholdsOf(h), Recycle: sources.Recycle, Preset: headNotes(h)}
	feed, stop := context.WithCancel(ctx)
	defer stop()
	g := sources.NewGroup()
	g.NumberFrom(replayID)
	g.Start(feed, recording.NewReplay(path, sources.NewPacer(sources.Max)), sources.Block, true)
	g.WhenFinite(func() { g.Wait(0) })
	in := g.Batches()
	if until > 0 {
		in = cutAt(g.Batches(), info.First.Add(until), stop)
	}
	e := engine.New(o)
	var crash error
	done := make(chan struct{})
	sources.Spawn("engine", func() { e.Run(in) }, func(err error) { crash = err; close(done) })
	<-done
	if crash != nil {
		return nil, &exitError{exitFailed, fmt.Errorf("replay %s: %w", path, crash)}
	}
	if err := ctx.Err(); err != nil {
		return nil, &exitError{exitFailed, fmt.Errorf("replay %s: stopped", path)}
	}
	snap := *e.Latest()
	snap.Final = snap.Final && until == 0
	for _, src := range snap.Sources {
		if src.State == model.Failed && src.ID >= replayID {
			return nil, &exitError{exitFailed, fmt.Errorf("replay %s: %s", path, src.Why)}
		}
	}
	return &played{info, &snap}, nil
}

// thresholdsOf are those that stood when a run was recorded. One that its version
// did not know yet has its default.
func thresholdsOf(h recording.Header) model.Thresholds {
	th := model.DefaultThresholds()
	if len(h.Thresholds) == 0 || json.Unmarshal(h.Thresholds, &th) != nil {
		return model.DefaultThresholds()
	}
	return th
}

// headNotes tell the run what only the recording's header says.
func headNotes(h recording.Header) []model.Note {
	notes := []model.Note{{At: h.Started, Seen: h.Started, Kind: model.NoteRun, Name: "id", Text: h.ID}}
	if h.Label != "" {
		notes = append(notes, model.Note{At: h.Started, Seen: h.Started, Kind: model.NoteRun, Name: "label", Text: h.Label})
	}
	return notes
}

// cutAt passes batches on up to the tick at until, and drains the rest after
// having asked for the end.
func cutAt(from <-chan *model.Batch, until model.Instant, stop func()) <-chan *model.Batch {
	to := make(chan *model.Batch)
	sources.Spawn("cut", func() {
		defer close(to)
		open := true
		for b := range from {
			if !open {
				continue
			}
			for i, ev := range b.Events {
				if ev.Kind == model.Tick && ev.Seen >= until {
					b.Events, open = b.Events[:i+1], false
					break
				}
			}
			to <- b
			if !open {
				stop()
			}
		}
	}, func(error) {})
	return to
}
