package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBadValues: a value that says nothing is refused with the flag's name
// before anything starts, not taken for another one.
func TestBadValues(t *testing.T) {
	state(t)
	dir := t.TempDir()
	log := filepath.Join(dir, "server.log")
	if err := os.WriteFile(log, []byte("x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link.log")
	if err := os.Symlink(log, link); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		code int
	}{
		{"--from middle", 2},
		{"--year -1", 2},
		{"--year 99999", 2},
		{"--lang de", 2},
		{"--target-concurrency NaN", 2},
		{"--target-concurrency +Inf", 2},
		{"--gpu exec:", 2},
		{"--gpu file:", 2},
		{"--gpu dcgm:", 2},
		{"--log " + log, 2}, // the second time
		{"--log x=" + link, 2},
		{"--load nosuch --load ./nosuch", 2},
		{"--host exec:", 2},
		{"--host client=file:", 2},
		{"--config nosuch.yaml", 1},
		{"--config .", 1},
		{"--code nosuch", 1},
		{"--code " + log, 1},
	} {
		args := append([]string{"watch", "--log", log, "--headless", "--no-record", "--for", "100ms", "--gpu", "off", "--host", "off"}, strings.Fields(c.args)...)
		code, out, errs := ask(t, args...)
		flag, _, _ := strings.Cut(c.args, " ")
		if code != c.code || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, flag) {
			t.Errorf("%s: want %d and one line that names it, got %d, %q, %q", c.args, c.code, code, errs, out)
		}
	}
}

// TestReadingsNobodyCanOpen: a source of readings that is not there is told
// with its reason, like any other.
func TestReadingsNobodyCanOpen(t *testing.T) {
	state(t)
	missing := filepath.Join(t.TempDir(), "missing.ndjson")
	code, out, errs := ask(t, "watch", "--gpu", "file:"+missing, "--host", "server=file:"+missing, "--headless", "--no-record", "--for", "700ms")
	if code != 1 || !strings.Contains(out, "gpu file:"+missing+": ") || !strings.Contains(out, "host server=file:"+missing+": ") || !strings.Contains(errs, "no such file") {
		t.Errorf("want both told and exit code 1, got %d, %q\n%s", code, errs, out)
	}
}
