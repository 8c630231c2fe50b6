// Package loadgen turns what load generators print into events.
//
// A format file knows text: it recognises its first lines (Format.Sniff) and
// turns a line into Records, plain fields of which each may be absent. One
// shared path, the Decoder, turns Records into events, whatever the tool: it
// owns request identity, counts what is in flight, rebuilds it from records
// that are written only when a request ends, and says up to which instant the
// count is exact (series client_horizon). Tally is the other reader of Records:
// exact statistics of a whole file, for probe. Source follows a live stream,
// NewFeed reads the file of a finished run for replay, Probe a whole file.
// Command starts a load generator as a child and reads whichever of its outputs
// speaks; Advise knows what makes the known tools speak.
//
// What it must not do: read the clock (times come from the records and from
// whoever read the line), keep a line's bytes beyond the call, sort by time
// (the order is the file's), or guess a value that a record doesn't state: an
// absent field is NaN or zero time, never 0.
//
// Delivery promise: every finished request becomes exactly one End event, and
// every Begin that has no End is taken back by a correction (an Add on
// client_in_flight) when its run ends or its record is given up as lost. A line
// that isn't understood is counted and sampled, and never stops a source. The
// events depend on the lines alone, not on how they were cut into reads.
package loadgen
