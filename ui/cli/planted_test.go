package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestPlantedBaseline: whatever the texts of a baseline file are, they are at
// most shown, and without what they could do to a terminal.
func TestPlantedBaseline(t *testing.T) {
	dir := state(t)
	root := t.TempDir()
	t.Chdir(root)
	var runs []string
	for i := range 4 {
		runs = append(runs, keep(t, dir, "r", "", batch4, uint64(i), time.Date(2026, 3, 2, 9+i, 0, 0, 0, time.UTC)))
	}
	if code, _, errs := ask(t, append([]string{"baseline", "set", "main", "--force"}, runs[:3]...)...); code != 0 {
		t.Fatalf("baseline: want 0, got %d, %s", code, errs)
	}
	path := filepath.Join(filepath.Dir(dir), "baselines", "main.json")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	ran := snare(t)
	before := files(t, root)
	texts := regexp.MustCompile(`: "[^"]*"`)
	numbers := regexp.MustCompile(`: -?[0-9][0-9.e+-]*`)
	planted := func(bait string) string {
		return texts.ReplaceAllStringFunc(string(whole), func(s string) string {
			if strings.Contains(s, "benchtop/baseline/v1") {
				return s
			}
			return fmt.Sprintf(": %q", bait)
		})
	}
	for name, text := range map[string]string{
		"commands":      planted("exec:touch owned"),
		"paths":         planted("../../../../etc/passwd"),
		"escapes":       strings.ReplaceAll(planted("ESC"), "ESC", `a\u001b[2J\u001b]0;owned\u0007\u202eb`),
		"huge numbers":  numbers.ReplaceAllString(string(whole), ": 1e308"),
		"negative ones": numbers.ReplaceAllString(string(whole), ": -7"),
		"nothing":       numbers.ReplaceAllString(string(whole), ": null"),
		"texts":         numbers.ReplaceAllString(string(whole), `: "x"`),
		"half of it":    string(whole[:len(whole)/2]),
		"empty":         "",
		"a list":        "[]",
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, args := range [][]string{{"compare", "--baseline", "main", runs[3]}, {"compare", "--baseline", "main", runs[3], "--json"}, {"baseline", "list"}} {
				code, out, errs := ask(t, args...)
				if code == 2 || code > 3 || strings.Count(errs, "\n") > 1 || strings.Contains(errs, "internal error") {
					t.Errorf("%v: want it shown or refused in one line, got %d, %q", args, code, errs)
				}
				if all := out + errs; strings.ContainsAny(all, "\x1b\x07") || strings.Contains(all, "\u202e") {
					t.Errorf("%v: want nothing for the terminal in it, got %q", args, all)
				}
			}
		})
	}
	if got := ran(); len(got) > 0 {
		t.Errorf("want nothing run, got %v", got)
	}
	if after := files(t, root); len(before) != len(after) {
		t.Errorf("want no file made, had %v, now %v", before, after)
	}
}

// TestNothingIsReadUnasked: a run file that lies where the user works or keeps
// settings, but is not named, is none; its commands stay what they are.
func TestNothingIsReadUnasked(t *testing.T) {
	state(t)
	root := t.TempDir()
	t.Chdir(root)
	owned := filepath.Join(root, "owned")
	t.Setenv("HOME", root)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(root, ".config"))
	text := []byte("log: 'exec:touch " + owned + "; sleep 9'\nlabel: planted\n")
	for _, dir := range []string{root, filepath.Join(root, ".config", "benchtop"), filepath.Join(root, ".benchtop")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"bench.yaml", "benchtop.yaml", ".benchtop.yaml", "config.yaml", "config", "run.yaml"} {
			if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	log := filepath.Join(root, "server.log")
	if err := os.WriteFile(log, []byte("x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, out, errs := ask(t, "watch", "--log", log, "--gpu", "off", "--host", "off", "--no-record", "--headless", "--for", "300ms")
	if strings.Contains(out+errs, "planted") {
		t.Errorf("want no file read that nobody named, got %s%s", out, errs)
	}
	_, out, errs = ask(t, "config")
	if strings.Contains(out+errs, "planted") || strings.Contains(out+errs, "exec:") {
		t.Errorf("want no setting out of it, got %s%s", out, errs)
	}
	if _, err := os.Stat(owned); err == nil {
		t.Fatal("the command was run")
	}
}
