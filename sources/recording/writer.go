package recording

import (
	"cmp"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"

	"benchtop/model"
)

const (
	// blockAge is how old the open block grows: what a kill may cost, and how
	// far a reader that follows lies behind.
	blockAge = time.Second
	// queueCap is how many closed blocks wait for the disk: a minute of a usual
	// run, and 16 MiB at the very most.
	queueCap = 64
	// closeWait bounds how long the end of a run waits for the disk.
	closeWait = 2 * time.Second
)

// errSlow is what Close says when the disk doesn't take the last blocks.
var errSlow = errors.New("the disk did not take the last blocks in time; the recording ends before them")

// block is one closed block on its way to the disk. It changes hands with the
// channel send.
type block struct {
	cols        columns
	first, last model.Instant
	count       uint32
	lost        loss   // what was dropped before it
	thin        []byte // counts of a thinned second in place of records
}

// loss counts what the disk was too slow for.
type loss struct {
	blocks, records uint64
	first, last     model.Instant
}

func (l *loss) add(b *block) {
	if l.blocks == 0 {
		l.first, l.last = b.first, b.last
	}
	l.blocks++
	l.records += uint64(b.count)
	l.first, l.last = min(l.first, b.first), max(l.last, b.last)
}

// Stats is how a recording is doing.
type Stats struct {
	Path   string
	Bytes  int64  // in the file
	Blocks uint64 // in the file
	Lost   uint64 // blocks dropped because the disk was too slow
	// LostEvents is how many events and notes were in them.
	LostEvents uint64
	Thinned    uint64 // events of requests that were kept as counts
	Err        error  // why the recording ended early, nil if it goes on
}

// Writer records a run. Write and Close belong to the engine's goroutine,
// Stats may be called from any. One goroutine of its own writes to the disk; it
// ends with Close.
type Writer struct {
	path   string
	enc    encoder
	thin   thinner
	open   *block // being filled; nil if nothing is pending
	lost   loss   // not yet accounted for in the file
	queue  chan *block
	free   chan *block
	done   chan struct{} // closed when the disk goroutine has ended
	closed bool
	newest model.Instant // newest Seen so far, the run's start before there is one
	wait   time.Duration

	bytes                   atomic.Int64
	blocks, lostN, lostRecs atomic.Uint64
	thinned                 atomic.Uint64
	err                     atomic.Pointer[error]
}

// Create starts a recording at path, which must not exist or be empty: a
// recording is never overwritten. Only its owner can read it. h.Series is
// filled in. The folder must exist (see NewPath).
func Create(path string, h Header) (*Writer, error) {
	d, err := createDisk(path)
	if err != nil {
		return nil, fmt.Errorf("record to %s: %w", path, plainErr(err))
	}
	w, err := newWriter(path, h, d)
	if err != nil {
		_ = d.close() // the error before it is the one to tell
		return nil, err
	}
	return w, nil
}

// newWriter writes the head to d and starts the disk goroutine.
func newWriter(path string, h Header, d disk) (*Writer, error) {
	head, err := appendHeader(nil, h)
	if err != nil {
		return nil, err
	}
	if _, err := d.write(head); err != nil {
		_ = d.truncate(0) // half a head is of no use
		return nil, fmt.Errorf("record to %s: %w (free some space, or give --record another place)", path, plainErr(err))
	}
	w := &Writer{
		path:  path,
		queue: make(chan *block, queueCap),
		free:  make(chan *block, queueCap),
		done:  make(chan struct{}),
		wait:  closeWait, newest: h.Started,
	}
	w.bytes.Store(int64(len(head)))
	s := newSpool(d, int64(len(head)))
	go w.drain(s)
	return w, nil
}

// Write records b. It copies what it needs, keeps nothing of b and never
// waits; after an error or Close it does nothing.
func (w *Writer) Write(b *model.Batch) {
	if w.closed || w.err.Load() != nil || len(b.Events) == 0 && len(b.Notes) == 0 {
		return
	}
	notes := len(b.Notes) > 0
	if notes {
		w.mark(w.begin(cmp.Or(w.newest, b.Notes[0].Seen)), controlOpen)
		for i := range b.Notes {
			blk := w.begin(cmp.Or(w.newest, b.Notes[i].Seen))
			w.enc.note(&blk.cols, &b.Notes[i])
			w.grown(blk)
		}
	}
	for i := range b.Events {
		ev := &b.Events[i]
		if ev.Kind == model.Tick && w.thin.turn(ev.Seen) {
			w.counts()
		}
		if w.thin.take(ev) {
			if w.thin.full() {
				w.counts()
			}
			continue
		}
		first := ev.Seen
		if !ofTheRun(ev) {
			first = cmp.Or(w.newest, first)
		}
		blk := w.begin(first)
		w.enc.event(&blk.cols, ev)
		w.grown(blk)
	}
	if w.open == nil {
		return
	}
	if notes {
		w.mark(w.open, controlClose)
	}
	w.age()
}

