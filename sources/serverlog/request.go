package serverlog

import "benchtop/model"

// requestsKept is how many of the newest requests are known by their ids.
const requestsKept = 1 << 12

// requestID is the hash of a request's id, within an engine where ids are its
// own; 0 if there is none.
func requestID(engine, id []byte) uint64 {
	if len(id) == 0 {
		return 0
	}
	h := hashBytes(fnvStart, engine)
	return max(1, hashBytes((h^'/')*fnvPrime, id))
}

// digits are the decimal digits at the start of b.
func digits(b []byte) []byte {
	n := 0
	for n < len(b) && isDigit(b[n]) {
		n++
	}
	return b[:n]
}

// ending is how a request was told to end.
type ending struct {
	id  uint64
	was Outcome
}

// endings remembers how the newest requests ended, so that one that several
// writers of a log report (a proxy and a replica, a cancellation and its slot's
// release) counts once.
type endings struct {
	kept   *[requestsKept]ending // nil before the first
	outer  bool                  // the log tells whole requests, not only the calls inside them
	failed int                   // failing answers whose exception has not been seen
	owed   int                   // errors told by their request's id whose answer has not been seen
	last   model.Instant         // the newest of them
}

// forget drops what was told before a restart: ids begin anew.
func (e *endings) forget() { *e = endings{} }

// told books how a request ended and reports whether that was counted before.
// A failure that one writer tells of a request that another saw finish is told
// as well: the server did its work, and the client had no use of it.
func (e *endings) told(id uint64, o Outcome) bool {
	if id == 0 || o == NoOutcome || o == Started || o == Idle {
		return false
	}
	if e.kept == nil {
		e.kept = new([requestsKept]ending)
	}
	x := &e.kept[id%requestsKept]
	again := x.id == id && (x.was != Finished || o == Finished)
	if !again {
		*x = ending{id, o}
	}
	return again
}

// inside reports whether a reading is of a call inside a request that a line of
// its own tells, so that it is no request.
func (e *endings) inside(r *Reading) bool {
	if !r.Inner {
		e.outer = e.outer || r.Request != 0 && r.Has(HasLatency)
	}
	return r.Inner && e.outer
}

// answerWithin is how long after an error the line of its answer may come. An
// error in the midst of a stream has none: its status was sent before.
const answerWithin = 2_000_000_000

// answered reports whether a reading is the second word on a failure that was
// counted already: an answer, whose line names no request, to an error told a
// moment before, or the exception behind an answer that was told first.
func (e *endings) answered(r *Reading, at model.Instant) bool {
	if at-e.last > answerWithin {
		e.owed, e.failed = 0, 0
	}
	switch {
	case r.Event == Error && (r.Request != 0 || r.Owes):
		if r.Crash && e.failed > 0 {
			e.failed--
			return true
		}
		e.owed, e.last = e.owed+1, at
	case r.Answer && (r.Event == Error || r.Event == Rejected):
		if e.owed > 0 {
			e.owed--
			return true
		}
		e.failed, e.last = e.failed+1, at
	}
	return false
}
