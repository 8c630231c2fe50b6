// Package e2e runs the built program as a person or a script would: headless
// with a summary, and on a pseudo terminal with an emulated screen, keys,
// resizes and signals.
//
// It owns the promises that only the whole can keep: the terminal is given
// back as it was, nothing that was read before the end is lost, and a killed
// run can still be replayed. It has no code of its own outside tests, looks
// only at what a user sees, and waits for conditions, never for a while.
package e2e
