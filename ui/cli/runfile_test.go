package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"benchtop/model"
)

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const wholeRunFile = `goal: sla
label: nightly
target_concurrency: 16
every: 2s
log: [vllm.log, "b=other.log"]
meta: {batch: "4", note: "a=b"}
slo: {ttft: 500ms, e2e: 5s}
load:
  target: http://user:secret@127.0.0.1:8000/v1?api_key=abc
  concurrency: 32
  connections: 8
  request_timeout: 60s
  stream: live.ndjson
config:
  batch_size: 4
  file: server.yaml
  env: {OMP_NUM_THREADS: 4, HF_TOKEN: abc}
thresholds:
  raise_s: 12
  min_ok: 20
passes: 2
`

// TestConfigOrigins asks which value stands when command line, run file and
// environment disagree, and where it came from.
func TestConfigOrigins(t *testing.T) {
	file := writeFile(t, "bench.yaml", wholeRunFile)
	t.Setenv("BENCHTOP_EVERY", "9s")
	t.Setenv("BENCHTOP_FPS", "4")
	code, out, errs := ask(t, "config", "--json", "--run-file", file, "--label", "typed")
	if code != 0 {
		t.Fatalf("want exit code 0, got %d: %s", code, errs)
	}
	var got configAll
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	flags := map[string]configLine{}
	for _, l := range got.Flags {
		flags[l.Name] = l
	}
	for _, tt := range []struct{ name, value, from string }{
		{"label", "typed", "command line"},
		{"every", "2s", file + ":4: every"},
		{"fps", "4", "BENCHTOP_FPS"},
		{"gpu", "auto", "default"},
		{"target-concurrency", "16", file + ":3: target_concurrency"},
		{"log", "vllm.log b=other.log", file + ":5: log"},
		{"load", "live.ndjson", file + ":8: load"},
		{"config", "server.yaml", file + ":14: config"},
		{"meta", "batch=4 note=a=b", file + ":6: meta"},
		{"slo", "ttft<500ms,e2e<5s", file + ":7: slo"},
	} {
		if l := flags[tt.name]; strings.Join(l.Value, " ") != tt.value || !strings.HasSuffix(l.From, tt.from) {
			t.Errorf("%s: want %s from %s, got %v from %s", tt.name, tt.value, tt.from, l.Value, l.From)
		}
	}
	if *got.Goal != "sla" || got.Thresholds["raise_s"] != 12 || got.Thresholds["clear_s"] != 15 {
		t.Errorf("want the goal sla, raise_s 12 and clear_s as it was, got %v %v", *got.Goal, got.Thresholds)
	}
	if want := "keep_alive duration payload report_json"; strings.Join(got.Implicit, " ") != want {
		t.Errorf("implicit: want %s, got %v", want, got.Implicit)
	}
	if strings.Contains(out, "secret") || strings.Contains(out, "abc") {
		t.Errorf("want no password and no key on the screen, got %s", out)
	}
}

// TestRunFileNotes reads what a run file hands to the model.
func TestRunFileNotes(t *testing.T) {
	f, err := readRunFile(writeFile(t, "bench.yaml", wholeRunFile))
	if err != nil {
		t.Fatal(err)
	}
	run := runFlags{file: f, slo: f.flags["slo"][0], target: 16}
	notes, err := run.notes(5)
	if err != nil {
		t.Fatal(err)
	}
	facts, settings := map[string]string{}, map[string]float64{}
	for _, n := range notes {
		switch n.Kind {
		case model.NoteRun:
			facts[n.Name] = n.Text
		case model.NoteConfig:
			settings[n.Name] = n.Value // the last word of the same kind stands
			if !strings.Contains(n.Text, "declared") {
				t.Errorf("%s: want it marked as declared, got %q", n.Name, n.Text)
			}
		}
	}
	for name, want := range map[string]string{
		"goal": "sla", "load.concurrency": "32", "load.target": "http://•••@127.0.0.1:8000/v1?•••", "config.batch_size": "4",
		"config.env.OMP_NUM_THREADS": "4", "config.env.HF_TOKEN": "•••", "slo": "ttft<500ms,e2e<5s",
	} {
		if facts[name] != want {
			t.Errorf("%s: want %q, got %q", name, want, facts[name])
		}
	}
	for name, want := range map[string]float64{
		"target_concurrency": 16, "client_connections": 8, "client_timeout_s": 60, "max_batch": 4, "slo_ttft_s": 0.5, "slo_e2e_s": 5,
	} {
		if settings[name] != want {
			t.Errorf("%s: want %g, got %g", name, want, settings[name])
		}
	}
}

