package diagnose

import (
	"math"
	"strings"
	"testing"
	"time"

	"benchtop/model"
)

const sec = model.Instant(time.Second)

var nan = math.NaN()

// healthy is a second of a balanced closed loop with every source there: 32
// in flight, all running, nobody waiting, GPU at full clock.
func healthy() *model.Signals {
	return &model.Signals{
		At: 1_700_000_100 * sec, T: 100, Skew: 0.01, SkewOf: "client",
		Client: model.ClientSignals{
			Known: true, InFlight: 32, InFlightNow: 32, Target: 32, Timeout: 60, X: 16, XOK: 16, Started: 16,
			Done: 480, OK: 480, OKSince: 0.1, Mean: 2, OKP50: 2, OKP95: 2.4, P50: 2, P99: 2.6, TimeoutAt: nan,
			Silence: 0.1, TotalOK: 1500, TotalDone: 1500, FirstEnd: 1_700_000_002 * sec,
			ClosedShare: 0.99, Closed: true, ClosedKnown: true, Queued: nan, InputMean: 256, OutputMean: 64, OutputCV: 0.15,
			Max: 3, Rate: nan, Little: 32, LittleFlight: 32, LittleWindow: 30, Groups: model.LatencyGroups{Known: true},
		},
		Server: model.ServerSignals{
			Known: true, Samples: 6, Interval: 10, Silence: 3, Ns: 32, NcAt: 32, Ratio: 1, Gap: 0, Paired: 6,
			Running: 31, RunMin: 30, Waiting: 0, WaitMean: 0, WaitKnown: true, B: 36, EngineB: 36, KnowB: true, BFrom: "start-up line",
			Quiet: true, Batch: 31, BatchOne: 0, BatchN: 6, BatchPerExecution: true, BatchWait: 0.001, BatchWaitP95: 0.002,
			BatchWaitLimit: 0.05, BatchWaitAtLimit: 0, KV: 0.4, Preempted: 0, Rejected: 0, QueueFull: 0, Dropped: 0,
			TimedOut: 0, ResetN: 0, Aborted: 0, Errors: 0, Finished: 16, GenTPS: 1000, PromptTPS: 4000, DebugLines: 0, X: 16, LogSilence: 3,
		},
		Load: model.LoadSignals{Warm: true, WarmAt: 1_700_000_050 * sec, MovesPct: 1, CV: 0.02, CVLimit: 0.08, LatencyCV: 0.1, TrendP: 0.5, TrendSlope: 0, TrendGrowth: 0, TrendFrom: 32},
		GPUs: []model.GPUSignals{{
			Key: 1, Samples: 60, Util: 0.97, Clock: 1980e6, Ref: 1980e6, Best: 1980e6, Temp: 65, Power: 380, Limit: 450,
			SMActivity: 0.7, Tensor: 0.3, DRAM: 0.6,
		}},
		Host: model.HostSignals{
			Known: true, ClientThread: 0.3, ServerThread: 0.5, Established: 32, Connecting: 0, NewConns: 0, AcceptQueue: 0,
			RetransShare: 0, QuotaShare: 0, CPUClock: 3e9, CPUClockBest: 3e9, OtherCPU: 0.05, Steal: 0, PSIMemory: 0, OOMKills: 0,
		},
	}
}

// missing makes 40 of 48 client requests invisible to an idle server.
func missing(s *model.Signals) {
	s.Client.InFlight, s.Client.InFlightNow, s.Client.Target = 48, 48, 48
	s.Server.Ns, s.Server.NcAt, s.Server.Ratio, s.Server.Gap, s.Server.Running, s.Server.RunMin = 8, 48, 8.0/48, 40, 8, 7
	s.Host.Established = 48
	s.Host.ClientThread = 0.85
}

func full(s *model.Signals) {
	s.Server.B = 40
	s.Server.Running, s.Server.RunMin, s.Server.Full, s.Server.Quiet, s.Server.Waiting, s.Server.WaitMean = 40, 40, true, false, 24, 24
	s.Client.InFlight, s.Server.NcAt, s.Server.Ns = 64, 64, 64
}

func hot(s *model.Signals) {
	g := &s.GPUs[0]
	g.SWThermal, g.Clock, g.Loss, g.LossBest, g.Temp = 0.6, 1500e6, 1-1500.0/1980, 1-1500.0/1980, 86
}

