package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGatesExit: what a run was asked for and misses, and repeats that don't
// repeat, end with code 3 and one line that says why.
func TestGatesExit(t *testing.T) {
	state(t)
	dir := t.TempDir()
	goal := filepath.Join(dir, "goal.yaml")
	if err := os.WriteFile(goal, []byte("goal: sla\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(dir, name+".btr") }
	for _, name := range []string{"saturated", "power_cap", "low_concurrency"} {
		if code, _, errs := ask(t, "demo", "--scenario", name, "--headless", "--speed", "max", "--record", at(name)); code != 0 {
			t.Fatalf("record %s: %d, %s", name, code, errs)
		}
	}
	sla := func(scenario, slo string) []string {
		return []string{"demo", "--scenario", scenario, "--headless", "--speed", "max", "--run-file", goal, "--slo", slo}
	}
	for _, c := range []struct {
		name string
		args []string
		code int
		want string // on stderr
	}{
		{"no load keeps the limits", sla("saturated", "e2e<500ms"), 3, "a failed gate: "},
		{"the limits are kept", sla("healthy_balanced", "e2e<60s"), 0, ""},
		{"a step keeps them", sla("load_steps", "e2e<4s"), 0, ""},
		{"repeats that differ", []string{"compare", "a=" + at("saturated"), "a=" + at("power_cap"), "a=" + at("low_concurrency")}, 3, "a failed gate: the 3 runs of a differ by"},
		{"two runs tell no spread", []string{"compare", at("saturated"), at("power_cap")}, 0, ""},
	} {
		code, _, errs := ask(t, c.args...)
		if code != c.code || !strings.Contains(errs, c.want) || c.want == "" && strings.Contains(errs, "gate") {
			t.Errorf("%s: want code %d and %q, got %d, %s", c.name, c.code, c.want, code, errs)
		}
	}
}
