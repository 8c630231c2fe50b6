package sim

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
)

// Drawing parameters: each number that makes a scenario what it is moves by up
// to drawSpread either way, so that a diagnosis that fits only the table's own
// numbers is found out. Some are bounds that decide what the run is; they move
// less, or not at all.
const drawSpread = 0.12

var drawSpreads = map[string]float64{
	"power_limit_w":    0.03, // above the benign scenario's, below it the clock is lost
	"client_timeout_s": 0.03, // just below the latency that the scenario needs
	"gateway_limit":    0.12,
	"rate_per_s":       0.06,
	"sw_slowdown_c":    0,
	"max_batch":        0,
	"engines":          0,
	"clock_elasticity": 0,
	"clock_max_mhz":    0,
	"power_idle_w":     0,
	"cpu_freq_frac":    0.08,
	"have_client":      0,
	"brake_len_s":      0,
	"keep_alive":       0,
	"router_share":     0.04,
	"warm_amp":         0.08,
	"t0_s":             0.08,
	"t1_s":             0.08,
	"queue_limit":      0.3,
	"kv_tokens":        0.08,
	"workers":          0.1,
	"crash_down_s":     0.2,
	"regime_amp":       0.08,
	"regime_period_s":  0.08,

	"server_busiest_thread_cores": 0,
}

// drawFixed are scenarios that name a borderline which a draw would cross.
var drawFixed = map[string]string{
	"gateway_full_server": "gateway_limit",
	"tour":                "duration_s thermal_tau_s",
	"case_batch4":         "power_limit_w power_dynamic_w thermal_r",
	"case_batch8":         "power_limit_w power_dynamic_w thermal_r",
	"batch_wait":          "workers",
	"timeout_batch_wait":  "workers batch_wait_s client_timeout_s t0_s t1_s",
	"timeout_slow_clock":  "client_timeout_s",
}

// Draw is the scenario with other parameters, the same for the same seed. A
// shifted draw also changes what nobody thinks of while setting thresholds: the
// log's interval, noise, output lengths, the way's delay, whether max batch is
// known, a mild neighbour, and the run's length.
func Draw(s Scenario, seed uint64, shifted bool) Scenario {
	dice := rand.New(rand.NewPCG(seed, nameSeed(s.Name)))
	s.Changes = drawList(dice, s.Changes, drawFixed[s.Name])
	for i := range s.Phases {
		if i == 0 { // the table is shared
			s.Phases = append([]Phase(nil), s.Phases...)
		}
		s.Phases[i].Changes = drawList(dice, s.Phases[i].Changes, "")
	}
	if shifted {
		s.Changes = shift(dice, s)
	}
	return s
}

func nameSeed(name string) uint64 {
	h := uint64(14695981039346656037)
	for _, b := range []byte(name) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return h
}

func drawList(dice *rand.Rand, list, fixed string) string {
	var out []string
	for item := range strings.SplitSeq(list, ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(item), "=")
		if !ok {
			continue
		}
		u := 2*dice.Float64() - 1 // drawn also where it is not used, so that fixing one leaves the others alone
		x, err := strconv.ParseFloat(value, 64)
		spread, ok := drawSpreads[name]
		if !ok {
			spread = drawSpread
		}
		if err == nil && x != 0 && !strings.Contains(" "+fixed+" ", " "+name+" ") {
			value = strconv.FormatFloat(moved(x, u*spread, name), 'g', 6, 64)
		}
		out = append(out, name+"="+value)
	}
	return strings.Join(out, ", ")
}

func moved(x, by float64, name string) float64 {
	y := x * (1 + by)
	var p Params
	if p.Set(name, strconv.FormatFloat(x, 'f', 1, 64)) != nil { // a whole number
		y = max(1, math.Round(y))
	}
	return y
}

func shift(dice *rand.Rand, s Scenario) string {
	p := Base()
	_ = p.Change(s.Changes) // drawn from a list that the table's test has read
	f := func(lo, hi float64) string {
		return strconv.FormatFloat(lo+(hi-lo)*dice.Float64(), 'g', 4, 64)
	}
	out := []string{s.Changes, "log_every_s=" + [...]string{"2", "5", "15"}[dice.IntN(3)]}
	noise, cv, rtt := f(0.05, 0.15), f(0.3, 0.8), f(0.002, 0.02)
	out = append(out, "step_noise_cv="+noise)
	if p.OutputCV > 0 && p.LongFrac == 0 {
		out = append(out, "output_cv="+cv)
	}
	if p.BatchWait == 0 || p.Mode == modeOpen {
		out = append(out, "rtt_s="+rtt)
	}
	out = append(out, "max_batch_known="+strconv.FormatBool(dice.IntN(2) == 0))
	share, long := f(0.02, 0.12), f(140, 240)
	if p.NoisyShare == 0 {
		out = append(out, "noisy_cpu_share="+share+", noisy_duty=1, noisy_period_s=60")
	}
	if p.Duration == Base().Duration && p.CrashAt == 0 {
		out = append(out, "duration_s="+long)
	}
	return strings.TrimPrefix(strings.Join(out, ", "), ", ")
}

// Healthy reports whether nothing limits the run, so that no second of it may
// accuse anything.
func (s *Scenario) Healthy() bool {
	switch s.Name {
	case "healthy_open", "healthy_balanced", "healthy_static_open", "throttled_open_keeps_up":
		return true
	}
	return false
}
