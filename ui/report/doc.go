// Package report turns a finished run's snapshot into what people and scripts
// keep: the summary JSON and the lines left in the scrollback.
//
// It reads snapshots only and adds nothing to them: a number nobody measured
// is null in JSON and a dash in text, never 0.
package report
