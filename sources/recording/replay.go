package recording

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"benchtop/model"
	"benchtop/sources"
)

// followEvery is how often a reader that follows looks for a new block. The
// writer closes one a second.
const followEvery = 100 * time.Millisecond

// Replay plays a recording as a source: events, notes and ticks in the order in
// which they were recorded, with the times and source ids they had. No
// heartbeat may run beside it. It waits for the pacer at each tick.
//
// A seek back emits a Reset of model.AllSources (At and Seen are the target)
// and feeds from the beginning up to the target; a seek forward feeds up to the
// target. On the way only the first tick of each whole second is emitted, and
// as Late: enough for the rules to judge as they did, and nothing to be shown.
// A target past the end gives the last tick.
//
// The fields are set before Run.
type Replay struct {
	// Follow plays a recording that is still being written: at its end Replay
	// waits for more until the writer closes the file, dies, or ctx ends.
	Follow bool
	// Stay keeps the source running at the end: it pauses the pacer and waits
	// for a seek or the end of ctx, so that a deck can go back.
	Stay bool
	// Start feeds up to there, if it is not 0: a seek before the first event.
	Start model.Instant

	path        string
	pacer       *sources.Pacer
	first, last atomic.Int64
}

// NewReplay makes a source that plays the recording at path. The pacer is the
// deck that controls it.
func NewReplay(path string, p *sources.Pacer) *Replay {
	return &Replay{path: path, pacer: p}
}

// Name implements sources.Source.
func (r *Replay) Name() string { return "recording" }

// Span is the time from the first to the last event, both 0 if unknown. It
// grows while a recording is followed. Any goroutine may ask; only the first
// call may read the file.
func (r *Replay) Span() (first, last model.Instant) {
	if r.last.Load() == 0 {
		if rd, err := Open(r.path); err == nil { // Run will tell what is wrong
			r.learn(rd)
			_ = rd.Close() // read only: nothing can be lost
		}
	}
	return model.Instant(r.first.Load()), model.Instant(r.last.Load())
}

func (r *Replay) learn(rd *Reader) {
	if first, last, err := rd.Span(); err == nil {
		r.first.Store(int64(first))
		r.reach(last)
	}
}

// reach moves the end of the span.
func (r *Replay) reach(at model.Instant) {
	for {
		was := r.last.Load()
		if int64(at) <= was || r.last.CompareAndSwap(was, int64(at)) {
			return
		}
	}
}

// Run implements sources.Source.
func (r *Replay) Run(ctx context.Context, out *sources.Outlet) error {
	out.SetPolicy(sources.Block)
	rd, err := Open(r.path)
	if err != nil {
		return sources.Final(err)
	}
	defer func() { _ = rd.Close() }() // read only: nothing can be lost
	r.learn(rd)
	p := player{replay: r, rd: rd, out: out, until: r.Start}
	for err == nil {
		err = p.next(ctx)
	}
	out.Flush()
	switch {
	case ctx.Err() != nil, errors.Is(err, io.EOF):
		return nil
	}
	return sources.Final(err)
}

// player is one Run of a Replay.
type player struct {
	replay *Replay
	rd     *Reader
	out    *sources.Outlet
	batch  model.Batch
	until  model.Instant // feed with late ticks up to there; 0 plays
	second model.Instant // the whole second of the newest tick
	tick   model.Event   // the newest tick, played or not
	missed bool          // it was not played
	told   bool          // the closing note was emitted
}

// next plays what the reader gives next. io.EOF is the end of the replay.
func (p *player) next(ctx context.Context) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	err := p.rd.next(&p.batch)
	switch {
	case err == nil:
		return p.feed(ctx)
	case errors.Is(err, errMore) && p.replay.Follow:
		return p.await(ctx)
	case errors.Is(err, errMore) || errors.Is(err, io.EOF):
		return p.end(ctx)
	}
	return err
}

