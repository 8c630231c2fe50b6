package serverlog

import (
	"context"
	"fmt"
	"math"
	"os"
	"time"

	"benchtop/model"
	"benchtop/sources"
	"benchtop/sources/tail"
)

// Source follows one server log: a file, a pipe or a command.
type Source struct {
	in   tail.Options
	d    *Decoder
	o    Options
	runs int
	read *readLines // of a command, which prints them again when it is started again
}

// NewSource makes a source that reads in. What the place says of format, zone,
// year, start and label goes for o where that leaves them open. What a pipe or
// command prints at once is history.
func NewSource(in tail.Options, o Options) *Source {
	in.BurstIsHistory = true
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
	s := &Source{in: in, o: o, d: NewDecoder(o)}
	if in.Kind == tail.Exec {
		s.read = newReadLines()
		s.d.every = true
	}
	return s
}

// Name implements sources.Source.
func (s *Source) Name() string { return s.o.Name }

// Run implements sources.Source. A further Run, after a command died, goes on
// where the last one stood: what the command prints again is dropped.
func (s *Source) Run(ctx context.Context, out *sources.Outlet) error {
	if s.o.Format != "" {
		if _, err := Load(s.o.Format); err != nil {
			return sources.Final(fmt.Errorf("%s: %w", s.o.Name, err))
		}
	}
	now := sources.Now()
	format, _ := s.d.Format()
	out.Describe(now, s.o.Name, model.KindServerLog, format, s.o.Label)
	out.State(now, model.Starting, "")
	out.Flush()
	f := &following{s: s, out: out}
	if s.runs > 0 && s.read != nil {
		f.again, f.upTo, f.old = true, s.d.newest, s.read.counts()
	}
	s.runs++
	err := tail.Run(ctx, s.in, tail.Handler{Line: f.line, Event: f.event, Open: f.open, Idle: f.idle, Quiet: f.idle})
	now = sources.Now()
	s.d.Close(now, out)
	if err == nil || f.news > 0 { // else it only failed again, in the same words
		f.tellRepeats(now)
	}
	if ctx.Err() == nil { // the log ended, so its gauges are unknown from here on
		out.Emit(model.Event{At: now, Seen: now, Series: model.ServerRunning, Kind: model.Gap, Value: math.NaN()})
	}
	out.FlushAt(now)
	return err
}

// following is one Run of a Source.
type following struct {
	s       *Source
	out     *sources.Outlet
	began   model.Instant // when it opened, 0 before or once its state was told
	running bool
	again   bool          // the command was run before and may repeat itself
	upTo    model.Instant // newest stamp of the time before
	old     map[uint64]int
	repeats int
	news    int // lines that were no repeats
}

func (f *following) open(k tail.Kind) {
	f.began = sources.Now()
	if k == tail.File {
		f.out.SetPolicy(sources.Block)
		if fi, err := os.Stat(f.s.in.Place); err == nil { // else there is no history to place
			f.s.d.written = model.InstantOf(fi.ModTime())
		}
		return
	}
	f.out.SetPolicy(sources.Drain)
}

func (f *following) line(l tail.Line) {
	if !f.running {
		f.running = true
		f.out.State(l.Seen, model.Running, "")
	}
	if f.again && f.repeated(l) {
		f.repeats++
		return
	}
	f.news++
	if f.s.read != nil {
		f.s.read.add(l.Text)
	}
	f.s.d.Line(l.Text, l.Seen, l.History, f.out)
}

// repeated reports whether a line was read before the command was started
// again: its stamp is before the newest one, or it is one of those read. The
// first line that is neither and new by its stamp or its arrival ends the
// question.
func (f *following) repeated(l tail.Line) bool {
	at, ok := f.s.d.Time(l.Text)
	if ok && at < f.upTo {
		return true
	}
	if h := f.s.read.hash(l.Text); f.old[h] > 0 {
		f.old[h]--
		return true
	}
	if ok && at > f.upTo || !l.History {
		f.again, f.old = false, nil
		f.tellRepeats(l.Seen)
	}
	return false
}

func (f *following) tellRepeats(at model.Instant) {
	if f.repeats == 0 {
		return
	}
	f.out.Note(model.Note{At: at, Seen: at, Kind: model.NoteMark, Name: "source", Value: float64(f.repeats), Text: fmt.Sprintf(
		"%s: %d lines were printed again after its restart and dropped", f.s.o.Name, f.repeats)})
	f.repeats = 0
}

func (f *following) event(kind, text string) {
	now := sources.Now()
	f.began = 0
	switch kind {
	case tail.EventWaiting, tail.EventTrouble:
		f.running = false
		f.out.State(now, model.Retrying, text)
	case tail.EventGone:
		f.running = false
		f.out.State(now, model.Quiet, text)
	case tail.EventTruncated, tail.EventRotated, tail.EventReopened:
		f.out.Note(model.Note{At: now, Seen: now, Kind: model.NoteMark, Name: model.MarkRotated, Text: text})
	}
}

func (f *following) idle() {
	now := sources.Now()
	f.s.d.Idle(now, f.out)
	if f.began != 0 && !f.running && now.Sub(f.began) >= silentAfter {
		f.began = 0
		f.out.State(now, model.Quiet, f.silence())
	}
	f.out.FlushAt(now)
}

// silentAfter is how long a source may say nothing at all before that is told.
const silentAfter = 10 * time.Second

// silence says what it may mean that nothing came yet.
func (f *following) silence() string {
	if f.s.in.Kind == tail.Exec {
		return fmt.Sprintf("it has printed nothing yet (is it the right name, and has it old lines to print? try: %s </dev/null)", f.s.in.Command)
	}
	return "nothing was written to it yet (is it the file that the server writes now? read what it holds with --from start)"
}
