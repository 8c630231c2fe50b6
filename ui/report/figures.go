package report

import (
	"fmt"
	"math"
	"time"

	"benchtop/model"
)

// axis is the time axis that all charts of a run share.
type axis struct {
	from model.Instant
	step time.Duration
	cols int
}

// axisOf spreads the run, or the last day of a longer one, over a few hundred
// columns.
func axisOf(s *model.Snapshot) axis {
	start := max(s.Start, s.Now.Add(-reach))
	span := s.Now.Sub(start)
	step := time.Second
	for _, d := range []time.Duration{1, 2, 5, 10, 20, 30, 60, 120, 300, 600} {
		step = d * time.Second
		if span/step <= 400 {
			break
		}
	}
	from := start.Floor(step)
	return axis{from, step, max(1, int(s.Now.Sub(from)/step)+1)}
}

func (a axis) buckets() []model.Bucket { return make([]model.Bucket, a.cols) }

// gauge reads a track as values held over time.
func (a axis) gauge(t *model.Track, now model.Instant, scale float64) []float64 {
	if t == nil || t.N == 0 {
		return nil
	}
	cols := a.buckets()
	t.Held(cols, a.from, a.step, 0, now)
	return means(cols, scale)
}

// exact reads a track's columns as they are.
func (a axis) exact(t *model.Track, scale float64) []float64 {
	if t == nil || t.N == 0 {
		return nil
	}
	cols := a.buckets()
	t.Columns(cols, a.from, a.step)
	return means(cols, scale)
}

// counts reads how many events fell into each column, a second.
func (a axis) counts(t *model.Track) []float64 {
	out := make([]float64, a.cols)
	if t == nil || t.N == 0 {
		return out
	}
	cols := a.buckets()
	t.Columns(cols, a.from, a.step)
	for i, b := range cols {
		out[i] = float64(b.N) / a.step.Seconds()
	}
	return out
}

func means(cols []model.Bucket, scale float64) []float64 {
	out := make([]float64, len(cols))
	for i, b := range cols {
		out[i] = b.Mean() * scale
	}
	return out
}

func most(vs ...[]float64) float64 {
	m := 0.0
	for _, v := range vs {
		for _, x := range v {
			if x > m {
				m = x
			}
		}
	}
	return m
}

func least(v []float64) float64 {
	m := math.Inf(1)
	for _, x := range v {
		if x < m {
			m = x
		}
	}
	return m
}

func plus(a, b []float64) []float64 {
	if b == nil {
		return a
	}
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] + b[i]
		if math.IsNaN(b[i]) {
			out[i] = a[i]
		}
	}
	return out
}

func zeros(n int) []float64 { return make([]float64, n) }

// charts draws the run's pictures, in the order of the live screen.
func charts(s *model.Snapshot) []Figure {
	if s.Start == 0 || s.Now <= s.Start {
		return nil
	}
	a := axisOf(s)
	out := []Figure{concurrencyFigure(s, a), rateFigure(s, a), latencyFigure(s, a), batchFigure(s, a), queueFigure(s, a)}
	for i, g := range s.GPUs {
		if i == 8 {
			break
		}
		out = append(out, gpuFigure(s, a, g))
	}
	var drawn []Figure
	for _, f := range out {
		if f.SVG != "" {
			drawn = append(drawn, f)
		}
	}
	return drawn
}

func concurrencyFigure(s *model.Snapshot, a axis) Figure {
	client := a.exact(s.Whole(model.ClientInFlight), 1)
	running, waiting := a.gauge(s.Whole(model.ServerRunning), s.Now, 1), a.gauge(s.Whole(model.ServerWaiting), s.Now, 1)
	if client == nil && running == nil {
		return Figure{}
	}
	c := newChart("concurrency", a.from, a.step, a.cols, 190)
	target := s.Run.Configured("target_concurrency")
	if s.Signals != nil && !math.IsNaN(s.Signals.Client.Target) {
		target = s.Signals.Client.Target
	}
	verdictBands(c, s)
	top := most(client, running)
	if running != nil {
		top = max(top, most(plus(running, waiting)))
	}
	if !math.IsNaN(target) {
		top = max(top, target)
	}
	c.scale(0, top*1.05)
	if running != nil {
		if waiting != nil {
			c.area(running, plus(running, waiting), "f-waiting")
			c.key("f-waiting", "waiting at the server")
		}
		c.area(zeros(a.cols), running, "f-server")
		c.key("f-server", "running at the server")
	}
	if client != nil {
		c.line(client, "l-client")
		c.key("l-client", "client in flight")
	}
	if !math.IsNaN(target) {
		c.level(target, "l-target")
		c.key("l-target", "target")
	}
	return Figure{c.close(), "Requests in flight at the client, and running and waiting at the server. Tinted: while a major finding led the verdict."}
}

