package report

import (
	"math"
	"time"

	"benchtop/model"
)

// MeanPeakPart is a gauge over the run.
type MeanPeakPart struct {
	Mean Num `json:"mean"`
	Peak Num `json:"peak"`
}

// BatchPart is the batch size over the run.
type BatchPart struct {
	Mean       Num `json:"mean"`
	P50        Num `json:"p50"`
	Max        Num `json:"max"`
	Configured Num `json:"configured"`
}

// WaitPart is the batch wait over the run, in milliseconds.
type WaitPart struct {
	Mean       Num `json:"mean"`
	Max        Num `json:"max"`
	Configured Num `json:"configured"`
}

// EventsPart counts what the server told.
type EventsPart struct {
	Timeout   Num `json:"timeout"`
	Rejected  Num `json:"rejected"`
	QueueFull Num `json:"queue_full"`
	Dropped   Num `json:"dropped"`
	Reset     Num `json:"reset"`
	Aborted   Num `json:"aborted"`
	Error     Num `json:"error"`
	Preempted Num `json:"preempted"`
}

// ServerPart is one server.
type ServerPart struct {
	Label       *string      `json:"label"`
	Engine      *string      `json:"engine"`
	Format      *string      `json:"format"`
	Running     MeanPeakPart `json:"running"`
	Waiting     MeanPeakPart `json:"waiting"`
	Batch       BatchPart    `json:"batch"`
	BatchWaitMS WaitPart     `json:"batch_wait_ms"`
	KVUsage     MeanPeakPart `json:"kv_usage"`
	PromptTPS   Num          `json:"prompt_tps"`
	GenTPS      Num          `json:"gen_tps"`
	Events      EventsPart   `json:"events"`
}

// RangePart is a reading over the run.
type RangePart struct {
	Mean Num `json:"mean"`
	Min  Num `json:"min"`
	Max  Num `json:"max"`
}

// while is the time that means are taken over: from the first request to the
// last answer where there is a client, else the whole run.
func while(s *model.Snapshot) (from, to model.Instant) {
	from, to = s.Start, s.Now
	if s.Client.Known && s.Client.LastEnd > s.Client.First {
		from, to = s.Client.First, s.Client.LastEnd
	}
	return from, max(from, to)
}

// reach is how far back from its end a track is looked at: it keeps no more,
// and the times of a recording from elsewhere may be any.
const reach = 24 * time.Hour

// level is the time mean and the peak of a gauge while there was load.
func level(t *model.Track, s *model.Snapshot) MeanPeakPart {
	if t == nil || t.N == 0 {
		return MeanPeakPart{absent, absent}
	}
	from, to := while(s)
	from = max(from, to.Add(-reach))
	step := time.Second
	if to.Sub(from) > time.Hour {
		step = 10 * time.Second
	}
	cols := make([]model.Bucket, int(to.Sub(from)/step)+1)
	t.Held(cols, from, step, 0, to)
	sum, n, peak := 0.0, 0.0, math.NaN()
	for _, b := range cols {
		if b.N == 0 {
			continue
		}
		sum, n = sum+b.Mean(), n+1
		if !(peak >= float64(b.Max)) {
			peak = float64(b.Max)
		}
	}
	if n == 0 {
		return MeanPeakPart{Num(t.Sum / float64(t.N)), Num(t.Max)}
	}
	return MeanPeakPart{Num(sum / n), Num(peak)}
}

func serverParts(s *model.Snapshot) []ServerPart {
	out := []ServerPart{}
	seen := map[string]int{}
	for _, src := range s.Sources {
		if src.Kind != model.KindServerLog && src.Kind != model.KindMetrics || src.Matched == 0 {
			continue
		}
		i, ok := seen[src.Label]
		if !ok {
			i = len(out)
			seen[src.Label] = i
			out = append(out, ServerPart{Label: text(src.Label)})
		}
		if p := &out[i]; p.Engine == nil || src.Kind == model.KindServerLog {
			p.Engine, p.Format = text(src.Format), text(src.Format)
		}
	}
	for i := range out {
		one := len(out) == 1
		label := ""
		if out[i].Label != nil {
			label = *out[i].Label
		}
		fillServer(&out[i], s, func(id model.SeriesID) *model.Track { return serverTrack(s, id, label, one) })
	}
	return out
}

