package serverlog

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"benchtop/model"
	"benchtop/sources"
	"benchtop/sources/tail"
)

// Limits of finding a raw file's first stamp.
const (
	maxUndated      = 20000
	maxUndatedBytes = 4 << 20
)

// NewFeed reads the raw log of a finished run for replay, at the times its
// lines tell. It takes r over and closes it. A log whose stamps only count
// from the server's start needs Options.Start; without it Next fails with what
// to do, since such a file cannot be laid beside another one.
func NewFeed(r io.ReadCloser, name string, o Options) *sources.Feed {
	if o.Name == "" {
		o.Name = name
	}
	o.OwnTime = true
	if o.Year == 0 {
		if at := changed(r); at != 0 {
			o.Year = at.Time().UTC().Year()
		}
	}
	f := &feed{br: bufio.NewReaderSize(r, 256<<10), name: name, wrote: changed(r)}
	head, _ := f.br.Peek(128 << 10) // what fails here fails again in next
	var lines [][]byte
	for l := range bytes.Lines(head) {
		if len(lines) == probeSniff {
			break
		}
		lines = append(lines, bytes.TrimSuffix(l, []byte("\n")))
	}
	format, _, _ := pick(o, lines)
	o.Format = format.Name
	f.d = NewDecoder(o)
	return &sources.Feed{
		Name: name, Kind: model.KindServerLog, Format: format.Name, Label: o.Label,
		Next: f.next, Emit: f.emit, Close: r.Close,
	}
}

// changed is when a file was last written to; 0 if r is no file.
func changed(r io.Reader) model.Instant {
	f, ok := r.(interface{ Stat() (os.FileInfo, error) })
	if !ok {
		return 0
	}
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		return model.InstantOf(info.ModTime())
	}
	return 0
}

type feed struct {
	br      *bufio.Reader
	d       *Decoder
	name    string
	wrote   model.Instant // the file's last change, 0 if it is none
	pending [][]byte      // lines in front of the first stamp
	line    []byte
	at      model.Instant
	ended   bool
}

// next implements sources.Feed.
func (f *feed) next() (model.Instant, bool, error) {
	if f.at == 0 {
		if err := f.first(); err != nil {
			return 0, false, err
		}
	}
	if len(f.pending) > 0 {
		f.line, f.pending = f.pending[0], f.pending[1:]
	} else if l, err := f.read(); err == io.EOF {
		return 0, false, nil
	} else if err != nil {
		return 0, false, err
	} else {
		f.line = l
	}
	if at, ok := f.d.Time(f.line); ok {
		f.at = at
	}
	return f.at, true, nil
}

// first looks ahead for the first line that names a time; those in front of it
// share it.
func (f *feed) first() error {
	size, clocked := 0, false
	for len(f.pending) < maxUndated && size < maxUndatedBytes {
		l, err := f.read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		f.pending = append(f.pending, bytes.Clone(l))
		size += len(l)
		if at, ok := f.d.Time(l); ok {
			f.at = f.before(at, l)
			return nil
		}
		clocked = clocked || f.d.timerRe.ticked
	}
	switch {
	case len(f.pending) == 0:
		return nil
	case clocked:
		return fmt.Errorf("%s: its stamps count from the server's start (say when that was: ,start=TIME)", f.name)
	}
	return fmt.Errorf("%s: no line names a date and time, so it can't be laid beside other files (record the next run with timestamps, as docker logs -t does)", f.name)
}

// before gives a log that began in the year before its file was last written to
// that year: no line is newer than its file.
func (f *feed) before(at model.Instant, line []byte) model.Instant {
	if f.wrote == 0 || f.d.timerRe.stamp.full() || at <= f.wrote.Add(farAhead) || f.d.rd.year != f.wrote.Time().UTC().Year() {
		return at
	}
	f.d.rd.year--
	if x, ok := f.d.Time(line); ok {
		return x
	}
	return at
}

// read gives the next line without its end; what lies beyond tail.MaxLine is
// dropped. The line is valid until the next call.
func (f *feed) read() ([]byte, error) {
	if f.ended {
		return nil, io.EOF
	}
	l, err := f.br.ReadSlice('\n')
	if err == nil {
		return l[:len(l)-1], nil
	}
	long := bytes.Clone(l)
	for errors.Is(err, bufio.ErrBufferFull) {
		l, err = f.br.ReadSlice('\n')
		if len(long) < tail.MaxLine {
			long = append(long, l...)
		}
	}
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("read %s: %w", f.name, err)
	}
	if err == io.EOF {
		f.ended = true
		if len(long) == 0 {
			return nil, io.EOF
		}
	}
	return bytes.TrimSuffix(long, []byte("\n")), nil
}

// emit implements sources.Feed.
func (f *feed) emit(out *sources.Outlet, seen model.Instant) {
	f.d.Line(f.line, seen, false, out)
}
