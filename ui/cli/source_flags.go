package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"benchtop/sources"
	"benchtop/sources/gpu"
	"benchtop/sources/host"
	"benchtop/sources/loadgen"
	"benchtop/sources/scrape"
	"benchtop/sources/serverlog"
	"benchtop/sources/tail"
)

// sourceFlags say where data comes from.
type sourceFlags struct {
	logs, loads, metrics, hosts []string
	gpu                         string
	from                        string
}

func (f *sourceFlags) add(s *pflag.FlagSet) {
	s.StringArrayVar(&f.logs, "log", nil, "server log: `[LABEL=]PLACE[,format=NAME][,zone=ZONE][,year=YYYY][,start=TIME]`; PLACE is a path, - or exec:COMMAND (repeatable)")
	s.StringArrayVar(&f.loads, "load", nil, "load generator's stream: `PLACE` as for --log (repeatable)")
	s.StringArrayVar(&f.metrics, "metrics", nil, "Prometheus endpoint: `[LABEL=]URL|file:PATH` (repeatable)")
	s.StringArrayVar(&f.hosts, "host", nil, "machine readings: `[client=|server=]auto|file:PATH|off` (repeatable)")
	s.StringVar(&f.gpu, "gpu", "auto", "GPU readings: auto, nvml, smi, file:PATH or off")
	s.StringVar(&f.from, "from", "", "follow files from their `start|end` (default: logs from the end with 200 lines of history, load streams from the start)")
}

// any reports whether a raw file was named.
func (f *sourceFlags) any() bool {
	return len(f.logs)+len(f.loads)+len(f.metrics) > 0 || strings.HasPrefix(f.gpu, "file:") || len(f.files()) > 0
}

// files are the paths of --host file:PATH.
func (f *sourceFlags) files() []string {
	var out []string
	for _, h := range f.hosts {
		_, place := cutLabel(h)
		if p, ok := strings.CutPrefix(place, "file:"); ok {
			out = append(out, p)
		}
	}
	return out
}

// cutLabel splits [LABEL=]PLACE where a place may itself hold "=".
func cutLabel(s string) (label, place string) {
	l, rest, ok := strings.Cut(s, "=")
	if !ok || l == "" {
		return "", s
	}
	for _, r := range l {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '.' || r == '-') {
			return "", s
		}
	}
	return l, rest
}

// spec parses one SPEC and fills in what the run's flags say.
func (f *sourceFlags) spec(flag, text string, run *runFlags) (tail.Spec, error) {
	s, err := tail.ParseSpec(text)
	if err != nil {
		return s, usage("%s: %w", flag, err)
	}
	if s.Zone == nil {
		if s.Zone, err = run.location(); err != nil {
			return s, err
		}
	}
	if s.Year == 0 {
		s.Year = run.year
	}
	return s, nil
}

// feeds opens the named files for a replay by their own times. The returned
// function opens them anew each time.
func (f *sourceFlags) feeds(run *runFlags) (func() ([]*sources.Feed, error), error) {
	var opens []func() (*sources.Feed, error)
	add := func(path string, feed func(io.ReadCloser, os.FileInfo) *sources.Feed) {
		opens = append(opens, func() (*sources.Feed, error) {
			file, err := os.Open(path)
			if err != nil {
				return nil, err
			}
			info, err := file.Stat()
			if err == nil && info.IsDir() {
				err = fmt.Errorf("%s: is a folder (name a file)", path)
			}
			if err != nil {
				_ = file.Close()
				return nil, err
			}
			return feed(file, info), nil
		})
	}
	for _, l := range f.logs {
		s, err := f.spec("--log", l, run)
		if err != nil {
			return nil, err
		}
		if s.Kind != tail.File {
			return nil, usage("--log %s: a replay reads files only", l)
		}
		add(s.Place, func(r io.ReadCloser, info os.FileInfo) *sources.Feed {
			return serverlog.NewFeed(r, s.Name(), serverlog.Options{Format: s.Format, Zone: zoneOr(s.Zone), Year: yearOr(s.Year, info), Start: s.Start, OwnTime: true, Label: s.Label, Name: s.Name()})
		})
	}
	for _, l := range f.loads {
		s, err := f.spec("--load", l, run)
		if err != nil {
			return nil, err
		}
		if s.Kind != tail.File {
			return nil, usage("--load %s: a replay reads files only", l)
		}
		add(s.Place, func(r io.ReadCloser, info os.FileInfo) *sources.Feed {
			return loadgen.NewFeed(r, s.Name(), loadgen.Options{Format: s.Format, Zone: zoneOr(s.Zone), Year: yearOr(s.Year, info), Start: s.Start, Label: s.Label, Name: s.Name(), Timeout: run.timeout})
		})
	}
	for _, m := range f.metrics {
		label, place := cutLabel(m)
		path, ok := strings.CutPrefix(place, "file:")
		if !ok {
			return nil, usage("--metrics %s: a replay reads saved scrapes, file:PATH", m)
		}
		add(path, func(r io.ReadCloser, _ os.FileInfo) *sources.Feed { return scrape.NewFeed(r, place, label) })
	}
	if path, ok := strings.CutPrefix(f.gpu, "file:"); ok {
		add(path, func(r io.ReadCloser, _ os.FileInfo) *sources.Feed { return gpu.NewFeed(r, f.gpu) })
	}
	for _, h := range f.hosts {
		label, place := cutLabel(h)
		if path, ok := strings.CutPrefix(place, "file:"); ok {
			add(path, func(r io.ReadCloser, _ os.FileInfo) *sources.Feed { return host.NewFeed(r, place, label) })
		}
	}
	return func() ([]*sources.Feed, error) {
		var out []*sources.Feed
		for _, o := range opens {
			feed, err := o()
			if err != nil {
				for _, f := range out {
					_ = f.Close()
				}
				return nil, fmt.Errorf("replay: %w", err)
			}
			out = append(out, feed)
		}
		return out, nil
	}, nil
}

func zoneOr(z *time.Location) *time.Location {
	if z == nil {
		return time.Local
	}
	return z
}

// yearOr is the year of stamps without one: as given, else of the file.
func yearOr(year int, info os.FileInfo) int {
	if year == 0 && info != nil {
		return info.ModTime().Year()
	}
	return year
}
