package serverlog

import (
	"slices"
	"time"

	"benchtop/model"
	"benchtop/sources"
)

// maxSlots bounds the slot numbers that are tracked.
const maxSlots = 512

// settle is how long slots that said nothing are in doubt before they are
// taken for free.
const settle = 60 * time.Second

// engineState is what a scheduler's lines add up to.
type engineState struct {
	key     uint64
	busy    [maxSlots / 64]uint64 // slots taken
	heard   [maxSlots / 64]uint64 // slots that a line has named
	nBusy   int
	nHeard  int
	maxSlot int64         // highest slot named
	slots   int64         // as configured, 0 if unknown
	sure    bool          // every slot's state is known
	since   model.Instant // first slot line
	told    model.Instant // when running was last told
	share   float64       // of a batch that its requests have told so far
	total   int64         // newest cumulative count of preemptions, -1 before the first
}

// emitter turns readings into events. It is the only place that knows series.
type emitter struct {
	out     *sources.Outlet
	engines map[string]*engineState
	label   []byte         // the newest engine's
	lately  *engineState   // the newest engine, nil before the first
	teller  uint8          // whose waits count, 0 before the first of several
	told    uint8          // of whom that was said
	where   []byte         // which of several servers the reading at hand is of
	joined  joined         // whether the log is of several servers
	slotted []*engineState // those whose running is rebuilt from slots, in order of appearance
	spoke   bool           // something was read since the server's start
	config  map[string]float64
	diary   diary
	ends    endings
	from    string // where a setting was said
	at      model.Instant
	seen    model.Instant
	late    bool
	mute    bool           // keep the state, emit nothing: history without a stamp
	past    *[]model.Event // where history's events wait, nil when live
}

// outcomeSeries are the counters of outcomes.
var outcomeSeries = [...]model.SeriesID{
	QueueFull: model.ServerQueueFull, Timeout: model.ServerTimeout, Reset: model.ServerReset, Aborted: model.ServerAborted,
	Rejected: model.ServerRejected, Dropped: model.ServerDropped, Error: model.ServerError, Finished: model.ServerFinished,
	Started: model.ServerStarted,
}

func (e *emitter) emit(id model.SeriesID, k model.Kind, key uint64, v float64) {
	if e.mute {
		return
	}
	ev := model.Event{At: e.at, Seen: e.seen, Value: v, Key: key, Series: id, Kind: k, Late: e.late}
	if e.past != nil {
		*e.past = append(*e.past, ev)
		return
	}
	e.out.Emit(ev)
}

// apply emits what a reading says.
func (e *emitter) apply(r *Reading) {
	if r.Debug {
		e.emit(model.ServerDebugLines, model.Add, 0, 1)
	}
	if r.Set&configFields != 0 {
		e.configure(r)
	}
	e.happens(r)
	if r.Set == 0 && !r.Restart {
		return
	}
	label := r.Engine
	if e.where != nil {
		label = e.joined.label(e, r)
		e.joined.request(e.where, r)
	}
	st := e.engine(label)
	if r.Restart {
		e.restart(st, r)
	}
	e.spoke = e.spoke || r.Set&recordFields != 0
	if r.Has(HasEvent) && (e.ends.inside(r) || e.ends.told(r.Request, r.Event) || e.ends.answered(r, e.at)) {
		r.Set &^= HasEvent | HasLatency
	}
	e.gauges(st, r)
	e.samples(st, r)
	e.happened(st, r)
	if r.Has(HasSlot) {
		e.slot(st, r.Slot, r.Taken)
	}
}

// happens marks what a record tells beside statistics. Of history only what has
// a date of its own can be placed.
func (e *emitter) happens(r *Reading) {
	h := r.Happens
	if h == NoHappening && r.Has(HasPreempted) && r.Preempted > 0 {
		h = Preemption
	}
	at := e.at
	if e.late {
		at = r.At
	}
	if h != NoHappening {
		e.mark(h, at)
	}
	// A restart that restart tells as an event is marked by whoever hears that.
	if r.Restart && e.spoke && r.Engine == nil && (e.late || e.joined.several) {
		e.mark(Restarted, at)
	}
}

// gauges emits levels. A prefill line's running does not hold the requests
// that this very step adds.
func (e *emitter) gauges(st *engineState, r *Reading) {
	if r.Has(HasRunning) {
		n := r.Running
		if r.Has(HasJoining) {
			n += r.Joining
		}
		e.emit(model.ServerRunning, model.Level, st.key, float64(n))
		if n == 0 {
			st.free(true)
		}
	}
	if r.Has(HasWaiting) {
		e.emit(model.ServerWaiting, model.Level, st.key, float64(r.Waiting))
	}
	if r.Has(HasKV) {
		e.emit(model.ServerKV, model.Level, st.key, r.KV)
	}
	if r.Has(HasPromptTPS) {
		e.emit(model.ServerPromptTPS, model.Level, st.key, r.PromptTPS)
	}
	if r.Has(HasGenTPS) {
		e.emit(model.ServerGenTPS, model.Level, st.key, r.GenTPS)
	}
}

