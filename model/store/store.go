package store

import (
	"math"
	"sort"

	"benchtop/model"
)

// Bounds on what a hostile or broken source can make us keep.
const (
	maxTracks  = 2048
	maxMarks   = 1024
	maxEngines = 256
	maxGPUs    = 64
	maxSources = 64
	maxFacts   = 128
)

// Store holds the run so far. It belongs to one goroutine.
type Store struct {
	tracks  map[trackKey]*track
	ordered []*track
	sorted  bool
	whole   [model.NumSeries]*track
	client  *client
	server  *server
	gpus    map[uint64]*gpu
	gpuList []*gpu
	users   users
	sources map[model.SourceID]*source
	engines map[uint64]string
	host    map[model.SourceID]bool
	voices  [model.NumSeries]voice
	run     model.RunInfo
	marks   []model.Mark
	steady  steadiness
	primary map[model.SeriesID]*primary
	differs map[disagreement]bool
	clean   *clean
	slo     *sloJudge
	history epochs
	lastMut *track

	now, start model.Instant
	lastBucket int64 // number of the newest of the 5-s buckets in Load.X5
	cpuBest    float64
	targetAt   model.Instant // when the client was told another concurrency
	firstWarm  model.Instant // when the run was warm for the first time
	hostFirst  model.Instant // first sample of the host
	zoned      float64       // hours of the time zone that the server's clock shows
	serverSkew float64       // of the server's clock against the client's; NaN if unknown
	misplaced  uint64        // events whose own time could not be believed
	recorded   []model.VerdictChange
	asked      map[string]model.Setting // what the user declared with flags or in the run file
	sum        *model.ClientReport      // what the generators said of the run at its end; nil before, never changed
	finished   bool                     // nothing follows
	tookWhole  bool                     // the second judged last knew the whole run's figures
}

// primary is the source whose numbers the run-wide track of a series shows.
type primary struct {
	source model.SourceID
	n      uint64 // how often it has told it
	at     model.Instant
	rivals map[model.SourceID]*rival
}

// New makes an empty store.
func New(th model.Thresholds) *Store {
	s := &Store{
		tracks: make(map[trackKey]*track), client: newClient(), server: newServer(),
		gpus: make(map[uint64]*gpu), sources: make(map[model.SourceID]*source),
		engines: make(map[uint64]string), host: make(map[model.SourceID]bool),
		primary: make(map[model.SeriesID]*primary), differs: make(map[disagreement]bool), clean: newClean(), slo: newSLOJudge(), cpuBest: math.NaN(), serverSkew: math.NaN(),
	}
	s.run = model.RunInfo{
		Facts: make(map[string]string), Meta: make(map[string]string),
		Config: make(map[string]model.Setting), Thresholds: th,
	}
	return s
}

// Now is the newest tick.
func (s *Store) Now() model.Instant { return s.now }

// Start is the run's first event.
func (s *Store) Start() model.Instant { return s.start }

// Apply takes a batch. It keeps nothing of it.
func (s *Store) Apply(b *model.Batch) {
	for i := range b.Notes {
		s.note(&b.Notes[i])
	}
	for i := range b.Events {
		s.apply(&b.Events[i])
	}
}

func (s *Store) source(id model.SourceID) *source {
	src := s.sources[id]
	if src == nil {
		src = newSource(id)
		if len(s.sources) < maxSources {
			s.sources[id] = src
		}
	}
	return src
}

