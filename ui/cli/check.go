package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"benchtop/sources/gpu"
	"benchtop/sources/host"
	"benchtop/ui/report"
)

// checkState is how well one condition of a run is held.
type checkState string

// The states. Only drift fails a check: what is recorded can be accounted for
// afterwards, and what is unknown can't be judged.
const (
	checkLocked   checkState = "locked"
	checkRecorded checkState = "recorded"
	checkDrifting checkState = "drifting"
	checkUnknown  checkState = "unknown"
)

// checkRow is one row of the environment checklist.
type checkRow struct {
	ID     string                `json:"id"`
	Title  string                `json:"title"`
	State  checkState            `json:"state"`
	Value  string                `json:"value"`
	Why    string                `json:"why"`
	Lock   string                `json:"lock"` // the command that would hold it
	Values map[string]report.Num `json:"values"`
}

// checkResult is the whole check.
type checkResult struct {
	Schema  string     `json:"schema"`
	At      string     `json:"at"`
	OK      bool       `json:"ok"`
	WaitedS report.Num `json:"waited_s"`
	Rows    []checkRow `json:"rows"`
	// What the run file declares of the load, and what it leaves implicit; both
	// null without a run file.
	Load     map[string]string `json:"load"`
	Implicit []string          `json:"load_implicit"`
}

// checker is one `benchtop check`.
type checker struct {
	io       Stdio
	json     bool
	cool     string
	gpu      string
	span     time.Duration
	patience time.Duration
	path     string // of the run file
	file     *runFile
}

func newCheck(stdio Stdio) *cobra.Command {
	c := &checker{io: stdio}
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Tell what of the environment is locked, recorded, drifting or unknown before a run",
		Long: `check looks at the eight conditions that a benchmark should hold still, for a few
seconds, without changing anything, and prints the command that would lock each.

It ends with 3 if something drifts or the GPUs did not cool down in time.`,
		Example: "  benchtop check\n  benchtop check --cool-below 45C && ./bench.sh\n  benchtop check --json | jq .rows",
		Args:    none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if c.path != "" {
				var err error
				if c.file, err = readRunFile(c.path); err != nil {
					return err
				}
				if gpus := c.file.flags["gpu"]; len(gpus) == 1 && !cmd.Flags().Changed("gpu") {
					c.gpu = gpus[0]
				}
			}
			return c.run(cmd.Context())
		},
	}
	f := cmd.Flags()
	f.BoolVar(&c.json, "json", false, "print JSON")
	f.StringVar(&c.cool, "cool-below", "", "wait until every GPU is at or below this `TEMPERATURE`, such as 45C")
	f.DurationVar(&c.patience, "wait", 10*time.Minute, "how long to wait for --cool-below")
	f.DurationVar(&c.span, "for", 3*time.Second, "how long to look")
	f.StringVar(&c.path, "run-file", "", "also tell which load: keys this run `FILE` leaves implicit")
	f.StringVar(&c.gpu, "gpu", "auto", "GPU readings: auto, nvml, smi, dcgm:URL or off")
	return cmd
}

// celsius reads a temperature as it is typed: 45, 45C, 45°C.
func celsius(text string) (float64, error) {
	v, err := strconv.ParseFloat(strings.TrimRight(strings.TrimSpace(text), "°Cc "), 64)
	if err != nil || !(v > 0 && v < 150) {
		return 0, usage("--cool-below %q: want a temperature such as 45C", text)
	}
	return v, nil
}

func (c *checker) run(ctx context.Context) error {
	limit := math.NaN()
	if c.cool != "" {
		var err error
		if limit, err = celsius(c.cool); err != nil {
			return err
		}
	}
	if c.span < time.Second {
		return usage("--for %s: at least 1s", c.span)
	}
	scene, err := host.Look("")
	if err != nil {
		return &exitError{exitFailed, err}
	}
	gpus, why := c.openGPU()
	if gpus != nil {
		defer func() { _ = gpus.Close() }()
	}
	res := checkResult{Schema: "benchtop/check/v1"}
	cooled, waited, err := c.waitCool(ctx, gpus, why, limit)
	if err != nil {
		return err
	}
	res.WaitedS = report.Num(waited.Seconds())
	survey, err := host.StartSurvey(scene, "", "")
	if err != nil {
		return &exitError{exitFailed, err}
	}
	seen := c.watchGPUs(ctx, gpus)
	env := survey.End()
	res.At = time.Now().Format(time.RFC3339)
	if c.file != nil {
		res.Load, res.Implicit = map[string]string{}, c.file.implicit()
		for _, d := range c.file.load {
			res.Load[d.name] = redact(d.text)
		}
	}
	res.Rows = append(gpuRows(seen, why, limit), hostRows(env, &scene)...)
	return c.tell(&res, cooled)
}

