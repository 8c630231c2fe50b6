package report

import (
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
		fillServer(&out[i], s, func(id model.SeriesID) tracks { return serverTracks(s, id, label, one) })
	}
	return out
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
