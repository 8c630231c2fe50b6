package report

import (
	"fmt"
	"math"
	"strings"

	"benchtop/model"
	"benchtop/ui/draw"
)

// Closing is the run in about ten lines, for the scrollback after the screen
// is gone. extra lines (where the recording is) are appended.
func Closing(s *model.Snapshot, extra ...string) string {
	v, c := &s.Verdict, &s.Client
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-9s %s\n", name, Clean(fmt.Sprintf(format, args...)))
	}
	line("verdict", "%s (%s, %s)", v.Title, v.Severity, v.Confidence)
	if v.Text != "" {
		line("", "%s", v.Text)
	}
	if v.Failures != "" {
		line("failures", "%s", v.Failures)
	}
	if v.NextChange != "" {
		line("next", "%s", v.NextChange)
	}
	if c.Known {
		line("client", "%d requests, %d ok, %d failed; in flight mean %s, peak %s", c.Done, c.ByOutcome[model.ClientOK], c.Failed(), short(c.MeanFlight), short(c.PeakFlight))
		q := s.Latency.OK
		line("latency", "good: p50 %s, p95 %s, p99 %s, max %s (n %d)", seconds(q.P50), seconds(q.P95), seconds(q.P99), seconds(q.Max), q.N)
	}
	if r := s.Reported; r != nil && !c.Known {
		line("client", "%s requests, %s ok, %s failed, by its own report; in flight mean %s", short(r.Requests), short(r.OK), short(r.Failed), short(r.InFlight()))
		if t := &r.Latency; t.Known() {
			line("latency", "all, as it says: mean %s, p50 %s, p95 %s, p99 %s, max %s", seconds(t.Mean), seconds(t.P50), seconds(t.P95), seconds(t.P99), seconds(t.Max))
		}
	}
	if s.Goal.Line != "" {
		line("goal", "%s", s.Goal.Line)
	}
	if text := s.Ledger.Line(); text != "" {
		line("moved", "%s", text)
	}
	if text := cleanLine(s); text != "" {
		line("clean", "%s", text)
	}
	for _, p := range serverParts(s) {
		line("server", "running %s (peak %s), waiting %s (peak %s), batch %s of %s", short(float64(p.Running.Mean)), short(float64(p.Running.Peak)),
			short(float64(p.Waiting.Mean)), short(float64(p.Waiting.Peak)), short(float64(p.Batch.Mean)), short(float64(p.Batch.Configured)))
	}
	closingGPUs(s, line)
	for _, src := range s.Sources {
		if why := trouble(&src); why != "" {
			line(src.State.String(), "%s: %s", src.Name, why)
		}
	}
	for _, e := range extra {
		fmt.Fprintln(&b, Clean(e)) // paths are the user's, and of who names files
	}
	return b.String()
}

// trouble is why a source gave less than it was asked for, "" if it did not.
func trouble(src *model.SourceInfo) string {
	switch {
	case (src.State == model.Failed || src.State == model.Retrying) && src.Why != "":
		return src.Why
	case src.State == model.Quiet && (src.Kind == model.KindGPU || src.Kind == model.KindHost):
		return src.Why
	case src.Lines > 0 && src.Matched == 0 && (src.Kind == model.KindServerLog || src.Kind == model.KindLoad):
		return fmt.Sprintf("nothing understood of %.0f lines (try benchtop probe on it, or name its format)", src.Lines)
	}
	return ""
}

func sum(a, b float64) float64 {
	switch {
	case math.IsNaN(a):
		return b
	case math.IsNaN(b):
		return a
	}
	return a + b
}

func short(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v):
		return "–"
	case a >= 100 || a == math.Trunc(a):
		return fmt.Sprintf("%.0f", v)
	case a >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

func seconds(v float64) string {
	switch {
	case math.IsNaN(v):
		return "–"
	case v < 1:
		return fmt.Sprintf("%.3g ms", v*1e3)
	}
	return fmt.Sprintf("%.3g s", v)
}

// Clean makes text from outside safe to print.
func Clean(s string) string { return draw.Sanitize(s) }

// below says how far a mean clock is below its ceiling, "" where it hardly is.
func below(mean, ceiling float64) string {
	if !(mean < 0.97*ceiling) {
		return ""
	}
	return fmt.Sprintf(" (%s MHz, %.0f %%, below)", short(math.Round(ceiling-mean)), 100*(1-mean/ceiling))
}
