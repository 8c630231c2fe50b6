package panel

import (
	"math"
	"strings"

	"benchtop/model"
	"benchtop/themes"
	"benchtop/ui/draw"
	"benchtop/ui/layout"
)

var figures = Panel{
	ID: "figures", Title: "figures", Key: "7",
	Want: layout.Want{Side: true, Steps: []int{8, 6, 4}, Narrow: []int{1}, Rank: 2, Grow: 1, Most: 14, Fixed: true, Plain: true},
	Head: figuresHead,
	Draw: drawFigures,
}

func figuresHead(f Frame) Head { return Head{Title: "figures", Notes: []Span{figuresSpan(f)}} }

// figuresSpan says of when the figures are.
func figuresSpan(f Frame) Span {
	if at, looking := f.moment(); looking {
		return Span{"30 s to " + f.ago(at), themes.Text, true}
	}
	if ofWholeRun(f) {
		return Span{"whole run", themes.Dim, false}
	}
	return Span{"last 30 s", themes.Dim, false}
}

// ofWholeRun reports whether the rates of now are those of the run as one piece:
// its requests were all told at its end, so that no window has any.
func ofWholeRun(f Frame) bool {
	sig := f.View.Figures.Signals
	return sig != nil && sig.Client.Reported != 0
}

// figure is one row of the figures: a name and its values.
type figure struct {
	name string
	vals []Span
	rank int // rows with a higher number go first
}

// quantile greys and brackets a percentile that has too few samples to mean
// anything.
func quantile(name string, v float64, n uint64, least uint64) Span {
	if n < least {
		return Span{"(" + name + " " + draw.Latency(v) + ")", themes.Dim, false}
	}
	return Span{name + " " + draw.Latency(v), themes.Text, false}
}

// whose says of which requests the latency of the last 30 s is told.
func whose(s *model.Snapshot) string {
	switch {
	case s.Latency.WindowOK.N > 0:
		return "good "
	case s.Latency.WindowAll.N > 0:
		return "all "
	}
	return "latency "
}

func number(v float64, unit string) string {
	if math.IsNaN(v) {
		return draw.None
	}
	return draw.Small(v) + unit
}

func drawFigures(f Frame) {
	w, h := f.Grid.Size()
	s := f.View.Figures
	all, of := figureRows(s), whose(s)
	if at, looking := f.moment(); looking {
		all, of = f.figuresThen(at), "all "
	}
	if h <= 2 {
		var flat []Span
		for _, name := range []string{"good", "tokens", "latency", "lost"} {
			for _, r := range all {
				if r.name == name {
					flat = append(flat, Span{name + " " + r.vals[0].Text, r.vals[0].Role, r.vals[0].Bold})
					if name == "latency" {
						flat[len(flat)-1].Text = of + r.vals[0].Text
						flat = append(flat, r.vals[1:]...)
					}
				}
			}
		}
		spans(f.Grid, 1, 0, w-2, flat)
		return
	}
	for len(all) > h {
		worst := 0
		for i := range all {
			if all[i].rank >= all[worst].rank {
				worst = i
			}
		}
		all = append(all[:worst], all[worst+1:]...)
	}
	for y, r := range all {
		f.Grid.Write(1, y, themes.Dim, r.name)
		if x := spans(f.Grid, 10, y, w-11, r.vals); x == 10 && len(r.vals) > 0 {
			f.Grid.WriteFit(10, y, w-11, r.vals[0].Role, r.vals[0].Text)
		}
	}
}

