package panel

import (
	"fmt"
	"math"
	"time"

	"benchtop/model"
	"benchtop/themes"
	"benchtop/ui/draw"
	"benchtop/ui/layout"
)

var latency = Panel{
	ID: "latency", Title: "latency", Key: "5",
	Want:  layout.Want{Steps: []int{5}, Narrow: []int{5}, Rank: 7, Spare: true, Grow: 5, Most: 14},
	Blank: func(s *model.Snapshot) bool { return s.Latency.All.N == 0 },
	Head:  latencyHead,
	Draw:  drawLatency,
}

// latencyCells counts latencies along the time axis.
func (f Frame) latencyCells() [][model.LatencyBinCount]float64 {
	out := make([][model.LatencyBinCount]float64, f.View.Cols)
	tier := &f.Snap.Latency.Map
	begins := model.Instant(tier.First) * model.Instant(tier.Step)
	if f.View.Step >= 10*time.Second || begins.Sub(max(f.View.From, f.Snap.Start)) > model.ChunkLen*time.Second {
		tier = &f.Snap.Latency.Coarse
	}
	if tier.Step == 0 {
		return out
	}
	for i := range out {
		from := f.View.From.Add(time.Duration(i) * f.View.Step)
		lo := int64(from) / int64(tier.Step)
		hi := int64(from.Add(f.View.Step)) / int64(tier.Step)
		if f.View.Step < tier.Step {
			hi = lo + 1 // several columns show the same second
		}
		for n := lo; n < hi; n++ {
			if b := tier.At(n); b != nil {
				for k, c := range b {
					out[i][k] += float64(c)
				}
			}
		}
	}
	return out
}

// leastBins is how many bins a latency map shows at least: a decade and a half.
const leastBins = model.LatencyBinsPerDecade * 3 / 2

// latencyRange is the bins worth showing on a map with room for need of them:
// what there is and a little around it, each bin as many times as it fits.
func latencyRange(cells [][model.LatencyBinCount]float64, need, limit int) (lo, hi int) {
	lo, hi = model.LatencyBinCount, -1
	for _, col := range cells {
		for k, c := range col {
			if c > 0 {
				lo, hi = min(lo, k), max(hi, k)
			}
		}
	}
	if hi < 0 {
		return 8, min(8+need, model.LatencyBinCount)
	}
	hi++
	if limit >= hi && limit < hi+model.LatencyBinsPerDecade {
		hi = limit + 1 // the timeout: near enough to be worth seeing
	}
	lo -= lo % 2
	if times := need / max(hi-lo+2, leastBins); times > 1 {
		need = (need + times - 1) / times
	}
	for hi-lo < need {
		if hi < model.LatencyBinCount {
			hi++
		}
		if hi-lo < need && lo >= 2 {
			lo -= 2
		}
		if lo < 2 && hi == model.LatencyBinCount {
			break
		}
	}
	return lo, hi
}

func latencyHead(f Frame) Head {
	h := Head{Title: "latency"}
	l := f.View.Figures.Latency
	if l.WindowAll.N == 0 && l.All.N == 0 {
		h.Notes = []Span{{"no finished requests yet", themes.Dim, false}}
		return h
	}
	if limit := f.timeoutS(); !math.IsNaN(limit) {
		h.Notes = append(h.Notes, Span{"┄ timeout " + draw.Latency(limit), themes.Target, false})
	}
	if w, _ := f.Grid.Size(); w < wideHead {
		h.Notes = append(h.Notes, Span{"requests by end-to-end time, log scale", themes.Dim, false})
		return h
	}
	h.Notes = append(h.Notes, f.percentiles()...)
	return h
}

// wideHead is the width from which the latency's title has room for every
// percentile.
const wideHead = 110

// percentiles are those of the good requests of the last 30 s, or of all up to
// the cursor; one with too few samples is bracketed.
func (f Frame) percentiles() []Span {
	l := f.View.Figures.Latency
	if at, looking := f.moment(); looking {
		q := f.binQuantiles(at)
		return []Span{
			{"p50 ≈" + draw.Latency(q.P50), themes.Text, false},
			quantile("p95", q.P95, q.N, model.MinP95),
			quantile("p99", q.P99, q.N, model.MinP99),
			{"n " + draw.Count(float64(q.N)) + " all", themes.Dim, false},
		}
	}
	q, whose := l.WindowOK, "good"
	if q.N == 0 {
		q, whose = l.WindowAll, "all"
	}
	return []Span{
		{"p50 " + draw.Latency(q.P50), themes.Text, false},
		quantile("p90", q.P90, q.N, model.MinP90), quantile("p95", q.P95, q.N, model.MinP95),
		quantile("p99", q.P99, q.N, model.MinP99), quantile("p99.9", q.P999, q.N, model.MinP999),
		{"n " + draw.Count(float64(q.N)) + " " + whose + ", 30 s", themes.Dim, false},
	}
}

