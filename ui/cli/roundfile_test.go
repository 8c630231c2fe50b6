package cli

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestRoundTable adds the rows of two runs: one table with one head, numbered.
func TestRoundTable(t *testing.T) {
	dir := state(t)
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for i, change := range []string{"", "max batch 8"} {
		path := keep(t, dir, "x", change, batch4, uint64(i), at.Add(time.Duration(i)*time.Hour))
		run, err := play(t.Context(), path, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := addRow(run.Snap, path); err != nil {
			t.Fatal(err)
		}
	}
	md, err := os.ReadFile(filepath.Join(filepath.Dir(dir), "rounds.md"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(md)), "\n")
	if len(lines) != 4 || !strings.HasPrefix(lines[2], "| 1 | baseline |") || !strings.HasPrefix(lines[3], "| 2 | max batch 8 |") {
		t.Errorf("want a head, a rule and two numbered rows, got:\n%s", md)
	}
	f, err := os.Open(filepath.Join(filepath.Dir(dir), "rounds.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) != 3 || rows[2][0] != "2" || rows[2][1] != "max batch 8" {
		t.Errorf("want a head and two rows of the same width, got %v: %v", err, rows)
	}
}
