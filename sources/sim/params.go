package sim

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// Params are the model's settings. Times are seconds unless the name says
// otherwise; a limit, a share or an instant of 0 means there is none. The tag
// is the name that Set and the scenario table use.
type Params struct {
	// The run.
	Duration float64 `name:"duration_s"`

	// The client. mode is closed (workers that wait for a reply) or open
	// (arrivals by schedule).
	Mode           string  `name:"mode"`
	Workers        int     `name:"workers"`
	Target         int     `name:"target"` // concurrency the client says it was told; 0: workers
	Ramp           float64 `name:"ramp_s"`
	Poisson        bool    `name:"poisson"`
	Rate           float64 `name:"rate_per_s"`
	ClientSendCPU  float64 `name:"client_cpu_send_s"`
	ClientRecvCPU  float64 `name:"client_cpu_recv_s"`
	Pool           int     `name:"pool"`
	ClientTimeout  float64 `name:"client_timeout_s"`
	AbortOnTimeout bool    `name:"abort_on_disconnect"`

	// The path.
	RTT          float64 `name:"rtt_s"`
	Connect      float64 `name:"connect_s"`
	Accept       float64 `name:"accept_s"`
	KeepAlive    bool    `name:"keep_alive"`
	GatewayLimit int     `name:"gateway_limit"`
	LossP        float64 `name:"loss_p"`
	ResetP       float64 `name:"reset_p"`

	// The server. server is continuous or static.
	Server         string  `name:"server"`
	Engines        int     `name:"engines"`
	RouterShare    float64 `name:"router_share"` // to engine 0; 0: an even share
	QueueLimit     int     `name:"queue_limit"`
	AdmissionLimit int     `name:"admission_limit"`
	MaxBatch       int     `name:"max_batch"`
	MaxBatchKnown  bool    `name:"max_batch_known"` // a start-up line states it
	BatchWait      float64 `name:"batch_wait_s"`
	T0             float64 `name:"t0_s"`
	T1             float64 `name:"t1_s"`
	TP             float64 `name:"tp_s"`
	HostStep       float64 `name:"host_step_s"`
	PromptTokens   int     `name:"prompt_tokens"`
	OutputTokens   float64 `name:"output_tokens"`
	OutputCV       float64 `name:"output_cv"`
	LongFrac       float64 `name:"long_frac"`
	LongMul        float64 `name:"long_mul"`
	KVTokens       int     `name:"kv_tokens"`
	StepNoiseCV    float64 `name:"step_noise_cv"`
	WarmAmp        float64 `name:"warm_amp"`
	WarmTau        float64 `name:"warm_tau_s"`
	Elasticity     float64 `name:"clock_elasticity"`
	RegimeAmp      float64 `name:"regime_amp"`
	RegimePeriod   float64 `name:"regime_period_s"`
	CrashAt        float64 `name:"crash_at_s"`
	CrashDown      float64 `name:"crash_down_s"`

	// The GPU.
	ClockMaxMHz    float64 `name:"clock_max_mhz"`
	IdleW          float64 `name:"power_idle_w"`
	DynamicW       float64 `name:"power_dynamic_w"`
	LimitW         float64 `name:"power_limit_w"`
	InletC         float64 `name:"inlet_c"`
	ThermalR       float64 `name:"thermal_r"`
	ThermalTau     float64 `name:"thermal_tau_s"`
	SWSlowdownC    float64 `name:"sw_slowdown_c"`
	HWSlowdownC    float64 `name:"hw_slowdown_c"`
	HotBy          float64 `name:"hot_by_c"`
	HotFrom        float64 `name:"hot_from_s"`
	BrakeFrom      float64 `name:"brake_from_s"`
	BrakeLen       float64 `name:"brake_len_s"`
	DriftFrac      float64 `name:"drift_frac"`
	DriftFrom      float64 `name:"drift_from_s"`
	SMActivityFull float64 `name:"sm_activity_full"`
	SMOccupancy    float64 `name:"sm_occupancy"` // 0: not measured

	// The host.
	CPUMHz         float64 `name:"cpu_mhz"`
	CPUFreqFrac    float64 `name:"cpu_freq_frac"`
	CPUFreqDropAt  float64 `name:"cpu_freq_drop_at_s"`
	QuotaThrottled float64 `name:"cpu_quota_throttled_share"`
	QuotaHostMul   float64 `name:"cpu_quota_host_mul"`
	NoisyShare     float64 `name:"noisy_cpu_share"`
	NoisyFrom      float64 `name:"noisy_from_s"`
	NoisyPeriod    float64 `name:"noisy_period_s"`
	NoisyDuty      float64 `name:"noisy_duty"`
	NoisyHostMul   float64 `name:"noisy_host_mul"`
	MemFrom        float64 `name:"mem_pressure_from_s"`
	MemPSI         float64 `name:"mem_psi"`
	MemHostMul     float64 `name:"mem_host_mul"`
	MemOOMAfter    float64 `name:"mem_oom_after_s"` // first kill, counted from the pressure's start; 0: none
	ServerThread   float64 `name:"server_busiest_thread_cores"`

	// What is told.
	LogEvery       float64 `name:"log_every_s"`
	LogSilentAfter float64 `name:"server_log_silent_after_s"`
	ClockSkew      float64 `name:"server_clock_skew_s"`
	DebugLog       bool    `name:"debug_log"`
	DebugHostMul   float64 `name:"debug_host_mul"`
	HaveClient     bool    `name:"have_client_stream"`
	HaveLog        bool    `name:"have_server_log"`
	HaveGPU        bool    `name:"have_gpu_source"`
	HaveHost       bool    `name:"have_host_source"`
}

