//go:build linux && cgo

package gpu

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// These tests drive the real go-nvml against a stand-in for the driver's
// library, built here with gcc. A process has one NVML for good, so each
// scenario runs in a process of its own: this test binary, started again.

const (
	envScenario = "GPU_TEST_SCENARIO"
	envLibrary  = "GPU_TEST_LIBRARY"
	envTime     = "FAKENVML_TIME_FILE"
)

type scenario struct {
	name   string
	script string // in testdata/scripts; "" is none
	old    bool   // a library like those of drivers before 535
	real   bool   // needs real time: a call that is stuck
	run    func(s *stage)
}

var scenarios = []scenario{
	{name: "healthy", script: "healthy", run: sceneHealthy},
	{name: "thermal", script: "thermal", run: sceneThermal},
	{name: "thermal on an old driver", script: "thermal", old: true, run: sceneOldThermal},
	{name: "powercap", script: "powercap", run: scenePowerCap},
	{name: "blink", script: "blink", run: sceneBlink},
	{name: "lost", script: "lost", run: sceneLost},
	{name: "lost and back", script: "back", run: sceneBack},
	{name: "denied", script: "denied", run: sceneDenied},
	{name: "devices gone", script: "devicesgone", run: sceneDevicesGone},
	{name: "one answers unknown", script: "oneunknown", run: sceneOneUnknown},
	{name: "nothing", script: "nothing", run: sceneNothing},
	{name: "fails now and then", script: "flaky", run: sceneFlaky},
	{name: "eight", script: "eight", run: sceneEight},
	{name: "consumer", script: "consumer", run: sceneConsumer},
	{name: "consumer on an old driver", script: "consumer", old: true, run: sceneConsumer},
	{name: "unsupported", script: "unsupported", run: sceneUnsupported},
	{name: "unsupported on an old driver", script: "unsupported", old: true, run: sceneUnsupported},
	{name: "faults", script: "faults", run: sceneFaults},
	{name: "unified", script: "unified", run: sceneUnified},
	{name: "unified on an old driver", script: "unified", old: true, run: sceneUnified},
	{name: "mig", script: "mig", run: sceneMIG},
	{name: "nogpu", script: "nogpu", run: sceneNoGPU},
	{name: "mismatch", script: "mismatch", run: sceneMismatch},
	{name: "driver not loaded", run: sceneNotLoaded},
	{name: "no library", run: sceneNoLibrary},
	{name: "not a library", run: sceneNotALibrary},
	{name: "slow", script: "slow", real: true, run: sceneSlow},
	{name: "stuck", script: "stuck", real: true, run: sceneStuck},
}

func TestNVML(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped by -short: builds a library and starts processes")
	}
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("SKIPPED: no gcc, so the stand-in for the NVML library can't be built; NVML is not tested")
	}
	dir := t.TempDir()
	library := func(name string, flags ...string) string {
		out := filepath.Join(dir, name)
		args := append(flags, "-O1", "-shared", "-fPIC", "-Wl,-soname,libnvidia-ml.so.1", "-o", out, "testdata/fakenvml/fakenvml.c", "-lm", "-lpthread")
		if b, err := exec.Command(gcc, args...).CombinedOutput(); err != nil {
			t.Fatalf("build the stand-in library: %v\n%s", err, b)
		}
		return out
	}
	now, old := library("now.so"), library("old.so", "-DFAKENVML_OLD")
	for _, sc := range scenarios {
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			lib := now
			if sc.old {
				lib = old
			}
			file := filepath.Join(t.TempDir(), "time")
			cmd := exec.Command(os.Args[0], "-test.run=^TestScenario$", "-test.v", "-test.timeout=60s")
			cmd.Env = append(os.Environ(), envScenario+"="+sc.name, envLibrary+"="+lib, envTime+"="+file, "GOCOVERDIR="+t.TempDir())
			if sc.script != "" {
				cmd.Env = append(cmd.Env, "FAKENVML_SCRIPT="+filepath.Join("testdata", "scripts", sc.script+".txt"))
			}
			if sc.real {
				cmd.Env = append(cmd.Env, "GPU_TEST_STUCK=1", "FAKENVML_LOG="+filepath.Join(filepath.Dir(file), "log"))
			}
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), "--- PASS: TestScenario") {
				t.Errorf("want the scenario to pass, got %v\n%s", err, out)
			}
		})
	}
}

