package store

import (
	"cmp"
	"math"
	"sort"
	"strings"

	"benchtop/model"
)

func (s *Store) serverSignals(sig *model.Signals) {
	v := &sig.Server
	nan := math.NaN()
	*v = model.ServerSignals{
		Interval: nan, Silence: nan, Ns: nan, NcAt: nan, Ratio: nan, Gap: nan, Running: nan, RunMin: nan,
		Waiting: nan, WaitMean: nan, B: nan, EngineB: nan, Batch: nan, BatchOne: nan, BatchWait: nan, BatchWaitP95: nan,
		BatchWaitLimit: nan, BatchWaitAtLimit: nan, KV: nan, Preempted: nan, Rejected: nan, QueueFull: nan,
		Dropped: nan, TimedOut: nan, ResetN: nan, Aborted: nan, Errors: nan, Finished: nan, GenTPS: nan,
		PromptTPS: nan, DebugLines: nan, LogLines: nan, LogBytes: nan, X: nan, LogSilence: nan,
	}
	s.serverTold(v)
	for _, src := range s.sources {
		if src.info.Kind == model.KindServerLog && src.info.LastSeen != 0 {
			silence := max(0, sig.At.Seconds(src.info.LastSeen))
			if !(v.LogSilence <= silence) {
				v.LogSilence = silence
			}
		}
	}
	f := s.server.paired(sig.At)
	if f == nil {
		return
	}
	v.Known, v.Static, v.Interval = true, f.static(), f.period
	others := s.others(f, sig.At)
	n := max(1, f.count(s.server.all))
	for _, g := range others {
		n += max(1, g.count(s.server.all))
	}
	if v.KnowB && n > 1 { // each engine has a batch of its own
		v.B = v.EngineB * float64(n)
	}
	v.Silence, v.Restarted = s.server.silence(sig.At), s.server.restarted
	s.pairs(sig, f, others)
	s.batches(sig)
	s.serverEvents(sig)
	s.engineSignals(sig, f, others)
	t := &s.run.Thresholds
	v.Quiet = v.WaitKnown && v.Waiting <= max(1, t.QuietShare*v.NcAt) ||
		v.WaitKnown && math.IsNaN(v.NcAt) && v.Waiting <= 1
	switch {
	case v.KnowB:
		v.Full = v.Running >= t.FullShare*v.B
	case v.WaitKnown:
		v.Full = v.Waiting >= 1 && v.RunMin >= t.FullShare*v.Running
	}
}

func (s *Store) serverTold(v *model.ServerSignals) {
	if c, ok := s.run.Config["max_batch"]; ok && c.Value > 0 {
		v.B, v.KnowB, v.BFrom = c.Value, true, c.From
	} else if c, ok := s.run.Config["slots"]; ok && c.Value > 0 {
		v.B, v.KnowB, v.BFrom = c.Value, true, c.From
	}
	v.EngineB = v.B
	v.BatchWaitLimit = s.run.Configured("batch_wait_s")
}

// pairs compares the server's samples with the client's in-flight at the very
// same instants. Of several servers it takes the sum: the client's load is
// spread over them.
func (s *Store) pairs(sig *model.Signals, f *feed, others []*feed) {
	v, now := &sig.Server, sig.At
	w := model.Instant(lineWindow)
	grace := model.Instant(0)
	if f.static() {
		w = batchWindow
		grace = model.Instant(f.period / 2 * 1e9)
	} else if f.period < 1 {
		w = batchWindow
	}
	var ns, nc, ratio, run, wait, kv []float64
	from := max(now-w, s.client.first) // the server idle before the load says nothing about it
	f.window(from, now, func(p sample) {
		p = p.whole(others)
		if held := p.held(); !math.IsNaN(held) {
			run = append(run, held)
		}
		if !math.IsNaN(p.wait) {
			wait = append(wait, p.wait)
		}
		if !math.IsNaN(p.kv) {
			kv = append(kv, p.kv)
		}
		n, ok := p.ns()
		if !ok || !sig.Client.Known || p.at > sig.Client.Horizon || p.at < s.client.first {
			return
		}
		if c, ok := s.client.flight.at(p.upTo, grace); ok {
			ns, nc = append(ns, n), append(nc, c)
			if c > 0 {
				ratio = append(ratio, n/c)
			}
		}
	})
	v.Samples, v.Paired = float64(len(run)), float64(len(ratio))
	v.Running = mean(run)
	v.RunMin = quantile(run, 0)
	v.WaitMean, v.WaitKnown = mean(wait), len(wait) > 0
	v.Waiting, v.KV = model.Median(wait), model.Median(kv)
	if len(wait) == 0 && f.hasWait {
		v.WaitKnown = false
	}
	if need := 3; f.static() && len(ratio) < 8 || len(ratio) < need {
		if len(ns) == 0 {
			v.Ns = v.Running
			if v.WaitKnown {
				v.Ns += v.Waiting
			}
		}
		return
	}
	v.Ns, v.NcAt, v.Ratio = model.Median(ns), model.Median(nc), model.Median(ratio)
	v.Gap = v.NcAt - v.Ns
	if !v.WaitKnown { // running alone can't tell who holds the rest
		v.Ratio, v.Gap = math.NaN(), math.NaN()
	}
}

