package report

import (
	"encoding/json"
	"math"
	"strings"

	"benchtop/model"
)

// reported is what a load generator itself said of its run at its end, as the
// load sources keep it (fact "reported").
type reported struct {
	Requests           *float64
	OK                 *float64
	Failed             *float64
	ByKind             map[string]*float64 `json:"by_kind"`
	LatencyMS          map[string]*float64 `json:"latency_ms"`
	LatencyOKMS        map[string]*float64 `json:"latency_ok_ms"`
	TTFTMS             map[string]*float64 `json:"ttft_ms"`
	PeakConcurrency    *float64            `json:"peak_concurrency"`
	AverageConcurrency *float64            `json:"average_concurrency"`
	DurationS          *float64            `json:"duration_s"`
	RateRPS            *float64            `json:"rate_rps"`
	OutputTokens       *float64            `json:"output_tokens"`
}

// reportOf is the tool's own report; ok is false if there is none.
func reportOf(s *model.Snapshot) (r reported, ok bool) {
	text := s.Run.Facts["reported"]
	if text == "" { // a bar at least counted
		text = s.Run.Facts["reported_bar"]
	}
	if text == "" {
		return r, false
	}
	var line struct{ Summary *reported }
	if err := json.Unmarshal([]byte(text), &line); err != nil || line.Summary == nil {
		return r, false // an older recording's
	}
	return *line.Summary, true
}

func orAbsent(f *float64) Num {
	if f == nil {
		return absent
	}
	return Num(*f)
}

// fillReported takes the client's figures from the tool's own report, where no
// request was told while it ran.
func fillReported(p *ClientPart, s *model.Snapshot) {
	r, ok := reportOf(s)
	if !ok {
		return
	}
	p.Requests, p.OK, p.Failed, p.RateRPS = orAbsent(r.Requests), orAbsent(r.OK), orAbsent(r.Failed), orAbsent(r.RateRPS)
	k := func(name string) Num { return orAbsent(r.ByKind[name]) }
	p.ByKind = KindsPart{k("timeout"), k("rejected"), k("reset"), k("http_error"), k("other")}
	p.LatencyMS, p.LatencyOKMS, p.TTFTMS = reportedLatency(r.LatencyMS), reportedLatency(r.LatencyOKMS), reportedLatency(r.TTFTMS)
	if r.PeakConcurrency != nil || r.AverageConcurrency != nil {
		p.Concurrency.Mean, p.Concurrency.Peak = orAbsent(r.AverageConcurrency), orAbsent(r.PeakConcurrency)
		p.Concurrency.How = text("estimated")
	}
	if span := orAbsent(r.DurationS); span > 0 {
		p.GoodputRPS, p.OutputTPS = p.OK/span, orAbsent(r.OutputTokens)/span
	}
}

func reportedLatency(m map[string]*float64) *LatencyPart {
	known := false
	v := func(name string) Num {
		n := orAbsent(m[name])
		known = known || !math.IsNaN(float64(n))
		return n
	}
	l := &LatencyPart{Mean: v("mean"), P50: v("p50"), P90: v("p90"), P95: v("p95"), P99: v("p99"), P999: v("p999"), Max: v("max")}
	if !known {
		return nil
	}
	if n := m["n"]; n != nil && *n > 0 {
		l.N = uint64(*n)
	}
	return l
}

// hideBlind makes those kinds of failure unknown that the load stream's format
// doesn't tell apart: their count of 0 says nothing.
func hideBlind(p *ClientPart, s *model.Snapshot) {
	for kind := range strings.SplitSeq(s.Run.Facts["kinds_unknown"], ",") {
		switch kind {
		case "timeout":
			p.ByKind.Timeout = absent
		case "rejected":
			p.ByKind.Rejected = absent
		case "reset":
			p.ByKind.Reset = absent
		case "http_error":
			p.ByKind.HTTPError = absent
		case "other":
			p.ByKind.Other = absent
		}
	}
}