// TestScenario is what TestNVML starts in a process of its own.
func TestScenario(t *testing.T) {
	name := os.Getenv(envScenario)
	if name == "" {
		t.Skip("run by TestNVML")
	}
	for _, sc := range scenarios {
		if sc.name != name {
			continue
		}
		s := &stage{T: t, file: os.Getenv(envTime), o: Options{Library: os.Getenv(envLibrary)}}
		if sc.real {
			sc.run(s)
			return
		}
		// In the bubble time moves only when the stage moves it; calls into the
		// library take none.
		synctest.Test(t, func(t *testing.T) {
			s.T = t
			sc.run(s)
		})
		return
	}
	t.Fatalf("no scenario %q", name)
}

// stage moves the scenario's second and the clock together.
type stage struct {
	*testing.T
	file string
	now  float64
	o    Options
	r    Reader
}

func (s *stage) clock(sec float64) {
	s.Helper()
	tmp := s.file + ".new"
	if err := os.WriteFile(tmp, fmt.Appendf(nil, "%.4f\n", sec), 0o600); err != nil {
		s.Fatal(err)
	}
	if err := os.Rename(tmp, s.file); err != nil {
		s.Fatal(err)
	}
}

func (s *stage) open() {
	s.Helper()
	s.clock(0)
	r, name, err := Open("nvml", s.o)
	if err != nil || name != "nvml" {
		s.Fatalf("want nvml to open, got %q, %v", name, err)
	}
	s.r = r
	s.Cleanup(func() { _ = r.Close() })
}

// at moves to a second and reads.
func (s *stage) at(sec float64) []Reading {
	s.Helper()
	s.clock(sec)
	if sec > s.now {
		time.Sleep(time.Duration((sec - s.now) * 1e9)) // in the bubble
		s.now = sec
	}
	got, err := s.r.Read(nil)
	if err != nil {
		s.Errorf("at %v s: want no error, got %v", sec, err)
	}
	if len(got) == 0 {
		s.Fatalf("at %v s: want readings, got none", sec)
	}
	s.conform(got)
	return got
}

// conform wants what holds for every reading: rows in the order of the GPUs,
// finite values, and no value beside an error unless it is an old one.
func (s *stage) conform(rs []Reading) {
	s.Helper()
	whole := 0
	for i := range rs {
		if rs[i].Instance == 0 {
			whole++
		}
		if rs[i].Index != whole-1 {
			s.Errorf("want row %d to be of GPU %d, got %d", i, whole-1, rs[i].Index)
		}
		for f := range Field(NumFields) {
			if v := rs[i].Get(f); rs[i].Has(f) && (math.IsNaN(v) || math.IsInf(v, 0) || rs[i].Err(f) != 0 && !rs[i].Held) {
				s.Errorf("%s: want a finite value and no error, got %v, %v", f.Key(), v, rs[i].Err(f))
			}
		}
	}
}

func (s *stage) want(r *Reading, f Field, want, tolerance float64) {
	s.Helper()
	if got := r.Get(f); !(math.Abs(got-want) <= tolerance) {
		s.Errorf("%s at %v s: want %v ±%v, got %v", f.Key(), s.now, want, tolerance, got)
	}
}

func (s *stage) absent(r *Reading, fs ...Field) {
	s.Helper()
	for _, f := range fs {
		if r.Has(f) {
			s.Errorf("%s at %v s: want absent, got %v", f.Key(), s.now, r.Get(f))
		}
		if c := r.Err(f); c != 0 {
			s.Errorf("%s at %v s: want no error for what the card lacks, got %v", f.Key(), s.now, c)
		}
	}
}

func (s *stage) state(r *Reading, want Condition) {
	s.Helper()
	if r.State != want {
		s.Errorf("GPU %d at %v s: want state %v, got %v", r.Index, s.now, want, r.State)
	}
}

