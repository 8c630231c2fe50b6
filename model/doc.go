// Package model is the vocabulary of benchtop: events, batches, the series
// catalogue, snapshots, signals, findings and what is known about a run.
//
// It holds values only. It has no clock, starts nothing, reads nothing and
// imports nothing of ours: time comes in as events (a Tick is an event too),
// so the same events always give the same snapshot, live or replayed, at any
// speed. Absent is not zero: a number nobody measured is NaN here, a gap on a
// chart and a dash in a cell.
package model