// samples emits observations. A step without requests is none, and a prefill's
// new requests are not the batch that decodes.
func (e *emitter) samples(st *engineState, r *Reading) {
	switch {
	case r.Has(HasBatch) && r.Batch > 0 && r.Each:
		// A batch of n is told n times: each tells an n-th of it.
		if st.share += 1 / float64(r.Batch); st.share >= 1-1e-9 {
			st.share--
			e.emit(model.ServerBatch, model.Observe, st.key, float64(r.Batch))
		}
	case r.Has(HasBatch) && r.Batch > 0 && !r.Filled:
		e.emit(model.ServerBatch, model.Observe, st.key, float64(r.Batch))
	case r.Has(HasRunning) && r.Steps && r.Running > 0 && !r.Has(HasBatch):
		e.emit(model.ServerBatch, model.Observe, st.key, float64(r.Running))
	}
	if r.Has(HasBatchWait) && e.tells(r.Teller) {
		e.emit(model.ServerBatchWait, model.Observe, st.key, r.BatchWaitMs/1e3)
	}
	if r.Has(HasExec) {
		e.emit(model.ServerExec, model.Observe, st.key, r.ExecMs/1e3)
	}
	if r.Has(HasLatency) {
		e.emit(model.ServerLatency, model.Observe, st.key, r.LatencyMs/1e3)
	}
}

// happened emits counts.
func (e *emitter) happened(st *engineState, r *Reading) {
	if r.Has(HasEvent) && r.Event != Idle {
		e.emit(outcomeSeries[r.Event], model.Add, st.key, 1)
	}
	if !r.Has(HasPreempted) {
		return
	}
	n := r.Preempted
	if r.Cumulative {
		// Written only now and then. What was before the first line is not
		// ours to count, that one happened now is.
		last := st.total
		st.total = n
		switch {
		case last < 0:
			n = min(n, 1)
		case n >= last:
			n -= last
		}
	}
	if n > 0 {
		e.emit(model.ServerPreempted, model.Add, st.key, float64(n))
	}
}

// restart forgets what ran in the process before.
func (e *emitter) restart(st *engineState, r *Reading) {
	st.free(true)
	st.total = -1
	e.ends.forget()
	// One process behind a router is not the whole source.
	if e.spoke && r.Engine == nil && !e.joined.several {
		e.emit(model.ServerRunning, model.Reset, 0, 0)
		e.spoke = false
	}
	if r.Has(HasSlots) {
		st.slots = int64(r.Slots)
		if len(e.slotted) == 0 || !slices.Contains(e.slotted, st) {
			e.slotted = append(e.slotted, st)
		}
		e.level(st)
	}
}

// level tells how many slots are taken.
func (e *emitter) level(st *engineState) {
	e.emit(model.ServerRunning, model.Level, st.key, float64(st.nBusy))
	st.told = e.seen
}

// refresh tells the slots taken once more when other lines arrive: a count
// that stands still is still known.
func (e *emitter) refresh() {
	for _, st := range e.slotted {
		if st.sure && st.nBusy > 0 && e.seen.Sub(st.told) >= time.Second {
			e.level(st)
		}
	}
}

// free clears the slots; sure says that this is known, not assumed.
func (st *engineState) free(sure bool) {
	clear(st.busy[:])
	st.nBusy = 0
	st.sure = st.sure || sure
}

// slot books that a slot was taken or given up. Running is the number of slots
// taken, once every slot's state is known; before, it would be too low.
func (e *emitter) slot(st *engineState, id int64, taken bool) {
	if id < 0 || id >= maxSlots {
		return
	}
	if st.since == 0 {
		st.since = e.seen
	}
	w, bit := id/64, uint64(1)<<(id%64)
	if st.heard[w]&bit == 0 {
		st.heard[w] |= bit
		st.nHeard++
		st.maxSlot = max(st.maxSlot, id)
	}
	was := st.busy[w]&bit != 0
	switch {
	case taken && !was:
		st.busy[w] |= bit
		st.nBusy++
	case !taken && was:
		st.busy[w] &^= bit
		st.nBusy--
	}
	if st.nHeard == 1 && !slices.Contains(e.slotted, st) {
		e.slotted = append(e.slotted, st)
	}
	if !st.sure {
		st.sure = int64(st.nHeard) >= max(st.slots, st.maxSlot+1) && st.nHeard > 1 || e.seen.Sub(st.since) > settle
	}
	if st.sure {
		e.level(st) // no batch: at its changes the count would be biased by the change
	}
}

// configure notes settings that the log prints, each once and when it changes.
func (e *emitter) configure(r *Reading) {
	if r.Has(HasMaxBatch) {
		e.setting("max_batch", r.MaxBatch)
	}
	if r.Has(HasConfigWait) {
		e.setting("batch_wait_s", r.ConfigWaitMs/1e3)
	}
	if r.Has(HasKVTokens) {
		e.setting("kv_tokens", r.KVTokens)
	}
	if r.Has(HasSlots) {
		e.setting("slots", r.Slots)
		if !r.Has(HasMaxBatch) {
			e.setting("max_batch", r.Slots) // a slot holds one request
		}
	}
}

func (e *emitter) setting(name string, v float64) {
	if old, ok := e.config[name]; ok && old == v {
		return
	}
	if e.config == nil {
		e.config = make(map[string]float64)
	}
	e.config[name] = v
	e.out.Note(model.Note{At: e.seen, Seen: e.seen, Kind: model.NoteConfig, Name: name, Value: v, Text: e.from})
}