func sceneHealthy(s *stage) {
	s.open()
	r := s.at(0)[0]
	s.absent(&r, SMActivity, TensorActivity)
	s.want(&r, SMClock, 345, 0)
	s.want(&r, Util, 0, 0)
	s.at(29)
	r = s.at(30)[0]
	if r.Name != "NVIDIA H100 80GB HBM3" || !strings.HasPrefix(r.UUID, "GPU-") || r.Driver != "580.95.05" {
		s.Errorf("want its name, UUID and driver, got %q, %q, %q", r.Name, r.UUID, r.Driver)
	}
	for f, want := range map[Field]float64{
		SMClock: 1980, MemClock: 2619, MaxSMClock: 1980, MaxMemClock: 2619, Temp: 59, MemTemp: 66, Margin: 28,
		PowerLimit: 700, Util: 97, MemUsed: 72000, MemTotal: 81559, Reasons: 0, HeldPowerCap: 3.5e9,
		SMActivity: 0.88, SMOccupancy: 0.31, TensorActivity: 0.38, DRAMActivity: 0.64, PCIeTx: 40 * mib, PCIeRx: 95 * mib,
	} {
		s.want(&r, f, want, 1e-9)
	}
	s.want(&r, Power, 562, 8)
	s.want(&r, PowerInstant, 562, 13)
	s.want(&r, Energy, 91e6+70*5+(70+560)/2+562*24, 300)
	for f := range Field(NumFields) {
		if r.Err(f) != 0 {
			s.Errorf("%s: want no error, got %v", f.Key(), r.Err(f))
		}
	}
}

func sceneThermal(s *stage) {
	s.open()
	first := s.at(0)[0]
	s.want(&first, SMClock, 1980, 0)
	r := s.at(22.5)[0]
	s.want(&r, SMClock, 1690, 0)
	s.want(&r, Reasons, 0x20, 0)
	r = s.at(31)[0]
	s.want(&r, SMClock, 1400, 0)
	s.want(&r, Temp, 89, 0)
	s.want(&r, Margin, -2, 0)
	s.want(&r, Reasons, 0x68, 0)
	r = s.at(60)[0]
	s.want(&r, HeldSWThermal, first.Get(HeldSWThermal)+20e9, 1)
	s.want(&r, HeldHWThermal, first.Get(HeldHWThermal)+4e9, 1)
	s.want(&r, HeldPowerCap, first.Get(HeldPowerCap), 0)
	s.want(&r, HeldBrake, 0, 0)
}

func sceneOldThermal(s *stage) {
	s.open()
	first := s.at(0)[0]
	s.absent(&first, Margin, HeldHWThermal, HeldBrake, PowerInstant)
	s.want(&first, Power, 610, 1)
	s.want(&first, PowerLimit, 700, 0)
	r := s.at(31)[0]
	s.want(&r, SMClock, 1400, 0)
	s.want(&r, Temp, 89, 0)
	s.want(&r, Reasons, 0x68, 0)
	r = s.at(60)[0]
	s.want(&r, HeldSWThermal, first.Get(HeldSWThermal)+20e9, 1)
	s.want(&r, MemUsed, 70500, 0)
}

func scenePowerCap(s *stage) {
	s.open()
	first := s.at(0)[0]
	low, high := math.Inf(1), 0.0
	for sec := 1.0; sec <= 59; sec++ {
		r := s.at(sec)[0]
		if sec < 22 { // the mean power is over the second before
			continue
		}
		low, high = min(low, r.Get(SMClock)), max(high, r.Get(SMClock))
		s.want(&r, Power, 598, 3)
		s.want(&r, PowerLimit, 600, 0)
		s.want(&r, Reasons, 4, 0)
	}
	if low < 1499 || high > 1701 || low > 1520 || high < 1680 {
		s.Errorf("want 1500..1700 MHz under the cap, got %v..%v", low, high)
	}
	r := s.at(70)[0]
	s.want(&r, HeldPowerCap, first.Get(HeldPowerCap)+40e9, 1)
	s.want(&r, SMClock, 1800, 0)
}

func sceneBlink(s *stage) {
	s.open()
	first := s.at(0)[0]
	seen := 0
	var r Reading
	for sec := 1.0; sec <= 60; sec++ {
		if r = s.at(sec)[0]; r.Get(Reasons) != 0 {
			seen++
		}
	}
	if seen > 4 {
		s.Errorf("want polls to miss nearly all of the holds, met %d", seen)
	}
	s.want(&r, HeldBrake, first.Get(HeldBrake)+0.88e9, 1e3)
}

