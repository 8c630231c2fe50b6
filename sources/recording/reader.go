package recording

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"syscall"

	"benchtop/model"
)

// errMore says that the file ends here for now: it has no index yet.
var errMore = errors.New("no whole block follows yet")

// Reader reads a recording from its beginning, whole blocks only. It belongs to
// one goroutine. Its memory is bounded whatever the file says.
type Reader struct {
	path   string
	at     io.ReaderAt
	size   func() (int64, error)
	file   *os.File // nil in tests
	header Header
	begin  int64 // offset of the first block
	off    int64 // of the next block

	dec     decoder
	thaw    *thaw // the rest of a thinned second
	stored  []byte
	raw     []byte
	flate   io.ReadCloser
	notes   []model.Note
	hole    *loss // to be told before the next block
	closed  bool  // the index was reached
	damaged int
	lost    uint64
}

// Open opens the recording at path and reads its header. Errors are one line
// and say what to do; they wrap ErrNotRecording or ErrNewer where that is why.
func Open(path string) (*Reader, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe would be waited for
	if err != nil {
		return nil, fmt.Errorf("open recording %s: %w", path, plainErr(err))
	}
	fi, err := f.Stat()
	switch {
	case err != nil:
		err = fmt.Errorf("open recording %s: %w", path, plainErr(err))
	case !fi.Mode().IsRegular():
		err = fmt.Errorf("open recording %s: not a regular file (give the path of a %s file)", path, Ext)
	}
	if err != nil {
		_ = f.Close() // read only: nothing can be lost
		return nil, err
	}
	r, err := newReader(path, f, func() (int64, error) {
		fi, err := f.Stat()
		if err != nil {
			return 0, err
		}
		return fi.Size(), nil
	})
	if err != nil {
		_ = f.Close() // read only: nothing can be lost
		return nil, err
	}
	r.file = f
	return r, nil
}

// newReader reads the head of what at holds.
func newReader(path string, at io.ReaderAt, size func() (int64, error)) (*Reader, error) {
	r := &Reader{path: path, at: at, size: size}
	if err := r.readHead(); err != nil {
		return nil, fmt.Errorf("open recording %s: %w", path, err)
	}
	r.dec.series = make([]model.SeriesID, len(r.header.Series))
	r.dec.known = make([]bool, len(r.header.Series))
	for i, name := range r.header.Series {
		r.dec.series[i], r.dec.known[i] = model.SeriesByName(name)
	}
	r.Rewind()
	return r, nil
}

func (r *Reader) readHead() error {
	var fixed [headFixed]byte
	n, err := r.at.ReadAt(fixed[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return plainErr(err)
	}
	switch {
	case n == 0:
		return fmt.Errorf("%w: the file is empty", ErrNotRecording)
	case string(fixed[:min(n, len(fileMagic))]) != fileMagic[:min(n, len(fileMagic))]:
		return fmt.Errorf("%w (raw logs and load streams are replayed with --log and --load)", ErrNotRecording)
	case n < headFixed:
		return fmt.Errorf("%w: it ends within its header, nothing was recorded", ErrNotRecording)
	}
	version := binary.LittleEndian.Uint16(fixed[8:])
	if version > Version {
		return fmt.Errorf("%w: its format is %d, this one reads up to %d (update benchtop)", ErrNewer, version, Version)
	}
	length := binary.LittleEndian.Uint32(fixed[12:])
	if version == 0 || length > maxHeader {
		return fmt.Errorf("%w: its header is damaged", ErrNotRecording)
	}
	rest := make([]byte, length+4)
	if n, err := r.at.ReadAt(rest, headFixed); n < len(rest) {
		if err != nil && !errors.Is(err, io.EOF) {
			return plainErr(err)
		}
		return fmt.Errorf("%w: it ends within its header, nothing was recorded", ErrNotRecording)
	}
	js := rest[:length]
	if binary.LittleEndian.Uint32(rest[length:]) != crc(append(fixed[:], js...)) {
		return fmt.Errorf("%w: its header is damaged", ErrNotRecording)
	}
	if err := json.Unmarshal(js, &r.header); err != nil {
		return fmt.Errorf("%w: its header is damaged: %w", ErrNotRecording, err)
	}
	if len(r.header.Series) > maxSeriesLen {
		return fmt.Errorf("%w: its header names %d series", ErrNotRecording, len(r.header.Series))
	}
	r.begin = headFixed + int64(len(rest))
	return nil
}

// Header is what the recording says about its run. The series names in it are
// the file's, not this version's.
func (r *Reader) Header() Header { return r.header }

// Close closes the file.
func (r *Reader) Close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}

