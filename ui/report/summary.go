package report

import (
	"encoding/json"
	"io"
	"math"
	"strconv"
	"time"

	"benchtop/model"
)

// Num is a number in JSON; NaN and infinities are null.
type Num float64

// MarshalJSON writes at most six decimals.
func (n Num) MarshalJSON() ([]byte, error) {
	v := float64(n)
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, math.Round(v*1e6)/1e6, 'f', -1, 64), nil
}

var absent = Num(math.NaN())

// Summary is the schema benchtop/summary/v1.
type Summary struct {
	Schema   string         `json:"schema"`
	Run      RunPart        `json:"run"`
	Verdict  VerdictPart    `json:"verdict"`
	Findings []FindingPart  `json:"findings"`
	Client   ClientPart     `json:"client"`
	Server   []ServerPart   `json:"server"`
	GPUs     []GPUPart      `json:"gpus"`
	Host     map[string]Num `json:"host"`
	Sources  []SourcePart   `json:"sources"`
	Clean    *CleanPart     `json:"clean"`
	Goal     *GoalPart      `json:"goal"`
	Ledger   *LedgerPart    `json:"ledger"`
}

// RunPart says which run this is.
type RunPart struct {
	ID        *string           `json:"id"`
	Label     *string           `json:"label"`
	Change    *string           `json:"change"`
	Started   *string           `json:"started"`
	Ended     *string           `json:"ended"`
	DurationS Num               `json:"duration_s"`
	MeasuredS Num               `json:"measured_s"`
	CleanS    Num               `json:"clean_s"`
	Meta      map[string]string `json:"meta"`
}

// EvidencePart is one number behind a finding.
type EvidencePart struct {
	Series    string `json:"series"`
	WindowS   Num    `json:"window_s"`
	Value     Num    `json:"value"`
	Unit      string `json:"unit"`
	Threshold Num    `json:"threshold"`
	Text      string `json:"text"`
}

// VerdictPart is the one claim about cause.
type VerdictPart struct {
	ID           string         `json:"id"`
	Reason       *string        `json:"reason"`
	Severity     string         `json:"severity"`
	Confidence   string         `json:"confidence"`
	Title        string         `json:"title"`
	Text         string         `json:"text"`
	Evidence     []EvidencePart `json:"evidence"`
	DoesNotProve string         `json:"does_not_prove"`
	NextChange   string         `json:"next_change"`
	SettledBy    string         `json:"settled_by"`
	Failures     *string        `json:"failures"`
	RunnerUp     *string        `json:"runner_up"`
	NotObserved  []string       `json:"not_observed"`
}

// FindingPart is a fact about the run.
type FindingPart struct {
	VerdictPart
	SinceS Num  `json:"since_s"`
	UntilS Num  `json:"until_s"`
	Active bool `json:"active"`
}

// KindsPart counts failures by kind.
type KindsPart struct {
	Timeout   Num `json:"timeout"`
	Rejected  Num `json:"rejected"`
	Reset     Num `json:"reset"`
	HTTPError Num `json:"http_error"`
	Other     Num `json:"other"`
}

// LatencyPart is a distribution in milliseconds.
type LatencyPart struct {
	Mean Num    `json:"mean"`
	P50  Num    `json:"p50"`
	P90  Num    `json:"p90"`
	P95  Num    `json:"p95"`
	P99  Num    `json:"p99"`
	P999 Num    `json:"p999"`
	Max  Num    `json:"max"`
	N    uint64 `json:"n"`
}

// ConcurrencyPart is the client's in-flight.
type ConcurrencyPart struct {
	Target Num     `json:"target"`
	Mean   Num     `json:"mean"`
	Peak   Num     `json:"peak"`
	How    *string `json:"how"`
}

