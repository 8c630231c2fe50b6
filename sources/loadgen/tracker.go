package loadgen

import (
	"math"
	"time"

	"benchtop/model"
)

// horizonEvery is how far the horizon must move before it is told again.
const horizonEvery = model.Instant(20 * time.Millisecond)

// guessedTimeout stands in for the client's timeout where nobody declared it:
// vegeta's default. It only bounds how long a request without a record counts
// as in flight.
const guessedTimeout = 30.0

// tracker is one run of one stream: it turns Records into events.
type tracker struct {
	emitter
	name     string  // for notes
	format   string  // of the stream
	declared float64 // the client's timeout as the user declared it, seconds; NaN if not
	attached bool    // joined in mid-run

	run      uint64 // how many runs before this one
	records  int    // of this run
	starts   uint64 // begin lines of this run
	told     uint64 // requests that ended, of this run
	opened   uint64 // begin lines without an id, of this run
	nameless uint64 // those of them that ended
	orphans  uint64 // ends without an id and without a start
	ids      identity
	seqs     sequence
	timeout  float64 // the client's timeout, seconds; NaN if unknown
	longest  float64 // latency so far, seconds
	first    model.Instant
	latest   model.Instant
	edge     model.Instant // the first start after we joined
	horizon  model.Instant // the last one told
	vague    bool          // the count can't be exact
	holed    bool          // records of this run were lost
	how      string        // how in-flight is known, as told last
	offset   clockOffset   // of the server's clock
	expected float64       // how many requests a bar said there will be; 0 if none did
	noise    int           // records told twice
	lost     int           // records that never came
}

func newTracker(o *Options) tracker {
	t := tracker{name: o.Name, declared: durationSeconds(o.Timeout)}
	t.timeout = t.declared
	return t
}

// apply turns one record into events. It returns false if the record was told
// before.
func (t *tracker) apply(r *Record) bool {
	r.settle()
	if r.Kind == KindRun {
		if t.records > 0 {
			t.startOver(r.At)
		}
		t.records++
		t.facts(r)
		return true
	}
	if r.Kind == KindEnd && r.HasSeq {
		switch t.seqs.classify(r.Seq, r.begun()) {
		case duplicate:
			t.noise++
			return false
		case newRun:
			t.startOver(r.begun())
		case fresh:
		}
	}
	t.records++
	t.vague = t.vague || r.NoHorizon
	if r.At == 0 && r.Kind == KindEnd { // a stream without times: it ended when we read it
		r.At, t.vague = t.seen, true
	}
	t.clock(r)
	switch r.Kind {
	case KindBegin:
		t.scheduled(r)
		defer t.knows(r)
		return t.begun(r)
	case KindFirst:
		t.ids.touch(r.Key, r.At)
	case KindEnd:
		defer t.knows(r)
		return t.ended(r)
	case KindGauge:
		t.knows(r)
		t.level(model.ClientGaugeInFlight, r.At, r.InFlight)
		t.level(model.ClientTarget, r.At, r.Target)
		t.level(model.ClientQueued, r.At, r.Queued)
		t.level(model.ClientOpenConns, r.At, r.OpenConns)
		t.progress(r)
	case KindSummary, KindClose:
		t.close(max(r.At, t.latest))
		t.reported(r)
	}
	return true
}

func (t *tracker) clock(r *Record) {
	if r.At == 0 {
		return
	}
	if t.first == 0 {
		t.first = r.At
	}
	t.latest = max(t.latest, r.At)
}

// begun handles a start line.
func (t *tracker) begun(r *Record) bool {
	key := r.Key
	if key == 0 {
		if t.opened == 0 { // one that is lost never ends, and nobody can tell which
			t.note(model.NoteRun, r.At, "kinds_unknown", "timeout,reset,other", 0)
		}
		key = hashNumber(t.run, t.opened)
		t.opened++
	} else if !t.ids.start(key, r.At, r.Prompt) {
		t.noise++
		return false
	}
	t.starts++
	if len(t.ids.open) > openCap {
		delete(t.ids.open, key)
		t.gap()
		t.ids.start(key, r.At, r.Prompt)
	}
	t.begin(key, r.At)
	t.exact(r.At)
	return true
}

