package ui

import (
	"errors"
	"fmt"
	"io/fs"
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
		keep = Keep
	}
	return attempt("not saved", func() string {
		path, err := keep(name+".svg", svg)
		if err == nil {
			_, err = keep(strings.TrimSuffix(filepath.Base(path), ".svg")+".txt", text)
		}
		if err != nil {
			return "not saved: " + draw.Sanitize(err.Error())
		}
		return "saved " + draw.Sanitize(path) + " and .txt"
	})
}

// Keep writes a file of its own into the current folder, readable by its owner
// alone: an older one of that name stays, and whatever a link of that name
// points at, and the new one gets a number. Half a file is not left behind.
func Keep(name string, data []byte) (path string, err error) {
	path, err = filepath.Abs(name)
	if err != nil {
		path = name
	}
	ext := filepath.Ext(path)
	first := strings.TrimSuffix(path, ext)
	for n := 2; ; n++ {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) && n < mostKept {
			path = fmt.Sprintf("%s-%d%s", first, n, ext)
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = f.Write(data)
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			_ = os.Remove(path) // the error before it is the one to tell
			return "", err
		}
		return path, nil
	}
}

// mostKept is how many files of one second find a name.
const mostKept = 100

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
