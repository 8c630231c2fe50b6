package report

import (
	"math"
	"strings"

	"benchtop/model"
)

// fillReported takes the client's figures from the generators' own report,
// where no request was told while they ran.
func fillReported(p *ClientPart, s *model.Snapshot) {
	r := s.Reported
	if r == nil {
		return
	}
	if r.Format != "" {
		p.Format = text(r.Format)
	}
	p.Requests, p.OK, p.Failed, p.RateRPS = Num(r.Requests), Num(r.OK), Num(r.Failed), Num(r.Rate)
	p.ByKind = KindsPart{Num(r.Timeouts), Num(r.Rejected), Num(r.Reset), Num(r.HTTPError), Num(r.Other)}
	p.LatencyMS, p.LatencyOKMS, p.TTFTMS = reportedLatency(&r.Latency), reportedLatency(&r.LatencyOK), reportedLatency(&r.TTFT)
	if mean := r.InFlight(); known(r.Peak) || known(mean) { // as it says, or by Little's law
		p.Concurrency.Mean, p.Concurrency.Peak = Num(mean), Num(r.Peak)
		p.Concurrency.How = text("estimated")
	}
	if r.Duration > 0 {
		p.GoodputRPS, p.OutputTPS = Num(r.OK/r.Duration), Num(r.OutputTokens/r.Duration)
	}
}

func known(v float64) bool { return !math.IsNaN(v) }

func reportedLatency(t *model.ReportedTimes) *LatencyPart {
	if !t.Known() && !known(t.P90) && !known(t.P95) && !known(t.P99) && !known(t.Max) {
		return nil
	}
	ms := func(v float64) Num { return Num(v * 1e3) }
	l := &LatencyPart{Mean: ms(t.Mean), P50: ms(t.P50), P90: ms(t.P90), P95: ms(t.P95), P99: ms(t.P99), P999: ms(t.P999), Max: ms(t.Max)}
	if t.N > 0 {
		l.N = uint64(t.N)
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
