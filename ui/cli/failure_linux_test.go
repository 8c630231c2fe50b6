package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// small mounts a file system of so many bytes, or skips: that needs privileges.
func small(t *testing.T, options string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
		t.Skipf("no file system of our own here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// TestFullDisk: the run goes on and ends well, one line says that its recording
// was cut short, and what is there can be reported.
func TestFullDisk(t *testing.T) {
	state(t)
	dir := small(t, "size=16k")
	path := filepath.Join(dir, "a.btr")
	code, out, errs := ask(t, "demo", "--scenario", "saturated", "--headless", "--speed", "max", "--record", path)
	if code != 0 || !strings.Contains(out, "cut short: ") || !strings.Contains(out, "no space left on device") {
		t.Errorf("want the run to end well and say that the disk was full, got %d, %q, %q", code, out, errs)
	}
	if n := strings.Count(errs, "\n"); n > 1 {
		t.Errorf("want at most one line of errors, got %q", errs)
	}
	code, out, errs = ask(t, "report", path, "--format", "text")
	if code != 0 || !strings.Contains(out, "recording cut short") {
		t.Errorf("want a report that says so, got %d, %q\n%.300s", code, errs, out)
	}
	code, out, errs = ask(t, "report", path, "--format", "html", "-o", filepath.Join(dir, "r.html"))
	if code != 1 || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "no space left") {
		t.Errorf("a report to a full disk: want 1 and one line, got %d, %q", code, errs)
	}
	if _, err := os.Stat(filepath.Join(dir, "r.html")); err == nil {
		t.Error("half a report was left behind")
	}
}

// TestReadOnlyFolder: asked for by name it is an error; the state folder only
// costs the recording.
func TestReadOnlyFolder(t *testing.T) {
	dir := small(t, "ro")
	t.Setenv("XDG_STATE_HOME", dir)
	code, out, errs := ask(t, "demo", "--scenario", "short_run", "--headless", "--speed", "max", "--record", filepath.Join(dir, "a.btr"))
	if code != 1 || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "read-only") {
		t.Errorf("want 1 and one line, got %d, %q, %q", code, out, errs)
	}
	log := filepath.Join(t.TempDir(), "s.log")
	if err := os.WriteFile(log, []byte("x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, errs = ask(t, "watch", "--log", log, "--gpu", "off", "--host", "off", "--headless", "--for", "300ms")
	if strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "not recording: ") {
		t.Errorf("want one line that the run is not recorded, got %q", errs)
	}
}

// TestTwoWritersToOneName: the second one is refused, the first one unharmed.
func TestTwoWritersToOneName(t *testing.T) {
	dir := state(t)
	path := keep(t, dir, "one", "", batch4, 1, time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC))
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	code, out, errs := ask(t, "demo", "--scenario", "short_run", "--headless", "--speed", "max", "--record", path)
	if code != 1 || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "the file exists") {
		t.Errorf("want 1 and one line, got %d, %q, %q", code, out, errs)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the recording was touched (%v)", err)
	}
}

// TestDamagedRecordings: cut in the middle and with a flipped bit they still
// give a report that says what is missing; a damaged head is one clear line.
func TestDamagedRecordings(t *testing.T) {
	dir := state(t)
	whole, err := os.ReadFile(keep(t, dir, "one", "", batch8, 1, time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)))
	if err != nil {
		t.Fatal(err)
	}
	flip := func(at int) []byte {
		b := bytes.Clone(whole)
		b[at] ^= 0x10
		return b
	}
	for _, c := range []struct {
		name string
		data []byte
		code int
		want string
	}{
		{"cut", whole[:len(whole)*2/3], 0, "recording cut short"},
		{"flipped", flip(len(whole) / 2), 0, "blocks are damaged"},
		{"flipped head", flip(3), 1, "not a benchtop recording"},
		{"empty", nil, 1, "benchtop: "},
		{"text", []byte("hello\n"), 1, "not a benchtop recording"},
	} {
		path := filepath.Join(t.TempDir(), "x.btr")
		if err := os.WriteFile(path, c.data, 0o600); err != nil {
			t.Fatal(err)
		}
		code, out, errs := ask(t, "report", path, "--format", "text")
		if code != c.code || !strings.Contains(out+errs, c.want) || strings.Count(errs, "\n") > 1 {
			t.Errorf("%s: want %d and %q, got %d, %q\n%.200s", c.name, c.code, c.want, code, errs, out)
		}
	}
}
