package model

import "math"

// ClientReport is what load generators said of their whole run at its end.
// Counts are requests, times seconds; NaN where they said nothing. Of several
// generators it is the sum.
type ClientReport struct {
	Format                                      string
	Requests, OK, Failed                        float64
	Timeouts, Rejected, Reset, HTTPError, Other float64
	Latency, LatencyOK, TTFT                    ReportedTimes
	Peak, Mean                                  float64 // concurrency
	Duration, Rate, OutputTokens                float64 // seconds, requests a second, tokens
	Generators                                  int     // how many it adds up
	Bar                                         bool    // nothing but a bar or a count has told it
	At                                          Instant // when the last of them came
}

// ReportedTimes is a distribution as a tool states it, in seconds.
type ReportedTimes struct {
	Mean, P50, P90, P95, P99, P999, Max, N float64
}

// NoReport is a report that says nothing.
func NoReport() ClientReport {
	n := math.NaN()
	t := ReportedTimes{n, n, n, n, n, n, n, n}
	return ClientReport{
		Requests: n, OK: n, Failed: n, Timeouts: n, Rejected: n, Reset: n, HTTPError: n, Other: n,
		Latency: t, LatencyOK: t, TTFT: t, Peak: n, Mean: n, Duration: n, Rate: n, OutputTokens: n,
	}
}

// Known reports whether the times say anything.
func (t *ReportedTimes) Known() bool { return t.Mean >= 0 || t.P50 >= 0 }

// Done is how many requests ended, those lost without an answer included.
func (r *ClientReport) Done() float64 {
	lost, known := 0.0, false
	for _, k := range [...]float64{r.Timeouts, r.Rejected, r.Reset, r.HTTPError, r.Other} {
		if k >= 0 {
			lost, known = lost+k, true
		}
	}
	if r.Failed >= 0 {
		lost, known = max(lost, r.Failed), true
	}
	switch {
	case !(r.OK >= 0) || !known:
		return r.Requests
	case r.Requests >= 0:
		return max(r.Requests, r.OK+lost)
	}
	return r.OK + lost
}

// InFlight is the mean concurrency of the run: as stated, or by Little's law
// from the rate and the mean latency; NaN if neither can be had.
func (r *ClientReport) InFlight() float64 {
	if r.Mean >= 0 {
		return r.Mean
	}
	if x := r.Throughput(); x >= 0 && r.Latency.Mean >= 0 {
		return x * r.Latency.Mean
	}
	return math.NaN()
}

// Throughput is finished requests a second over the run; NaN if unknown.
func (r *ClientReport) Throughput() float64 {
	if r.Duration > 0 && r.Requests >= 0 {
		return r.Requests / r.Duration
	}
	return r.Rate
}
