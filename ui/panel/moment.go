package panel

import (
	"math"
	"slices"
	"sort"
	"strings"
	"time"

	"benchtop/model"
	"benchtop/themes"
	"benchtop/ui/draw"
)

// windowS is over how many seconds the figures are taken, now and at the
// cursor.
const windowS = 30

// moment is the end of the column looked at, and whether one is.
func (f Frame) moment() (model.Instant, bool) {
	v := f.View
	if v.Cursor < 0 {
		return 0, false
	}
	return min(v.From.Add(time.Duration(v.Cursor+1)*v.Step), f.Snap.Now), true
}

// ago words how long before now an instant is.
func (f Frame) ago(at model.Instant) string { return "-" + draw.Age(f.Snap.Now.Seconds(at)) }

// stood is the verdict that stood at an instant, and when the next one took
// its place (0: it still stands).
func stood(s *model.Snapshot, at model.Instant) (c model.VerdictChange, until model.Instant, ok bool) {
	for _, v := range s.Verdicts {
		if v.At > at {
			return c, v.At, ok
		}
		c, ok = v, true
	}
	return c, 0, ok
}

// saidThen is what a recording tells of the verdict of its time, beside what
// today's rules say; nil on a run that is live.
func (f Frame) saidThen(today *model.Verdict) line {
	s := f.View.Figures
	at, looking := f.moment()
	if !looking {
		at = s.Now
	}
	for _, c := range slices.Backward(s.Said) {
		if c.At > at {
			continue
		}
		if c.ID == today.ID && c.Reason == today.Reason {
			if !f.View.Full {
				return nil // nothing to tell where there is little room
			}
			return line{{"  said then: the same", themes.Dim, false}}
		}
		return line{{"  said then: ", themes.Dim, false}, {draw.Sanitize(c.Title), themes.Warn, true}}
	}
	return nil
}

// judged is the verdict to show, with its lamps: today's, or with a cursor the
// one that stood then. Then is false while the latter is still today's.
type judged struct {
	v     *model.Verdict
	lamps []Span
	then  bool
	when  string // of which second the evidence is, and from when to when the verdict stood
}

func (f Frame) judged() judged {
	s := f.View.Figures
	at, looking := f.moment()
	if !looking {
		return judged{v: &s.Verdict, lamps: lampSpans(s)}
	}
	c, until, ok := stood(s, at)
	if !ok {
		v := &model.Verdict{WaitS: math.NaN()}
		if len(s.Verdicts) == 0 {
			v.Title = "no history of the verdict"
			v.ID = model.VerdictNotEnough
		}
		return judged{v: v, then: true}
	}
	r, again := restated(s, c.At, at)
	if !again {
		r = model.Restatement{At: c.At, Words: c.Words, Raised: c.Raised}
	}
	if until == 0 && (r.Words == nil || s.Now.Sub(at) < 10*time.Second) {
		return judged{v: &s.Verdict, lamps: lampSpans(s)} // nothing nearer is kept
	}
	out := judged{lamps: make([]Span, len(lamps)), then: true}
	out.v, out.when = f.wordsThen(c, r, until)
	for i, l := range lamps {
		out.lamps[i] = Span{"· " + l.name, themes.Dim, false}
		if slices.ContainsFunc(r.Raised, func(id string) bool { return slices.Contains(l.ids, id) }) {
			out.lamps[i] = l.span(lampOn)
		}
	}
	return out
}

// restated is the newest restatement, up to an instant, of the verdict that
// came at from.
func restated(s *model.Snapshot, from, at model.Instant) (r model.Restatement, ok bool) {
	i := sort.Search(len(s.Restated), func(i int) bool { return s.Restated[i].At > at }) - 1
	if i < 0 || s.Restated[i].At <= from {
		return r, false
	}
	return s.Restated[i], true
}

// wordsThen is the verdict c as it stood at a past moment: with the evidence
// told nearest before it, of when that is, and from when to when it stood.
func (f Frame) wordsThen(c model.VerdictChange, r model.Restatement, until model.Instant) (then *model.Verdict, when string) {
	v := model.Verdict{
		Finding: model.Finding{ID: c.ID, Severity: c.Severity, Title: c.Title},
		Reason:  c.Reason, Confidence: c.Confidence,
	}
	if r.Words != nil {
		v = *r.Words
	}
	clock := func(i model.Instant) string { return i.Time().In(f.View.Zone).Format("15:04:05") }
	when = "stands since " + clock(c.At)
	if until != 0 {
		when = "stood " + clock(c.At) + " to " + clock(until) + " (" + draw.Age(until.Seconds(c.At)) + ")"
	}
	switch {
	case v.Text != "":
		when = "evidence as of " + clock(r.At) + "; " + when
	case len(c.Raised) > 0:
		v.Text = "Raised then: " + strings.ReplaceAll(strings.Join(c.Raised, ", "), "_", " ") + "."
	}
	v.Since, v.WaitS, v.Leading = c.At, math.NaN(), ""
	return &v, when
}

// taken sums a track over the figures' window up to an instant.
func (f Frame) taken(id model.SeriesID, at model.Instant) model.Bucket {
	var all model.Bucket
	t := f.Snap.Whole(id)
	if t == nil {
		return all
	}
	step := time.Second
	if f.Snap.Now.Sub(at) > 55*time.Minute {
		step = 10 * time.Second // seconds are kept for an hour
	}
	n := windowS * time.Second / step
	buckets := make([]model.Bucket, n)
	t.Columns(buckets, at.Floor(step).Add(-n*step), step)
	for _, b := range buckets {
		all.Add(b)
	}
	return all
}

