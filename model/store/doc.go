// Package store turns events into tiered series, in-flight counts and latency
// sketches, and once a second into the signals that the rules read.
//
// It belongs to the engine's goroutine: it has no lock and no clock, and every
// result is a function of the events alone. It tolerates late events: amounts
// and in-flight changes are kept per bucket and summed when read, so a record
// told long after the fact still lands where it belongs. What it hands out in a
// snapshot is never written again.
package store
