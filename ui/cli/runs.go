package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"benchtop/sources/recording"
	"benchtop/ui/report"
)

// runLine is one recording as `runs --json` prints it.
type runLine struct {
	ID        string     `json:"id"`
	Label     *string    `json:"label"`
	Started   string     `json:"started"`
	DurationS report.Num `json:"duration_s"`
	Bytes     int64      `json:"bytes"`
	Records   uint64     `json:"records"`
	State     string     `json:"state"`
	Path      string     `json:"path"`
}

func newRuns(stdio Stdio) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "runs",
		Short: "List the recordings kept",
		Example: "  benchtop runs\n  benchtop report last\n" +
			"  benchtop runs --json",
		Args: none,
		RunE: func(*cobra.Command, []string) error {
			dir, err := recording.Dir()
			if err != nil {
				return &exitError{exitFailed, err}
			}
			infos, bad := recording.List(dir)
			if bad != nil && len(infos) == 0 {
				return &exitError{exitFailed, bad}
			}
			if bad != nil {
				fmt.Fprintf(stdio.Err, "benchtop: %s\n", oneLine(bad.Error()))
			}
			if asJSON {
				return printRunLines(stdio, infos)
			}
			return printRuns(stdio, dir, infos)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	return c
}

func printRunLines(stdio Stdio, infos []recording.Info) error {
	e := json.NewEncoder(stdio.Out)
	for _, i := range infos {
		l := runLine{
			ID: i.Header.ID, Started: i.Header.Started.Time().UTC().Format(time.RFC3339), DurationS: report.Num(i.Duration().Seconds()),
			Bytes: i.Size, Records: i.Records, State: i.State.String(), Path: i.Path,
		}
		if i.Header.Label != "" {
			l.Label = &i.Header.Label
		}
		if err := e.Encode(l); err != nil {
			return err
		}
	}
	return nil
}

func printRuns(stdio Stdio, dir string, infos []recording.Info) error {
	t := &table{w: stdio.Out}
	if len(infos) == 0 {
		t.print("no recordings in %s yet: benchtop watch keeps each run there (--record FILE puts it elsewhere)\n", oneLine(dir))
		return t.err
	}
	wide, name := len("RUN"), len("LABEL")
	var total int64
	for _, i := range infos {
		wide, name = max(wide, len(i.Header.ID)), max(name, len([]rune(oneLine(i.Header.Label))))
		total += i.Size
	}
	t.print("%-*s  %-*s  %-16s  %9s  %9s  %s\n", wide, "RUN", name, "LABEL", "STARTED", "LENGTH", "SIZE", "STATE")
	for _, i := range infos {
		t.print("%-*s  %-*s  %-16s  %9s  %9s  %s\n", wide, oneLine(i.Header.ID), name, oneLine(i.Header.Label),
			i.Header.Started.Time().Format("2006-01-02 15:04"), span(i.Duration()), size(i.Size), stateWord(i.State))
	}
	t.print("%d recordings, %s, in %s\n", len(infos), size(total), oneLine(dir))
	return t.err
}

func stateWord(s recording.State) string {
	switch s {
	case recording.Cut:
		return "cut short"
	case recording.Running:
		return "running (benchtop attach)"
	case recording.Closed:
	}
	return s.String()
}

// span prints a length as people say it: 42s, 3m05s, 1h02m.
func span(d time.Duration) string {
	d = d.Round(time.Second)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}

// size prints bytes in a unit that leaves few digits.
func size(n int64) string {
	v, unit := float64(n), "B"
	for _, u := range []string{"kB", "MB", "GB", "TB"} {
		if v < 1000 {
			break
		}
		v, unit = v/1000, u
	}
	if unit == "B" || v >= 100 {
		return fmt.Sprintf("%.0f %s", v, unit)
	}
	return strings.Replace(fmt.Sprintf("%.1f %s", v, unit), ".0 ", " ", 1)
}
