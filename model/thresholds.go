package model

// Thresholds are the numbers the rules compare with: one struct, written into
// every recording. The defaults are diagnosis.md's.
type Thresholds struct {
	RaiseS, ClearS         float64 // leaky counter
	RaiseServerS           float64 // for conditions on 10-s server lines
	LeadS                  float64 // a new verdict must lead this long
	MissingRatio           float64 // before_server: server ÷ client below this
	MissingGap             float64 // and at least this many requests
	MissingGapShare        float64 // and this share of the client's
	QuietShare             float64 // a queue up to this share of the client's is none
	FullShare              float64 // running ÷ max batch that counts as full
	TargetShare            float64 // client_below_target: in-flight ÷ target
	BatchOne               float64 // batching_off: mean batch up to this
	BatchOneShare          float64 // and this share of samples at 1
	LostMin                float64 // least losses in 30 s that count
	LostShare              float64 // and their share of completions
	LostInvalid            float64 // share above which the numbers are invalid
	TimeoutDominates       float64 // share of completions that puts timeouts first
	SaturatedWait          float64 // least queue that counts
	SaturatedWaitShare     float64 // as a share of max batch
	GrowthP                float64 // queue_unbounded: Mann-Kendall p
	GrowthMin              float64 // and growth in 60 s
	GrowthShare            float64 // and as a share of in-flight
	ThermalShare           float64 // of 30 s
	ThermalLoss            float64 // of the clock
	PowerShare, PowerLoss  float64
	BrakeShare, BrakeLoss  float64
	DriftLoss              float64
	BitShare, BitLoss      float64 // other reasons: share of the window, and loss of the clock
	HWOtherShare           float64 // hardware slowdown without a named cause
	BusyUtil               float64 // utilization above which a clock counts
	GapUtil, GapHostUtil   float64 // gpu_idle_gaps: utilization below this; with a host cause below that
	LowSM                  float64 // low_sm_activity: SM activity up to this
	NearLimit              float64 // memory_bound, compute_bound: activity from here on
	QuotaShare             float64 // cpu_quota: throttled share of the periods
	CPUDrop                float64 // cpu_freq: below this run's best by this share
	OtherCPU, Steal        float64 // noisy_neighbour: shares of the cores
	PSIMemory              float64 // mem_pressure
	ThreadFull             float64 // server_cpu: cores of one thread
	DebugRate              float64 // debug_log: DEBUG lines a second
	TailRatio              float64 // co_risk: longest ÷ median latency
	RateShare              float64 // co_risk: achieved ÷ set start rate
	LittleShare            float64 // little_mismatch
	StaleIntervals         float64 // source_stale: silent for this many intervals
	LengthShare            float64 // length_changed: tokens a request moved by this share
	SLOShare               float64 // goal sla: share of a step's requests that must keep the limits
	ScrapeStall            float64 // clean seconds: a scrape that takes this long, seconds
	MinOK, MinFailed       float64 // fewest records for any verdict
	WarmSlope, WarmSlopeMK float64
	UnsteadyCV             float64
}

// DefaultThresholds are diagnosis.md's.
func DefaultThresholds() Thresholds {
	return Thresholds{
		RaiseS: 10, ClearS: 15, RaiseServerS: 15, LeadS: 5,
		MissingRatio: 0.70, MissingGap: 3, MissingGapShare: 0.2,
		QuietShare: 0.06, FullShare: 0.9, TargetShare: 0.8,
		BatchOne: 1.3, BatchOneShare: 0.7,
		LostMin: 3, LostShare: 0.01, LostInvalid: 0.2, TimeoutDominates: 0.5,
		SaturatedWait: 2, SaturatedWaitShare: 0.06,
		GrowthP: 0.01, GrowthMin: 8, GrowthShare: 0.25,
		ThermalShare: 0.2, ThermalLoss: 0.03,
		PowerShare: 0.5, PowerLoss: 0.08,
		BrakeShare: 0.05, BrakeLoss: 0.03,
		DriftLoss: 0.05, BitShare: 0.2, BitLoss: 0.05, HWOtherShare: 0.05,
		BusyUtil: 0.3, GapUtil: 0.85, GapHostUtil: 0.88, LowSM: 0.4, NearLimit: 0.9,
		QuotaShare: 0.1, CPUDrop: 0.1, OtherCPU: 0.25, Steal: 0.05, PSIMemory: 0.05, ThreadFull: 0.95, DebugRate: 20,
		TailRatio: 10, RateShare: 0.95, LittleShare: 0.1, StaleIntervals: 5, ScrapeStall: 1, SLOShare: 0.99, LengthShare: 0.05,
		MinOK: 30, MinFailed: 10,
		WarmSlope: 0.04, WarmSlopeMK: 0.10, UnsteadyCV: 0.08,
	}
}