// ClientPart is the load generator's side.
type ClientPart struct {
	Format      *string         `json:"format"`
	Requests    Num             `json:"requests"`
	OK          Num             `json:"ok"`
	Failed      Num             `json:"failed"`
	ByKind      KindsPart       `json:"by_kind"`
	Unfinished  Num             `json:"unfinished"`
	LatencyMS   *LatencyPart    `json:"latency_ms"`
	LatencyOKMS *LatencyPart    `json:"latency_ok_ms"`
	TTFTMS      *LatencyPart    `json:"ttft_ms"`
	ITLMS       *LatencyPart    `json:"itl_ms"`
	Concurrency ConcurrencyPart `json:"concurrency"`
	RateRPS     Num             `json:"rate_rps"`
	GoodputRPS  Num             `json:"goodput_rps"`
	OutputTPS   Num             `json:"output_tps"`
}

// SourcePart is one source's own account.
type SourcePart struct {
	Name      string  `json:"name"`
	Kind      string  `json:"kind"`
	Format    *string `json:"format"`
	State     string  `json:"state"`
	Lines     Num     `json:"lines"`
	Matched   Num     `json:"matched"`
	Bytes     Num     `json:"bytes"`
	Dropped   Num     `json:"dropped"`
	Errors    Num     `json:"errors"`
	LastSeenS Num     `json:"last_seen_s"`
	SkewS     Num     `json:"skew_s"`
}

// Summarize reads a snapshot, best the final one.
func Summarize(s *model.Snapshot) Summary {
	out := Summary{
		Schema: "benchtop/summary/v1", Run: runPart(s), Verdict: verdictPart(&s.Verdict, s.Runner),
		Findings: []FindingPart{}, Client: clientPart(s), Server: serverParts(s), GPUs: gpuParts(s),
		Host: hostPart(s), Sources: []SourcePart{}, Clean: cleanPart(s), Goal: goalPart(s), Ledger: ledgerPart(s),
	}
	for i := range s.Findings {
		f := &s.Findings[i]
		if f.RaisedAt == 0 {
			continue
		}
		p := FindingPart{VerdictPart: findingPart(f), SinceS: Num(f.RaisedAt.Seconds(s.Start)), UntilS: absent, Active: f.State == model.Raised}
		if f.ClearedAt != 0 {
			p.UntilS = Num(f.ClearedAt.Seconds(s.Start))
		}
		out.Findings = append(out.Findings, p)
	}
	for i := range s.Sources {
		out.Sources = append(out.Sources, sourcePart(&s.Sources[i], s))
	}
	return out
}

// WriteSummary prints the summary as indented JSON.
func WriteSummary(w io.Writer, s *model.Snapshot) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(Summarize(s))
}

func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func stamp(t model.Instant) *string {
	if t == 0 {
		return nil
	}
	return text(t.Time().UTC().Format(time.RFC3339Nano))
}

func runPart(s *model.Snapshot) RunPart {
	r := RunPart{
		ID: text(s.Run.ID), Label: text(s.Run.Label), Change: text(s.Run.Change),
		Started: stamp(s.Start), Ended: stamp(s.Now), DurationS: absent, MeasuredS: absent, CleanS: absent,
		Meta: s.Run.Meta,
	}
	if r.Meta == nil {
		r.Meta = map[string]string{}
	}
	if s.Start != 0 && s.Now >= s.Start {
		r.DurationS = Num(s.Now.Seconds(s.Start))
		if s.Signals != nil && s.Signals.Load.Warm {
			r.MeasuredS = Num(s.Now.Seconds(s.Signals.Load.WarmAt))
		}
		if s.Clean.Known {
			r.MeasuredS, r.CleanS = Num(s.Clean.Measured.Seconds), Num(s.Clean.Clean.Seconds)
		}
	}
	return r
}

func evidenceParts(es []model.Evidence) []EvidencePart {
	out := make([]EvidencePart, 0, len(es))
	for _, e := range es {
		out = append(out, EvidencePart{e.Series, Num(e.WindowS), Num(e.Value), e.Unit, Num(e.Threshold), e.Text})
	}
	return out
}