// feed emits the batch. One with notes goes out by itself, as it came in, so
// that a note meets the events it met when it was recorded.
func (p *player) feed(ctx context.Context) error {
	alone := len(p.batch.Notes) > 0
	if alone {
		p.out.Flush()
		for _, n := range p.batch.Notes {
			p.out.RawNote(n)
		}
	}
	for _, ev := range p.batch.Events {
		if p.replay.Follow {
			p.replay.reach(ev.Seen)
		}
		if ev.Kind != model.Tick {
			p.out.Raw(ev)
			continue
		}
		back, err := p.step(ctx, ev)
		if err != nil {
			return err
		}
		if back {
			return nil // the rest of the batch lies behind the target
		}
	}
	if alone {
		p.out.Flush()
	}
	return nil
}

// step plays one tick at its pace, or passes it by on the way to a target.
// back says that the reader was rewound.
func (p *player) step(ctx context.Context, tick model.Event) (back bool, err error) {
	p.tick = tick
	sec := tick.Seen.Floor(time.Second)
	first := sec > p.second
	p.second = max(p.second, sec)
	if p.until != 0 {
		if tick.Seen < p.until {
			p.missed = true
			if first {
				tick.Late = true
				p.out.Raw(tick)
			}
			return false, ctx.Err()
		}
		p.until = 0
	}
	p.missed = false
	p.out.Raw(tick)
	return p.wait(ctx, tick.Seen)
}

// wait lets the pacer hold the replay at an instant and does what it asks.
func (p *player) wait(ctx context.Context, at model.Instant) (back bool, err error) {
	pacer := p.replay.pacer
	if pacer.Rate() != sources.Max || pacer.Paused() {
		p.out.Flush()
	}
	seek, err := pacer.Wait(ctx, at)
	switch {
	case err != nil || seek == 0:
		return false, err
	case seek >= at:
		p.until = seek
		return false, nil
	}
	p.out.Raw(model.Event{At: seek, Seen: seek, Source: model.AllSources, Kind: model.Reset})
	p.rd.Rewind()
	p.until, p.told, p.second = seek, false, 0
	return true, nil
}

// catchUp plays the last tick if a target past the end kept it back.
func (p *player) catchUp() {
	if p.missed {
		p.missed = false
		p.out.Raw(p.tick)
	}
	p.until = 0
}

// await waits for the writer to append a block.
func (p *player) await(ctx context.Context) error {
	if p.rd.recorded() == lockFree {
		return p.orphan(ctx)
	}
	p.catchUp()
	p.out.Flush()
	t := time.NewTimer(followEvery)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
	}
	if p.tick.Seen == 0 {
		return nil
	}
	_, err := p.wait(ctx, p.tick.Seen)
	return err
}

// orphan is reached when the writer is gone. It may have written its last
// blocks just before, so it looks once more.
func (p *player) orphan(ctx context.Context) error {
	err := p.rd.next(&p.batch)
	switch {
	case err == nil:
		return p.feed(ctx)
	case errors.Is(err, errMore) || errors.Is(err, io.EOF):
		return p.end(ctx)
	}
	return err
}

// end is reached when nothing follows.
func (p *player) end(ctx context.Context) error {
	p.catchUp()
	p.tell()
	p.out.Flush()
	if !p.replay.Stay {
		return io.EOF
	}
	p.replay.pacer.Pause(true)
	_, err := p.wait(ctx, p.tick.Seen)
	return err
}

// tell adds what the run should know about the recording itself, once.
func (p *player) tell() {
	if p.told {
		return
	}
	p.told = true
	at := p.tick.Seen
	note := func(text string, v float64) {
		p.out.Flush()
		p.out.RawNote(model.Note{At: at, Seen: at, Kind: model.NoteRun, Name: "recording", Text: text, Value: v})
		p.out.Flush()
	}
	if p.rd.Cut() {
		note("cut short: the recorder was killed, its disk was full, or it is still running (attach follows it)", 0)
	}
	if n := p.rd.Lost(); n > 0 {
		note(fmt.Sprintf("incomplete: the disk was too slow for %d blocks", n), float64(n))
	}
	if n := p.rd.Damaged(); n > 0 {
		note(fmt.Sprintf("incomplete: %d blocks are damaged", n), float64(n))
	}
	if n := p.rd.Skipped(); n > 0 {
		note(fmt.Sprintf("%d events are of series that this version does not know", n), float64(n))
	}
}
