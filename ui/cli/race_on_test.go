//go:build race

package cli_test

// raced says that the race detector watches, which makes a run ten times as
// long: one of eight scenarios is enough for it then.
const raced = true
