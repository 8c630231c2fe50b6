package cli_test

import (
	"testing"

	"benchtop/model"
	"benchtop/sources/sim"
)

// TestSourceLostInMidRun takes a source away when what it tells of stands: the
// finding is unknown from then on, neither raised nor cleared, and the verdict
// is another one that does not rest on it.
func TestSourceLostInMidRun(t *testing.T) {
	if raced {
		t.Skip("many simulations")
	}
	for _, c := range []struct {
		scenario, without, finding, before string
		after                              []string
	}{
		{"thermal_sw", "have_gpu_source=false", "thermal", "thermal", []string{"server_saturated"}},
		{"power_cap", "have_gpu_source=false", "power_cap", "power_cap", []string{"server_saturated"}},
		{"client_pool", "have_host_source=false", "client_pool", "client_pool", []string{"before_server"}},
		{"cpu_quota", "have_host_source=false", "cpu_quota", "cpu_quota", []string{"gpu_idle_gaps"}},
		{"saturated", "have_server_log=false", "server_saturated", "server_saturated", []string{"not_enough_evidence/server_log"}},
	} {
		t.Run(c.scenario, func(t *testing.T) {
			t.Parallel()
			s, _ := sim.Find(c.scenario)
			s.Changes += ", duration_s=240"
			s.Phases = []sim.Phase{{At: 130, Mark: "the source is gone", Changes: c.without}}
			o, _ := play(t, s, 11)
			if got := o.at(130); got != c.before {
				t.Fatalf("before: want %s, got %s;%s", c.before, got, o.history())
			}
			v := o.final.Verdict
			ok := false
			for _, id := range c.after {
				ok = ok || name(v.ID, v.Reason) == id
			}
			if !ok {
				t.Errorf("after: want %v, got %s;%s", c.after, name(v.ID, v.Reason), o.history())
			}
			for _, f := range o.final.Findings {
				if f.ID == c.finding && (f.State != model.Unknown || f.Needs == "" || f.ClearedAt != 0) {
					t.Errorf("%s: want unknown, never cleared, got state %v needs %q cleared %v", f.ID, f.State, f.Needs, f.ClearedAt)
				}
			}
		})
	}
}
