package compare

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"benchtop/model"
)

// Row is one run as a line of the documents' table, and everything else that
// it is compared by.
type Row struct {
	Round     int           `json:"round"` // 1 is the oldest
	Run       string        `json:"run"`   // the recording's id
	Arm       string        `json:"arm"`
	Label     string        `json:"label"`
	Change    string        `json:"change"`
	Started   model.Instant `json:"started_ns"`
	DurationS float64       `json:"duration_s"`
	MeasuredS float64       `json:"measured_s"` // the stretch that means and rates are taken over
	Warm      bool          `json:"warm"`       // warm-up was seen to end, and lies outside that stretch

	// The seven columns of the documents' table, beside Round, Change and Notes.
	Concurrency float64 `json:"client_concurrency"`
	Target      float64 `json:"target_concurrency"`
	OK          float64 `json:"ok"`
	Failed      float64 `json:"failed"`
	Batch       float64 `json:"server_mean_batch"`
	Timeouts    float64 `json:"timeouts"`          // told by the client
	Rejected    float64 `json:"rejected"`          // told by the client
	ServerLost  float64 `json:"server_lost"`       // timeouts, rejects, full queues and drops that the server told
	Done        float64 `json:"finished_requests"` // behind the percentiles

	Verdict  string             `json:"verdict"`
	Severity string             `json:"severity"`
	Values   map[string]float64 `json:"values"`
	Settings map[string]float64 `json:"settings"`
	Facts    map[string]string  `json:"facts"`
	Meta     map[string]string  `json:"meta"`
	Notes    []string           `json:"notes"`
}

// Value is a metric's value, NaN if the run did not measure it.
func (r *Row) Value(id string) float64 {
	if v, ok := r.Values[id]; ok {
		return v
	}
	return math.NaN()
}

// guard is left out after warm-up: what was begun before it ends in it.
const guard = 3 * time.Second

// stretch is the part of the run that means and rates are taken over: from the
// end of warm-up (or the first request) to the last request begun, so that
// neither filling nor draining counts.
func stretch(s *model.Snapshot) (from, to model.Instant, warm bool) {
	from, to = s.Start, s.Now
	if s.Client.Known && s.Client.LastEnd > s.Client.First {
		from, to = s.Client.First, s.Client.LastEnd
		if t := s.Whole(model.ClientSent); t != nil && t.LastAt > from && t.LastAt < to {
			to = t.LastAt
		}
	}
	if s.Signals != nil && s.Signals.Load.Warm && s.Signals.Load.WarmAt.Add(guard+10*time.Second) < to {
		return max(from, s.Signals.Load.WarmAt.Add(guard)), to, true
	}
	return from, to, false
}

// RowOf reads a run's final snapshot.
func RowOf(s *model.Snapshot) Row {
	nan := math.NaN()
	r := Row{
		Run: s.Run.ID, Label: s.Run.Label, Change: s.Run.Change, Started: s.Start, DurationS: nan, MeasuredS: nan,
		Concurrency: nan, Target: nan, OK: nan, Failed: nan, Batch: nan, Timeouts: nan, Rejected: nan, ServerLost: nan, Done: nan,
		Verdict: s.Verdict.ID, Severity: s.Verdict.Severity.String(),
		Values: map[string]float64{}, Settings: map[string]float64{}, Facts: maps.Clone(s.Run.Facts), Meta: maps.Clone(s.Run.Meta),
	}
	for k, v := range s.Run.Config {
		r.Settings[k] = v.Value
	}
	if s.Start != 0 {
		r.DurationS = s.Now.Seconds(s.Start)
	}
	if r.Facts == nil {
		r.Facts = map[string]string{}
	}
	w := newWindow(s)
	r.MeasuredS, r.Warm = w.seconds(), w.warm
	w.series(r.Values)
	w.effects(r.Values)
	if e := w.elasticity(r.Values); !math.IsNaN(e) {
		r.Values[Elasticity] = e
	}
	r.client(s)
	r.server(s)
	r.gpus(s)
	r.engine(s)
	r.Concurrency, r.Batch = r.Value(Concurrency), r.Value(Batch)
	if math.IsNaN(r.Batch) { // an engine that batches continuously: its running requests are the batch
		r.Batch = r.Value("server_running")
	}
	r.note(s)
	return r
}