func sceneLost(s *stage) {
	s.open()
	two := s.at(0)
	if len(two[0].Processes) != 1 || two[0].Processes[0] != (Process{5100, 38800}) {
		s.Errorf("want the process of GPU 0, got %+v", two[0].Processes)
	}
	s.at(5)
	two = s.at(9)
	if two[1].Processes != nil {
		s.Errorf("want processes told each 10 s only, got %+v", two[1].Processes)
	}
	two = s.at(14)
	s.want(&two[1], Temp, 71, 0)
	last := two[1]
	for sec := 15.0; sec <= 20; sec++ {
		two = s.at(sec)
		if told := len(two[1].Xids) == 1 && two[1].Xids[0] == 79; told != (sec == 15) || len(two[0].Xids) != 0 {
			s.Errorf("at %v s: want Xid 79 of GPU 1 told once, got %v and %v", sec, two[1].Xids, two[0].Xids)
		}
		s.state(&two[0], OK)
		s.want(&two[0], SMClock, 2490, 0)
		s.state(&two[1], Lost)
		if !two[1].Held || two[1].At != last.At || two[1].UUID != last.UUID {
			s.Errorf("at %v s: want GPU 1 frozen at its last reading, got %+v", sec, two[1])
		}
		s.want(&two[1], Temp, 71, 0)
		if c := two[1].Err(Temp); c != CodeLost {
			s.Errorf("want GPU_IS_LOST for its temperature, got %v", c)
		}
	}
}

func sceneBack(s *stage) {
	s.open()
	s.at(9)
	for sec := 10.0; sec <= 60; sec++ {
		two := s.at(sec)
		want := Lost
		if sec >= 40 { // it is there again from 20 s on, and looked for each 30 s
			want = OK
		}
		s.state(&two[1], want)
		s.state(&two[0], OK)
	}
	two := s.at(61)
	s.want(&two[1], SMClock, 1650, 0)
	if two[1].Held || two[1].Err(SMClock) != 0 || two[1].UUID == "" {
		s.Errorf("want GPU 1 read as before, got %+v", two[1])
	}
}

func sceneDenied(s *stage) {
	s.open()
	two := s.at(0)
	s.state(&two[0], OK)
	s.state(&two[1], Denied)
	if two[1].Count() != 0 || !two[1].Held {
		s.Errorf("want no readings of GPU 1, got %+v", two[1])
	}
	two = s.at(70)
	s.state(&two[1], OK)
	s.want(&two[1], SMClock, 1650, 0)
}

func sceneDevicesGone(s *stage) {
	s.open()
	s.at(9)
	var err error
	var got []Reading
	for sec := 10.0; sec <= 15; sec++ {
		s.clock(sec)
		time.Sleep(time.Second) // in the bubble
		got, err = s.r.Read(nil)
	}
	if err == nil || !strings.Contains(err.Error(), "daemon-reload") || !strings.Contains(err.Error(), "must be restarted") {
		s.Errorf("want the cause named, got %v", err)
	}
	for i := range got {
		s.state(&got[i], Stale)
		s.want(&got[i], Temp, 70, 0)
	}
}

func sceneOneUnknown(s *stage) {
	s.open()
	s.at(9)
	for sec := 10.0; sec <= 20; sec++ {
		two := s.at(sec)
		s.state(&two[0], OK)
		if sec >= 13 {
			s.state(&two[1], Lost)
			s.want(&two[1], SMClock, 1650, 0)
			if two[1].Err(SMClock) != CodeUnknown {
				s.Errorf("want UNKNOWN, got %v", two[1].Err(SMClock))
			}
		}
	}
}

func sceneNothing(s *stage) {
	s.open()
	var err error
	for range 4 {
		_, err = s.r.Read(nil)
		time.Sleep(time.Second) // in the bubble
	}
	if err == nil || !strings.Contains(err.Error(), "this platform gives no readings through NVML") {
		s.Errorf("want it said, got %v", err)
	}
}

func sceneFlaky(s *stage) {
	s.open()
	s.at(9)
	r := s.at(10)[0]
	s.state(&r, OK)
	s.want(&r, SMClock, 1740, 0)
	for f, c := range map[Field]Code{Temp: CodeUnknown, Util: CodeNoPermission, HeldSWThermal: CodeUnknown} {
		if r.Has(f) || r.Err(f) != c {
			s.Errorf("%s: want no value and %v, got %v and %v", f.Key(), c, r.Get(f), r.Err(f))
		}
	}
	for sec := 11.0; sec <= 18; sec++ {
		s.at(sec)
	}
	r = s.at(19)[0]
	if r.Err(Util) != CodeNoPermission {
		s.Errorf("want no permission still said while it is not asked, got %v", r.Err(Util))
	}
	r = s.at(90)[0]
	s.want(&r, Temp, 70, 0)
	s.want(&r, Util, 100, 0)
	s.want(&r, HeldSWThermal, 0, 0)
}