func (s *Store) apply(ev *model.Event) {
	if !s.jump(ev) {
		s.misplaced++
		return
	}
	if ev.Kind == model.Tick {
		s.now = max(s.now, ev.Seen)
		if s.start == 0 {
			s.start = ev.Seen
		}
		return
	}
	if int(ev.Series) >= model.NumSeries {
		return
	}
	e := *ev
	if e.At <= 0 || e.Seen > 0 && (e.Seen-e.At > believablePast || e.At-e.Seen > believableFuture) {
		s.misplaced++
		if e.At = e.Seen; e.At <= 0 {
			return
		}
	}
	if ofSource(&e) {
		s.applySource(&e)
		return
	}
	src := s.source(e.Source)
	src.heard(&e)
	if e.Series <= model.ClientGaugeInFlight && e.Kind != model.Reset {
		src.place(&e)
	}
	if s.start == 0 {
		s.start = min(e.At, e.Seen)
	}
	switch e.Kind {
	case model.Level:
		s.applyLevel(&e)
	case model.Add:
		s.applyAdd(&e)
	case model.Observe:
		s.applyObserve(&e)
	case model.Begin:
		src.fly(e.At, 1)
		s.client.begin(&e)
		s.wholeTrack(model.ClientInFlight).add(e.At, 1)
		s.wholeTrack(model.ClientSent).add(e.At, 1)
	case model.End:
		s.applyEnd(&e)
	case model.Gap:
		s.applyGap(&e)
	case model.Reset:
		s.applyReset(&e)
	case model.Tick, model.State:
	}
}

func (s *Store) applySource(e *model.Event) {
	src := s.source(e.Source)
	if e.Kind != model.State {
		src.count(e)
		s.logged(src, e)
		return
	}
	st := model.SourceState(e.Value)
	src.info.State = st
	if st == model.Running {
		src.info.Why = ""
	}
	if src.info.Kind != model.KindLoad {
		return
	}
	at := max(e.Seen, e.At)
	if st == model.Ended || st == model.Failed {
		src.end = true
		s.leaves(src, at)
		s.blindAgain()
	}
	s.toldUntil(at)
}

func (s *Store) applyEnd(e *model.Event) {
	if !e.Series.IsOutcome() {
		return
	}
	src := s.source(e.Source)
	src.ended++
	src.fly(e.At, -1)
	s.client.end(e)
	s.ended(e)
	s.wholeTrack(model.ClientInFlight).add(e.At, -1)
	v := e.Value
	if math.IsNaN(v) || v < 0 {
		v = 0
	}
	s.wholeTrack(e.Series).add(e.At, v)
}

func (s *Store) applyLevel(e *model.Event) {
	switch side := e.Series.Describe().Side; side {
	case model.SideClient:
		s.clientLevel(e)
	case model.SideServer:
		s.serverLevel(e)
	case model.SideGPU:
		s.gpuLevel(e)
	case model.SideHost, model.SideSelf:
		if side == model.SideHost {
			s.host[e.Source] = true
			if s.hostFirst == 0 {
				s.hostFirst = e.At
			}
		}
		if src := s.source(e.Source); e.Series == model.SourceSkew && !math.IsNaN(e.Value) {
			if src.info.Kind == model.KindLoad { // not its own clock: the server's, by the answers' Date headers
				s.serverSkew = e.Value
				return
			}
			src.delay(e.Seen, e.Value)
		}
		s.track(e).level(e.At, e.Value)
		if s.speaks(e) {
			s.wholeTrack(e.Series).level(e.At, e.Value)
		}
	}
}

func (s *Store) clientLevel(e *model.Event) {
	c := s.client
	if e.Series == model.ClientHorizon {
		s.heardHorizon(e)
		return
	}
	c.lastSeen = max(c.lastSeen, e.Seen)
	v := e.Value
	switch e.Series {
	case model.ClientBarDone:
		v = s.bars(e)
	case model.ClientTarget, model.ClientOpenConns, model.ClientQueued, model.ClientGaugeInFlight:
		v = s.gauge(e)
	default:
	}
	if t := s.whole[model.ClientTarget]; e.Series == model.ClientTarget && t != nil && t.n > 0 && t.last != v {
		s.targetAt = e.At
	}
	s.wholeTrack(e.Series).level(e.At, v)
}

func (s *Store) gpuLevel(e *model.Event) {
	g := s.gpus[e.Key]
	if g == nil {
		if len(s.gpus) >= maxGPUs {
			return
		}
		g = newGPU(e.Key)
		g.source = e.Source
		s.gpus[e.Key] = g
		s.gpuList = append(s.gpuList, g)
		sort.Slice(s.gpuList, func(i, j int) bool { return s.gpuList[i].key < s.gpuList[j].key })
	}
	if g.source != e.Source { // two sources for one GPU: the first one counts
		return
	}
	g.level(e)
	s.track(e).level(e.At, e.Value)
	if e.Series == model.GPUSMActivity && g.info.Instance() != 0 {
		s.gpus[g.info.Parent()].partly(e.Value)
	}
}

