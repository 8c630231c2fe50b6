package e2e_test

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestDemoVerdicts(t *testing.T) {
	for _, c := range []struct {
		scenario string
		verdicts []string
		raised   string
	}{
		{"healthy_balanced", []string{"none", "closed_loop_ceiling"}, ""},
		{"client_pool", []string{"client_pool"}, "client_pool"},
		{"saturated", []string{"server_saturated"}, "server_saturated"},
		{"thermal_sw", []string{"thermal"}, "thermal"},
		{"power_cap", []string{"power_cap"}, "power_cap"},
	} {
		t.Run(c.scenario, func(t *testing.T) {
			got := invoke(t, "demo", "--scenario", c.scenario, "--headless", "--speed", "max", "--summary", "-")
			if got.code != 0 || got.err != "" {
				t.Fatalf("want exit 0 and no message, got %d and %q", got.code, got.err)
			}
			s, cl := parse(t, got.out)
			if !slices.Contains(c.verdicts, s.Verdict.ID) {
				t.Errorf("verdict: want %v, got %q", c.verdicts, s.Verdict.ID)
			}
			active := ""
			for _, f := range s.Findings {
				if f.Active && f.ID == c.raised {
					active = f.ID
				}
			}
			if active != c.raised {
				t.Errorf("active finding: want %q among %+v", c.raised, s.Findings)
			}
			if cl.Requests == nil || *cl.Requests < 500 {
				t.Errorf("requests: want hundreds, got %s", number(cl.Requests))
			}
			if s.Run.Duration < 60 || len(s.GPUs) == 0 || len(s.Server) == 0 {
				t.Errorf("want a run of minutes with a server and a GPU, got %g s, %d servers, %d GPUs", s.Run.Duration, len(s.Server), len(s.GPUs))
			}
		})
	}
}

func TestDemoIsTheSameEachTime(t *testing.T) {
	slow(t)
	args := []string{"demo", "--scenario", "client_pool", "--headless", "--speed", "max", "--verdicts", "--summary", "-"}
	first, second := invoke(t, args...), invoke(t, args...)
	if first.out != second.out {
		t.Errorf("two demos of one seed differ:\n%s\n%s", first.out, second.out)
	}
	lines := bufio.NewScanner(strings.NewReader(first.out))
	changes := 0
	for lines.Scan() && lines.Text() != "{" {
		var c struct {
			T      *float64 `json:"t_s"`
			ID     string
			Raised []string
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil || c.T == nil || c.ID == "" || c.Raised == nil {
			t.Errorf("want a change of the verdict as JSON, got %s (%v)", lines.Text(), err)
		}
		changes++
	}
	if changes < 2 {
		t.Errorf("want the verdict's changes before the summary, got %d", changes)
	}
	if other := invoke(t, append(args, "--seed", "12")...); other.out == first.out {
		t.Error("want another seed to give another run")
	}
}

func TestPlainLines(t *testing.T) {
	got := invoke(t, "demo", "--scenario", "saturated", "--speed", "300", "--for", "600ms")
	if got.code != 0 || got.err != "" {
		t.Fatalf("want exit 0 and no message, got %d and %q", got.code, got.err)
	}
	if strings.Contains(got.out, "\x1b") {
		t.Errorf("want no escape codes where stdout is no terminal, got %q", got.out)
	}
	if !strings.Contains(got.out, "client ") || !strings.Contains(got.out, "verdict ") {
		t.Errorf("want status lines and a summary, got:\n%s", got.out)
	}
}

func TestExitCodes(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	junk := filepath.Join(t.TempDir(), "junk.btr")
	if err := os.WriteFile(junk, []byte("this is no recording at all"), 0o600); err != nil {
		t.Fatal(err)
	}
	demo := func(scenario string, more ...string) []string {
		return append([]string{"demo", "--scenario", scenario, "--headless", "--speed", "max"}, more...)
	}
	for _, c := range []struct {
		name string
		args []string
		code int
		err  string // part of the one line on stderr; "" for none
	}{
		{"version", []string{"version"}, 0, ""},
		{"unknown flag", []string{"--no-such-flag"}, 2, "--no-such-flag"},
		{"unknown flag of a command", []string{"demo", "--no-such-flag"}, 2, "--no-such-flag"},
		{"unknown command", []string{"no-such-command"}, 2, "no-such-command"},
		{"unknown scenario", demo("no_such_scenario"), 2, "no_such_scenario"},
		{"speed of zero", []string{"demo", "--speed", "0"}, 2, "--speed"},
		{"unknown severity", demo("saturated", "--fail-on", "bad"), 2, "--fail-on"},
		{"replay of nothing", []string{"replay"}, 2, "replay"},
		{"replay, no such recording", []string{"replay", missing, "--headless"}, 1, missing},
		{"replay of junk", []string{"replay", junk, "--headless"}, 1, junk},
		{"replay, no such log", []string{"replay", "--log", missing, "--headless"}, 1, missing},
		{"probe of nothing there", []string{"probe", missing}, 1, missing},
		{"watch, nothing ever there", []string{"watch", "--log", missing, "--headless", "--for", "300ms", "--gpu", "off", "--no-record"}, 1, missing},
		{"summary into no folder", demo("short_run", "--summary", filepath.Join(missing, "s.json")), 1, missing},
		{"record into no folder", demo("short_run", "--record", filepath.Join(missing, "r.btr")), 1, missing},
		{"a major finding", demo("saturated", "--fail-on", "major"), 3, "server_saturated"},
		{"a major finding, other word", demo("thermal_sw", "--fail-on", "warning"), 3, "("},
		{"no finding that bad", demo("saturated", "--fail-on", "invalid"), 0, ""},
		{"nothing wrong", demo("healthy_balanced", "--fail-on", "major"), 0, ""},
		{"not enough to judge", demo("short_run", "--fail-on", "major"), 4, "not enough evidence"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := invoke(t, c.args...)
			if got.code != c.code {
				t.Errorf("want exit code %d, got %d", c.code, got.code)
			}
			if c.err == "" {
				if got.err != "" {
					t.Errorf("want nothing on stderr, got %q", got.err)
				}
				return
			}
			if strings.Count(got.err, "\n") != 1 || !strings.HasPrefix(got.err, "benchtop: ") || !strings.Contains(got.err, c.err) {
				t.Errorf("want one line on stderr about %q, got %q", c.err, got.err)
			}
		})
	}
}

