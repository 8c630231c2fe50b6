package loadgen

import (
	"cmp"
	"math"
	"slices"

	"benchtop/model"
)

// Tally computes the exact statistics of a stream's last run from its Records.
// It keeps every latency, so it is for whole files, not for live ones.
type Tally struct {
	format *Format
	runs   int // begun before this one
	runTally
}

// runTally is one run.
type runTally struct {
	all, good, ttft []float64 // seconds
	counts          [outcomeCount]int
	requests        int
	records         int
	output          float64 // tokens
	outputs         int     // requests that told them
	spans           []interval
	starts, noise   int
	nameless        bool
	ids             map[uint64]endState
	open, peak      int
	seqs            map[uint64]model.Instant // number → start
	minSeq, maxSeq  uint64
	lastStart       model.Instant
	last            model.Instant
	lines           bool    // the records are lines in time, not only ends
	elapsed, area   float64 // seconds; request seconds
	report          *Summary
}

// interval is a request's time, and what to take off each end of it before
// concurrency is counted.
type interval struct{ from, to, cut model.Instant }

// endState is an id's: when it began, and whether it ended.
type endState struct {
	start, first model.Instant
	ended        bool
}

// NewTally makes an empty tally of a stream in format f.
func NewTally(f *Format) *Tally { return &Tally{format: f} }

func (t *Tally) startOver() {
	t.runTally = runTally{noise: t.noise}
	t.runs++
}

// Add counts one record. It returns false if the record was told before.
func (t *Tally) Add(r *Record) bool {
	r.settle()
	if r.Kind == KindRun && t.records > 0 || r.Kind == KindEnd && r.HasSeq && t.isNewRun(r) {
		t.startOver()
	}
	t.records++
	t.clock(r)
	told := true
	switch r.Kind {
	case KindBegin:
		told = t.begun(r)
	case KindFirst:
		if o, ok := t.ids[r.Key]; ok && !o.ended && o.first == 0 {
			o.first = r.At
			t.ids[r.Key] = o
		}
	case KindEnd:
		told = t.ended(r)
	case KindSummary:
		if r.Report != nil {
			t.report = r.Report
		}
	}
	if !told {
		t.noise++
	}
	return told
}

// clock adds the time since the last line: the order is the file's, and a
// clock that steps back adds nothing.
func (t *Tally) clock(r *Record) {
	switch r.Kind {
	case KindBegin, KindFirst:
		t.lines = true
	case KindRun:
		t.lines = t.lines || !r.Implied
	}
	if r.At == 0 {
		return
	}
	if step := r.At.Seconds(t.last); t.last != 0 && step > 0 {
		t.elapsed += step
		t.area += step * float64(t.open)
	}
	t.last = r.At
}

func (t *Tally) begun(r *Record) bool {
	t.nameless = t.nameless || r.Key == 0
	if r.Key != 0 {
		if t.ids == nil {
			t.ids = make(map[uint64]endState)
		}
		if _, ok := t.ids[r.Key]; ok {
			return false
		}
		t.ids[r.Key] = endState{start: r.At}
	}
	t.starts++
	t.open++
	t.peak = max(t.peak, t.open)
	return true
}

func (t *Tally) ended(r *Record) bool {
	lat, ttft := r.Latency, r.TTFT
	switch {
	case r.HasSeq:
		if _, ok := t.seqs[r.Seq]; ok {
			return false
		}
		if t.seqs == nil {
			t.seqs = make(map[uint64]model.Instant)
			t.minSeq = r.Seq
		}
		t.minSeq = min(t.minSeq, r.Seq)
		t.seqs[r.Seq] = r.Start
		t.maxSeq = max(t.maxSeq, r.Seq)
		t.lastStart = max(t.lastStart, r.Start)
	case r.Key != 0:
		o, known := t.ids[r.Key]
		if known && o.ended {
			return false
		}
		if known {
			t.open--
			lat = latency(r, o.start)
			ttft = timeToFirst(r, openRequest{start: o.start, first: o.first})
		}
		if t.ids == nil {
			t.ids = make(map[uint64]endState)
		}
		t.ids[r.Key] = endState{ended: true}
	case t.starts > 0 && t.open > 0:
		t.open--
	}
	t.finish(r, lat, ttft)
	return true
}

func (t *Tally) finish(r *Record, lat, ttft float64) {
	t.requests++
	t.counts[r.Outcome]++
	if lat >= 0 {
		t.all = append(t.all, lat)
		if r.Outcome == OK {
			t.good = append(t.good, lat)
		}
	}
	if ttft >= 0 {
		t.ttft = append(t.ttft, ttft)
	}
	if r.Output >= 0 {
		t.output += r.Output
		t.outputs++
	}
	if start := r.begun(); start != 0 && r.At >= start && !r.NoHorizon {
		t.spans = append(t.spans, interval{start, r.At, r.Shrink})
	}
}