func (s *Store) applyAdd(e *model.Event) {
	switch {
	case e.Series == model.ClientInFlight:
		s.source(e.Source).fly(e.At, e.Value)
		s.client.corrected(e)
		s.wholeTrack(e.Series).add(e.At, e.Value)
	case e.Series.Describe().Side == model.SideServer:
		s.enter(s.track(e), e, e.Value, (*track).add)
		if e.Value == 0 && !s.countedAtAll(e.Series) || e.Value != 0 && s.countedBy(e) {
			s.enter(s.wholeTrack(e.Series), e, e.Value, (*track).add)
		}
	default:
		s.wholeTrack(e.Series).add(e.At, e.Value)
	}
}

func (s *Store) applyObserve(e *model.Event) {
	switch e.Series {
	case model.ClientTTFT:
		s.client.lat.ttft.add(e.At, e.Value)
		s.heardOf(e)
	case model.ClientTPOT:
		s.client.lat.tpot.add(e.At, e.Value)
		s.heardOf(e)
	case model.ClientInputTokens:
		s.client.in.add(e.Value)
	case model.ClientOutputTokens:
		s.client.out.add(e.Value)
	case model.ScrapeTime:
		s.scraped(e)
	case model.ServerBatch, model.ServerBatchWait:
		if !e.Late {
			s.server.feed(e.Source).observe(e)
		}
	}
	if e.Series.Describe().Side != model.SideServer {
		s.wholeTrack(e.Series).observe(e.At, e.Value)
		return
	}
	s.enter(s.track(e), e, e.Value, (*track).observe)
	if s.isPrimary(e) {
		s.enter(s.wholeTrack(e.Series), e, e.Value, (*track).observe)
	}
}

func (s *Store) applyGap(e *model.Event) {
	if e.Series == model.ClientInFlight {
		s.client.unknown = true
		return
	}
	if t := s.tracks[trackKey{e.Series, e.Source, e.Key}]; t != nil {
		t.last = math.NaN()
	}
	switch e.Series.Describe().Side {
	case model.SideServer:
		if f := s.server.byID[e.Source]; f != nil {
			f.gap()
		}
	case model.SideGPU:
		if g := s.gpus[e.Key]; g != nil && g.source == e.Source {
			x := *e
			x.Value = math.NaN()
			g.level(&x)
		}
	case model.SideClient, model.SideHost, model.SideSelf:
	}
}

// applyReset starts a source over: a server that restarted, a load stream that
// begins a new run, or (from the deck) everything.
func (s *Store) applyReset(e *model.Event) {
	switch s.source(e.Source).info.Kind {
	case model.KindServerLog, model.KindMetrics:
		if f := s.server.byID[e.Source]; f != nil {
			f.gap()
		}
		if !e.Late {
			s.server.restarted = e.At
			s.steady.restart(e.At) // what it was warmed up for is gone
			s.mark(model.Mark{At: e.At, Class: "server", Text: "the server restarted", Bad: true})
		}
	case model.KindLoad:
		s.resetClient(s.source(e.Source), e.At)
	case model.KindOther, model.KindGPU, model.KindHost, model.KindClock:
	}
}

// resetClient begins a new run of one load stream. A decoder takes back what it
// had open before it says so; what one that was cut off left open is nobody's.
// Other streams' requests are theirs.
func (s *Store) resetClient(src *source, at model.Instant) {
	c := s.client
	if n := src.open; n > 0 {
		s.wholeTrack(model.ClientInFlight).add(at, -float64(n))
		c.flight.begin(at, -int(n))
		c.open -= n
	}
	src.fly(at, -float64(src.open))
	src.horizon, src.report, src.gauges = 0, nil, nil // its settings come before it, with the notes of its batch
	s.sum = s.reports()
	if c.done > 0 {
		s.steady.restart(at)
	}
	s.mark(model.Mark{At: at, Class: "run", Text: "the load stream began a new run"})
}
