package ui_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"benchtop/model"
)

// scene composes snapshots by hand, the way the store would leave them.
type scene struct {
	snap   *model.Snapshot
	tracks map[[3]uint64]*model.Track
	rng    *rand.Rand
}

// sceneNow is the newest tick of every scene.
var sceneNow = model.InstantOf(time.Date(2026, 3, 14, 13, 7, 31, 0, time.UTC))

// newScene begins age before sceneNow and is frozen at now.
func newScene(age time.Duration, now model.Instant) *scene {
	s := &scene{tracks: map[[3]uint64]*model.Track{}, rng: rand.New(rand.NewPCG(1, 2))}
	s.snap = &model.Snapshot{
		Now: now, Start: sceneNow.Add(-age),
		Seq: uint64(now / 1e8), Second: uint64(now / 1e9),
		Run: model.RunInfo{
			ID: "r-0412", Label: "round 3", Facts: map[string]string{"model": "llama-3-8b", "tool": "vegeta"},
			Config:     map[string]model.Setting{},
			Thresholds: model.DefaultThresholds(),
		},
		Latency: model.LatencyView{
			All: model.NoQuantiles(), OK: model.NoQuantiles(), WindowAll: model.NoQuantiles(), WindowOK: model.NoQuantiles(),
			TTFT: model.NoQuantiles(), TPOT: model.NoQuantiles(), WindowTTFT: model.NoQuantiles(), WindowTPOT: model.NoQuantiles(),
		},
	}
	return s
}

func (s *scene) track(id model.SeriesID, src model.SourceID, key uint64) *model.Track {
	k := [3]uint64{uint64(id), uint64(src), key}
	t := s.tracks[k]
	if t == nil {
		t = &model.Track{Series: id, Source: src, Key: key, Last: math.NaN()}
		for i := range t.Tiers {
			t.Tiers[i].Step = model.TierSteps[i]
			bucket(&t.Tiers[i], s.snap.Start) // tiers begin with the run
		}
		s.tracks[k] = t
	}
	return t
}

func slot[T any](t *model.Tier[T], at model.Instant) *T {
	n := int64(at) / int64(t.Step)
	if len(t.Chunks) == 0 {
		t.First = n / model.ChunkLen * model.ChunkLen
	}
	for n >= t.End() {
		t.Chunks = append(t.Chunks, nil)
	}
	i := n - t.First
	if t.Chunks[i/model.ChunkLen] == nil {
		t.Chunks[i/model.ChunkLen] = new([model.ChunkLen]T)
	}
	return &t.Chunks[i/model.ChunkLen][i%model.ChunkLen]
}

// bucket is the bucket of a track's tier that holds at.
func bucket(s *model.Strip, at model.Instant) *model.Bucket {
	t := model.Tier[model.Bucket]{Step: s.Step, First: s.First, Chunks: s.New}
	b := slot(&t, at)
	s.First, s.New = t.First, t.Chunks
	return b
}

func put(t *model.Track, at model.Instant, v float64) {
	f := float32(v)
	for i := range t.Tiers {
		bucket(&t.Tiers[i], at).Add(model.Bucket{Min: f, Max: f, Sum: f, N: 1})
	}
	t.N++
	t.LastAt = at
}

// level adds a sample of a gauge.
func (s *scene) level(id model.SeriesID, at model.Instant, v float64) {
	s.gpuLevel(id, model.AllSources, 0, at, v)
}

func (s *scene) gpuLevel(id model.SeriesID, src model.SourceID, key uint64, at model.Instant, v float64) {
	t := s.track(id, src, key)
	if t.LastAt != 0 {
		t.Period = at.Sub(t.LastAt)
	}
	put(t, at, v)
	t.Last = v
	if id.Describe().Shape == model.Span {
		t.Total = v
	}
}

// add adds an amount of a counter or a step of in-flight.
func (s *scene) add(id model.SeriesID, at model.Instant, v float64) {
	t := s.track(id, model.AllSources, 0)
	put(t, at, v)
	t.Total += v
	t.Last = t.Total
}

func (s *scene) done() *model.Snapshot {
	for _, t := range s.tracks {
		s.snap.Tracks = append(s.snap.Tracks, *t)
	}
	slices.SortFunc(s.snap.Tracks, func(a, b model.Track) int {
		if a.Series != b.Series {
			return int(a.Series) - int(b.Series)
		}
		if a.Source != b.Source {
			return int(a.Source) - int(b.Source)
		}
		return int(a.Key) - int(b.Key)
	})
	return s.snap
}

// every calls f at each step of the scene, with the seconds before sceneNow.
func (s *scene) every(step time.Duration, f func(at model.Instant, back float64)) {
	for at := s.snap.Start; at <= s.snap.Now; at = at.Add(step) {
		f(at, sceneNow.Seconds(at))
	}
}

