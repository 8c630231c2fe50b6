package cli

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"benchtop/model"
	"benchtop/sources"
	"benchtop/sources/sim"
)

// demoStart is second 0 of a demo that does not follow the wall clock, so that
// the same seed prints the same bytes.
var demoStart = model.InstantOf(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))

func newDemo(stdio Stdio) *cobra.Command {
	var (
		screen   screenFlags
		run      runFlags
		scenario string
		list     bool
		seed     uint64
		rate     string
		trial    trialFlags
	)
	c := &cobra.Command{
		Use:   "demo",
		Short: "Play the embedded simulator: no GPU, no server, no network",
		Example: "  benchtop demo\n  benchtop demo --scenario thermal_sw\n" +
			"  benchtop demo --scenario client_pool --headless --speed max --summary -",
		Args: none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if list {
				return listScenarios(stdio)
			}
			if trial.asked() {
				return trial.run(cmd.Context(), stdio.Out, seed)
			}
			if err := run.settle(cmd, stdio); err != nil {
				return err
			}
			if err := screen.check(); err != nil {
				return err
			}
			x, err := speed(rate)
			if err != nil {
				return err
			}
			pacer := sources.NewPacer(x)
			start := demoStart
			if pacer.Rate() != sources.Max {
				start = sources.Now().Floor(time.Second)
			}
			s, err := sim.New(scenario, seed, start, pacer)
			if err != nil {
				return usage("%w", err)
			}
			ses := &session{io: stdio, screen: &screen, run: &run, title: "demo " + scenario, deck: pacer, finite: true, began: start}
			ses.start = func(ctx context.Context, g *sources.Group) error {
				g.Start(ctx, s, sources.Block, true)
				return nil
			}
			return ses.Go(cmd.Context())
		},
	}
	f := c.Flags()
	screen.add(f)
	run.add(f)
	f.StringVar(&scenario, "scenario", "tour", "scenario to play (see --list)")
	f.BoolVar(&list, "list", false, "list the scenarios")
	f.Uint64Var(&seed, "seed", 11, "seed of the simulator")
	trial.add(f)
	f.StringVar(&rate, "speed", "1", "simulated seconds a second, or max")
	return c
}

func listScenarios(stdio Stdio) error {
	width := 0
	for _, s := range sim.Scenarios() {
		width = int(math.Max(float64(width), float64(len(s.Name))))
	}
	for _, s := range sim.Scenarios() {
		if _, err := fmt.Fprintf(stdio.Out, "%-*s  %s  [%s]\n", width, s.Name, s.Line, strings.Join(s.Verdict, " or ")); err != nil {
			return err
		}
	}
	return nil
}