// Rewind goes back to the first event and forgets what was counted.
func (r *Reader) Rewind() {
	r.off = r.begin
	r.dec.stop()
	r.dec.skipped, r.dec.flight = 0, make(map[model.SourceID]struct{})
	r.thaw, r.notes = nil, r.notes[:0]
	r.hole, r.closed, r.damaged, r.lost = nil, false, 0, 0
}

// Cut reports, once Next has returned io.EOF, whether the file lacks its end:
// its writer was killed or is still at it.
func (r *Reader) Cut() bool { return !r.closed }

// Damaged is how many blocks so far were unreadable.
func (r *Reader) Damaged() int { return r.damaged }

// Lost is how many blocks so far the writer had to drop.
func (r *Reader) Lost() uint64 { return r.lost }

// Skipped is how many events so far were of series this version doesn't know.
func (r *Reader) Skipped() uint64 { return r.dec.skipped }

// Next replaces what b holds with what comes next: at most model.BatchCap
// events, in recorded order. A batch that was recorded with notes comes back by
// itself, as the engine took it (a longer one in pieces, its notes first). Where
// blocks are missing it holds a mark that says so and a Gap of client in-flight
// for each source that told of requests. io.EOF is the end; see Cut.
func (r *Reader) Next(b *model.Batch) error {
	err := r.next(b)
	if errors.Is(err, errMore) {
		return io.EOF
	}
	return err
}

// next is Next, but tells an end for now (errMore) from the end (io.EOF). It
// may be called again after errMore.
func (r *Reader) next(b *model.Batch) error {
	b.Clear()
	for {
		if r.hole != nil {
			r.tell(b, *r.hole)
			r.hole = nil
			return nil
		}
		if len(r.notes) > 0 {
			b.Notes, r.notes = append(b.Notes, r.notes...), r.notes[:0]
			return nil
		}
		if r.thaw != nil {
			if r.thaw.fill(b); len(b.Events) > 0 {
				return nil
			}
			r.thaw = nil
		}
		if !r.dec.more() {
			if err := r.load(); err != nil {
				return err
			}
			continue
		}
		err := r.dec.fill(b)
		if err != nil { // its checksum was right: the writer's fault
			r.damage(r.dec.seen, r.dec.last)
			r.dec.stop()
		}
		if len(b.Events) > 0 || len(b.Notes) > 0 {
			return nil
		}
	}
}

// damage counts an unreadable block, to be told before anything else.
func (r *Reader) damage(first, last model.Instant) {
	r.damaged++
	r.hole = &loss{first: first, last: last}
}

// load reads the next block into the decoder. nil means that something was
// found, though perhaps nothing to decode.
func (r *Reader) load() error {
	if r.closed {
		return io.EOF
	}
	h, err := r.head()
	if err != nil {
		return err
	}
	end := r.off + blockHead + int64(h.stored)
	r.stored = slices.Grow(r.stored[:0], int(h.stored))[:h.stored]
	n, err := r.at.ReadAt(r.stored, r.off+blockHead)
	if n < len(r.stored) {
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("read %s: %w", r.path, plainErr(err))
		}
		return errMore
	}
	p, ok := r.unpack(h)
	r.off = end
	switch {
	case h.kind == kindIndex:
		r.closed = true
		return io.EOF
	case !ok:
		r.damage(h.first, h.last)
	case h.kind == kindLost:
		l := parseLoss(p, h)
		r.lost += l.blocks
		r.hole = &l
	case h.kind == kindThin:
		t, err := newThaw(p, r.dec.series, r.dec.known)
		if err != nil {
			r.damage(h.first, h.last)
			break
		}
		for _, g := range t.groups {
			if g.kind == model.Begin {
				r.dec.flight[g.source] = struct{}{}
			}
		}
		r.thaw, r.notes = t, append(r.notes, thinnedNote(h.first, h.last))
	case h.kind == kindData:
		if r.dec.start(p, h.first) != nil {
			r.damage(h.first, h.last)
		}
	}
	return nil // other kinds: a later version's, of no use to us
}

