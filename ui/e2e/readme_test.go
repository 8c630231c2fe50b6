package e2e_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// recipe says how a line of the README is run, and what is to come of it. Lines
// are found by how they begin; the longest beginning counts.
type recipe struct {
	begins string
	until  string // what it prints before somebody ends it; "" ends by itself
	want   string // what it prints in the end
	leaves string // a file that it writes
	codes  []int  // how it may end; nil: well
	not    string // why it is only parsed (see ui/cli's TestReadmeRecipes); "" where it is run
}

var recipes = []recipe{
	{begins: "export CGO_CFLAGS"},
	{begins: "go run . demo", until: "client ", want: "verdict "},
	{begins: "go test ./...", not: "this is it"},
	{begins: "benchtop", not: "alone it looks around on whatever machine the tests run on: ui/cli's TestBareLooksAround"},
	{begins: "vegeta attack", until: "server 5+1", want: "client    2"},
	{begins: "benchtop run --log vllm.log -- k6 run", want: "client    "},
	{begins: "benchtop --load live.ndjson --log 'exec:", until: "server 5+1", want: "client    50 requests"},
	{begins: "benchtop replay 20261130-133017", want: "verdict "},
	{begins: "benchtop replay --log server.log", want: "client    21 requests"},
	{begins: "benchtop --log vllm.log --load live.ndjson --headless --for 120s", until: "client ", want: "client    50 requests", leaves: "summary.json", codes: []int{0, 3, 4}},
	{begins: "benchtop check --cool-below 45C", not: "it waits for a GPU to cool: ui/cli's TestCheckWaitsForGPUs"},
	{begins: "benchtop runs", want: "20261130-133017"},
	{begins: "benchtop report 20261130-133017 --format html", leaves: "run.html"},
	{begins: "benchtop compare --help", want: "--baseline"},
	{begins: "benchtop attach last", want: "verdict "},
	{begins: "benchtop replay last", want: "verdict "},
	{begins: "benchtop shot last", leaves: "f.png"},
	{begins: "benchtop report last", leaves: "run.html"},
	{begins: "benchtop compare batch4 batch8", want: "batch8", codes: []int{0, 3}},
	{begins: "benchtop rounds --run-file rounds.yaml", leaves: "result.html", codes: []int{0, 3}},
	{begins: "benchtop baseline set main run1 run2 run3", want: "main"},
}

// standIns are what the recipes call besides benchtop: programs that print what
// the real ones would.
var standIns = map[string]string{
	"go":         `[ "$1 $2" = "run ." ] && shift 2 && exec benchtop "$@"; exit 1`,
	"vegeta":     `case "$1" in attack) echo binary;; encode) cat >/dev/null; cat vegeta.json;; esac`,
	"k6":         `cat live.ndjson; echo done >&2`,
	"docker":     `cat vllm.log; exec sleep 60`,
	"kubectl":    `cat vllm.log; exec sleep 60`,
	"journalctl": `cat vllm.log; exec sleep 60`,
	"ssh":        `case "$*" in *benchtop*) cat gpu.ndjson;; *) cat vllm.log;; esac; exec sleep 60`,
}

var shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")

// commandsOf are the README's shell commands, each with its continuation lines.
func commandsOf(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	joined := regexp.MustCompile(`\\\n|\|\n`)
	var out []string
	for _, block := range shellBlock.FindAllStringSubmatch(string(text), -1) {
		block := joined.ReplaceAllStringFunc(block[1], func(s string) string { return strings.Trim(s, "\\\n") + " " })
		for _, line := range strings.Split(block, "\n") {
			if line, _, _ = strings.Cut(line, "  #"); strings.TrimSpace(line) != "" {
				out = append(out, strings.TrimSpace(line))
			}
		}
	}
	return out
}

func recipeOf(line string) (best recipe, ok bool) {
	for _, r := range recipes {
		whole := r.begins == "benchtop" // alone
		if (whole && line == r.begins || !whole && strings.HasPrefix(line, r.begins)) && len(r.begins) >= len(best.begins) {
			best, ok = r, true
		}
	}
	return best, ok
}

