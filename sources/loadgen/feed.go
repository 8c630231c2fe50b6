package loadgen

import (
	"io"
	"os"

	"benchtop/model"
	"benchtop/sources"
)

// NewFeed reads the raw file of a finished run for replay: its records in its
// own order, at the times they tell. It takes r over and closes it.
func NewFeed(r io.ReadCloser, name string, o Options) *sources.Feed {
	if o.Name == "" {
		o.Name = name
	}
	f := &feed{t: newTracker(&o)}
	f.s, f.err = newStream(r, o)
	if f.s != nil {
		f.s.written = modified(r)
	}
	out := &sources.Feed{Name: name, Kind: model.KindLoad, Label: o.Label, Next: f.next, Emit: f.emit, Close: r.Close}
	if f.s != nil && f.s.format != nil {
		out.Format = f.s.format.Name
		f.t.format = out.Format
	}
	return out
}

// modified is when a file was last written; 0 if r is none.
func modified(r io.Reader) model.Instant {
	f, ok := r.(interface{ Stat() (os.FileInfo, error) })
	if !ok {
		return 0
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return model.InstantOf(info.ModTime())
}

// feed hands a stream's records to Merge one by one.
type feed struct {
	s      *stream
	t      tracker
	err    error
	at     int // the next record of s.records
	closed bool
	now    *Record
	close  Record

	lines, bad int // counted so far
	bytes      int64
}

// next implements sources.Feed.
func (f *feed) next() (model.Instant, bool, error) {
	if f.err != nil {
		return 0, false, f.err
	}
	if f.at >= len(f.s.records) {
		f.s.records, f.at = f.s.records[:0], 0
		ok, err := f.s.more()
		if err != nil {
			return 0, false, err
		}
		if !ok {
			return f.last()
		}
	}
	f.now = &f.s.records[f.at]
	f.at++
	return f.now.At, true, nil
}

// last announces the end of the stream, which closes what is still open.
func (f *feed) last() (model.Instant, bool, error) {
	if f.closed {
		return 0, false, nil
	}
	f.closed = true
	f.close.clear(KindClose)
	f.now = &f.close
	return f.t.latest, true, nil
}

// emit implements sources.Feed.
func (f *feed) emit(out *sources.Outlet, seen model.Instant) {
	f.t.emitter = emitter{out: out, seen: seen}
	s := f.s
	out.Count(s.read-f.lines, s.read-s.bad-(f.lines-f.bad), int(s.bytes-f.bytes), 0, s.bad-f.bad)
	f.lines, f.bad, f.bytes = s.read, s.bad, s.bytes
	for _, b := range s.samples {
		f.t.note(model.NoteBadLine, 0, b.reason, b.text, float64(b.line))
	}
	s.samples = s.samples[:0]
	if f.t.records == 0 && f.t.run == 0 && s.format != nil {
		f.t.blind(s.format)
	}
	if s.guessed && f.t.records == 0 {
		f.t.note(model.NoteError, 0, "", "its times count from the start of the run: placed by when the file was written (say when it began with ,start=TIME)", 0)
	}
	f.t.apply(f.now)
}
