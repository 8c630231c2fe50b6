// Package engine is the loop in the middle: it takes batches off one channel,
// hands each to the recorder, applies it to the store, and on each tick
// freezes and publishes a snapshot. The rules run on the first tick of each
// whole second.
//
// It owns the store and the judge, on one goroutine, without a lock. It has no
// context: it reads until the channel closes, then publishes the final
// snapshot, so nothing that a source sent is lost. Readers take the newest
// snapshot from an atomic pointer; a one-slot channel tells them that it
// changed, and a reader that is slow misses frames, never holds us up.
package engine

import (
	"sync/atomic"
	"time"

	"benchtop/model"
	"benchtop/model/diagnose"
	"benchtop/model/store"
)

// Options are the engine's neighbours; each may be nil.
type Options struct {
	Thresholds model.Thresholds
	Record     func(*model.Batch) // sees every batch before the store does; must not keep it nor wait
	Recycle    func(*model.Batch) // gets every batch back
	Preset     []model.Note       // what the user declared; applied at the start and after a seek
	OnVerdict  func(model.VerdictChange)
	// Every is how far the run must have moved on for the next snapshot, counted
	// in multiples since the epoch; each judged second has one all the same. 0 is
	// one for each tick. Readers that show no more have no more made.
	Every time.Duration
}

// Engine turns batches into snapshots.
type Engine struct {
	opts    Options
	store   *store.Store
	judge   *diagnose.Judge
	latest  atomic.Pointer[model.Snapshot]
	changed chan struct{}
	seq     uint64
	second  uint64
	judged  model.Instant // whole second judged last
	signals *model.Signals
	result  diagnose.Result
	kinds   map[model.SourceID]model.SourceKind
	notes   model.Batch           // for what the engine itself tells the recorder
	thinned model.Instant         // up to when the recording that is played has counts in place of requests
	differ  string                // ids of the last difference told between then and today
	history []model.VerdictChange // what was shown as the verdict, oldest first
	told    int                   // recorded changes looked at so far

	restated []model.Restatement // the standing verdict in the numbers of its second, oldest first
}

// New makes an engine with an empty snapshot published.
func New(o Options) *Engine {
	if o.Thresholds == (model.Thresholds{}) {
		o.Thresholds = model.DefaultThresholds()
	}
	e := &Engine{opts: o, changed: make(chan struct{}, 1)}
	e.restart()
	if o.Record != nil && len(o.Preset) > 0 {
		o.Record(&model.Batch{Notes: o.Preset})
	}
	e.publish(false)
	return e
}

// Latest is the newest snapshot; never nil. A reader that has not taken from
// Changed since the last one sees that one still: snapshots nobody waits for
// are not made, except the final one.
func (e *Engine) Latest() *model.Snapshot { return e.latest.Load() }

// Changed gets a value when a newer snapshot may be there.
func (e *Engine) Changed() <-chan struct{} { return e.changed }

// restart empties everything: at the beginning, and when a replay seeks back.
func (e *Engine) restart() {
	e.store = store.New(e.opts.Thresholds)
	e.judge = diagnose.NewJudge(e.opts.Thresholds)
	e.kinds = make(map[model.SourceID]model.SourceKind)
	e.judged, e.signals, e.result, e.differ, e.thinned = 0, nil, e.judge.Standing(), "", 0
	e.history, e.told, e.restated = nil, 0, nil
	e.store.Apply(&model.Batch{Notes: e.opts.Preset})
}

// Run reads batches until in closes or gives a nil batch (a source hangs and
// is left behind), then publishes the final snapshot.
func (e *Engine) Run(in <-chan *model.Batch) {
	for b := range in {
		if b == nil {
			break
		}
		e.take(b)
		if e.opts.Recycle != nil {
			e.opts.Recycle(b)
		}
	}
	e.store.Finish()
	if at := e.store.Unjudged(e.judged); at != 0 {
		e.judge1(max(e.store.Now(), at, e.judged+1)) // the run's own report came last
	} else if now := e.store.Now(); (e.judged == 0 || now-e.judged >= 500_000_000) && now >= e.store.Start() && now != 0 {
		e.judge1(now) // the rest of the last second counts too
	}
	e.publish(true)
}