// TestReadmeRecipes runs the README's commands as they stand there, in a folder
// that has the files they name, with stand-ins for other people's programs.
func TestReadmeRecipes(t *testing.T) {
	slow(t)
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell here")
	}
	lines := commandsOf(t)
	if len(lines) < 20 {
		t.Fatalf("want the README's commands, found %d", len(lines))
	}
	env, dir := kitchen(t)
	for _, line := range lines {
		t.Run(line, func(t *testing.T) {
			r, ok := recipeOf(line)
			if !ok {
				t.Fatal("want the test to say how it is run, or why not")
			}
			if r.not != "" {
				t.Skip(r.not)
			}
			code, text := cook(t, line, r.until, env, dir)
			if !slices.Contains(append([]int{}, r.codes...), code) && (r.codes != nil || code != 0) {
				t.Errorf("want exit code %v, got %d:\n%s", r.codes, code, text)
			}
			if !strings.Contains(text, r.want) {
				t.Errorf("want %q, got:\n%s", r.want, text)
			}
			if r.leaves != "" {
				if fi, err := os.Stat(filepath.Join(dir, r.leaves)); err != nil || fi.Size() < 500 {
					t.Errorf("want it to leave %s: %v", r.leaves, err)
				}
				_ = os.Remove(filepath.Join(dir, r.leaves)) // the next one is to make its own
			}
		})
	}
}

// kitchen is a folder with what the recipes name, and the environment in which
// they find it.
func kitchen(t *testing.T) (env []string, dir string) {
	t.Helper()
	dir, bin := t.TempDir(), t.TempDir()
	for name, text := range standIns {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil { //nolint:gosec // a program
			t.Fatal(err)
		}
	}
	if err := os.Symlink(bench.binary(t), filepath.Join(bin, "benchtop")); err != nil {
		t.Fatal(err)
	}
	vllm := "INFO 11-30 12:00:01 [loggers.py:257] Engine 000: Avg prompt throughput: 10.0 tokens/s, Avg generation throughput: 20.0 tokens/s, Running: 5 reqs, Waiting: 1 reqs, GPU KV cache usage: 50.0%, Prefix cache hit rate: 0.0%\n"
	var vegeta strings.Builder
	for i := range 2 {
		fmt.Fprintf(&vegeta, `{"attack":"","seq":%d,"code":200,"timestamp":"%s","latency":5000000,"bytes_out":0,"bytes_in":10,"error":"","body":null,"method":"GET","url":"http://h:1/","headers":null}`+"\n",
			i, time.Now().Format(time.RFC3339Nano))
	}
	at := time.Unix(1796046690, 0).UTC() // in the run of testdata
	for name, text := range map[string]string{
		"vllm.log": strings.Repeat(vllm, 5), "live.ndjson": load(0, 50), "t.txt": "", "script.js": "", "vegeta.json": vegeta.String(),
		"gpu.ndjson":  fmt.Sprintf(`{"ts":"%s","gpu":0,"uuid":"GPU-1","name":"X","sm_mhz":1400,"util_pct":90}`+"\n", at.Format(time.RFC3339)),
		"rounds.yaml": "passes: 2\nno_record: false\narms:\n  - {name: a, run: [sh, -c, cat live.ndjson]}\n  - {name: b, run: [sh, -c, cat live.ndjson]}\n",
	} {
		put(t, filepath.Join(dir, name), text)
	}
	for name, from := range map[string]string{
		"server.log": "testdata/server.stamped.log", "client.ndjson": "testdata/client.ndjson",
		"metrics.prom": "../../sources/scrape/testdata/llamacpp-b-matched.prom",
	} {
		text, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(dir, name), string(text))
	}
	env = environ(t, "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	state := ""
	for _, e := range env {
		if v, ok := strings.CutPrefix(e, "XDG_STATE_HOME="); ok {
			state = filepath.Join(v, "benchtop", "runs")
		}
	}
	if err := os.MkdirAll(state, 0o700); err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"20261130-133017", "run1", "run2", "run3", "batch4", "batch8"} {
		got := invoke(t, "demo", "--scenario", "saturated", "--seed", fmt.Sprint(i), "--headless", "--speed", "max", "--label", name, "--record", filepath.Join(state, name+".btr"))
		if got.code != 0 {
			t.Fatalf("record %s: %s", name, got.err)
		}
	}
	return env, dir
}

// cook runs one line; one that goes on is ended as a user would once it has
// printed until.
func cook(t *testing.T, line, until string, env []string, dir string) (code int, text string) {
	t.Helper()
	var out lockedBuffer
	cmd := exec.Command("sh", "-c", "trap : INT\n"+line) // the shell outlives what is interrupted, as at a prompt
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = env, dir, &out, &out
	cmd.Stdin = bytes.NewReader(nil)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	t.Cleanup(func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }) // gone already, unless the test failed
	if until != "" {
		eventually(t, until+" printed", func() bool { return strings.Contains(out.String(), until) })
		if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
	}
	end := time.NewTimer(patience)
	defer end.Stop()
	select {
	case err := <-done:
		if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
	case <-end.C:
		t.Fatalf("it did not end within %s:\n%s", patience, out.String())
	}
	return cmd.ProcessState.ExitCode(), out.String()
}
