package model

import (
	"math"
	"sort"
	"strconv"
	"time"
)

// Snapshot is everything the screen, the report and the summary read: the run
// frozen at one tick. It is immutable once published.
type Snapshot struct {
	Now, Start Instant // the newest tick, the first event
	Seq        uint64  // grows by one a publish
	Second     uint64  // grows when the once-a-second parts (signals, findings, figures) changed
	Final      bool    // nothing follows

	Run       RunInfo
	Tracks    []Track // ordered by series, source, key
	Sources   []SourceInfo
	Engines   map[uint64]string     // key → label
	Primary   map[SeriesID]SourceID // whose numbers the run-wide track of a server series shows
	GPUs      []GPUInfo
	Instances []GPUInfo // MIG devices of those: memory and activity are their own, the rest their GPU's

	Client   ClientTotals
	Reported *ClientReport // what the generators said of the run at its end; nil before, never changed
	Latency  LatencyView
	Clean    CleanView
	Goal     GoalView
	Ledger   Ledger
	Signals  *Signals // of the newest whole second
	Verdict  Verdict
	Runner   string    // id of the runner-up, "" if none
	Findings []Finding // raised now first, then cleared ones, then unknown
	Verdicts []VerdictChange
	Restated []Restatement   // what the verdicts rested on in between, oldest first, bounded
	Said     []VerdictChange // what a recording says that was said then; Verdicts are today's rules
	Marks    []Mark          // oldest first, bounded
	Shed     uint64          // events lost between the sources and the store
}

// Track finds one track, or nil.
func (s *Snapshot) Track(id SeriesID, src SourceID, key uint64) *Track {
	i := sort.Search(len(s.Tracks), func(i int) bool {
		t := &s.Tracks[i]
		if t.Series != id {
			return t.Series > id
		}
		if t.Source != src {
			return t.Source > src
		}
		return t.Key >= key
	})
	if i < len(s.Tracks) {
		if t := &s.Tracks[i]; t.Series == id && t.Source == src && t.Key == key {
			return t
		}
	}
	return nil
}

// Whole is the run-wide track of a series, or nil.
func (s *Snapshot) Whole(id SeriesID) *Track { return s.Track(id, AllSources, 0) }

// Of is every track of a series but the run-wide one.
func (s *Snapshot) Of(id SeriesID) []Track {
	lo := sort.Search(len(s.Tracks), func(i int) bool { return s.Tracks[i].Series >= id })
	hi := sort.Search(len(s.Tracks), func(i int) bool {
		t := &s.Tracks[i]
		return t.Series > id || t.Series == id && t.Source == AllSources
	})
	return s.Tracks[lo:max(lo, hi)]
}

// GPU finds a GPU's track of a series by the GPU's key, or nil.
func (s *Snapshot) GPU(id SeriesID, key uint64) *Track {
	for i, of := 0, s.Of(id); i < len(of); i++ {
		if of[i].Key == key {
			return &of[i]
		}
	}
	return nil
}

// RunInfo is what is known about the run beside its series.
type RunInfo struct {
	ID, Label, Change string
	Facts             map[string]string // what sources said about themselves (tool, target, model, driver)
	Meta              map[string]string // what the user declared
	Config            map[string]Setting
	Thresholds        Thresholds
}

// Setting is a configured or declared number: never a measurement.
type Setting struct {
	Value float64
	From  string // where it was said: "vllm start-up line", "--max-batch"
}

// Configured is a setting's value, NaN if nobody said it. Names: max_batch,
// batch_wait_s, slots, kv_tokens, client_timeout_s, target_concurrency,
// client_connections, rate_rps.
func (r *RunInfo) Configured(name string) float64 {
	if s, ok := r.Config[name]; ok {
		return s.Value
	}
	return math.NaN()
}

// SourceInfo is one source as the screen shows it.
type SourceInfo struct {
	ID                                      SourceID
	Name                                    string // place as the user gave it, or what was found
	Kind                                    SourceKind
	Format, Label                           string
	State                                   SourceState
	Why                                     string // reason for the state, with the next step; "" if all is well
	Lines, Matched, Bytes, Dropped, Errored float64
	Rate                                    float64 // lines or polls a second, of the last ten; NaN before the first whole one
	LastSeen                                Instant // newest data, 0 if none
	Skew                                    float64 // smallest Seen − At of the last minute in seconds, NaN if unknown
	Period                                  time.Duration
	Samples                                 []Note // the newest lines that were not understood
}

