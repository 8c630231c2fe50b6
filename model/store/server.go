package store

import (
	"math"

	"benchtop/model"
)

// sample is what one server line or scrape said, summed over engines.
type sample struct {
	at, upTo        model.Instant // its first and its last word
	run, wait, size float64       // NaN where it did not say
	kv              float64
	in, out         float64 // tokens a second, prompt and generated
}

// ns is running + waiting, or batch + queue where a server tells its batches;
// false where it takes a number that was not told.
func (s sample) ns() (float64, bool) {
	held := s.held()
	if math.IsNaN(held) {
		return 0, false
	}
	if math.IsNaN(s.wait) {
		return held, true
	}
	return held + s.wait, true
}

// batch is one execution as a line told it.
type batch struct {
	at         model.Instant
	size, wait float64
}

// engineNow is the newest state of one engine.
type engineNow struct {
	run, wait, kv, in, out float64
	at                     model.Instant
}

const (
	samplesKept = 2048
	batchesKept = 4096
	engineStale = 65_000_000_000
)

// feed is one source that tells about the server.
type feed struct {
	id       model.SourceID
	kind     model.SourceKind
	engines  map[uint64]*engineNow
	inTurn   []*engineNow // the same as they first spoke: sums of rates come out the same in each replay
	samples  [samplesKept]sample
	nSamples int
	batches  [batchesKept]batch
	nBatches int
	hasRun   bool
	hasWait  bool
	hasBatch bool
	period   float64 // seconds between samples, smoothed
	any      model.Instant
}

func newFeed(id model.SourceID) *feed {
	return &feed{id: id, engines: make(map[uint64]*engineNow)}
}

// current is the sample that at belongs to: lines of one instant are one
// sample, and engines that report in the same breath are too.
func (f *feed) current(at model.Instant) *sample {
	if f.nSamples > 0 {
		s := &f.samples[(f.nSamples-1)%samplesKept]
		d := at - s.at
		if d == 0 || len(f.engines) > 1 && d >= 0 && d < 200_000_000 || f.byChange() && d >= 0 && d < 50_000_000 {
			s.upTo = max(s.upTo, at)
			return s
		}
		if sec := float64(d) / 1e9; d > 0 {
			if f.period == 0 {
				f.period = sec
			} else {
				f.period += 0.1 * (min(sec, 5*f.period) - f.period)
			}
		}
	}
	nan := math.NaN()
	f.samples[f.nSamples%samplesKept] = sample{at, at, nan, nan, nan, nan, nan, nan}
	f.nSamples++
	return &f.samples[(f.nSamples-1)%samplesKept]
}

// engine is the newest state of one engine; nil past the bound.
func (f *feed) engine(key uint64) *engineNow {
	e := f.engines[key]
	if e == nil {
		if len(f.engines) >= maxEngines {
			return nil
		}
		nan := math.NaN()
		e = &engineNow{nan, nan, nan, nan, nan, 0}
		f.engines[key] = e
		f.inTurn = append(f.inTurn, e)
	}
	return e
}

// level takes a gauge of one engine and returns its sum over the engines; more
// says that it completes the sum that an engine before it began in the same
// breath.
func (f *feed) level(ev *model.Event, all uint64) (sum float64, more bool) {
	e := f.engine(ev.Key)
	if e == nil {
		return math.NaN(), false
	}
	e.at = ev.At
	s := f.current(ev.At)
	f.any = max(f.any, ev.At)
	switch ev.Series {
	case model.ServerRunning:
		e.run, f.hasRun, more = ev.Value, true, !math.IsNaN(s.run)
		s.run = f.sum(ev.At, all, func(e *engineNow) float64 { return e.run })
		return s.run, more
	case model.ServerWaiting:
		e.wait, f.hasWait, more = ev.Value, true, !math.IsNaN(s.wait)
		s.wait = f.sum(ev.At, all, func(e *engineNow) float64 { return e.wait })
		return s.wait, more
	case model.ServerKV:
		e.kv, more = ev.Value, !math.IsNaN(s.kv)
		s.kv = f.most(ev.At)
		return s.kv, more
	case model.ServerPromptTPS:
		e.in, more = ev.Value, !math.IsNaN(s.in)
		s.in = f.sum(ev.At, all, func(e *engineNow) float64 { return e.in })
		return s.in, more
	case model.ServerGenTPS:
		e.out, more = ev.Value, !math.IsNaN(s.out)
		s.out = f.sum(ev.At, all, func(e *engineNow) float64 { return e.out })
		return s.out, more
	}
	return ev.Value, false
}