// isNewRun reports whether a numbered record can't be of the run so far: its
// number was told with another start, or it began after a higher one.
func (t *Tally) isNewRun(r *Record) bool {
	if len(t.seqs) == 0 || r.Seq > t.maxSeq {
		return false
	}
	start, again := t.seqs[r.Seq]
	return again && start != r.Start || r.Start > t.lastStart+clockSlack
}

// Summary is what the records say so far.
func (t *Tally) Summary() *Summary {
	s := newSummary()
	if t.format != nil {
		s.Format = t.format.Name
	}
	if t.requests > 0 || t.starts > 0 || t.report == nil && t.lines {
		t.count(s)
		t.load(s)
	}
	if t.report != nil {
		s.fill(t.report)
	}
	s.Noise, s.Runs = t.noise, t.runs+1
	return s
}

func (t *Tally) count(s *Summary) {
	s.Requests = Num(t.requests)
	s.LatencyMS, s.LatencyOKMS = quantiles(t.all), quantiles(t.good)
	if len(t.ttft) > 0 {
		q := quantiles(t.ttft)
		s.TTFTMS = &q
	}
	if t.outputs > 0 {
		s.OutputTokens = Num(t.output)
	}
	if t.counts[NoOutcome] > 0 {
		return
	}
	s.OK = Num(t.counts[OK])
	if t.format != nil && t.format.GoodOnly {
		return
	}
	s.Failed = Num(t.requests - t.counts[OK])
	s.ByKind = Kinds{
		Timeout: Num(t.counts[Timeout]), Rejected: Num(t.counts[Rejected]), Reset: Num(t.counts[ConnReset]),
		HTTPError: Num(t.counts[HTTPError]), Other: Num(t.counts[Other] + t.counts[Cancelled]),
	}
	if t.format == nil {
		return
	}
	for _, o := range t.format.Blind {
		switch o {
		case Timeout:
			s.ByKind.Timeout = noNum()
		case Rejected:
			s.ByKind.Rejected = noNum()
		case ConnReset:
			s.ByKind.Reset = noNum()
		case HTTPError:
			s.ByKind.HTTPError = noNum()
		case Other:
			s.ByKind.Other = noNum()
		}
	}
}

// load is concurrency, duration and rate.
func (t *Tally) load(s *Summary) {
	switch {
	case t.starts > 0:
		s.Unfinished = Num(t.open)
		if !t.nameless {
			s.PeakConcurrency = Num(t.peak)
			s.AverageConcurrency = Num(t.area / t.elapsed)
		}
	default:
		t.sweep(s)
		if len(t.seqs) > 0 && t.maxSeq < 1<<32 {
			s.Unfinished = Num(t.maxSeq - t.minSeq + 1 - uint64(len(t.seqs)))
			if head := Num(t.minSeq); head <= s.PeakConcurrency { // more can't have been in flight: the file's head is missing
				s.Unfinished += head
			}
		}
	}
	if t.lines && t.last != 0 {
		s.DurationS = Num(t.elapsed)
	}
	if s.DurationS > 0 {
		s.RateRPS = s.Requests / s.DurationS
	}
}

// sweep counts concurrency over half-open intervals, ends before starts.
func (t *Tally) sweep(s *Summary) {
	if len(t.spans) == 0 {
		return
	}
	type edge struct {
		at model.Instant
		by int
	}
	edges := make([]edge, 0, 2*len(t.spans))
	from, to, held := t.spans[0].from, t.spans[0].to, 0.0
	for _, i := range t.spans {
		from, to = min(from, i.from), max(to, i.to)
		held += i.to.Seconds(i.from)
		if i.from+i.cut < i.to-i.cut {
			edges = append(edges, edge{i.from + i.cut, 1}, edge{i.to - i.cut, -1})
		}
	}
	slices.SortFunc(edges, func(a, b edge) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.by, b.by))
	})
	now, peak := 0, 0
	for _, e := range edges {
		now += e.by
		peak = max(peak, now)
	}
	s.PeakConcurrency = Num(peak)
	s.DurationS = Num(to.Seconds(from))
	s.AverageConcurrency = Num(held / to.Seconds(from))
}

// quantiles sorts seconds in place and describes them in milliseconds.
func quantiles(seconds []float64) Quantiles {
	n := len(seconds)
	if n == 0 {
		q := unknownQuantiles()
		q.N = 0
		return q
	}
	slices.Sort(seconds)
	sum := 0.0
	for _, v := range seconds {
		sum += v
	}
	rank := func(p float64) Num {
		i := int(math.Ceil(p*float64(n)/1000 - 1e-9))
		return Num(seconds[min(max(i, 1), n)-1] * 1e3)
	}
	return Quantiles{
		Mean: Num(sum / float64(n) * 1e3), P50: rank(500), P90: rank(900), P95: rank(950),
		P99: rank(990), P999: rank(999), Max: Num(seconds[n-1] * 1e3), N: Num(n),
	}
}
