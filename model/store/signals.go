package store

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"benchtop/model"
)

// Windows of the signals, in nanoseconds (diagnosis.md §1).
const (
	clientWindow = 30_000_000_000
	lineWindow   = 65_000_000_000
	batchWindow  = 30_000_000_000
	hostWindow   = 20_000_000_000
	otherWindow  = 40_000_000_000
)

// Second computes the signals of the second that ends at now. Call it on the
// first tick of each whole second, with the events so far applied.
func (s *Store) Second(now model.Instant) *model.Signals {
	sig := &model.Signals{At: now, T: now.Seconds(s.start), Goal: s.run.Facts["goal"]}
	s.client.flight.slot(now)
	s.client.flight.sweep()
	s.clientSignals(sig)
	s.serverSignals(sig)
	if !sig.Client.Known && math.IsNaN(sig.Server.X) {
		sig.Server.X = sig.Client.BarRate
	}
	s.load(sig)
	for _, g := range s.gpuList {
		if g.info.Instance() != 0 {
			continue // clocks and what holds them are the whole GPU's
		}
		sig.GPUs = append(sig.GPUs, g.signals(now, s.run.Thresholds.BusyUtil))
	}
	s.strangers(sig)
	s.hostSignals(sig)
	s.skewSignals(sig)
	s.staleSignals(sig)
	if s.slo.open && sig.At-s.slo.at > 1e9 {
		s.judgeKept()
	}
	s.cleanSecond(sig)
	s.noteEpochs(sig)
	sig.Laws = s.laws(sig)
	c := &sig.Client
	s.wholeSignals(sig)
	sig.Over = c.Known && c.TotalDone > 0 && s.client.open <= 0 && now-max(s.client.lastRecord, s.client.lastSeen) > overAfter
	return sig
}

// overAfter is how long nobody may be in flight before the load is over.
const overAfter = 3_000_000_000

