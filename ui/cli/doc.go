// Package cli is the command line: one file per command, its flags and the
// wiring of sources, engine and screen.
//
// It owns the order in which a run starts and stops (screen, sources, channel,
// engine, recording, summary) and the exit codes. Errors are one line on
// stderr: what, where, and the next step.
package cli
