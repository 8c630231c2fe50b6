package cli

import (
	"bytes"
	"strings"

	"github.com/spf13/cobra"

	"benchtop/model"
	"benchtop/model/compare"
	"benchtop/ui/report"
)

func newReport(stdio Stdio) *cobra.Command {
	var format, out string
	c := &cobra.Command{
		Use:   "report RUN",
		Short: "Write the report of one run",
		Example: "  benchtop report last\n  benchtop report last --format html -o run.html\n" +
			"  benchtop report 20260102-150405 --format json | jq .verdict",
		Args: arguments(1, 1, oneRun),
		RunE: func(cmd *cobra.Command, args []string) error {
			kind, err := reportKind(format, out)
			if err != nil {
				return err
			}
			path, err := findRun(args[0])
			if err != nil {
				return err
			}
			run, err := play(cmd.Context(), path, 0)
			if err != nil {
				return err
			}
			data, err := render(run.Snap, kind)
			if err != nil {
				return &exitError{exitFailed, err}
			}
			return writeOut(stdio.Out, out, data)
		},
	}
	c.Flags().StringVar(&format, "format", "", "md, html, json, csv or text (default: by the ending of -o, else md)")
	c.Flags().StringVarP(&out, "output", "o", "", "write to `FILE` (default: standard output)")
	return c
}

// reportKind is the format asked for, or the one that the file's ending names.
func reportKind(format, out string) (string, error) {
	k := format
	if k == "" {
		k = "md"
		for _, end := range []string{"html", "json", "csv", "txt"} {
			if strings.HasSuffix(strings.ToLower(out), "."+end) {
				k = end
			}
		}
	}
	switch k {
	case "md", "html", "json", "csv", "text":
		return k, nil
	case "txt":
		return "text", nil
	case "markdown":
		return "md", nil
	}
	return "", usage("--format %q: md, html, json, csv or text", k)
}

// render writes one run in a format.
func render(s *model.Snapshot, kind string) ([]byte, error) {
	var b bytes.Buffer
	var err error
	switch kind {
	case "json":
		err = report.WriteSummary(&b, s)
	case "csv":
		row := compare.RowOf(s)
		row.Round = 1
		t := report.RowCSV([]compare.Row{row})
		err = t.WriteCSV(&b)
	case "html":
		err = report.Run(s).WriteHTML(&b, report.RunHead(s))
	case "text":
		err = report.Run(s).WriteText(&b)
	default:
		err = report.Run(s).WriteMarkdown(&b)
	}
	return b.Bytes(), err
}