// Modes and engines, as Params.Mode and Params.Server spell them.
const (
	modeClosed       = "closed"
	modeOpen         = "open"
	engineContinuous = "continuous"
	engineStatic     = "static"
)

// Base is the healthy run that every scenario changes: 32 workers against a
// batch of 32, about 16 requests a second.
func Base() Params {
	return Params{
		Duration: 180, Mode: modeClosed, Workers: 32, Ramp: 2, ClientTimeout: 60, AbortOnTimeout: true,
		RTT: 0.001, Connect: 0.001, KeepAlive: true,
		Server: engineContinuous, Engines: 1, MaxBatch: 32, MaxBatchKnown: true,
		T0: 0.020, T1: 0.00025, TP: 0.000012, HostStep: 0.001,
		PromptTokens: 256, OutputTokens: 64, OutputCV: 0.15, LongMul: 1, KVTokens: 24000,
		StepNoiseCV: 0.02, WarmAmp: 0.3, WarmTau: 4, Elasticity: 0.8,
		ClockMaxMHz: 1980, IdleW: 70, DynamicW: 330, LimitW: 450, InletC: 28, ThermalR: 0.105, ThermalTau: 20,
		SWSlowdownC: 83, HWSlowdownC: 92, SMActivityFull: 0.75,
		CPUMHz: 3100, CPUFreqFrac: 1, QuotaHostMul: 1, NoisyHostMul: 1, MemHostMul: 1, MemOOMAfter: 20,
		LogEvery: 10, DebugHostMul: 1,
		HaveClient: true, HaveLog: true, HaveGPU: true, HaveHost: true,
	}
}

// Set changes one parameter by its name: numbers as Go writes them, true or
// false, or a word.
func (p *Params) Set(name, value string) error {
	v := reflect.ValueOf(p).Elem()
	for i := range v.NumField() {
		if v.Type().Field(i).Tag.Get("name") != name {
			continue
		}
		return setField(v.Field(i), name, value)
	}
	return fmt.Errorf("parameter %s: there is none of this name", name)
}

