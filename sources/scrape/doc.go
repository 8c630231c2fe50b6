// Package scrape reads what a server says about itself in Prometheus text: a
// Source that polls an endpoint, a Feed of saved scrapes, and a Probe.
//
// It owns the HTTP client and the baselines that turn ever-growing counters
// into amounts. One file per engine knows its metric names and nothing else;
// reading.go turns an exposition into a Reading by those names, and meter.go
// alone turns Readings into events.
//
// It must not disturb the server: one request is in flight at most, a round
// starts every 2 s by default and never more often than each second (some
// servers do housekeeping only while nobody asks, see llamacpp.go), slow
// answers make it ask less often, and it never follows a redirect to another
// host. Infinity alone is asked twice a round, one after the other: its queue
// stands apart from its metrics. It must not invent: a family that is missing is not offered, not zero,
// and a counter that fell is a restart, not an amount.
//
// Delivery promise: the newest scrape wins. A missed poll is a gap in the
// gauges; amounts between two good polls are lost only by a restart.
package scrape
