package store

import (
	"cmp"
	"math"
	"slices"

	"benchtop/model"
)

// Freeze fills in the parts of a snapshot that the store owns. figures asks
// for the once-a-second parts too; else they are taken over from prev.
func (s *Store) Freeze(snap, prev *model.Snapshot, figures bool) {
	snap.Now, snap.Start, snap.Run, snap.Engines = s.now, s.start, s.run, nil
	if figures || prev == nil {
		s.disagree()
		snap.Primary = s.shownBy()
		snap.Clean = s.cleanView()
	} else {
		snap.Clean = prev.Clean
		snap.Primary = prev.Primary
	}
	if !s.sorted {
		slices.SortFunc(s.ordered, func(a, b *track) int {
			return cmp.Or(cmp.Compare(a.id.series, b.id.series), cmp.Compare(a.id.source, b.id.source), cmp.Compare(a.id.key, b.id.key))
		})
		s.sorted = true
	}
	snap.Tracks = make([]model.Track, len(s.ordered))
	for i, t := range s.ordered {
		snap.Tracks[i] = t.publish(s.server.live)
	}
	s.freezeSources(snap)
	for _, g := range s.gpuList {
		if g.info.Instance() != 0 {
			snap.Instances = append(snap.Instances, g.info)
			continue
		}
		snap.GPUs = append(snap.GPUs, g.info)
	}
	snap.Marks = s.marks[:len(s.marks):len(s.marks)]
	snap.Said = s.Said()
	if len(s.engines) > 0 {
		snap.Engines = make(map[uint64]string, len(s.engines))
		for k, v := range s.engines {
			snap.Engines[k] = v
		}
	}
	s.freezeClient(snap)
	l := s.client.lat
	if figures || prev == nil {
		from, to := s.now-clientWindow, s.now+1_000_000_000
		snap.Latency = model.LatencyView{
			All: l.all.whole(), OK: l.ok.whole(), TTFT: l.ttft.whole(), TPOT: l.tpot.whole(),
			WindowAll: quantiles(l.all.over(from, to)),
		}
		snap.Latency.WindowOK = quantiles(l.ok.over(from, to))
		snap.Latency.WindowTTFT, snap.Latency.WindowTPOT = quantiles(l.ttft.over(from, to)), quantiles(l.tpot.over(from, to))
	} else {
		snap.Latency = prev.Latency
	}
	snap.Latency.Map, snap.Latency.Coarse = l.fine.publish(), l.coarse.publish()
}

func (s *Store) freezeSources(snap *model.Snapshot) {
	for _, src := range s.sources {
		if src.info.Kind == model.KindClock || src.info.Name == "" && src.info.Lines == 0 {
			continue
		}
		info := src.info
		snap.Shed += uint64(info.Dropped)
		if f := s.server.byID[info.ID]; f != nil && f.period > 0 {
			info.Period = model.Instant(f.period * 1e9).Sub(0)
		}
		info.Rate = src.rate(s.now)
		info.Samples = info.Samples[:len(info.Samples):len(info.Samples)]
		snap.Sources = append(snap.Sources, info)
	}
	slices.SortFunc(snap.Sources, func(a, b model.SourceInfo) int { return cmp.Compare(a.ID, b.ID) })
}

func (s *Store) freezeClient(snap *model.Snapshot) {
	c := s.client
	t := model.ClientTotals{
		Known: c.known, Begun: c.begun, Done: c.done, First: c.first, LastEnd: c.lastEnd,
		PeakFlight: math.NaN(), MeanFlight: math.NaN(), Format: s.clientFormat(),
		ByOutcome: make(map[model.SeriesID]uint64, len(c.by)),
	}
	for k, v := range c.by {
		t.ByOutcome[k] = v
	}
	if c.begun > c.done {
		t.Unfinished = c.begun - c.done
	}
	if c.known && c.begun > 0 {
		t.How = "exact"
		t.PeakFlight = c.peakOrder
		if c.told*2 > c.done && c.done > 0 {
			t.How = "reconstructed"
			if c.open <= 0 { // all has been told
				c.flight.sweep()
				c.sweepPeak(c.lastEnd)
			}
			t.PeakFlight = c.peakSweep
		}
		t.MeanFlight = s.meanFlight()
		if how := s.how(); how != "" {
			t.How = how
		}
		if t.How == "estimated" { // starts and ends can't be paired, or have no times: the mean holds, a peak doesn't
			t.PeakFlight = math.NaN()
		}
	} else {
		s.toldFlight(&t)
	}
	snap.Client, snap.Reported = t, s.sum
}

// toldFlight is in-flight where no request is told: the client's own gauge, or
// what it was told to hold.
func (s *Store) toldFlight(t *model.ClientTotals) {
	if g := s.whole[model.ClientGaugeInFlight]; g != nil && g.n > 0 {
		t.MeanFlight, t.PeakFlight = g.sum/float64(g.n), g.max
		if t.How = s.how(); t.How == "" {
			t.How = "estimated"
		}
		return
	}
	if g := s.whole[model.ClientTarget]; g != nil && g.n > 0 {
		t.How = "declared"
	} else if _, ok := s.run.Config["target_concurrency"]; ok {
		t.How = "declared"
	}
}

// meanFlight is the area under in-flight over the time from the first record
// to the last end, or to now while requests are open.
func (s *Store) meanFlight() float64 {
	t, c := s.whole[model.ClientInFlight], s.client
	if t == nil || t.n == 0 {
		return math.NaN()
	}
	end := c.lastEnd
	if t.total > 0.5 {
		end = max(end, c.exactTo(s.now))
	}
	span := end.Seconds(c.first)
	if span <= 0 {
		return math.NaN()
	}
	return max(0, (t.total*end.Seconds(t.origin)-t.area)/span) // a clock that is caught up with moves ends before their starts
}

// clientFormat is the format of the stream that told most requests or, if none
// told any, of the generators' own report.
func (s *Store) clientFormat() string {
	format, most := "", uint64(0)
	for _, src := range s.inOrder() {
		if src.info.Kind == model.KindLoad && src.info.Format != "" && (format == "" || src.ended > most) {
			format, most = src.info.Format, src.ended
		}
	}
	if most == 0 && s.sum != nil && s.sum.Format != "" {
		return s.sum.Format
	}
	return format
}
