package ui

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"benchtop/ui/draw"
	"benchtop/ui/panel"
)

// noticeMsg is something to tell at the bottom of the screen.
type noticeMsg string

// save keeps the screen as it stands, as SVG and as text.
func (s *screen) save() tea.Cmd {
	if s.help {
		s.help = false
		s.draw()
	}
	name := "benchtop-screen"
	if snap := s.snap; snap != nil {
		name = "benchtop-" + snap.Now.Time().In(s.view.Zone).Format("20060102-150405")
	}
	svg, text := s.grid.SVG(nil, s.themes[s.theme]), []byte(s.grid.String())
	keep := s.opts.Save
	if keep == nil {
		keep = keepHere
	}
	return attempt("not saved", func() string {
		path, err := keep(name+".svg", svg)
		if err == nil {
			_, err = keep(name+".txt", text)
		}
		if err != nil {
			return "not saved: " + draw.Sanitize(err.Error())
		}
		return "saved " + draw.Sanitize(path) + " and .txt"
	})
}

// keepHere writes a file into the current folder.
func keepHere(name string, data []byte) (string, error) {
	path, err := filepath.Abs(name)
	if err != nil {
		path = name
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return "", fmt.Errorf("save the screen: %w", err)
	}
	return path, nil
}

// report writes the report of the run so far.
func (s *screen) report() tea.Cmd {
	write := s.opts.Report
	if write == nil {
		s.view.Notice = "no report from here: benchtop report RECORDING writes one"
		return nil
	}
	s.view.Notice = "writing the report …"
	return attempt("no report", func() string {
		path, err := write()
		if err != nil {
			return "no report: " + draw.Sanitize(err.Error())
		}
		return "report " + draw.Sanitize(path)
	})
}

// copyVerdict puts the verdict, with its numbers, on the clipboard of whoever
// looks at the terminal.
func (s *screen) copyVerdict() tea.Cmd {
	if s.slow == nil || s.slow.Verdict.ID == "" {
		s.view.Notice = "no verdict yet"
		return nil
	}
	s.view.Notice = "verdict copied, if the terminal allows it"
	return tea.SetClipboard(verdictText(s))
}

// verdictText is the verdict as plain lines.
func verdictText(s *screen) string {
	v := &s.slow.Verdict
	_, words := panel.Headline(v)
	lines := []string{words}
	add := func(label, text string) {
		if text = draw.Sanitize(text); text != "" {
			lines = append(lines, label+text)
		}
	}
	add("", v.Failures)
	add("", v.Text)
	for _, e := range v.Evidence {
		if !strings.Contains(v.Text, e.Text) {
			add("- ", e.Text)
		}
	}
	add("change: ", v.NextChange)
	add("does not prove: ", v.DoesNotProve)
	add("settled by: ", v.SettledBy)
	return strings.Join(lines, "\n") + "\n"
}

// title is the window's title: the verdict, for whoever looks at tabs only.
func (s *screen) title() string {
	if s.slow == nil || s.slow.Verdict.ID == "" {
		return "benchtop"
	}
	_, words := panel.Headline(&s.slow.Verdict)
	return "benchtop: " + draw.Fit(words, 80)
}