// staleSignals lists the sources that fell silent, by name.
func (s *Store) staleSignals(sig *model.Signals) {
	for _, src := range s.sources {
		if g, ok := src.stale(sig.At, s.run.Thresholds.StaleIntervals, sig.Client.OK >= 3); ok {
			sig.Stale = append(sig.Stale, g)
		}
	}
	for _, src := range s.sources {
		if src.unread > 0 {
			sig.Unread = append(sig.Unread, model.UnreadLog{Name: src.info.Name, Format: src.info.Format, Lines: src.unread, Hint: src.hint})
		}
	}
	slices.SortFunc(sig.Unread, func(a, b model.UnreadLog) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(sig.Stale, func(a, b model.StaleSource) int { return cmp.Compare(a.Name, b.Name) })
}

// skewSignals names the source whose clock is furthest off.
func (s *Store) skewSignals(sig *model.Signals) {
	sig.Skew = math.NaN()
	for _, src := range s.sources {
		d, _ := unzoned(src.info.Skew)
		if math.IsNaN(d) || math.Abs(d) < math.Abs(sig.Skew) || math.Abs(d) == math.Abs(sig.Skew) && src.info.Name > sig.SkewOf {
			continue
		}
		sig.Skew, sig.SkewOf = d, src.info.Name
	}
	d, hours := unzoned(s.serverSkew)
	if hours != s.zoned && !math.IsNaN(hours) {
		s.zoned = hours
		s.mark(model.Mark{At: sig.At, Class: "source", Text: fmt.Sprintf("the server's clock shows a time zone %+g h from ours: taken as such", -hours)})
	}
	if math.Abs(d) > math.Abs(sig.Skew) || !math.IsNaN(d) && math.IsNaN(sig.Skew) {
		sig.Skew, sig.SkewOf = d, "the server"
	}
}

// Time zones differ by quarters of an hour; nobody's clock is off by that much
// to 2 s by chance (diagnosis.md §1.2).
const (
	zoneQuarter = 900.0
	zoneNear    = 2.0
	zoneFar     = 14 * 3600.0
)

// unzoned is an offset of clocks less a time zone's, and that zone's hours: 0
// if it is none, NaN while the offset is unknown.
func unzoned(d float64) (rest, hours float64) {
	k := math.Round(d / zoneQuarter)
	if math.IsNaN(d) {
		return d, d
	}
	if k == 0 || math.Abs(d) > zoneFar+zoneNear || math.Abs(d-k*zoneQuarter) > zoneNear {
		return d, 0
	}
	return d - k*zoneQuarter, k * zoneQuarter / 3600
}

func (s *Store) clientSignals(sig *model.Signals) {
	c, k := s.client, &sig.Client
	nan := math.NaN()
	*k = model.ClientSignals{
		InFlight: nan, InFlightNow: nan, Target: nan, Timeout: nan, X: nan, XOK: nan, Started: nan,
		OKSince: nan, Mean: nan, OKP50: nan, OKP95: nan, P50: nan, P99: nan, TimeoutAt: nan, Silence: nan,
		ClosedShare: nan, Queued: nan, InputMean: nan, OutputMean: nan, OutputCV: nan,
		InputCV: nan, InputDrift: nan, OutputDrift: nan, InputNoise: nan, OutputNoise: nan, SchedDelay: nan, SchedDelayMax: nan,
		Dispersion: nan, BurstGap: nan, ConnsPerRequest: nan, BarRate: nan,
		Max: nan, Rate: nan, Little: nan, LittleFlight: nan, LittleWindow: nan,
		Groups: model.LatencyGroups{Low: nan, High: nan, Valley: nan, Above: nan, P99: nan},
	}
	for _, src := range s.inOrder() {
		if src.info.Kind == model.KindLoad && src.info.Name != "" {
			k.Streams = append(k.Streams, src.info.Name)
		}
	}
	s.clientTold(sig)
	if t := s.whole[model.ClientBarDone]; t != nil {
		k.BarRate = t.rate(sig.At-clientWindow, sig.At)
	}
	if !c.known {
		return
	}
	now := s.speaking(sig.At)
	from := max(now-clientWindow, c.first)
	k.Known, k.FirstEnd = true, c.firstEnd
	k.Horizon = c.exactTo(now)
	if m, _, ok := c.flight.over(max(k.Horizon-clientWindow, c.first, min(s.targetAt+1e9, k.Horizon-1e9)), k.Horizon); ok && !c.unknown {
		k.InFlight = m
	}
	c.sweepPeak(k.Horizon - c.settling())
	if v, ok := c.flight.at(k.Horizon-1, 0); ok && !c.unknown {
		k.InFlightNow = v
	}
	until := now
	if last := max(c.lastRecord, c.lastSeen); c.open <= 0 && now-last <= overAfter {
		until = max(from, min(now, last)) // a load that has just ended was not slower for it
	}
	span := max(1, until.Seconds(from))
	sumLatency := s.clientOutcomes(k, from, now)
	k.X, k.XOK = k.Done/span, k.OK/span
	k.Started = s.whole[model.ClientSent].count(from, now) / span
	s.little(sig)
	switch {
	case k.Done > 0 && c.noLatency == 0:
		k.Mean = sumLatency / k.Done
	case k.Done > 0: // some ends told no latency: they must not count as 0 s
		k.Mean = quantiles(c.lat.all.over(from, now)).Mean
	}
	s.clientTimes(sig, from)
	k.Refused = c.refusedIn(now, 10)
	k.ClosedShare, k.Closed, k.ClosedKnown = c.closedLoop(now, k.X)
	k.InputMean, k.OutputMean, k.OutputCV = c.in.mean(), c.out.mean(), c.out.cv()
	s.clientShape(sig, from)
}

// clientOutcomes counts the window's finished requests by outcome and gives the
// sum of their latencies in seconds.
func (s *Store) clientOutcomes(k *model.ClientSignals, from, now model.Instant) (sumLatency float64) {
	for _, o := range model.Outcomes {
		w := s.whole[o].window(from, now)
		n := float64(w.N)
		sumLatency += float64(w.Sum)
		if o != model.ClientCancelled {
			k.Done += n
		}
		switch o {
		case model.ClientOK:
			k.OK = n
		case model.ClientTimeout:
			k.Timeouts = n
		case model.ClientRejected:
			k.Rejected = n
		case model.ClientReset:
			k.Reset = n
		case model.ClientHTTPError:
			k.HTTPError = n
		case model.ClientOther:
			k.Other = n
		}
	}
	return sumLatency
}

// clientTold is what is configured or declared rather than measured.
func (s *Store) clientTold(sig *model.Signals) {
	k := &sig.Client
	if t := s.whole[model.ClientTarget]; t != nil && t.n > 0 {
		k.Target = t.last
	}
	if c, ok := s.run.Config["target_concurrency"]; ok && !(k.Target > 0) {
		k.Target, k.TargetSaid = c.Value, true
	}
	k.Timeout = s.run.Configured("client_timeout_s")
	k.Rate = s.run.Configured("rate_rps")
	if t := s.whole[model.ClientQueued]; t != nil {
		k.Queued = t.mean(sig.At-clientWindow, sig.At)
	}
}

func (s *Store) clientTimes(sig *model.Signals, from model.Instant) {
	c, k := s.client, &sig.Client
	ok := ranks(c.lat.ok.over(from, sig.At+1_000_000_000))
	k.OKP50, k.OKP95 = ok.P50, ok.P95
	all := ranks(c.lat.all.run)
	k.P50, k.P99 = all.P50, all.P99
	if all.N > 0 {
		k.Max = c.lat.all.max
	}
	k.Groups = groups(c.lat.ok.over(sig.At-groupsWindow*1_000_000_000, sig.At+1_000_000_000))
	k.TimeoutAt = c.lat.timeoutAt(from)
	k.Silence = max(0, sig.At.Seconds(c.lastSeen))
	if c.lastOK != 0 {
		k.OKSince = max(0, sig.At.Seconds(c.lastOK))
	}
	k.TotalOK = float64(c.by[model.ClientOK])
	k.TotalDone = float64(c.done - c.by[model.ClientCancelled])
	k.TotalFailed = k.TotalDone - k.TotalOK
}

func (s *Store) hostSignals(sig *model.Signals) {
	h := &sig.Host
	nan := math.NaN()
	*h = model.HostSignals{
		ClientThread: nan, ServerThread: nan, Established: nan, Connecting: nan, NewConns: nan, AcceptQueue: nan,
		RetransShare: nan, QuotaShare: nan, ClientQuota: nan, Idle: nan, CPUClock: nan, CPUClockBest: nan, OtherCPU: nan, Steal: nan,
		PSIMemory: nan, OOMKills: nan, OOMEver: nan, XBusy: nan, XCalm: nan,
	}
	if len(s.host) == 0 {
		return
	}
	now := sig.At
	h.Known = true
	mean := func(id model.SeriesID, w model.Instant) float64 { return s.whole[id].mean(now-w, now+1) }
	h.ClientThread = mean(model.HostClientThread, hostWindow)
	h.ServerThread = mean(model.HostServerThread, hostWindow)
	h.Established = mean(model.HostEstablished, hostWindow)
	h.Connecting = mean(model.HostConnecting, hostWindow)
	h.AcceptQueue = mean(model.HostAcceptQueue, hostWindow)
	h.Idle = mean(model.HostIdle, hostWindow)
	h.NewConns = s.whole[model.HostConnsOpened].rate(now-hostWindow, now)
	sent, _ := s.whole[model.HostSegsOut].growth(now-hostWindow, now)
	again, _ := s.whole[model.HostSegsRetrans].growth(now-hostWindow, now)
	if sent > 0 {
		h.RetransShare = again / sent
	}
	throttled := func(periods, held model.SeriesID) float64 {
		all, _ := s.whole[periods].growth(now-hostWindow, now)
		n, _ := s.whole[held].growth(now-hostWindow, now)
		if all <= 0 {
			return math.NaN()
		}
		return n / all
	}
	h.QuotaShare = throttled(model.HostQuotaPeriods, model.HostQuotaThrottled)
	h.ClientQuota = throttled(model.HostClientQuotaPeriods, model.HostClientQuotaThrottled)
	h.CPUClock = mean(model.HostCPUClock, hostWindow)
	whole := s.hostFirst != 0 && now-s.hostFirst >= hostWindow // a few samples are no 20 s
	if whole && !math.IsNaN(h.CPUClock) && !(s.cpuBest >= h.CPUClock) {
		s.cpuBest = h.CPUClock
	}
	h.CPUClockBest = s.cpuBest
	h.OtherCPU = mean(model.HostOtherCPU, otherWindow)
	h.Steal = mean(model.HostSteal, hostWindow)
	h.PSIMemory = mean(model.HostPSIMemory, hostWindow)
	h.OOMKills, _ = s.whole[model.HostOOMKills].growth(now-60_000_000_000, now)
	if t := s.whole[model.HostOOMKills]; t != nil {
		h.OOMEver = t.total
	}
	h.Neighbour = s.run.Facts[model.FactNeighbour]
	s.neighbour(sig)
}