func sceneEight(s *stage) {
	s.open()
	first := s.at(0)
	if len(first) != 8 {
		s.Fatalf("want 8 GPUs, got %d", len(first))
	}
	got := s.at(60)
	for i := range got {
		clock, heldFor := 1980.0, 0.0
		if i == 5 {
			clock, heldFor = 1545, 48e9
		}
		s.want(&got[i], SMClock, clock, 0)
		s.want(&got[i], HeldSWThermal, first[i].Get(HeldSWThermal)+heldFor, 1)
	}
}

func sceneConsumer(s *stage) {
	s.open()
	r := s.at(5)[0]
	s.want(&r, SMClock, 765, 0)
	s.want(&r, HeldPowerCap, 217.553937e9, 10)
	for sec := 6.0; sec <= 39; sec++ {
		s.at(sec)
	}
	r = s.at(40)[0]
	s.want(&r, SMClock, 2055, 0)
	s.want(&r, MemClock, 7500, 0)
	s.want(&r, Power, 170, 1)
	s.want(&r, Slowdown, 93, 0)
	s.want(&r, Util, 93, 0)
	s.absent(&r, MemTemp, Margin, SMActivity, SMOccupancy, TensorActivity, DRAMActivity, PCIeRx, PCIeTx)
}

func sceneUnsupported(s *stage) {
	s.open()
	var r Reading
	for sec := 0.0; sec <= 10; sec++ {
		r = s.at(sec)[0]
	}
	s.state(&r, OK)
	s.want(&r, SMClock, 1755, 0)
	s.want(&r, Util, 54, 1)
	s.want(&r, MemTotal, 8192, 0)
	s.absent(&r, MaxSMClock, Temp, MemTemp, Slowdown, Margin, Power, PowerInstant, PowerLimit, Energy, Reasons,
		HeldPowerCap, HeldSyncBoost, HeldBoard, HeldSWThermal, HeldHWThermal, HeldBrake, HeldReliability,
		SMActivity, SMOccupancy, TensorActivity, DRAMActivity, PCIeRx, PCIeTx)
	// What was "not supported" three times is asked again each minute only.
	g := s.r.(*nvmlReader).gpus[0]
	for i := range batch {
		if g.fields[i].absent != absentLimit {
			s.Errorf("field %d: want it asked %d times in 10 s, got %d", batch[i].id, absentLimit, g.fields[i].absent)
		}
	}
	s.at(80)
	for i := range batch {
		if g.fields[i].absent != absentLimit+1 {
			s.Errorf("field %d: want it asked once more after a minute, got %d", batch[i].id, g.fields[i].absent)
		}
	}
}

// sceneUnified: the machine's memory stands in for what a GPU lacks, and only
// for that.
func sceneUnified(s *stage) {
	s.o.proc = s.TempDir()
	for name, text := range map[string]string{
		"meminfo": "MemTotal:       127600640 kB\nMemFree:        90000000 kB\nMemAvailable:   118566912 kB\n",
		"driver/nvidia/gpus/0009:01:00.0/numa_status": "Node:\t\t1\nStatus:\t\tonline\n",
		"driver/nvidia/gpus/000f:01:00.0/information": "Model: NVIDIA GB10\n",
	} {
		file := filepath.Join(s.o.proc, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			s.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			s.Fatal(err)
		}
	}
	s.open()
	for sec := range 8 { // also when it is not asked any more
		all := s.at(float64(sec))
		s.want(&all[0], MemTotal, 124610, 0)
		s.want(&all[0], MemUsed, 8822, 0)
		if all[1].Has(MemUsed) || all[1].Err(MemUsed) != CodeUnknown {
			s.Errorf("want a failure to stay one, got %v and %v", all[1].Get(MemUsed), all[1].Err(MemUsed))
		}
		s.want(&all[2], MemTotal, 97871, 0)
		s.absent(&all[3], MemUsed, MemTotal)
		for i, want := range []MemoryKind{MemoryShared, MemoryOwn, MemoryKernel, MemoryOwn} {
			if all[i].Memory != want {
				s.Errorf("GPU %d: want memory %q, got %q", i, want, all[i].Memory)
			}
		}
		back, err := ParseReading(AppendReading(nil, &all[0]))
		if err != nil || back.Memory != MemoryShared {
			s.Errorf("want it shared in the NDJSON too, got %q, %v", back.Memory, err)
		}
	}
}