// batches reads the executions of the last 30 s (65 s where lines are rare).
func (s *Store) batches(sig *model.Signals) {
	v, now := &sig.Server, sig.At
	var f *feed
	for _, g := range s.server.feeds {
		if g.hasBatch && (f == nil || g.nBatches > f.nBatches) {
			f = g
		}
	}
	if f == nil {
		s.runningAsBatch(sig)
		return
	}
	w := model.Instant(batchWindow)
	if f.period > 3 {
		w = lineWindow
	}
	var sizes, waits []float64
	var list []batch
	one := 0.0
	for i := f.nBatches - min(f.nBatches, batchesKept); i < f.nBatches; i++ {
		b := f.batches[i%batchesKept]
		if b.at < now-w || b.at > now {
			continue
		}
		list = append(list, b)
		if !math.IsNaN(b.size) {
			sizes = append(sizes, b.size)
			if b.size <= 1 {
				one++
			}
		}
		if !math.IsNaN(b.wait) {
			waits = append(waits, b.wait)
		}
	}
	v.BatchN, v.BatchPerExecution = float64(len(sizes)), true
	v.Batch = mean(sizes)
	if len(sizes) > 0 {
		v.BatchOne = one / float64(len(sizes))
	}
	v.BatchWait, v.BatchWaitP95 = mean(waits), quantile(waits, 0.95)
	v.BatchWaitAtLimit = atLimit(list, v)
}

// runningAsBatch takes what runs for the batch, second by second, where a
// server batches continuously and tells no executions (llama-server's log).
// Sampled by time: at its changes a count is biased by what just changed.
func (s *Store) runningAsBatch(sig *model.Signals) {
	f := s.server.paired(sig.At)
	if f == nil || !f.hasRun {
		return
	}
	v := &sig.Server
	t := s.whole[model.ServerRunning]
	if now := t.heldMean(sig.At-1_000_000_000, sig.At); now > 0 {
		s.wholeTrack(model.ServerBatch).observe(sig.At-500_000_000, now)
	}
	w := s.whole[model.ServerBatch].window(sig.At-batchWindow, sig.At)
	v.Batch, v.BatchN, v.BatchPerExecution = w.Mean(), float64(w.N), false
	if w.N > 0 {
		v.BatchOne = 0
		if w.Max <= 1 {
			v.BatchOne = 1
		}
	}
}

// atLimit is the share of not-full batches that waited about the whole limit.
func atLimit(list []batch, v *model.ServerSignals) float64 {
	limit := v.BatchWaitLimit
	if math.IsNaN(limit) && v.BatchWaitP95 > 0.005 {
		limit = v.BatchWaitP95
	}
	var n, hit float64
	for _, b := range list {
		if math.IsNaN(b.wait) || math.IsNaN(limit) || v.KnowB && b.size >= v.EngineB {
			continue
		}
		n++
		if b.wait >= 0.9*limit && b.wait <= 1.1*limit {
			hit++
		}
	}
	if n == 0 {
		return math.NaN()
	}
	return hit / n
}

func (s *Store) serverEvents(sig *model.Signals) {
	v, now := &sig.Server, sig.At
	from := now - clientWindow
	n := func(id model.SeriesID) float64 { return s.whole[id].amount(from, now+1) }
	v.Rejected, v.QueueFull, v.Dropped = n(model.ServerRejected), n(model.ServerQueueFull), n(model.ServerDropped)
	v.TimedOut, v.ResetN, v.Aborted = n(model.ServerTimeout), n(model.ServerReset), n(model.ServerAborted)
	v.Errors, v.Preempted = n(model.ServerError), n(model.ServerPreempted)
	v.Finished = n(model.ServerFinished) / 30
	v.X = v.Finished
	v.DebugLines, v.LogLines, v.LogBytes = n(model.ServerDebugLines)/30, n(model.ServerLogLines)/30, n(model.ServerLogBytes)/30
	v.GenTPS = s.whole[model.ServerGenTPS].mean(now-lineWindow, now+1)
	if t := s.whole[model.ServerGenTokens]; t != nil && !(v.GenTPS > 0 && s.fellSilent(model.ServerGenTokens, from)) {
		v.GenTPS = t.amount(from, now+1) / 30
	}
	v.PromptTPS = s.whole[model.ServerPromptTPS].mean(now-lineWindow, now+1)
}

// fellSilent reports that the source which counts a series has told nothing
// since an instant: that nothing was added then says nothing.
func (s *Store) fellSilent(id model.SeriesID, since model.Instant) bool {
	f := s.server.byID[s.server.events[id]]
	return f != nil && f.any < since
}

// engineSignals lists the engines of the paired source and of the servers beside
// it, if there are several.
func (s *Store) engineSignals(sig *model.Signals, f *feed, others []*feed) {
	if len(f.engines) < 2 && len(others) == 0 {
		return
	}
	for _, g := range append([]*feed{f}, others...) {
		mean := func(id model.SeriesID, key uint64) float64 {
			return s.tracks[trackKey{id, g.id, key}].mean(sig.At-lineWindow, sig.At+1)
		}
		for key := range g.engines {
			if key == s.server.all && key != 0 {
				continue
			}
			label := s.engines[key]
			if len(others) > 0 {
				label = strings.TrimSuffix(cmp.Or(s.source(g.id).info.Label, s.called(g.id))+" "+label, " ")
			}
			sig.Server.Engines = append(sig.Server.Engines, model.EngineSignals{
				Key: key, Label: label,
				Running: mean(model.ServerRunning, key), Waiting: mean(model.ServerWaiting, key),
				WaitingMedian: s.tracks[trackKey{model.ServerWaiting, g.id, key}].median(sig.At-lineWindow, sig.At+1),
			})
		}
	}
	e := sig.Server.Engines
	sort.Slice(e, func(i, j int) bool { return e[i].Label < e[j].Label })
}