// sum adds over the engines that have spoken lately. An engine that stands for
// all of them is taken alone.
func (f *feed) sum(now model.Instant, all uint64, of func(*engineNow) float64) float64 {
	if e := f.engines[all]; e != nil && all != 0 && now-e.at < engineStale && !math.IsNaN(of(e)) {
		return of(e)
	}
	t := math.NaN()
	for _, e := range f.inTurn {
		if v := of(e); !math.IsNaN(v) && now-e.at < engineStale {
			if math.IsNaN(t) {
				t = 0
			}
			t += v
		}
	}
	return t
}

// count is how many engines speak for themselves.
func (f *feed) count(all uint64) int {
	n := len(f.engines)
	if _, ok := f.engines[all]; ok && all != 0 {
		n--
	}
	return n
}

func (f *feed) most(now model.Instant) float64 {
	t := math.NaN()
	for _, e := range f.engines {
		if !math.IsNaN(e.kv) && now-e.at < engineStale && !(t >= e.kv) {
			t = e.kv
		}
	}
	return t
}

// observe takes one execution's size or wait.
func (f *feed) observe(ev *model.Event) {
	f.any = max(f.any, ev.At)
	switch ev.Series {
	case model.ServerBatch:
		f.hasBatch = true
		f.batches[f.nBatches%batchesKept] = batch{ev.At, ev.Value, math.NaN()}
		f.nBatches++
		f.current(ev.At).size = ev.Value
	case model.ServerBatchWait:
		if f.nBatches > 0 {
			if b := &f.batches[(f.nBatches-1)%batchesKept]; b.at == ev.At && math.IsNaN(b.wait) {
				b.wait = ev.Value
				return
			}
		}
		f.batches[f.nBatches%batchesKept] = batch{ev.At, math.NaN(), ev.Value}
		f.nBatches++
	}
}

// gap forgets what the engines held: the server restarted or fell silent.
func (f *feed) gap() {
	clear(f.engines)
	f.inTurn = nil
}

// byChange reports whether the source tells what runs at each change rather
// than by sampling: a log of launches and releases.
func (f *feed) byChange() bool {
	return f.hasRun && !f.hasWait && !f.hasBatch && f.kind == model.KindServerLog
}

// static reports whether the source tells executions and no running gauge.
func (f *feed) static() bool { return f.hasBatch && !f.hasRun }

// window calls fn on the samples in [from, to], oldest first, at most one each
// 50 ms.
func (f *feed) window(from, to model.Instant, fn func(sample)) {
	n := min(f.nSamples, samplesKept)
	last := model.Instant(0)
	for i := f.nSamples - n; i < f.nSamples; i++ {
		s := f.samples[i%samplesKept]
		if s.at < from || s.at > to || s.at-last < 50_000_000 {
			continue
		}
		last = s.at
		fn(s)
	}
}

// server is what the signals read: all sources that tell about the server.
type server struct {
	feeds     []*feed
	byID      map[model.SourceID]*feed
	all       uint64 // key of the engine label that stands for all
	restarted model.Instant
	live      bool                              // something was told that is not history
	events    map[model.SeriesID]model.SourceID // whose count of an event is used
}

func newServer() *server {
	return &server{byID: make(map[model.SourceID]*feed), events: make(map[model.SeriesID]model.SourceID)}
}

func (s *server) feed(id model.SourceID) *feed {
	f := s.byID[id]
	if f == nil {
		if len(s.feeds) >= maxSources {
			return s.feeds[maxSources-1] // only a broken recording has so many
		}
		f = newFeed(id)
		s.byID[id] = f
		s.feeds = append(s.feeds, f)
	}
	return f
}

// paired is the source of the paired samples: the one that tells most, then the
// one that spoke more often in the window.
func (s *server) paired(now model.Instant) *feed {
	var best *feed
	bestRank, bestCount := -1, 0
	for _, f := range s.feeds {
		if f.nSamples == 0 {
			continue
		}
		rank := f.rank(now)
		count := 0
		f.window(now-30_000_000_000, now, func(sample) { count++ })
		if rank > bestRank || rank == bestRank && count > bestCount {
			best, bestRank, bestCount = f, rank, count
		}
	}
	return best
}

// silence is the seconds since any server source told a number; NaN if none did.
func (s *server) silence(now model.Instant) float64 {
	t := model.Instant(0)
	for _, f := range s.feeds {
		t = max(t, f.any)
	}
	if t == 0 {
		return math.NaN()
	}
	return max(0, now.Seconds(t))
}
