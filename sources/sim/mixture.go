package sim

import (
	"fmt"
	"math/rand/v2"
	"strconv"

	"benchtop/model"
)

// Impairment is one thing that holds a run back, at some severity, and how the
// run would be without it.
type Impairment struct {
	Name    string
	Changes string   // puts it in
	Without string   // takes it out again
	Names   []string // verdicts that name it
}

// kind of impairment: how one of any severity is drawn.
type kind struct {
	name    string
	draw    func(f func(lo, hi float64) string) string
	without string
	names   []string
}

// kinds are what a mixture is made of. The ranges reach from hardly felt to
// crippling.
var kinds = []kind{
	{"pool", func(f func(lo, hi float64) string) string { return "pool=" + f(4, 60) }, "pool=0", ids("client_pool", "before_server")},
	{"client_cpu", func(f func(lo, hi float64) string) string {
		return "client_cpu_send_s=" + f(0.005, 0.07) + ", client_cpu_recv_s=" + f(0.005, 0.09)
	}, "client_cpu_send_s=0, client_cpu_recv_s=0", ids("client_cpu", "before_server")},
	{"gateway", func(f func(lo, hi float64) string) string { return "gateway_limit=" + f(4, 60) }, "gateway_limit=0", ids("path_stuck", "before_server")},
	{"no_keep_alive", func(f func(lo, hi float64) string) string {
		return "keep_alive=false, connect_s=0.01, accept_s=" + f(0.005, 0.2)
	}, "keep_alive=true, accept_s=0", ids("path_stuck", "before_server")},
	{"loss", func(f func(lo, hi float64) string) string { return "loss_p=" + f(0.005, 0.2) }, "loss_p=0", ids("network", "before_server")},
	{"resets", func(f func(lo, hi float64) string) string { return "reset_p=" + f(0.01, 0.2) }, "reset_p=0", ids("network")},
	{"timeout", func(f func(lo, hi float64) string) string { return "client_timeout_s=" + f(1.5, 6) }, "client_timeout_s=60", ids("client_timeout")},
	{"workers", func(f func(lo, hi float64) string) string { return "workers=" + f(4, 32) }, "workers=64", ids("concurrency_lt_maxbatch", "closed_loop_ceiling")},
	{"max_batch", func(f func(lo, hi float64) string) string { return "max_batch=" + f(1, 24) }, "max_batch=32", ids("batching_off", "server_saturated")},
	{"queue_limit", func(f func(lo, hi float64) string) string { return "queue_limit=" + f(1, 20) }, "queue_limit=0", ids("server_rejects", "server_saturated")},
	{"admission", func(f func(lo, hi float64) string) string { return "admission_limit=" + f(6, 48) }, "admission_limit=0", ids("server_rejects", "server_saturated")},
	{"kv", func(f func(lo, hi float64) string) string { return "kv_tokens=" + f(2500, 12000) }, "kv_tokens=24000", ids("kv_pressure")},
	{"heat", func(f func(lo, hi float64) string) string {
		return "hot_from_s=40, thermal_tau_s=14, hot_by_c=" + f(8, 48)
	}, "hot_by_c=0", ids("thermal")},
	{"power", func(f func(lo, hi float64) string) string { return "power_limit_w=" + f(200, 400) }, "power_limit_w=450", ids("power_cap")},
	{"brake", func(f func(lo, hi float64) string) string { return "brake_len_s=900, brake_from_s=" + f(30, 90) }, "brake_len_s=0", ids("power_brake")},
	{"drift", func(f func(lo, hi float64) string) string { return "drift_from_s=60, drift_frac=" + f(0.03, 0.4) }, "drift_frac=0", ids("clock_drift")},
	{"host_step", func(f func(lo, hi float64) string) string { return "host_step_s=" + f(0.002, 0.02) }, "host_step_s=0.001", ids("gpu_idle_gaps", "server_cpu")},
	{"quota", func(f func(lo, hi float64) string) string {
		return "cpu_quota_throttled_share=" + f(0.15, 0.7) + ", cpu_quota_host_mul=" + f(1, 20)
	}, "cpu_quota_throttled_share=0, cpu_quota_host_mul=1", ids("cpu_quota")},
	{"cpu_clock", func(f func(lo, hi float64) string) string {
		return "cpu_freq_drop_at_s=60, cpu_freq_frac=" + f(0.3, 0.85)
	}, "cpu_freq_frac=1", ids("cpu_freq")},
	{"neighbour", func(f func(lo, hi float64) string) string {
		return "noisy_from_s=40, noisy_period_s=25, noisy_duty=" + f(0.5, 1) + ", noisy_cpu_share=" + f(0.3, 0.8) + ", noisy_host_mul=" + f(1, 20)
	}, "noisy_cpu_share=0, noisy_host_mul=1", ids("noisy_neighbour")},
	{"memory", func(f func(lo, hi float64) string) string {
		return "mem_pressure_from_s=40, mem_oom_after_s=0, mem_psi=" + f(0.08, 0.5) + ", mem_host_mul=" + f(1, 20)
	}, "mem_psi=0, mem_host_mul=1", ids("mem_pressure")},
	{"debug_log", func(f func(lo, hi float64) string) string { return "debug_log=true, debug_host_mul=" + f(1, 20) }, "debug_log=false, debug_host_mul=1", ids("debug_log")},
}

// Mix draws a run with so many impairments at once, each of any severity; the
// same for the same seed. With two limits of equal size removing either alone
// changes nothing, so what each is worth is found by simulating without it.
func Mix(seed uint64, count int) (Scenario, []Impairment) {
	dice := rand.New(rand.NewPCG(seed, 0x6d6978))
	f := func(lo, hi float64) string {
		x := lo + (hi-lo)*dice.Float64()
		if hi >= 4 && lo >= 1 && lo == float64(int(lo)) && hi < 100 { // whole numbers, and times that may be
			return strconv.Itoa(int(x + 0.5))
		}
		return strconv.FormatFloat(x, 'f', 4, 64)
	}
	s := Scenario{Name: fmt.Sprintf("mixture %d", seed), Line: "impairments at random", Changes: "duration_s=160, workers=64"}
	var in []Impairment
	for _, i := range dice.Perm(len(kinds))[:min(count, len(kinds))] {
		k := &kinds[i]
		changes := k.draw(f)
		if k.name == "kv" {
			changes = "kv_tokens=" + strconv.Itoa(2500+dice.IntN(9500))
		}
		in = append(in, Impairment{k.name, changes, k.without, k.names})
		s.Changes += ", " + changes
	}
	return s, in
}

// Truths runs a scenario's model alone, without anybody who reads what it tells,
// and returns what was the case ten times a second.
func Truths(s Scenario, seed uint64, start model.Instant) ([]Truth, error) {
	p, err := s.Params()
	if err != nil {
		return nil, err
	}
	drop := func(model.Instant, []byte) {}
	w := newWorld(p, s.Phases, seed, start, sinks{
		load: drop, log: drop,
		gpu:  func(model.Instant, *cardSample) {},
		host: func(model.Instant, *hostSample) {},
		mark: func(model.Instant, string) {},
	})
	w.runTo(p.Duration + 1)
	return w.truths, nil
}
