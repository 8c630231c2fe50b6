//go:build !race

package cli_test

// raced says that the race detector watches.
const raced = false