func (r *Row) client(s *model.Snapshot) {
	c := &s.Client
	r.Target = s.Run.Configured("target_concurrency")
	if s.Signals != nil && !math.IsNaN(s.Signals.Client.Target) {
		r.Target = s.Signals.Client.Target
	}
	if !c.Known {
		return
	}
	r.OK, r.Failed, r.Done = float64(c.ByOutcome[model.ClientOK]), float64(c.Failed()), float64(c.Done)
	r.Timeouts, r.Rejected = float64(c.ByOutcome[model.ClientTimeout]), float64(c.ByOutcome[model.ClientRejected])
}

func (r *Row) server(s *model.Snapshot) {
	for _, id := range []model.SeriesID{model.ServerTimeout, model.ServerRejected, model.ServerQueueFull, model.ServerDropped} {
		if t := s.Whole(id); t != nil {
			if math.IsNaN(r.ServerLost) {
				r.ServerLost = 0
			}
			r.ServerLost += t.Total
		}
	}
	if math.IsNaN(r.ServerLost) && slices.ContainsFunc(s.Sources, func(i model.SourceInfo) bool { return i.Kind == model.KindServerLog && i.Matched > 0 }) {
		r.ServerLost = 0 // a log was read and told none
	}
}

// engine names the server by its log's or endpoint's format where nobody said
// more: two formats are two engines.
func (r *Row) engine(s *model.Snapshot) {
	if r.Facts["engine"] != "" {
		return
	}
	for _, src := range s.Sources {
		if (src.Kind == model.KindServerLog || src.Kind == model.KindMetrics) && src.Matched > 0 && src.Format != "" && src.Format != "generic" {
			r.Facts["engine"] = src.Format
			return
		}
	}
}

// gpus keeps the cards' names and limits as facts: they are part of the
// configuration.
func (r *Row) gpus(s *model.Snapshot) {
	if len(s.GPUs) == 0 {
		return
	}
	names := map[string]int{}
	for _, g := range s.GPUs {
		names[g.Name]++
	}
	var parts []string
	for _, n := range slices.Sorted(maps.Keys(names)) {
		parts = append(parts, fmt.Sprintf("%d × %s", names[n], n))
	}
	r.Facts["gpus"] = strings.Join(parts, ", ")
}

// note collects what a reader of the row must know.
func (r *Row) note(s *model.Snapshot) {
	add := func(format string, args ...any) { r.Notes = append(r.Notes, fmt.Sprintf(format, args...)) }
	if s.Verdict.ID != "" && s.Verdict.ID != model.VerdictNone {
		add("%s", s.Verdict.Title)
	}
	if s.Verdict.Failures != "" {
		add("%s", s.Verdict.Failures)
	}
	if !r.Warm {
		add("warm-up was not seen to end: figures are of the whole run")
	}
	if _, whole := newWindow(s).measured(); whole {
		add("p99 includes warm-up: only %d requests measured after it", s.Clean.Measured.Latency.N)
	}
	if r.MeasuredS < 30 {
		add("only %.0f s measured", r.MeasuredS)
	}
	if text, ok := r.Facts["recording"]; ok {
		add("recording %s", text)
	}
	if s.Shed > 0 {
		add("%d events lost on the way", s.Shed)
	}
}

// Number sorts rows by their start and numbers them.
func Number(rows []Row) []Row {
	out := slices.Clone(rows)
	slices.SortStableFunc(out, func(a, b Row) int { return cmp.Compare(a.Started, b.Started) })
	for i := range out {
		out[i].Round = i + 1
	}
	return out
}