// TestRunFileErrors wants one line with the place and the next step, and exit
// code 2, for each slip of the pen.
func TestRunFileErrors(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"unknown key", "label: x\ngaol: sla", ":2: gaol: no such key (is goal meant?)"},
		{"goal", "goal: fast", `:1: goal: "fast": max_throughput, sla or compare`},
		{"load key", "load: {targt: x}", "load: targt: no such key (is target meant?)"},
		{"load number", "load: {concurrency: many}", `load: concurrency: "many": want a number`},
		{"load switch", "load: {keep_alive: maybe}", "want true or false"},
		{"config key", "config: {batchsize: 4}", "is batch_size meant?"},
		{"duration without unit", "every: 3", "want a time such as 30s"},
		{"list for one value", "fps: [1, 2]", "can't be a list"},
		{"map for a flag", "log: {a: b}", "want a text"},
		{"threshold", "thresholds: {rais_s: 1}", "is raise_s meant?"},
		{"threshold value", "thresholds: {raise_s: -1}", "want a number"},
		{"not YAML", "a: [", "run file"},
		{"a list", "- a", "mapping"},
		{"twice", "goal: sla\ngoal: sla", "already defined"},
		{"another file", "run_file: x.yaml", "can't name another"},
		{"slo", "slo: speed<1s", "want ttft, e2e, itl, tpot"},
		{"slo twice", "slo: ttft<1s,ttft<2s", "limited twice"},
		{"slo time", "slo: ttft<fast", "want a time"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, out, errs := ask(t, "config", "--run-file", writeFile(t, "bad.yaml", tt.text))
			if code != exitUsage || out != "" || !strings.Contains(errs, tt.want) || strings.Count(errs, "\n") != 1 {
				t.Errorf("want exit code 2 and one line with %q, got %d, %q and %q", tt.want, code, out, errs)
			}
		})
	}
	if code, _, errs := ask(t, "config", "--run-file", "/nowhere.yaml"); code != exitUsage || !strings.Contains(errs, "/nowhere.yaml") {
		t.Errorf("missing file: want exit code 2 and its path, got %d %s", code, errs)
	}
}

// TestThresholdsAreRecorded runs with a run file's thresholds: the recording
// holds them, and its replay judges by them.
func TestThresholdsAreRecorded(t *testing.T) {
	state(t)
	rec := filepath.Join(t.TempDir(), "r.btr")
	file := writeFile(t, "bench.yaml", "thresholds: {raise_s: 3}\ngoal: compare\n")
	if code, _, errs := ask(t, "demo", "--scenario", "saturated", "--speed", "max", "--headless", "--record", rec, "--run-file", file); code != 0 {
		t.Fatalf("demo: want exit code 0, got %d: %s", code, errs)
	}
	run, err := play(t.Context(), rec, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := run.Snap.Run.Thresholds.RaiseS; got != 3 {
		t.Errorf("raise_s: want 3 as recorded, got %g", got)
	}
	if got := run.Snap.Run.Facts["goal"]; got != "compare" {
		t.Errorf("goal: want compare, got %q", got)
	}
}

// TestReplayJudgesAsRecorded replays a run that was judged by thresholds of its
// own: on the screen's path, too, the verdicts come at the same seconds, and a
// run file can ask what others would have said.
func TestReplayJudgesAsRecorded(t *testing.T) {
	state(t)
	rec := filepath.Join(t.TempDir(), "r.btr")
	file := writeFile(t, "bench.yaml", "thresholds: {min_ok: 200}\n")
	args := []string{"--scenario", "saturated", "--speed", "max", "--headless", "--verdicts"}
	_, live, errs := ask(t, append([]string{"demo", "--record", rec, "--run-file", file}, args...)...)
	if live == "" {
		t.Fatalf("no verdicts: %s", errs)
	}
	_, again, _ := ask(t, "replay", rec, "--speed", "max", "--headless", "--verdicts")
	if verdictLines(live) != verdictLines(again) {
		t.Errorf("replay: want the verdicts of the live run\n%s\ngot\n%s", verdictLines(live), verdictLines(again))
	}
	_, other, _ := ask(t, "replay", rec, "--speed", "max", "--headless", "--verdicts", "--run-file", writeFile(t, "late.yaml", "thresholds: {min_ok: 400}\n"))
	if verdictLines(live) == verdictLines(other) {
		t.Errorf("with other thresholds: want other seconds, got\n%s", verdictLines(other))
	}
}

func verdictLines(out string) string {
	var lines []string
	for l := range strings.Lines(out) {
		if strings.HasPrefix(l, "{\"t_s\"") {
			lines = append(lines, l)
		}
	}
	return strings.Join(lines, "")
}