// serverTrack is the track that tells a series of one server best: the
// run-wide one if there is one server, else its own source with the most to say.
func serverTrack(s *model.Snapshot, id model.SeriesID, label string, one bool) *model.Track {
	if one {
		return s.Whole(id)
	}
	var best *model.Track
	of := s.Of(id)
	for i := range of {
		for _, src := range s.Sources {
			if src.ID == of[i].Source && src.Label == label && (best == nil || of[i].N > best.N) {
				best = &of[i]
			}
		}
	}
	return best
}

func fillServer(p *ServerPart, s *model.Snapshot, of func(model.SeriesID) *model.Track) {
	p.Running, p.Waiting, p.KVUsage = level(of(model.ServerRunning), s), level(of(model.ServerWaiting), s), level(of(model.ServerKV), s)
	p.Batch = BatchPart{absent, absent, absent, Num(s.Run.Configured("max_batch"))}
	if math.IsNaN(float64(p.Batch.Configured)) {
		p.Batch.Configured = Num(s.Run.Configured("slots"))
	}
	if t := of(model.ServerBatch); t != nil && t.N > 0 {
		p.Batch.Mean, p.Batch.Max, p.Batch.P50 = Num(t.Sum/float64(t.N)), Num(t.Max), medianOf(t, s)
	}
	p.BatchWaitMS = WaitPart{absent, absent, Num(s.Run.Configured("batch_wait_s") * 1e3)}
	if t := of(model.ServerBatchWait); t != nil && t.N > 0 {
		p.BatchWaitMS.Mean, p.BatchWaitMS.Max = Num(t.Sum/float64(t.N)*1e3), Num(t.Max*1e3)
	}
	p.PromptTPS = rate(of(model.ServerPromptTokens), of(model.ServerPromptTPS), s)
	p.GenTPS = rate(of(model.ServerGenTokens), of(model.ServerGenTPS), s)
	n := func(id model.SeriesID) Num {
		if t := of(id); t != nil {
			return Num(t.Total)
		}
		return absent // few servers tell each kind: silence is no count
	}
	p.Events = EventsPart{n(model.ServerTimeout), n(model.ServerRejected), n(model.ServerQueueFull), n(model.ServerDropped), n(model.ServerReset), n(model.ServerAborted), n(model.ServerError), n(model.ServerPreempted)}
}

// medianOf is the median over seconds of a sample series' mean.
func medianOf(t *model.Track, s *model.Snapshot) Num {
	from, to := while(s)
	from = max(from, to.Add(-reach))
	cols := make([]model.Bucket, int(to.Sub(from)/time.Second)+1)
	t.Columns(cols, from, time.Second)
	var v []float64
	for _, b := range cols {
		if b.N > 0 {
			v = append(v, b.Mean())
		}
	}
	return Num(model.Median(v))
}

// rate prefers a counter's growth over a printed rate.
func rate(counter, gauge *model.Track, s *model.Snapshot) Num {
	if counter != nil && counter.N > 0 {
		if from, to := while(s); to > from {
			return Num(counter.Total / to.Seconds(from))
		}
	}
	return level(gauge, s).Mean
}

func ranged(t *model.Track, scale float64) RangePart {
	if t == nil || t.N == 0 {
		return RangePart{absent, absent, absent}
	}
	return RangePart{Num(t.Sum / float64(t.N) * scale), Num(t.Min * scale), Num(t.Max * scale)}
}

// hostPart is the run's mean of each host series, by its catalogue name; of
// growing amounts, the growth.
func hostPart(s *model.Snapshot) map[string]Num {
	out := map[string]Num{}
	for id := range model.SeriesID(model.NumSeries) {
		d := id.Describe()
		if d.Side != model.SideHost {
			continue
		}
		out[d.Name] = absent
		t := s.Whole(id)
		if t == nil || t.N == 0 {
			continue
		}
		out[d.Name] = Num(t.Sum / float64(t.N))
		if d.Shape == model.Span {
			out[d.Name] = Num(t.Total)
		}
	}
	return out
}
