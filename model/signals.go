package model

// Signals is what the rules read: one second's numbers, computed by the store
// from the events alone and frozen in the snapshot (diagnosis.md §1). A number
// nobody measured is NaN. Times are seconds, clocks hertz, shares 0..1.
type Signals struct {
	At     Instant
	T      float64 // seconds since the run's first event
	Client ClientSignals
	Server ServerSignals
	Load   LoadSignals
	GPUs   []GPUSignals
	Host   HostSignals
	Laws   Laws
	Goal   string  // the declared one, "" if there is none
	Over   bool    // the load is over or pausing: nothing in flight and no record for 3 s
	Skew   float64 // the worst smallest Seen − stamp of a source in seconds; NaN if none is known
	SkewOf string  // that source
	Stale  []StaleSource
	Unread []UnreadLog
}

// StaleSource is a source that has told nothing for several of its intervals.
type StaleSource struct {
	Name     string
	Kind     SourceKind
	Silence  float64 // seconds since it told something
	Interval float64 // usual seconds between what it tells
}

// UnreadLog is a server log that grows while nothing in it is recognised.
type UnreadLog struct {
	Name   string
	Format string  // what it is read as; "" while that is not known
	Lines  float64 // read since the last one that told something
	Hint   string  // what to change at the server or on the command line
}

// ClientSignals is the client over the last 30 s.
type ClientSignals struct {
	Known       bool     // a load stream has told at least one request
	Streams     []string // the load streams that were given, whether or not they told anything
	Reported    Instant  // not 0: these are figures of the whole run, which its generator told at its end, at this time
	Whole       float64  // seconds that they stand for; NaN if not Reported
	Horizon     Instant  // in-flight is exact up to here
	InFlight    float64  // mean of client in-flight over the window, up to the horizon
	InFlightNow float64  // at the horizon
	Target      float64  // concurrency the client was told; NaN if nobody said
	TargetSaid  bool     // Target was only declared by the user
	Timeout     float64  // configured request timeout; NaN if nobody said
	X, XOK      float64  // completions a second, all and good
	Started     float64  // begins a second
	Done        float64  // completions in the window
	OK, Timeouts, Rejected, Reset,
	HTTPError, Other float64 // of them
	Refused               float64 // "other" failures that ended at once, in the last 10 s
	OKSince               float64 // seconds since the last good completion
	Mean                  float64 // latency of all completions
	OKP50                 float64
	OKP95                 float64
	P50, P99              float64 // of the run so far, all completions
	Max                   float64 // longest latency of the run so far
	TimeoutAt             float64 // median latency of the timeouts in the window
	Silence               float64 // seconds since the last record
	TotalOK               float64 // good completions of the whole run
	TotalFailed           float64
	TotalDone             float64
	FirstEnd              Instant
	ClosedShare           float64 // share of starts within 3 ms after some completion, beyond chance
	Closed                bool
	ClosedKnown           bool    // enough starts to tell
	Queued                float64 // waiting inside the client, as it says
	InputMean, OutputMean float64 // tokens a request
	OutputCV, InputCV     float64 // spread of the lengths: deviation over mean
	InputDrift            float64 // the window's mean length against that of all requests before it, as a share of it
	OutputDrift           float64
	InputNoise            float64 // what chance explains of the drift: three standard errors
	OutputNoise           float64
	SchedDelay            float64 // mean seconds a start came after its schedule (open loops that tell it)
	SchedDelayMax         float64
	Dispersion            float64 // of arrivals, variance over mean per 100 ms: 0 even, 1 Poisson, more in bursts
	BurstGap              float64 // longest pause between starts, seconds
	ConnsPerRequest       float64 // connections opened a request: 0 all reused, 1 none
	BarRate               float64 // requests a second by a progress bar
	Rate                  float64 // arrivals a second the client was told; NaN if nobody said
	Little                float64 // sum of latencies ÷ window: in-flight by Little's law
	LittleFlight          float64 // mean in-flight over the same window
	LittleWindow          float64 // its seconds: ten latencies at least; NaN if the run is too short for that
	Groups                LatencyGroups
}

// LatencyGroups tells two groups in the good latencies of the last minute
// (diagnosis.md §6.5, bimodality).
type LatencyGroups struct {
	Known    bool    // enough latencies to tell
	Two      bool    // there are two groups with a valley between
	Low      float64 // seconds at the lower group's peak
	High     float64 // at the higher group's peak
	Valley   float64 // at the lowest point between
	Above    float64 // share of the requests above the valley
	P99      float64
	InValley bool // P99 falls where hardly any request is: it jumps from one group to the other
}

