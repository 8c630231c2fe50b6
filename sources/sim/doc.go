// Package sim is a seeded, discrete-event model of a benchmark: a load
// generator, the path to a server, the server (batching continuously or
// statically), its GPU and its host. What it produces are the lines and
// readings that real ones would: a server log, a load generator's NDJSON
// stream, GPU and host readings. They go through the same decoders as real
// sources do, so the demo and most tests exercise the whole program.
//
// It owns the model, its parameters and the table of scenarios. It has no
// clock and no goroutine: time is the calendar of events, and a Pacer decides
// how fast it passes. With one seed the lines are the same to the byte.
//
// It must not emit events of its own but ticks, marks and the four sources'
// states; whatever a decoder can't read from a line is not known.
//
// Delivery promise: the simulator blocks until the engine takes a batch, so
// nothing is lost and every run of a seed gives the same events.
package sim
