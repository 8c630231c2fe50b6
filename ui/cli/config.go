package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"benchtop/model"
	"benchtop/sources/recording"
	"benchtop/ui/report"
)

// configLine is one effective value as `config --json` prints it.
type configLine struct {
	Name  string   `json:"name"`
	Value []string `json:"value"` // empty where nobody said and there is no default
	From  string   `json:"from"`
}

// configAll is the whole configuration.
type configAll struct {
	Schema     string                `json:"schema"`
	RunFile    *string               `json:"run_file"`
	Flags      []configLine          `json:"flags"`
	Goal       *string               `json:"goal"`
	Load       map[string]string     `json:"load"`
	Implicit   []string              `json:"load_implicit"`
	Config     map[string]string     `json:"config"`
	Thresholds map[string]report.Num `json:"thresholds"`
	Recordings string                `json:"recordings"`
}

func newConfig(stdio Stdio) *cobra.Command {
	var (
		screen         screenFlags
		run            runFlags
		in             sourceFlags
		assist, asJSON bool
	)
	c := &cobra.Command{
		Use:   "config [flags]",
		Short: "Print the effective values of all settings and where each came from",
		Long: `config takes the flags of watch and run, reads the run file and the environment
as they do, and prints what would stand: the command line wins over the run
file, the file over BENCHTOP_… variables. It starts nothing.`,
		Example: "  benchtop config\n  benchtop config --run-file bench.yaml --json | jq .flags",
		Args:    none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := settle(cmd, stdio)
			if err != nil {
				return err
			}
			run.file = s.file
			if err := screen.check(); err != nil {
				return err
			}
			if _, err := run.notes(0); err != nil {
				return err
			}
			all := s.all(cmd.Flags(), run.keep.noRedact)
			if asJSON {
				e := json.NewEncoder(stdio.Out)
				e.SetIndent("", " ")
				e.SetEscapeHTML(false)
				return e.Encode(all)
			}
			return all.print(stdio)
		},
	}
	f := c.Flags()
	screen.add(f)
	run.add(f)
	in.add(f)
	addAssist(f, &assist)
	f.BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// all puts what stands in the order of the flags.
func (s *settings) all(flags *pflag.FlagSet, whole bool) *configAll {
	out := &configAll{Schema: "benchtop/config/v1", Load: map[string]string{}, Implicit: s.file.implicit(), Config: map[string]string{}, Thresholds: map[string]report.Num{}}
	known := allFlags()
	clean := redact
	if whole {
		clean = func(v string) string { return v }
	}
	flags.VisitAll(func(f *pflag.Flag) {
		if known.Lookup(f.Name) == nil {
			return
		}
		l := configLine{Name: f.Name, Value: []string{}, From: s.from[f.Name]}
		for _, v := range values(f) {
			l.Value = append(l.Value, clean(v))
		}
		out.Flags = append(out.Flags, l)
	})
	if dir, err := recording.Dir(); err == nil {
		out.Recordings = dir
	}
	th := model.DefaultThresholds()
	if s.file != nil {
		out.RunFile = &s.file.path
		if s.file.goal != "" {
			out.Goal = &s.file.goal
		}
		for _, d := range s.file.load {
			out.Load[d.name] = clean(d.text)
		}
		for _, d := range s.file.config {
			out.Config[d.name] = clean(d.text)
		}
		if s.file.thresholds != nil {
			th = *s.file.thresholds
		}
	}
	v := reflect.ValueOf(th)
	for i := range v.NumField() {
		x := math.NaN()
		if v.Field(i).Kind() == reflect.Float64 {
			x = v.Field(i).Float()
		}
		out.Thresholds[snake(v.Type().Field(i).Name)] = report.Num(x)
	}
	return out
}

// values are a flag's values as they would be typed; none if it says nothing.
func values(f *pflag.Flag) []string {
	if l, ok := f.Value.(pflag.SliceValue); ok {
		return l.GetSlice()
	}
	if v := f.Value.String(); v != "" {
		return []string{v}
	}
	return nil
}

func (a *configAll) print(stdio Stdio) error {
	t := &table{w: stdio.Out}
	if a.RunFile != nil {
		t.print("run file    %s\n", oneLine(*a.RunFile))
	}
	t.print("recordings  %s\n\n%-20s  %-28s  %s\n", oneLine(a.Recordings), "SETTING", "VALUE", "FROM")
	for _, l := range a.Flags {
		v := "–"
		if len(l.Value) > 0 {
			v = strings.Join(l.Value, ", ")
		}
		t.print("%-20s  %-28s  %s\n", l.Name, oneLine(v), oneLine(l.From))
	}
	if a.Goal != nil {
		t.print("\ngoal        %s\n", *a.Goal)
	}
	t.print("\nload: (implicit where nobody wrote it down)\n")
	for _, k := range loadKeys {
		v, ok := a.Load[k.name]
		if !ok {
			v = "– implicit"
		}
		t.print("  %-18s  %s\n", k.name, oneLine(v))
	}
	if len(a.Config) > 0 {
		t.print("\nconfig:\n")
		for _, k := range slices.Sorted(maps.Keys(a.Config)) {
			t.print("  %-18s  %s\n", k, oneLine(a.Config[k]))
		}
	}
	t.print("\nthresholds that differ from the defaults:\n")
	n, def := 0, reflect.ValueOf(model.DefaultThresholds())
	for i := range def.NumField() {
		name := snake(def.Type().Field(i).Name)
		if x := float64(a.Thresholds[name]); def.Field(i).Kind() == reflect.Float64 && x != def.Field(i).Float() {
			t.print("  %-18s  %s (default %s)\n", name, fmt.Sprint(x), fmt.Sprint(def.Field(i).Float()))
			n++
		}
	}
	if n == 0 {
		t.print("  none (their names: benchtop config --json)\n")
	}
	return t.err
}
