package panel

import (
	"math"

	"benchtop/model"
	"benchtop/themes"
	"benchtop/ui/draw"
	"benchtop/ui/layout"
)

var wait = Panel{
	ID: "wait", Title: "batch wait", Key: "b",
	Want: layout.Want{Steps: []int{3}, Rank: 10, Spare: true, Grow: 1, Most: 6},
	Needs: func(s *model.Snapshot) bool {
		return s.Whole(model.ServerBatchWait) != nil || s.Whole(model.ServerQueueTime) != nil
	},
	Head: waitHead,
	Draw: drawWait,
}

// waits is how long batches, or else requests, waited before they were
// executed, as the server tells it.
func (f Frame) waits() []float64 {
	if t := f.Snap.Whole(model.ServerBatchWait); t != nil {
		return f.held(t, mean)
	}
	return f.held(f.Snap.Whole(model.ServerQueueTime), mean)
}

// waitLimit is the configured longest batch wait in seconds, NaN if nobody
// said.
func (f Frame) waitLimit() float64 {
	if sig := f.View.Figures.Signals; sig != nil {
		return first(sig.Server.BatchWaitLimit, f.Snap.Run.Configured("batch_wait_s"))
	}
	return f.Snap.Run.Configured("batch_wait_s")
}

func waitHead(f Frame) Head {
	h := Head{Title: "batch wait"}
	now, p95 := math.NaN(), math.NaN()
	if sig := f.View.Figures.Signals; sig != nil {
		now, p95 = sig.Server.BatchWait, sig.Server.BatchWaitP95
	}
	if f.Snap.Whole(model.ServerBatchWait) == nil {
		h.Title, now, p95 = "queue time", current(f.View.Figures, f.View.Figures.Whole(model.ServerQueueTime)), math.NaN()
	}
	v := f.shown(f.waits(), now)
	h.Notes = []Span{{"mean " + draw.Latency(v), themes.Text, false}}
	limit := f.waitLimit()
	if v >= 0.9*limit {
		h.Notes[0] = Span{"▲ " + h.Notes[0].Text, themes.Warn, true}
	}
	if !math.IsNaN(p95) && f.View.Cursor < 0 {
		h.Notes = append(h.Notes, Span{"p95 " + draw.Latency(p95), themes.Dim, false})
	}
	if !math.IsNaN(limit) {
		h.Notes = append(h.Notes, Span{"┄ limit " + draw.Latency(limit), themes.Target, false})
	}
	return h
}

func drawWait(f Frame) {
	_, h := f.Grid.Size()
	vals, limit := f.waits(), f.waitLimit()
	top := niceLatency(max(zero(most(vals)), zero(limit)))
	f.strip(h, "wait", vals, top, func(i int) themes.Role {
		if vals[i] >= 0.9*limit {
			return themes.WarnFill
		}
		return themes.Queue
	}, shortLatency)
	t := f.Snap.Whole(model.ServerBatchWait)
	if t == nil {
		t = f.Snap.Whole(model.ServerQueueTime)
	}
	f.unmeasured(h, vals, t, "the server tells neither how long batches wait nor requests")
	if h > 1 && limit > 0 {
		f.plot(0, h).Threshold(draw.RowOf(limit/top, h), themes.Target)
	}
}