// rate is how many of some outcomes a second there were up to an instant, NaN
// if nobody counts them.
func (f Frame) rate(at model.Instant, ids ...model.SeriesID) float64 {
	n, known := 0.0, f.Snap.Client.Known
	for _, id := range ids {
		b := f.taken(id, at)
		if id.IsOutcome() {
			n += float64(b.N)
		} else {
			n += float64(b.Sum)
			known = known || b.N > 0
		}
	}
	if !known {
		return math.NaN()
	}
	return n / min(windowS, max(at.Seconds(f.Snap.Start), 1))
}

// gaugeAt is a gauge's value at the cursor.
func (f Frame) gaugeAt(t *model.Track) float64 {
	if t == nil || f.View.Cursor < 0 {
		return math.NaN()
	}
	return f.looked(f.held(t, mean))
}

// binQuantiles reads quantiles off the latency map, up to an instant: as good
// as its bins are narrow, so they are told as about.
func (f Frame) binQuantiles(at model.Instant) model.Quantiles {
	q := model.NoQuantiles()
	tier := &f.Snap.Latency.Map
	if tier.Step == 0 {
		return q
	}
	if model.Instant(tier.First)*model.Instant(tier.Step) > at.Add(-windowS*time.Second) && f.Snap.Latency.Coarse.Step > 0 {
		tier = &f.Snap.Latency.Coarse
	}
	var bins [model.LatencyBinCount]float64
	hi := int64(at) / int64(tier.Step)
	for n := hi - int64(windowS*time.Second/tier.Step); n < hi; n++ {
		if b := tier.At(n); b != nil {
			for k, c := range b {
				bins[k] += float64(c)
				q.N += uint64(c)
			}
		}
	}
	if q.N == 0 {
		return q
	}
	of := func(p float64) float64 {
		need := p * float64(q.N)
		for k, c := range bins {
			if need -= c; need <= 0 {
				return model.LatencyBinFloor(k) * math.Pow(10, 0.5/model.LatencyBinsPerDecade)
			}
		}
		return math.NaN()
	}
	q.P50, q.P95, q.P99 = of(0.5), of(0.95), of(0.99)
	return q
}

// figuresThen are the figures of the 30 s up to the cursor, from what the
// charts keep: whole counts, and latencies as fine as the map's bins.
func (f Frame) figuresThen(at model.Instant) []figure {
	dim := func(text string) Span { return Span{text, themes.Dim, false} }
	good, all := f.rate(at, model.ClientOK), f.rate(at, model.Outcomes...)
	rows := []figure{{"good", []Span{{number(good, "/s"), themes.Text, true}}, 1}}
	if all > good {
		rows[0].vals = append(rows[0].vals, dim("of "+number(all, "/s")))
	}
	tps := f.gaugeAt(f.Snap.Whole(model.ServerGenTPS))
	if b := f.taken(model.ServerGenTokens, at); math.IsNaN(tps) && b.N > 0 {
		tps = float64(b.Sum) / windowS
	}
	rows = append(rows, figure{"tokens", []Span{{number(tps, "/s"), themes.Server, true}}, 3})
	q := f.binQuantiles(at)
	if q.N > 0 {
		rows = append(rows, figure{"latency", []Span{{"p50 ≈" + draw.Latency(q.P50), themes.Text, false}, quantile("p95", q.P95, q.N, model.MinP95)}, 2},
			figure{"", []Span{quantile("p99", q.P99, q.N, model.MinP99), dim("n " + draw.Count(float64(q.N)) + " all")}, 4})
	} else {
		rows = append(rows, figure{"latency", []Span{dim(draw.None)}, 2})
	}
	lost := figure{"lost", nil, 2}
	total, last := 0.0, lossKind{}
	for _, k := range lossKinds {
		if n := float64(f.taken(k.client, at).N); k.client != 0 && n > 0 {
			total, last = total+n, k
			lost.vals = append(lost.vals, Span{draw.Count(n) + " " + k.name, themes.Warn, false})
		}
	}
	if len(lost.vals) == 1 {
		lost.vals[0].Text = last.words // the number stands before it
	}
	lost.vals = append([]Span{{draw.Count(total), themes.Bad, true}}, lost.vals...)
	if total == 0 {
		lost.vals[0].Role = themes.Good
	}
	if !f.Snap.Client.Known {
		lost.vals = []Span{dim(draw.None)}
	}
	rows = append(rows, lost)
	if b := f.taken(model.ClientTTFT, at); b.N > 0 {
		rows = append(rows, figure{"TTFT", []Span{{"mean " + draw.Latency(b.Mean()), themes.Text, false}}, 6})
	}
	if kv := f.gaugeAt(f.Snap.Whole(model.ServerKV)); kv > 0 {
		rows = append(rows, figure{"KV cache", []Span{{draw.Percent(kv), themes.Text, false}}, 7})
	}
	return append(rows, figure{"moment", []Span{{f.ago(at), themes.Text, false}, dim(at.Time().In(f.View.Zone).Format("15:04:05"))}, 5})
}
