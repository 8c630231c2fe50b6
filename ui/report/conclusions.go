package report

import (
	"fmt"
	"math"

	"benchtop/model"
	"benchtop/model/compare"
)

// The grades of a conclusion.
const (
	trusted  = "trusted"
	doubtful = "doubtful"
	unknown  = "unknown"
)

// conclusions grades each thing that the run seems to say: one vague number of
// trust would help nobody.
func conclusions(s *model.Snapshot, row *compare.Row) Table {
	t := Table{Head: []string{"conclusion", "grade", "because"}}
	add := func(what, grade, why string) { t.Rows = append(t.Rows, []string{what, grade, why}) }
	bad := invalid(s)
	grade := func(what string, known bool, doubts ...string) {
		why := ""
		for _, d := range doubts {
			if d != "" {
				if why != "" {
					why += "; "
				}
				why += d
			}
		}
		switch {
		case !known:
			add(what, unknown, "not measured")
		case why != "":
			add(what, doubtful, why)
		default:
			add(what, trusted, "measured, and no check speaks against it")
		}
	}
	cold, short30 := "", ""
	if !row.Warm {
		cold = "warm-up was not seen to end"
	}
	if row.MeasuredS < 30 {
		short30 = fmt.Sprintf("only %.0f s measured", row.MeasuredS)
	}
	loss := ""
	if row.Failed > 0 {
		loss = fmt.Sprintf("%.0f requests failed: this is not the server's capacity", row.Failed)
	}
	grade("throughput", !math.IsNaN(row.Value(compare.Goodput)), bad, cold, short30, loss, raised(s, "unsteady"))
	tail := ""
	if s.Latency.OK.N < model.MinP99 {
		tail = fmt.Sprintf("n = %d, %d are needed", s.Latency.OK.N, model.MinP99)
	}
	grade("latency p99", s.Latency.OK.N > 0, bad, tail, raised(s, "bimodal"), raised(s, "co_risk"))
	how := ""
	if s.Client.How != "exact" && s.Client.How != "" {
		how = "in-flight is " + s.Client.How
	}
	grade("client concurrency", s.Client.Known && !math.IsNaN(s.Client.MeanFlight), how, raised(s, "little_mismatch"))
	grade("batch size", !math.IsNaN(row.Batch), batchDoubt(row))
	grade("clock and power", len(s.GPUs) > 0, raised(s, "source_stale"))
	switch v := &s.Verdict; {
	case v.ID == model.VerdictNotEnough:
		add("bottleneck", unknown, v.Title)
	case v.Confidence == "suspected":
		add("bottleneck: "+v.Title, doubtful, "suspected: it rests on something declared or not observed")
	case v.ID == "":
		add("bottleneck", unknown, "no verdict was reached")
	default:
		add("bottleneck: "+v.Title, trusted, "firm; still the next change to try, not the fix")
	}
	add("the same again", unknown, "one run says nothing about run-to-run noise: three of one configuration are needed (benchtop compare)")
	return t
}

func batchDoubt(row *compare.Row) string {
	if math.IsNaN(row.Value(compare.Batch)) {
		return "running requests stand for it: the server tells no batch of its own"
	}
	return ""
}

// invalid names a finding that makes the numbers useless.
func invalid(s *model.Snapshot) string {
	for i := range s.Findings {
		if f := &s.Findings[i]; f.Severity == model.SevInvalid && f.State == model.Raised {
			return f.Title
		}
	}
	return ""
}

// raised is a finding's title if it stands at the end, else "".
func raised(s *model.Snapshot, id string) string {
	for i := range s.Findings {
		if f := &s.Findings[i]; f.ID == id && f.State == model.Raised {
			return f.Title
		}
	}
	return ""
}

// limits is what the result can and can't answer.
func limits(s *model.Snapshot, row *compare.Row) []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if !math.IsNaN(row.Value(compare.Goodput)) {
		add("can answer: what this configuration did under this load, on this machine, at this time")
	}
	if s.Verdict.ID != model.VerdictNotEnough && s.Verdict.NextChange != "" {
		add("can answer: which one change to try next (%s)", s.Verdict.NextChange)
	}
	add("can't answer: whether another run would give the same (no repeats), or whether a change is better (benchtop compare)")
	if row.Failed > 0 {
		add("can't answer: the server's capacity, while requests were lost")
	}
	if len(s.GPUs) == 0 {
		add("can't answer: anything about the GPU; it was not read")
	}
	if s.Whole(model.ServerRunning) == nil && s.Whole(model.ServerBatch) == nil {
		add("can't answer: what happened inside the server; neither its log nor its metrics were read")
	}
	for i := range s.Findings {
		if f := &s.Findings[i]; f.State == model.Unknown && f.Needs != "" && len(out) < 12 {
			add("not looked at: %s, for want of %s", f.ID, f.Needs)
		}
	}
	if text := s.Run.Facts["recording"]; text != "" {
		add("recording %s", text)
	}
	return out
}
