package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"benchtop/sources"
	"benchtop/sources/recording"
)

// attachBehind is how far before the newest block a screen that attaches
// begins: the writer closes a block a second, so this shows the newest state
// at once and then goes on smoothly.
const attachBehind = 2 * time.Second

func newAttach(stdio Stdio) *cobra.Command {
	var screen screenFlags
	c := &cobra.Command{
		Use:   "attach RUN",
		Short: "Show a run that another benchtop is recording, read-only",
		Long: `attach follows a recording while it is written, from another terminal or by
another user who may read the file. It only reads: the run and its sources
never notice. It lies about a second behind the run.`,
		Example: "  benchtop attach last\n  benchtop attach 20260102-150405 --headless",
		Args:    arguments(1, 1, oneRun),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := screen.check(); err != nil {
				return err
			}
			path, err := findRun(args[0])
			if err != nil {
				return err
			}
			return attach(cmd.Context(), stdio, &screen, path)
		},
	}
	screen.add(c.Flags())
	return c
}

func attach(ctx context.Context, stdio Stdio, screen *screenFlags, path string) error {
	info, err := recording.Stat(path)
	if err != nil {
		return &exitError{exitFailed, err}
	}
	pacer := sources.NewPacer(1)
	follow := recording.NewReplay(path, pacer)
	follow.Follow = true
	title := "attached"
	switch info.State {
	case recording.Running:
		follow.Start = max(info.First, info.Last.Add(-attachBehind))
	case recording.Closed, recording.Cut:
		title = "attached (over)"
		follow.Start = info.Last
	}
	ses := &session{io: stdio, screen: screen, run: &runFlags{noRecord: true}, title: title, deck: pacer, finite: true}
	ses.preset = append(ses.preset, headNotes(info.Header)...)
	th := thresholdsOf(info.Header)
	ses.judgedBy = &th
	follow.Stay = !ses.headless()
	ses.start = func(ctx context.Context, g *sources.Group) error {
		g.NumberFrom(replayID)
		g.Start(ctx, follow, sources.Block, true)
		return nil
	}
	return ses.Go(ctx)
}
