package report

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"benchtop/model"
	"benchtop/model/compare"
)

// dispersion is the variance of starts a second over their mean: about 0 when
// paced, 1 for random arrivals, above it for bursts. NaN below 20 seconds.
func dispersion(s *model.Snapshot) float64 {
	t := s.Whole(model.ClientSent)
	if t == nil || t.N == 0 {
		return math.NaN()
	}
	from, to := while(s)
	seconds := to.Sub(from) / time.Second
	if seconds < 20 || seconds > 3600 {
		return math.NaN()
	}
	cols := make([]model.Bucket, seconds)
	t.Columns(cols, from, time.Second)
	mean, sq := 0.0, 0.0
	for _, b := range cols {
		mean += float64(b.N)
	}
	mean /= float64(len(cols))
	for _, b := range cols {
		sq += (float64(b.N) - mean) * (float64(b.N) - mean)
	}
	if mean == 0 {
		return math.NaN()
	}
	return sq / float64(len(cols)-1) / mean
}

func loadPart(s *model.Snapshot) Table {
	t := kv()
	c := &s.Client
	t.add("format", c.Format, "the stream")
	kind := ""
	if s.Signals != nil && s.Signals.Client.ClosedKnown {
		kind = "open: arrivals follow a schedule"
		if s.Signals.Client.Closed {
			kind = "closed: the next request waits for an answer"
		}
	}
	t.add("loop", kind, "measured: starts against ends")
	t.add("arrivals: variance ÷ mean a second", short(dispersion(s)), "measured (0 paced, 1 random, above bursts)")
	t.add("requests a second", short(rateOf(s)), "measured")
	t.add("concurrency", short(c.MeanFlight)+" mean, "+short(c.PeakFlight)+" peak", c.How)
	t.add("prompt tokens", tokensOf(s, model.ClientInputTokens), "measured")
	t.add("output tokens", tokensOf(s, model.ClientOutputTokens), "measured")
	return t
}

func rateOf(s *model.Snapshot) float64 {
	if span := s.Client.LastEnd.Seconds(s.Client.First); s.Client.Known && span > 0 {
		return float64(s.Client.Done) / span
	}
	return math.NaN()
}

// loadLimits says what the load model can't tell.
func loadLimits(s *model.Snapshot) []string {
	var out []string
	fixed := ""
	for i, id := range []model.SeriesID{model.ClientInputTokens, model.ClientOutputTokens} {
		if t := s.Whole(id); t != nil && t.N > 1 && t.Max-t.Min <= 0.02*t.Max {
			fixed += []string{" prompt", " output"}[i]
		}
	}
	d := dispersion(s)
	closed := s.Signals != nil && s.Signals.Client.ClosedKnown && s.Signals.Client.Closed
	if fixed != "" {
		out = append(out, "fixed lengths ("+strings.ReplaceAll(strings.TrimSpace(fixed), " ", " and ")+"): right for telling two settings apart, too kind for a claim about real traffic")
	}
	if closed {
		out = append(out, "the loop was closed: a slow server is asked less, so waiting that real users would see is hidden")
	}
	if !closed && d < 0.3 {
		out = append(out, "arrivals were even: real ones come in bursts, and queues would be longer")
	}
	if s.Client.Known && s.Whole(model.ClientInputTokens) == nil {
		out = append(out, "the stream tells no token counts: whether requests were alike is not known")
	}
	return out
}

func metricsPart(s *model.Snapshot, row *compare.Row) Table {
	t := Table{Head: []string{"metric", "value", "measured at"}, Right: []bool{false, true, false}}
	add := func(name, v, where string) { t.Rows = append(t.Rows, []string{name, v, where}) }
	val := func(id string) string {
		m, _ := compare.Find(id)
		return withUnit(row.Value(id)*m.Scale, m.Unit)
	}
	while := fmt.Sprintf("client, %.0f s after warm-up", row.MeasuredS)
	if !row.Warm {
		while = fmt.Sprintf("client, whole run (%.0f s): warm-up was not seen to end", row.MeasuredS)
	}
	add("output tokens a second, good requests and failed", val(compare.OutputTPS), while)
	add("good requests a second (goodput)", val(compare.Goodput), while)
	add("all finished requests a second", withUnit(rateOf(s), "req/s"), "client, whole run, failures included")
	if p := compare.PhasesOf(s); p.Text() != "" {
		add("course of the run", p.Text(), "good requests in 5-s buckets, whole run (MSER-5, PELT)")
	}
	add("generated tokens a second", val(compare.ServerTPS), "server")
	if s.Signals != nil {
		add("finished a second, last 30 s", withUnit(s.Signals.Server.X, "req/s"), "server's own count")
	}
	add("failed requests", val(compare.FailedShare), "client")
	for _, id := range []string{"server_running", "server_waiting", compare.Batch, "server_batch_wait", "server_kv_usage", compare.StepTime, "gpu_power", compare.Clock, "gpu_mem_used", "gpu_sm_activity", compare.Occupancy, "gpu_tensor_activity", "gpu_dram_activity", "gpu_util", "host_server_cpu", "host_client_cpu", "host_client_thread"} {
		m, _ := compare.Find(id)
		if !math.IsNaN(row.Value(id)) {
			add(m.Title, val(id), sideOf(id))
		}
	}
	return t
}

