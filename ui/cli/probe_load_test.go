package cli_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"benchtop/ui/cli"
)

// A report without a line end at its end is whole all the same.
func TestProbeReportWithoutLineEnd(t *testing.T) {
	const report = "{\n  \"successCount\": 47,\n  \"failureCount\": 13,\n  \"avgLatencyMs\": 328.2,\n  \"p95LatencyMs\": 465.1\n}"
	for name, text := range map[string]string{"without": report, "with": report + "\n"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "client_report.json")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			var out, errs bytes.Buffer
			if code := cli.Main(t.Context(), []string{"probe", "--json", path}, cli.Stdio{In: strings.NewReader(""), Out: &out, Err: &errs}); code != 0 {
				t.Fatalf("want 0, got %d: %s", code, errs.String())
			}
			var got struct {
				Summary struct {
					Kind, Format string
					Requests     float64
				}
			}
			if err := json.Unmarshal(out.Bytes(), &got); err != nil {
				t.Fatalf("%v in %s", err, out.String())
			}
			if got.Summary.Kind != "load" || got.Summary.Format != "client_report" || got.Summary.Requests != 60 {
				t.Errorf("want a client's report of 60 requests, got %+v", got.Summary)
			}
		})
	}
}