// bell is a smooth bump of height 1 around c, w wide.
func bell(x, c, w float64) float64 { return math.Exp(-(x - c) * (x - c) / (2 * w * w)) }

// busyClient is the concurrency the client holds, by seconds before now.
func busyClient(back float64) float64 {
	if back > 30 && back <= 48 {
		return 32
	}
	return 64
}

// busyServer is what runs and waits then.
func busyServer(back float64) (running, waiting float64) {
	switch {
	case back > 58 && back <= 72:
		return 18, 0
	case back > 48 && back <= 58:
		return 38, 3
	case back > 30 && back <= 48:
		return 32, 0
	case back > 72:
		return 44 + 12*bell(back, 100, 22), 6
	}
	climb := min(30-back, 30) / 30
	return 36 + 12*climb + 3*math.Sin(min(back, 0)/5), math.Floor(7 * climb)
}

// busy is a run with everything to see: a gap, throttling, losses.
func busy() *model.Snapshot { return busyAt(sceneNow) }

func busyAt(now model.Instant) *model.Snapshot {
	s := newScene(451*time.Second, now)
	flight := 0.0
	s.every(100*time.Millisecond, func(at model.Instant, back float64) {
		want := busyClient(back)
		if want != flight {
			s.add(model.ClientInFlight, at, want-flight)
			flight = want
		}
	})
	s.busyServer()
	s.busyClock()
	s.busyLosses()
	s.busyLatency()
	s.busyWords()
	return s.done()
}

func (s *scene) busyServer() {
	s.rng = rand.New(rand.NewPCG(1, 2)) // its own, so that a longer run begins alike
	s.every(time.Second, func(at model.Instant, back float64) {
		r, w := busyServer(back)
		if back < 71 && back > 1 || back > 74 {
			r += math.Round(s.rng.Float64() * 2)
		}
		if back > 58 && back < 66 && w == 0 {
			w = 0
		}
		queue := w
		if back > 20 && back < 26 {
			queue = w + 24
		}
		s.level(model.ServerRunning, at, math.Round(r))
		s.level(model.ServerWaiting, at, math.Round(queue))
		size := 14 + 16*bell(back, 105, 22) + 14*bell(back, 4, 24)
		if back > 58 && back <= 72 {
			size = 1 + s.rng.Float64()
		}
		s.level(model.ServerBatch, at, min(32, size+s.rng.Float64()*2))
		s.level(model.ServerKV, at, 0.71)
		s.level(model.ServerBatchWait, at, 0.042)
		s.level(model.SelfCPU, at, 0.031)
		s.level(model.SelfRSS, at, 41e6)
	})
}

// busyClock is two GPUs; the first is held twice.
func (s *scene) busyClock() {
	capped, thermal := 0.0, 0.0
	s.every(500*time.Millisecond, func(at model.Instant, back float64) {
		clock := 1935e6
		switch {
		case back > 57 && back <= 77.5:
			clock, capped = 1380e6, capped+0.5
		case back > 15 && back <= 22:
			clock, thermal = 1410e6, thermal+0.5
		}
		s.gpuLevel(model.GPUSMClock, 3, 7, at, clock)
		s.gpuLevel(model.GPUMaxSMClock, 3, 7, at, 1980e6)
		s.gpuLevel(model.GPUTemp, 3, 7, at, 62+20*bell(back, 18, 12))
		s.gpuLevel(model.GPUPower, 3, 7, at, 584)
		s.gpuLevel(model.GPUPowerLimit, 3, 7, at, 700)
		s.gpuLevel(model.GPUHeldPowerCap, 3, 7, at, capped)
		s.gpuLevel(model.GPUHeldHWThermal, 3, 7, at, thermal)
		s.gpuLevel(model.GPUSMClock, 3, 8, at, 1965e6)
		s.gpuLevel(model.GPUMaxSMClock, 3, 8, at, 1980e6)
		s.gpuLevel(model.GPUHeldPowerCap, 3, 8, at, 0)
	})
	s.snap.GPUs = []model.GPUInfo{{Key: 7, Index: 0, UUID: "GPU-0a", Name: "H200"}, {Key: 8, Index: 1, UUID: "GPU-0b", Name: "H200"}}
}

