package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Where the value of a flag came from, besides the run file's line.
const (
	fromDefault = "default"
	fromFlag    = "command line"
)

// allFlags are those that a run can have, on any command.
func allFlags() *pflag.FlagSet {
	var (
		screen screenFlags
		run    runFlags
		in     sourceFlags
		assist bool
	)
	s := pflag.NewFlagSet("run", pflag.ContinueOnError)
	screen.add(s)
	run.add(s)
	in.add(s)
	addAssist(s, &assist)
	return s
}

func addAssist(s *pflag.FlagSet, assist *bool) {
	s.BoolVar(assist, "assist", false, "add the options that make a known tool's stream readable, and print what was changed")
}

// flagNames are the names of allFlags, in order.
func flagNames() []string {
	var out []string
	allFlags().VisitAll(func(f *pflag.Flag) { out = append(out, f.Name) })
	return out
}

func isFlag(name string) bool { return slices.Contains(flagNames(), name) }

// variable is the environment variable that stands for a flag.
func variable(flag string) string {
	return "BENCHTOP_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// settings are a command's flags after the run file and the environment had
// their say, and where each value came from.
type settings struct {
	file *runFile // nil if there is none
	from map[string]string
}

// settle fills in a command's flags: what was typed wins over the run file, and
// the file over the environment. Flags of the run that this command has not are
// passed over: one file serves watch, run and replay.
func settle(c *cobra.Command, stdio Stdio, skip ...string) (*settings, error) {
	return settleFlags(c.Flags(), stdio, skip...)
}

func settleFlags(flags *pflag.FlagSet, stdio Stdio, skip ...string) (*settings, error) {
	s := &settings{from: map[string]string{}}
	named := false // the run file was named on the command line
	if f := flags.Lookup("run-file"); f != nil {
		if err := s.set(f, variable(f.Name), environment(f, stdio)); err != nil {
			return nil, err
		}
		if path := f.Value.String(); path != "" {
			var err error
			if s.file, err = readRunFile(path); err != nil {
				return nil, err
			}
			named = s.from[f.Name] == fromFlag
		}
	}
	known := allFlags()
	var wrong error
	flags.VisitAll(func(f *pflag.Flag) {
		if known.Lookup(f.Name) == nil || s.from[f.Name] != "" || wrong != nil {
			return
		}
		values, from := environment(f, stdio), variable(f.Name)
		typed := false
		if s.file != nil && s.file.flags[f.Name] != nil {
			values, from, typed = s.file.flags[f.Name], s.file.where(f.Name), named
		}
		if slices.Contains(skip, f.Name) {
			values = nil
		}
		if !typed && !f.Changed && slices.ContainsFunc(values, runsCommand) {
			wrong = usage("%s: exec: is taken from the command line only, or from a run file that is named on it (--%s)", from, f.Name)
			return
		}
		wrong = s.set(f, from, values)
	})
	return s, wrong
}

// runsCommand reports whether a flag's value has a command run. Only what the
// user typed, or wrote into the run file they named, may: a variable may have
// been set by anybody, in a file of settings that came with somebody's project.
func runsCommand(value string) bool {
	_, place := cutLabel(strings.TrimSpace(value))
	return strings.HasPrefix(strings.TrimSpace(place), "exec:")
}

// environment is a flag's value among the environment's variables. A flag that
// can be repeated has one value a line.
func environment(f *pflag.Flag, stdio Stdio) []string {
	v := stdio.getenv(variable(f.Name))
	if v == "" {
		return nil
	}
	if f.Value.Type() == "stringArray" {
		return strings.Split(strings.TrimSpace(v), "\n")
	}
	return []string{v}
}

// set gives a flag its values unless it was typed.
func (s *settings) set(f *pflag.Flag, from string, values []string) error {
	switch {
	case f.Changed:
		s.from[f.Name] = fromFlag
		return nil
	case len(values) == 0:
		s.from[f.Name] = fromDefault
		return nil
	case len(values) > 1 && f.Value.Type() != "stringArray":
		return usage("%s: %s can't be a list", from, strings.ReplaceAll(f.Name, "-", "_"))
	}
	for _, v := range values {
		if err := f.Value.Set(v); err != nil {
			return usage("%s: %q: %s", from, v, plainly(f, err))
		}
	}
	s.from[f.Name] = from
	return nil
}

// plainly says what a flag wants.
func plainly(f *pflag.Flag, err error) string {
	switch f.Value.Type() {
	case "bool":
		return "want true or false"
	case "duration":
		return "want a time such as 30s or 5m"
	case "int", "uint64":
		return "want a whole number"
	case "float64":
		return "want a number"
	}
	return err.Error()
}

// where is the place in the file that gives a flag.
func (f *runFile) where(flag string) string {
	key := strings.ReplaceAll(flag, "-", "_")
	line := f.lines[key]
	if line == 0 {
		line = f.lines[flag]
	}
	return fmt.Sprintf("run file %s:%d: %s", f.path, line, key)
}

// slo reads --slo: what a request must keep to be good.
func slo(text string) (limits []sloLimit, err error) {
	for part := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		name, limit, ok := strings.Cut(part, "<")
		l := sloLimit{name: strings.ToLower(strings.TrimSpace(name))}
		if !ok || !slices.Contains(sloNames, l.name) {
			return nil, errors.New("want " + strings.Join(sloNames, ", ") + " below a time, such as ttft<500ms,e2e<5s")
		}
		d, err := time.ParseDuration(strings.TrimSpace(strings.TrimPrefix(limit, "=")))
		if err != nil || d <= 0 {
			return nil, fmt.Errorf("%s: %q: want a time such as 500ms", l.name, limit)
		}
		l.seconds = d.Seconds()
		if slices.ContainsFunc(limits, func(o sloLimit) bool { return o.name == l.name }) {
			return nil, fmt.Errorf("%s is limited twice", l.name)
		}
		limits = append(limits, l)
	}
	return limits, nil
}

// sloNames are the latencies that a request can be held to.
var sloNames = []string{"ttft", "e2e", "itl", "tpot"}

// sloLimit is one of them and its limit.
type sloLimit struct {
	name    string
	seconds float64
}
