package gpu_test

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"benchtop/model"
	"benchtop/sources/gpu"
)

var noon = model.InstantOf(time.Date(2026, 7, 14, 12, 0, 0, 250_000_000, time.UTC))

func TestSet(t *testing.T) {
	for _, tc := range []struct {
		name string
		f    gpu.Field
		v    float64
		has  bool
	}{
		{"a clock", gpu.SMClock, 1980, true},
		{"0 MHz is no reading", gpu.SMClock, 0, false},
		{"0 °C is no reading", gpu.Temp, 0, false},
		{"frost is", gpu.Temp, -3, true},
		{"0 W is no reading", gpu.Power, 0, false},
		{"a limit of 0 W is none", gpu.PowerLimit, 0, false},
		{"no margin left is a reading", gpu.Margin, 0, true},
		{"nor is less than none", gpu.Margin, -2, true},
		{"an idle GPU", gpu.Util, 0, true},
		{"no reasons", gpu.Reasons, 0, true},
		{"a counter that never ran", gpu.HeldBrake, 0, true},
		{"memory of 0 in all", gpu.MemTotal, 0, false},
		{"negative utilization", gpu.Util, -1, false},
		{"not a number", gpu.Temp, math.NaN(), false},
		{"infinite", gpu.Power, math.Inf(1), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var r gpu.Reading
			r.Set(tc.f, 55) // an earlier value must not shine through
			r.Set(tc.f, tc.v)
			if got := r.Has(tc.f); got != tc.has {
				t.Errorf("Has: want %v, got %v", tc.has, got)
			}
			if got := r.Get(tc.f); tc.has && got != tc.v || !tc.has && !math.IsNaN(got) {
				t.Errorf("Get: want %v or NaN, got %v", tc.v, got)
			}
		})
	}
}

func TestFail(t *testing.T) {
	for _, tc := range []struct {
		name string
		code gpu.Code
		want gpu.Code
	}{
		{"not supported is no failure", gpu.CodeNotSupported, 0},
		{"a function the driver lacks is none", gpu.CodeFunctionNotFound, 0},
		{"deprecated is none", gpu.CodeDeprecated, 0},
		{"no permission is", gpu.CodeNoPermission, gpu.CodeNoPermission},
		{"unknown is", gpu.CodeUnknown, gpu.CodeUnknown},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var r gpu.Reading
			r.Set(gpu.Power, 300)
			r.Fail(gpu.Power, tc.code)
			if r.Has(gpu.Power) || r.Err(gpu.Power) != tc.want {
				t.Errorf("want no value and code %d, got %v and %d", tc.want, r.Get(gpu.Power), r.Err(gpu.Power))
			}
		})
	}
}

// The keys are a contract with scripts: all there, no others.
func TestJSONKeys(t *testing.T) {
	var whole map[string]any
	r := reading(noon, 0)
	if err := json.Unmarshal(gpu.AppendReading(nil, &r), &whole); err != nil {
		t.Fatal(err)
	}
	want := strings.Fields(`ts gpu uuid name sm_mhz mem_mhz max_sm_mhz max_mem_mhz temp_c mem_temp_c slowdown_c margin_c
		power_w power_instant_w power_limit_w energy_j util_pct mem_used_mib mem_total_mib reasons counters_ns
		sm_activity sm_occupancy tensor_activity dram_activity pcie_rx_bps pcie_tx_bps state errors`)
	counters := strings.Fields(`sw_power_cap sync_boost board_limit sw_thermal hw_thermal hw_power_brake reliability`)
	check := func(what string, want []string, got any) {
		var keys []string
		for k := range got.(map[string]any) {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		slices.Sort(want)
		if !slices.Equal(want, keys) {
			t.Errorf("%s: want keys %v, got %v", what, want, keys)
		}
	}
	check("line", want, whole)
	check("counters_ns", counters, whole["counters_ns"])
	if whole["slowdown_c"] != nil {
		t.Errorf("want null for what was not read, got %v", whole["slowdown_c"])
	}
	if got := whole["counters_ns"].(map[string]any)["sw_power_cap"]; got != 3500000001.0 {
		t.Errorf("want the counter in ns, got %v", got)
	}
}

func TestJSONRoundTrip(t *testing.T) {
	full := reading(noon, 3)
	lost := reading(noon, 1)
	lost.State, lost.Held = gpu.Lost, true
	failing := gpu.Reading{At: noon, Index: 2, UUID: `GPU-"quoted"`, Name: "Größe\n"}
	failing.Set(gpu.SMClock, 1980)
	failing.Fail(gpu.Power, gpu.CodeUnknown)
	failing.Fail(gpu.HeldBrake, gpu.CodeNoPermission)
	denied := gpu.Reading{At: noon, State: gpu.Denied, Held: true}
	part := gpu.Reading{At: noon, Index: 3, Instance: 2, UUID: "MIG-1", Name: "H100 MIG 3g.40gb"}
	part.Set(gpu.SMActivity, 0.5)
	for name, r := range map[string]gpu.Reading{"full": full, "failing": failing, "denied": denied, "a MIG device": part} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := gpu.WriteReading(&b, &r); err != nil {
				t.Fatal(err)
			}
			got, err := gpu.ParseReading(bytes.TrimSpace(b.Bytes()))
			if err != nil {
				t.Fatalf("%v in %s", err, b.Bytes())
			}
			if !reflect.DeepEqual(r, got) {
				t.Errorf("want %+v\ngot  %+v\nfrom %s", r, got, b.Bytes())
			}
		})
	}
	t.Run("a held reading says nothing twice", func(t *testing.T) {
		got, err := gpu.ParseReading(gpu.AppendReading(nil, &lost))
		if err != nil {
			t.Fatal(err)
		}
		if got.Count() != 0 || got.State != gpu.Lost || !got.Held {
			t.Errorf("want no values and lost, got %+v", got)
		}
	})
}

