package host

import (
	"context"
	"fmt"
	"io"

	"benchtop/model"
	"benchtop/sources"
)

// LineSource is a live stream of readings as a source: a file read to its end,
// or what a command prints (`ssh srv1 benchtop probe --json host`).
type LineSource struct {
	// Place is what the user gave, for messages; Label which host it is of.
	Place, Label string
	// Open opens the stream. Closing it must wake a blocked read.
	Open func(ctx context.Context) (io.ReadCloser, error)
	// Live says that a writer waits for us, so that nothing may hold us up.
	Live bool
}

// Name implements sources.Source.
func (s *LineSource) Name() string { return "host " + s.Place }

// Run implements sources.Source. A live stream that ends with an error, such as
// the exit code of an ssh that lost its connection, is one, so that it is opened
// again.
func (s *LineSource) Run(ctx context.Context, out *sources.Outlet) error {
	if s.Live {
		out.SetPolicy(sources.Drain)
	}
	now := sources.Now()
	out.Describe(now, s.Name(), model.KindHost, Format, s.Label) // also one that can't be opened is seen
	out.State(now, model.Starting, "")
	out.Flush()
	in, err := s.Open(ctx)
	if err != nil {
		return fmt.Errorf("host readings from %s: %w", s.Place, err)
	}
	stop := context.AfterFunc(ctx, func() { _ = in.Close() })
	defer func() {
		if stop() {
			_ = in.Close() // read only: nothing can be lost
		}
	}()
	var st State
	waits := true // for a line, after the first ones or for them
	l := newLines(sources.Heard(in, sources.SilentAfter, func() {
		out.State(sources.Now(), model.Quiet, sources.Silence("host readings from "+s.Place, !waits))
		GapAll(sources.Now(), out, &st)
		out.Flush()
		waits = true
	}))
	var r Reading
	for {
		ok, err := l.next(&r)
		now = sources.Now()
		if (err != nil || !ok) && s.Live {
			GapAll(now, out, &st)
		}
		if err != nil && ctx.Err() == nil {
			return fmt.Errorf("host readings from %s: %w", s.Place, err)
		}
		l.book(out, now)
		if err != nil || !ok {
			out.FlushAt(now)
			if s.Live && stop() {
				return sources.StreamEnd("host readings from "+s.Place, in.Close(), "")
			}
			return nil
		}
		if waits {
			waits = false
			out.State(now, model.Running, "")
		}
		Apply(&r, r.At, now, out, &st)
		if l.in.Buffered() == 0 {
			out.FlushAt(now)
		}
	}
}
