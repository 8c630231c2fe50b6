package panel

import (
	"math"

	"benchtop/model"
	"benchtop/themes"
	"benchtop/ui/draw"
	"benchtop/ui/layout"
)

var tokens = Panel{
	ID: "tokens", Title: "TTFT and TPOT", Key: "i",
	Want:  layout.Want{Steps: []int{3}, Rank: 12, Spare: true, Grow: 1, Most: 12},
	Needs: func(s *model.Snapshot) bool { return s.Latency.TTFT.N > 0 || s.Latency.TPOT.N > 0 },
	Head:  tokensHead,
	Draw:  drawTokens,
}

var cache = Panel{
	ID: "kv", Title: "KV cache", Key: "c",
	Want:  layout.Want{Steps: []int{2}, Rank: 13, Spare: true, Grow: 1, Most: 8},
	Needs: func(s *model.Snapshot) bool { return s.Whole(model.ServerKV) != nil },
	Head:  cacheHead,
	Draw:  drawCache,
}

func tokensHead(f Frame) Head {
	h := Head{Title: "TTFT and TPOT"}
	l := f.View.Figures.Latency
	if at, looking := f.moment(); looking {
		for _, p := range []struct {
			name string
			id   model.SeriesID
		}{{"TTFT", model.ClientTTFT}, {"TPOT", model.ClientTPOT}} {
			if b := f.taken(p.id, at); b.N > 0 {
				h.Notes = append(h.Notes, Span{p.name + " mean " + draw.Latency(b.Mean()), themes.Text, false})
			}
		}
		return h
	}
	if q := l.WindowTTFT; q.N > 0 {
		h.Notes = append(h.Notes, Span{"TTFT p50 " + draw.Latency(q.P50), themes.Text, false}, quantile("p95", q.P95, q.N, model.MinP95))
	}
	if q := l.WindowTPOT; q.N > 0 {
		h.Notes = append(h.Notes, Span{"TPOT p50 " + draw.Latency(q.P50), themes.Text, false}, quantile("p95", q.P95, q.N, model.MinP95))
	}
	if len(h.Notes) > 0 {
		h.Notes = append(h.Notes, Span{"of 30 s; bars: mean", themes.Dim, false})
	} else if l.TTFT.N+l.TPOT.N > 0 {
		h.Notes = []Span{{"none in the last 30 s", themes.Dim, false}}
	} else {
		h.Notes = []Span{{"not told by the client", themes.Dim, false}}
	}
	return h
}

// drawTokens draws the mean TTFT as bars and, where there is room, TPOT under
// it on a scale of its own.
func drawTokens(f Frame) {
	w, h := f.Grid.Size()
	ttft, tpot := f.columns(f.Snap.Whole(model.ClientTTFT), mean), f.columns(f.Snap.Whole(model.ClientTPOT), mean)
	if h < 4 || math.IsNaN(most(tpot)) {
		f.strip(h, "ttft", ttft, niceLatency(most(ttft)), draw.Only(themes.Latency), shortLatency)
		if h > 2 {
			f.gutter(1, themes.Dim, "TTFT")
		}
		f.unmeasured(h, ttft, f.Snap.Whole(model.ClientTTFT), "the client tells no first token")
		return
	}
	upper := (h + 1) / 2
	a, b := f, f
	a.Grid, b.Grid = f.Grid.Sub(0, 0, w, upper), f.Grid.Sub(0, upper, w, h-upper)
	a.strip(upper, "ttft", ttft, niceLatency(most(ttft)), draw.Only(themes.Latency), shortLatency)
	b.strip(h-upper, "tpot", tpot, niceLatency(most(tpot)), draw.Only(themes.Queue), shortLatency)
	if upper > 2 {
		a.gutter(1, themes.Dim, "TTFT")
	}
	if h-upper > 2 {
		b.gutter(1, themes.Dim, "TPOT")
	}
}

// niceLatency is a round top for a scale of seconds.
func niceLatency(v float64) float64 {
	if !(v > 0) {
		return 1
	}
	return draw.NiceTop(v)
}

func cacheHead(f Frame) Head {
	h := Head{Title: "KV cache"}
	vals := f.held(f.Snap.Whole(model.ServerKV), peak)
	v := f.shown(vals, current(f.View.Figures, f.View.Figures.Whole(model.ServerKV)))
	if math.IsNaN(v) && math.IsNaN(most(vals)) {
		h.Notes = []Span{{"not told by the server", themes.Dim, false}}
		return h
	}
	use := Span{draw.Percent(v), themes.Text, false}
	if v >= 0.9 {
		use = Span{"▲ " + use.Text, themes.Warn, true}
	}
	h.Notes = []Span{use}
	if t := f.View.Figures.Whole(model.ServerPreempted); t != nil {
		p := Span{draw.Count(t.Total) + " preempted", themes.Dim, false}
		if t.Total > 0 {
			p.Role = themes.Warn
		}
		h.Notes = append(h.Notes, p)
	}
	return h
}

func drawCache(f Frame) {
	w, h := f.Grid.Size()
	vals := f.held(f.Snap.Whole(model.ServerKV), peak)
	pushed := f.columns(f.Snap.Whole(model.ServerPreempted), sum)
	bars := h
	if h >= 3 && most(pushed) > 0 {
		bars--
	}
	a := f
	a.Grid = f.Grid.Sub(0, 0, w, bars)
	a.strip(bars, "kv", vals, 1, func(i int) themes.Role {
		if vals[i] >= 0.9 {
			return themes.WarnFill
		}
		return themes.ServerFill
	}, func(v float64) string { return draw.Percent(v) })
	a.unmeasured(bars, vals, f.Snap.Whole(model.ServerKV), "the server does not tell its KV cache")
	if bars < h {
		f.plot(h-1, 1).Bars(pushed, max(zero(most(pushed)), 4), draw.Only(themes.Bad))
		f.gutter(h-1, themes.Dim, "preem")
		f.cursorLine(h-1, 1)
	}
}
