package store

import (
	"encoding/json"
	"math"
	"strings"

	"benchtop/model"
)

// report is what one output of a load generator said of its whole run.
type report struct {
	model.ClientReport
	party uint64 // the generator, where several outputs are of one; 0: of the source alone
	part  bool   // it is no report of the run: a list of failures
}

// reportLine is a report as the load sources print it.
type reportLine struct {
	Summary struct {
		Format               string
		Requests, OK, Failed *float64
		ByKind               map[string]*float64 `json:"by_kind"`
		LatencyMS            reportTimes         `json:"latency_ms"`
		LatencyOKMS          reportTimes         `json:"latency_ok_ms"`
		TTFTMS               reportTimes         `json:"ttft_ms"`
		Peak                 *float64            `json:"peak_concurrency"`
		Mean                 *float64            `json:"average_concurrency"`
		Duration             *float64            `json:"duration_s"`
		Rate                 *float64            `json:"rate_rps"`
		OutputTokens         *float64            `json:"output_tokens"`
	}
}

type reportTimes map[string]*float64

func (m reportTimes) times() model.ReportedTimes {
	ms := func(k string) float64 { return stated(m[k]) / 1e3 }
	return model.ReportedTimes{
		Mean: ms("mean"), P50: ms("p50"), P90: ms("p90"), P95: ms("p95"),
		P99: ms("p99"), P999: ms("p999"), Max: ms("max"), N: stated(m["n"]),
	}
}

func stated(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}

// reported takes the fact in which a load source says what its generator said:
// "reported", "reported_bar" or "reported_failures".
func (s *Store) reported(n *model.Note) {
	kind, ok := strings.CutPrefix(n.Name, "reported")
	if !ok || kind != "" && kind[0] != '_' {
		return
	}
	var line reportLine
	if json.Unmarshal([]byte(n.Text), &line) != nil {
		return // an older recording's
	}
	in := &line.Summary
	r := report{ClientReport: model.NoReport(), part: kind == "_failures"}
	r.Format, r.Bar, r.At, r.Generators = in.Format, kind == "_bar", n.Seen, 1
	r.Requests, r.OK, r.Failed = stated(in.Requests), stated(in.OK), stated(in.Failed)
	r.Timeouts, r.Rejected, r.Reset = stated(in.ByKind["timeout"]), stated(in.ByKind["rejected"]), stated(in.ByKind["reset"])
	r.HTTPError, r.Other = stated(in.ByKind["http_error"]), stated(in.ByKind["other"])
	r.Latency, r.LatencyOK, r.TTFT = in.LatencyMS.times(), in.LatencyOKMS.times(), in.TTFTMS.times()
	if r.Peak, r.Mean, r.Duration = stated(in.Peak), stated(in.Mean), stated(in.Duration); !(r.Duration > 0) {
		r.Duration = math.NaN()
	}
	r.Rate, r.OutputTokens = stated(in.Rate), stated(in.OutputTokens)
	s.source(n.Source).report = &r
	s.sum = s.reports()
}

// better reports whether a says more of a run than b: a report more than a bar,
// a bar more than a list of failures, and more requests more than fewer.
func (r *report) better(b *report) bool {
	class := func(r *report) int {
		switch {
		case r.part:
			return 0
		case r.Bar:
			return 1
		case !(r.Requests >= 0):
			return 2
		}
		return 3
	}
	if x, y := class(r), class(b); x != y {
		return x > y
	}
	return r.Requests > b.Requests
}

// reports adds up what the generators said: of one generator's outputs the
// fullest, filled up by the others; nil if none said anything.
func (s *Store) reports() *model.ClientReport {
	var best []*report
	for _, src := range s.inOrder() {
		r := src.report
		if r == nil {
			continue
		}
		r.party = src.party
		found := false
		for i, b := range best {
			if b.party != r.party || r.party == 0 {
				continue
			}
			found = true
			if r.better(b) {
				b, r = r, b
			}
			merged := *b
			merged.fill(&r.ClientReport)
			best[i] = &merged
		}
		if !found {
			best = append(best, r)
		}
	}
	if len(best) == 0 {
		return nil
	}
	sum := best[0].ClientReport
	for _, r := range best[1:] {
		add(&sum, &r.ClientReport)
	}
	return &sum
}

// fields are the plain numbers of a report.
func fields(r *model.ClientReport) [13]*float64 {
	return [...]*float64{
		&r.Requests, &r.OK, &r.Failed, &r.Timeouts, &r.Rejected, &r.Reset, &r.HTTPError, &r.Other,
		&r.Peak, &r.Mean, &r.Rate, &r.OutputTokens, &r.Duration,
	}
}

// fill takes from o what r doesn't know.
func (r *report) fill(o *model.ClientReport) {
	to, from := fields(&r.ClientReport), fields(o)
	for i := range to {
		if math.IsNaN(*to[i]) {
			*to[i] = *from[i]
		}
	}
	for _, t := range [...]struct{ to, from *model.ReportedTimes }{
		{&r.Latency, &o.Latency}, {&r.LatencyOK, &o.LatencyOK}, {&r.TTFT, &o.TTFT},
	} {
		if !t.to.Known() {
			*t.to = *t.from
		}
	}
	r.At = max(r.At, o.At)
}

// add makes a the sum of two generators' runs beside each other. What one of
// them doesn't tell the sum can't; percentiles don't add.
func add(a, b *model.ClientReport) {
	na, nb := a.Requests, b.Requests
	to, from := fields(a), fields(b)
	for i := range to {
		if i == len(to)-1 {
			*to[i] = math.Max(*to[i], *from[i]) // they ran beside each other
			continue
		}
		*to[i] += *from[i]
	}
	for _, t := range [...]struct{ to, from *model.ReportedTimes }{
		{&a.Latency, &b.Latency}, {&a.LatencyOK, &b.LatencyOK}, {&a.TTFT, &b.TTFT},
	} {
		nan := math.NaN()
		*t.to = model.ReportedTimes{
			Mean: (t.to.Mean*na + t.from.Mean*nb) / (na + nb), P50: nan, P90: nan, P95: nan, P99: nan, P999: nan,
			Max: math.Max(t.to.Max, t.from.Max), N: t.to.N + t.from.N,
		}
	}
	a.At, a.Bar = max(a.At, b.At), a.Bar || b.Bar
	a.Generators += b.Generators
	if a.Format != b.Format {
		a.Format = ""
	}
}
