package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
