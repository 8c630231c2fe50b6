package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"benchtop/ui/cli"
)

// coolingSMI stands in for nvidia-smi: a GPU that cools down from one temperature to another.
const coolingSMI = `#!/bin/sh
[ "$1" = --help-query-gpu ] && { echo '"index" "uuid" "temperature.gpu"'; exit; }
t=FROM
while :; do echo "0, GPU-a-b, $t"; [ $t -gt TO ] && t=$((t-1)); sleep 0.2; done
`

// onWrite calls once a text was written.
type onWrite struct {
	bytes.Buffer
	text string
	call func()
}

func (w *onWrite) Write(p []byte) (int, error) {
	n, err := w.Buffer.Write(p)
	if w.call != nil && strings.Contains(w.String(), w.text) {
		w.call()
	}
	return n, err
}

// TestCheckWaitsForGPUs drives the temperature gate from a reader of real lines.
func TestCheckWaitsForGPUs(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	for _, tc := range []struct {
		name, from, to string
		patience       string
		interrupt      bool
		wait           bool   // it has to wait
		said           string // at the end, on stderr
		cooled         bool
	}{
		{"cools down", "49", "44", "2m", false, true, "", true},
		{"is cool", "40", "40", "2m", false, false, "", true},
		{"stays hot", "80", "80", "1500ms", false, true, "did not cool down to 45C within 1.5s", false},
		{"interrupted", "80", "80", "2m", true, true, "stopped at 80 °C after", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			script := strings.NewReplacer("FROM", tc.from, "TO", tc.to).Replace(coolingSMI)
			if err := os.WriteFile(filepath.Join(dir, "nvidia-smi"), []byte(script), 0o700); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
			ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
			defer stop()
			errs := &onWrite{text: "waiting for 45 °C"}
			if tc.interrupt {
				errs.call = stop
			}
			var out bytes.Buffer
			args := []string{"check", "--json", "--gpu", "smi", "--for", "1s", "--wait", tc.patience, "--cool-below", "45C"}
			code := cli.Main(ctx, args, cli.Stdio{In: strings.NewReader(""), Out: &out, Err: errs, Env: os.Environ()})
			if strings.Contains(errs.String(), "waiting for 45 °C") != tc.wait || !strings.Contains(errs.String(), tc.said) {
				t.Errorf("want it to say what it waits for: %v, and %q, got %q", tc.wait, tc.said, errs.String())
			}
			if tc.interrupt {
				if code != 1 || out.Len() > 0 {
					t.Errorf("want code 1 and no rows of a check that did not happen, got %d and %s", code, out.String())
				}
				return
			}
			var res struct {
				OK     bool
				Waited float64 `json:"waited_s"`
				Rows   []struct{ ID, State, Why string }
			}
			if err := json.Unmarshal(out.Bytes(), &res); err != nil || len(res.Rows) != 8 {
				t.Fatalf("want eight rows, got %v of %s", err, out.String())
			}
			drift := false // of this machine as it is
			for _, r := range res.Rows {
				drift = drift || r.State == "drifting"
			}
			if want := tc.cooled && !drift; res.OK != want || (code == 0) != want || code != 0 && code != 3 {
				t.Errorf("want ok %v and its code, got %v and %d", want, res.OK, code)
			}
			if tc.wait && !(res.Waited > 0.5) {
				t.Errorf("want the wait told, got %v s", res.Waited)
			}
			if r := res.Rows[0]; tc.name == "is cool" && (r.ID != "gpu_temperature" || r.State != "locked") {
				t.Errorf("want the start temperature locked, got %+v", r)
			}
		})
	}
}