func (s *scene) busyLosses() {
	for i := range 37 {
		at := sceneNow.Add(-time.Duration(52+i*i%20) * time.Second)
		s.add(model.ClientTimeout, at, 30)
	}
	s.every(time.Second, func(at model.Instant, back float64) {
		for range 12 - int(8*bell(back, 62, 6)) {
			s.add(model.ClientOK, at, 0.9)
		}
		s.add(model.ServerFinished, at, 12-math.Floor(8*bell(back, 62, 6)))
		s.level(model.ClientTTFT, at, 0.11+0.2*bell(back, 62, 6))
	})
	s.add(model.ServerAborted, sceneNow.Add(-50*time.Second), 31)
	for i := range 6 {
		s.add(model.ClientRejected, sceneNow.Add(-time.Duration(20+i)*time.Second), 0.01)
	}
	s.snap.Client = model.ClientTotals{
		Known: true, Begun: 4182, Done: 4118, Unfinished: 64, How: "exact", Format: "ndjson",
		ByOutcome: map[model.SeriesID]uint64{
			model.ClientOK: 4075, model.ClientTimeout: 37, model.ClientRejected: 6,
		},
	}
}

func (s *scene) busyLatency() {
	s.rng = rand.New(rand.NewPCG(3, 4))
	l := &s.snap.Latency
	l.Map.Step, l.Coarse.Step = time.Second, 10*time.Second
	s.every(time.Second, func(at model.Instant, back float64) {
		center := 0.9
		if back > 58 && back <= 72 {
			center = 4
		}
		for range 24 {
			v := center * math.Exp(s.rng.NormFloat64()*0.16)
			if s.rng.IntN(14) == 0 {
				v = center * (1.5 + 2*s.rng.Float64())
			}
			k := model.LatencyBin(v)
			slot(&l.Map, at)[k]++
			slot(&l.Coarse, at)[k]++
		}
		if back > 52 && back <= 72 && s.rng.IntN(2) == 0 {
			slot(&l.Map, at)[model.LatencyBin(30)]++
		}
	})
	l.WindowAll = model.Quantiles{Mean: 0.98, P50: 0.91, P90: 1.4, P95: 1.83, P99: 4.6, P999: 30, Max: 30, N: 371}
	l.WindowOK = model.Quantiles{Mean: 0.95, P50: 0.90, P90: 1.3, P95: 1.71, P99: 4.4, P999: 9, Max: 9, N: 357}
	l.All = model.Quantiles{Mean: 1.1, P50: 0.92, P90: 1.5, P95: 2.1, P99: 6.2, P999: 30, Max: 30, N: 4118}
	l.TTFT = model.Quantiles{Mean: 0.12, P50: 0.11, P90: 0.2, P95: 0.31, P99: 0.6, P999: 0.8, Max: 0.9, N: 371}
	l.WindowTTFT = l.TTFT
}

