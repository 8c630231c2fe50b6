package store

import (
	"math"
	"sort"

	"benchtop/model"
)

// client is what the load streams have told, several of them as one.
type client struct {
	known      bool
	flight     flight
	lat        *latencies
	by         map[model.SeriesID]uint64
	begun      uint64
	done       uint64
	open       int64 // running count in event order
	peakOrder  float64
	peakSweep  float64
	first      model.Instant
	lastRecord model.Instant // newest record by when it was read
	lastSeen   model.Instant
	lastEnd    model.Instant
	lastOK     model.Instant
	firstEnd   model.Instant
	horizon    model.Instant
	hasHorizon bool
	lastBegin  model.Event
	noLatency  uint64 // ends that told no latency
	told       uint64 // ends whose begin was told only with them
	late       uint64 // ends told when the run was over, or before we watched
	unknown    bool   // a gap: in-flight is unknown until it is next empty
	frac       fractions
	ends       [4096]model.Instant // recent completion times in order of arrival
	nEnds      int
	closed     [windowLen]closedCount
	refused    [windowLen]refusedCount
	in, out    moments
}

type closedCount struct {
	second       int64
	starts, hits float64
}

type refusedCount struct {
	second int64
	n      float64
}

// moments sums values and their squares.
type moments struct{ n, sum, sq float64 }

func (m *moments) add(v float64) { m.n++; m.sum += v; m.sq += v * v }

func (m *moments) mean() float64 {
	if m.n == 0 {
		return math.NaN()
	}
	return m.sum / m.n
}

// cv is the coefficient of variation; NaN below two values.
func (m *moments) cv() float64 {
	if m.n < 2 || m.sum == 0 {
		return math.NaN()
	}
	mu := m.sum / m.n
	return math.Sqrt(max(0, m.sq/m.n-mu*mu)) / mu
}

func newClient() *client {
	return &client{lat: newLatencies(), by: make(map[model.SeriesID]uint64), peakSweep: math.NaN()}
}

func (c *client) seen(ev *model.Event) {
	c.known = true
	if c.first == 0 || ev.At < c.first {
		c.first = ev.At
	}
	c.lastRecord = max(c.lastRecord, ev.At)
	c.lastSeen = max(c.lastSeen, ev.Seen)
}

func (c *client) begin(ev *model.Event) {
	c.seen(ev)
	c.flight.begin(ev.At, 1)
	c.begun++
	c.open++
	c.peakOrder = max(c.peakOrder, float64(c.open))
	c.lastBegin = *ev
	c.start(ev.At)
}

// start notes whether a start follows some completion within 3 ms, the mark of
// a closed loop. Completions arrive in order of their ends, so those before
// this start are known already, even where a start is told only at its end.
func (c *client) start(at model.Instant) {
	k := &c.closed[(int64(at)/1e9)%windowLen]
	if sec := int64(at) / 1e9; k.second != sec {
		*k = closedCount{second: sec}
	}
	k.starts++
	n := min(c.nEnds, len(c.ends))
	lo := c.nEnds - n
	i := sort.Search(n, func(i int) bool { return c.ends[(lo+i)%len(c.ends)] > at })
	if i > 0 && at-c.ends[(lo+i-1)%len(c.ends)] <= 3_000_000 {
		k.hits++
	}
}

// corrected is a change of in-flight that is no request: a start known only
// from its neighbours, or its undoing.
func (c *client) corrected(ev *model.Event) {
	c.seen(ev)
	c.flight.begin(ev.At, int(ev.Value))
	c.open += int64(ev.Value)
	if c.unknown && c.open <= 0 {
		c.unknown = false
	}
}