func (c *checker) openGPU() (gpu.Reader, string) {
	r, _, err := gpu.Open(c.gpu, gpu.Options{})
	if err != nil {
		return nil, err.Error()
	}
	return r, ""
}

// waitCool waits for the GPUs to cool down; without a limit it does not.
func (c *checker) waitCool(ctx context.Context, r gpu.Reader, why string, limit float64) (cooled bool, waited time.Duration, err error) {
	if math.IsNaN(limit) {
		return true, 0, nil
	}
	if r == nil {
		return false, 0, &exitError{exitFailed, fmt.Errorf("--cool-below: %s", why)}
	}
	began := time.Now()
	said := time.Time{}
	for {
		hot := hottest(r)
		waited = time.Since(began)
		switch {
		case hot <= limit:
			return true, waited, nil
		case waited >= c.patience && math.IsNaN(hot):
			return false, waited, &exitError{exitFailed, errors.New("--cool-below: no GPU tells its temperature")}
		case waited >= c.patience:
			return false, waited, nil
		}
		if time.Since(said) >= 5*time.Second && !math.IsNaN(hot) {
			said = time.Now()
			fmt.Fprintf(c.io.Err, "benchtop: the hottest GPU is at %.0f °C, waiting for %.0f °C\n", hot, limit)
		}
		if !sleep(ctx, time.Second) {
			return false, waited, &exitError{exitFailed, fmt.Errorf("--cool-below: stopped at %.0f °C after %s", hot, waited.Round(time.Second))}
		}
	}
}

// hottest is the highest temperature, NaN while none is known.
func hottest(r gpu.Reader) float64 {
	rs, _ := r.Read(nil) // what is wrong shows in the rows
	hot := math.NaN()
	for i := range rs {
		if v := rs[i].Get(gpu.Temp); !(v <= hot) && !math.IsNaN(v) {
			hot = v
		}
	}
	return hot
}

// watchGPUs polls each second of the span and returns what each poll said.
func (c *checker) watchGPUs(ctx context.Context, r gpu.Reader) (polls [][]gpu.Reading) {
	end := time.Now().Add(c.span)
	for {
		if r != nil {
			if rs, _ := r.Read(nil); len(rs) > 0 { // an error without readings shows as no row
				polls = append(polls, rs)
			}
		}
		left := time.Until(end)
		if left <= 0 || !sleep(ctx, min(time.Second, left)) {
			return polls
		}
	}
}

func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// tell prints the check and makes its exit code.
func (c *checker) tell(res *checkResult, cooled bool) error {
	var drift []string
	for _, r := range res.Rows {
		if r.State == checkDrifting {
			drift = append(drift, r.ID)
		}
	}
	res.OK = cooled && len(drift) == 0
	if err := c.print(res); err != nil {
		return &exitError{exitFailed, fmt.Errorf("check: %w", err)}
	}
	switch {
	case !cooled:
		return &exitError{exitFinding, fmt.Errorf("the GPUs did not cool down to %s within %s", c.cool, c.patience)}
	case len(drift) > 0:
		return &exitError{exitFinding, fmt.Errorf("drifting: %s (the commands above would hold it)", strings.Join(drift, ", "))}
	}
	return nil
}

func (c *checker) print(res *checkResult) error {
	if c.json {
		enc := json.NewEncoder(c.io.Out)
		enc.SetEscapeHTML(false)
		return enc.Encode(res)
	}
	t := &table{w: c.io.Out}
	for _, r := range res.Rows {
		t.print("%-9s %-18s %s\n", r.State, r.Title, oneLine(r.Value))
		if r.Why != "" {
			t.print("%-28s %s\n", "", oneLine(r.Why))
		}
		if r.State != checkLocked && r.Lock != "" {
			t.print("%-28s → %s\n", "", oneLine(r.Lock))
		}
	}
	c.printLoad(t)
	return t.err
}

// printLoad tells which of the load's keys the run file says, and which it
// leaves to whatever the load generator does by itself.
func (c *checker) printLoad(t *table) {
	if c.file == nil {
		return
	}
	for _, d := range c.file.load {
		t.print("%-9s %-18s %s\n", "declared", "load."+d.name, oneLine(redact(d.text)))
	}
	for _, k := range c.file.implicit() {
		t.print("%-9s %-18s write it into the run file: what nobody states can change unseen\n", "implicit", "load."+k)
	}
}