// GPUInfo names a GPU.
type GPUInfo struct {
	Key        uint64
	Index      int
	UUID, Name string
}

// GPUInstanceShift is where, in the key of a MIG instance, the number of the
// instance begins, counted from 1; below it is the key of the whole GPU. A key
// without such a number is a whole GPU's.
const GPUInstanceShift = 16

// Instance is 0 for a whole GPU, else the number of its MIG device, from 1.
func (g GPUInfo) Instance() int { return int(g.Key >> GPUInstanceShift) }

// Parent is the key of the whole GPU.
func (g GPUInfo) Parent() uint64 { return g.Key & (1<<GPUInstanceShift - 1) }

// Label names the GPU, or the MIG device of one, as nvidia-smi does: 0, or 0/1.
func (g GPUInfo) Label() string {
	if n := g.Instance(); n != 0 {
		return strconv.Itoa(g.Index) + "/" + strconv.Itoa(n-1)
	}
	return strconv.Itoa(g.Index)
}

// ClientTotals counts requests over the whole run.
type ClientTotals struct {
	Known      bool // a load stream has told something
	Begun      uint64
	Done       uint64 // finished, whatever the outcome, cancelled ones included
	ByOutcome  map[SeriesID]uint64
	Unfinished uint64
	First      Instant // first begin or end
	LastEnd    Instant
	PeakFlight float64 // highest in-flight in event order, NaN if unknown
	MeanFlight float64 // area under in-flight ÷ time, NaN if unknown
	How        string  // exact, reconstructed, estimated, declared, "" if unknown
	Format     string
}

// Failed is every finished request that is neither ok nor cancelled.
func (c *ClientTotals) Failed() uint64 {
	return c.Done - c.ByOutcome[ClientOK] - c.ByOutcome[ClientCancelled]
}

// Quantiles summarizes a distribution; seconds, NaN where there is nothing.
type Quantiles struct {
	Mean, P50, P90, P95, P99, P999, Max float64
	N                                   uint64
}

// NoQuantiles is the summary of nothing.
func NoQuantiles() Quantiles {
	n := math.NaN()
	return Quantiles{n, n, n, n, n, n, n, 0}
}

// Fewest samples for a finite 95 % interval of P90, P95, P99 and P99.9
// (diagnosis.md §6.5): below them a percentile is greyed and is no evidence.
const (
	MinP90  = 39
	MinP95  = 90
	MinP99  = 441
	MinP999 = 4394
)

// LatencyView is the latency of the run, of the last 30 s, and over time.
type LatencyView struct {
	All, OK             Quantiles // of the run
	WindowAll, WindowOK Quantiles // of the last 30 s
	TTFT, TPOT          Quantiles // of the run
	WindowTTFT          Quantiles // of the last 30 s
	WindowTPOT          Quantiles
	Map                 Tier[LatencyBins] // 1 s buckets, good and failed together
	Coarse              Tier[LatencyBins] // 10 s buckets
}

// LatencyBinCount and LatencyBinsPerDecade shape the latency map: bin i holds
// latencies from 1 ms · 10^(i/8) up; the first and last also hold what is
// below and above.
const (
	LatencyBinCount      = 48
	LatencyBinsPerDecade = 8
)

// LatencyBins counts latencies of one bucket of time in log bins.
type LatencyBins [LatencyBinCount]uint16

// LatencyBin is the bin of a latency in seconds.
func LatencyBin(sec float64) int {
	if !(sec > 0.001) {
		return 0
	}
	return min(LatencyBinCount-1, int(math.Log10(sec/0.001)*LatencyBinsPerDecade))
}

// LatencyBinFloor is the least latency of a bin, in seconds.
func LatencyBinFloor(bin int) float64 {
	return 0.001 * math.Pow(10, float64(bin)/LatencyBinsPerDecade)
}

// Mark is a moment worth a tick on the time axis and a line in the event log.
type Mark struct {
	At    Instant
	Class string // timeout, reject, throttle, verdict, source, run, user, batch, queue, mark
	Text  string
	Bad   bool
}
