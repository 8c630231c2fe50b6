package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// TestWatchSavedScrapes: a file of saved scrapes is watched as an endpoint is.
func TestWatchSavedScrapes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.prom")
	text := "# scrape 2026-11-30T12:00:00Z status=200 took_ms=3\nvllm:num_requests_running{engine=\"0\"} 4\n" +
		"# scrape 2026-11-30T12:00:02Z status=200 took_ms=3\nvllm:num_requests_running{engine=\"0\"} 6\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := bench(t, "watch", "--metrics", "a=file:"+path, "--gpu", "off", "--host", "off", "--headless", "--no-record", "--exit", "--summary", "-")
	if code != 0 {
		t.Fatalf("want code 0, got %d: %s", code, errs)
	}
	var got struct {
		Sources []struct {
			Kind, Format string
			Matched      int
		}
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("%v in %.200s", err, out)
	}
	if len(got.Sources) != 1 || got.Sources[0].Kind != "metrics" || got.Sources[0].Format != "vllm" || got.Sources[0].Matched != 2 {
		t.Errorf("want two scrapes of vLLM, got %+v", got.Sources)
	}
}