// cases lists, for each finding, what must fire it and what must not.
var cases = map[string]struct{ fire, quiet, unknown []func(*model.Signals) }{
	"before_server": {
		fire:    []func(*model.Signals){missing},
		quiet:   []func(*model.Signals){func(s *model.Signals) { missing(s); s.Server.Full = true }, func(s *model.Signals) { missing(s); s.Server.Quiet = false }, full},
		unknown: []func(*model.Signals){func(s *model.Signals) { s.Server.Ratio, s.Server.Gap = nan, nan }, func(s *model.Signals) { s.Client = model.ClientSignals{} }},
	},
	"client_pool": {
		fire: []func(*model.Signals){func(s *model.Signals) { missing(s); s.Host.Established = 8 }},
		quiet: []func(*model.Signals){
			missing, func(s *model.Signals) { missing(s); s.Host.Established = 8; s.Host.NewConns = 14 },
			func(s *model.Signals) { missing(s); s.Host.Established, s.Host.Idle = 10, 4 },      // it sleeps, and needs no more
			func(s *model.Signals) { missing(s); s.Host.Established = 1 },                       // requests share it
			func(s *model.Signals) { missing(s); s.Host.Established, s.Host.Connecting = 0, 0 }, // those of another port
		},
		unknown: []func(*model.Signals){func(s *model.Signals) { missing(s); s.Host.Established = nan }},
	},
	"client_cpu": {
		fire:    []func(*model.Signals){func(s *model.Signals) { missing(s); s.Host.ClientThread = 0.97 }},
		quiet:   []func(*model.Signals){missing, func(s *model.Signals) { s.Host.ClientThread = 1 }},
		unknown: []func(*model.Signals){func(s *model.Signals) { missing(s); s.Host.ClientThread = nan }},
	},
	"path_stuck": {
		fire: []func(*model.Signals){func(s *model.Signals) { missing(s); s.Host.ClientThread = 0.3 }, func(s *model.Signals) { missing(s); s.Host.NewConns = 15 }},
		quiet: []func(*model.Signals){
			func(s *model.Signals) { missing(s); s.Host.Established = 8 },
			func(s *model.Signals) { missing(s); s.Host.ClientThread, s.Host.Idle = 0.3, 40 }, // the client sleeps
			func(s *model.Signals) { missing(s); s.Host.ClientThread, s.Host.ClientQuota = 0.3, 0.4 },
		},
		unknown: []func(*model.Signals){func(s *model.Signals) {
			missing(s)
			s.Host = model.HostSignals{Established: nan, NewConns: nan, Connecting: nan}
		}},
	},
	"network": {
		fire:    []func(*model.Signals){func(s *model.Signals) { s.Client.Reset = 40 }, func(s *model.Signals) { s.Host.RetransShare = 0.04; s.Server.Ratio = 0.8 }},
		quiet:   []func(*model.Signals){func(s *model.Signals) { s.Client.Reset = 2 }, func(s *model.Signals) { s.Host.RetransShare = 0.04 }},
		unknown: []func(*model.Signals){func(s *model.Signals) { s.Client = model.ClientSignals{} }},
	},
	"client_timeout": {
		fire:    []func(*model.Signals){func(s *model.Signals) { s.Client.Timeouts, s.Client.TimeoutAt = 20, 3 }},
		quiet:   []func(*model.Signals){func(s *model.Signals) { s.Client.Timeouts = 2 }, func(s *model.Signals) { s.Client.Timeouts = 4; s.Client.Done = 1000 }},
		unknown: []func(*model.Signals){func(s *model.Signals) { s.Client = model.ClientSignals{} }},
	},
	"client_below_target": {
		fire: []func(*model.Signals){func(s *model.Signals) {
			s.Client.Target, s.Client.InFlight, s.Server.NcAt, s.Server.Ns, s.Server.Running = 48, 8, 8, 8, 8
		}},
		quiet:   []func(*model.Signals){func(s *model.Signals) { s.Client.Target = 33 }, func(s *model.Signals) { missing(s); s.Client.InFlight = 20 }},
		unknown: []func(*model.Signals){func(s *model.Signals) { s.Client.Target = nan }},
	},
	"concurrency_lt_maxbatch": {
		fire: []func(*model.Signals){func(s *model.Signals) {
			s.Client.InFlight, s.Server.NcAt, s.Server.Ns, s.Server.Running = 10, 10, 10, 10
		}},
		quiet: []func(*model.Signals){func(s *model.Signals) { s.Server.NcAt = 34; s.Server.Running = 34 }, func(s *model.Signals) { s.Server.NcAt = 10; s.Server.Running = 10; s.Server.KV = 0.95 }},
		unknown: []func(*model.Signals){func(s *model.Signals) {
			s.Server.KnowB, s.Server.B = false, nan
			s.Server.NcAt, s.Server.Running = 10, 10
		}, func(s *model.Signals) { s.Client.ClosedKnown = false; s.Server.NcAt, s.Server.Running = 10, 10 }},
	},
	"closed_loop_ceiling": {
		fire:    []func(*model.Signals){func(s *model.Signals) { s.Server.KnowB, s.Server.B = false, nan }},
		quiet:   []func(*model.Signals){func(s *model.Signals) { s.Server.KnowB = false; s.Client.Closed = false }},
		unknown: []func(*model.Signals){func(s *model.Signals) { s.Client.ClosedKnown, s.Server.KnowB, s.Server.B = false, false, nan }},
	},
	"timeout_near": {
		fire:    []func(*model.Signals){func(s *model.Signals) { s.Client.OKP95 = 55 }},
		quiet:   []func(*model.Signals){func(s *model.Signals) { s.Client.OKP95 = 20 }, func(s *model.Signals) { s.Client.OKP95 = 55; s.Client.OK = 40 }},
		unknown: []func(*model.Signals){func(s *model.Signals) { s.Client.Timeout = nan }},
	},
	"qps_counts_failures": {
		fire:    []func(*model.Signals){func(s *model.Signals) { s.Client.OK = 400 }},
		quiet:   []func(*model.Signals){func(s *model.Signals) { s.Client.OK = 470 }},
		unknown: []func(*model.Signals){func(s *model.Signals) { s.Client = model.ClientSignals{} }},
	},
	"batching_off": {
		fire:    []func(*model.Signals){func(s *model.Signals) { s.Server.Batch, s.Server.BatchOne, s.Server.Waiting = 1, 1, 20 }},
		quiet:   []func(*model.Signals){func(s *model.Signals) { s.Server.Batch, s.Server.BatchOne, s.Server.Waiting = 1, 1, 0 }},
		unknown: []func(*model.Signals){func(s *model.Signals) { s.Server.Batch, s.Server.BatchOne, s.Server.WaitKnown = 1, 1, false }, func(s *model.Signals) { s.Server.Batch, s.Server.BatchOne, s.Server.Waiting = nan, nan, 5 }},
	},
	"batch_wait_ceiling": {
		fire:    []func(*model.Signals){func(s *model.Signals) { s.Server.BatchWaitAtLimit, s.Server.BatchWait, s.Client.Mean = 0.9, 0.15, 0.25 }},
		quiet:   []func(*model.Signals){func(s *model.Signals) { s.Server.BatchWaitAtLimit, s.Server.BatchWait = 0.9, 0.15 }},
		unknown: []func(*model.Signals){func(s *model.Signals) { s.Server.Static, s.Server.BatchWaitAtLimit = true, nan }},
	},
	"server_saturated": {
		fire: []func(*model.Signals){full, func(s *model.Signals) {
			full(s)
			s.Server.Waiting, s.Server.WaitKnown, s.Server.Gap, s.Server.Ratio = nan, false, nan, nan
		}},
		quiet: []func(*model.Signals){func(s *model.Signals) {
			s.Server.Full = true
			s.Server.Running = 40
			s.Client.InFlight = 41
			s.Server.NcAt = 41
			s.Server.Gap = 1
		}},
		unknown: []func(*model.Signals){func(s *model.Signals) { s.Server.Samples = 2 }, func(s *model.Signals) { s.Server.KnowB, s.Server.WaitKnown = false, false }},
	},
	"queue_unbounded": {
		fire: []func(*model.Signals){func(s *model.Signals) {
			full(s)
			s.Client.Closed, s.Load.TrendP, s.Load.TrendGrowth, s.Load.TrendSlope = false, 0.001, 60, 1
		}},
		quiet:   []func(*model.Signals){func(s *model.Signals) { full(s); s.Load.TrendP, s.Load.TrendGrowth = 0.001, 60 }, func(s *model.Signals) { full(s); s.Client.Closed, s.Load.TrendP, s.Load.TrendGrowth = false, 0.001, 4 }},
		unknown: []func(*model.Signals){func(s *model.Signals) { s.Client.Closed, s.Load.TrendP = false, nan }},
	},
	"server_rejects": {
		fire:    []func(*model.Signals){func(s *model.Signals) { s.Client.Rejected = 30 }},
		quiet:   []func(*model.Signals){func(s *model.Signals) { s.Client.Rejected = 2 }},
		unknown: []func(*model.Signals){func(s *model.Signals) { s.Client, s.Server = model.ClientSignals{}, model.ServerSignals{} }},
	},
	"server_down": {
		fire:    []func(*model.Signals){func(s *model.Signals) { s.Client.Refused, s.Client.OKSince = 40, 5 }, func(s *model.Signals) { s.Server.Restarted = s.At - 10*sec }},
		quiet:   []func(*model.Signals){func(s *model.Signals) { s.Client.Refused = 40 }, func(s *model.Signals) { s.Server.Restarted = s.At - 90*sec }},
		unknown: []func(*model.Signals){func(s *model.Signals) { s.Client, s.Server = model.ClientSignals{}, model.ServerSignals{} }},
	},
	"zombie_work": {
		fire:    []func(*model.Signals){func(s *model.Signals) { s.Server.Ratio, s.Server.Ns, s.Client.Timeouts = 1.5, 48, 9 }},
		quiet:   []func(*model.Signals){func(s *model.Signals) { s.Server.Ratio, s.Server.Ns = 1.5, 48 }},
		unknown: []func(*model.Signals){func(s *model.Signals) { s.Server.Ratio, s.Server.Ns, s.Client.Timeouts = nan, 48, 9 }},
	},
	"kv_pressure": {
		fire: []func(*model.Signals){
			func(s *model.Signals) { s.Server.KV, s.Server.Waiting, s.Server.Running = 0.97, 20, 22 },
			func(s *model.Signals) { // no max batch known, and running varies under a queue
				s.Server.KV, s.Server.Waiting, s.Server.KnowB, s.Server.B, s.Server.Preempted = 0.97, 20, false, nan, nan
			},
		},
		quiet: []func(*model.Signals){func(s *model.Signals) { full(s); s.Server.KV = 0.97 }, func(s *model.Signals) { s.Server.KV = 0.5 }},
		unknown: []func(*model.Signals){func(s *model.Signals) { s.Server.KV, s.Server.Waiting = nan, 20 }, func(s *model.Signals) { s.Server.KV, s.Server.WaitKnown = 0.97, false }, func(s *model.Signals) {
			full(s)
			s.Server.KV, s.Server.KnowB, s.Server.B, s.Server.Preempted = 0.97, false, nan, nan
		}},
	},
	"thermal": {
		fire:    []func(*model.Signals){hot, func(s *model.Signals) { hot(s); s.GPUs[0].SWThermal, s.GPUs[0].HWThermal = nan, 0.5 }},
		quiet:   []func(*model.Signals){func(s *model.Signals) { hot(s); s.GPUs[0].Loss = 0.01 }, func(s *model.Signals) { s.GPUs[0].SWThermal = 0.1 }},
		unknown: []func(*model.Signals){func(s *model.Signals) { s.GPUs = nil }, func(s *model.Signals) { s.GPUs[0].SWThermal, s.GPUs[0].HWThermal, s.GPUs[0].Loss = nan, nan, 0.1 }},
	},
	"power_cap": {
		fire:    []func(*model.Signals){func(s *model.Signals) { s.GPUs[0].PowerCap, s.GPUs[0].Loss, s.GPUs[0].Clock = 0.9, 0.2, 1584e6 }},
		quiet:   []func(*model.Signals){func(s *model.Signals) { s.GPUs[0].PowerCap = 0.9 }},
		unknown: []func(*model.Signals){func(s *model.Signals) { s.GPUs = nil }},
	},
	"power_brake": {
		fire:    []func(*model.Signals){func(s *model.Signals) { s.GPUs[0].Brake, s.GPUs[0].Loss = 0.1, 0.2 }},
		quiet:   []func(*model.Signals){func(s *model.Signals) { s.GPUs[0].Brake = 0.01; s.GPUs[0].Loss = 0.2 }},
		unknown: []func(*model.Signals){func(s *model.Signals) { s.GPUs = nil }},
	},
	"clock_drift": {
		fire:    []func(*model.Signals){func(s *model.Signals) { s.GPUs[0].LossBest = 0.2 }},
		quiet:   []func(*model.Signals){hot},
		unknown: []func(*model.Signals){func(s *model.Signals) { s.GPUs = nil }},
	},
	"gpu_idle_gaps": {
		fire:    []func(*model.Signals){func(s *model.Signals) { s.GPUs[0].Util = 0.6 }},
		quiet:   []func(*model.Signals){func(s *model.Signals) { s.GPUs[0].Util = 0.6; s.Server.BatchWait = 0.5 }, func(s *model.Signals) { s.GPUs[0].Util = 0.6; s.Server.RunMin = 0 }},
		unknown: []func(*model.Signals){func(s *model.Signals) { s.GPUs = nil }},
	},
	"low_sm_activity": {
		fire:    []func(*model.Signals){func(s *model.Signals) { full(s); s.GPUs[0].SMActivity = 0.2 }},
		quiet:   []func(*model.Signals){func(s *model.Signals) { s.GPUs[0].SMActivity = 0.2 }},
		unknown: []func(*model.Signals){func(s *model.Signals) { full(s); s.GPUs[0].SMActivity = nan }},
	},
	"engine_imbalance": {
		fire: []func(*model.Signals){func(s *model.Signals) {
			s.Server.EngineB = 32
			s.Server.Engines = []model.EngineSignals{{Key: 1, Label: "0", Running: 31, Waiting: 24, WaitingMedian: 25}, {Key: 2, Label: "1", Running: 4, Waiting: 0, WaitingMedian: 0}}
		}},
		quiet: []func(*model.Signals){func(s *model.Signals) {
			s.Server.EngineB = 32
			s.Server.Engines = []model.EngineSignals{{Key: 1, Label: "0", Running: 31, Waiting: 24, WaitingMedian: 25}, {Key: 2, Label: "1", Running: 4, Waiting: 0, WaitingMedian: 0}}
			s.Server.Engines[1].Running = 20
		}, func(s *model.Signals) {
			s.Server.EngineB = 32
			s.Server.Engines = []model.EngineSignals{{Key: 1, Label: "0", Running: 31, Waiting: 24, WaitingMedian: 25}, {Key: 2, Label: "1", Running: 4, Waiting: 0, WaitingMedian: 0}}
			s.Server.Engines[0].WaitingMedian = 1
		}, func(s *model.Signals) { full(s) }},
		unknown: []func(*model.Signals){func(s *model.Signals) { s.Server = model.ServerSignals{} }, func(s *model.Signals) {
			s.Server.EngineB = 32
			s.Server.Engines = []model.EngineSignals{{Key: 1, Label: "0", Running: 31, Waiting: 24, WaitingMedian: 25}, {Key: 2, Label: "1", Running: 4, Waiting: 0, WaitingMedian: 0}}
			s.Server.Engines[1].WaitingMedian = nan
		}},
	},
	"sync_boost": {
		fire:    []func(*model.Signals){func(s *model.Signals) { s.GPUs[0].SyncBoost, s.GPUs[0].Loss, s.GPUs[0].Clock = 0.5, 0.1, 1782e6 }},
		quiet:   []func(*model.Signals){func(s *model.Signals) { s.GPUs[0].SyncBoost, s.GPUs[0].Loss = 0.5, 0.02 }, func(s *model.Signals) { s.GPUs[0].SyncBoost, s.GPUs[0].Loss = 0.1, 0.1 }},
		unknown: []func(*model.Signals){func(s *model.Signals) { s.GPUs = nil }, func(s *model.Signals) { s.GPUs[0].SyncBoost, s.GPUs[0].Loss = nan, 0.1 }},
	},
	"app_clocks": {
		fire:    []func(*model.Signals){func(s *model.Signals) { s.GPUs[0].AppClocks, s.GPUs[0].Loss, s.GPUs[0].Clock = 0.5, 0.1, 1782e6 }},
		quiet:   []func(*model.Signals){func(s *model.Signals) { s.GPUs[0].AppClocks, s.GPUs[0].Loss = 0.5, 0.02 }, func(s *model.Signals) { s.GPUs[0].AppClocks, s.GPUs[0].Loss = 0.1, 0.1 }},
		unknown: []func(*model.Signals){func(s *model.Signals) { s.GPUs = nil }, func(s *model.Signals) { s.GPUs[0].AppClocks, s.GPUs[0].Loss = nan, 0.1 }},
	},
	"board_limit": {
		fire:    []func(*model.Signals){func(s *model.Signals) { s.GPUs[0].Board, s.GPUs[0].Loss, s.GPUs[0].Clock = 0.5, 0.1, 1782e6 }},
		quiet:   []func(*model.Signals){func(s *model.Signals) { s.GPUs[0].Board, s.GPUs[0].Loss = 0.5, 0.02 }, func(s *model.Signals) { s.GPUs[0].Board, s.GPUs[0].Loss = 0.1, 0.1 }},
		unknown: []func(*model.Signals){func(s *model.Signals) { s.GPUs = nil }, func(s *model.Signals) { s.GPUs[0].Board, s.GPUs[0].Loss = nan, 0.1 }},
	},
	"reliability": {
		fire:    []func(*model.Signals){func(s *model.Signals) { s.GPUs[0].Reliability, s.GPUs[0].Loss, s.GPUs[0].Clock = 0.5, 0.1, 1782e6 }},
		quiet:   []func(*model.Signals){func(s *model.Signals) { s.GPUs[0].Reliability, s.GPUs[0].Loss = 0.5, 0.02 }, func(s *model.Signals) { s.GPUs[0].Reliability, s.GPUs[0].Loss = 0.1, 0.1 }},
		unknown: []func(*model.Signals){func(s *model.Signals) { s.GPUs = nil }, func(s *model.Signals) { s.GPUs[0].Reliability, s.GPUs[0].Loss = nan, 0.1 }},
	},
	"display": {
		fire:    []func(*model.Signals){func(s *model.Signals) { s.GPUs[0].Display, s.GPUs[0].Loss, s.GPUs[0].Clock = 0.5, 0.1, 1782e6 }},
		quiet:   []func(*model.Signals){func(s *model.Signals) { s.GPUs[0].Display, s.GPUs[0].Loss = 0.5, 0.02 }, func(s *model.Signals) { s.GPUs[0].Display, s.GPUs[0].Loss = 0.1, 0.1 }},
		unknown: []func(*model.Signals){func(s *model.Signals) { s.GPUs = nil }, func(s *model.Signals) { s.GPUs[0].Display, s.GPUs[0].Loss = nan, 0.1 }},
	},
	"hw_slowdown_other": {
		fire:    []func(*model.Signals){func(s *model.Signals) { s.GPUs[0].HWOther = 0.1 }},
		quiet:   []func(*model.Signals){func(s *model.Signals) { s.GPUs[0].HWOther = 0.02 }, func(s *model.Signals) { s.GPUs[0].HWSlowdown, s.GPUs[0].HWThermal = 0.5, 0.5 }},
		unknown: []func(*model.Signals){func(s *model.Signals) { s.GPUs = nil }, func(s *model.Signals) { s.GPUs[0].HWOther = nan }},
	},
	"memory_bound": {
		fire:    []func(*model.Signals){func(s *model.Signals) { full(s); s.GPUs[0].DRAM = 0.93 }},
		quiet:   []func(*model.Signals){func(s *model.Signals) { s.GPUs[0].DRAM = 0.93 }, full},
		unknown: []func(*model.Signals){func(s *model.Signals) { s.GPUs = nil }, func(s *model.Signals) { full(s); s.GPUs[0].DRAM = nan }},
	},
	"compute_bound": {
		fire:    []func(*model.Signals){func(s *model.Signals) { full(s); s.GPUs[0].Tensor = 0.93 }, func(s *model.Signals) { full(s); s.GPUs[0].SMActivity, s.GPUs[0].Tensor = 0.95, nan }},
		quiet:   []func(*model.Signals){func(s *model.Signals) { s.GPUs[0].Tensor = 0.93 }, full},
		unknown: []func(*model.Signals){func(s *model.Signals) { s.GPUs = nil }, func(s *model.Signals) { s.GPUs[0].SMActivity, s.GPUs[0].Tensor = nan, nan }},
	},
	"cpu_quota": {
		fire:    []func(*model.Signals){func(s *model.Signals) { s.Host.QuotaShare = 0.4 }},
		quiet:   []func(*model.Signals){func(s *model.Signals) { s.Host.QuotaShare = 0.05 }},
		unknown: []func(*model.Signals){func(s *model.Signals) { s.Host.QuotaShare = nan }},
	},
	"cpu_freq": {
		fire:    []func(*model.Signals){func(s *model.Signals) { s.Host.CPUClock = 1.5e9 }},
		quiet:   []func(*model.Signals){func(s *model.Signals) { s.Host.CPUClock = 2.8e9 }},
		unknown: []func(*model.Signals){func(s *model.Signals) { s.Host.CPUClock = nan }, func(s *model.Signals) { s.Host.CPUClockBest = nan }},
	},
	"noisy_neighbour": {
		fire:    []func(*model.Signals){func(s *model.Signals) { s.Host.OtherCPU = 0.6; s.Host.XBusy, s.Host.XCalm = 9, 16 }, func(s *model.Signals) { s.Host.Steal = 0.1 }, func(s *model.Signals) { s.Host.OtherCPU, s.Host.Steal = 0.6, nan }, func(s *model.Signals) { s.Host.OtherCPU, s.Host.Steal = nan, 0.1 }},
		quiet:   []func(*model.Signals){func(s *model.Signals) { s.Host.OtherCPU = 0.2 }, func(s *model.Signals) { s.Host.Steal = nan }},
		unknown: []func(*model.Signals){func(s *model.Signals) { s.Host.OtherCPU, s.Host.Steal = nan, nan }, func(s *model.Signals) { s.Host.OtherCPU = nan }},
	},
	"mem_pressure": {
		fire:    []func(*model.Signals){func(s *model.Signals) { s.Host.PSIMemory = 0.3 }, func(s *model.Signals) { s.Host.OOMKills, s.Host.OOMEver = 1, 1 }, func(s *model.Signals) { s.Host.PSIMemory, s.Host.OOMKills = nan, 1 }},
		quiet:   []func(*model.Signals){func(s *model.Signals) { s.Host.PSIMemory = 0.01 }, func(s *model.Signals) { s.Host.OOMEver = 1 }},
		unknown: []func(*model.Signals){func(s *model.Signals) { s.Host.PSIMemory = nan }},
	},
	"server_cpu": {
		fire:    []func(*model.Signals){func(s *model.Signals) { s.Host.ServerThread = 0.99 }},
		quiet:   []func(*model.Signals){func(s *model.Signals) { s.Host.ServerThread = 0.9 }},
		unknown: []func(*model.Signals){func(s *model.Signals) { s.Host.ServerThread = nan }},
	},
	"debug_log": {
		fire:    []func(*model.Signals){func(s *model.Signals) { s.Server.DebugLines = 140 }},
		quiet:   []func(*model.Signals){func(s *model.Signals) { s.Server.DebugLines = 5 }, func(s *model.Signals) { s.Server.DebugLines = nan }},
		unknown: []func(*model.Signals){func(s *model.Signals) { s.Server = model.ServerSignals{} }, func(s *model.Signals) { s.Server.DebugLines, s.Server.LogSilence = nan, nan }, func(s *model.Signals) { s.Server.DebugLines, s.Server.LogSilence = 0, 70 }},
	},
	"bimodal": {
		fire: []func(*model.Signals){func(s *model.Signals) {
			s.Client.Groups = model.LatencyGroups{Known: true, Two: true, Low: 0.8, High: 3.1, Valley: 1.8, Above: 0.12, P99: 3.4}
		}, func(s *model.Signals) {
			s.Client.Groups = model.LatencyGroups{Known: true, Two: true, Low: 0.8, High: 3.1, Valley: 1.8, Above: 0.12, P99: 3.4}
			s.Client.Groups.P99, s.Client.Groups.InValley = 1.9, true
		}, func(s *model.Signals) {
			s.Client.Groups = model.LatencyGroups{Known: true, Two: true, Low: 0.8, High: 3.1, Valley: 1.8, Above: 0.12, P99: 3.4}
			s.Client.Groups.P99 = 0.9
		}},
		quiet:   []func(*model.Signals){func(s *model.Signals) { s.Client.Groups = model.LatencyGroups{Known: true} }},
		unknown: []func(*model.Signals){func(s *model.Signals) { s.Client.Groups.Known = false }, func(s *model.Signals) { s.Client = model.ClientSignals{} }},
	},
	"co_risk": {
		fire: []func(*model.Signals){func(s *model.Signals) { s.Client.Max = 25 }, func(s *model.Signals) { s.Client.Rate, s.Client.Started = 30, 16 }},
		quiet: []func(*model.Signals){func(s *model.Signals) { s.Client.Max = 25; s.Client.Closed = false }, func(s *model.Signals) { s.Client.Rate = 16.2 }, func(s *model.Signals) {
			s.Client.Rate, s.Client.Started, s.Client.Closed, s.Client.InFlight = 30, 16, false, 8
		}},
		unknown: []func(*model.Signals){func(s *model.Signals) { s.Client = model.ClientSignals{} }, func(s *model.Signals) {
			s.Client.Max = 25
			s.Client.ClosedKnown = false
			s.Client.Target = nan
			s.Client.Closed = false
		}},
	},
	"little_mismatch": {
		fire:    []func(*model.Signals){func(s *model.Signals) { s.Client.Little = 25 }},
		quiet:   []func(*model.Signals){func(s *model.Signals) { s.Client.Little = 30 }, func(s *model.Signals) { s.Client.Little, s.Client.LittleFlight, s.Client.InFlight = 0.2, 0.5, 0.5 }},
		unknown: []func(*model.Signals){func(s *model.Signals) { s.Client = model.ClientSignals{} }, func(s *model.Signals) { s.Client.Little, s.Client.LittleFlight, s.Client.LittleWindow = nan, nan, nan }},
	},
	"log_unrecognised": {
		fire: []func(*model.Signals){
			func(s *model.Signals) {
				s.Unread = []model.UnreadLog{{Name: "v.log", Format: "vllm", Lines: 640, Hint: "drop --disable-log-stats"}}
			},
			func(s *model.Signals) {
				s.Server, s.Unread = model.ServerSignals{LogSilence: nan}, []model.UnreadLog{{Name: "x.log", Lines: 500, Hint: "name the format"}}
			},
		},
		quiet:   []func(*model.Signals){func(*model.Signals) {}},
		unknown: []func(*model.Signals){func(s *model.Signals) { s.Server.LogSilence = nan }},
	},
	"gpu_lost": {
		fire: []func(*model.Signals){
			func(s *model.Signals) { s.GPUs[0].Lost = true },
			func(s *model.Signals) { s.GPUs = append(s.GPUs, model.GPUSignals{Key: 2, Index: 1, Lost: true}) },
		},
		quiet:   []func(*model.Signals){func(s *model.Signals) { s.GPUs[0].Stale = true }},
		unknown: []func(*model.Signals){func(s *model.Signals) { s.GPUs = nil }},
	},
	"source_stale": {
		fire: []func(*model.Signals){func(s *model.Signals) {
			s.Stale = []model.StaleSource{{Name: "GPU", Kind: model.KindGPU, Silence: 12, Interval: 0.5}, {Name: "host", Kind: model.KindHost, Silence: 31, Interval: 1}}
		}},
		quiet:   []func(*model.Signals){func(s *model.Signals) { s.GPUs = nil }},
		unknown: []func(*model.Signals){func(s *model.Signals) { *s = model.Signals{At: s.At, T: 100} }},
	},
	"server_silent": {
		fire:    []func(*model.Signals){func(s *model.Signals) { s.Server.Silence = 45 }},
		quiet:   []func(*model.Signals){func(s *model.Signals) { s.Server.Silence = 45; s.Client.OK = 0 }, func(s *model.Signals) { s.Server.Silence = 20 }},
		unknown: []func(*model.Signals){func(s *model.Signals) { s.Client = model.ClientSignals{} }},
	},
	"client_silent": {
		fire:    []func(*model.Signals){func(s *model.Signals) { s.Client.Silence = 20 }},
		quiet:   []func(*model.Signals){func(s *model.Signals) { s.Client.Silence = 20; s.Client.InFlightNow = 0 }, func(s *model.Signals) { s.Client.Silence = 9 }},
		unknown: []func(*model.Signals){func(s *model.Signals) { s.Client = model.ClientSignals{} }},
	},
	"not_warm": {
		fire:    []func(*model.Signals){func(s *model.Signals) { s.Load.Warm = false }},
		quiet:   []func(*model.Signals){func(*model.Signals) {}},
		unknown: []func(*model.Signals){func(s *model.Signals) { s.Client = model.ClientSignals{} }},
	},
	"unsteady": {
		fire:    []func(*model.Signals){func(s *model.Signals) { s.Load.UnsteadyRaw, s.Load.CV = true, 0.3 }},
		quiet:   []func(*model.Signals){func(*model.Signals) {}},
		unknown: []func(*model.Signals){func(s *model.Signals) { s.Client = model.ClientSignals{} }},
	},
	"clock_skew": {
		fire:    []func(*model.Signals){func(s *model.Signals) { s.Skew = -17 }},
		quiet:   []func(*model.Signals){func(s *model.Signals) { s.Skew = 0.4 }},
		unknown: []func(*model.Signals){func(s *model.Signals) { s.Skew = nan }},
	},
	"length_changed": {
		fire:    []func(*model.Signals){func(s *model.Signals) { s.Client.OutputDrift, s.Client.OutputNoise = 0.12, 0.03 }, func(s *model.Signals) { s.Client.InputDrift = -0.3 }},
		quiet:   []func(*model.Signals){func(s *model.Signals) { s.Client.OutputDrift = 0.04 }, func(s *model.Signals) { s.Client.OutputDrift, s.Client.OutputNoise = 0.12, 0.2 }},
		unknown: []func(*model.Signals){func(s *model.Signals) { s.Client = model.ClientSignals{} }, func(s *model.Signals) { s.Client.InputDrift, s.Client.OutputDrift = nan, nan }},
	},
	"few_samples": {
		fire:    []func(*model.Signals){func(s *model.Signals) { s.Client.TotalDone, s.Client.TotalOK = 100, 100 }},
		quiet:   []func(*model.Signals){func(*model.Signals) {}},
		unknown: []func(*model.Signals){func(s *model.Signals) { s.Client = model.ClientSignals{} }},
	},
}

