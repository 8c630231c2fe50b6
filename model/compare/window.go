package compare

import (
	"math"
	"time"

	"benchtop/model"
)

// window is the measured stretch of one run.
type window struct {
	snap     *model.Snapshot
	from, to model.Instant
	step     time.Duration
	warm     bool
	cols     []model.Bucket
}

func newWindow(s *model.Snapshot) *window {
	w := &window{snap: s, step: time.Second}
	w.from, w.to, w.warm = stretch(s)
	if w.to.Sub(w.from) > time.Hour {
		w.step = 10 * time.Second
	}
	w.from = w.from.Floor(w.step)
	w.cols = make([]model.Bucket, max(1, int(w.to.Sub(w.from)/w.step)))
	return w
}

// seconds is how long the columns are together.
func (w *window) seconds() float64 { return (time.Duration(len(w.cols)) * w.step).Seconds() }

// total merges a track's columns.
func (w *window) total(t *model.Track) model.Bucket {
	t.Columns(w.cols, w.from, w.step)
	var sum model.Bucket
	n, total := uint32(0), 0.0
	for _, b := range w.cols {
		n += b.N
		total += float64(b.Sum)
	}
	sum.N, sum.Sum = n, float32(total)
	return sum
}

// value reads one track in the way its shape asks for: a gauge's mean over
// time, a sample's mean over observations, amounts a second.
func (w *window) value(t *model.Track) float64 {
	if t == nil || t.N == 0 {
		return math.NaN()
	}
	switch t.Series.Describe().Shape {
	case model.Gauge:
		t.Held(w.cols, w.from, w.step, 0, w.to)
		return w.columnMean()
	case model.Cumulative:
		t.Columns(w.cols, w.from, w.step)
		return w.columnMean()
	case model.Sample:
		return w.total(t).Mean()
	case model.Counter:
		b := w.total(t)
		if t.Series == model.ClientSent || t.Series.IsOutcome() {
			return float64(b.N) / w.seconds()
		}
		return float64(b.Sum) / w.seconds()
	case model.Span:
		return float64(w.total(t).Sum) / w.seconds()
	}
	return math.NaN()
}

func (w *window) columnMean() float64 {
	sum, n := 0.0, 0.0
	for _, b := range w.cols {
		if b.N > 0 {
			sum, n = sum+b.Mean(), n+1
		}
	}
	if n == 0 {
		return math.NaN()
	}
	return sum / n
}

// series reads every series of the catalogue but benchtop's own: the run-wide
// track, for GPUs the mean over the cards.
func (w *window) series(into map[string]float64) {
	for id := range model.SeriesID(model.NumSeries) {
		d := id.Describe()
		if d.Side == model.SideSelf || id == model.ClientHorizon || id == model.GPUReasons {
			continue
		}
		v := w.value(w.snap.Whole(id))
		if d.Side == model.SideGPU {
			v = w.overGPUs(id)
		}
		if !math.IsNaN(v) {
			into[d.Name] = v
		}
	}
}

func (w *window) overGPUs(id model.SeriesID) float64 {
	sum, n := 0.0, 0.0
	for _, g := range w.snap.GPUs {
		if v := w.value(w.snap.GPU(id, g.Key)); !math.IsNaN(v) {
			sum, n = sum+v, n+1
		}
	}
	if n == 0 {
		return math.NaN()
	}
	return sum / n
}

// effects reads what is no series.
func (w *window) effects(into map[string]float64) {
	s := w.snap
	set := func(id string, v float64) {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			into[id] = v
		}
	}
	get := func(id string) float64 {
		if v, ok := into[id]; ok {
			return v
		}
		return math.NaN()
	}
	set(Goodput, get("client_ok"))
	tokens := s.Whole(model.ClientOutputTokens)
	if tokens != nil && tokens.N > 0 {
		set(OutputTPS, float64(w.total(tokens).Sum)/w.seconds())
	}
	if span := s.Client.LastEnd.Seconds(s.Client.First); s.Client.Known && !w.warm && span > 0 {
		// The whole run: from first to last to the nanosecond. Whole seconds of
		// so short a run could hold a batch more or less.
		set(Goodput, float64(s.Client.ByOutcome[model.ClientOK])/span)
		if tokens != nil && tokens.N > 0 {
			set(OutputTPS, tokens.Sum/span)
		}
	}
	set(ServerTPS, get("server_gen_tokens"))
	if math.IsNaN(get(ServerTPS)) {
		set(ServerTPS, get("server_gen_tps"))
	}
	set(Concurrency, get("client_in_flight"))
	w.tails(set)
	if c := &s.Client; c.Known && c.Done > 0 {
		set(FailedShare, float64(c.Failed())/float64(c.Done))
	}
	set(HeldPower, get("gpu_held_sw_power_cap"))
	heat, sw := get("gpu_held_hw_thermal"), get("gpu_held_sw_thermal")
	switch {
	case math.IsNaN(heat):
		heat = sw
	case !math.IsNaN(sw):
		heat += sw
	}
	set(HeldThermal, heat)
	set(PowerOfLimit, get("gpu_power")/get("gpu_power_limit"))
	set(StartTemp, w.startTemp())
}

// measured are the latencies of good requests in the measured time, so that
// warm-up's are not among them; of the whole run where the run was not seen to
// be warm. The P99 comes from the whole run, too, where the measured time alone
// has too few requests for one; whole says so.
func (w *window) measured() (q model.Quantiles, whole bool) {
	q = w.snap.Latency.OK
	m := &w.snap.Clean.Measured.Latency
	if !w.warm || !w.snap.Clean.Known || m.N == 0 {
		return q, false
	}
	if m.N < model.MinP99 && q.N >= model.MinP99 {
		p99, n := q.P99, q.N
		q = *m
		q.P99, q.N = p99, n
		return q, true
	}
	return *m, false
}

// tails reads the percentiles. A P99 of too few requests is left out.
func (w *window) tails(set func(id string, v float64)) {
	l := w.snap.Latency
	l.OK, _ = w.measured()
	for _, x := range []struct {
		q        *model.Quantiles
		p50, p99 string
	}{{&l.OK, LatencyP50, LatencyP99}, {&l.TTFT, TTFTP50, TTFTP99}, {&l.TPOT, TPOTP50, ""}} {
		if x.q.N == 0 {
			continue
		}
		set(x.p50, x.q.P50)
		if x.p99 != "" && x.q.N >= model.MinP99 {
			set(x.p99, x.q.P99)
		}
	}
}

// startTemp is the hottest card in the run's first seconds.
func (w *window) startTemp() float64 {
	hottest := math.NaN()
	from := w.snap.Start
	if w.snap.Client.Known && w.snap.Client.First > 0 {
		from = w.snap.Client.First
	}
	for _, g := range w.snap.GPUs {
		t := w.snap.GPU(model.GPUTemp, g.Key)
		if t == nil {
			continue
		}
		var cols [5]model.Bucket
		t.Held(cols[:], from, time.Second, 0, w.snap.Now)
		for _, b := range cols {
			if b.N > 0 {
				if v := b.Mean(); !(hottest >= v) {
					hottest = v
				}
				break
			}
		}
	}
	return hottest
}