// verdictBands tints the time in which a major or invalid verdict stood.
func verdictBands(c *chart, s *model.Snapshot) {
	from := model.Instant(0)
	for _, v := range s.Verdicts {
		bad := v.Severity >= model.SevMajor && v.ID != model.VerdictNotEnough && v.ID != model.VerdictNone
		switch {
		case v.Recorded: // what was said then is told among the anomalies
		case bad && from == 0:
			from = v.At
		case !bad && from != 0:
			c.band(from, v.At, "t-bad")
			from = 0
		}
	}
	if from != 0 {
		c.band(from, s.Now, "t-bad")
	}
}

func rateFigure(s *model.Snapshot, a axis) Figure {
	if !s.Client.Known {
		return Figure{}
	}
	good := a.counts(s.Whole(model.ClientOK))
	bad := zeros(a.cols)
	for _, id := range model.Outcomes {
		if id != model.ClientOK && id != model.ClientCancelled {
			bad = plus(bad, a.counts(s.Whole(id)))
		}
	}
	c := newChart("finished requests a second", a.from, a.step, a.cols, 110)
	c.scale(0, most(plus(good, bad))*1.05)
	c.area(zeros(a.cols), good, "f-good")
	c.key("f-good", "good")
	if most(bad) > 0 {
		c.area(good, plus(good, bad), "f-bad")
		c.key("f-bad", "failed")
	}
	return Figure{c.close(), "Good and failed requests are never added into one number: only the good ones are throughput."}
}

// latencyFigure is the latency map: time across, log bins upward.
func latencyFigure(s *model.Snapshot, a axis) Figure {
	tier := &s.Latency.Map
	if a.step >= 10*time.Second && len(s.Latency.Coarse.Chunks) > 0 {
		tier = &s.Latency.Coarse
	}
	if len(tier.Chunks) == 0 {
		return Figure{}
	}
	grid := make([][model.LatencyBinCount]float64, a.cols)
	lo, hi, top := model.LatencyBinCount, 0, 0.0
	for i := range grid {
		first := int64(a.from.Add(time.Duration(i)*a.step)) / int64(tier.Step)
		last := int64(a.from.Add(time.Duration(i+1)*a.step)) / int64(tier.Step)
		for n := first; n < max(last, first+1); n++ {
			b := tier.At(n)
			if b == nil {
				continue
			}
			for k, v := range b {
				if v > 0 {
					grid[i][k] += float64(v)
					lo, hi, top = min(lo, k), max(hi, k), max(top, grid[i][k])
				}
			}
		}
	}
	if top == 0 {
		return Figure{}
	}
	return heat(s, a, grid, max(0, lo-1), min(model.LatencyBinCount-1, hi+1), top)
}

func heat(s *model.Snapshot, a axis, grid [][model.LatencyBinCount]float64, lo, hi int, top float64) Figure {
	c := newChart("latency, end to end, at the client", a.from, a.step, a.cols, 170)
	rows := float64(hi - lo + 1)
	row := func(k float64) float64 { return chartTop + c.high*(1-(k-float64(lo))/rows) }
	for k := lo; k <= hi; k += max(1, (hi-lo)/5) {
		fmt.Fprintf(&c.b, `<line class="grid" x1="%s" x2="%g" y1="%s" y2="%s"/><text x="%s" y="%s" text-anchor="end">%s</text>`+"\n",
			px(chartLeft), chartWide, px(row(float64(k))), px(row(float64(k))), px(chartLeft-6), px(row(float64(k))+4), esc(seconds(model.LatencyBinFloor(k))))
	}
	w := c.x(1) - c.x(0)
	for i := range grid {
		for k := lo; k <= hi; k++ {
			if v := grid[i][k]; v > 0 {
				shade := 1 + int(7*math.Log1p(v)/math.Log1p(top)+0.5)
				fmt.Fprintf(&c.b, `<rect class="h%d" x="%s" y="%s" width="%s" height="%s"/>`, min(8, shade), px(c.x(float64(i))), px(row(float64(k+1))), px(w+0.2), px(c.high/rows+0.2))
			}
		}
	}
	bin := func(sec float64) float64 { return math.Log10(sec/0.001) * model.LatencyBinsPerDecade }
	if t := s.Run.Configured("client_timeout_s"); t > 0 && bin(t) <= float64(hi+1) && bin(t) >= float64(lo) {
		fmt.Fprintf(&c.b, `<line class="line l-target" x1="%s" x2="%g" y1="%s" y2="%s"/>`+"\n", px(chartLeft), chartWide, px(row(bin(t))), px(row(bin(t))))
		c.key("l-target", "client timeout "+seconds(t))
	}
	return Figure{c.close(), "Each cell counts requests by the second they ended and their latency, log scale: a second group, or a tail that grows, shows here and in no mean."}
}

