package cli

import (
	"fmt"
	"math"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"benchtop/model"
	"benchtop/ui"
)

// screenFlags say how the run is shown.
type screenFlags struct {
	headless bool
	every    time.Duration
	summary  string
	verdicts bool
	for_     time.Duration
	exit     bool
	theme    string
	ascii    bool
	wide     bool
	fps      int
	noMouse  bool
	layout   string
	full     string
	hide     string
	window   time.Duration
	lines    bool
	lang     string
	failOn   string
	severity model.Severity // of failOn
}

func (f *screenFlags) add(s *pflag.FlagSet) {
	s.BoolVar(&f.headless, "headless", false, "no screen: one line a period and a summary (chosen by itself when stdout is no terminal)")
	s.DurationVar(&f.every, "every", time.Second, "period of the lines of --headless")
	s.StringVar(&f.summary, "summary", "", "write the summary JSON to `FILE` (- is stdout)")
	s.BoolVar(&f.verdicts, "verdicts", false, "with --headless: print each change of the verdict as a JSON line")
	s.DurationVar(&f.for_, "for", 0, "stop after this long")
	s.BoolVar(&f.exit, "exit", false, "stop when every finite source has ended")
	s.StringVar(&f.theme, "theme", "", "colour theme (see benchtop themes)")
	s.BoolVar(&f.ascii, "ascii", false, "draw with ASCII characters only")
	s.BoolVar(&f.wide, "wide", false, "the terminal draws ambiguous characters two cells wide (East Asian): ASCII instead")
	s.IntVar(&f.fps, "fps", ui.DefaultFPS, "how often a second the charts move, 1 to 10")
	s.BoolVar(&f.noMouse, "no-mouse", false, "leave the mouse to the terminal")
	s.StringVar(&f.layout, "layout", "", "layout of the screen to begin with: "+layoutNames())
	s.StringVar(&f.full, "full", "", "`PANEL` that has the whole screen to begin with")
	s.StringVar(&f.hide, "hide", "", "`PANELS` not shown to begin with, parted by commas")
	s.DurationVar(&f.window, "window", ui.DefaultWindow, "length of the time axis to begin with; 0 is the whole run")
	s.BoolVar(&f.lines, "lines", false, "concurrency as lines rather than areas to begin with")
	s.StringVar(&f.lang, "lang", "en", "language (reserved)")
	s.StringVar(&f.failOn, "fail-on", "", "exit with 3 on a finding of this `severity` or above: note, minor, major, invalid")
}

// check validates what pflag can't.
func (f *screenFlags) check() error {
	if f.every < 100*time.Millisecond {
		return usage("--every %s: at least 100ms", f.every)
	}
	if f.for_ < 0 {
		return usage("--for %s: must not be negative", f.for_)
	}
	if f.fps < 1 || f.fps > 10 {
		return usage("--fps %d: 1 to 10", f.fps)
	}
	if f.lang != "" && f.lang != "en" && f.lang != "zh" {
		return usage("--lang %q: en or zh", f.lang)
	}
	if f.window < 0 {
		return usage("--window %s: must not be negative", f.window)
	}
	if err := checkLook(f.layout, f.full, f.hide); err != nil {
		return err
	}
	if f.failOn == "" {
		return nil
	}
	for i, names := range [][]string{{"note", "info"}, {"minor"}, {"major", "warning"}, {"invalid", "critical"}} {
		for _, n := range names {
			if f.failOn == n {
				f.severity = model.Severity(i)
				return nil
			}
		}
	}
	return usage("--fail-on %q: note, minor, major or invalid", f.failOn)
}

// runFlags say what is declared about the run and where it is kept.
type runFlags struct {
	target    float64
	timeout   time.Duration
	maxBatch  int
	batchWait time.Duration
	label     string
	change    string
	meta      []string
	record    string
	noRecord  bool
	zone      string
	year      int
	keep      keepFlags
	slo       string
	path      string          // of the run file
	file      *runFile        // nil if there is none
	coach     string          // what comes next, among the events and at the bottom; "" outside rounds
	told      map[string]bool // what earlier rounds said; nil outside rounds
	title     string          // of the screen, in place of the label
}

func (f *runFlags) add(s *pflag.FlagSet) {
	s.Float64Var(&f.target, "target-concurrency", 0, "concurrency the client was told to hold (declared, not measured)")
	s.DurationVar(&f.timeout, "client-timeout", 0, "the client's request timeout (declared)")
	s.IntVar(&f.maxBatch, "max-batch", 0, "the server's max batch size (declared)")
	s.DurationVar(&f.batchWait, "batch-wait", 0, "the server's longest batch wait (declared)")
	s.StringVar(&f.slo, "slo", "", "what a good request keeps to: ttft, e2e, itl or tpot below a time, such as 'ttft<500ms,e2e<5s' (declared)")
	s.StringVar(&f.path, "run-file", "", "YAML `FILE` that holds any of these flags, and load:, config:, goal: and thresholds: (flags win over it, it over BENCHTOP_… variables)")
	s.StringVar(&f.label, "label", "", "name of this run")
	s.StringVar(&f.change, "change", "", "the one thing changed since the last round")
	s.StringArrayVar(&f.meta, "meta", nil, "`KEY=VALUE` to keep with the run (repeatable)")
	s.StringVar(&f.record, "record", "", "record the run to `FILE` (default: the state folder)")
	s.BoolVar(&f.noRecord, "no-record", false, "do not record the run")
	s.StringVar(&f.zone, "zone", "", "zone of stamps without one, such as UTC, local or +02:00")
	s.IntVar(&f.year, "year", 0, "year of stamps without one")
	f.keep.add(s)
}

