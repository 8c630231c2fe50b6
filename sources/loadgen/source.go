package loadgen

import (
	"context"

	"benchtop/model"
	"benchtop/sources"
	"benchtop/sources/tail"
)

// Source follows one load generator's stream: a file, a pipe or a command.
type Source struct {
	in   tail.Options
	o    Options
	runs int
	over context.Context //nolint:containedctx // the program that writes the stream; nil if it isn't ours
}

// NewSource makes a source that reads in. The library is never used, and what
// the place says of format, zone, year, start and label goes for o where that
// leaves them open. A file that is still small is best read from its start: its
// history holds real records of the run.
func NewSource(in tail.Options, o Options) *Source {
	in.Direct, in.Returns = true, true
	if o.Format == "" {
		o.Format = in.Format
	}
	if o.Zone == nil {
		o.Zone = in.Zone
	}
	if o.Year == 0 {
		o.Year = in.Year
	}
	if o.Start == 0 {
		o.Start = in.Start
	}
	if o.Label == "" {
		o.Label = in.Label
	}
	if o.Name == "" {
		o.Name = in.Place
	}
	return &Source{in: in, o: o}
}

// newSource is NewSource for what a program of ours writes: when over ends, the
// stream is read once more and is over too.
func newSource(in tail.Options, o Options, over context.Context) *Source { //nolint:revive // it bounds the stream, not the call
	s := NewSource(in, o)
	s.over, s.in.Whole = over, true
	return s
}

// Name implements sources.Source.
func (s *Source) Name() string { return s.o.Name }

// Run implements sources.Source.
func (s *Source) Run(ctx context.Context, out *sources.Outlet) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	r := &following{s: s, d: NewDecoder(s.o), out: out, stop: stop}
	if err := r.d.Err(); err != nil {
		return sources.Final(err)
	}
	now := sources.Now()
	if s.runs > 0 { // restarted: the records so far will come again, or never
		out.Emit(model.Event{At: now, Seen: now, Series: model.ClientInFlight, Kind: model.Reset})
	}
	s.runs++
	s.o.party(now, out)
	out.Describe(now, s.o.Name, model.KindLoad, s.o.Format, s.o.Label)
	out.State(now, model.Starting, "")
	out.Flush()
	reading, stopReading := context.WithCancel(ctx)
	defer stopReading()
	if s.over != nil {
		defer context.AfterFunc(s.over, stopReading)()
	}
	err := tail.Run(reading, s.in, tail.Handler{Line: r.line, Event: r.event, Open: r.open, Idle: r.idle, Raw: r.raw})
	now = sources.Now()
	switch {
	case r.d.Err() != nil:
		return sources.Final(r.d.Err())
	case ctx.Err() != nil:
		r.d.Idle(now, out) // we go, not the client
	default:
		r.d.End(now, out)
	}
	out.FlushAt(now)
	return err
}

// following is one Run of a Source.
type following struct {
	s       *Source
	d       *Decoder
	out     *sources.Outlet
	stop    context.CancelFunc
	lines   int
	running bool
	format  string
}

func (r *following) open(k tail.Kind) {
	if k == tail.File {
		r.out.SetPolicy(sources.Block)
		return
	}
	r.out.SetPolicy(sources.Drain)
}

func (r *following) line(l tail.Line) {
	if r.d.Err() != nil {
		return
	}
	// The first line of a stream doesn't stand at its beginning: we joined later.
	if r.lines++; r.lines == 1 && l.Offset > int64(len(l.Text)+l.Cut+2) {
		r.d.Attached()
	}
	r.d.Line(l.Text, l.Seen, l.History, l.Partial, r.out)
	r.heard(l.Seen)
}

// heard tells what is new about the stream after it said something.
func (r *following) heard(seen model.Instant) {
	if !r.running {
		r.running = true
		r.out.State(seen, model.Running, "")
	}
	if r.d.Err() != nil {
		r.stop()
	}
	if r.format == "" {
		if r.format, _ = r.d.Format(); r.format != "" && r.s.o.Format == "" {
			r.out.Describe(seen, r.s.o.Name, model.KindLoad, r.format, r.s.o.Label)
		}
	}
}

// raw offers a block to the decoder of streams without lines.
func (r *following) raw(_ uint8, block []byte, base int64, seen model.Instant) bool {
	if r.d.Err() != nil || !r.d.Raw(block, base, seen, false, r.out) {
		return false
	}
	r.heard(seen)
	return true
}

func (r *following) event(kind, text string) {
	now := sources.Now()
	switch kind {
	case tail.EventWaiting, tail.EventTrouble:
		r.running = false
		r.out.State(now, model.Retrying, text)
	case tail.EventGone: // the client closed its pipe: what is open has no end
		r.d.End(now, r.out)
		r.running = false
		r.out.State(now, model.Quiet, text)
	case tail.EventTruncated, tail.EventRotated, tail.EventReopened:
		r.out.Note(model.Note{At: now, Seen: now, Kind: model.NoteMark, Name: model.MarkRotated, Text: text})
	}
}

func (r *following) idle() {
	now := sources.Now()
	r.d.Idle(now, r.out)
	r.out.FlushAt(now)
}
