package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"benchtop/sources/gpu"
	"benchtop/sources/host"
)

// calm is a machine on which nothing drifts.
func calm() *host.Environment {
	return &host.Environment{
		Cores: 16, Governors: map[string]int{"performance": 16}, CPUMHz: 3500, TopMHz: 3600,
		MemTotal: 64000, MemAvailable: 50000, Cached: 9000, Whole: 0.9, Others: 0.1, DiskRead: 0,
		Links:  []host.Link{{Name: "eth0", Mbit: 10000, Bytes: 100}},
		Limits: []host.Limit{{Who: "benchtop", PID: 1, Cores: math.Inf(1), MiB: math.Inf(1), Throttled: math.NaN()}},
	}
}

func TestHostRows(t *testing.T) {
	nan := math.NaN()
	tests := []struct {
		name   string
		change func(e *host.Environment)
		row    string
		want   checkState
		lock   string
	}{
		{"performance", func(*host.Environment) {}, "cpu_clock", checkLocked, ""},
		{"powersave", func(e *host.Environment) { e.Governors = map[string]int{"powersave": 16} }, "cpu_clock", checkDrifting, "cpupower frequency-set -g performance"},
		{"one core differs", func(e *host.Environment) { e.Governors["schedutil"] = 1 }, "cpu_clock", checkDrifting, "cpupower"},
		{"powersave that prefers performance", func(e *host.Environment) {
			e.Governors, e.Preference = map[string]int{"powersave": 16}, "performance"
		}, "cpu_clock", checkLocked, ""},
		{"virtual machine", func(e *host.Environment) { e.Governors, e.Virtual = nil, true }, "cpu_clock", checkUnknown, "on its host"},
		{"steal", func(e *host.Environment) { e.Steal = 0.03 }, "cpu_clock", checkDrifting, ""},
		{"memory at rest", func(*host.Environment) {}, "memory", checkRecorded, "compact_memory"},
		{"swapping", func(e *host.Environment) { e.SwapIn = 12 }, "memory", checkDrifting, "swapoff"},
		{"nearly full", func(e *host.Environment) { e.MemAvailable = 500 }, "memory", checkDrifting, ""},
		{"memory not told", func(e *host.Environment) { e.MemAvailable = nan }, "memory", checkUnknown, ""},
		{"quiet", func(*host.Environment) {}, "background", checkLocked, ""},
		{"a neighbour", func(e *host.Environment) {
			e.Others, e.Busiest = 4, []host.Process{{PID: 77, Name: "backup", Unit: "backup.service", Cores: 4}}
		}, "background", checkDrifting, "systemctl stop backup.service"},
		{"some", func(e *host.Environment) { e.Others = 0.8 }, "background", checkRecorded, ""},
		{"cache at rest", func(*host.Environment) {}, "disk_cache", checkRecorded, "drop_caches"},
		{"disks read", func(e *host.Environment) { e.DiskRead = 5e7 }, "disk_cache", checkDrifting, ""},
		{"disks not told", func(e *host.Environment) { e.DiskRead = nan }, "disk_cache", checkUnknown, ""},
		{"idle link", func(*host.Environment) {}, "network", checkRecorded, "loopback"},
		{"foreign traffic", func(e *host.Environment) { e.Links[0].Bytes = 1e8 }, "network", checkDrifting, ""},
		{"no quota", func(*host.Environment) {}, "quota", checkLocked, ""},
		{"a quota", func(e *host.Environment) {
			e.Limits[0].Cores, e.Limits[0].Group = 4, host.Group{Container: "0123456789ab", Engine: "docker"}
		}, "quota", checkRecorded, "docker update --cpus 0 --memory 0 0123456789ab"},
		{"held back", func(e *host.Environment) { e.Limits[0].Cores, e.Limits[0].Throttled = 4, 0.3 }, "quota", checkDrifting, "cpu.max"},
		{"groups not readable", func(e *host.Environment) { e.Limits[0].Cores, e.Limits[0].MiB = nan, nan }, "quota", checkUnknown, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := calm()
			tt.change(e)
			for _, r := range hostRows(e, &host.Scene{}) {
				if r.ID != tt.row {
					continue
				}
				if r.State != tt.want || !strings.Contains(r.Lock, tt.lock) {
					t.Errorf("want %s and %q, got %s and %q (%s: %s)", tt.want, tt.lock, r.State, r.Lock, r.Value, r.Why)
				}
				return
			}
			t.Errorf("want a row %s", tt.row)
		})
	}
}

// gpuPolls makes polls of one GPU from temperatures and clocks.
func gpuPolls(util, reasons float64, temps, clocks []float64) (polls [][]gpu.Reading) {
	for i := range temps {
		var r gpu.Reading
		r.Set(gpu.Temp, temps[i])
		r.Set(gpu.SMClock, clocks[i])
		r.Set(gpu.MaxSMClock, 1980)
		r.Set(gpu.Util, util)
		r.Set(gpu.Reasons, reasons)
		polls = append(polls, []gpu.Reading{r})
	}
	return polls
}

// withMIG adds a MIG device to each poll.
func withMIG(polls [][]gpu.Reading) [][]gpu.Reading {
	for i := range polls {
		r := gpu.Reading{Instance: 1, UUID: "MIG-a"}
		r.Set(gpu.MemUsed, 100)
		polls[i] = append(polls[i], r)
	}
	return polls
}

