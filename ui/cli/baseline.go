package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"benchtop/model/compare"
	"benchtop/sources/recording"
	"benchtop/ui/report"
)

// baselineName keeps a baseline's file inside its folder.
var baselineName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$`)

const baselineExt = ".json"

func newBaseline(stdio Stdio) *cobra.Command {
	c := &cobra.Command{
		Use: "baseline", Short: "Keep repeats of one configuration to measure later runs against",
		Example: "  benchtop baseline set main run1 run2 run3\n  benchtop baseline list\n  benchtop compare --baseline main last",
		Args:    none,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var force bool
	set := &cobra.Command{
		Use: "set NAME RUN...", Short: "Keep runs as the baseline NAME", Args: arguments(2, -1, "give a name and the runs to keep as it (benchtop baseline set main RUN RUN RUN; benchtop runs lists them)"),
		RunE: func(cmd *cobra.Command, args []string) error {
			runs, err := expand(args[1:])
			if err != nil {
				return err
			}
			rows, err := rowsOf(cmd.Context(), stdio, runs)
			if err != nil {
				return err
			}
			return setBaseline(stdio, args[0], rows, force)
		},
	}
	set.Flags().BoolVar(&force, "force", false, "keep it although its runs differ too much or are too few")
	list := &cobra.Command{
		Use: "list", Short: "List the baselines", Args: none,
		RunE: func(*cobra.Command, []string) error { return listBaselines(stdio) },
	}
	c.AddCommand(set, list)
	return c
}

// baselineDir lies beside the recordings.
func baselineDir() (string, error) {
	dir, err := recording.Dir()
	if err != nil {
		return "", err
	}
	return filepath.Join(filepath.Dir(dir), "baselines"), nil
}

func baselinePath(name string) (string, error) {
	if !baselineName.MatchString(name) {
		return "", fmt.Errorf("baseline %q: letters, digits, _, . and - only", name)
	}
	dir, err := baselineDir()
	return filepath.Join(dir, name+baselineExt), err
}

func setBaseline(stdio Stdio, name string, rows []compare.Row, force bool) error {
	path, err := baselinePath(name)
	if err != nil {
		return usage("%w", err)
	}
	b := compare.Baseline{Schema: compare.BaselineSchema, Name: name, Made: time.Now().UTC().Format(time.RFC3339), Rows: compare.Number(rows)}
	r := compare.Regress(b, rows, compare.Limits{}) // against itself: says whether it can serve
	if r.Verdict != compare.InsideNoise && !force {
		return &exitError{exitFailed, fmt.Errorf("baseline %s: %s (--force keeps it all the same)", name, r.Reasons[0])}
	}
	var buf bytes.Buffer
	if err := report.WriteJSON(&buf, b); err != nil {
		return &exitError{exitFailed, err}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
		err = replaceFile(path, buf.Bytes())
		if err != nil {
			return &exitError{exitFailed, fmt.Errorf("baseline %s: %w", name, err)}
		}
	} else {
		return &exitError{exitFailed, fmt.Errorf("baseline %s: %w", name, err)}
	}
	t := &table{w: stdio.Out}
	t.print("baseline %s: %d runs, in %s\n", name, len(rows), oneLine(path))
	for _, e := range r.Effects {
		t.print("  %s: median %.4g %s, spread %.1f %%, a later loss beyond %.1f %% counts\n", e.Title, e.A.Median*e.Metric.Scale, e.Unit, 100*e.A.Max, 100*max(e.A.Max, gateOf(e.ID)))
	}
	return t.err
}

func gateOf(id string) float64 {
	if id == compare.LatencyP99 {
		return compare.DefaultLimits().P99
	}
	return compare.DefaultLimits().Throughput
}

// replaceFile writes a file so that it is whole at any moment.
func replaceFile(path string, data []byte) error {
	tmp := path + ".new"
	if err := os.WriteFile(tmp, data, 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}

func loadBaseline(name string) (*compare.Baseline, error) {
	path, err := baselinePath(name)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("baseline %s: there is none (benchtop baseline list shows what there is)", name)
	}
	if err != nil {
		return nil, fmt.Errorf("baseline %s: %w", name, err)
	}
	var b compare.Baseline
	if err := json.Unmarshal(data, &b); err != nil {
		return nil, fmt.Errorf("baseline %s: %s is damaged: %w (set it again)", name, path, err)
	}
	if b.Schema != compare.BaselineSchema {
		return nil, fmt.Errorf("baseline %s: %s is of another version (%q; set it again)", name, path, b.Schema)
	}
	return &b, nil
}

func listBaselines(stdio Stdio) error {
	dir, err := baselineDir()
	if err != nil {
		return &exitError{exitFailed, err}
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &exitError{exitFailed, fmt.Errorf("baselines: %w", err)}
	}
	t := &table{w: stdio.Out}
	n := 0
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), baselineExt)
		if !ok {
			continue
		}
		b, err := loadBaseline(name)
		if err != nil {
			fmt.Fprintf(stdio.Err, "benchtop: %s\n", oneLine(err.Error()))
			continue
		}
		n++
		t.print("%-20s %d runs, made %s", name, len(b.Rows), b.Made)
		r := compare.Regress(*b, b.Rows, compare.Limits{})
		for _, e := range r.Effects {
			t.print("; %s %.4g %s ± %.1f %%", e.Title, e.A.Median*e.Metric.Scale, e.Unit, 100*e.A.Max)
		}
		t.print("\n")
	}
	if n == 0 {
		t.print("no baselines yet: benchtop baseline set NAME RUN... keeps one\n")
	}
	return t.err
}