func setField(f reflect.Value, name, value string) error {
	switch f.Kind() {
	case reflect.Float64:
		x, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return fmt.Errorf("parameter %s: %q is not a number", name, value)
		}
		f.SetFloat(x)
	case reflect.Int:
		n, err := strconv.Atoi(value)
		if err != nil {
			return fmt.Errorf("parameter %s: %q is not a whole number", name, value)
		}
		f.SetInt(int64(n))
	case reflect.Bool:
		b, err := strconv.ParseBool(value)
		if err != nil {
			return fmt.Errorf("parameter %s: %q is neither true nor false", name, value)
		}
		f.SetBool(b)
	default:
		f.SetString(value)
	}
	return nil
}

// Change applies a list such as "pool=8, workers=48".
func (p *Params) Change(list string) error {
	for _, item := range strings.Split(list, ",") {
		item = strings.TrimSpace(item)
		if item == "" {
			continue
		}
		name, value, ok := strings.Cut(item, "=")
		if !ok {
			return fmt.Errorf("parameter %q: want name=value", item)
		}
		if err := p.Set(strings.TrimSpace(name), strings.TrimSpace(value)); err != nil {
			return err
		}
	}
	return nil
}

// Validate says what the model can't run with.
func (p *Params) Validate() error {
	switch {
	case !(p.Duration > 0):
		return fmt.Errorf("duration_s %v: want more than 0", p.Duration)
	case p.Mode != modeClosed && p.Mode != modeOpen:
		return fmt.Errorf("mode %q: want %s or %s", p.Mode, modeClosed, modeOpen)
	case p.Mode == modeClosed && p.Workers < 1:
		return fmt.Errorf("workers %d: a closed loop needs at least 1", p.Workers)
	case p.Mode == modeOpen && !(p.Rate > 0):
		return fmt.Errorf("rate_per_s %v: an open loop needs more than 0", p.Rate)
	case p.Server != engineContinuous && p.Server != engineStatic:
		return fmt.Errorf("server %q: want %s or %s", p.Server, engineContinuous, engineStatic)
	case p.MaxBatch < 1 || p.Engines < 1:
		return fmt.Errorf("max_batch %d, engines %d: want at least 1", p.MaxBatch, p.Engines)
	case !(p.T0+p.T1 > 0) || p.T0 < 0 || p.T1 < 0 || p.TP < 0 || p.HostStep < 0:
		return fmt.Errorf("t0_s %v, t1_s %v: a step must take time", p.T0, p.T1)
	case !(p.OutputTokens > 0) || p.PromptTokens < 0:
		return fmt.Errorf("output_tokens %v, prompt_tokens %d: want more than 0", p.OutputTokens, p.PromptTokens)
	case p.KVTokens > 0 && float64(p.KVTokens)*kvAdmit < float64(p.PromptTokens)+p.OutputTokens*max(1, p.LongMul)*(1+6*p.OutputCV):
		return fmt.Errorf("kv_tokens %d: one long request must fit", p.KVTokens)
	case !(p.ClientTimeout > 0):
		return fmt.Errorf("client_timeout_s %v: want more than 0", p.ClientTimeout)
	case !(p.LogEvery > 0):
		return fmt.Errorf("log_every_s %v: want more than 0", p.LogEvery)
	case !(p.ClockMaxMHz > 0) || !(p.DynamicW > 0) || p.LimitW <= p.IdleW || !(p.ThermalTau > 0) || !(p.SMActivityFull > 0):
		return fmt.Errorf("clock_max_mhz %v, power_limit_w %v: the GPU needs a clock, and a limit above its idle power", p.ClockMaxMHz, p.LimitW)
	case !(p.CPUFreqFrac > 0) || !(p.WarmTau > 0):
		return fmt.Errorf("cpu_freq_frac %v, warm_tau_s %v: want more than 0", p.CPUFreqFrac, p.WarmTau)
	}
	return nil
}
