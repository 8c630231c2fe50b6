package panel

import (
	"math"

	"benchtop/model"
	"benchtop/themes"
	"benchtop/ui/draw"
)

// reportOf is what the generators said of their run at its end, where they told
// no request while it went on; else nil.
func reportOf(s *model.Snapshot) *model.ClientReport {
	if s.Reported == nil || s.Reported.Bar || s.Client.Known {
		return nil
	}
	return s.Reported
}

// reportFigures are the few figures of the generators' own end report: all that
// is known of the client where it said nothing while it ran.
func reportFigures(s *model.Snapshot) []figure {
	r := reportOf(s)
	if r == nil {
		return nil
	}
	said := Span{draw.None + " requests", themes.Dim, false}
	if n := r.Done(); n >= 0 {
		said = Span{draw.Count(n) + " requests", themes.Text, true}
	}
	first := figure{"report", []Span{said}, 2}
	if x := r.Throughput(); x >= 0 {
		first.vals = append(first.vals, Span{draw.Small(x) + "/s", themes.Text, false})
	}
	if r.Duration > 0 {
		first.vals = append(first.vals, Span{"in " + draw.Age(r.Duration), themes.Dim, false})
	}
	rows := []figure{first}
	lost, role := figure{"", nil, 2}, themes.Text
	if r.Failed > 0 {
		role = themes.Bad
	}
	for _, w := range failuresOf(r) {
		lost.vals = append(lost.vals, Span{w, role, false})
	}
	rows = append(rows, lost)
	t, whose := &r.LatencyOK, "good"
	if !t.Known() {
		t, whose = &r.Latency, "all"
	}
	times := figure{"", nil, 3}
	for _, q := range []struct {
		name string
		v    float64
	}{{"mean", t.Mean}, {"p50", t.P50}, {"p95", t.P95}, {"p99", t.P99}, {"max", t.Max}} {
		if q.v >= 0 {
			times.vals = append(times.vals, Span{q.name + " " + draw.Latency(q.v), themes.Text, false})
		}
	}
	if len(times.vals) > 0 {
		rows = append(rows, figure{"", append(times.vals, Span{whose, themes.Dim, false}), 3})
	}
	if x := r.InFlight(); x >= 0 {
		held := figure{"", []Span{{draw.Small(x) + " in flight on average", themes.Dim, false}}, 6}
		if r.Peak >= 0 {
			held.vals = append(held.vals, Span{"peak " + draw.Count(r.Peak), themes.Dim, false})
		}
		rows = append(rows, held)
	}
	return rows
}

// failuresOf words how many requests failed by a report, and of which kinds as
// far as it tells them apart. A count that it doesn't give is no zero.
func failuresOf(r *model.ClientReport) []string {
	failed := draw.None + " failed"
	if !math.IsNaN(r.Failed) {
		failed = draw.Count(r.Failed) + " failed"
	}
	out := []string{failed}
	for _, k := range []struct {
		name string
		n    float64
	}{{"t/o", r.Timeouts}, {"rej", r.Rejected}, {"reset", r.Reset}, {"http", r.HTTPError}, {"other", r.Other}} {
		if k.n > 0 {
			out = append(out, k.name+" "+draw.Count(k.n))
		}
	}
	return out
}
