package panel

import (
	"math"
	"strings"

	"benchtop/model"
	"benchtop/themes"
	"benchtop/ui/draw"
	"benchtop/ui/layout"
)

var batch = Panel{
	ID: "batch", Title: "batch size", Key: "2",
	Want:  layout.Want{Steps: []int{3, 2, 1}, Narrow: []int{3, 2, 1}, Rank: 3, Grow: 3, Most: 8},
	Blank: func(s *model.Snapshot) bool { return s.Whole(model.ServerBatch) == nil },
	Head:  batchHead,
	Draw:  drawBatch,
}

var queue = Panel{
	ID: "queue", Title: "queue length", Key: "3",
	Want:  layout.Want{Steps: []int{3, 2, 1}, Narrow: []int{3, 2, 1}, Rank: 5, Grow: 3, Most: 8},
	Blank: func(s *model.Snapshot) bool { return s.Whole(model.ServerWaiting) == nil },
	Head:  queueHead,
	Draw:  drawQueue,
}

func (f Frame) batches() []float64 { return f.held(f.Snap.Whole(model.ServerBatch), mean) }

func (f Frame) queues() []float64 { return f.held(f.Snap.Whole(model.ServerWaiting), peak) }

// maxBatch is the configured max batch, by whoever said it.
func (f Frame) maxBatch() float64 {
	b := math.NaN()
	if sig := f.View.Figures.Signals; sig != nil && sig.Server.KnowB {
		b = sig.Server.B
	}
	return first(b, f.Snap.Run.Configured("max_batch"))
}

// small reports a batch that stays small though work waits for it.
func small(batch, waiting, limit, thin float64) bool {
	return waiting >= 1 && (batch <= thin || batch < limit/2)
}

// thin is the mean batch size up to which nothing is batched.
func (f Frame) thin() float64 {
	if t := f.Snap.Run.Thresholds.BatchOne; t > 0 {
		return t
	}
	return model.DefaultThresholds().BatchOne
}

func batchHead(f Frame) Head {
	h := Head{Title: "batch size"}
	now := math.NaN()
	if sig := f.View.Figures.Signals; sig != nil {
		now = sig.Server.Batch
	}
	v := f.shown(f.batches(), first(now, current(f.View.Figures, f.View.Figures.Whole(model.ServerBatch))))
	if math.IsNaN(v) && f.Snap.Whole(model.ServerBatch) == nil {
		h.Notes = []Span{{"no batch lines yet", themes.Dim, false}}
		return h
	}
	mean := Span{"mean " + draw.Small(v), themes.Text, false}
	if small(v, f.shown(f.queues(), current(f.View.Figures, f.View.Figures.Whole(model.ServerWaiting))), f.maxBatch(), f.thin()) {
		mean = Span{"▲ mean " + draw.Small(v), themes.Warn, true}
	}
	h.Notes = []Span{mean}
	if b := f.maxBatch(); !math.IsNaN(b) {
		h.Notes = append(h.Notes, Span{"of max " + draw.Count(b), themes.Target, false})
	}
	return h
}

func drawBatch(f Frame) {
	_, h := f.Grid.Size()
	vals := f.batches()
	limit := f.maxBatch()
	top := limit
	if m := most(vals); math.IsNaN(top) || m > top {
		top = draw.NiceTop(zero(m))
	}
	waiting := f.queues()
	thin := f.thin()
	f.strip(h, "batch", vals, top, func(i int) themes.Role {
		if small(vals[i], waiting[i], limit, thin) {
			return themes.WarnFill
		}
		return themes.Batch
	}, draw.Small)
	f.unmeasured(h, vals, f.Snap.Whole(model.ServerBatch), f.mute("no line or metric tells a batch size yet"))
	if !math.IsNaN(limit) && h > 1 {
		y := draw.RowOf(limit/top, h)
		f.plot(0, h).Threshold(y, themes.Target)
		f.gutter(y, themes.Target, "max "+draw.Count(limit))
	}
}

// longQueue is from how many waiting requests on a queue deserves a look: a
// server that keeps up has now and then one, or a few beside a big batch.
func (f Frame) longQueue() float64 {
	if b := f.maxBatch(); b > 0 {
		return max(2, 0.06*b)
	}
	return 2
}

func queueHead(f Frame) Head {
	vals := f.queues()
	h := Head{Title: "queue length"}
	v := f.shown(vals, current(f.View.Figures, f.View.Figures.Whole(model.ServerWaiting)))
	if math.IsNaN(v) && math.IsNaN(most(vals)) {
		h.Notes = []Span{{"not told by the server", themes.Dim, false}}
		return h
	}
	waits := Span{draw.Count(math.Round(v)) + " waiting", themes.Text, false}
	if v >= f.longQueue() {
		waits = Span{"▲ " + waits.Text, themes.Warn, true}
	}
	h.Notes = []Span{waits}
	if word, grows := f.trend(vals); word != "" {
		p := Span{word, themes.Dim, false}
		if grows {
			p.Role = themes.Warn
		}
		h.Notes = append(h.Notes, p)
	}
	h.Notes = append(h.Notes, Span{"peak " + draw.Count(most(vals)), themes.Dim, false})
	if sig := f.View.Figures.Signals; sig != nil && sig.Server.BatchWait > 0 {
		h.Notes = append(h.Notes, Span{"wait " + draw.Latency(sig.Server.BatchWait), themes.Dim, false})
	}
	return h
}

