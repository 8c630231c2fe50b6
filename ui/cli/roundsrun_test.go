package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"benchtop/sources/recording"
)

// writeRounds writes a run file for rounds.
func writeRounds(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rounds.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const twoArms = `passes: 2
warmup: 1
watch: [--gpu, "off", --host, "off"]
arms:
  - name: one
    before: [sh, -c, "echo one >> LOG"]
    run: [sh, -c, "SCRIPT"]
  - name: two
    change: another
    before: [sh, -c, "echo two >> LOG"]
    run: [sh, -c, "SCRIPT"]
    meta: {batch: "8"}
`

// client prints a stream of three requests as they happen.
const client = `now() { date +%s.%N; }; for i in 1 2 3; do echo '{\"ev\":\"start\",\"t\":'$(now)',\"id\":'$i'}'; echo '{\"ev\":\"end\",\"t\":'$(now)',\"id\":'$i',\"dur_ms\":1,\"outcome\":\"ok\"}'; done`

// TestRounds runs two arms in turn: the order, the commands before, a recording
// of each, rows and the comparison, warm-up left out.
func TestRounds(t *testing.T) {
	dir := state(t)
	log := filepath.Join(t.TempDir(), "before.log")
	file := writeRounds(t, strings.NewReplacer("LOG", log, "SCRIPT", client).Replace(twoArms))
	code, out, errs := ask(t, "rounds", "--run-file", file, "--dry-run")
	if code != 0 || !strings.Contains(out, "6 rounds of 2 arms: (AB) ABAB") || !strings.Contains(out, "warm-up 1 of 1") {
		t.Errorf("--dry-run: got %d, %s\n%s", code, errs, out)
	}
	if _, err := os.Stat(log); err == nil {
		t.Error("--dry-run started something")
	}
	code, out, errs = ask(t, "rounds", "--run-file", file)
	if code != 0 {
		t.Fatalf("want 0, got %d: %s", code, errs)
	}
	before, err := os.ReadFile(log)
	if err != nil || strings.Join(strings.Fields(string(before)), " ") != "one two one two one two" {
		t.Errorf("want the arms in turn, got %q, %v", before, err)
	}
	infos, err := recording.List(dir)
	if err != nil || len(infos) != 6 {
		t.Errorf("want six recordings, got %d, %v", len(infos), err)
	}
	for _, want := range []string{"order of the runs: ABAB", "two against one", "3/0", "another"} {
		if !strings.Contains(out, want) {
			t.Errorf("want %q in the comparison, got:\n%s", want, out)
		}
	}
	for _, once := range []string{"is not known", "no inference server"} {
		if n := strings.Count(errs, once); n > 1 {
			t.Errorf("want %q told at most once, got %d times:\n%s", once, n, errs)
		}
	}
	if strings.Count(errs, "is not known")+strings.Count(errs, "no inference server") == 0 {
		t.Errorf("want it told once what is not known, got:\n%s", errs)
	}
	if !strings.Contains(errs, "next: two, pass 1 of 2") || !strings.Contains(errs, "too few runs") {
		t.Errorf("want the coach's lines, got:\n%s", errs)
	}
}

// TestRoundsStop: a command that fails ends the whole, with its code and what
// there is so far.
func TestRoundsStop(t *testing.T) {
	state(t)
	file := writeRounds(t, strings.NewReplacer("echo one >> LOG", "true", "echo two >> LOG", "echo no space >&2; exit 7", "SCRIPT", client, "warmup: 1", "warmup: 0").Replace(twoArms))
	code, out, errs := ask(t, "rounds", "--run-file", file)
	if code != 1 || !strings.Contains(errs, "round 2 (two, pass 1 of 2): before two: sh: exit status 7 (no space)") || !strings.Contains(out, "rounds") {
		t.Errorf("want the round and the reason, got %d, %s\n%.300s", code, errs, out)
	}
	file = writeRounds(t, strings.NewReplacer("echo one >> LOG", "true", "echo two >> LOG", "true", "SCRIPT", "exit 5", "warmup: 1", "warmup: 0").Replace(twoArms))
	if code, _, errs := ask(t, "rounds", "--run-file", file); code != 5 || !strings.Contains(errs, "round 1 (one") {
		t.Errorf("want the command's own code, got %d, %s", code, errs)
	}
}

func TestRoundsFileErrors(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"no arms", "passes: 2\n", "there is none"},
		{"no run", "arms: [{name: a}]\n", "run is missing"},
		{"twice", "arms: [{name: a, run: [x]}, {name: a, run: [x]}]\n", "named twice"},
		{"unknown key", "arm: []\n", "is arms meant"},
		{"not YAML", "arms: [\n", "run file"},
		{"too many", "passes: 1000\narms: [{name: a, run: [x]}]\n", "at most 500"},
		{"cool", "cool_below: hot\narms: [{name: a, run: [x]}]\n", "cool_below"},
	} {
		code, out, errs := ask(t, "rounds", "--run-file", writeRounds(t, c.text))
		if code != 2 || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, c.want) {
			t.Errorf("%s: want 2 and one line with %q, got %d, %q", c.name, c.want, code, errs)
		}
	}
	if code, _, errs := ask(t, "rounds"); code != 2 || !strings.Contains(errs, "--run-file") {
		t.Errorf("no file: want 2, got %d, %q", code, errs)
	}
}