// withUnit prints a number and its unit, a dash alone if nobody measured it.
func withUnit(v float64, unit string) string {
	if math.IsNaN(v) {
		return "–"
	}
	return strings.TrimSpace(short(v) + " " + unit)
}

func sideOf(id string) string {
	if s, ok := model.SeriesByName(id); ok {
		return s.Describe().Side.String()
	}
	return ""
}

func latencyTable(s *model.Snapshot) Table {
	t := Table{Head: []string{"latency", "p50", "p90", "p99", "p99.9", "max", "n", "mean"}, Right: []bool{false, true, true, true, true, true, true, true}}
	line := func(name string, q model.Quantiles) {
		if q.N == 0 {
			return
		}
		few := func(v float64, least uint64) string {
			if q.N < least {
				return "(" + seconds(v) + ")"
			}
			return seconds(v)
		}
		t.Rows = append(t.Rows, []string{name, seconds(q.P50), few(q.P90, model.MinP90), few(q.P99, model.MinP99), few(q.P999, model.MinP999), seconds(q.Max), fmt.Sprint(q.N), seconds(q.Mean)})
	}
	line("end to end, good (client)", s.Latency.OK)
	line("end to end, all finished (client)", s.Latency.All)
	line("time to first token (client)", s.Latency.TTFT)
	line("time per output token (client)", s.Latency.TPOT)
	if len(t.Rows) == 0 {
		t.Rows = append(t.Rows, []string{"not measured", "–", "–", "–", "–", "–", "0", "–"})
	} else {
		t.Rows = append(t.Rows, []string{"in brackets: too few requests for an interval", "", "", fmt.Sprintf("n ≥ %d", model.MinP99), fmt.Sprintf("n ≥ %d", model.MinP999), "", "", ""})
	}
	return t
}

// environment is the checklist of the documents, before and after, in the
// order in which interference is looked for.
func environment(s *model.Snapshot) Table {
	t := Table{Head: []string{"item", "at the start", "at the end", "during the run", "state"}}
	add := func(name string, a, b, c, state string) { t.Rows = append(t.Rows, []string{name, a, b, c, state}) }
	gpuEnvironment(s, add)
	hostRow := func(id model.SeriesID, name, unit string, scale float64) {
		first, last, lo, hi, ok := ends(s.Whole(id))
		if !ok {
			add(name, "–", "–", "–", "not measured")
			return
		}
		w := func(v float64) string { return strings.TrimSpace(short(math.Round(v*scale*10)/10) + " " + unit) }
		add(name, w(first), w(last), w(lo)+" to "+w(hi), "recorded")
	}
	hostRow(model.HostCPUClock, "CPU clock", "MHz", 1e-6)
	add("CPU governor", dash(s.Run.Facts["cpu_governor"]), "", "", state(s.Run.Facts["cpu_governor"] == "performance", "locked", "not locked", s.Run.Facts["cpu_governor"] != ""))
	hostRow(model.HostOtherCPU, "CPU of other processes", "%", 100)
	hostRow(model.HostMemAvailable, "memory available", "MiB", 1.0/(1<<20))
	hostRow(model.HostPSIMemory, "waiting for memory", "%", 100)
	hostRow(model.HostSegsRetrans, "TCP segments sent again", "", 1)
	hostRow(model.HostPSIIO, "waiting for the disk", "%", 100)
	hostRow(model.HostQuotaThrottled, "CPU quota periods throttled", "", 1)
	hostRow(model.HostSteal, "CPU taken by the hypervisor", "%", 100)
	for _, name := range slices.Sorted(maps.Keys(s.Run.Facts)) {
		if id, ok := strings.CutPrefix(name, "check.before."); ok {
			after := s.Run.Facts["check.after."+id]
			word := "recorded before and after"
			if after == "" {
				word = "recorded before; the run was cut short, or goes on"
			}
			add("checklist: "+strings.ReplaceAll(id, "_", " "), s.Run.Facts[name], dash(after), "", word)
		}
	}
	return t
}

