package cli

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"benchtop/model"
	"benchtop/sources/recording"
	"benchtop/sources/sim"
)

// snare is a folder whose files tell what was run: the names of the commands
// that could be, each of which leaves a file behind.
func snare(t *testing.T) (ran func() []string) {
	t.Helper()
	bin, left := t.TempDir(), t.TempDir()
	for _, name := range []string{"sh", "bash", "git", "ssh", "docker", "kubectl", "curl", "wget", "touch", "nvidia-smi", "stdbuf", "xdg-open", "journalctl"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n: >"+filepath.Join(left, name)+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin)
	return func() []string { return files(t, left) }
}

// files are all names below a folder, with their sizes.
func files(t *testing.T, dir string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			var fi os.FileInfo
			if fi, err = d.Info(); err == nil {
				rel, _ := filepath.Rel(dir, path)
				out = append(out, fmt.Sprintf("%s %d", rel, fi.Size()))
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestStrangersRecordingIsOnlyShown: whatever a recording says its sources,
// commands, files and places were, nothing of it is run, fetched or written.
func TestStrangersRecordingIsOnlyShown(t *testing.T) {
	var fetched atomic.Int32
	trap := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { fetched.Add(1) }))
	defer trap.Close()
	root := t.TempDir()
	here := filepath.Join(root, "a", "b")
	if err := os.MkdirAll(here, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(here)
	t.Setenv("HOME", filepath.Join(root, "home"))
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(root, "config"))
	t.Setenv("XDG_STATE_HOME", filepath.Join(root, "state"))
	ran := snare(t)
	bait := []string{
		"exec:touch " + filepath.Join(root, "owned"), trap.URL + "/metrics", "dcgm:" + trap.URL, "file:" + filepath.Join(root, "owned"),
		"../../../../owned", filepath.Join(root, "owned"), "$(touch owned)", "`touch owned`", "--record=owned", "client=exec:touch owned",
	}
	path := filepath.Join(root, "stranger.btr")
	strange(t, path, bait)
	other := filepath.Join(root, "stranger2.btr")
	strange(t, other, bait)
	before := files(t, root)

	code, out, errs := ask(t, "replay", path, "--headless", "--speed", "max")
	if code != 0 || !strings.Contains(out+errs, "verdict") {
		t.Fatalf("replay: want it shown, got %d, %s%s", code, out, errs)
	}
	for _, args := range [][]string{
		{"replay", path, "--headless", "--speed", "max", "--summary", "-"},
		{"report", path, "--format", "text"},
		{"report", path, "--format", "md"},
		{"report", path, "--format", "html"},
		{"report", path, "--format", "json"},
		{"report", path, "--format", "csv"},
		{"shot", path, "--format", "text"},
		{"shot", path, "--format", "svg"},
		{"shot", path, "--full", "sources"},
		{"compare", path, other},
		{"compare", path, other, "--json"},
		{"attach", path, "--headless", "--exit"},
		{"probe", path},
		{"runs"},
	} {
		if code, _, errs := ask(t, args...); code > 1 || strings.Count(errs, "\n") > 3 {
			t.Errorf("%v: want it shown or refused, got %d, %s", args, code, errs)
		}
	}
	if got := ran(); len(got) > 0 {
		t.Errorf("want nothing run, got %v", got)
	}
	if n := fetched.Load(); n > 0 {
		t.Errorf("want nothing fetched, got %d requests", n)
	}
	if after := files(t, root); !slices.Equal(before, after) {
		t.Errorf("want no file touched, had %v, now %v", before, after)
	}
}

// strange writes a played run whose every text is bait.
func strange(t *testing.T, path string, bait []string) {
	t.Helper()
	start := model.InstantOf(time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC))
	w, err := recording.Create(path, recording.Header{ID: "../../" + bait[4], Label: bait[6], Started: start, Benchtop: bait[0]})
	if err != nil {
		t.Fatal(err)
	}
	b := &model.Batch{}
	for i, text := range bait {
		for kind := model.NoteSource; kind <= model.NoteError; kind++ {
			b.Notes = append(b.Notes, model.Note{At: start, Seen: start, Kind: kind, Source: model.SourceID(200 + i), Key: uint64(i), Name: text, Text: "log|vllm|" + text + "|" + text, Value: float64(i % 8)})
		}
		for _, name := range []string{"id", "label", "change", "command", "cwd", "config_file", "report", "client_report", "commit", "benchtop", "started", "arm", "tool", "target", "generator"} {
			b.Notes = append(b.Notes, model.Note{At: start, Seen: start, Kind: model.NoteRun, Source: 200, Name: name, Text: text})
		}
	}
	w.Write(b)
	src, err := sim.Play(sim.Scenario{Name: "round", Changes: batch4}, 1, start, nil)
	if err != nil {
		t.Fatal(err)
	}
	through(t, w.Write, src)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestCommandsComeFromTheUserOnly: exec: in a variable, or in a run file that a
// variable names, is refused; in a run file named on the command line it runs.
func TestCommandsComeFromTheUserOnly(t *testing.T) {
	dir := t.TempDir()
	state(t)
	owned := filepath.Join(dir, "owned")
	file := filepath.Join(dir, "bench.yaml")
	if err := os.WriteFile(file, []byte("log: 'exec:touch "+owned+"; echo x; sleep 9'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	base := []string{"watch", "--headless", "--for", "300ms", "--no-record", "--every", "100ms"}
	for _, tt := range []struct{ name, value string }{
		{"BENCHTOP_LOG", "exec:touch " + owned},
		{"BENCHTOP_LOG", "/nothing\nserver=exec:touch " + owned},
		{"BENCHTOP_LOAD", "a=exec:touch " + owned},
		{"BENCHTOP_GPU", "exec:touch " + owned},
		{"BENCHTOP_HOST", "client=exec:touch " + owned},
		{"BENCHTOP_HOST", " exec:touch " + owned},
		{"BENCHTOP_RUN_FILE", file},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv(tt.name, tt.value)
			code, _, errs := ask(t, base...)
			if code != 2 || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "command line") {
				t.Errorf("want 2 and one line that says where from, got %d, %q", code, errs)
			}
			if _, err := os.Stat(owned); err == nil {
				t.Fatal("the command was run")
			}
		})
	}
	if code, _, errs := ask(t, append(base, "--run-file", file, "--gpu", "off", "--host", "off")...); code != 0 {
		t.Errorf("a run file named on the command line: want 0, got %d, %s", code, errs)
	}
	if _, err := os.Stat(owned); err != nil {
		t.Errorf("want its command run, or the rest of this test proves nothing: %v", err)
	}
}