func findingPart(f *model.Finding) VerdictPart {
	confidence := "firm"
	if f.Suspected {
		confidence = "suspected"
	}
	return VerdictPart{
		ID: f.ID, Severity: f.Severity.String(), Confidence: confidence, Title: f.Title, Text: f.Text,
		Evidence: evidenceParts(f.Evidence), DoesNotProve: f.DoesNotProve, NextChange: f.NextChange,
		SettledBy: f.SettledBy, NotObserved: []string{},
	}
}

func verdictPart(v *model.Verdict, runner string) VerdictPart {
	p := findingPart(&v.Finding)
	if v.Confidence != "" {
		p.Confidence = v.Confidence
	}
	p.Reason, p.Failures, p.RunnerUp = text(v.Reason), text(v.Failures), text(runner)
	if len(v.NotSeen) > 0 {
		p.NotObserved = v.NotSeen
	}
	return p
}

func latencyPart(q model.Quantiles) *LatencyPart {
	if q.N == 0 {
		return nil
	}
	return &LatencyPart{Num(q.Mean * 1e3), Num(q.P50 * 1e3), Num(q.P90 * 1e3), Num(q.P95 * 1e3), Num(q.P99 * 1e3), Num(q.P999 * 1e3), Num(q.Max * 1e3), q.N}
}

func clientPart(s *model.Snapshot) ClientPart {
	c := &s.Client
	p := ClientPart{
		Format: text(c.Format), Requests: absent, OK: absent, Failed: absent, Unfinished: absent,
		ByKind:      KindsPart{absent, absent, absent, absent, absent},
		Concurrency: ConcurrencyPart{Target: absent, Mean: Num(c.MeanFlight), Peak: Num(c.PeakFlight), How: text(c.How)},
		RateRPS:     absent, GoodputRPS: absent, OutputTPS: absent,
	}
	if s.Signals != nil {
		p.Concurrency.Target = Num(s.Signals.Client.Target)
	}
	if math.IsNaN(float64(p.Concurrency.Target)) {
		p.Concurrency.Target = Num(s.Run.Configured("target_concurrency"))
	}
	if !c.Known {
		fillReported(&p, s)
		return p
	}
	by := func(ids ...model.SeriesID) Num {
		n := uint64(0)
		for _, id := range ids {
			n += c.ByOutcome[id]
		}
		return Num(n)
	}
	p.Requests, p.OK = Num(c.Done), by(model.ClientOK)
	p.Failed = p.Requests - p.OK // withdrawn ones are in by_kind.other, as probe counts them
	p.Unfinished = Num(c.Unfinished)
	p.ByKind = KindsPart{by(model.ClientTimeout), by(model.ClientRejected), by(model.ClientReset), by(model.ClientHTTPError), by(model.ClientOther, model.ClientCancelled)}
	hideBlind(&p, s)
	p.LatencyMS, p.LatencyOKMS = latencyPart(s.Latency.All), latencyPart(s.Latency.OK)
	p.TTFTMS, p.ITLMS = latencyPart(s.Latency.TTFT), latencyPart(s.Latency.TPOT)
	if span := c.LastEnd.Seconds(c.First); span > 0 {
		p.RateRPS, p.GoodputRPS = Num(float64(c.Done)/span), Num(float64(c.ByOutcome[model.ClientOK])/span)
		if k := s.Clean.All.Kept; k > 0 || s.Goal.Measured { // a limit was declared: good is what keeps it
			p.GoodputRPS = Num(k)
		}
		if t := s.Whole(model.ClientOutputTokens); t != nil && t.N > 0 {
			p.OutputTPS = Num(t.Sum / span)
		}
	}
	return p
}

func sourcePart(i *model.SourceInfo, s *model.Snapshot) SourcePart {
	p := SourcePart{
		Name: i.Name, Kind: i.Kind.String(), Format: text(i.Format), State: i.State.String(),
		Lines: Num(i.Lines), Matched: Num(i.Matched), Bytes: Num(i.Bytes), Dropped: Num(i.Dropped), Errors: Num(i.Errored),
		LastSeenS: absent, SkewS: Num(i.Skew),
	}
	if i.LastSeen != 0 {
		p.LastSeenS = Num(max(0, s.Now.Seconds(i.LastSeen)))
	}
	return p
}
