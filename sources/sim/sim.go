package sim

import (
	"context"
	"fmt"
	"strings"
	"time"

	"benchtop/model"
	"benchtop/sources"
)

// Sim plays one scenario as a source: ticks of its own, and four sources
// (load, server log, GPU, host) that read what the model writes.
type Sim struct {
	scenario Scenario
	params   Params
	seed     uint64
	start    model.Instant
	pacer    *sources.Pacer
	world    *world
}

// New makes the scenario of that name. Its second 0 is start, cut to a whole
// second. A nil pacer never waits. The error of an unknown name lists what
// there is.
func New(name string, seed uint64, start model.Instant, p *sources.Pacer) (*Sim, error) {
	s, ok := Find(name)
	if !ok {
		var names []string
		for _, s := range scenarios {
			names = append(names, s.Name)
		}
		return nil, fmt.Errorf("no scenario %q; there are: %s", name, strings.Join(names, ", "))
	}
	return Play(s, seed, start, p)
}

// Play makes a scenario that need not be in the table.
func Play(s Scenario, seed uint64, start model.Instant, p *sources.Pacer) (*Sim, error) {
	params, err := s.Params()
	if err != nil {
		return nil, err
	}
	if p == nil {
		p = sources.NewPacer(sources.Max)
	}
	return &Sim{scenario: s, params: params, seed: seed, start: start.Floor(time.Second), pacer: p}, nil
}

// Name implements sources.Source.
func (s *Sim) Name() string { return "demo " + s.scenario.Name }

// Scenario is what is played.
func (s *Sim) Scenario() Scenario { return s.scenario }

// Params are the parameters at the start.
func (s *Sim) Params() Params { return s.params }

// Start is the instant of second 0.
func (s *Sim) Start() model.Instant { return s.start }

// Truth is what really was the case, ten times a second, oldest first. It may
// be read once Run has returned.
func (s *Sim) Truth() []Truth {
	if s.world == nil {
		return nil
	}
	return s.world.truths
}

// Run implements sources.Source. A seek forward runs without waiting; a seek
// back resets and runs again from the start, without ticks up to the target.
func (s *Sim) Run(ctx context.Context, out *sources.Outlet) error {
	out.SetPolicy(sources.Block)
	forks := forksOf(&s.params, out)
	var silent model.Instant // no ticks before it
	for {
		back, err := s.play(ctx, out, forks, silent)
		if err != nil || back == 0 {
			out.Flush()
			return err
		}
		out.Flush() // what follows the reset must not share a batch with what it voids
		silent = max(back, s.start)
		out.Emit(model.Event{At: silent, Seen: silent, Kind: model.Reset})
	}
}

// play runs once from the start. A non-zero back asks to start over, up to it.
func (s *Sim) play(ctx context.Context, out *sources.Outlet, forks forks, silent model.Instant) (back model.Instant, err error) {
	lanes := newLanes(forks, s.start, s.params.Server == engineStatic)
	tell := lanes.sinks()
	tell.mark = func(at model.Instant, text string) {
		out.Note(model.Note{At: at, Seen: at, Kind: model.NoteMark, Name: "run", Text: text})
	}
	w := newWorld(s.params, s.scenario.Phases, s.seed, s.start, tell)
	s.world = w
	lanes.describe(s.start)
	free := silent // unpaced before it
	for k := 0; ; k++ {
		t := float64(k) / ticksASec
		at := w.instantAt(t)
		if at >= free {
			if s.pacer.Rate() != sources.Max {
				out.Flush()
			}
			seek, err := s.pacer.Wait(ctx, at)
			switch {
			case err != nil:
				return 0, nil //nolint:nilerr // the end of the context is no failure
			case seek != 0 && seek < at:
				return seek, nil
			case seek != 0:
				free = seek
			}
		} else if ctx.Err() != nil {
			return 0, nil
		}
		w.runTo(t)
		if k%ticksASec == 0 {
			lanes.idle(at)
		}
		if w.done {
			lanes.end(at)
			out.FlushAt(at) // the last counts stand before the last tick
		}
		if at >= silent || w.done {
			out.Emit(model.Event{Seen: at, Kind: model.Tick})
		}
		if w.done {
			return 0, nil
		}
	}
}