// ended handles the record of a finished request.
func (t *tracker) ended(r *Record) bool {
	switch {
	case r.HasSeq:
		t.sequenced(r)
		return true
	case r.Key == 0:
		t.unnamed(r)
		return true
	}
	o, known, again := t.ids.end(r.Key)
	if again {
		t.noise++
		return false
	}
	if !known {
		t.orphan(r, r.Key)
		return true
	}
	if math.IsNaN(r.Prompt) {
		r.Prompt = o.prompt
	}
	t.dated(r, o.start)
	r.TTFT = timeToFirst(r, o)
	r.Latency = latency(r, o.start)
	at := r.At
	if at < o.start && o.start != 0 { // the clock stepped back; the request didn't
		at = o.start
		if !math.IsNaN(r.Latency) {
			at += span(r.Latency)
		}
	}
	t.finish(r, r.Key, at)
	t.exact(at)
	return true
}

// unnamed handles an end without an id: starts and ends can only be counted,
// so the oldest one is closed.
func (t *tracker) unnamed(r *Record) {
	if t.nameless < t.opened {
		t.finish(r, hashNumber(t.run, t.nameless), r.At)
		t.nameless++
		return
	}
	t.orphans++
	t.orphan(r, hashNumber(t.run, 1<<63|t.orphans))
}

// orphan handles an end whose start was never told: in a stream without starts
// the request is rebuilt from its latency, in one with starts it changes no
// count, unless it began before we joined.
func (t *tracker) orphan(r *Record, key uint64) {
	start := r.begun()
	t.dated(r, start)
	if t.starts == 0 || t.attached && start != 0 && start < t.first {
		if start == 0 || start > r.At {
			start = r.At
		}
		t.begin(key, start)
	} else {
		t.correct(r.At, 1)
	}
	t.finish(r, key, r.At)
	if t.starts == 0 {
		t.settled(r.At - span(t.reach()))
	} else {
		t.exact(r.At)
	}
}

// sequenced handles an end record with a number given out at the start.
func (t *tracker) sequenced(r *Record) {
	t.seqs.attached = t.seqs.attached || t.attached
	start := r.begun()
	t.seqs.add(&t.emitter, r.Seq, start)
	key := hashNumber(t.run, r.Seq)
	t.begin(key, start)
	t.finish(r, key, max(r.At, start))
	limit := max(3*t.longest, t.patience())
	if lost := t.seqs.expire(&t.emitter, r.At, span(limit)); lost > 0 {
		t.lost += lost
		t.out.Count(0, 0, 0, lost, 0)
	}
	if t.seqs.attached {
		// Numbers missing below the first start after we joined may have ended
		// before; they count until they are given up.
		if t.edge == 0 && start > t.first {
			t.edge = start
		}
		if t.edge == 0 || t.seqs.maxStart < t.edge+span(limit) {
			return
		}
	}
	t.settled(t.seqs.maxStart)
}

// finish emits the end of a request and what its record says of it.
func (t *tracker) finish(r *Record, key uint64, at model.Instant) {
	if r.Latency < 0 {
		r.Latency = math.NaN()
	}
	t.told++
	t.event(model.End, outcomeSeries[r.Outcome], key, at, r.Latency)
	if r.Latency > t.longest {
		t.longest = r.Latency
	}
	t.observe(model.ClientTTFT, key, at, r.TTFT)
	if r.Outcome == OK && r.Output > 1 && r.Latency >= r.TTFT {
		t.observe(model.ClientTPOT, key, at, (r.Latency-r.TTFT)/(r.Output-1))
	}
	t.observe(model.ClientInputTokens, key, at, r.Prompt)
	t.observe(model.ClientOutputTokens, key, at, r.Output)
	t.observe(model.ClientReused, key, at, r.Reused)
}

// patience is the client's timeout, or a guess, in seconds.
func (t *tracker) patience() float64 {
	if math.IsNaN(t.timeout) {
		return guessedTimeout
	}
	return t.timeout
}

// reach is how far back a request may begin that has no record yet, seconds.
func (t *tracker) reach() float64 {
	if math.IsNaN(t.timeout) {
		return t.longest
	}
	return max(t.timeout, t.longest)
}

// exact tells the horizon of a stream that knows what is in flight. When we
// joined in mid-run it knows only once everything older must have ended.
func (t *tracker) exact(at model.Instant) {
	if t.attached && at < t.first+span(max(t.patience(), t.longest)) {
		return
	}
	t.settled(at)
}

func (t *tracker) settled(at model.Instant) {
	if t.vague || at == 0 || at < t.horizon+horizonEvery {
		return
	}
	t.horizon = at
	t.event(model.Level, model.ClientHorizon, 0, at, 0)
}