func (c *client) end(ev *model.Event) {
	c.seen(ev)
	if c.lastBegin.Key == ev.Key && c.lastBegin.Seen == ev.Seen && c.lastBegin.At < ev.At {
		c.told++
	}
	c.flight.end(ev.At)
	if math.IsNaN(ev.Value) {
		c.noLatency++
	}
	c.by[ev.Series]++
	c.done++
	if ev.Late {
		c.late++
	}
	c.open--
	if c.unknown && c.open <= 0 {
		c.unknown = false
	}
	if c.firstEnd == 0 || ev.At < c.firstEnd {
		c.firstEnd = ev.At
	}
	c.lastEnd = max(c.lastEnd, ev.At)
	if ev.Series == model.ClientOK {
		c.lastOK = max(c.lastOK, ev.At)
	}
	c.ends[c.nEnds%len(c.ends)] = ev.At
	c.nEnds++
	if ev.Series == model.ClientCancelled {
		return
	}
	c.lat.end(ev.At, ev.Series, ev.Value)
	if ev.Series == model.ClientOther && ev.Value < 0.05 {
		k := &c.refused[(int64(ev.At)/1e9)%windowLen]
		if sec := int64(ev.At) / 1e9; k.second != sec {
			*k = refusedCount{second: sec}
		}
		k.n++
	}
	c.frac.add(ev.At, ev.Value)
}

// exactTo is up to where in-flight may be trusted.
func (c *client) exactTo(now model.Instant) model.Instant {
	over := c.open <= 0 && now-max(c.lastRecord, c.lastSeen) > 1_000_000_000
	if c.hasHorizon && c.told*2 > c.done && !over {
		return min(c.horizon, now)
	}
	return now
}

// closedLoop is the share of starts of the last 30 s that follow a completion.
func (c *client) closedLoop(now model.Instant, x float64) (share float64, closed, known bool) {
	var starts, hits float64
	for _, k := range c.closed {
		if age := int64(now)/1e9 - k.second; age >= 0 && age < 30 {
			starts += k.starts
			hits += k.hits
		}
	}
	if starts < 20 {
		return math.NaN(), false, false
	}
	share = hits / starts
	chance := 1 - math.Exp(-0.003*x)
	return share, share >= 0.8 && share-chance >= 0.3, true
}

func (c *client) refusedIn(now model.Instant, seconds int64) float64 {
	n := 0.0
	for _, k := range c.refused {
		if age := int64(now)/1e9 - k.second; age >= 0 && age < seconds {
			n += k.n
		}
	}
	return n
}

// fractions is throughput as completed shares: each finished request adds, to
// every 5-s bucket it spans, the share of its time spent there. Plain counts
// swing when requests of one length finish together; this does not.
type fractions struct {
	v     [fracLen]float64
	n     [fracLen]int64
	count [fracLen]float64 // completions in the bucket
}

const (
	fracStep = 5_000_000_000
	fracLen  = 720
)

func (f *fractions) cell(n int64) int64 {
	i := n % fracLen
	if f.n[i] != n {
		if f.n[i] > n {
			return -1
		}
		f.n[i], f.v[i], f.count[i] = n, 0, 0
	}
	return i
}

func (f *fractions) add(end model.Instant, sec float64) {
	if int64(end) <= 0 {
		return
	}
	last := int64(end) / fracStep
	if i := f.cell(last); i >= 0 {
		f.count[i]++
	}
	if math.IsNaN(sec) || sec <= 0 {
		if i := f.cell(last); i >= 0 {
			f.v[i]++
		}
		return
	}
	start := int64(end) - int64(sec*1e9)
	for n := max(start/fracStep, last-fracLen+1, 0); n <= last; n++ {
		lo, hi := max(start, n*fracStep), min(int64(end), (n+1)*fracStep)
		if i := f.cell(n); i >= 0 && hi > lo {
			f.v[i] += float64(hi-lo) / (sec * 1e9)
		}
	}
}

// rates are the completed shares a second of the buckets from first to last.
func (f *fractions) rates(first, last int64) (x, n []float64) {
	for b := first; b <= last; b++ {
		v, c := 0.0, 0.0
		if i := b % fracLen; b >= 0 && f.n[i] == b {
			v, c = f.v[i], f.count[i]
		}
		x, n = append(x, v/5), append(n, c)
	}
	return x, n
}

// settling is how long after an instant every request that was open then has
// told its true start: a start known only from its neighbours may overlap the
// request before it on the same worker, and would raise the peak.
func (c *client) settling() model.Instant {
	return model.Instant(min(60, c.lat.all.max+1) * 1e9)
}

// sweepPeak looks for the peak of in-flight up to an instant.
func (c *client) sweepPeak(to model.Instant) {
	if _, peak, ok := c.flight.over(max(to-100_000_000_000, c.first), to); ok && !(c.peakSweep >= peak) {
		c.peakSweep = peak
	}
}
