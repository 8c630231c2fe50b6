package loadgen

import (
	"time"

	"benchtop/model"
)

// Bounds of the window of sequence numbers: how many it spans, how far one
// record may jump ahead before the numbers in between count as unknown instead
// of in flight, and how large the first number may be before the stream's head
// must be missing.
const (
	windowCap = 1 << 20
	jumpCap   = 1 << 16
	headCap   = 1 << 12
	lostCap   = 1 << 12
)

// clockSlack is how much later than a higher number's start a lower one's may
// be before they can't be of one run.
const clockSlack = model.Instant(time.Millisecond)

type slotState uint8

const (
	slotMissing slotState = iota // in flight: begun, and no record yet
	slotEnded
)

// slot is one sequence number: its start, guessed while its record is missing.
type slot struct {
	at    model.Instant
	state slotState
}

// lostSeq is a number given up: where its guess stood and where it was closed.
type lostSeq struct{ guess, closed model.Instant }

// arrival is what a record's number means.
type arrival uint8

const (
	fresh     arrival = iota // a request of this run
	duplicate                // told before
	newRun                   // can't be of this run
)

// sequence rebuilds what is in flight from numbers given out at the start of a
// request and told at its end: a number missing below the largest is in flight.
// Its start is guessed between its neighbours' and corrected when its record
// comes, so that at the start of every request known the count is exact.
type sequence struct {
	ring     []slot // a power of two; the slot of number n is ring[n&(len-1)]
	base     uint64 // the smallest number counted
	lo, next uint64 // the window: everything below lo is settled
	begun    bool
	attached bool // joined in mid-run: nothing below the first number counts
	missing  int
	lost     map[uint64]lostSeq
	// Starts: the earliest, the last settled number's, the largest number's.
	minStart, loStart, maxStart model.Instant
}

func (q *sequence) reset() {
	clear(q.lost)
	*q = sequence{ring: q.ring, lost: q.lost}
}

func (q *sequence) slot(n uint64) *slot { return &q.ring[n&uint64(len(q.ring)-1)] }

// classify says what a record with number n that began at start is, without
// changing anything.
func (q *sequence) classify(n uint64, start model.Instant) arrival {
	switch {
	case !q.begun || n >= q.next:
		return fresh
	case start > q.maxStart+clockSlack:
		return newRun
	case n >= q.lo:
		s := q.slot(n)
		if s.state == slotMissing {
			return fresh
		}
		if s.at == start {
			return duplicate
		}
		return newRun
	case n < q.base:
		return fresh // begun before we joined
	}
	if _, ok := q.lost[n]; ok {
		return fresh
	}
	if start > q.loStart+clockSlack || start < q.minStart-clockSlack {
		return newRun
	}
	return duplicate
}

// add takes the record of number n that began at start, corrects the guesses,
// and leaves the request itself to the caller.
func (q *sequence) add(e *emitter, n uint64, start model.Instant) {
	if !q.begun {
		q.begin(n, start)
	}
	q.minStart = min(q.minStart, start)
	switch {
	case n >= q.next:
		q.extend(e, n, start)
	case n >= q.lo:
		s := q.slot(n)
		e.correct(s.at, -1)
		q.missing--
		*s = slot{start, slotEnded}
		q.clamp(e, n, start)
	default:
		if l, ok := q.lost[n]; ok {
			e.correct(l.guess, -1)
			e.correct(l.closed, 1)
			delete(q.lost, n)
		}
	}
	q.settle()
}

func (q *sequence) begin(n uint64, start model.Instant) {
	q.begun, q.minStart, q.maxStart, q.loStart = true, start, start, start
	q.base = 0
	if q.attached || n > headCap {
		q.attached, q.base = true, n
	}
	q.lo, q.next = q.base, q.base
}

// extend opens the numbers up to n: those below it are in flight.
func (q *sequence) extend(e *emitter, n uint64, start model.Instant) {
	if n-q.next > jumpCap { // a hole in the stream, not that many requests
		q.giveUp(e, start, n)
		q.lo, q.next = n, n
	}
	for n+1-q.lo > windowCap {
		q.drop(e, q.slot(q.lo).at)
	}
	q.grow(n + 1 - q.lo)
	from, gap := q.maxStart, n-q.next+1
	if q.next == q.base || from > start {
		from = start // no neighbour below
	}
	for i := uint64(1); q.next < n; i++ {
		at := min(start, from+max(1, model.Instant(float64(start-from)*float64(i)/float64(gap))))
		*q.slot(q.next) = slot{at, slotMissing}
		q.missing++
		q.next++
		e.correct(at, 1)
	}
	*q.slot(n) = slot{start, slotEnded}
	q.next = n + 1
	q.maxStart = max(q.maxStart, start)
}

func (q *sequence) grow(span uint64) {
	size := max(uint64(len(q.ring)), 1024)
	for size < span {
		size *= 2
	}
	if size == uint64(len(q.ring)) {
		return
	}
	ring := make([]slot, size)
	for n := q.lo; n < q.next; n++ {
		ring[n&(size-1)] = *q.slot(n)
	}
	q.ring = ring
}

// clamp moves the guesses around n that its true start contradicts: starts
// grow with the number.
func (q *sequence) clamp(e *emitter, n uint64, start model.Instant) {
	for m := n + 1; m < q.next && q.slot(m).state == slotMissing && q.slot(m).at <= start; m++ {
		q.move(e, m, start+1) // not in flight yet at that start
	}
	for m := n; m > q.lo && q.slot(m-1).state == slotMissing && q.slot(m-1).at > start; m-- {
		q.move(e, m-1, start)
	}
}

// move corrects the guess of a missing number.
func (q *sequence) move(e *emitter, n uint64, to model.Instant) {
	s := q.slot(n)
	e.correct(s.at, -1)
	e.correct(to, 1)
	s.at = to
}

// settle moves the window past what has ended.
func (q *sequence) settle() {
	for q.lo < q.next && q.slot(q.lo).state == slotEnded {
		q.loStart = q.slot(q.lo).at
		q.lo++
	}
}

// expire gives up numbers whose guess is more than limit before now, and
// returns how many.
func (q *sequence) expire(e *emitter, now, limit model.Instant) (lost int) {
	for q.lo < q.next && q.slot(q.lo).state == slotMissing && q.slot(q.lo).at+limit < now {
		q.drop(e, q.slot(q.lo).at+limit)
		q.settle()
		lost++
	}
	return lost
}

// drop settles the lowest number; if its record is missing it counts as lost
// at the instant closed.
func (q *sequence) drop(e *emitter, closed model.Instant) {
	s := q.slot(q.lo)
	if s.state == slotMissing {
		e.correct(closed, -1)
		q.missing--
		if q.lost == nil {
			q.lost = make(map[uint64]lostSeq)
		}
		if len(q.lost) >= lostCap {
			clear(q.lost) // those records, should they come, count as told before
		}
		q.lost[q.lo] = lostSeq{s.at, closed}
	}
	q.loStart = s.at
	q.lo++
}

// giveUp closes everything below n at an instant and returns how many.
func (q *sequence) giveUp(e *emitter, at model.Instant, n uint64) (lost int) {
	for q.lo < min(q.next, n) {
		if s := q.slot(q.lo); s.state == slotMissing {
			q.drop(e, max(at, s.at))
			lost++
		}
		q.settle()
	}
	return lost
}