// ServerSignals is the server: 65 s for periodic lines and scrapes, 30 s for
// per-batch lines. Sums are over the engines of one server.
type ServerSignals struct {
	Known                                                           bool    // any sample ever
	Static                                                          bool    // samples come per batch, not per period
	Samples                                                         float64 // server samples in the window
	Interval                                                        float64 // usual spacing of samples
	Silence                                                         float64 // seconds since the last sample
	Ns                                                              float64 // median of running + waiting at the samples
	NcAt                                                            float64 // median of client in-flight at the same instants
	Ratio                                                           float64 // median of Ns ÷ Nc at the same instants
	Gap                                                             float64 // NcAt − Ns
	Paired                                                          float64 // samples that have both
	Running                                                         float64 // mean of running
	RunMin                                                          float64
	Waiting                                                         float64 // median
	WaitMean                                                        float64
	WaitKnown                                                       bool    // somebody tells the queue length
	B                                                               float64 // max batch over all engines; NaN if not known
	EngineB                                                         float64 // max batch of one engine
	KnowB                                                           bool
	BFrom                                                           string // who said so
	Full                                                            bool
	Quiet                                                           bool
	Batch                                                           float64 // mean requests in one step
	BatchOne                                                        float64 // share of samples at a batch of 1
	BatchN                                                          float64 // samples behind Batch
	BatchPerExecution                                               bool    // Batch is told per execution (or is the running batch of an engine that batches continuously)
	BatchWait                                                       float64 // mean wait before execution
	BatchWaitP95                                                    float64
	BatchWaitLimit                                                  float64 // configured; NaN if not known
	BatchWaitAtLimit                                                float64 // share of not-full batches that waited 0.9..1.1 × the limit
	KV                                                              float64 // median KV usage
	Preempted                                                       float64 // in the window
	Rejected, QueueFull, Dropped, TimedOut, ResetN, Aborted, Errors float64 // events in 30 s
	Finished                                                        float64 // a second
	GenTPS                                                          float64
	PromptTPS                                                       float64
	DebugLines                                                      float64 // a second
	LogLines, LogBytes                                              float64 // a second, of the server's logs
	X                                                               float64 // completions a second by the server's own count, or by a bar where nobody else counts
	Restarted                                                       Instant // last restart seen, 0 if none
	LogSilence                                                      float64 // seconds since a log among its sources told something; NaN without a log
	Engines                                                         []EngineSignals
}

// EngineSignals is one engine of a server, over the server's window.
type EngineSignals struct {
	Key              uint64
	Label            string
	Running, Waiting float64 // means
	WaitingMedian    float64
}

// LoadSignals is the run's shape in time: warm-up, steadiness, trend.
type LoadSignals struct {
	X5          []float64 // X_frac per 5-s bucket, newest last, at most 60
	Warm        bool
	ByServer    bool    // X5 and Warm are by the server's own throughput: no client tells requests
	Settled     bool    // not warm, but completions and in-flight stand still by plain counts
	WarmStrict  bool    // passed by the strict rule, not only within noise
	WarmAt      Instant // when it passed
	MovesPct    float64 // throughput moves this many percent per 40 s
	CV          float64 // of X_frac over 60 s
	CVLimit     float64 // what noise explains
	UnsteadyRaw bool
	LatencyCV   float64
	TrendP      float64 // Mann-Kendall p of in-flight over 60 s (5-s means)
	TrendSlope  float64 // Theil-Sen, requests a second
	TrendGrowth float64 // in 60 s
	TrendFrom   float64 // first quarter's mean
}

// GPUSignals is one GPU over the last 30 s.
type GPUSignals struct {
	Key      uint64
	Index    int
	Samples  float64
	Util     float64
	Clock    float64 // mean SM clock over samples under load
	Ref      float64 // maximum SM clock
	Best     float64 // best 20-s mean of this run under load
	Loss     float64 // 1 − Clock/Ref
	LossBest float64 // 1 − Clock/Best
	Temp     float64
	MemTemp  float64
	Margin   float64 // degrees left until it slows down
	Power    float64
	Limit    float64
	PowerCap, SWThermal, HWThermal, Brake, SyncBoost,
	AppClocks, HWSlowdown, Board, Reliability, Display float64 // share of the window held
	HWOther    float64 // share of polls with the hardware slowdown bit but neither its thermal nor its brake bit
	FromBits   bool    // shares are of samples with the bit set, not from counters of time
	SMActivity float64
	Tensor     float64
	DRAM       float64
	Lost       bool
	Stale      bool
	Other      bool // nothing here is the server's: others' processes alone, or no work in all the run while another GPU had some
}

// HostSignals is the machine over the last 20 s (other processes: 40 s).
type HostSignals struct {
	Known        bool
	ClientThread float64 // busiest thread of the load generator, cores
	ServerThread float64
	Established  float64
	Connecting   float64
	NewConns     float64 // a second
	AcceptQueue  float64
	RetransShare float64
	Idle         float64 // connections on which the client has its answer and sends nothing
	QuotaShare   float64 // of the server's quota periods, those in which it was held back
	ClientQuota  float64 // the same of the client's
	CPUClock     float64
	CPUClockBest float64
	OtherCPU     float64
	Steal        float64
	PSIMemory    float64
	OOMKills     float64 // in the last 60 s
	OOMEver      float64
	Neighbour    string  // the busiest other process, "" if nobody is named
	XBusy        float64 // completions a second while other processes were busy; NaN if they never were
	XCalm        float64 // and while they were not
}
