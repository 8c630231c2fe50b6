package sources

import (
	"context"
	"math"
	"strings"
	"sync"
	"time"

	"benchtop/model"
)

// pool recycles batches between outlets and the engine.
var pool = sync.Pool{New: func() any {
	return &model.Batch{Events: make([]model.Event, 0, model.BatchCap)}
}}

// Recycle gives a batch back for reuse. The engine calls it through an option.
func Recycle(b *model.Batch) {
	if cap(b.Events) > 4*model.BatchCap {
		return
	}
	b.Clear()
	pool.Put(b)
}

// lastWait bounds how long the last batches of a run wait for the engine.
const lastWait = 2 * time.Second

// keepCap bounds the begins and ends an outlet keeps while the engine lags.
const keepCap = 1 << 16

// lane is the one open batch and its way out, shared by an outlet and its
// forks, all used by one goroutine.
type lane struct {
	ctx    context.Context //nolint:containedctx // a lane lives exactly as long as one Run
	send   chan<- *model.Batch
	policy Policy
	batch  *model.Batch
	alloc  func() model.SourceID
	all    []*Outlet
}

// Outlet stamps and batches one source's events. It belongs to the goroutine
// that runs the source. Every method returns at once except under Block, where
// Flush may wait for the engine.
type Outlet struct {
	lane    *lane
	id      model.SourceID
	pending [5]float64 // lines, matched, bytes, dropped, errors since the last flush
	shed    map[shedKey]int
}

type shedKey struct {
	series model.SeriesID
	kind   model.Kind
	key    uint64
	source model.SourceID
}

// NewOutlet makes an outlet that sends to ch. Groups make them; tests may.
func NewOutlet(ctx context.Context, ch chan<- *model.Batch, id model.SourceID, p Policy, alloc func() model.SourceID) *Outlet {
	o := &Outlet{id: id}
	o.lane = &lane{ctx: ctx, send: ch, policy: p, alloc: alloc, all: []*Outlet{o}}
	return o
}

// SetPolicy changes what happens when the engine lags; a source that finds out
// what it reads only by opening it calls this first.
func (o *Outlet) SetPolicy(p Policy) { o.lane.policy = p }

// ID is the source id that Emit stamps.
func (o *Outlet) ID() model.SourceID { return o.id }

// Fork makes an outlet with a source id of its own that shares this one's
// batches, for sources that stand for several (simulator, raw replay).
func (o *Outlet) Fork() *Outlet {
	id := o.id + 1
	if o.lane.alloc != nil {
		id = o.lane.alloc()
	}
	f := &Outlet{lane: o.lane, id: id}
	o.lane.all = append(o.lane.all, f)
	return f
}

// Describe tells the run what this source is. name is what the user gave; it
// is shown and recorded without the passwords and keys in it.
func (o *Outlet) Describe(at model.Instant, name string, kind model.SourceKind, format, label string) {
	o.Note(model.Note{At: at, Seen: at, Kind: model.NoteSource, Name: name, Text: format + "|" + label, Value: float64(kind)})
}

// State tells what the source is doing; why is "" or the reason with the next step.
func (o *Outlet) State(at model.Instant, s model.SourceState, why string) {
	if why != "" {
		o.Note(model.Note{At: at, Seen: at, Kind: model.NoteError, Text: why})
	}
	o.Emit(model.Event{At: at, Seen: at, Kind: model.State, Value: float64(s)})
}

// Count adds to what the source has read, understood, dropped and failed on.
// The amounts go out with the next flush.
func (o *Outlet) Count(lines, matched, bytes, dropped, errored int) {
	o.pending[0] += float64(lines)
	o.pending[1] += float64(matched)
	o.pending[2] += float64(bytes)
	o.pending[3] += float64(dropped)
	o.pending[4] += float64(errored)
}

// Emit stamps ev with the source's id and adds it to the batch. A zero At
// takes Seen's place.
func (o *Outlet) Emit(ev model.Event) {
	ev.Source = o.id
	o.Raw(ev)
}

// Raw adds ev as it is: replayed events keep the source ids they had.
func (o *Outlet) Raw(ev model.Event) {
	if ev.At == 0 {
		ev.At = ev.Seen
	}
	l := o.lane
	b := l.open()
	b.Events = append(b.Events, ev)
	if len(b.Events) >= model.BatchCap && l.policy == Block {
		o.Flush()
	} else if len(b.Events)%model.BatchCap == 0 {
		o.push(ev.Seen)
	}
}

