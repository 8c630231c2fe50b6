package report

import (
	"fmt"

	"benchtop/model"
)

// CleanPart is the measured time, what was left out of it by which rule, and
// the results of both beside those of the whole run.
type CleanPart struct {
	MeasuredS Num               `json:"measured_s"`
	CleanS    Num               `json:"clean_s"`
	Excluded  []ExcludedPart    `json:"excluded"`
	ByCause   map[string]Num    `json:"excluded_s"`
	More      int               `json:"not_listed"`
	Results   []CleanResultPart `json:"results"`
}

// ExcludedPart is one excluded stretch, in seconds of the run.
type ExcludedPart struct {
	Cause string `json:"cause"`
	FromS Num    `json:"from_s"`
	ToS   Num    `json:"to_s"`
	Text  string `json:"text"`
}

// CleanResultPart are results over one set of seconds: clean, measured or all.
type CleanResultPart struct {
	Over        string       `json:"over"`
	Seconds     Num          `json:"seconds"`
	Requests    Num          `json:"requests"`
	OK          Num          `json:"ok"`
	RateRPS     Num          `json:"rate_rps"`
	OKRPS       Num          `json:"ok_rps"`
	OutputTPS   Num          `json:"output_tps"`
	LatencyOKMS *LatencyPart `json:"latency_ok_ms"`
}

func cleanResult(over string, f *model.Figures) CleanResultPart {
	return CleanResultPart{over, Num(f.Seconds), Num(f.Done), Num(f.OK), Num(f.X), Num(f.XOK), Num(f.OutputTPS), latencyPart(f.Latency)}
}

// cleanPart is null until the measured time has begun.
func cleanPart(s *model.Snapshot) *CleanPart {
	v := &s.Clean
	if !v.Known {
		return nil
	}
	p := &CleanPart{
		MeasuredS: Num(v.Measured.Seconds), CleanS: Num(v.Clean.Seconds), More: v.More,
		Excluded: []ExcludedPart{}, ByCause: map[string]Num{},
		Results: []CleanResultPart{cleanResult("clean", &v.Clean), cleanResult("measured", &v.Measured), cleanResult("all", &v.All)},
	}
	for _, e := range v.Stretches {
		p.Excluded = append(p.Excluded, ExcludedPart{e.Cause.String(), Num(e.From.Seconds(s.Start)), Num(e.To.Seconds(s.Start)), e.Text})
	}
	for _, c := range v.Causes {
		p.ByCause[c.Cause.String()] = Num(c.Seconds)
	}
	return p
}

// cleanSection is the same in words.
func cleanSection(p *Page, s *model.Snapshot) {
	v := &s.Clean
	if !v.Known {
		p.text("The measured time has not begun: the run was not seen to be warm.")
		return
	}
	p.text(fmt.Sprintf("%.0f of %.0f measured seconds are clean. Seconds are left out by rule only; each is listed below.", v.Clean.Seconds, v.Measured.Seconds))
	t := Table{Head: []string{"over", "seconds", "good requests/s", "all requests/s", "tokens/s", "p50", "p95", "p99", "n"}, Right: []bool{false, true, true, true, true, true, true, true, true}}
	for _, r := range []struct {
		name string
		f    *model.Figures
	}{{"clean", &v.Clean}, {"measured", &v.Measured}, {"the whole run", &v.All}} {
		q := &r.f.Latency
		t.Rows = append(t.Rows, []string{
			r.name, short(r.f.Seconds), short(r.f.XOK), short(r.f.X), short(r.f.OutputTPS),
			sampled(q.P50, q.N, 1), sampled(q.P95, q.N, model.MinP95), sampled(q.P99, q.N, model.MinP99), fmt.Sprint(q.N),
		})
	}
	p.table(t)
	if len(v.Stretches) == 0 {
		return
	}
	x := Table{Head: []string{"left out", "from", "to", "by the rule"}, Right: []bool{false, true, true, false}}
	for _, e := range v.Stretches {
		x.Rows = append(x.Rows, []string{e.Cause.Words(), fmt.Sprintf("%.0f s", e.From.Seconds(s.Start)), fmt.Sprintf("%.0f s", e.To.Seconds(s.Start)), e.Text})
	}
	p.table(x)
	if v.More > 0 {
		p.text(fmt.Sprintf("%d more stretches of a second are left out and not listed.", v.More))
	}
}

// sampled is a percentile, a dash where there are too few samples for it.
func sampled(v float64, n uint64, least uint64) string {
	if n < least {
		return fmt.Sprintf("– (n < %d)", least)
	}
	return seconds(v)
}

// cleanLine is the clean time in one line, "" where nothing was measured.
func cleanLine(s *model.Snapshot) string {
	v := &s.Clean
	if !v.Known {
		return ""
	}
	text := fmt.Sprintf("%.0f of %.0f measured s", v.Clean.Seconds, v.Measured.Seconds)
	if v.Clean.Seconds > 0 && v.Clean.Done > 0 {
		text += fmt.Sprintf(": %s good/s, p50 %s, p95 %s (the whole run: %s good/s)", short(v.Clean.XOK), seconds(v.Clean.Latency.P50), seconds(v.Clean.Latency.P95), short(v.All.XOK))
	}
	for i, c := range v.Causes {
		sep := "; left out: "
		if i > 0 {
			sep = ", "
		}
		text += fmt.Sprintf("%s%s %.0f s", sep, c.Cause.Words(), c.Seconds)
	}
	return text
}