// settle fills in the flags that were not typed, from the run file and the
// environment.
func (f *runFlags) settle(c *cobra.Command, stdio Stdio, skip ...string) error {
	s, err := settle(c, stdio, skip...)
	if err == nil {
		f.file = s.file
	}
	return err
}

// thresholds are those of the run file; without, those of the recording that is
// played, or the defaults.
func (f *runFlags) thresholds(recorded *model.Thresholds) model.Thresholds {
	switch {
	case f.file != nil && f.file.thresholds != nil:
		return *f.file.thresholds
	case recorded != nil:
		return *recorded
	}
	return model.DefaultThresholds()
}

// checkRecord refuses what contradicts itself.
func (f *runFlags) checkRecord() error {
	if f.record != "" && f.noRecord {
		return usage("--record %s and --no-record: choose one", f.record)
	}
	if name := f.keep.config; name != "" {
		if fileHash(name) == "" {
			return &exitError{exitFailed, fmt.Errorf("--config %s: not a file that can be read (give the server's configuration file)", name)}
		}
	}
	if name := f.keep.code; name != "" {
		if fi, err := os.Stat(name); err != nil || !fi.IsDir() {
			return &exitError{exitFailed, fmt.Errorf("--code %s: no such folder (give the one with the code's Git repository)", name)}
		}
	}
	return nil
}

// notes are what the user declared, as the run's first events.
func (f *runFlags) notes(now model.Instant) ([]model.Note, error) {
	var out []model.Note
	fact := func(name, text string) {
		if text != "" {
			out = append(out, model.Note{At: now, Seen: now, Kind: model.NoteRun, Name: name, Text: text})
		}
	}
	set := func(name string, v float64, flag string) error {
		if !(v >= 0) || math.IsInf(v, 0) {
			return usage("%s: want a number that is not negative", flag)
		}
		if v > 0 {
			out = append(out, model.Note{At: now, Seen: now, Kind: model.NoteConfig, Name: name, Value: v, Text: flag + " (declared)"})
		}
		return nil
	}
	out = append(out, f.file.notes(now)...)
	limits, err := slo(f.slo)
	if err != nil {
		return nil, usage("--slo %q: %w", f.slo, err)
	}
	fact("slo", f.slo)
	for _, l := range limits {
		if err := set("slo_"+l.name+"_s", l.seconds, "--slo"); err != nil {
			return nil, err
		}
	}
	if f.coach != "" {
		out = append(out, model.Note{At: now, Seen: now, Kind: model.NoteMark, Name: "run", Text: f.coach})
	}
	fact("label", f.label)
	fact("change", f.change)
	for _, m := range f.meta {
		k, v, ok := strings.Cut(m, "=")
		if !ok || k == "" {
			return nil, usage("--meta %q: want KEY=VALUE", m)
		}
		fact("meta."+k, v)
	}
	for _, d := range []struct {
		name, flag string
		v          float64
	}{
		{"target_concurrency", "--target-concurrency", f.target},
		{"client_timeout_s", "--client-timeout", f.timeout.Seconds()},
		{"max_batch", "--max-batch", float64(f.maxBatch)},
		{"batch_wait_s", "--batch-wait", f.batchWait.Seconds()},
	} {
		if err := set(d.name, d.v, d.flag); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// location reads --zone.
func (f *runFlags) location() (*time.Location, error) {
	switch f.zone {
	case "":
		return nil, nil
	case "local":
		return time.Local, nil
	}
	if t, err := time.Parse("-07:00", f.zone); err == nil {
		return t.Location(), nil
	}
	l, err := time.LoadLocation(f.zone)
	if err != nil {
		return nil, usage("--zone %q: unknown (use UTC, local, a name such as Europe/Berlin, or +02:00)", f.zone)
	}
	return l, nil
}

// speed reads --speed.
func speed(text string) (float64, error) {
	if text == "max" {
		return 0, nil
	}
	var x float64
	if _, err := fmt.Sscanf(strings.TrimSuffix(text, "x"), "%g", &x); err != nil || x <= 0 {
		return 0, usage("--speed %q: a number above 0, or max", text)
	}
	return x, nil
}

// fresh says whether a line is to be printed: between rounds, what one of them
// said already is not.
func (f *runFlags) fresh(line string) bool {
	if f.told == nil {
		return true
	}
	old := f.told[line]
	f.told[line] = true
	return !old
}
