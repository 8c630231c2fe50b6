package cli_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"benchtop/ui/cli"
)

// A file of two runs is read as its last one, and that is said.
func TestProbeTellsOfSeveralRuns(t *testing.T) {
	const run = `{"v":1,"ev":"run","t":1796044000}
{"ev":"start","t":1796044000.1,"id":1}
{"ev":"end","t":1796044000.2,"id":1,"dur_ms":100,"outcome":"ok"}
`
	tests := []struct {
		name, text string
		want       bool
	}{{"one", run, false}, {"two", run + run, true}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "live.ndjson")
			if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			code, out, errs := bench(t, "probe", "--json", path)
			if code != 0 || !strings.Contains(out, `"requests":1,`) {
				t.Errorf("want the last run's request, got %d, %s%s", code, out, errs)
			}
			if got := strings.Contains(errs, "holds 2 runs"); tt.want != got {
				t.Errorf("want it said %v, got %q", tt.want, errs)
			}
		})
	}
}

// bench runs a command line and returns what it prints.
func bench(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	code = cli.Main(ctx, args, cli.Stdio{In: strings.NewReader(""), Out: &o, Err: &e, Env: []string{"HOME=" + t.TempDir()}})
	return code, o.String(), e.String()
}
