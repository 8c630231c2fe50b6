package cli

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"benchtop/model"
	"benchtop/sources"
)

func TestRedact(t *testing.T) {
	m := &metadata{}
	for _, c := range []struct{ args, want string }{
		{"--log server.log --label a", "--log server.log --label a"},
		{"--metrics http://user:pw@host:8000/metrics?token=abc", "--metrics http://•••@host:8000/metrics?•••"},
		{"--meta api_key=abc --meta batch=8", "--meta api_key=••• --meta batch=8"},
		{"-- bench --api-key abc --rate 5", "-- bench --api-key ••• --rate 5"},
		{"-- bench -H secret-header", "-- bench -H •••"},
		{"-- bench --token=abc", "-- bench --token=•••"},
		{"sk-abcdefghijkl", "•••"},
	} {
		if got := strings.Join(m.redacted(strings.Fields(c.args)), " "); got != c.want {
			t.Errorf("%q: want %q, got %q", c.args, c.want, got)
		}
	}
	if got := redact("curl -H 'Authorization: Bearer abc.def' http://x/"); strings.Contains(got, "abc") {
		t.Errorf("a token stays: %q", got)
	}
	plain := &metadata{keep: keepFlags{noRedact: true}}
	if got := plain.redacted([]string{"--token=abc"}); got[0] != "--token=abc" {
		t.Errorf("--no-redact: want it as it is, got %q", got)
	}
}

func TestAllowedEnvironment(t *testing.T) {
	for name, want := range map[string]bool{
		"CUDA_VISIBLE_DEVICES": true, "OMP_NUM_THREADS": true, "VLLM_ATTENTION_BACKEND": true, "VLLM_API_KEY": false, "HF_TOKEN": false,
		"HOME": false, "AWS_SECRET_ACCESS_KEY": false, "NCCL_DEBUG": true, "VLLM_HOST_IP": false,
	} {
		if got := mayKeep(name); got != want {
			t.Errorf("%s: want kept %v, got %v", name, want, got)
		}
	}
}

// once is the source without its wait for the end of the run.
type once struct{ *metadata }

func (o once) Run(ctx context.Context, out *sources.Outlet) error {
	o.tell(ctx, teller{out})
	return nil
}

// facts runs the source for a moment and gives what it told.
func facts(t *testing.T, m *metadata) map[string]string {
	t.Helper()
	g := sources.NewGroup()
	g.Start(t.Context(), once{m}, sources.Block, true)
	g.WhenFinite(func() { g.Wait(0) })
	got := map[string]string{}
	for b := range g.Batches() {
		for _, n := range b.Notes {
			if n.Kind == model.NoteRun {
				got[n.Name] = n.Text
			}
		}
	}
	return got
}

func TestMetadata(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "bench.yaml")
	if err := os.WriteFile(file, []byte("a: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	m := newMetadata(Stdio{Args: []string{"watch", "--run-file", file, "--label", "x"}, Env: []string{"OMP_NUM_THREADS=4", "HF_TOKEN=abc", "HOME=/root"}}, keepFlags{code: dir, config: file}, file)
	got := facts(t, m)
	for name, want := range map[string]string{"flags": "watch --run-file", "run_file": file, "benchtop": "", "cpu_count": "", "env.OMP_NUM_THREADS": "4", "code_dir": dir, "code_commit": "unknown: "} {
		if v, ok := got[name]; !ok || !strings.Contains(v, want) {
			t.Errorf("%s: want %q, got %q", name, want, v)
		}
	}
	if got["run_file_sha256"] != got["config_sha256"] || len(got["run_file_sha256"]) != 64 {
		t.Errorf("want the same hash of the same file twice, got %q and %q", got["run_file_sha256"], got["config_sha256"])
	}
	for _, name := range []string{"env.HF_TOKEN", "env.HOME"} {
		if v, ok := got[name]; ok {
			t.Errorf("%s must not be kept, got %q", name, v)
		}
	}
}

func TestCommit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	run := func(args ...string) {
		t.Helper()
		c := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	run("init", "-q")
	run("commit", "-q", "--allow-empty", "-m", "one")
	m := newMetadata(Stdio{}, keepFlags{code: dir}, "")
	if got := facts(t, m); len(got["code_commit"]) != 40 || got["code_dirty"] != "no" {
		t.Errorf("clean: want a commit and no, got %q, %q", got["code_commit"], got["code_dirty"])
	}
	if err := os.WriteFile(filepath.Join(dir, "new"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := facts(t, m); !strings.HasPrefix(got["code_dirty"], "yes: 1 file") {
		t.Errorf("a new file: want yes, got %q", got["code_dirty"])
	}
}

// TestEnvironmentIsRedacted: an allowed variable's value may hold a password.
func TestEnvironmentIsRedacted(t *testing.T) {
	m := newMetadata(Stdio{}, keepFlags{}, "")
	if got := m.clean("http://user:secret@127.0.0.1/metrics?key=abc"); strings.Contains(got, "secret") || strings.Contains(got, "abc") {
		t.Errorf("want no password and no query, got %q", got)
	}
	if got := newMetadata(Stdio{}, keepFlags{noRedact: true}, "").clean("a:b@c"); got != "a:b@c" {
		t.Errorf("--no-redact: want it as it is, got %q", got)
	}
}