func TestEachRuleFiresAndStaysQuiet(t *testing.T) {
	th := model.DefaultThresholds()
	seen := map[string]bool{}
	for _, r := range Rules() {
		if seen[r.ID] {
			t.Errorf("%s: listed twice", r.ID)
		}
		seen[r.ID] = true
		c, ok := cases[r.ID]
		if !ok || len(c.fire) == 0 || len(c.quiet) == 0 || len(c.unknown) == 0 {
			t.Errorf("%s: want at least one case that fires, one that is quiet and one that is unknown", r.ID)
			continue
		}
		try := func(want Answer, list []func(*model.Signals)) {
			for i, f := range list {
				s := healthy()
				f(s)
				k := &Case{S: s, T: &th, raised: map[string]bool{}}
				if got := r.When(k); got != want {
					t.Errorf("%s case %d: want %v, got %v", r.ID, i, want, got)
				}
				text, ev := r.Say(k)
				if want == Yes {
					checkWords(t, &r, text, ev)
				}
			}
		}
		try(Yes, c.fire)
		try(No, c.quiet)
		try(Missing, c.unknown)
		try(No, []func(*model.Signals){func(s *model.Signals) {}})
	}
	for id := range cases {
		if !seen[id] {
			t.Errorf("case for %s, which is no rule", id)
		}
	}
}

func checkWords(t *testing.T, r *Rule, text string, ev []model.Evidence) {
	t.Helper()
	if !strings.ContainsAny(text, "0123456789") || strings.Contains(text, "NaN") {
		t.Errorf("%s: want a sentence with numbers, got %q", r.ID, text)
	}
	if len(ev) == 0 {
		t.Errorf("%s: want evidence", r.ID)
	}
	for _, e := range ev {
		if e.Text == "" || e.Series == "" || math.IsNaN(e.Value) {
			t.Errorf("%s: evidence lacks a value, a series or its text: %+v", r.ID, e)
		}
	}
	if r.DoesNotProve == "" || r.NextChange == "" || r.SettledBy == "" || r.Title == "" || r.Help == "" || r.Needs == "" {
		t.Errorf("%s: words are missing", r.ID)
	}
}