func batchFigure(s *model.Snapshot, a axis) Figure {
	b := a.gauge(s.Whole(model.ServerBatch), s.Now, 1)
	if b == nil {
		return Figure{}
	}
	limit := s.Run.Configured("max_batch")
	c := newChart("requests in one step (batch size)", a.from, a.step, a.cols, 90)
	top := most(b)
	if !math.IsNaN(limit) && limit < 4*top {
		top = max(top, limit)
	}
	c.scale(0, top*1.05)
	c.area(zeros(a.cols), b, "f-batch")
	c.key("f-batch", "measured")
	if !math.IsNaN(limit) {
		c.level(limit, "l-target")
		c.key("l-target", "configured maximum "+short(limit))
	}
	return Figure{c.close(), "A configured batch size proves nothing; this is what was really in one step."}
}

func queueFigure(s *model.Snapshot, a axis) Figure {
	q := a.gauge(s.Whole(model.ServerWaiting), s.Now, 1)
	if q == nil || most(q) == 0 {
		return Figure{}
	}
	c := newChart("queue length", a.from, a.step, a.cols, 70)
	c.scale(0, most(q)*1.05)
	c.area(zeros(a.cols), q, "f-queue")
	return Figure{c.close(), "Requests accepted by the server and not yet scheduled."}
}

func gpuFigure(s *model.Snapshot, a axis, g model.GPUInfo) Figure {
	clock := a.gauge(s.GPU(model.GPUSMClock, g.Key), s.Now, 1e-6)
	if clock == nil {
		return Figure{}
	}
	c := newChart(fmt.Sprintf("GPU %d SM clock, MHz", g.Index), a.from, a.step, a.cols, 130)
	heldBands(c, s, a, g.Key)
	ceiling := math.NaN()
	if t := s.GPU(model.GPUMaxSMClock, g.Key); t != nil && t.N > 0 {
		ceiling = t.Last * 1e-6
	}
	top, low := most(clock), least(clock)
	if !math.IsNaN(ceiling) {
		top = max(top, ceiling)
	}
	c.scale(max(0, low-(top-low)*0.15), top*1.02)
	c.line(clock, "l-gpu")
	c.key("l-gpu", "SM clock")
	c.level(ceiling, "l-target")
	c.key("l-target", "ceiling")
	// Temperature and power on their own scales, in the same plot: their numbers
	// stand in the legend.
	if temp := a.gauge(s.GPU(model.GPUTemp, g.Key), s.Now, 1); temp != nil {
		c.overlay(temp, "l-temp", fmt.Sprintf("temperature %s to %s °C", short(math.Round(least(temp))), short(math.Round(most(temp)))))
	}
	if power := a.gauge(s.GPU(model.GPUPower, g.Key), s.Now, 1); power != nil {
		c.overlay(power, "l-power", fmt.Sprintf("power %s to %s W", short(math.Round(least(power))), short(math.Round(most(power)))))
	}
	return Figure{c.close(), g.Name + ". Tinted: while the card's own counters say that something held the clock back. Temperature and power have scales of their own."}
}

// overlay draws a line stretched over the plot's height.
func (c *chart) overlay(v []float64, class, text string) {
	lo, hi := least(v), most(v)
	if !(hi > lo) {
		hi = lo + 1
	}
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = c.low + (c.top-c.low)*(0.05+0.9*(x-lo)/(hi-lo))
	}
	c.line(out, class)
	c.key(class, text)
}

// heldBands tints the columns in which a counter of time held back grew.
func heldBands(c *chart, s *model.Snapshot, a axis, key uint64) {
	held := zeros(a.cols)
	for _, id := range []model.SeriesID{model.GPUHeldPowerCap, model.GPUHeldSWThermal, model.GPUHeldHWThermal, model.GPUHeldBrake, model.GPUHeldBoard, model.GPUHeldSyncBoost} {
		t := s.GPU(id, key)
		if t == nil || t.N == 0 {
			continue
		}
		cols := a.buckets()
		t.Columns(cols, a.from, a.step)
		for i, b := range cols {
			held[i] += float64(b.Sum)
		}
	}
	for i := 0; i < len(held); {
		if held[i] < 0.1*a.step.Seconds() {
			i++
			continue
		}
		end := i
		for end < len(held) && held[end] >= 0.1*a.step.Seconds() {
			end++
		}
		c.band(a.from.Add(time.Duration(i)*a.step), a.from.Add(time.Duration(end)*a.step), "t-bad")
		i = end
	}
}
