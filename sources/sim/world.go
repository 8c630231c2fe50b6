package sim

import (
	"math"

	"benchtop/model"
)

// world is the whole model: one calendar, and the parts that write in it.
type world struct {
	p     Params // as they are now; phases change them
	seed  uint64
	start model.Instant
	now   float64 // seconds from the start
	cal   calendar
	tell  sinks
	done  bool // the run is over: nothing more happens

	phased bool // parameters change in mid-run

	client client
	path   path
	server server
	cards  []*card
	host   machine
	truths []Truth
}

// sinks is where the world's lines and readings go. Lines hold no newline and
// are only lent.
type sinks struct {
	load func(at model.Instant, line []byte)
	log  func(at model.Instant, line []byte)
	gpu  func(at model.Instant, s *cardSample)
	host func(at model.Instant, s *hostSample)
	mark func(at model.Instant, text string)
}

// Periods of the model's clocks, in seconds.
const (
	cardTick    = 0.1
	cardEvery   = 5 // ticks a GPU reading
	hostEvery   = 1.0
	truthEvery  = 0.1
	ticksASec   = 10
	nanosPerSec = 1e9
)

func newWorld(p Params, phases []Phase, seed uint64, start model.Instant, tell sinks) *world {
	w := &world{p: p, seed: seed, start: start, tell: tell, phased: len(phases) > 0}
	w.client = client{w: w, dice: newChance(seed, streamClient), lengths: newChance(seed, streamLengths)}
	w.path = path{w: w, dice: newChance(seed, streamPath)}
	w.host = machine{w: w, dice: newChance(seed, streamHost)}
	w.server = server{w: w, dice: newChance(seed, streamServer)}
	for i := range p.Engines {
		c := newCard(w, i, newChance(seed, streamGPU<<8|uint64(i)))
		w.cards = append(w.cards, c)
		w.server.engines = append(w.server.engines, newEngine(&w.server, i, c))
	}
	w.server.boot()
	w.client.begin()
	for _, ph := range phases {
		w.at(ph.At, func() { w.phase(ph) })
	}
	w.every(cardTick, w.cardTick)
	w.every(hostEvery, w.host.second)
	w.every(truthEvery, w.note)
	w.at(p.Duration, w.finish)
	return w
}

// at books do at an instant, in seconds from the start.
func (w *world) at(t float64, do func()) { w.cal.add(max(t, w.now), do) }

// after books do in d seconds.
func (w *world) after(d float64, do func()) { w.cal.add(w.now+max(0, d), do) }

// every calls do with its number, at once and then each period; multiples of
// the period, so that it does not drift.
func (w *world) every(period float64, do func(k int)) {
	k := 0
	var again func()
	again = func() {
		do(k)
		k++
		w.at(float64(k)*period, again)
	}
	w.at(0, again)
}

// instant is now, as the world outside sees it.
func (w *world) instant() model.Instant { return w.instantAt(w.now) }

func (w *world) instantAt(t float64) model.Instant {
	return w.start + model.Instant(math.Round(t*nanosPerSec))
}

// runTo lets everything up to and including t happen.
func (w *world) runTo(t float64) {
	for !w.done && w.cal.next() <= t {
		h := w.cal.take()
		w.now = h.at
		h.do()
	}
	if !w.done {
		w.now = t
	}
}

// phase changes parameters in mid-run. They passed Validate before the start.
func (w *world) phase(ph Phase) {
	w.tell.mark(w.instant(), ph.Mark)
	if ph.Changes == "" {
		return
	}
	_ = w.p.Change(ph.Changes) // checked by Scenario.Params
	w.client.retune()
	w.path.retune()
}

// finish ends the run as a load generator does that was told a duration: what
// is open is cancelled, then the summary.
func (w *world) finish() {
	w.client.end()
	w.note(0)
	w.done = true
}

func (w *world) cardTick(k int) {
	for _, c := range w.cards {
		c.tick()
		if k%cardEvery == 0 && w.p.HaveGPU {
			c.sample()
		}
	}
}

// Truth is what really was the case at an instant, whatever the sources told.
type Truth struct {
	At       model.Instant
	InFlight int     // requests begun at the client and not ended
	Running  int     // in a batch, over all engines
	Waiting  int     // at the server and in no batch
	Begun    int     // so far
	Done     int     // so far, whatever the outcome
	OK       int     // so far
	X        float64 // good completions a second over the last second
	Clock    float64 // hertz, GPU 0
	Power    float64 // watts, GPU 0
	Temp     float64 // degrees Celsius, GPU 0
	Limit    float64 // power limit, watts
}

func (w *world) note(int) {
	t := Truth{
		At: w.instant(), InFlight: w.client.inFlight, Begun: w.client.begun, Done: w.client.ended, OK: w.client.good,
		Clock: w.cards[0].clock * 1e6, Power: w.cards[0].power, Temp: w.cards[0].temp, Limit: w.p.LimitW,
	}
	for _, e := range w.server.engines {
		t.Running += len(e.running)
		t.Waiting += e.queued()
	}
	if n := len(w.truths); n > 0 {
		t.X = float64(t.OK-w.truths[max(0, n-ticksASec)].OK) / (float64(min(n, ticksASec)) * truthEvery)
	}
	w.truths = append(w.truths, t)
}
