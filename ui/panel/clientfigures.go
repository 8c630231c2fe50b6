package panel

import (
	"math"

	"benchtop/model"
	"benchtop/themes"
	"benchtop/ui/draw"
)

// loadFigures are the figures of how the load is made and what the run's
// latencies come to: for screens with room for more than the few that matter
// most. What nobody measured has no row.
func loadFigures(s *model.Snapshot) []figure {
	if s.Signals == nil || !s.Signals.Client.Known {
		return nil
	}
	c := &s.Signals.Client
	var rows []figure
	add := func(name string, vals ...Span) {
		kept := vals[:0]
		for _, v := range vals {
			if v.Text != "" {
				kept = append(kept, v)
			}
		}
		if len(kept) > 0 {
			rows = append(rows, figure{name, kept, 20 + len(rows)})
		}
	}
	if c.Reported == 0 { // else nothing starts in the window: the run is over
		add("arrivals", told(c.Started, draw.Small(c.Started)+"/s"), told(c.Rate, "of "+draw.Small(c.Rate)+"/s asked"), dispersion(c.Dispersion))
		add("pauses", told(c.BurstGap, draw.Latency(c.BurstGap)+" at most between starts"))
	}
	late := told(c.SchedDelay, draw.Latency(c.SchedDelay)+" late against schedule")
	if c.SchedDelay > 0.1 {
		late.Role = themes.Warn
	}
	add("schedule", late, told(c.SchedDelayMax, "most "+draw.Latency(c.SchedDelayMax)))
	conns := told(c.ConnsPerRequest, draw.Small(c.ConnsPerRequest)+" connections a request")
	if c.ConnsPerRequest >= 0.5 {
		conns.Role = themes.Warn
	}
	add("reuse", conns)
	add("queued", told(c.Queued, draw.Count(c.Queued)+" wait inside the client"))
	if c.ClosedKnown {
		word := "open loop: starts follow a schedule"
		if c.Closed {
			word = "closed loop: starts follow replies"
		}
		add("loop", Span{word, themes.Text, false})
	}
	add("Little", told(c.Little, draw.Small(c.Little)+" in flight by latencies"), told(c.LittleFlight, "counted "+draw.Small(c.LittleFlight)))
	add("input", length(c.InputMean, c.InputCV)...)
	add("output", length(c.OutputMean, c.OutputCV)...)
	add("run all", wholeRun(s.Latency.All)...)
	add("run good", wholeRun(s.Latency.OK)...)
	return rows
}

// told is a piece of text, or nothing where its number was not measured.
func told(v float64, text string) Span {
	if math.IsNaN(v) {
		return Span{}
	}
	return Span{text, themes.Text, false}
}

// dispersion words how evenly requests start: variance over mean of the starts
// in 100 ms, 1 for arrivals that know nothing of each other.
func dispersion(v float64) Span {
	word := "about random"
	switch {
	case math.IsNaN(v):
		return Span{}
	case v < 0.5:
		word = "even"
	case v > 2:
		word = "in bursts"
	}
	return Span{word + " (dispersion " + draw.Small(v) + ")", themes.Dim, false}
}

func length(mean, cv float64) []Span {
	if math.IsNaN(mean) {
		return nil
	}
	return []Span{{draw.Count(math.Round(mean)) + " tokens a request", themes.Text, false}, told(cv, "± "+draw.Percent(cv))}
}

// wholeRun is the run's latencies; a percentile of too few is bracketed.
func wholeRun(q model.Quantiles) []Span {
	if q.N == 0 {
		return nil
	}
	return []Span{
		{"p50 " + draw.Latency(q.P50), themes.Text, false},
		quantile("p90", q.P90, q.N, model.MinP90), quantile("p95", q.P95, q.N, model.MinP95),
		quantile("p99", q.P99, q.N, model.MinP99), quantile("p99.9", q.P999, q.N, model.MinP999),
		{"max " + draw.Latency(q.Max), themes.Text, false},
		{"n " + draw.Count(float64(q.N)), themes.Dim, false},
	}
}
