// Package serverlog reads what inference servers print and turns it into
// events: running and waiting requests, batch sizes and waits, KV cache usage,
// throughput, and what happened to requests.
//
// A format is a file that knows one engine's text and no series: it fills a
// Reading, one field for each thing a line can say, each with a validity bit.
// Stamps and the prefixes that collectors put in front are taken off once, for
// all formats, before a format sees a record; one file (apply.go) turns
// Readings into events. Which format a stream has is found by trying all on
// its first lines; the name found can be overridden.
//
// A format can also be told without code, by a profile: a YAML file of patterns
// (profile.go), which is checked whole when it is read. profiles/deepinfer.yaml
// is one and the example.
//
// Lines of one log begin alike, so the prefixes of a line that begins as an
// earlier one did are taken over by comparing (shape.go); what a line costs is
// held against reading it by BenchmarkCost.
//
// The package owns the state that lines alone do not carry (open slots,
// cumulative counters, continuation of error blocks). It must not keep line
// bytes, must not read the clock (year and zone are options, arrival times are
// given), and must never read or show text that a user sent to the server.
//
// Delivery: every line is counted. A line that is not understood is data, not
// an error; a few that look like the engine's own statistics are sampled into
// notes. A field is emitted only if the line states it: absent is not zero.
package serverlog