// TestBrokenStdout closes the reader's end in mid-run: that is an error of
// ours, not a death by signal, and the recording is whole.
func TestBrokenStdout(t *testing.T) {
	file := filepath.Join(t.TempDir(), "run.btr")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := command(t, "demo", "--scenario", "saturated", "--headless", "--speed", "20", "--record", file)
	cmd.Stdout = w
	var errs strings.Builder
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = w.Close() // the child has it
	if _, err := bufio.NewReader(r).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	_ = r.Close()
	if code := finish(t, cmd); code != 1 {
		t.Errorf("want exit code 1, got %d (%v)", code, cmd.ProcessState)
	}
	if strings.Count(errs.String(), "\n") != 1 || !strings.Contains(errs.String(), "broken pipe") {
		t.Errorf("want one line about the broken pipe, got %q", errs.String())
	}
	wantWhole(t, file)
}

// TestFullDisk writes the summary where nothing fits.
func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full here")
	}
	defer func() { _ = full.Close() }()
	cmd := command(t, "demo", "--scenario", "short_run", "--headless", "--speed", "max", "--summary", "-")
	cmd.Stdout = full
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(stderr)
	if err != nil {
		t.Fatal(err)
	}
	if code := finish(t, cmd); code != 1 || strings.Count(string(text), "\n") != 1 {
		t.Errorf("want exit code 1 and one line, got %d and %q", code, text)
	}
}

func TestLists(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"demo", "--list"}, "thermal_sw"},
		{[]string{"formats"}, "llamacpp"},
		{[]string{"series"}, "seconds"},
		{[]string{"findings"}, "client_pool"},
		{[]string{"findings", "client_pool"}, "does not prove"},
		{[]string{"themes"}, "dark"},
		{[]string{"--help"}, "--load"},
		{[]string{"completion", "bash"}, "benchtop"},
		{[]string{"man"}, "benchtop"},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			got := invoke(t, c.args...)
			if got.code != 0 || got.err != "" || !strings.Contains(got.out, c.want) {
				t.Errorf("want %q and exit 0, got %d, %q, %q", c.want, got.code, got.out, got.err)
			}
		})
	}
}
