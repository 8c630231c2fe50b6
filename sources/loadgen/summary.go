package loadgen

import (
	"encoding/json"
	"math"
	"strconv"
)

// Num is a number of a summary; NaN, which nobody measured, is null in JSON.
type Num float64

// MarshalJSON implements json.Marshaler.
func (n Num) MarshalJSON() ([]byte, error) {
	f := float64(n)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return []byte("null"), nil
	}
	f = math.Round(f*1e9) / 1e9 // below a nanosecond there is only rounding
	return strconv.AppendFloat(nil, f, 'f', -1, 64), nil
}

// known reports whether somebody measured n.
func (n Num) known() bool { return !math.IsNaN(float64(n)) }

// noNum is what nobody measured.
func noNum() Num { return Num(math.NaN()) }

// Kinds counts failures by kind.
type Kinds struct {
	Timeout   Num `json:"timeout"`
	Rejected  Num `json:"rejected"`
	Reset     Num `json:"reset"`
	HTTPError Num `json:"http_error"`
	Other     Num `json:"other"`
}

// Quantiles describes a set of durations in milliseconds: nearest rank, exact.
type Quantiles struct {
	Mean Num `json:"mean"`
	P50  Num `json:"p50"`
	P90  Num `json:"p90"`
	P95  Num `json:"p95"`
	P99  Num `json:"p99"`
	P999 Num `json:"p999"`
	Max  Num `json:"max"`
	N    Num `json:"n"`
}

// Summary is what a whole stream says of its last run.
type Summary struct {
	Kind               string     `json:"kind"` // always "load"
	Format             string     `json:"format"`
	Requests           Num        `json:"requests"`
	OK                 Num        `json:"ok"`
	Failed             Num        `json:"failed"`
	ByKind             Kinds      `json:"by_kind"`
	LatencyMS          Quantiles  `json:"latency_ms"`
	LatencyOKMS        Quantiles  `json:"latency_ok_ms"`
	TTFTMS             *Quantiles `json:"ttft_ms"`
	OutputTokens       Num        `json:"output_tokens"`
	PeakConcurrency    Num        `json:"peak_concurrency"`
	AverageConcurrency Num        `json:"average_concurrency"`
	Unfinished         Num        `json:"unfinished"`
	DurationS          Num        `json:"duration_s"`
	RateRPS            Num        `json:"rate_rps"`
	Malformed          Num        `json:"malformed"`

	Confidence float64 `json:"-"` // how sure the format is, 0..1
	Lines      int     `json:"-"` // read
	Matched    int     `json:"-"` // understood
	Noise      int     `json:"-"` // records told twice
	Runs       int     `json:"-"` // in the stream; the figures are of the last
	Part       string  `json:"-"` // it is no report of the run: "bar" or "failures"; "" if it is one
}

// Line is the summary as probe prints it: {"summary":{…}}.
func (s *Summary) Line() ([]byte, error) {
	return json.Marshal(struct {
		Summary *Summary `json:"summary"`
	}{s})
}

func unknownQuantiles() Quantiles {
	return Quantiles{noNum(), noNum(), noNum(), noNum(), noNum(), noNum(), noNum(), noNum()}
}

// newSummary is a summary that says nothing.
func newSummary() *Summary {
	return &Summary{
		Kind: "load", Requests: noNum(), OK: noNum(), Failed: noNum(),
		ByKind:    Kinds{noNum(), noNum(), noNum(), noNum(), noNum()},
		LatencyMS: unknownQuantiles(), LatencyOKMS: unknownQuantiles(),
		OutputTokens: noNum(), PeakConcurrency: noNum(), AverageConcurrency: noNum(),
		Unfinished: noNum(), DurationS: noNum(), RateRPS: noNum(), Malformed: noNum(),
	}
}

// tells reports whether s says anything of a run.
func (s *Summary) tells() bool {
	for _, n := range [...]Num{s.Requests, s.OK, s.Failed, s.ByKind.Timeout, s.ByKind.Reset, s.ByKind.Rejected, s.LatencyMS.Mean} {
		if n.known() {
			return true
		}
	}
	return false
}

// fill takes from r what s doesn't know.
func (s *Summary) fill(r *Summary) {
	for _, p := range [...]struct{ to, from *Num }{
		{&s.Requests, &r.Requests},
		{&s.OK, &r.OK},
		{&s.Failed, &r.Failed},
		{&s.OutputTokens, &r.OutputTokens},
		{&s.PeakConcurrency, &r.PeakConcurrency},
		{&s.AverageConcurrency, &r.AverageConcurrency},
		{&s.Unfinished, &r.Unfinished},
		{&s.DurationS, &r.DurationS},
		{&s.RateRPS, &r.RateRPS},
		{&s.ByKind.Timeout, &r.ByKind.Timeout},
		{&s.ByKind.Rejected, &r.ByKind.Rejected},
		{&s.ByKind.Reset, &r.ByKind.Reset},
		{&s.ByKind.HTTPError, &r.ByKind.HTTPError},
		{&s.ByKind.Other, &r.ByKind.Other},
	} {
		if !p.to.known() {
			*p.to = *p.from
		}
	}
	if !s.LatencyMS.Mean.known() && !s.LatencyMS.P50.known() {
		s.LatencyMS = r.LatencyMS
	}
	if !s.LatencyOKMS.Mean.known() && !s.LatencyOKMS.P50.known() {
		s.LatencyOKMS = r.LatencyOKMS
	}
	if s.TTFTMS == nil {
		s.TTFTMS = r.TTFTMS
	}
}
