package sources

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"benchtop/model"
)

// Feed is one raw file of a finished run, read item by item in its own order.
type Feed struct {
	Name          string
	Kind          model.SourceKind
	Format, Label string
	// Next reads one item ahead and says when a live reader would have seen it
	// (a request's record: its end). ok is false at the end of the file. An item
	// without a time of its own takes the one before it.
	Next func() (at model.Instant, ok bool, err error)
	// Emit emits the item that Next announced. seen is what to stamp as Seen.
	Emit func(out *Outlet, seen model.Instant)
	// Close releases the file; may be nil.
	Close func() error
}

// Merge plays the raw files of one run in time order with ticks, as a source:
// replay for a run that nobody recorded. Events keep the files' own times. A
// file that can't be read fails alone; the others play on. If none can be, the
// source fails.
type Merge struct {
	Open  func() ([]*Feed, error) // called again to seek back
	Pacer *Pacer
}

// Name implements Source.
func (m *Merge) Name() string { return "raw files" }

type head struct {
	feed *Feed
	out  *Outlet
	at   model.Instant
	ok   bool
	err  error // why it gave up
}

// Run implements Source.
func (m *Merge) Run(ctx context.Context, out *Outlet) error {
	out.SetPolicy(Block)
	var outs []*Outlet
	until := model.Instant(0)
	for {
		feeds, err := m.Open()
		if err != nil {
			return Final(err)
		}
		for len(outs) < len(feeds) {
			outs = append(outs, out.Fork())
		}
		back, err := m.play(ctx, out, outs, feeds, until)
		for _, f := range feeds {
			if f.Close != nil {
				_ = f.Close() // read only: nothing can be lost
			}
		}
		if err != nil || back == 0 {
			return err
		}
		out.FlushAt(back) // what describes the sources anew must not stand before the reset in one batch
		out.Emit(model.Event{At: back, Seen: back, Kind: model.Reset})
		out.FlushAt(back)
		until = back
	}
}

// play feeds everything once. until > 0 feeds without ticks up to there.
func (m *Merge) play(ctx context.Context, out *Outlet, outs []*Outlet, feeds []*Feed, until model.Instant) (back model.Instant, err error) {
	heads := make([]*head, len(feeds))
	for i, f := range feeds {
		heads[i] = &head{feed: f, out: outs[i]}
		heads[i].advance()
	}
	if err := hopeless(heads); err != nil {
		return 0, err
	}
	if earliest(heads) == nil {
		return 0, Final(fmt.Errorf("%s: nothing with a time of its own was understood (try benchtop probe on it)", names(feeds)))
	}
	tick := model.Instant(0)
	for {
		h := earliest(heads)
		if h == nil {
			break
		}
		if tick == 0 {
			tick = h.at.Floor(TickEvery)
			for _, g := range heads {
				g.out.Describe(h.at, g.feed.Name, g.feed.Kind, g.feed.Format, g.feed.Label)
				g.tell(h.at)
			}
		}
		for next := tick.Add(TickEvery); next <= h.at; next = tick.Add(TickEvery) {
			if h.at.Sub(tick) > time.Hour { // a hole in the files: don't tick through days
				next = h.at.Floor(TickEvery)
			}
			tick = next
			seek, err := m.step(ctx, out, tick, &until)
			if err != nil || seek != 0 {
				return seek, err
			}
		}
		h.feed.Emit(h.out, h.at)
		if h.advance(); !h.ok {
			h.tell(h.at)
		}
	}
	if tick != 0 {
		out.Emit(model.Event{Seen: tick.Add(TickEvery), Kind: model.Tick})
	}
	out.Flush()
	return 0, nil
}

// names lists the feeds for a message.
func names(feeds []*Feed) string {
	var all []string
	for _, f := range feeds {
		all = append(all, f.Name)
	}
	return strings.Join(all, ", ")
}

// step emits one tick at its pace. It returns a seek that must go back.
func (m *Merge) step(ctx context.Context, out *Outlet, tick model.Instant, until *model.Instant) (back model.Instant, err error) {
	if *until != 0 {
		if tick < *until {
			return 0, ctx.Err()
		}
		*until = 0
	}
	out.Emit(model.Event{Seen: tick, Kind: model.Tick})
	if m.Pacer.Rate() != Max {
		out.Flush()
	}
	seek, err := m.Pacer.Wait(ctx, tick)
	switch {
	case err != nil || seek == 0:
		return 0, err
	case seek < tick:
		return seek, nil
	}
	*until = seek
	return 0, nil
}

// advance reads an item ahead. A feed that fails is over.
func (h *head) advance() {
	at, ok, err := h.feed.Next()
	if err != nil {
		h.err, ok = named(h.feed.Name, err), false
	}
	if h.ok = ok; ok {
		h.at = max(h.at, at)
	}
}

// named puts a feed's name in front of its error where that lacks it.
func named(name string, err error) error {
	if strings.HasPrefix(err.Error(), name+": ") {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// tell says what the feed is doing.
func (h *head) tell(at model.Instant) {
	switch {
	case h.err != nil:
		h.out.State(at, model.Failed, h.err.Error())
	case h.ok:
		h.out.State(at, model.Running, "")
	default:
		h.out.State(at, model.Ended, "")
	}
}

// hopeless is the feeds' errors if none of them has anything.
func hopeless(heads []*head) error {
	var all []error
	for _, h := range heads {
		if h.ok {
			return nil
		}
		if h.err != nil {
			all = append(all, h.err)
		}
	}
	if len(all) > 1 {
		return Final(fmt.Errorf("%w (and %d more files)", all[0], len(all)-1))
	}
	return Final(errors.Join(all...))
}

func earliest(heads []*head) *head {
	var best *head
	for _, h := range heads {
		if h.ok && (best == nil || h.at < best.at) {
			best = h
		}
	}
	return best
}
