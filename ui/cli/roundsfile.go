package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/goccy/go-yaml"
)

// roundsFile is the file of `benchtop rounds`.
type roundsFile struct {
	Passes    int         `yaml:"passes"`
	Warmup    int         `yaml:"warmup"`
	CoolBelow string      `yaml:"cool_below"`
	CoolWait  string      `yaml:"cool_wait"`
	Watch     []string    `yaml:"watch"`
	Assist    bool        `yaml:"assist"`
	Knob      string      `yaml:"knob"`
	Arms      []roundsArm `yaml:"arms"`

	cool float64
	wait time.Duration
	gpu  string
	run  *runFile // what else the file says, for every round
}

// roundsArm is one configuration that takes its turn in every pass.
type roundsArm struct {
	Name   string            `yaml:"name"`
	Change string            `yaml:"change"`
	Before []string          `yaml:"before"`
	Run    []string          `yaml:"run"`
	Meta   map[string]string `yaml:"meta"`
}

// mostRounds keeps a slip of the pen from starting a week of runs.
const mostRounds = 500

// readRounds reads and checks a run file; what is wrong is bad usage.
func readRounds(path string) (read *roundsFile, err error) {
	defer func() { // as in readRunFile
		if r := recover(); r != nil {
			read, err = nil, usage("run file %s: no YAML that can be read: %v", path, r)
		}
	}()
	run, err := readRunFile(path)
	if err != nil {
		return nil, err
	}
	f := roundsFile{Passes: 4, CoolWait: "10m", run: run}
	if run.rounds != nil {
		if err := yaml.NodeToValue(run.rounds, &f, yaml.Strict()); err != nil {
			return nil, usage("run file %s: %s", path, strings.TrimSpace(yaml.FormatError(err, false, false)))
		}
	}
	if err := f.check(); err != nil {
		return nil, usage("run file %s: %w", path, err)
	}
	return &f, nil
}

func (f *roundsFile) check() error {
	f.cool = math.NaN()
	switch {
	case len(f.Arms) == 0:
		return errors.New("arms: there is none (each has a name and a run)")
	case f.Passes < 1 || f.Warmup < 0:
		return fmt.Errorf("passes %d, warmup %d: at least 1 and 0", f.Passes, f.Warmup)
	case (f.Passes+f.Warmup)*len(f.Arms) > mostRounds:
		return fmt.Errorf("%d rounds: at most %d", (f.Passes+f.Warmup)*len(f.Arms), mostRounds)
	}
	if f.CoolBelow != "" {
		v, err := celsius(f.CoolBelow)
		if err != nil {
			return fmt.Errorf("cool_below %q: want a temperature such as 45C", f.CoolBelow)
		}
		f.cool = v
	}
	var err error
	if f.wait, err = time.ParseDuration(f.CoolWait); err != nil || f.wait < 0 {
		return fmt.Errorf("cool_wait %q: want a time such as 10m", f.CoolWait)
	}
	f.gpu = "auto"
	for i, w := range f.Watch {
		if v, ok := strings.CutPrefix(w, "--gpu="); ok {
			f.gpu = v
		} else if w == "--gpu" && i+1 < len(f.Watch) {
			f.gpu = f.Watch[i+1]
		}
	}
	seen := map[string]bool{}
	for i := range f.Arms {
		a := &f.Arms[i]
		switch {
		case a.Name == "":
			return fmt.Errorf("arm %d has no name", i+1)
		case seen[a.Name]:
			return fmt.Errorf("arm %s: named twice", a.Name)
		case len(a.Run) == 0:
			return fmt.Errorf("arm %s: run is missing (a list: the program, then its arguments)", a.Name)
		}
		seen[a.Name] = true
	}
	return nil
}

// childOf is a command in a session of its own without a terminal, so that one
// that wants a password fails instead of waiting.
func childOf(ctx context.Context, argv []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 2 * time.Second
	return cmd
}