// Note adds text, stamped with the source's id. What sources say of themselves
// goes on without the passwords and keys in it.
func (o *Outlet) Note(n model.Note) {
	n.Source = o.id
	n = n.Clip()
	switch n.Kind {
	case model.NoteSource:
		n.Name = Redact(n.Name)
	case model.NoteMark, model.NoteError, model.NoteBadLine:
		n.Text = Redact(n.Text)
	case model.NoteRun:
		if !strings.HasPrefix(n.Name, "reported") { // our own JSON
			n.Text = Redact(n.Text)
		}
	case model.NoteConfig, model.NoteGPU, model.NoteEngine, model.NoteVerdict:
	}
	o.RawNote(n)
}

// RawNote adds a note as it is, but for text beyond what is kept.
func (o *Outlet) RawNote(n model.Note) {
	b := o.lane.open()
	b.Notes = append(b.Notes, n.Clip())
}

func (l *lane) open() *model.Batch {
	if l.batch == nil {
		l.batch = pool.Get().(*model.Batch)
	}
	return l.batch
}

// Flush sends what is there. Call it before waiting for input, so that nothing
// sits in a batch while a source is quiet.
func (o *Outlet) Flush() { o.push(0) }

// FlushAt is Flush with the time the counts are booked at; without events of
// its own a batch that only counts needs one.
func (o *Outlet) FlushAt(seen model.Instant) { o.push(seen) }

func (o *Outlet) push(seen model.Instant) {
	l := o.lane
	if seen == 0 {
		if l.batch != nil && len(l.batch.Events) > 0 {
			seen = l.batch.Events[len(l.batch.Events)-1].Seen
		} else {
			seen = Now()
		}
	}
	for _, f := range l.all {
		f.bookCounts(seen)
	}
	b := l.batch
	if b == nil || len(b.Events) == 0 && len(b.Notes) == 0 {
		return
	}
	if l.policy == Block {
		select {
		case l.send <- b:
		case <-l.ctx.Done():
			// The engine reads on until the group closes the channel, so the end of
			// a run is not lost; the limit is for an engine that died.
			select {
			case l.send <- b:
			case <-time.After(lastWait):
			}
		}
		l.batch = nil
		return
	}
	select {
	case l.send <- b:
		l.batch = nil
	default:
		o.shrink(seen)
	}
}

// Stamp books the pending counts as events.
func (o *Outlet) bookCounts(seen model.Instant) {
	ids := [...]model.SeriesID{model.SourceLines, model.SourceMatched, model.SourceBytes, model.SourceDropped, model.SourceErrors}
	for i, v := range o.pending {
		if v != 0 {
			b := o.lane.open()
			b.Events = append(b.Events, model.Event{At: seen, Seen: seen, Value: v, Series: ids[i], Source: o.id, Kind: model.Add})
			o.pending[i] = 0
		}
	}
}

// shrink makes room while the engine lags: adds of a series are summed, the
// newest level of a series is kept, observations are shed, begins and ends are
// kept up to a cap and then declared unknown.
func (o *Outlet) shrink(seen model.Instant) {
	b := o.lane.batch
	if len(b.Events) < 4*model.BatchCap {
		return
	}
	if o.shed == nil {
		o.shed = make(map[shedKey]int)
	}
	clear(o.shed)
	kept := b.Events[:0]
	shed, requests := 0, 0
	for _, ev := range b.Events {
		switch ev.Kind {
		case model.Add, model.Level:
			k := shedKey{ev.Series, ev.Kind, ev.Key, ev.Source}
			if i, ok := o.shed[k]; ok {
				if ev.Kind == model.Add {
					kept[i].Value += ev.Value
				} else {
					kept[i] = ev
				}
				continue
			}
			o.shed[k] = len(kept)
		case model.Observe:
			shed++
			continue
		case model.Begin, model.End:
			requests++
			if requests > keepCap {
				shed++
				continue
			}
		}
		kept = append(kept, ev)
	}
	if requests > keepCap {
		kept = append(kept, model.Event{At: seen, Seen: seen, Series: model.ClientInFlight, Source: o.id, Kind: model.Gap, Value: math.NaN()})
	}
	b.Events = kept
	o.pending[3] += float64(shed)
}
