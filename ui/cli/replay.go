package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"benchtop/model"
	"benchtop/sources"
	"benchtop/sources/recording"
)

func newReplay(stdio Stdio) *cobra.Command {
	var (
		screen screenFlags
		run    runFlags
		in     sourceFlags
		rate   string
	)
	c := &cobra.Command{
		Use:   "replay [RUN]",
		Short: "Show a recording, or the raw files of a run that nobody recorded",
		Example: "  benchtop replay run.btrec\n" +
			"  benchtop replay --log server.log --load client.ndjson --metrics file:metrics.prom\n" +
			"  benchtop replay run.btrec --headless --speed max --verdicts --summary -",
		Args: arguments(0, 1, "give one recording, or raw files with --log and --load"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var skip []string
			if len(args) == 1 { // what is played is named: sources are those of the file's live runs
				skip = []string{"log", "load", "metrics", "gpu", "host"}
			}
			if err := run.settle(cmd, stdio, skip...); err != nil {
				return err
			}
			if err := screen.check(); err != nil {
				return err
			}
			if rate == "" {
				rate = "1"
				if screen.headless || !terminal(stdio.Out) {
					rate = "max"
				}
			}
			x, err := speed(rate)
			if err != nil {
				return err
			}
			pacer := sources.NewPacer(x)
			ses := &session{io: stdio, screen: &screen, run: &run, title: "replay", deck: pacer, finite: true}
			switch {
			case len(args) == 1 && in.any():
				return usage("replay takes a recording or raw files, not both (drop --log, --load, --metrics, --gpu, --host)")
			case len(args) == 1:
				err = ses.replayRecording(args[0])
			case in.any():
				err = ses.replayFiles(&in)
			default:
				return usage("replay what? give a recording, or --log FILE and --load FILE (see benchtop replay --help)")
			}
			if err != nil {
				return err
			}
			return ses.Go(cmd.Context())
		},
	}
	f := c.Flags()
	screen.add(f)
	run.add(f)
	in.add(f)
	f.StringVar(&rate, "speed", "", "recorded seconds a second, or max (default 1; max without a screen)")
	return c
}

// replayID is the replay's own source id, above any that a run gives out.
const replayID = 0xf000

// replayRecording plays a recording named by path or id.
func (s *session) replayRecording(name string) error {
	path, err := findRun(name)
	if err != nil {
		return err
	}
	r, err := recording.Open(path)
	if err != nil {
		return &exitError{exitFailed, err}
	}
	h := r.Header()
	th := thresholdsOf(h)
	s.judgedBy = &th
	if info, err := recording.Stat(path); err == nil && info.State == recording.Cut {
		s.title = "replay (cut short)"
		s.remarks = append(s.remarks, fmt.Sprintf("%-9s %s has no end: it was cut short by a kill, a full disk or a copy", "recording", path))
	}
	_ = r.Close() // read only
	s.preset = append(s.preset,
		model.Note{At: h.Started, Seen: h.Started, Kind: model.NoteRun, Name: "id", Text: h.ID},
		model.Note{At: h.Started, Seen: h.Started, Kind: model.NoteRun, Name: "label", Text: h.Label})
	play := recording.NewReplay(path, s.deck)
	s.start = func(ctx context.Context, g *sources.Group) error {
		g.NumberFrom(replayID)
		g.Start(ctx, play, sources.Block, true)
		return nil
	}
	return nil
}

// replayFiles plays raw files by their own times.
func (s *session) replayFiles(in *sourceFlags) error {
	open, err := in.feeds(s.run)
	if err != nil {
		return err
	}
	first, err := open() // a missing file is told now, not on the screen
	if err != nil {
		return &exitError{exitFailed, err}
	}
	closeFeeds(first)
	m := &sources.Merge{Open: open, Pacer: s.deck}
	s.start = func(ctx context.Context, g *sources.Group) error {
		if len(first) == 0 {
			return fmt.Errorf("nothing to replay")
		}
		g.Start(ctx, m, sources.Block, true)
		return nil
	}
	return nil
}