// head reads the block header at the offset, or finds the next one behind
// damaged bytes.
func (r *Reader) head() (blockHeader, error) {
	var buf [blockHead]byte
	n, err := r.at.ReadAt(buf[:], r.off)
	if err != nil && !errors.Is(err, io.EOF) {
		return blockHeader{}, fmt.Errorf("read %s: %w", r.path, plainErr(err))
	}
	if n < blockHead {
		return blockHeader{}, errMore
	}
	if h, ok := parseBlockHeader(buf[:]); ok {
		return h, nil
	}
	h, off, ok := r.resync(r.off + 1)
	if !ok { // a torn end, or nothing but damage up to the end
		return blockHeader{}, errMore
	}
	r.damage(h.first, h.first)
	r.off = off
	return h, nil
}

// resync looks for the next block header from off on.
func (r *Reader) resync(off int64) (blockHeader, int64, bool) {
	buf := make([]byte, 64<<10)
	for {
		n, err := r.at.ReadAt(buf, off)
		p := buf[:n]
		for i := bytes.Index(p, []byte(blockMarker)); i >= 0; {
			if len(p)-i < blockHead {
				break
			}
			if h, ok := parseBlockHeader(p[i:]); ok {
				return h, off + int64(n-len(p)+i), true
			}
			p = p[i+1:]
			i = bytes.Index(p, []byte(blockMarker))
		}
		if err != nil || n < len(buf) {
			return blockHeader{}, 0, false
		}
		off += int64(n - blockHead + 1)
	}
}

// unpack checks r.stored and gives the payload as it was before packing.
func (r *Reader) unpack(h blockHeader) ([]byte, bool) {
	if crc(r.stored) != h.payloadCRC {
		return nil, false
	}
	switch h.codec {
	case codecNone:
		return r.stored, true
	case codecFlate:
	default:
		return nil, false
	}
	src := bytes.NewReader(r.stored)
	if r.flate == nil {
		r.flate = flate.NewReader(src)
	} else if err := r.flate.(flate.Resetter).Reset(src, nil); err != nil {
		return nil, false
	}
	r.raw = slices.Grow(r.raw[:0], int(h.raw))[:h.raw]
	if _, err := io.ReadFull(r.flate, r.raw); err != nil {
		return nil, false
	}
	return r.raw, true
}

// tell fills b with what the run should know about a hole.
func (r *Reader) tell(b *model.Batch, l loss) {
	text := "a block of the recording is damaged: what happened here is missing"
	if l.blocks > 0 {
		text = fmt.Sprintf("the disk was too slow for the recording: %d events are missing here", l.records)
	}
	b.Notes = append(b.Notes, model.Note{At: l.first, Seen: l.first, Kind: model.NoteMark, Name: "source", Text: text, Value: float64(l.records)})
	for _, src := range sortedSources(r.dec.flight) {
		b.Events = append(b.Events, model.Event{At: l.first, Seen: l.first, Series: model.ClientInFlight, Source: src, Kind: model.Gap, Value: math.NaN()})
	}
}

// Span is the time from the first to the last event, from the index or by
// walking the blocks' headers. Both are 0 for an empty recording.
func (r *Reader) Span() (first, last model.Instant, err error) {
	x, _, err := r.survey()
	return x.first, x.last, err
}
