package panel

import (
	"math"
	"slices"
	"time"

	"benchtop/model"
	"benchtop/themes"
	"benchtop/ui/draw"
	"benchtop/ui/layout"
)

var throughput = Panel{
	ID: "throughput", Title: "throughput", Key: "r",
	Want: layout.Want{Steps: []int{3}, Rank: 11, Spare: true, Grow: 2, Most: 10},
	Head: throughputHead,
	Draw: drawThroughput,
}

// completions are requests finished a second along the time axis: good ones,
// all of them, and by the server's own count.
func (f Frame) completions() (good, all, server []float64) {
	per := func(id model.SeriesID) []float64 {
		t := f.Snap.Whole(id)
		of := sum
		if id.IsOutcome() {
			of = count
		}
		return f.columns(t, of)
	}
	step := f.View.Step.Seconds()
	good, all = per(model.ClientOK), gaps(f.View.Cols)
	for _, id := range model.Outcomes {
		for i, n := range per(id) {
			if !math.IsNaN(n) {
				all[i] = zero(all[i]) + n
			}
		}
	}
	server = f.spreadOver(per(model.ServerFinished), f.Snap.Whole(model.ServerFinished))
	for _, v := range [][]float64{good, all, server} {
		f.perSecond(v)
	}
	if n := int(2 / step); n > 1 { // a few ends a second are no comb
		for _, v := range [][]float64{good, all, server} {
			trail(v, n)
		}
	}
	return good, all, server
}

// trail replaces each value by the mean of the n up to it, of which those that
// nobody measured count as 0 once one was.
func trail(vals []float64, n int) {
	raw := slices.Clone(vals)
	begun := slices.IndexFunc(raw, func(v float64) bool { return !math.IsNaN(v) })
	end := len(raw)
	for end > 0 && math.IsNaN(raw[end-1]) {
		end--
	}
	for i := max(begun, 0); i < end; i++ {
		from, total := max(i-n+1, begun), 0.0
		for _, v := range raw[from : i+1] {
			total += zero(v)
		}
		vals[i] = total / float64(i+1-from)
	}
}

// spreadOver lays counts that come in steps (a scrape each 5 s) evenly over the
// columns since the one before.
func (f Frame) spreadOver(vals []float64, t *model.Track) []float64 {
	if t == nil || t.Period <= f.View.Step {
		return vals
	}
	return f.evenly(vals, t.Period)
}

// evenly lays what grew in a period over the columns since the one before; what
// is longer ago was a gap.
func (f Frame) evenly(vals []float64, period time.Duration) []float64 {
	most := int(math.Ceil(period.Seconds()/f.View.Step.Seconds())) + 1
	prev := -1
	for i, v := range vals {
		if math.IsNaN(v) {
			continue
		}
		if n := i - prev; n > 1 && n <= most {
			for j := prev + 1; j <= i; j++ {
				vals[j] = v / float64(n)
			}
		}
		prev = i
	}
	return vals
}

// perSecond divides counts by their column's seconds. The newest column is not
// over: what is to come of it counts as the one before did, and a short one
// stands as that until it is.
func (f Frame) perSecond(vals []float64) {
	step := f.View.Step.Seconds()
	newest := f.View.Newest
	for i := range vals {
		if i != newest {
			vals[i] /= step
			continue
		}
		passed := f.Snap.Now.Seconds(f.View.From.Add(time.Duration(i) * f.View.Step))
		switch left := step - passed; {
		case left <= 0:
			vals[i] /= step
		case i > 0 && !math.IsNaN(vals[i-1]) && step <= 2:
			vals[i] = vals[i-1]
		case i > 0 && !math.IsNaN(vals[i-1]):
			vals[i] = (zero(vals[i]) + vals[i-1]*left) / step
		default:
			vals[i] /= max(passed, step/2)
		}
	}
}

func throughputHead(f Frame) Head {
	h := Head{Title: "throughput /s"}
	good, all, server := math.NaN(), math.NaN(), math.NaN()
	if sig := f.View.Figures.Signals; sig != nil {
		good, all, server = sig.Client.XOK, sig.Client.X, sig.Server.X
	}
	if at, looking := f.moment(); looking {
		good, all = f.rate(at, model.ClientOK), f.rate(at, model.Outcomes...)
		if f.Snap.Whole(model.ServerFinished) != nil {
			server = f.rate(at, model.ServerFinished)
		}
	}
	if math.IsNaN(good) && math.IsNaN(server) {
		h.Notes = []Span{{"nobody counts completions yet", themes.Dim, false}}
		return h
	}
	h.Notes = []Span{{"█ good " + draw.Small(good), themes.Good, true}}
	if all > good {
		h.Notes = append(h.Notes, Span{"▒ all " + draw.Small(all), themes.Warn, false})
	}
	if server > 0 {
		h.Notes = append(h.Notes, Span{"── server " + draw.Small(server), themes.Server, false})
	}
	if _, looking := f.moment(); !looking && ofWholeRun(f) {
		h.Notes = append(h.Notes, Span{"whole run", themes.Dim, false})
	}
	return h
}

func drawThroughput(f Frame) {
	_, h := f.Grid.Size()
	good, all, server := f.completions()
	top := draw.NiceTop(max(zero(most(all)), zero(most(good)), zero(most(server)), 1))
	for y := range h {
		f.Grid.Put(f.View.Left-1, y, '│', themes.Faint)
	}
	p := f.plot(0, h)
	for i := range good {
		l := []draw.Layer{{Top: zero(good[i]) / top, Role: themes.Batch}}
		if all[i] > zero(good[i]) {
			l = append(l, draw.Layer{Top: all[i] / top, Role: themes.WarnFill})
		}
		p.Column(i, l...)
	}
	p.Braille(server, top, f.View.Cols, themes.Server)
	f.gutter(0, themes.Dim, draw.Count(top))
	if h == 1 && !f.View.Framed {
		f.gutter(0, themes.Dim, "good/s")
		f.beside(0, draw.Small(f.looked(good)))
	}
	if h > 1 {
		f.gutter(h-1, themes.Dim, "0")
	}
	if v := f.looked(good); f.View.Right >= 10 && !math.IsNaN(v) {
		f.beside(draw.RowOf(v/top, h), draw.Small(v)+" good")
	}
	if math.IsNaN(most(all)) {
		f.unmeasured(h, server, f.Snap.Whole(model.ServerFinished), "no stream or counter tells when requests end")
	}
	f.cursorLine(0, h)
}
