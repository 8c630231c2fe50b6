package cli

import (
	"strings"
	"testing"
)

// TestArguments wants one line with the next step, and exit code 2, for each
// wrong number of arguments.
func TestArguments(t *testing.T) {
	state(t)
	for _, tt := range []struct{ line, want string }{
		{"report", "report of what? give a RUN: a path, an id"},
		{"report a b", `too many arguments from "b" on`},
		{"compare", "compare of what? give two RUNs"},
		{"attach", "benchtop runs lists them"},
		{"shot", "benchtop runs lists them"},
		{"baseline set main", "baseline set: that is not enough"},
		{"baseline sett", "is set meant?"},
		{"repotr last", `"repotr": no such command; is report meant?`},
		{"runs x", "it takes flags only; see benchtop runs --help"},
		{"demo client_pool", "is --scenario client_pool meant?"},
		{"probe", "give a SOURCE"},
	} {
		code, out, errs := ask(t, strings.Fields(tt.line)...)
		if code != exitUsage || out != "" || !strings.Contains(errs, tt.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: want exit code 2 and one line with %q, got %d, %q, %q", tt.line, tt.want, code, out, errs)
		}
	}
}
