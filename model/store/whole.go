package store

import (
	"math"
	"slices"

	"benchtop/model"
)

// Figures of a whole run: what a generator said of it at its end, or records
// that were all told at its end. No second of the run could be judged with
// them, so the run is judged once more as one piece (diagnosis.md §4.6).

// restAfter is how long a stream that told all at once must be silent before
// its run is taken for complete.
const restAfter = 1_000_000_000

// Finish says that nothing follows: what was told at the end is complete.
func (s *Store) Finish() {
	s.finished = true
	for _, name := range settings { // not every stream may have said that it ends
		s.restate(name, s.now, s.thereAtLast(settingOf(name)))
	}
}

// Unjudged is when figures of a whole run came, if the second that was judged
// last could not know them: it was before that, or they were not complete yet.
// Else it is 0.
func (s *Store) Unjudged(last model.Instant) model.Instant {
	if r := s.wholeRun(s.now); r != nil && (r.At > last || !s.tookWhole) {
		return r.At
	}
	return 0
}

// inOrder lists the sources by their id.
func (s *Store) inOrder() []*source {
	all := make([]*source, 0, len(s.sources))
	for _, src := range s.sources {
		all = append(all, src)
	}
	slices.SortFunc(all, func(a, b *source) int { return int(a.info.ID) - int(b.info.ID) })
	return all
}

// wholeRun is what is known of the whole run and of no second of it; nil while
// the client speaks, or if it told its requests as they went.
func (s *Store) wholeRun(now model.Instant) *model.ClientReport {
	c := s.client
	if !c.known {
		if s.sum == nil || s.sum.Bar || c.lastSeen > s.sum.At+restAfter {
			return nil
		}
		return s.sum
	}
	if c.late == 0 || c.late*20 < c.done*19 || c.open > 0 || !s.finished && now-c.lastSeen < restAfter {
		return nil
	}
	return s.toldAtOnce()
}

// toldAtOnce sums up records that came all at once.
func (s *Store) toldAtOnce() *model.ClientReport {
	c, r := s.client, model.NoReport()
	by := func(id model.SeriesID) float64 { return float64(c.by[id]) }
	r.Requests, r.OK = float64(c.done)-by(model.ClientCancelled), by(model.ClientOK)
	r.Failed = r.Requests - r.OK
	r.Timeouts, r.Rejected, r.Reset = by(model.ClientTimeout), by(model.ClientRejected), by(model.ClientReset)
	r.HTTPError, r.Other = by(model.ClientHTTPError), by(model.ClientOther)
	r.Latency, r.LatencyOK = statedTimes(quantiles(c.lat.all.run)), statedTimes(quantiles(c.lat.ok.run))
	r.Mean, r.Duration, r.At, r.Generators = s.meanFlight(), c.lastEnd.Seconds(c.first), c.lastSeen, 1
	if s.how() == "estimated" {
		r.Mean = math.NaN()
	}
	return &r
}

func statedTimes(q model.Quantiles) model.ReportedTimes {
	return model.ReportedTimes{Mean: q.Mean, P50: q.P50, P90: q.P90, P95: q.P95, P99: q.P99, P999: q.P999, Max: q.Max, N: float64(q.N)}
}

// wholeSignals puts the whole run's figures in the place of the window's.
func (s *Store) wholeSignals(sig *model.Signals) {
	r := s.wholeRun(sig.At)
	k := &sig.Client
	k.Whole = math.NaN()
	s.tookWhole = r != nil
	if r == nil {
		return
	}
	known := k.Known
	count := func(v float64) float64 {
		if v >= 0 {
			return v
		}
		return 0 // a kind that the tool doesn't tell is no evidence of losses
	}
	k.Known, k.Reported, k.Whole = true, r.At, r.Duration
	k.Done, k.OK = count(r.Done()), count(r.OK)
	if math.IsNaN(r.OK) { // it tells no failures either
		k.OK = k.Done
	}
	k.Timeouts, k.Rejected, k.Reset = count(r.Timeouts), count(r.Rejected), count(r.Reset)
	k.HTTPError, k.Other, k.Refused = count(r.HTTPError), count(r.Other), 0
	k.TotalDone, k.TotalOK, k.TotalFailed = k.Done, k.OK, k.Done-k.OK
	k.X = r.Throughput()
	if k.XOK = k.OK / r.Duration; math.IsNaN(r.Duration) {
		k.XOK = k.X * k.OK / max(k.Done, 1)
	}
	good := &r.LatencyOK
	if !good.Known() && k.TotalFailed < 0.05*k.Done {
		good = &r.Latency // the few that failed hardly move them
	}
	k.Mean, k.P50, k.P99, k.Max = r.Latency.Mean, r.Latency.P50, r.Latency.P99, r.Latency.Max
	k.OKP50, k.OKP95 = good.P50, good.P95
	k.InFlight = r.InFlight()
	if d := k.InFlight / k.Target; d >= 0.85 && d <= 1.15 && math.IsNaN(k.Rate) {
		k.Closed, k.ClosedKnown = true, true // it held what it was told to hold, at no set rate
	}
	k.InFlightNow, k.Silence, k.OKSince = 0, 0, math.NaN()
	to, from := r.At, s.start
	if known {
		from, to = s.client.first, s.client.lastEnd
	} else {
		k.TimeoutAt, k.FirstEnd = math.NaN(), from
		if r.Duration > 0 {
			from = max(from, to-model.Instant(r.Duration*1e9))
		}
	}
	s.wholeServer(sig, from, to)
}

// wholeServer compares the server's medians over the run with the client's.
func (s *Store) wholeServer(sig *model.Signals, from, to model.Instant) {
	v, k, t := &sig.Server, &sig.Client, &s.run.Thresholds
	v.Silence, v.Ns, v.NcAt, v.Ratio, v.Gap, v.Paired = math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN(), 0
	run, wait := s.whole[model.ServerRunning], s.whole[model.ServerWaiting]
	v.Samples = 0
	if run != nil {
		v.Samples = float64(run.window(from, to).N)
	}
	if v.Samples < 3 {
		if size := s.whole[model.ServerBatch]; size != nil && size.window(from, to).N >= 3 { // it tells batches, not how many run
			v.Samples = float64(size.window(from, to).N)
		}
		return
	}
	v.Known = true
	v.Running, v.Waiting = run.median(from, to), wait.median(from, to) // seconds before its start and after its end don't move them
	v.WaitKnown = !math.IsNaN(v.Waiting)
	v.Quiet = v.WaitKnown && v.Waiting <= max(1, t.QuietShare*k.InFlight)
	if v.KnowB {
		v.Full = v.Running >= t.FullShare*v.B
	}
	if !v.WaitKnown || !(k.InFlight > 0) {
		return
	}
	v.Ns, v.NcAt, v.Paired = v.Running+v.Waiting, k.InFlight, v.Samples
	v.Ratio, v.Gap = v.Ns/v.NcAt, v.NcAt-v.Ns
}