// timeoutS is the client's request timeout in seconds, configured or seen.
func (f Frame) timeoutS() float64 {
	t := math.NaN()
	if sig := f.View.Figures.Signals; sig != nil {
		t = sig.Client.Timeout
	}
	return first(t, f.Snap.Run.Configured("client_timeout_s"))
}

// latencyScale lays n bins from lo on over h rows of two halves each: several
// bins to a half, or several halves to a bin.
type latencyScale struct{ lo, n, h int }

// floor is the first bin of a half, counted from the bottom.
func (s latencyScale) floor(half int) int { return s.lo + half*s.n/(2*s.h) }

// half is the bins of a half.
func (s latencyScale) half(half int) (from, to int) {
	from = s.floor(half)
	return from, max(s.floor(half+1), from+1)
}

// row is the bins of row y, counted from the top.
func (s latencyScale) row(y int) (from, to int) {
	from, _ = s.half(2 * (s.h - 1 - y))
	_, to = s.half(2*(s.h-1-y) + 1)
	return from, to
}

// begins reports whether the lower edge of a bin lies in row y.
func (s latencyScale) begins(bin, y int) bool {
	low := 2 * (s.h - 1 - y)
	return s.floor(low+1) >= bin && s.floor(low) <= bin && (low == 0 || s.floor(low-1) < bin)
}

func drawLatency(f Frame) {
	_, h := f.Grid.Size()
	cells := f.latencyCells()
	limit := -1
	if s := f.timeoutS(); s > 0 {
		limit = model.LatencyBin(s)
	}
	lo, hi := latencyRange(cells, 2*h, limit)
	scale := latencyScale{lo, hi - lo, h}
	brightest := 0.0
	at := func(col, half int) float64 {
		most := 0.0
		for k, to := scale.half(half); k < to; k++ {
			most = max(most, cells[col][k])
		}
		brightest = max(brightest, most)
		return most
	}
	for c := range cells {
		for b := range 2 * h {
			at(c, b)
		}
	}
	if brightest > 0 { // in doublings, so that one busy second does not repaint the whole map
		brightest = math.Exp2(math.Ceil(math.Log2(brightest)))
	}
	p := f.plot(0, h)
	p.Heat(len(cells), 2*h, brightest, at)
	for y := range h {
		from, to := scale.row(y)
		f.Grid.Put(f.View.Left-1, y, '│', themes.Faint)
		round := (from + 7) &^ 7 // a whole decade, or else half of one
		if round >= to {
			round = (from + 3) &^ 3
		}
		if round < to && scale.begins(round, y) {
			f.gutter(y, themes.Dim, shortLatency(model.LatencyBinFloor(round)))
			f.Grid.Put(f.View.Left-1, y, '┤', themes.Faint)
		}
		if limit >= from && limit < to && scale.begins(limit, y) {
			f.timeoutLine(p, y)
		}
	}
	if f.Snap.Latency.All.N == 0 {
		why := "no request has ended yet"
		if !f.Snap.Client.Known {
			why = "no load stream tells requests (--load)"
		}
		f.Grid.WriteFit(f.View.Left+1, (h-1)/2, f.View.Cols-1, themes.Dim, why)
	}
	f.histogram(cells, h, scale.row)
	f.cursorLine(0, h)
}

// timeoutLine marks the row of the client's timeout where nothing else is.
func (f Frame) timeoutLine(p *draw.Grid, y int) {
	for x := range f.View.Cols {
		if c := p.Cell(x, y); c.Rune == ' ' && c.Look.Bg == themes.Background {
			p.Put(x, y, '┄', themes.Target)
		}
	}
}

// histogram draws how many requests fell into each row, at the right of the
// map and on its axis, where there is room.
func (f Frame) histogram(cells [][model.LatencyBinCount]float64, h int, bins func(y int) (from, to int)) {
	room := f.View.Right - 2
	if room < 6 {
		return
	}
	rows := make([]float64, h)
	for y := range rows {
		from, to := bins(y)
		for _, col := range cells {
			for k := from; k < to; k++ {
				rows[y] += col[k]
			}
		}
	}
	f.Grid.Sub(f.View.Left+f.View.Cols+1, 0, room, h).Rows(rows, most(rows), themes.Latency)
}

// shortLatency is a latency in at most six characters.
func shortLatency(sec float64) string {
	switch {
	case sec < 0.0095:
		return fmt.Sprintf("%.1fms", sec*1e3)
	case sec < 0.95:
		return fmt.Sprintf("%.0fms", sec*1e3)
	case sec < 9.5:
		return fmt.Sprintf("%.1fs", sec)
	case sec < 99.5:
		return fmt.Sprintf("%.0fs", sec)
	}
	return draw.Age(math.Round(sec/60) * 60)
}