func sceneMIG(s *stage) {
	s.open()
	s.at(0)
	r := s.at(30)[0]
	s.want(&r, SMClock, 1980, 0)
	s.want(&r, Temp, 58, 0)
	s.want(&r, MemUsed, 30000, 0)
	s.absent(&r, Util, SMActivity)
	all := s.at(31)
	if len(all) != 3 {
		s.Fatalf("want the GPU and its two instances, got %d rows", len(all))
	}
	for i, want := range []struct {
		label                     string
		used, sm, occ, tensor, dm float64
	}{{"0/0", 21000, 0.8, 0.3, 0.4, 0.6}, {"0/1", 10000, 0.09, 0.03, 0.02, 0.08}} {
		r := &all[i+1]
		if r.Label() != want.label || !strings.HasPrefix(r.UUID, "MIG-") || !strings.HasSuffix(r.Name, "MIG 3g.40gb") {
			s.Errorf("want instance %s by its own name, got %s, %q, %q", want.label, r.Label(), r.UUID, r.Name)
		}
		s.state(r, OK)
		s.want(r, MemUsed, want.used, 0)
		s.want(r, MemTotal, 40448, 0)
		s.want(r, SMActivity, want.sm, 1e-9)
		s.want(r, SMOccupancy, want.occ, 1e-9)
		s.want(r, TensorActivity, want.tensor, 1e-9)
		s.want(r, DRAMActivity, want.dm, 1e-9)
		s.absent(r, SMClock, Temp, Power, Reasons, HeldPowerCap, Util)
	}
	got := s.at(42)
	if p := got[1].Processes; len(p) != 1 || p[0] != (Process{6001, 19800}) {
		s.Errorf("want the first instance's own process, got %+v", p)
	}
}

// refuse wants opening to fail with one line that has all the words.
func (s *stage) refuse(again bool, words ...string) {
	s.Helper()
	r, _, err := Open("nvml", s.o)
	if err == nil {
		_ = r.Close()
		s.Fatal("want an error, got none")
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			s.Errorf("want %q in the error, got %q", w, err)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		s.Errorf("want one line, got %q", err)
	}
	if mayRecover(err) != again {
		s.Errorf("want %v for trying again after %q, got %v", again, err, !again)
	}
}

func sceneNoGPU(s *stage) {
	s.clock(0)
	s.refuse(false, "no GPU is visible", "--gpus all")
	_, name, err := Open("auto", s.o)
	if name != "nvml" || err == nil || !strings.Contains(err.Error(), "no GPU is visible") {
		s.Errorf("want auto to leave it at that, got %q, %v", name, err)
	}
}

func sceneMismatch(s *stage) {
	s.clock(0)
	s.refuse(true, "driver and library versions differ", "reboot or reload the driver")
	s.refuse(true, "differ")
	s.clock(10)
	s.open0()
	r := s.at(10)[0]
	s.want(&r, SMClock, 1740, 0)
}

// open0 opens without going back to second 0.
func (s *stage) open0() {
	s.Helper()
	r, _, err := Open("nvml", s.o)
	if err != nil {
		s.Fatalf("want nvml to open, got %v", err)
	}
	s.r = r
	s.Cleanup(func() { _ = r.Close() })
}

func sceneNotLoaded(s *stage) {
	s.clock(0)
	s.refuse(true, "driver not loaded", "modprobe nvidia")
}

func sceneNoLibrary(s *stage) {
	s.o.Library = "/no/such/libnvidia-ml.so.1"
	s.refuse(false, "no NVML library found", "/no/such/libnvidia-ml.so.1", "--gpus", "--gpu=smi")
	s.o.SMI = []string{"/no/such/nvidia-smi"}
	_, _, err := Open("auto", s.o)
	if err == nil || !strings.Contains(err.Error(), "no NVML library found") || strings.Contains(err.Error(), "--gpu=smi") {
		s.Errorf("want no advice to try what was tried, got %v", err)
	}
}

