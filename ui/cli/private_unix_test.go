//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"benchtop/model/engine"
	"benchtop/ui"
)

// TestFilesArePrivate: what is written about a run is for its user alone,
// whatever the umask lets through; what they keep may tell of hosts and models.
func TestFilesArePrivate(t *testing.T) {
	was := syscall.Umask(0)
	t.Cleanup(func() { syscall.Umask(was) })
	root := t.TempDir()
	t.Chdir(root)
	t.Setenv("XDG_STATE_HOME", filepath.Join(root, "made", "state"))
	t.Setenv("HOME", root)
	in := func(name string) string { return filepath.Join(root, name) }
	log := in("server.log")
	if err := os.WriteFile(log, []byte("x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"demo", "--scenario", "saturated", "--headless", "--speed", "max", "--record", in("a.btr"), "--summary", in("summary.json")},
		{"report", in("a.btr"), "-o", in("report.html")},
		{"report", in("a.btr"), "-o", in("report.md")},
		{"shot", in("a.btr"), "--format", "svg", "-o", in("shot.svg")},
		{"watch", "--log", log, "--gpu", "off", "--host", "off", "--headless", "--for", "300ms"},
	} {
		if code, _, errs := ask(t, args...); code != 0 {
			t.Fatalf("%v: want 0, got %d, %s", args, code, errs)
		}
	}
	dir := filepath.Join(root, "made", "state", "benchtop", "runs")
	var runs []string
	for i := range 3 {
		runs = append(runs, keep(t, dir, "r", "", batch4, uint64(i), time.Date(2026, 3, 2, 9+i, 0, 0, 0, time.UTC)))
	}
	if code, _, errs := ask(t, append([]string{"baseline", "set", "main", "--force"}, runs...)...); code != 0 {
		t.Fatalf("baseline: want 0, got %d, %s", code, errs)
	}
	run, err := play(t.Context(), runs[0], 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := addRow(run.Snap, runs[0]); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the keys S and s, twice within a second
		if _, err := (&session{engine: engine.New(engine.Options{})}).report(); err != nil {
			t.Fatal(err)
		}
		if _, err := ui.Keep("screen.svg", []byte("<svg/>")); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	err = filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || path == root {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		want := os.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		}
		if n++; fi.Mode().Perm() != want {
			t.Errorf("%s: want mode %o, got %o", path, want, fi.Mode().Perm())
		}
		return nil
	})
	if err != nil || n < 18 {
		t.Errorf("want all that was written looked at, got %d, %v", n, err)
	}
}

// TestNamedPipes: where a pipe can't be what is meant, or nobody is at its other
// end, that is said in one line; nobody waits for it.
func TestNamedPipes(t *testing.T) {
	dir := state(t)
	root := t.TempDir()
	pipe, log := filepath.Join(root, "pipe"), filepath.Join(root, "server.log")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skipf("no named pipes here: %v", err)
	}
	if err := os.WriteFile(log, []byte("x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run := keep(t, dir, "one", "", batch4, 1, time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC))
	live := []string{"watch", "--log", log, "--gpu", "off", "--host", "off", "--headless", "--for", "100ms"}
	for _, args := range [][]string{
		{"report", pipe},
		{"replay", pipe, "--headless"},
		{"compare", pipe, run},
		{"shot", pipe},
		{"report", run, "-o", pipe},
		{"shot", run, "-o", pipe},
		append(live, "--no-record", "--summary", pipe),
		append(live, "--record", pipe),
		append(live, "--no-record", "--config", pipe),
		{"watch", "--log", log + ",format=" + pipe, "--headless", "--for", "100ms"},
	} {
		code, _, errs := ask(t, args...)
		if code != 1 && code != 2 || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, pipe) {
			t.Errorf("%v: want one line about the pipe, got %d, %q", args, code, errs)
		}
	}
}