func TestGPURows(t *testing.T) {
	nan := math.NaN()
	tests := []struct {
		name        string
		polls       [][]gpu.Reading
		limit       float64
		temp, clock checkState
	}{
		{"no GPU", nil, nan, checkUnknown, checkUnknown},
		{"idle and cool", gpuPolls(0, 1, []float64{38, 38, 38}, []float64{345, 345, 345}), nan, checkRecorded, checkRecorded},
		{"gated", gpuPolls(0, 1, []float64{38, 38, 38}, []float64{345, 345, 345}), 45, checkLocked, checkRecorded},
		{"cooling down", gpuPolls(0, 1, []float64{71, 69, 67}, []float64{345, 345, 345}), nan, checkDrifting, checkRecorded},
		{"locked clock under load", gpuPolls(90, 0, []float64{60, 60, 60}, []float64{1200, 1200, 1200}), nan, checkRecorded, checkLocked},
		{"a few percent less is no lock", gpuPolls(90, 0, []float64{60, 60, 60}, []float64{1900, 1900, 1900}), nan, checkRecorded, checkRecorded},
		{"MIG devices have no clocks", withMIG(gpuPolls(90, 0, []float64{60, 60, 60}, []float64{1200, 1200, 1200})), nan, checkRecorded, checkLocked},
		{"boosting under load", gpuPolls(90, 4, []float64{60, 60, 60}, []float64{1900, 1700, 1500}), nan, checkRecorded, checkDrifting},
		{"steady at the power cap is no lock", gpuPolls(90, 4, []float64{60, 60, 60}, []float64{1500, 1500, 1500}), nan, checkRecorded, checkRecorded},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rows := gpuRows(tt.polls, "", tt.limit)
			if rows[0].State != tt.temp || rows[1].State != tt.clock {
				t.Errorf("want %s and %s, got %s (%s) and %s (%s)", tt.temp, tt.clock, rows[0].State, rows[0].Why, rows[1].State, rows[1].Why)
			}
		})
	}
}

func TestCelsius(t *testing.T) {
	for text, want := range map[string]float64{"45": 45, "45C": 45, "45°C": 45, " 38.5 c": 38.5} {
		if got, err := celsius(text); err != nil || got != want {
			t.Errorf("%q: want %v, got %v, %v", text, want, got, err)
		}
	}
	for _, text := range []string{"", "cold", "-3C", "4500"} {
		if _, err := celsius(text); err == nil {
			t.Errorf("%q: want it refused", text)
		}
	}
}

// cooling is a GPU that is one degree cooler at each look.
type cooling struct{ at float64 }

func (c *cooling) Read(dst []gpu.Reading) ([]gpu.Reading, error) {
	var r gpu.Reading
	r.Set(gpu.Temp, c.at)
	c.at--
	return append(dst, r), nil
}

func (*cooling) Close() error { return nil }

func TestCoolBelow(t *testing.T) {
	var errs bytes.Buffer
	c := &checker{io: Stdio{Err: &errs}, patience: time.Minute}
	if ok, _, err := c.waitCool(t.Context(), &cooling{45}, "", 45); !ok || err != nil {
		t.Errorf("want a GPU at the limit cool enough, got %v, %v", ok, err)
	}
	c.patience = 0
	if ok, _, err := c.waitCool(t.Context(), &cooling{80}, "", 45); ok || err != nil {
		t.Errorf("want the gate closed without an error, got %v, %v", ok, err)
	}
	if _, _, err := c.waitCool(t.Context(), nil, "no GPU here", 45); err == nil || !strings.Contains(err.Error(), "no GPU here") {
		t.Errorf("want the reason, got %v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	c.patience = time.Hour
	if _, _, err := c.waitCool(ctx, &cooling{80}, "", 45); err == nil {
		t.Error("want an interrupted wait told")
	}
}

// TestCheckOutcome: drift and a gate that stayed closed end with 3; the JSON
// has all eight rows.
func TestCheckOutcome(t *testing.T) {
	rows := append(gpuRows(nil, "none", math.NaN()), hostRows(calm(), &host.Scene{})...)
	tests := []struct {
		name   string
		drift  bool
		cooled bool
		want   int
	}{
		{"all is well", false, true, exitDone},
		{"something drifts", true, true, exitFinding},
		{"still hot", false, false, exitFinding},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			c := &checker{io: Stdio{Out: &out}, json: true}
			res := checkResult{Rows: append([]checkRow{}, rows...)}
			if tt.drift {
				res.Rows[3].State = checkDrifting
			}
			err := c.tell(&res, tt.cooled)
			code := exitDone
			var e *exitError
			if errors.As(err, &e) {
				code = e.code
			}
			if code != tt.want {
				t.Errorf("want exit code %d, got %d (%v)", tt.want, code, err)
			}
			var got checkResult
			if err := json.Unmarshal(out.Bytes(), &got); err != nil || len(got.Rows) != 8 || got.OK != (tt.want == exitDone) {
				t.Errorf("want eight rows and ok %v, got %d rows, ok %v, %v", tt.want == exitDone, len(got.Rows), got.OK, err)
			}
		})
	}
}