// take applies one batch. Ticks split it: what stands before a tick in the
// batch is part of that tick's snapshot, what stands after is not.
func (e *Engine) take(b *model.Batch) {
	if e.opts.Record != nil {
		e.opts.Record(b)
	}
	for i := range b.Notes {
		e.noteThinned(&b.Notes[i])
		if n := &b.Notes[i]; n.Kind == model.NoteSource {
			e.kinds[n.Source] = model.SourceKind(n.Value)
		}
	}
	part := model.Batch{Notes: b.Notes}
	from := 0
	for i := range b.Events {
		switch ev := &b.Events[i]; {
		case ev.Kind == model.Tick:
			part.Events = b.Events[from : i+1]
			e.store.Apply(&part)
			part.Notes, from = nil, i+1
			e.tick(ev.Late)
		case ev.Kind == model.Reset && e.kinds[ev.Source] == model.KindOther:
			e.restart()
			from = i + 1
		}
	}
	part.Events = b.Events[from:]
	e.store.Apply(&part)
	e.retell()
}

// tick judges the second that is over and publishes, but for a late tick: a
// replay on its way to where it was asked to go has nothing to show.
func (e *Engine) tick(late bool) {
	now := e.store.Now()
	if sec := now.Floor(1e9); sec > e.judged && sec > e.store.Start() {
		e.judge1(sec)
	}
	if !late {
		e.publish(false)
	}
}

// judge1 runs the rules for the whole second sec.
func (e *Engine) judge1(sec model.Instant) {
	e.judged = sec
	e.second++
	e.signals = e.store.Second(sec)
	e.result = e.judge.Second(e.signals)
	e.contrast(sec)
	e.crossThinned()
	if c := e.result.Change; c != nil && !e.inThinned() {
		e.change(c)
	}
	e.restate(sec)
}

// change tells, keeps and records a change of the verdict that is shown.
func (e *Engine) change(c *model.VerdictChange) {
	if len(e.history) >= maxHistory {
		e.history = append(e.history[:0:0], e.history[maxHistory/4:]...) // what was published keeps its own
	}
	e.history = append(e.history, *c)
	e.store.Mark(model.Mark{At: c.At, Class: "verdict", Text: c.Title, Bad: c.Severity >= model.SevMajor})
	if e.opts.OnVerdict != nil {
		e.opts.OnVerdict(*c)
	}
	if e.opts.Record != nil && !c.Recorded { // the recording that is played has that already
		e.notes.Clear()
		e.notes.Notes = append(e.notes.Notes, model.Note{
			At: c.At, Seen: c.At, Kind: model.NoteVerdict, Name: c.ID, Value: c.TS,
			Text: c.Reason + "|" + c.Severity.String() + "|" + c.Confidence + "|" + c.Title,
		})
		e.opts.Record(&e.notes)
	}
}

// answer fills in what the run says to its goal and what moved with throughput.
func (e *Engine) answer(s, prev *model.Snapshot, figures bool) {
	if !figures && prev != nil {
		s.Goal, s.Ledger = prev.Goal, prev.Ledger
		return
	}
	s.Ledger = e.store.Ledger()
	if e.signals != nil {
		s.Goal = e.judge.Goal(diagnose.Asked{
			Signals: e.signals, Run: &s.Run, Clean: &s.Clean, Client: &s.Client, Steps: e.store.Steps(), GPUs: len(s.GPUs),
		})
	}
}

// soon tells that the run has hardly moved on since prev.
func (e *Engine) soon(prev *model.Snapshot) bool {
	now := e.store.Now()
	return e.opts.Every > 0 && prev.Second == e.second && prev.Start == e.store.Start() &&
		now >= prev.Now && now.Floor(e.opts.Every) == prev.Now.Floor(e.opts.Every)
}

func (e *Engine) publish(final bool) {
	if len(e.changed) > 0 && !final {
		return // nobody has looked since the last one: don't freeze in vain
	}
	prev := e.latest.Load()
	if prev != nil && !final && e.soon(prev) {
		return
	}
	e.seq++
	s := &model.Snapshot{Seq: e.seq, Second: e.second, Final: final, Signals: e.signals}
	figures := prev == nil || prev.Second != e.second || final
	e.store.Freeze(s, prev, figures)
	s.Verdict, s.Runner, s.Findings = e.verdict(), e.result.Runner, e.result.Findings
	s.Verdicts = e.history[:len(e.history):len(e.history)]
	s.Restated = e.restated[:len(e.restated):len(e.restated)]
	e.answer(s, prev, figures)
	e.latest.Store(s)
	select {
	case e.changed <- struct{}{}:
	default:
	}
}
