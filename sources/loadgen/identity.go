package loadgen

import (
	"math"

	"benchtop/model"
)

// Bounds of what an identity set remembers.
const (
	openCap   = 1 << 18
	recentCap = 1 << 16
)

// openRequest is one in flight: when it went out and when its first token came
// (0 if neither was said), with what its start told.
type openRequest struct {
	start, first model.Instant
	prompt       float64
}

// identity knows which requests are open and which ended lately, by key.
type identity struct {
	open   map[uint64]openRequest
	recent map[uint64]struct{} // the last recentCap that ended
	ring   []uint64
	at     int
}

func (d *identity) init() {
	if d.open == nil {
		d.open = make(map[uint64]openRequest)
		d.recent = make(map[uint64]struct{})
	}
}

func (d *identity) reset() {
	clear(d.open)
	clear(d.recent)
	d.ring, d.at = d.ring[:0], 0
}

// start opens key; false if it is open already or ended lately.
func (d *identity) start(key uint64, at model.Instant, prompt float64) bool {
	d.init()
	if _, ok := d.open[key]; ok {
		return false
	}
	if _, ok := d.recent[key]; ok {
		return false
	}
	d.open[key] = openRequest{start: at, prompt: prompt}
	return true
}

// touch notes the first token of an open request.
func (d *identity) touch(key uint64, at model.Instant) {
	if o, ok := d.open[key]; ok && o.first == 0 {
		o.first = at
		d.open[key] = o
	}
}

// end closes key. known is false if no start was told, again is true if it
// ended before.
func (d *identity) end(key uint64) (o openRequest, known, again bool) {
	d.init()
	o, known = d.open[key]
	if known {
		delete(d.open, key)
	} else if _, again = d.recent[key]; again {
		return o, false, true
	}
	if len(d.ring) < recentCap {
		d.ring = append(d.ring, key)
	} else {
		delete(d.recent, d.ring[d.at])
		d.ring[d.at] = key
		d.at = (d.at + 1) % recentCap
	}
	d.recent[key] = struct{}{}
	return o, known, false
}

// latency is the record's own, else the span between the two lines; NaN if
// that is negative or unknown.
func latency(r *Record, start model.Instant) float64 {
	if !math.IsNaN(r.Latency) {
		return r.Latency
	}
	if start == 0 || r.At == 0 || r.At < start {
		return math.NaN()
	}
	return r.At.Seconds(start)
}

// timeToFirst is the record's own, else from the first line of the request.
func timeToFirst(r *Record, o openRequest) float64 {
	if !math.IsNaN(r.TTFT) {
		return r.TTFT
	}
	if o.first == 0 || o.start == 0 || o.first < o.start {
		return math.NaN()
	}
	return o.first.Seconds(o.start)
}