func sceneNotALibrary(s *stage) {
	s.o.Library = filepath.Join(s.TempDir(), "libnvidia-ml.so.1")
	if err := os.WriteFile(s.o.Library, []byte("this is text"), 0o600); err != nil {
		s.Fatal(err)
	}
	s.refuse(false, "no NVML library found", "file too short")
}

// prompt reads, and wants that to be quick whatever the driver does.
func (s *stage) prompt() []Reading {
	s.Helper()
	began := time.Now()
	got, err := s.r.Read(nil)
	if took := time.Since(began); took > 600*time.Millisecond {
		s.Errorf("want Read to return promptly, got %v", took)
	}
	if err != nil && !errors.Is(err, errStarting) {
		s.Errorf("want no error, got %v", err)
	}
	s.conform(got)
	return got
}

// until reads until the condition holds.
func (s *stage) until(what string, ok func([]Reading) bool) []Reading {
	s.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if got := s.prompt(); ok(got) {
			return got
		}
	}
	s.Fatalf("want %s within 10 s", what)
	return nil
}

func sceneSlow(s *stage) {
	s.o.Every = fastest
	s.open()
	got := s.until("a row", func(r []Reading) bool { return len(r) > 0 })
	if len(got) != 1 || !got[0].Held || got[0].Count() != 0 {
		s.Fatalf("want one GPU without values yet, got %+v", got)
	}
	s.until("the state stale", func(r []Reading) bool { return r[0].State == Stale })
	// What it has read so far is shown before the round ends.
	got = s.until("its first clock", func(r []Reading) bool { return r[0].Has(SMClock) && !r[0].Held })
	s.state(&got[0], Stale)
	s.want(&got[0], SMClock, 1410, 0)
	s.want(&got[0], PowerInstant, 340, 1)
	s.absent(&got[0], Util)
	b, err := os.ReadFile(filepath.Join(filepath.Dir(s.file), "log"))
	if err != nil {
		s.Fatal(err)
	}
	if n := strings.Count(string(b), "nvmlDeviceGetHandleByIndex"); n != 1 {
		s.Errorf("want no second poll behind one that is slow, got %d", n)
	}
	began := time.Now()
	_ = s.r.Close()
	if took := time.Since(began); took > time.Second {
		s.Errorf("want Close to return promptly, got %v", took)
	}
}

func sceneStuck(s *stage) {
	s.o.Every = fastest
	s.open()
	s.until("both GPUs", func(r []Reading) bool { return r[0].Has(SMClock) && r[1].Has(SMClock) })
	s.clock(10)
	got := s.until("GPU 1 stale", func(r []Reading) bool { return r[1].State == Stale })
	s.want(&got[1], SMClock, 1650, 0)
	at := got[1].At
	fresh := 0
	got = s.until("GPU 0 going on", func(r []Reading) bool {
		if !r[0].Held {
			fresh++
		}
		return fresh == 2
	})
	s.state(&got[0], OK)
	if got[1].At != at || !got[1].Held {
		s.Errorf("want GPU 1 held at %v, got %v, held %v", at, got[1].At, got[1].Held)
	}
	s.until("GPU 1 back", func(r []Reading) bool { return !r[1].Held })
}

// sceneFaults: what went wrong is told once, as the difference to what was
// counted before, and not at all of a GPU that counts none of it.
func sceneFaults(s *stage) {
	s.open()
	told := map[int][]Fault{}
	for sec := range 60 {
		for _, r := range s.at(float64(sec)) {
			told[r.Index] = append(told[r.Index], r.Faults...)
		}
	}
	want := []Fault{{FaultPCIeReplay, 5}, {FaultECCCorrected, 3}, {FaultECCUncorrected, 1}, {FaultNVLink, 7}}
	for _, w := range want {
		if !slices.Contains(told[0], w) {
			s.Errorf("want %+v told of GPU 0, got %+v", w, told[0])
		}
	}
	if len(told[0]) != len(want) {
		s.Errorf("want each told once, got %+v", told[0])
	}
	if w := []Fault{{FaultRecovery, 2}}; !slices.Equal(told[1], w) {
		s.Errorf("want %+v alone of GPU 1, which counts nothing, got %+v", w, told[1])
	}
}
