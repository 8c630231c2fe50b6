package loadgen_test

import (
	"bufio"
	"bytes"
	"io"
	"iter"
	"math"
	"os"
	"slices"
	"testing"
	"time"

	"benchtop/model"
	"benchtop/sources"
	"benchtop/sources/loadgen"
)

// sink is an outlet whose events and notes a test can look at.
type sink struct {
	ch     chan *model.Batch
	out    *sources.Outlet
	events []model.Event
	notes  []model.Note
}

func newSink(t testing.TB) *sink {
	t.Helper()
	s := &sink{ch: make(chan *model.Batch, 1<<14)}
	s.out = sources.NewOutlet(t.Context(), s.ch, 1, sources.Block, nil)
	return s
}

// drain moves what was emitted into events and notes.
func (s *sink) drain() {
	s.out.FlushAt(1)
	for {
		select {
		case b := <-s.ch:
			s.events = append(s.events, b.Events...)
			s.notes = append(s.notes, b.Notes...)
		default:
			return
		}
	}
}

func (s *sink) of(k model.Kind, id model.SeriesID) (evs []model.Event) {
	for _, e := range s.events {
		if e.Kind == k && e.Series == id {
			evs = append(evs, e)
		}
	}
	return evs
}

// outcomes are the End events.
func (s *sink) ends() (evs []model.Event) {
	for _, e := range s.events {
		if e.Kind == model.End {
			evs = append(evs, e)
		}
	}
	return evs
}

func (s *sink) note(k model.NoteKind, name string) (model.Note, bool) {
	for _, n := range s.notes {
		if n.Kind == k && n.Name == name {
			return n, true
		}
	}
	return model.Note{}, false
}

// decode runs text through a decoder line by line, to its end.
func decode(t testing.TB, o loadgen.Options, text []byte) (*loadgen.Decoder, *sink) {
	t.Helper()
	s := newSink(t)
	d := loadgen.NewDecoder(o)
	feed(d, s, text)
	d.End(seenAt, s.out)
	s.drain()
	return d, s
}

const seenAt = model.Instant(1796046000 * 1e9)

func feed(d *loadgen.Decoder, s *sink, text []byte) {
	r := bufio.NewReader(bytes.NewReader(text))
	for {
		l, err := r.ReadBytes('\n')
		if len(l) > 0 {
			d.Line(bytes.TrimSuffix(l, []byte("\n")), seenAt, false, err == io.EOF, s.out)
		}
		if err != nil {
			return
		}
	}
}

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// curve is what is in flight over time, from events: the running sum of +1, −1
// and corrections, sorted by time.
type curve struct {
	at  []model.Instant
	sum []float64
}

func inFlight(events []model.Event) curve {
	type step struct {
		at model.Instant
		by float64
	}
	var steps []step
	for _, e := range events {
		switch {
		case e.Kind == model.Begin:
			steps = append(steps, step{e.At, 1})
		case e.Kind == model.End:
			steps = append(steps, step{e.At, -1})
		case e.Kind == model.Add && e.Series == model.ClientInFlight:
			steps = append(steps, step{e.At, e.Value})
		}
	}
	slices.SortStableFunc(steps, func(a, b step) int { return int(min(max(a.at-b.at, -1), 1)) })
	var c curve
	now := 0.0
	for _, s := range steps {
		now += s.by
		if n := len(c.at); n > 0 && c.at[n-1] == s.at {
			c.sum[n-1] = now
			continue
		}
		c.at = append(c.at, s.at)
		c.sum = append(c.sum, now)
	}
	return c
}

// value is the count just after an instant.
func (c curve) value(at model.Instant) float64 {
	i, ok := slices.BinarySearch(c.at, at)
	if !ok {
		i--
	}
	if i < 0 {
		return 0
	}
	return c.sum[i]
}

func (c curve) peak() float64 {
	p := 0.0
	for _, v := range c.sum {
		p = max(p, v)
	}
	return p
}

func (c curve) lowest() float64 {
	p := math.Inf(1)
	for _, v := range c.sum {
		p = min(p, v)
	}
	return p
}

func (c curve) last() float64 {
	if len(c.sum) == 0 {
		return 0
	}
	return c.sum[len(c.sum)-1]
}

// ms is n milliseconds into the made-up runs.
func ms(n int) model.Instant { return seenAt.Add(time.Duration(n) * time.Millisecond) }

// chunks reads a text n bytes at a time.
type chunks struct {
	text []byte
	n    int
}

func newChunks(text []byte, n int) *chunks { return &chunks{text, n} }

func (c *chunks) Read(p []byte) (int, error) {
	if len(c.text) == 0 {
		return 0, io.EOF
	}
	n := copy(p, c.text[:min(c.n, len(c.text))])
	c.text = c.text[n:]
	return n, nil
}

// splitLines yields the whole lines of text without their line ends.
func splitLines(text []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for l := range bytes.Lines(text) {
			if !bytes.HasSuffix(l, []byte("\n")) || !yield(bytes.TrimSuffix(l, []byte("\n"))) {
				return
			}
		}
	}
}
