package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"benchtop/model"
	"benchtop/model/compare"
	"benchtop/sources/recording"
	"benchtop/ui/report"
)

// roundFiles are the tables that every recorded run adds its row to: beside the
// state folder's recordings, or beside the file that --record named.
func roundFiles(path string) (md, csv string) {
	dir := filepath.Dir(path)
	if runs, err := recording.Dir(); err == nil && dir == runs {
		dir = filepath.Dir(runs)
	}
	return filepath.Join(dir, "rounds.md"), filepath.Join(dir, "rounds.csv")
}

// keepRow adds the row of a live run that saw a client or a server, and says
// where, or why not.
func (s *session) keepRow(final *model.Snapshot, path string) []string {
	if !s.keep || !final.Client.Known && final.Whole(model.ServerRunning) == nil && final.Whole(model.ServerBatch) == nil {
		return nil
	}
	md, err := addRow(final, path)
	if err != nil {
		fmt.Fprintf(s.io.Err, "benchtop: %s\n", oneLine(err.Error()))
		return nil
	}
	return []string{fmt.Sprintf("%-9s %s", "row", md)}
}

// addRow adds the run's row to the tables, so that nobody has to judge from
// memory. It returns where they are.
func addRow(final *model.Snapshot, path string) (string, error) {
	md, csv := roundFiles(path)
	row := compare.RowOf(final)
	row.Round = 1 + rounds(csv)
	table := report.RowCSV([]compare.Row{row})
	var b bytes.Buffer
	if err := table.WriteCSV(&b); err != nil {
		return "", err
	}
	if err := appendRow(csv, b.Bytes(), 1); err != nil {
		return "", err
	}
	b.Reset()
	page := report.RoundLog([]compare.Row{row})
	if err := page.WriteMarkdown(&b); err != nil {
		return "", err
	}
	return md, appendRow(md, b.Bytes(), 2)
}

// rounds counts the rows that are there.
func rounds(csv string) int {
	data, err := os.ReadFile(csv)
	if err != nil {
		return 0
	}
	return max(0, strings.Count(string(data), "\n")-1)
}

// appendRow adds a table to a file: whole if the file is new, else without its
// head of so many lines. One write, so that two runs that end together don't
// mix their rows.
func appendRow(path string, table []byte, head int) error {
	if _, err := os.Stat(path); err == nil {
		for range head {
			_, table, _ = bytes.Cut(table, []byte("\n"))
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("round table %s: %w", path, err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("round table %s: %w", path, err)
	}
	_, err = f.Write(table)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("round table %s: %w", path, err)
	}
	return nil
}
