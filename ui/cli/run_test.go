package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"benchtop/ui/cli"
)

// runSummary is what the tests read of a summary.
type runSummary struct {
	Client struct {
		Format             string
		Requests, OK       *float64
		Failed, Unfinished *float64
		ByKind             map[string]*float64 `json:"by_kind"`
		Concurrency        struct {
			Peak *float64
			How  string
		}
	}
	Sources []struct {
		Name, Format, State     string
		Lines, Matched, Dropped float64
	}
}

// benchtop runs the program inside the test, headless, and returns its exit
// code, what it printed and its summary.
func benchtop(t *testing.T, args ...string) (code int, out, errs string, sum runSummary) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "summary.json")
	args = append([]string{args[0], "--headless", "--no-record", "--gpu", "off", "--host", "off", "--summary", path}, args[1:]...)
	var o, e bytes.Buffer
	code = cli.Main(t.Context(), args, cli.Stdio{In: strings.NewReader(""), Out: &o, Err: &e, Env: os.Environ()})
	if text, err := os.ReadFile(path); err == nil {
		if err := json.Unmarshal(text, &sum); err != nil {
			t.Fatalf("summary: %v", err)
		}
	}
	return code, o.String(), e.String(), sum
}

// tool puts a shell script under a load generator's name and returns its path.
func tool(t *testing.T, name, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// ndjsonScript prints two good requests, a rejected one and one without an end.
const ndjsonScript = `
n() { date +%s.%6N; }
for i in 1 2 3 4; do printf '{"ev":"start","t":%s,"id":%d}\n' $(n) $i; done
for i in 1 2; do printf '{"ev":"end","t":%s,"id":%d,"dur_ms":1.5,"outcome":"ok","status":200}\n' $(n) $i; done
printf '{"ev":"end","t":%s,"id":3,"dur_ms":0.5,"outcome":"rejected","status":503}\n' $(n)
`

func want(t *testing.T, what string, want float64, got *float64) {
	t.Helper()
	if got == nil || *got != want {
		t.Errorf("%s: want %g, got %v", what, want, deref(got))
	}
}

func deref(f *float64) any {
	if f == nil {
		return nil
	}
	return *f
}

// Whichever output speaks is the load stream; of the other the last lines are
// kept.
func TestRunReadsEitherOutput(t *testing.T) {
	for name, script := range map[string]string{
		"stdout": ndjsonScript + "echo starting >&2; echo all done >&2",
		"stderr": "exec 3>&1 >&2\n" + ndjsonScript + "echo starting >&3; echo all done >&3",
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errs, sum := benchtop(t, "run", "--", tool(t, "client", script))
			if code != 0 {
				t.Fatalf("want 0, got %d: %s", code, errs)
			}
			want(t, "requests", 3, sum.Client.Requests)
			want(t, "ok", 2, sum.Client.OK)
			want(t, "rejected", 1, sum.Client.ByKind["rejected"])
			want(t, "unfinished", 1, sum.Client.Unfinished)
			want(t, "peak", 4, sum.Client.Concurrency.Peak)
			if sum.Client.Concurrency.How != "exact" || sum.Client.Format != "benchtop_ndjson" {
				t.Errorf("want the stream's own counts, got %+v", sum.Client)
			}
			if !strings.Contains(out, "all done") || strings.Contains(out, `"ev"`) {
				t.Errorf("want the last lines of the other output, got:\n%s", out)
			}
		})
	}
}

func TestRunPassesExitCodeOn(t *testing.T) {
	tests := []struct {
		name, script string
		args         []string
		want         int
	}{
		{"good", "exit 0", nil, 0},
		{"its own", "echo boom >&2; exit 7", nil, 7},
		{"before ours", "exit 7", []string{"--fail-on", "note"}, 7},
		{"a signal", "kill -KILL $$", nil, 128 + 9},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code, _, errs, _ := benchtop(t, append(append([]string{"run"}, tt.args...), "--", tool(t, "client", tt.script))...)
			if code != tt.want {
				t.Errorf("want %d, got %d: %s", tt.want, code, errs)
			}
		})
	}
}

func TestRunRefuses(t *testing.T) {
	tests := []struct {
		name, want string
		args       []string
		code       int
	}{
		{"no command", "no command", []string{"run", "--"}, 2},
		{"unknown program", "no-such-program", []string{"run", "--", "no-such-program"}, 1},
		{"two readers of stdin", "standard input", []string{"run", "--load", "-", "--", "cat"}, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code, _, errs, _ := benchtop(t, tt.args...)
			if code != tt.code || !strings.Contains(errs, tt.want) || strings.Count(errs, "\n") != 1 {
				t.Errorf("want %d and one line with %q, got %d: %q", tt.code, tt.want, code, errs)
			}
		})
	}
}

// fortioScript writes two records to the file that its options name.
const fortioScript = `
while [ $# -gt 0 ]; do case $1 in -access-log-file) f=$2; shift;; esac; shift; done
[ -n "$f" ] || exit 3
now=$(date +%s%N)
printf '{"latency":0.03,"timestamp":%s,"thread":0,"iter":0,"ok":true,"details":"200"}\n' $now > "$f"
printf '{"latency":0.01,"timestamp":%s,"thread":1,"iter":0,"ok":false,"details":"503"}\n' $now >> "$f"
`

