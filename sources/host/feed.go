package host

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"benchtop/model"
	"benchtop/sources"
)

// Format names the NDJSON of readings.
const Format = "host-ndjson"

const (
	maxLine    = 256 << 10 // a line of a thousand cores is under 32 KiB
	badSamples = 5         // how many bad lines are shown; all are counted
)

// lines reads readings and keeps count of what it could not read.
type lines struct {
	in      *bufio.Reader
	number  int
	total   int // good ones, of the whole stream
	counts  [4]int
	samples int
	notes   []model.Note
}

func newLines(r io.Reader) *lines { return &lines{in: bufio.NewReaderSize(r, maxLine)} }

// next reads on to the next reading; ok is false at the end.
func (l *lines) next(r *Reading) (ok bool, err error) {
	for {
		line, err := l.in.ReadSlice('\n')
		tooLong := errors.Is(err, bufio.ErrBufferFull)
		size := len(line)
		for errors.Is(err, bufio.ErrBufferFull) { // skip the rest of it
			var more []byte
			more, err = l.in.ReadSlice('\n')
			size += len(more)
		}
		end := errors.Is(err, io.EOF)
		if err != nil && !end {
			return false, fmt.Errorf("line %d: %w", l.number+1, err)
		}
		if end && size == 0 {
			return false, nil
		}
		l.number++
		l.counts[0]++
		l.counts[2] += size
		switch {
		case tooLong:
			l.bad(nil, errors.New("line too long"))
		case len(bytes.TrimSpace(line)) == 0:
		default:
			if err := r.ParseJSON(line); err != nil {
				l.bad(line, err)
				continue
			}
			l.counts[1]++
			l.total++
			return true, nil
		}
	}
}

func (l *lines) bad(line []byte, err error) {
	l.counts[3]++
	if l.samples < badSamples {
		l.samples++
		text := string(bytes.TrimSpace(line[:min(len(line), 200)]))
		l.notes = append(l.notes, model.Note{Kind: model.NoteBadLine, Name: err.Error(), Text: text, Value: float64(l.number)})
	}
}

// book tells what was read since the last time.
func (l *lines) book(out *sources.Outlet, seen model.Instant) {
	for _, n := range l.notes {
		n.At, n.Seen = seen, seen
		out.Note(n)
	}
	out.Count(l.counts[0], l.counts[1], l.counts[2], 0, l.counts[3])
	l.notes, l.counts = l.notes[:0], [4]int{}
}

// NewFeed reads saved readings, one JSON object a line, for a replay of raw
// files. A bad line is counted, a few are sampled; it stops nothing. A file
// with lines and no reading among them gives an error.
func NewFeed(r io.ReadCloser, name, label string) *sources.Feed {
	l := newLines(r)
	var cur Reading
	var st State
	return &sources.Feed{
		Name: name, Kind: model.KindHost, Format: Format, Label: label, Close: r.Close,
		Next: func() (model.Instant, bool, error) {
			ok, err := l.next(&cur)
			if err == nil && !ok && l.total == 0 && l.number > 0 {
				err = errors.New("holds no host reading (want what `benchtop probe --json host` prints)")
			}
			return cur.At, ok && err == nil, err
		},
		Emit: func(out *sources.Outlet, seen model.Instant) {
			l.book(out, seen)
			Apply(&cur, cur.At, seen, out, &st)
		},
	}
}

// Probe reads a stream of readings to its end and calls each. It returns how
// many lines there were and how many were good.
func Probe(r io.Reader, each func(*Reading)) (read, good int, err error) {
	l := newLines(r)
	var cur Reading
	for {
		ok, err := l.next(&cur)
		if err != nil || !ok {
			return l.number, l.total, err
		}
		each(&cur)
	}
}
