package gpu

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"benchtop/model"
	"benchtop/sources"
)

// maxLine bounds a line; a longer one is bad and skipped.
const maxLine = 64 << 10

// badSamples is how many bad lines are shown; all are counted.
const badSamples = 5

// lines reads readings from a stream and keeps count of what it could not read.
type lines struct {
	in      *bufio.Reader
	dec     Decoder
	number  int
	read    [3]int // lines, bytes, errors not yet booked
	samples int
	first   error  // why the first bad line is bad
	last    string // the start of the last bad line
	notes   []model.Note
}

func newLines(r io.Reader, zone *time.Location) *lines {
	return &lines{in: bufio.NewReaderSize(r, maxLine), dec: Decoder{Zone: zone}}
}

// next reads on to the next reading. ok is false at the end.
func (l *lines) next() (r Reading, ok bool, err error) {
	for {
		line, err := l.in.ReadSlice('\n')
		tooLong := errors.Is(err, bufio.ErrBufferFull)
		for errors.Is(err, bufio.ErrBufferFull) { // skip the rest of it
			l.read[1] += maxLine
			_, err = l.in.ReadSlice('\n')
		}
		end := errors.Is(err, io.EOF)
		if err != nil && !end {
			return r, false, fmt.Errorf("line %d: %w", l.number+1, err)
		}
		if end && len(line) == 0 && !tooLong {
			return r, false, nil
		}
		l.number++
		l.read[0]++
		l.read[1] += len(line)
		if tooLong {
			l.bad(line[:0], errors.New("line too long"))
			continue
		}
		r, ok, err := l.dec.Line(line)
		if err != nil {
			l.bad(line, err)
			continue
		}
		if ok {
			return r, true, nil
		}
	}
}

func (l *lines) bad(line []byte, why error) {
	l.read[2]++
	if l.first == nil {
		l.first = fmt.Errorf("line %d: %w", l.number, why)
	}
	if len(line) > 200 {
		line = line[:200]
	}
	l.last = string(bytes.TrimSpace(line))
	if l.samples++; l.samples > badSamples {
		return
	}
	l.notes = append(l.notes, model.Note{Kind: model.NoteBadLine, Name: why.Error(), Text: string(line), Value: float64(l.number)})
}

// nothing is the error of a stream in which no line was a reading.
func (l *lines) nothing() error {
	if l.first == nil {
		return fmt.Errorf("no GPU reading in %d lines; was the run too short?", l.number)
	}
	return fmt.Errorf("no GPU reading in %d lines (%w); save them with benchtop probe --json gpu, or with nvidia-smi --query-gpu=index,uuid,timestamp,… --format=csv -lms 1000", l.number, l.first)
}

// book passes the counts and samples so far to the outlet.
func (l *lines) book(out *sources.Outlet, at, seen model.Instant, matched int) {
	out.Count(l.read[0], matched, l.read[1], 0, l.read[2])
	l.read = [3]int{}
	for _, n := range l.notes {
		n.At, n.Seen = at, seen
		out.Note(n)
	}
	l.notes = l.notes[:0]
}

// NewFeed reads saved readings for a replay of raw files: the readings' NDJSON
// or nvidia-smi's CSV, whose local timestamps are read in this machine's zone.
// Closing the feed closes r.
func NewFeed(r io.ReadCloser, name string) *sources.Feed { return NewFeedIn(r, name, nil) }

// NewFeedIn is NewFeed for timestamps of another zone.
func NewFeedIn(r io.ReadCloser, name string, zone *time.Location) *sources.Feed {
	f := &feed{lines: newLines(r, zone)}
	head, _ := f.lines.in.Peek(8 << 10) // what went wrong comes back with the first read
	return &sources.Feed{
		Name: name, Kind: model.KindGPU, Format: Sniff(head),
		Next: f.next, Emit: f.emit, Close: r.Close,
	}
}

type feed struct {
	lines *lines
	state State
	r     Reading
	some  bool // a reading was found
	last  bool // the item announced is the bad lines at the end
}

func (f *feed) next() (at model.Instant, ok bool, err error) {
	r, ok, err := f.lines.next()
	switch {
	case err != nil:
		return 0, false, err
	case ok:
		f.r, f.some = r, true
		return r.At, true, nil
	case !f.some && f.lines.number > 0:
		return 0, false, f.lines.nothing()
	case !f.last && f.lines.read[0] > 0:
		f.last = true
		return f.r.At, true, nil
	}
	return 0, false, nil
}

func (f *feed) emit(out *sources.Outlet, seen model.Instant) {
	if f.last {
		f.lines.book(out, f.r.At, seen, 0)
		return
	}
	f.lines.book(out, f.r.At, seen, 1)
	Apply(&f.r, f.r.At, seen, out, &f.state)
}

// LineSource is a live stream of readings as a source: a file read to its end,
// or what a command prints (`ssh gpu1 benchtop probe --json gpu`).
type LineSource struct {
	// Place is what the user gave, for messages.
	Place string
	// Open opens the stream. Closing it must wake a blocked read.
	Open func(ctx context.Context) (io.ReadCloser, error)
	// Live says that a writer waits for us, so that nothing may hold us up.
	Live bool
	// Zone is what nvidia-smi's timestamps are read in; nil is this machine's.
	Zone *time.Location
}

// Name implements sources.Source.
func (s *LineSource) Name() string { return "gpu " + s.Place }

// Run implements sources.Source. A live stream that ends with an error, such as
// the exit code of an ssh that lost its connection, is one, so that it is opened
// again.
func (s *LineSource) Run(ctx context.Context, out *sources.Outlet) error {
	if s.Live {
		out.SetPolicy(sources.Drain)
	}
	begun := sources.Now()
	out.Describe(begun, s.Name(), model.KindGPU, "", "") // also one that can't be opened is seen
	out.State(begun, model.Starting, "")
	out.Flush()
	in, err := s.Open(ctx)
	if err != nil {
		return fmt.Errorf("gpu readings from %s: %w", s.Place, err)
	}
	stop := context.AfterFunc(ctx, func() { _ = in.Close() })
	defer func() {
		if stop() {
			_ = in.Close() // read only: nothing can be lost
		}
	}()
	format, quiet := "", false
	l := newLines(sources.Heard(in, sources.SilentAfter, func() {
		quiet = true
		out.State(sources.Now(), model.Quiet, sources.Silence("gpu readings from "+s.Place, format != ""))
		out.Flush()
	}), s.Zone)
	var st State
	for {
		r, ok, err := l.next()
		now := sources.Now()
		if err != nil && ctx.Err() == nil {
			return fmt.Errorf("gpu readings from %s: %w", s.Place, err)
		}
		if err != nil || !ok {
			l.book(out, now, now, 0)
			out.FlushAt(now)
			if s.Live && stop() {
				return sources.StreamEnd("gpu readings from "+s.Place, in.Close(), l.last)
			}
			return nil
		}
		if f := l.dec.Format(); f != format {
			format = f
			out.Describe(now, s.Name(), model.KindGPU, format, "")
			out.State(now, model.Running, "")
			quiet = false
		}
		if quiet {
			quiet = false
			out.State(now, model.Running, "")
		}
		l.book(out, r.At, now, 1)
		Apply(&r, r.At, now, out, &st)
		if l.in.Buffered() == 0 {
			out.FlushAt(now)
		}
	}
}
