package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"benchtop/model/compare"
	"benchtop/sources/recording"
	"benchtop/ui/report"
)

// compareFlags say how runs are put side by side.
type compareFlags struct {
	by       string
	knob     string
	baseline string
	cross    bool
	format   string
	json     bool
	out      string
	limits   compare.Limits
}

func newCompare(stdio Stdio) *cobra.Command {
	f := compareFlags{limits: compare.DefaultLimits()}
	c := &cobra.Command{
		Use:   "compare RUN...",
		Short: "Lay rounds side by side, with what their difference proves",
		Long: `compare puts any number of runs into the documents' table, groups repeats into
arms, and says for each arm against the first whether it is better, worse,
inside the noise, not comparable, or too few runs to tell, and why.

A RUN is a path, an id, the beginning of one, "last", or a label (then all runs
with it). NAME=RUN puts a run into the arm NAME. With --baseline the runs are
measured against a kept one, and a regression exits with 3; so do repeats whose
throughput differs too much among themselves for anything to be compared.`,
		Example: "  benchtop compare batch4 batch8\n" +
			"  benchtop compare before=run1.btr before=run2.btr after=run3.btr after=run4.btr\n" +
			"  benchtop compare --baseline main last",
		Args: arguments(1, -1, "give two RUNs or more: paths, ids, beginnings of ids, labels, or last (benchtop runs lists them)"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd.Context(), stdio, args) },
	}
	s := c.Flags()
	s.StringVar(&f.by, "by", string(compare.ByAuto), "what makes runs repeats of each other: auto, arm, change, label or run")
	s.StringVar(&f.knob, "knob", "", "setting (or --meta key) whose values make a curve (default: the one that differs)")
	s.StringVar(&f.baseline, "baseline", "", "measure against the baseline `NAME` (see benchtop baseline list)")
	s.BoolVar(&f.cross, "cross-tool", false, "two load generators on one server: ask whether they agree")
	s.StringVar(&f.format, "format", "", "text, md, html, json or csv (default: by the ending of -o, else text)")
	s.BoolVar(&f.json, "json", false, "short for --format json")
	s.StringVarP(&f.out, "output", "o", "", "write to `FILE` (default: standard output)")
	s.Float64Var(&f.limits.Throughput, "gate-throughput", f.limits.Throughput, "spread allowed to repeats, as a share")
	s.Float64Var(&f.limits.P99, "gate-p99", f.limits.P99, "spread allowed to the p99 of repeats, as a share")
	return c
}

// named is one run to compare and the arm it was put into.
type named struct{ arm, path string }

// expand turns the arguments into recordings: a label stands for all its runs.
func expand(args []string) ([]named, error) {
	dir, err := recording.Dir()
	if err != nil {
		dir = ""
	}
	var out []named
	seen := map[string]bool{}
	for _, a := range args {
		arm, name := cutLabel(a)
		paths, err := expandOne(dir, name)
		if err != nil {
			return nil, &exitError{exitFailed, err}
		}
		for _, p := range paths {
			if seen[p] {
				return nil, usage("%s is named twice: a run is no repeat of itself", name)
			}
			seen[p] = true
			out = append(out, named{arm, p})
		}
	}
	return out, nil
}

func expandOne(dir, name string) ([]string, error) {
	infos, _ := recording.List(dir) // a damaged neighbour is none of our business
	var all []string
	for _, i := range infos {
		if i.Header.Label == name && name != "" {
			all = append(all, i.Path)
		}
	}
	if len(all) > 1 {
		return all, nil
	}
	p, err := recording.Find(dir, name)
	return []string{p}, err
}

// rowsOf replays each recording once and reads its row.
func rowsOf(ctx context.Context, stdio Stdio, runs []named) ([]compare.Row, error) {
	var out []compare.Row
	for _, n := range runs {
		run, err := play(ctx, n.path, 0)
		if err != nil {
			return nil, err
		}
		if run.Info.State == recording.Running {
			fmt.Fprintf(stdio.Err, "benchtop: %s is still being recorded: its row is of what there is so far\n", oneLine(run.Info.Header.ID))
		}
		r := compare.RowOf(run.Snap)
		r.Arm = n.arm
		out = append(out, r)
	}
	return out, nil
}

func (f *compareFlags) run(ctx context.Context, stdio Stdio, args []string) error {
	kind, err := f.kind()
	if err != nil {
		return err
	}
	switch by := compare.By(f.by); by {
	case compare.ByAuto, compare.ByArm, compare.ByChange, compare.ByLabel, compare.ByRun:
	default:
		return usage("--by %q: auto, arm, change, label or run", f.by)
	}
	var base *compare.Baseline
	if f.baseline != "" {
		if base, err = loadBaseline(f.baseline); err != nil {
			return &exitError{exitFailed, err}
		}
	}
	runs, err := expand(args)
	if err != nil {
		return err
	}
	rows, err := rowsOf(ctx, stdio, runs)
	if err != nil {
		return err
	}
	if base != nil {
		return f.against(stdio, base, rows, kind)
	}
	res := compare.Compare(rows, compare.Options{By: compare.By(f.by), Limits: f.limits, Knob: f.knob, CrossTool: f.cross})
	page := report.Comparison(&res)
	err = f.write(stdio, kind, page, report.ComparisonHead(&res), report.RowCSV(res.Rows), struct {
		Schema string `json:"schema"`
		compare.Result
	}{"benchtop/compare/v1", res})
	if err == nil {
		err = gated(&res)
	}
	return err
}

// gated is the error of a comparison whose repeats don't repeat.
func gated(res *compare.Result) error {
	if why := res.FailedGate(); why != "" {
		return &exitError{exitFinding, errors.New("a failed gate: " + oneLine(why))}
	}
	return nil
}

func (f *compareFlags) kind() (string, error) {
	format := f.format
	if f.json {
		if format != "" && format != "json" {
			return "", usage("--json and --format %s: which of the two", format)
		}
		format = "json"
	}
	if format == "" && f.out == "" {
		format = "text"
	}
	return reportKind(format, f.out)
}

func (f *compareFlags) against(stdio Stdio, base *compare.Baseline, rows []compare.Row, kind string) error {
	r := compare.Regress(*base, rows, f.limits)
	rows = compare.Number(rows)
	err := f.write(stdio, kind, report.Against(&r, rows), report.AgainstHead(&r), report.RowCSV(rows), struct {
		Schema string `json:"schema"`
		compare.Regression
		Rows []compare.Row `json:"rows"`
	}{"benchtop/regression/v1", r, rows})
	if err == nil && r.Alarm {
		err = &exitError{exitFinding, errors.New("regression against the baseline " + base.Name + ": " + strings.Join(r.Reasons, "; "))}
	}
	return err
}

// write puts a comparison out in one format.
func (f *compareFlags) write(stdio Stdio, kind string, page *report.Page, head report.Head, csv report.Table, all any) error {
	var b bytes.Buffer
	var err error
	switch kind {
	case "json":
		err = report.WriteJSON(&b, all)
	case "csv":
		err = csv.WriteCSV(&b)
	case "html":
		err = page.WriteHTML(&b, head)
	case "md":
		err = page.WriteMarkdown(&b)
	default:
		err = page.WriteText(&b)
	}
	if err != nil {
		return &exitError{exitFailed, err}
	}
	return writeOut(stdio.Out, f.out, b.Bytes())
}