func (s *scene) busyWords() {
	snap := s.snap
	snap.Run.Config = map[string]model.Setting{
		"max_batch":          {Value: 32, From: "vllm start-up line"},
		"target_concurrency": {Value: 64, From: "--target-concurrency"},
		"client_timeout_s":   {Value: 30, From: "vegeta"},
	}
	snap.Signals = &model.Signals{
		At: snap.Now, T: 451,
		Client: model.ClientSignals{
			Known: true, Horizon: snap.Now, InFlight: 64, InFlightNow: 64, Target: 64, Timeout: 30, X: 12.4, XOK: 11.9,
			Started: 12.4, Rate: math.NaN(), Dispersion: 1.04, BurstGap: 0.7, SchedDelay: math.NaN(), SchedDelayMax: math.NaN(),
			ConnsPerRequest: 0.62, Queued: math.NaN(), Closed: true, ClosedKnown: true, Little: 63.2, LittleFlight: 63.8,
			InputMean: 512, InputCV: 0.1, OutputMean: 203, OutputCV: math.NaN(),
		},
		Server: model.ServerSignals{Known: true, Running: 47, Waiting: 7, KnowB: true, B: 32, Batch: 27.4, KV: 0.71, GenTPS: 4182, PromptTPS: 12800, X: 12.1, BatchWait: 0.042, BatchWaitP95: 0.05, BatchWaitLimit: 0.05},
		GPUs:   []model.GPUSignals{{Key: 7, Index: 0}, {Key: 8, Index: 1}},
	}
	snap.Verdict = model.Verdict{
		Finding: model.Finding{
			ID: "before_server", Severity: model.SevMajor, State: model.Raised, Title: "requests missing at the server",
			Text: "17 of 64 client requests are not at the server, which is idle enough to take them.",
			Evidence: []model.Evidence{
				{Series: "server_running", WindowS: 65, Value: 47, Unit: "count", Threshold: math.NaN(), Text: "running 47 of 32, 0 waiting (median of 65 s)"},
				{Series: "client_in_flight", WindowS: 30, Value: 64, Unit: "count", Threshold: 0.7, Text: "server ÷ client is 0.66, below 0.70"},
			},
			DoesNotProve: "where they are: pool, client CPU, connecting, a proxy and the network look the same from here",
			NextChange:   "none until one of the sub-causes is shown",
			SettledBy:    "sockets and client CPU",
		},
		Confidence: "firm", Since: sceneNow.Add(-12 * time.Second),
		Failures: "1.0 % of requests failed: settle client errors before talking of server throughput",
		NotSeen:  []string{"client_cpu: needs host figures"},
		WaitS:    math.NaN(),
	}
	snap.Runner = "power_cap"
	snap.Findings = []model.Finding{
		snap.Verdict.Finding,
		{
			ID: "client_timeout", Severity: model.SevMajor, State: model.Raised, Title: "requests lost to the client's timeout", RaisedAt: snap.Now.Add(-40 * time.Second),
			Text: "37 requests (0.9 %) ended at 30 s, the client's timeout; successful ones took P50 910 ms, P95 1.8 s.", NextChange: "client request timeout, once, to find the true latency",
		},
		{
			ID: "power_cap", Severity: model.SevMinor, State: model.Clear, Title: "software power cap", RaisedAt: snap.Now.Add(-70 * time.Second), ClearedAt: snap.Now.Add(-50 * time.Second),
			Text: "SW power cap 68 % of 30 s; SM clock 1380 of 1980 MHz.",
		},
		{ID: "client_cpu", Severity: model.SevMajor, State: model.Unknown, Needs: "host figures of the client", Title: "one client thread is full"},
	}
	snap.Findings[0].RaisedAt = snap.Now.Add(-12 * time.Second)
	snap.Sources = []model.SourceInfo{
		{ID: 0, Name: "heartbeat", Kind: model.KindClock, State: model.Running},
		{ID: 1, Name: "results.ndjson", Kind: model.KindLoad, Format: "vegeta", State: model.Running, LastSeen: snap.Now},
		{ID: 2, Name: "server.log", Kind: model.KindServerLog, Format: "vllm", State: model.Running, LastSeen: snap.Now.Add(-4 * time.Second)},
		{ID: 3, Name: "nvml", Kind: model.KindGPU, Format: "nvml", State: model.Running, LastSeen: snap.Now},
		{ID: 4, Name: "http://127.0.0.1:8000/metrics", Kind: model.KindMetrics, Format: "vllm", State: model.Retrying, Why: "connection refused: is the server's port 8000?", LastSeen: snap.Now.Add(-75 * time.Second)},
	}
	was := func(back int, id, title string, sev model.Severity, raised ...string) model.VerdictChange {
		return model.VerdictChange{At: sceneNow.Add(-time.Duration(back) * time.Second), ID: id, Title: title, Severity: sev, Confidence: "firm", Raised: raised}
	}
	snap.Verdicts = []model.VerdictChange{
		was(400, model.VerdictNone, "no bottleneck seen", model.SevNote),
		was(72, "power_cap", "the GPU slows down at its power limit", model.SevMajor, "power_cap"),
		was(12, "before_server", "requests missing at the server", model.SevMajor, "before_server", "client_timeout"),
	}
	words := model.Verdict{Finding: model.Finding{
		ID: "power_cap", Title: "the GPU slows down at its power limit", Severity: model.SevMajor,
		Text:       "The power cap was on for 62 % of 30 s.",
		Evidence:   []model.Evidence{{Series: "gpu_sm_clock", Value: 1380e6, Text: "SM clock 1380 of 1980 MHz (-30 %)"}},
		NextChange: "the power limit",
	}, Confidence: "firm"}
	snap.Verdicts[1].Words = &words
	later := words
	later.Text = "The power cap was on for 91 % of 30 s."
	snap.Restated = []model.Restatement{{At: sceneNow.Add(-40 * time.Second), Words: &later, Raised: []string{"power_cap"}}}
	at := func(back int) model.Instant { return sceneNow.Add(-time.Duration(back) * time.Second) }
	snap.Marks = []model.Mark{
		{At: at(121), Class: "run", Text: "warm-up ends"},
		{At: at(93), Class: "source", Text: "server.log rotated"},
		{At: at(77), Class: "throttle", Text: "SW power cap on, 1,380 MHz", Bad: true},
		{At: at(71), Class: "batch", Text: "mean 1.4 for 10 s"},
		{At: at(58), Class: "timeout", Text: "37 in 14 s, after 30 s each", Bad: true},
		{At: at(57), Class: "throttle", Text: "SW power cap off"},
		{At: at(48), Class: "user", Text: "client lowered to 32"},
		{At: at(26), Class: "queue", Text: "31 waiting, a new peak"},
		{At: at(22), Class: "throttle", Text: "HW thermal on, 1,410 MHz", Bad: true},
		{At: at(20), Class: "reject", Text: "503 queue full, 6 times", Bad: true},
		{At: at(12), Class: "verdict", Text: "requests missing at the server", Bad: true},
	}
}
