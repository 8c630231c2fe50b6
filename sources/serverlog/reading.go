package serverlog

import (
	"time"

	"benchtop/model"
)

// Field is one bit of a Reading's validity mask.
type Field uint32

// The things a line can say.
const (
	HasRunning Field = 1 << iota
	HasWaiting
	HasBatch
	HasBatchWait
	HasKV
	HasPromptTPS
	HasGenTPS
	HasPreempted
	HasLatency
	HasEvent
	// What follows has no place in a probe record.
	HasJoining
	HasExec
	HasSlot
	HasMaxBatch
	HasConfigWait
	HasKVTokens
	HasSlots

	recordFields = HasJoining - 1
	numFields    = 10 // of a probe record
	configFields = HasMaxBatch | HasConfigWait | HasKVTokens | HasSlots
)

// Outcome is what a line says happened to a request or to the server.
type Outcome uint8

// The outcomes, in the order in which the first that applies is taken.
const (
	NoOutcome Outcome = iota
	QueueFull
	Timeout
	Reset
	Aborted
	Rejected
	Dropped
	Error
	Finished
	Started
	Idle
	numOutcomes
)

// outcomeNames are the words of probe records and of the generic format.
var outcomeNames = [...]string{"", "queue_full", "timeout", "reset", "aborted", "rejected", "dropped", "error", "finished", "started", "idle"}

// String is the word used in probe records.
func (o Outcome) String() string { return outcomeNames[o] }

// Reading is what one record of a log says. A field counts only if its bit is
// set. Slices point into the line and are gone with it.
type Reading struct {
	Set Field

	Engine  []byte // label of the scheduler instance, nil if the record names none
	Running int64  // requests in the running batch
	Waiting int64  // requests accepted and not yet scheduled
	Batch   int64  // requests in one forward step
	Joining int64  // requests that this very step adds to Running

	BatchWaitMs float64 // milliseconds a request or batch waited
	KV          float64 // 0..1
	PromptTPS   float64 // tokens a second
	GenTPS      float64
	LatencyMs   float64 // of one whole request
	ExecMs      float64 // of one forward step

	Preempted  int64
	Cumulative bool // Preempted counts from the server's start

	Event   Outcome
	Request uint64 // whose end Event and LatencyMs are, by the server's own id; 0 if it names none
	Answer  bool   // Event is the status of an answer, which names no request
	Teller  uint8  // of several writers that tell BatchWait of the same request; 1 is the most exact, 0 the only one
	Owes    bool   // an error that a failing answer, which names no request, goes with
	Crash   bool   // the answer may have come before it
	Inner   bool   // of a call inside the server: no request where the log tells those too
	Plain   bool   // Event is a bare error, which a continued record must not repeat
	Slot    int64  // the slot that was taken or given up
	Taken   bool   // Slot was taken
	Steps   bool   // Running is also the batch of each step
	Filled  bool   // Batch is a prefill: what joins, not what runs
	Each    bool   // told once for each request: a batch of n is told n times

	Debug   bool      // the record is of level DEBUG
	Restart bool      // a start-up line: whatever ran before is gone
	Happens Happening // what the record tells beside statistics
	Odd     bool      // looks like the engine's statistics, yet gave nothing

	MaxBatch, ConfigWaitMs, KVTokens, Slots float64

	At      model.Instant // by the record's own stamp; 0 if it has none that names a day
	Dated   bool          // the stamp had year and zone
	Clock   time.Duration // since the server's start
	Clocked bool
}

// Has reports whether all fields of f are valid.
func (r *Reading) Has(f Field) bool { return r.Set&f == f }

// Empty reports whether the reading has nothing for a probe record.
func (r *Reading) Empty() bool { return r.Set&recordFields == 0 }

// silent reports whether the reading has nothing for anybody.
func (r *Reading) silent() bool {
	return r.Set == 0 && !r.Debug && !r.Restart && !r.Odd && r.Happens == NoHappening
}

func (r *Reading) running(v int64)        { r.Running, r.Set = v, r.Set|HasRunning }
func (r *Reading) waiting(v int64)        { r.Waiting, r.Set = v, r.Set|HasWaiting }
func (r *Reading) batch(v int64)          { r.Batch, r.Set = v, r.Set|HasBatch }
func (r *Reading) batchWait(ms float64)   { r.BatchWaitMs, r.Set = ms, r.Set|HasBatchWait }
func (r *Reading) promptTPS(v float64)    { r.PromptTPS, r.Set = v, r.Set|HasPromptTPS }
func (r *Reading) genTPS(v float64)       { r.GenTPS, r.Set = v, r.Set|HasGenTPS }
func (r *Reading) latency(ms float64)     { r.LatencyMs, r.Set = ms, r.Set|HasLatency }
func (r *Reading) exec(ms float64)        { r.ExecMs, r.Set = ms, r.Set|HasExec }
func (r *Reading) maxBatch(v float64)     { r.MaxBatch, r.Set = v, r.Set|HasMaxBatch }
func (r *Reading) configWait(ms float64)  { r.ConfigWaitMs, r.Set = ms, r.Set|HasConfigWait }
func (r *Reading) kvTokens(v float64)     { r.KVTokens, r.Set = v, r.Set|HasKVTokens }
func (r *Reading) slots(v float64)        { r.Slots, r.Set = v, r.Set|HasSlots }
func (r *Reading) preempted(v int64)      { r.Preempted, r.Set = v, r.Set|HasPreempted }
func (r *Reading) slot(id int64, on bool) { r.Slot, r.Taken, r.Set = id, on, r.Set|HasSlot }

// kv takes a share of the cache; where several pools are printed the fullest
// counts, and more than all of it is no reading.
func (r *Reading) kv(v float64) {
	if v < 0 || v > 1 || r.Has(HasKV) && r.KV >= v {
		return
	}
	r.KV, r.Set = v, r.Set|HasKV
}

// event keeps the first outcome that applies, in the order of the constants.
func (r *Reading) event(o Outcome) {
	if o == NoOutcome || r.Has(HasEvent) && r.Event <= o {
		return
	}
	r.Event, r.Set = o, r.Set|HasEvent
}

// fault is event(Error) for a record that tells it by its level alone.
func (r *Reading) fault() {
	if !r.Has(HasEvent) {
		r.event(Error)
		r.Plain = true
	}
}