// begin returns the open block, or opens one that starts at first. Notes don't
// tell the time of a block: what was declared before the run may have none, and
// what a simulator's surroundings say is of another clock than its events.
func (w *Writer) begin(first model.Instant) *block {
	if w.open != nil {
		return w.open
	}
	select {
	case w.open = <-w.free:
	default:
		w.open = &block{}
	}
	if first <= 0 {
		first = w.newest
	}
	b := w.open
	for i := range b.cols {
		b.cols[i] = b.cols[i][:0]
	}
	b.first, b.last, b.count, b.lost, b.thin = first, first, 0, loss{}, b.thin[:0]
	w.enc.reset(first)
	return w.open
}

func (w *Writer) mark(b *block, control byte) { b.cols[colTag] = append(b.cols[colTag], control) }

// grown counts a record and closes the block if it is full.
func (w *Writer) grown(b *block) {
	b.count++
	if b.cols.size() >= blockTarget {
		w.seal()
	}
}

// age closes the open block when it is old enough, or the clock was set back.
// While closed blocks wait for the disk it lets the block grow instead: fewer,
// larger blocks is what a slow disk needs, and sooner it would not get there.
func (w *Writer) age() {
	old := w.enc.last.Sub(w.open.first) >= blockAge
	back := w.open.first.Sub(w.enc.seen) >= blockAge
	if (old || back) && len(w.queue) == 0 {
		w.seal()
	}
}

// seal hands the open block to the disk, or drops and counts it if the disk is
// too far behind.
func (w *Writer) seal() {
	b := w.take()
	select {
	case w.queue <- b:
		w.lost = loss{}
	default:
		w.drop(b)
	}
}

// counts hands the counts of a thinned second to the disk, behind what was
// recorded before.
func (w *Writer) counts() {
	if w.open != nil {
		w.seal()
	}
	b := w.begin(w.thin.first)
	b.thin, b.first, b.last, b.count = w.thin.encode(b.thin[:0])
	w.enc.last = b.last
	w.thinned.Add(uint64(b.count))
	w.seal()
}

// take detaches the open block, with the account of what was lost before it.
func (w *Writer) take() *block {
	b := w.open
	w.open = nil
	b.last, b.lost = w.enc.last, w.lost
	w.newest = max(w.newest, b.last)
	return b
}

func (w *Writer) drop(b *block) {
	w.lostN.Add(1)
	w.lostRecs.Add(uint64(b.count))
	w.lost.add(b)
	select {
	case w.free <- b:
	default:
	}
}

// Close writes what is left, the index, and syncs. It waits for the disk for
// two seconds at most. It returns the error that ended the recording, if one
// did. A second Close does nothing.
func (w *Writer) Close() error {
	if w.closed {
		return nil
	}
	w.closed = true
	t := time.NewTimer(w.wait)
	defer t.Stop()
	if w.thin.total > 0 {
		w.counts()
	}
	if w.open == nil && w.lost.blocks > 0 {
		w.begin(w.lost.last)
	}
	if w.open != nil {
		b := w.take()
		select {
		case w.queue <- b:
		case <-t.C:
			w.drop(b)
			close(w.queue)
			return fmt.Errorf("close %s: %w", w.path, errSlow)
		}
	}
	close(w.queue)
	select {
	case <-w.done:
	case <-t.C:
		return fmt.Errorf("close %s: %w", w.path, errSlow)
	}
	return w.Stats().Err
}

// Stats is how the recording is doing. Any goroutine may ask.
func (w *Writer) Stats() Stats {
	s := Stats{
		Path: w.path, Bytes: w.bytes.Load(), Blocks: w.blocks.Load(),
		Lost: w.lostN.Load(), LostEvents: w.lostRecs.Load(), Thinned: w.thinned.Load(),
	}
	if e := w.err.Load(); e != nil {
		s.Err = *e
	}
	return s
}

// Why is what ended a recording, without where.
func Why(err error) error {
	for errors.Unwrap(err) != nil {
		err = errors.Unwrap(err)
	}
	return err
}

// fail ends the recording. The first error is the one that counts.
func (w *Writer) fail(err error) {
	err = fmt.Errorf("recording %s stopped: %w (the run goes on; free some space or give --record another place)", w.path, plainErr(err))
	w.err.CompareAndSwap(nil, &err)
}

// drain is the disk goroutine: it stores blocks until the queue is closed.
// After an error it goes on emptying the queue, so that nobody waits for it.
func (w *Writer) drain(s *spool) {
	defer close(w.done)
	for b := range w.queue {
		if w.err.Load() == nil {
			w.guard(func() error { return s.store(b) })
			w.bytes.Store(s.size)
			w.blocks.Store(s.blocks)
		}
		select {
		case w.free <- b:
		default:
		}
	}
	if w.err.Load() == nil {
		w.guard(s.finish)
		w.bytes.Store(s.size)
	}
	w.guard(s.disk.close)
}

// guard turns an error or a panic of f into the end of the recording.
func (w *Writer) guard(f func() error) {
	defer func() {
		if r := recover(); r != nil {
			w.fail(fmt.Errorf("internal error: %v\n%s", r, debug.Stack()))
		}
	}()
	if err := f(); err != nil {
		w.fail(err)
	}
}