// figureRows words the figures of a whole second.
func figureRows(s *model.Snapshot) []figure {
	nan := math.NaN()
	c := model.ClientSignals{X: nan, XOK: nan}
	v := model.ServerSignals{GenTPS: nan, PromptTPS: nan, KV: nan, X: nan}
	if s.Signals != nil {
		c, v = s.Signals.Client, s.Signals.Server
	}
	good := figure{"good", []Span{{number(c.XOK, "/s"), themes.Text, true}}, 1}
	if c.XOK != c.X && !math.IsNaN(c.X) {
		good.vals = append(good.vals, Span{"of " + number(c.X, "/s"), themes.Dim, false})
	}
	if !math.IsNaN(v.X) && v.X > 0 {
		good.vals = append(good.vals, Span{"server " + number(v.X, "/s"), themes.Dim, false})
	}
	tokens := figure{"tokens", []Span{{number(v.GenTPS, "/s"), themes.Server, true}}, 3}
	if v.PromptTPS > 0 {
		tokens.vals = append(tokens.vals, Span{"prompt " + number(v.PromptTPS, "/s"), themes.Dim, false})
	}
	rows := append([]figure{good, tokens}, latencyFigures(s)...)
	rows = append(rows, lostRow(s))
	rows = append(rows, reportFigures(s)...)
	if n := lostAtServer(s); n > 0 {
		rows = append(rows, figure{"", []Span{{draw.Count(n) + " by the server's count", themes.Dim, false}}, 5})
	}
	if t := s.Latency.WindowTTFT; t.N > 0 {
		rows = append(rows, figure{"TTFT", []Span{{"p50 " + draw.Latency(t.P50), themes.Text, false}, quantile("p95", t.P95, t.N, model.MinP95)}, 6})
	}
	if t := s.Latency.WindowTPOT; t.N > 0 {
		rows = append(rows, figure{"TPOT", []Span{{"p50 " + draw.Latency(t.P50), themes.Text, false}, quantile("p95", t.P95, t.N, model.MinP95)}, 8})
	}
	if !math.IsNaN(v.KV) && v.KV > 0 {
		kv := figure{"KV cache", []Span{{draw.Percent(v.KV), themes.Text, false}}, 7}
		if v.KV >= 0.9 {
			kv.vals[0].Role = themes.Warn
		}
		if v.Preempted > 0 {
			kv.vals = append(kv.vals, Span{draw.Count(v.Preempted) + " preempted", themes.Warn, false})
		}
		rows = append(rows, kv)
	}
	return append(append(rows, runRow(s)), loadFigures(s)...)
}

// latencyFigures is the latency of the good requests of the last 30 s: what
// ended at a deadline or at once says nothing of how long an answer takes.
// Where none ended well, that of all, and it says so.
func latencyFigures(s *model.Snapshot) []figure {
	q, whose := s.Latency.WindowOK, " good"
	if q.N == 0 {
		q, whose = s.Latency.WindowAll, ", 0 good"
	}
	if q.N == 0 {
		return []figure{{"latency", []Span{{draw.None, themes.Dim, false}}, 2}}
	}
	return []figure{
		{"latency", []Span{{"p50 " + draw.Latency(q.P50), themes.Text, false}, quantile("p95", q.P95, q.N, model.MinP95)}, 2},
		{"", []Span{quantile("p99", q.P99, q.N, model.MinP99), {"n " + draw.Count(float64(q.N)) + whose, themes.Dim, false}}, 4},
	}
}

// lostRow counts failures by kind, over the whole run.
func lostRow(s *model.Snapshot) figure {
	t := &s.Client
	if !t.Known || t.Done == 0 {
		return figure{"lost", []Span{{draw.None, themes.Dim, false}}, 2}
	}
	failed := t.Failed()
	if failed == 0 {
		return figure{"lost", []Span{{"0 of " + draw.Count(float64(t.Done)), themes.Good, false}}, 2}
	}
	share := float64(failed) / float64(max(t.Done, 1))
	row := figure{"lost", []Span{{draw.Count(float64(failed)) + " (" + draw.Percent(share) + ")", themes.Bad, true}}, 2}
	for _, k := range lossKinds {
		if n := t.ByOutcome[k.client]; n > 0 {
			text := draw.Count(float64(n)) + " " + k.name
			if n == failed {
				text = k.words // the only kind: the number stands before it
			}
			row.vals = append(row.vals, Span{text, themes.Warn, false})
		}
	}
	return row
}

func runRow(s *model.Snapshot) figure {
	done := []Span{{draw.Count(float64(s.Client.Done)) + " done", themes.Text, false}}
	if s.Client.Begun > 0 {
		done = append(done, Span{"of " + draw.Count(float64(s.Client.Begun)) + " sent", themes.Dim, false})
	}
	if !s.Client.Known {
		done[0] = Span{draw.None, themes.Dim, false}
	} else if h := s.Client.How; h != "" && h != "exact" {
		done = append(done, Span{"in flight " + strings.TrimSpace(h), themes.Dim, false})
	}
	return figure{"run", done, 9}
}