// trendS is over how many seconds a trend is told.
const trendS = 60

// trend words where a queue goes, by the straight line through its last minute
// up to now or to the cursor: nothing where there is too little to tell. A line
// counts that rises or falls by more than the values scatter around it.
func (f Frame) trend(vals []float64) (word string, grows bool) {
	end := f.View.Newest
	if f.View.Cursor >= 0 {
		end = f.View.Cursor
	}
	step := f.View.Step.Seconds()
	var n, sx, sy, sxx, sxy, syy float64
	for i := max(0, end-int(trendS/step)+1); i <= end && i < len(vals); i++ {
		if x, y := float64(i-end)*step, vals[i]; !math.IsNaN(y) {
			n, sx, sy, sxx, sxy, syy = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y, syy+y*y
		}
	}
	if n < 8 || n*step < trendS/2 {
		return "", false
	}
	dx, dy, dxy := sxx-sx*sx/n, syy-sy*sy/n, sxy-sx*sy/n
	slope := dxy / dx
	if moved := math.Abs(slope) * n * step; moved < max(2, sy/n/4) || dxy*dxy < 0.6*dx*dy {
		return "steady", false
	}
	if slope > 0 {
		return "↑ " + draw.Small(slope) + "/s", true
	}
	return "↓ " + draw.Small(-slope) + "/s", false
}

func drawQueue(f Frame) {
	_, h := f.Grid.Size()
	vals := f.queues()
	limit := f.longQueue()
	f.strip(h, "queue", vals, draw.NiceTop(max(zero(most(vals)), 4)), func(i int) themes.Role {
		if vals[i] >= limit {
			return themes.WarnFill
		}
		return themes.Queue
	}, draw.Count)
	f.unmeasured(h, vals, f.Snap.Whole(model.ServerWaiting), f.mute("the server does not tell who waits"))
}

// strip draws bars with a scale at the left; one row has its name there.
func (f Frame) strip(h int, name string, vals []float64, top float64, role func(int) themes.Role, word func(float64) string) {
	p := f.plot(0, h)
	for y := range h {
		f.Grid.Put(f.View.Left-1, y, '│', themes.Faint)
	}
	p.Bars(vals, top, role)
	for i, v := range vals {
		if !math.IsNaN(v) && p.Cell(i, h-1).Rune == ' ' {
			p.Put(i, h-1, '▁', themes.Faint) // a measured 0 is not a gap
		}
	}
	if v := f.looked(vals); f.View.Right >= 10 && !math.IsNaN(v) {
		f.beside(draw.RowOf(v/top, h), word(v))
	}
	switch {
	case h == 1 && !f.View.Framed:
		f.gutter(0, themes.Dim, name)
		f.beside(0, word(f.looked(vals)))
	case h == 1:
		f.gutter(0, themes.Dim, strings.TrimSuffix(word(top), ".0"))
	default:
		f.gutter(0, themes.Dim, strings.TrimSuffix(word(top), ".0"))
		f.gutter(h-1, themes.Dim, "0")
	}
	f.cursorLine(0, h)
}

// unmeasured says in an empty plot why it is: that nobody ever told the track,
// or that nobody did in these minutes.
func (f Frame) unmeasured(h int, vals []float64, t *model.Track, why string) {
	if h < 2 && !f.View.Framed || !math.IsNaN(most(vals)) {
		return
	}
	if h == 1 { // the scale says nothing
		f.gutter(0, themes.Dim, draw.None)
	}
	if t != nil {
		why = "nothing told in this window"
	}
	f.Grid.WriteFit(f.View.Left+1, (h-1)/2, f.View.Cols-1, themes.Dim, why)
}

// mute is why a server's figure is missing: why, where there is a server.
func (f Frame) mute(why string) string {
	if sig := f.View.Figures.Signals; sig == nil || !sig.Server.Known {
		return "no log or endpoint of a server yet (--log, --metrics)"
	}
	return why
}

// beside writes a value at the right of a chart, where there is room for it.
func (f Frame) beside(y int, s string) { f.besideIn(y, themes.Text, s) }

func (f Frame) besideIn(y int, role themes.Role, s string) {
	x := f.View.Left + f.View.Cols
	w, _ := f.Grid.Size()
	if w-x > draw.Width(s) {
		f.Grid.Write(x+1, y, role, s)
	}
}