func dash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

func state(ok bool, yes, no string, known bool) string {
	switch {
	case !known:
		return "not measured"
	case ok:
		return yes
	}
	return no
}

// ends is a track's first and last value and its extremes.
func ends(t *model.Track) (first, last, lo, hi float64, ok bool) {
	if t == nil || t.N == 0 {
		return 0, 0, 0, 0, false
	}
	first = math.NaN()
	from := model.Instant(math.MaxInt64)
	for i := range t.Tiers { // the finest that reaches as far back
		tier := &t.Tiers[i]
		c := tier.Cursor()
		for n := tier.First; n < tier.End(); n++ {
			b := c.At(n)
			if b == nil || b.N == 0 {
				continue
			}
			if at := model.Instant(n) * model.Instant(tier.Step); at.Add(tier.Step) <= from {
				first, from = b.Mean(), at
			}
			break
		}
	}
	last = t.Last
	if t.Series.Describe().Shape == model.Span {
		return 0, t.Total, 0, t.Total, true
	}
	return first, last, t.Min, t.Max, !math.IsNaN(first)
}

func heldText(s *model.Snapshot, key uint64) string {
	var parts []string
	for _, h := range []struct {
		id   model.SeriesID
		name string
	}{{model.GPUHeldPowerCap, "power cap"}, {model.GPUHeldSWThermal, "software thermal"}, {model.GPUHeldHWThermal, "hardware thermal"}, {model.GPUHeldBrake, "power brake"}} {
		if t := s.GPU(h.id, key); t != nil && t.N > 0 {
			parts = append(parts, fmt.Sprintf("%s %s s", h.name, short(math.Round(t.Total*10)/10)))
		}
	}
	if len(parts) == 0 {
		return "–"
	}
	return strings.Join(parts, ", ")
}

// samplingPart sets how often things were read against how long a step takes:
// what is read more rarely than a tenth of it says nothing about single steps.
func samplingPart(s *model.Snapshot) []string {
	step := math.NaN()
	from := ""
	if t := s.Whole(model.ServerExec); t != nil && t.N > 0 {
		step, from = t.Sum/float64(t.N), "the server's own step time"
	} else if q := s.Latency.TPOT; q.N > 0 {
		step, from = q.P50, "time per output token"
	}
	var out []string
	for _, g := range s.GPUs {
		t := s.GPU(model.GPUSMClock, g.Key)
		if t == nil || t.Period == 0 {
			continue
		}
		line := fmt.Sprintf("GPU %d was read every %s", g.Index, t.Period)
		if !math.IsNaN(step) && step > 0 {
			line += fmt.Sprintf("; one step takes about %s (%s), so a tenth of it would be %s: %s times too rare to see single steps; means over seconds are right, use a profiler for the rest",
				seconds(step), from, seconds(step/10), short(math.Round(t.Period.Seconds()/(step/10))))
		}
		out = append(out, line)
	}
	return out
}

func anomalies(p *Page, s *model.Snapshot) {
	t := Table{Head: []string{"at", "kind", "what"}, Right: []bool{true, false, false}}
	for _, m := range s.Marks {
		t.Rows = append(t.Rows, []string{seconds(max(0, m.At.Seconds(s.Start))), m.Class, m.Text})
	}
	if len(t.Rows) == 0 {
		p.text("none: no throttle, gap, rotation, loss or change of the verdict was seen.")
		return
	}
	const most = 200
	if n := len(t.Rows); n > most {
		p.text(fmt.Sprintf("%d in all; the first %d:", n, most))
		t.Rows = t.Rows[:most]
	}
	p.table(t)
}

func sourcesTable(s *model.Snapshot) Table {
	t := Table{Head: []string{"source", "kind", "format", "state", "lines", "understood", "dropped", "errors", "clock off by"}, Right: []bool{false, false, false, false, true, true, true, true, true}}
	for i := range s.Sources {
		r := &s.Sources[i]
		if r.Kind == model.KindClock {
			continue
		}
		t.Rows = append(t.Rows, []string{r.Name, r.Kind.String(), r.Format, strings.TrimSpace(r.State.String() + " " + r.Why), short(r.Lines), short(r.Matched), short(r.Dropped), short(r.Errored), seconds(r.Skew)})
	}
	return t
}
