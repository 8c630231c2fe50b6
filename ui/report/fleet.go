package report

import (
	"math"
	"time"

	"benchtop/model"
)

// tracks are what tells a series of one server: one track, or one for each of
// its schedulers, which share its load.
type tracks []*model.Track

// serverTracks finds the tracks that tell a series of one server best: the
// run-wide one if there is one server, else those of the source with that label
// that has most to say. An endpoint is preferred to a log, which rounds and
// tells of intervals, unless the log says half as much again.
func serverTracks(s *model.Snapshot, id model.SeriesID, label string, one bool) tracks {
	if one {
		if t := s.Whole(id); t != nil {
			return tracks{t}
		}
		return nil
	}
	var best tracks
	most := 0.0
	of := s.Of(id)
	for _, src := range s.Sources {
		if src.Label != label {
			continue
		}
		var ts tracks
		n := 0.0
		for i := range of {
			if of[i].Source == src.ID {
				ts = append(ts, &of[i])
				n += float64(of[i].N)
			}
		}
		if src.Kind == model.KindMetrics {
			n *= 1.5
		}
		if n > most || best == nil && len(ts) > 0 {
			best, most = ts, n
		}
	}
	return best
}

// heard are those that told something during the run, not only before it.
func (ts tracks) heard() tracks {
	var out tracks
	for _, t := range ts {
		if t.N > 0 {
			out = append(out, t)
		}
	}
	return out
}

// total is what counters have counted together.
func (ts tracks) total() Num {
	if len(ts) == 0 {
		return absent // few servers tell each kind: silence is no count
	}
	sum := 0.0
	for _, t := range ts {
		sum += t.Total
	}
	return Num(sum)
}

// samples is the mean and the largest of what was observed.
func (ts tracks) samples() (mean, largest float64) {
	sum, n := 0.0, 0.0
	largest = math.NaN()
	for _, t := range ts {
		sum, n = sum+t.Sum, n+float64(t.N)
		if !(largest >= t.Max) {
			largest = t.Max
		}
	}
	return sum / n, largest // NaN of none
}

// How the gauges of schedulers make one.
type union uint8

const (
	summed  union = iota // requests and rates add up
	fullest              // each scheduler has a cache of its own
)

// join adds one scheduler's v to what others told.
func (u union) join(so, v float64) float64 {
	if u == fullest {
		return max(so, v)
	}
	return so + v
}

// level is the time mean and the peak of a gauge while there was load.
func (ts tracks) level(s *model.Snapshot, how union) MeanPeakPart {
	from, to := while(s)
	step := time.Second
	if to.Sub(from) > time.Hour {
		step = 10 * time.Second
	}
	n := max(0, int(to.Sub(from)/step)+1)
	mean, peak, told := make([]float64, n), make([]float64, n), make([]bool, n)
	cols := make([]model.Bucket, n)
	for _, t := range ts.heard() {
		t.Held(cols, from, step, 0, to)
		for i, b := range cols {
			if b.N > 0 {
				mean[i], peak[i] = how.join(mean[i], b.Mean()), how.join(peak[i], float64(b.Max))
				told[i] = true
			}
		}
	}
	sum, of, top := 0.0, 0.0, math.NaN()
	for i := range n {
		if !told[i] {
			continue
		}
		sum, of = sum+mean[i], of+1
		if !(top >= peak[i]) {
			top = peak[i]
		}
	}
	if of > 0 {
		return MeanPeakPart{Num(sum / of), Num(top)}
	}
	return ts.heard().whenever(how)
}

// whenever is level where nothing was told while there was load.
func (ts tracks) whenever(how union) MeanPeakPart {
	if len(ts) == 0 {
		return MeanPeakPart{absent, absent}
	}
	mean, peak := 0.0, 0.0
	for _, t := range ts {
		mean, peak = how.join(mean, t.Sum/float64(t.N)), how.join(peak, t.Max)
	}
	return MeanPeakPart{Num(mean), Num(peak)}
}

// median is the median over seconds of a sample series' mean.
func (ts tracks) median(s *model.Snapshot) Num {
	from, to := while(s)
	n := max(0, int(to.Sub(from)/time.Second)+1)
	all, cols := make([]model.Bucket, n), make([]model.Bucket, n)
	for _, t := range ts {
		t.Columns(cols, from, time.Second)
		for i, b := range cols {
			all[i].Add(b)
		}
	}
	var v []float64
	for _, b := range all {
		if b.N > 0 {
			v = append(v, b.Mean())
		}
	}
	return Num(model.Median(v))
}

// rate prefers a counter's growth over a printed rate.
func rate(counter, gauge tracks, s *model.Snapshot) Num {
	if len(counter.heard()) > 0 {
		if from, to := while(s); to > from {
			return Num(float64(counter.total()) / to.Seconds(from))
		}
	}
	return gauge.level(s, summed).Mean
}

func fillServer(p *ServerPart, s *model.Snapshot, of func(model.SeriesID) tracks) {
	p.Running, p.Waiting = of(model.ServerRunning).level(s, summed), of(model.ServerWaiting).level(s, summed)
	p.KVUsage = of(model.ServerKV).level(s, fullest)
	p.Batch = BatchPart{absent, absent, absent, Num(s.Run.Configured("max_batch"))}
	if math.IsNaN(float64(p.Batch.Configured)) {
		p.Batch.Configured = Num(s.Run.Configured("slots"))
	}
	if ts := of(model.ServerBatch).heard(); len(ts) > 0 {
		mean, largest := ts.samples()
		p.Batch.Mean, p.Batch.Max, p.Batch.P50 = Num(mean), Num(largest), ts.median(s)
	}
	p.BatchWaitMS = WaitPart{absent, absent, Num(s.Run.Configured("batch_wait_s") * 1e3)}
	if ts := of(model.ServerBatchWait).heard(); len(ts) > 0 {
		mean, longest := ts.samples()
		p.BatchWaitMS.Mean, p.BatchWaitMS.Max = Num(mean*1e3), Num(longest*1e3)
	}
	p.PromptTPS = rate(of(model.ServerPromptTokens), of(model.ServerPromptTPS), s)
	p.GenTPS = rate(of(model.ServerGenTokens), of(model.ServerGenTPS), s)
	n := func(id model.SeriesID) Num { return of(id).total() }
	p.Events = EventsPart{n(model.ServerTimeout), n(model.ServerRejected), n(model.ServerQueueFull), n(model.ServerDropped), n(model.ServerReset), n(model.ServerAborted), n(model.ServerError), n(model.ServerPreempted)}
}