// A file that the command writes its stream to is followed, and what an earlier
// run left in it is passed over.
func TestRunFollowsFiles(t *testing.T) {
	for _, stale := range []bool{false, true} {
		t.Run(fmt.Sprintf("stale=%v", stale), func(t *testing.T) {
			log := filepath.Join(t.TempDir(), "access.ndjson")
			if stale {
				old := `{"latency":0.5,"timestamp":1796045000000000000,"thread":0,"iter":0,"ok":true,"details":"200"}` + "\n"
				if err := os.WriteFile(log, []byte(strings.Repeat(old, 10)), 0o600); err != nil {
					t.Fatal(err)
				}
				past := time.Now().Add(-time.Hour)
				if err := os.Chtimes(log, past, past); err != nil {
					t.Fatal(err)
				}
			}
			code, _, errs, sum := benchtop(t, "run", "--", tool(t, "fortio", fortioScript), "load", "-access-log-file", log, "http://127.0.0.1/")
			if code != 0 || strings.Contains(errs, "assist") {
				t.Fatalf("want it left as it is, got %d: %s", code, errs)
			}
			want(t, "requests", 2, sum.Client.Requests)
			want(t, "rejected", 1, sum.Client.ByKind["rejected"])
		})
	}
}

// Without --assist a known tool's command stays as it is and one line suggests;
// with it the change is made, printed, and the stream read.
func TestRunAssist(t *testing.T) {
	fortio := tool(t, "fortio", `echo "args: $*"`+"\n"+fortioScript)
	code, out, errs, _ := benchtop(t, "run", "--", fortio, "load", "-c", "2", "http://127.0.0.1/")
	if code != 3 || !strings.Contains(out, "args: load -c 2 http://127.0.0.1/") {
		t.Errorf("want the command as given, got %d:\n%s", code, out)
	}
	if !strings.Contains(errs, "--assist") || !strings.Contains(errs, "-access-log-file") {
		t.Errorf("want a suggestion, got %q", errs)
	}
	code, out, errs, sum := benchtop(t, "run", "--assist", "--", fortio, "load", "-c", "2", "http://127.0.0.1/")
	if code != 0 || !strings.Contains(errs, "--assist added -access-log-file") {
		t.Errorf("want the change printed, got %d: %q", code, errs)
	}
	if !strings.Contains(out, "args: load -access-log-file ") {
		t.Errorf("want the change made, got:\n%s", out)
	}
	want(t, "requests", 2, sum.Client.Requests)
	_, dir, _ := strings.Cut(errs, "-access-log-file ")
	dir, _, _ = strings.Cut(dir, "/fortio.ndjson")
	if _, err := os.Stat(dir); err == nil {
		t.Errorf("want %s removed after the run", dir)
	}
}

// A signal goes to the command, whose end is the run's: what it says last is
// still read.
func TestRunForwardsSignals(t *testing.T) {
	dir := t.TempDir()
	up := filepath.Join(dir, "up")
	script := tool(t, "client", ndjsonScript+`
trap 'printf "{\"ev\":\"end\",\"t\":%s,\"id\":4,\"dur_ms\":9,\"outcome\":\"cancelled\"}\n" $(n); exit 5' HUP
: > `+up+`
while :; do sleep 0.02; done`)
	done := make(chan struct{})
	var code int
	var sum runSummary
	go func() {
		defer close(done)
		code, _, _, sum = benchtop(t, "run", "--", script)
	}()
	poll := time.NewTicker(5 * time.Millisecond)
	defer poll.Stop()
	for deadline := time.Now().Add(10 * time.Second); ; <-poll.C {
		if _, err := os.Stat(up); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("want the command to start")
		}
	}
	if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("want the run to end with the command")
	}
	if code != 5 {
		t.Errorf("want its code 5, got %d", code)
	}
	want(t, "requests", 4, sum.Client.Requests)
	want(t, "unfinished", 0, sum.Client.Unfinished)
}

// A command that prints faster than we read is never held up for the engine's
// sake, and nothing of a stream that was read goes uncounted.
func TestRunDrainsFastCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	const n = 50000
	var lines strings.Builder
	now := float64(time.Now().UnixMicro()) / 1e6
	for i := range n {
		fmt.Fprintf(&lines, `{"ev":"end","t":%.6f,"id":%d,"dur_ms":1,"outcome":"ok","status":200}`+"\n", now, i)
	}
	file := filepath.Join(t.TempDir(), "lines")
	if err := os.WriteFile(file, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, errs, sum := benchtop(t, "run", "--", tool(t, "client", "cat "+file+"; echo over >&2"))
	if code != 0 {
		t.Fatalf("want 0, got %d: %s", code, errs)
	}
	if got := sum.Client.Requests; got == nil || *got != n {
		t.Errorf("requests: want %d, got %v (sources %+v, said %q)", n, deref(got), sum.Sources, errs)
	}
}
