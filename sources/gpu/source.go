package gpu

import (
	"context"
	"errors"
	"fmt"
	"time"

	"benchtop/model"
	"benchtop/sources"
)

// retryEvery is how often a driver that is not well is tried again: more often
// would leak its file descriptors.
const retryEvery = 5 * time.Second

// Source polls a Reader and turns what it says into events: one that is opened
// by name, and opened again when it goes down.
type Source struct {
	// Choice is what --gpu says: auto, nvml or smi.
	Choice string
	// Options go to the backend.
	Options Options
	// Reader, if set, is polled, and closed, instead of opening one by name.
	Reader Reader

	state State
	said  string
}

// Name implements sources.Source.
func (s *Source) Name() string { return "gpu" }

// Run implements sources.Source.
func (s *Source) Run(ctx context.Context, out *sources.Outlet) error {
	out.SetPolicy(sources.Latest)
	if s.Reader != nil {
		return sources.Final(s.watch(ctx, s.Reader, "reader", out))
	}
	for {
		r, name, err := Open(s.Choice, s.Options)
		switch {
		case errors.Is(err, ErrOff):
			return nil
		case err != nil && !mayRecover(err):
			return sources.Final(err)
		case err == nil:
			err = s.watch(ctx, r, name, out)
		}
		if ctx.Err() != nil {
			return nil
		}
		s.say(out, model.Retrying, err)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(retryEvery):
		}
	}
}

// watch polls an open Reader to its end and closes it.
func (s *Source) watch(ctx context.Context, r Reader, name string, out *sources.Outlet) error {
	defer func() { _ = r.Close() }() // nothing is written to a GPU: nothing can be lost
	now := sources.Now()
	out.Describe(now, s.Name(), model.KindGPU, name, "")
	out.State(now, model.Running, "")
	out.FlushAt(now)
	s.said = ""
	return s.poll(ctx, r, out)
}

// say tells what is wrong once, not at every poll.
func (s *Source) say(out *sources.Outlet, state model.SourceState, err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	if text == s.said {
		return
	}
	s.said = text
	now := sources.Now()
	out.State(now, state, text)
	out.FlushAt(now)
}

// poll reads until ctx ends (nil) or the Reader is down.
func (s *Source) poll(ctx context.Context, r Reader, out *sources.Outlet) error {
	t := time.NewTicker(s.Options.withDefaults().Every)
	defer t.Stop()
	var buf []Reading
	for {
		var err error
		buf, err = r.Read(buf[:0])
		now := sources.Now()
		fresh, bad := 0, 0
		for i := range buf {
			if !buf[i].Held {
				fresh++
			}
			if buf[i].State != OK {
				bad++
			}
			Apply(&buf[i], buf[i].when(), now, out, &s.state)
		}
		if err != nil && len(buf) == 0 {
			bad++
		}
		out.Count(max(len(buf), 1), fresh, 0, 0, bad)
		if errors.Is(err, ErrDown) {
			return fmt.Errorf("%w; trying again every %v", err, retryEvery)
		}
		state := model.Running
		if err != nil && fresh == 0 {
			state = model.Retrying
		}
		s.say(out, state, err)
		out.FlushAt(now)
		select {
		case <-ctx.Done():
			return nil
		case <-t.C:
		}
	}
}
