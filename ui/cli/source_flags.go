package cli

import (
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"benchtop/sources/loadgen"
	"benchtop/sources/serverlog"
	"benchtop/sources/tail"
)

// sourceFlags say where data comes from.
type sourceFlags struct {
	logs, loads, metrics, hosts []string
	gpu                         string
	from                        string

	// What looking around found: somebody of a benchmark runs here, and where
	// the server serves (0 if that is not known).
	someone  bool
	port     int
	away     bool // it is known to be another machine's
	keepText bool

	started func() int // the load generator that run starts; nil elsewhere
}

func (f *sourceFlags) add(s *pflag.FlagSet) {
	s.StringArrayVar(&f.logs, "log", nil, "server log: `[LABEL=]PLACE[,format=NAME][,zone=ZONE][,year=YYYY][,start=TIME]`; PLACE is a path, - or exec:COMMAND; NAME a format or a profile's path, ./my.yaml (repeatable)")
	s.StringArrayVar(&f.loads, "load", nil, "load generator's stream: `PLACE` as for --log (repeatable)")
	s.StringArrayVar(&f.metrics, "metrics", nil, "Prometheus endpoint: `[LABEL=]URL|file:PATH` (repeatable)")
	s.StringArrayVar(&f.hosts, "host", nil, "machine readings: `[client=|server=]auto|file:PATH|exec:COMMAND|off` (repeatable)")
	s.StringVar(&f.gpu, "gpu", "auto", "GPU readings: auto, nvml, smi, dcgm:URL, file:PATH, exec:COMMAND or off")
	s.BoolVar(&f.keepText, "keep-text", false, "show and record samples of bad lines whole; prompts and answers may stand in them (default: without quoted and dumped text)")
	s.StringVar(&f.from, "from", "", "follow files from their `start|end` (default: logs from the end with 200 lines of history, load streams from the start)")
}

// any reports whether a raw file was named.
func (f *sourceFlags) any() bool {
	return len(f.logs)+len(f.loads)+len(f.metrics) > 0 || strings.HasPrefix(f.gpu, "file:") || len(f.files()) > 0
}

// check looks for values that say nothing: a place that is left out would
// otherwise be a source that never tells anything.
func (f *sourceFlags) check(run *runFlags) error {
	if f.from != "" && f.from != "start" && f.from != "end" {
		return usage("--from %q: start or end", f.from)
	}
	if run.year != 0 && (run.year < 1000 || run.year > 9999) {
		return usage("--year %d: write four digits, such as --year 2026", run.year)
	}
	if f.gpu == "exec:" || f.gpu == "file:" || f.gpu == "dcgm:" {
		return usage("--gpu %s: nothing after the colon (give a command, a path or a URL)", f.gpu)
	}
	if err := notTwice("--log", f.logs); err != nil {
		return err
	}
	if err := notTwice("--load", f.loads); err != nil {
		return err
	}
	for _, h := range f.hosts {
		if _, place := cutLabel(h); place == "exec:" || place == "file:" {
			return usage("--host %s: nothing after the colon (give a command or a path)", h)
		}
	}
	return nil
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
	if err := knownFormat(flag, s.Format); err != nil {
		return s, err
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

// knownFormat checks a format's name before anything is opened. For a log it
// can be the path of the user's own profile, which is checked whole.
func knownFormat(flag, name string) error {
	switch {
	case name == "":
		return nil
	case flag == "--load":
		if loadgen.FormatNamed(name) == nil {
			return usage("%s: unknown format %q (see benchtop formats)", flag, name)
		}
		return nil
	}
	if _, err := serverlog.Load(name); err != nil {
		return usage("%s: %w", flag, err)
	}
	return nil
}