func TestParseReading(t *testing.T) {
	const head = `{"ts":"2026-07-14T12:00:00.25Z","gpu":0`
	for _, tc := range []struct {
		name, line, err string
	}{
		{"the least there is", head + `}`, ""},
		{"unknown keys", head + `,"fan_pct":30,"nested":{"a":[1]}}`, ""},
		{"nulls", head + `,"uuid":null,"sm_mhz":null,"counters_ns":null,"errors":null,"state":null}`, ""},
		{"not JSON", `{"ts":`, "not JSON"},
		{"another line", `{"ts":"2026-07-14T12:00:00Z","client_cpu_cores":1}`, "names neither gpu nor uuid"},
		{"no time", `{"gpu":0}`, "ts"},
		{"a local time", `{"ts":"2026-07-14 12:00:00","gpu":0}`, "ts"},
		{"far from now", `{"ts":"9999-07-14T12:00:00Z","gpu":0}`, "out of range"},
		{"a word for a number", head + `,"sm_mhz":"fast"}`, "sm_mhz"},
		{"a number for the counters", head + `,"counters_ns":7}`, "counters_ns"},
		{"an unknown state", head + `,"state":"tired"}`, "tired"},
		{"a negative index", `{"ts":"2026-07-14T12:00:00Z","gpu":-1}`, "index"},
		{"half an index", `{"ts":"2026-07-14T12:00:00Z","gpu":0.5}`, "index"},
		{"a number for the name", head + `,"name":7}`, "name"},
		{"an array for the errors", head + `,"errors":[]}`, "errors"},
		{"an array", `[1]`, "not JSON"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := gpu.ParseReading([]byte(tc.line))
			if tc.err == "" && err != nil || tc.err != "" && (err == nil || !strings.Contains(err.Error(), tc.err)) {
				t.Errorf("want error %q, got %v", tc.err, err)
			}
		})
	}
}

func FuzzParseReading(f *testing.F) {
	r := reading(noon, 0)
	f.Add(gpu.AppendReading(nil, &r))
	f.Add([]byte(`{"ts":"2026-07-14T12:00:00Z","gpu":0,"sm_mhz":1e308,"errors":{"power_w":"NVML_ERROR_UNKNOWN"}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		r, err := gpu.ParseReading(line)
		if err != nil {
			return
		}
		checkReading(t, &r)
		again, err := gpu.ParseReading(gpu.AppendReading(nil, &r))
		if err != nil {
			t.Fatalf("want what was read to be written readably, got %v", err)
		}
		r.At, again.At = 0, 0 // written to the microsecond
		if r.UUID, again.UUID, r.Name, again.Name = "", "", "", ""; !reflect.DeepEqual(r, again) {
			t.Errorf("want %+v, got %+v", r, again)
		}
	})
}

// checkReading wants what holds for every reading of every backend.
func checkReading(t *testing.T, r *gpu.Reading) {
	t.Helper()
	for f := range gpu.Field(gpu.NumFields) {
		v := r.Get(f)
		switch {
		case !r.Has(f) && !math.IsNaN(v):
			t.Errorf("%s: want NaN for what was not read, got %v", f.Key(), v)
		case r.Has(f) && (math.IsNaN(v) || math.IsInf(v, 0)):
			t.Errorf("%s: want a finite value, got %v", f.Key(), v)
		case r.Has(f) && r.Err(f) != 0 && !r.Held:
			t.Errorf("%s: want a value or an error, got %v and %v", f.Key(), v, r.Err(f))
		}
	}
	if !json.Valid(gpu.AppendReading(nil, r)) {
		t.Errorf("want valid JSON, got %s", gpu.AppendReading(nil, r))
	}
}

func BenchmarkAppendReading(b *testing.B) {
	r := reading(noon, 0)
	buf := gpu.AppendReading(nil, &r)
	b.ReportAllocs()
	for b.Loop() {
		buf = gpu.AppendReading(buf[:0], &r)
	}
}

func BenchmarkParseReading(b *testing.B) {
	r := reading(noon, 0)
	line := gpu.AppendReading(nil, &r)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := gpu.ParseReading(line); err != nil {
			b.Fatal(err)
		}
	}
}
