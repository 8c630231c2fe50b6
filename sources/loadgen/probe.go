package loadgen

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"benchtop/model"
)

// lineReader reads lines of any length up to maxDocument, as a document may
// stand on one line; what is beyond is left out.
type lineReader struct {
	r   *bufio.Reader
	buf []byte
}

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 64<<10)}
}

// next is the next line without its line end, valid until the call after.
// partial says that the input ended before the line did.
func (l *lineReader) next() (text []byte, partial bool, err error) {
	l.buf = l.buf[:0]
	for {
		part, err := l.r.ReadSlice('\n')
		if n := min(len(part), maxDocument-len(l.buf)); len(l.buf) > 0 || errors.Is(err, bufio.ErrBufferFull) {
			l.buf = append(l.buf, part[:n]...)
		}
		switch {
		case err == nil && len(l.buf) == 0:
			return trimEnd(part), false, nil
		case err == nil:
			return trimEnd(l.buf), false, nil
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(l.buf)+len(part) > 0:
			if len(l.buf) == 0 {
				l.buf = append(l.buf, part...)
			}
			return trimEnd(l.buf), true, nil
		}
		return nil, false, err
	}
}

// stream reads a whole input into records.
type stream struct {
	o       Options
	lines   *lineReader
	format  *Format
	score   float64
	p       parser
	held    [][]byte                        // lines read to find the format
	partial bool                            // the last held line has no line end
	next    func(yield func(*Record)) error // of a stream without lines
	yield   func(*Record)
	records []Record // not yet taken

	read, bad int
	bytes     int64
	samples   []badSample
	ended     bool
	written   model.Instant // when the whole stream was written; 0 if unknown
	guessed   bool          // times were placed by that
}

// badSample is a line that wasn't understood.
type badSample struct {
	line         int
	reason, text string
}

// newStream finds out the format of r.
func newStream(r io.Reader, o Options) (*stream, error) {
	s := &stream{o: o, lines: newLineReader(r)}
	head, err := s.lines.r.Peek(512)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	for _, f := range Formats {
		if f.Binary != nil && f.Sniff([][]byte{head}) == 1 && (o.Format == "" || o.Format == f.Name) {
			s.format, s.score, s.next = f, 1, f.Binary(s.lines.r)
		}
	}
	s.yield = func(r *Record) {
		s.records = append(s.records, *r)
		last := &s.records[len(s.records)-1]
		last.ID = bytes.Clone(r.ID)
	}
	if s.next != nil {
		s.p = s.format.New(&o)
		return s, nil
	}
	size := 0
	for len(s.held) < holdLines && size < holdBytes && !s.partial {
		text, partial, err := s.lines.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		s.held = append(s.held, bytes.Clone(text))
		s.partial = partial
		size += len(text)
	}
	return s, s.choose()
}

func (s *stream) choose() error {
	if s.o.Format != "" {
		if s.format = FormatNamed(s.o.Format); s.format == nil {
			return fmt.Errorf("unknown load format %q (benchtop formats lists them)", s.o.Format)
		}
		s.score = 1
	} else if m := Sniff(s.held); len(m) > 0 && m[0].Score >= enough {
		s.format, s.score = m[0].Format, m[0].Score
	} else {
		return ErrUnknown
	}
	s.p = s.format.New(&s.o)
	return nil
}

// ErrUnknown says that no load format fits.
var ErrUnknown = errors.New("no load format fits: name it with ,format=NAME (benchtop formats lists them)")

// more reads on until there are records; false at the end of the input.
func (s *stream) more() (bool, error) {
	for len(s.records) == 0 || s.format.Relative && !s.ended {
		if s.ended {
			return false, nil
		}
		text, partial, err := s.line()
		if s.next != nil && err == nil {
			s.read++
			continue
		}
		if errors.Is(err, io.EOF) {
			s.ended = true
			if err := s.note(nil, s.p.flush(true, s.yield)); err != nil {
				return false, err
			}
			s.place()
			continue
		}
		if err != nil {
			return false, err
		}
		if partial && !s.format.Document {
			continue
		}
		s.read++
		s.bytes += int64(len(text)) + 1
		if err := s.note(text, s.p.parse(text, s.yield)); err != nil {
			return false, err
		}
	}
	return true, nil
}

// place puts the records of a text that came as a whole into order.
func (s *stream) place() {
	if !s.format.Document && !s.format.Relative {
		return
	}
	s.guessed = s.format.Relative && s.o.Start == 0
	place(s.records, s.format, s.o.Start, s.written)
}

// line is the next line; of a stream without lines it yields the next record.
func (s *stream) line() (text []byte, partial bool, err error) {
	if s.next != nil {
		return nil, false, s.next(s.yield)
	}
	if len(s.held) > 0 {
		text = s.held[0]
		s.held = s.held[1:]
		return text, s.partial && len(s.held) == 0, nil
	}
	if s.partial {
		return nil, false, io.EOF
	}
	return s.lines.next()
}

// note counts a line by how its reading went; what it returns ends the stream.
func (s *stream) note(text []byte, err error) error {
	if err == nil {
		return nil
	}
	var bad badLine
	if errors.As(err, &bad) {
		s.bad++
		if s.bad <= sampleCap {
			s.samples = append(s.samples, badSample{s.read, string(bad), s.o.sample(text)})
		}
		return nil
	}
	return err
}

// Probe reads a stream to its end and tells what it says of its last run.
// records, if not nil, hears every record in the stream's order; the record is
// valid during the call.
func Probe(r io.Reader, o Options, records func(*Record)) (*Summary, error) {
	s, err := newStream(r, o)
	if err != nil {
		return nil, err
	}
	t := NewTally(s.format)
	for {
		ok, err := s.more()
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		for i := range s.records {
			t.Add(&s.records[i])
			if records != nil {
				records(&s.records[i])
			}
		}
		s.records = s.records[:0]
	}
	sum := t.Summary()
	sum.Malformed = Num(s.bad)
	sum.Confidence, sum.Lines, sum.Matched = s.score, s.read, s.read-s.bad
	return sum, nil
}
