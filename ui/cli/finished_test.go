package cli

import (
	"encoding/json"
	"math"
	"path/filepath"
	"testing"
)

// TestFinishedFiles reads the raw files of real runs that are long over, as a
// user does who gives them to benchtop itself, and wants the verdict that a
// replay of the same files comes to.
func TestFinishedFiles(t *testing.T) {
	state(t)
	for _, c := range []struct {
		dir, want string
		done      float64
		running   float64 // of 4 slots, over the time in which requests ran
	}{
		{"b-matched", "none", 204, 3.86},
		{"c-queue-grows", "server_saturated", 285, 3.89},
		{"d-client-timeout", "client_timeout", 258, 3.93},
	} {
		t.Run(c.dir, func(t *testing.T) {
			files := []string{
				"--load", filepath.Join("testdata/llamacpp", c.dir, "client.ndjson"),
				"--log", filepath.Join("../../sources/serverlog/testdata/real", c.dir, "server.stamped.log") + ",zone=UTC",
				"--gpu", "off", "--no-record", "--headless", "--summary", "-",
			}
			for _, way := range [][]string{{"--exit"}, {"replay", "--speed", "max"}} {
				code, out, errs := ask(t, append(way, files...)...)
				var got struct {
					Verdict struct{ ID string }
					Client  struct{ Requests float64 }
					Server  []struct{ Running struct{ Mean float64 } }
				}
				if err := json.Unmarshal([]byte(out[max(0, firstBrace(out)):]), &got); err != nil || code != 0 {
					t.Fatalf("%v: code %d, %v\n%s\n%s", way, code, err, out, errs)
				}
				if got.Verdict.ID != c.want || got.Client.Requests != c.done {
					t.Errorf("%v: want %s of %g requests, got %s of %g", way, c.want, c.done, got.Verdict.ID, got.Client.Requests)
				}
				if len(got.Server) != 1 || math.Abs(got.Server[0].Running.Mean-c.running) > 0.03 {
					t.Errorf("%v: want %g running over time, got %+v", way, c.running, got.Server)
				}
			}
		})
	}
}

// firstBrace is where the summary begins among the lines of a run.
func firstBrace(out string) int {
	for i := range out {
		if out[i] == '{' && (i == 0 || out[i-1] == '\n') {
			return i
		}
	}
	return -1
}
