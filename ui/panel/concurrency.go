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

var concurrency = Panel{
	ID: "concurrency", Title: "concurrency", Key: "1",
	Want: layout.Want{Steps: []int{13, 11, 8, 5}, Narrow: []int{14, 11, 8, 6, 5}, Rank: 2, Grow: 12},
	Head: concurrencyHead,
	Draw: drawConcurrency,
}

// sides is both sides' view of the load along the time axis.
type sides struct {
	client, running, waiting, gap []float64
	settled                       int // columns up to here are exact on the client's side
	target                        float64
	top                           float64
	row                           func(v float64, rows int) int // where a value lies
}

func (f Frame) sides() sides {
	var s sides
	if t := f.Snap.Whole(model.ClientInFlight); t != nil {
		s.client = f.columns(t, mean)
	} else {
		s.client = f.held(f.Snap.Whole(model.ClientGaugeInFlight), mean)
	}
	s.running = f.held(admitted(f.Snap), mean)
	s.waiting = f.held(f.Snap.Whole(model.ServerWaiting), mean)
	s.settled = f.View.Cols
	if sig := f.Snap.Signals; sig != nil && sig.Client.Horizon > 0 {
		s.settled = int(math.Ceil(float64(sig.Client.Horizon-f.View.From) / float64(f.View.Step)))
	}
	s.gap = gaps(f.View.Cols)
	for i := range s.gap {
		at := s.running[i] + zero(s.waiting[i])
		if i < s.settled && !math.IsNaN(at) && !math.IsNaN(s.client[i]) {
			s.gap[i] = s.client[i] - at
		}
	}
	s.target = first(f.Snap.Run.Configured("target_concurrency"), last(f.Snap.Whole(model.ClientTarget)))
	stacked := 0.0
	for i := range s.running {
		stacked = max(stacked, zero(s.running[i])+zero(s.waiting[i]))
	}
	s.top = draw.NiceTop(max(zero(most(s.client)), stacked, zero(s.target), 3.5) * 1.12)
	s.row = func(v float64, rows int) int { return draw.RowOf(v/s.top, rows) }
	return s
}

// admitted is what the server has in its batch: what runs, or of a server that
// only tells its batches, those.
func admitted(s *model.Snapshot) *model.Track {
	if t := s.Whole(model.ServerRunning); t != nil {
		return t
	}
	return s.Whole(model.ServerBatch)
}

func concurrencyHead(f Frame) Head {
	v := f.View
	h := Head{Title: "concurrency"}
	if at, looking := f.moment(); looking {
		h.Notes = append(h.Notes, Span{"cursor " + f.ago(at), themes.Text, true})
	}
	h.Notes = append(h.Notes, Span{"window " + draw.Age((time.Duration(v.Cols) * v.Step).Seconds()), themes.Dim, false},
		Span{draw.Span(v.Step) + "/column", themes.Dim, false})
	return h
}

// rows divides the panel's height: legend, plot, loss rows, time axis.
func concurrencyRows(h int, framed, full bool) (legend, plot, losses, axis int) {
	switch {
	case h >= 13 && !full: // there is more below, and the foot of the column is far
		legend, losses, axis = 1, 2, 1
	case h >= 11:
		legend, losses = 1, 2
	case h >= 6:
		legend, losses = 1, 1
	case h >= 4:
		losses = 1
		if !framed {
			legend = 1
		}
	}
	return legend, max(h-legend-losses-axis, 1), losses, axis
}

func drawConcurrency(f Frame) {
	_, h := f.Grid.Size()
	legend, rows, losses, axis := concurrencyRows(h, f.View.Framed, f.View.Full)
	s := f.sides()
	asLines := f.View.Lines && rows >= 4
	if legend > 0 {
		f.legend(s, asLines)
	}
	if asLines {
		s.row = func(v float64, rows int) int { return rows - 1 - int(math.Round(v/s.top*float64(rows-1))) }
	}
	ticks := draw.Ticks(s.top, max(rows/2, 1))
	if len(ticks) == 1 {
		ticks = append(ticks, s.top)
	}
	f.yAxis(legend, rows, ticks, s.row)
	p := f.plot(legend, rows)
	if asLines {
		f.lines(p, s)
	} else {
		f.areas(p, s)
	}
	f.levels(legend, rows, s)
	f.losses(legend+rows, losses)
	if axis > 0 {
		f.timeAxis(h - 1)
	}
	f.cursorLine(legend, rows+losses)
	if f.View.Cursor < 0 {
		f.gapLabel(p, s)
	}
}

func (f Frame) areas(p *draw.Grid, s sides) {
	for i := range s.running {
		var l []draw.Layer
		at := zero(s.running[i])
		l = append(l, draw.Layer{Top: at / s.top, Role: themes.ServerFill})
		if w := zero(s.waiting[i]); w > 0 {
			at += w
			l = append(l, draw.Layer{Top: at / s.top, Role: themes.WaitingFill})
		}
		if s.gap[i] >= 0.5 {
			l = append(l, draw.Layer{Top: s.client[i] / s.top, Role: themes.Gap, Tint: true})
		}
		p.Column(i, l...)
	}
	f.targetLine(p, s)
	p.Braille(s.client, s.top, s.settled, themes.Client)
}

func (f Frame) targetLine(p *draw.Grid, s sides) {
	if _, rows := p.Size(); s.target > 0 {
		p.Threshold(s.row(s.target, rows), themes.Target)
	}
}

// lines is the other style: the client's line over two tints, the server's
// running and, where requests wait, running with waiting. What is not final yet
// is dashed.
func (f Frame) lines(p *draw.Grid, s sides) {
	_, rows := p.Size()
	at := make([]float64, len(s.running))
	for i := range at {
		at[i] = s.running[i] + zero(s.waiting[i])
		low, high := s.row(zero(at[i]), rows), s.row(zero(s.client[i]), rows)
		if !p.Glyphs.Tints {
			continue
		}
		if !math.IsNaN(at[i]) {
			p.Tint(i, low+1, 1, rows, themes.ServerTint)
		}
		if s.gap[i] >= 0.5 {
			p.Tint(i, high+1, 1, low-high, themes.Gap)
		}
	}
	f.targetLine(p, s)
	client := func(i int) themes.Role {
		if i >= s.settled {
			return themes.Dim
		}
		return themes.Client
	}
	_ = p.Line(s.client, 0, s.top, client) // no line, no harm: the tints stay
	for x := max(s.settled, 0); x < f.View.Cols; x++ {
		for y := range rows {
			if p.Cell(x, y).Rune == '─' {
				p.Put(x, y, '╌', themes.Dim)
			}
		}
	}
	if most(s.waiting) > 0 {
		_ = p.Line(at, 0, s.top, draw.Only(themes.Text))
	}
	_ = p.Line(s.running, 0, s.top, draw.Only(themes.Server))
}

// levels writes the newest values at their heights, at the right of the plot.
func (f Frame) levels(y, rows int, s sides) {
	if f.View.Right < 10 {
		return
	}
	g := f.Grid.Sub(f.View.Left+f.View.Cols+1, y, f.View.Right-2, rows)
	client, running := f.looked(s.client), f.looked(s.running)
	used := -1
	if !math.IsNaN(client) {
		used = s.row(client, rows)
		g.Write(0, used, themes.Client, draw.Count(math.Round(client))+" client")
	}
	if !math.IsNaN(running) {
		row := s.row(running, rows)
		if row == used {
			row++
		}
		g.Write(0, row, themes.Server, draw.Count(math.Round(running))+" running")
	}
}

// gapLabel names the widest gap where it is.
func (f Frame) gapLabel(p *draw.Grid, s sides) {
	best, from, to := 0.0, 0, 0
	for i := 0; i < len(s.gap); i++ {
		if !(s.gap[i] >= max(3, 0.2*s.client[i])) {
			continue
		}
		j, area := i, 0.0
		for j < len(s.gap) && s.gap[j] >= max(3, 0.2*s.client[j]) {
			area += s.gap[j]
			j++
		}
		if area > best {
			best, from, to = area, i, j
		}
		i = j
	}
	if best == 0 {
		return
	}
	// The longest part of that stretch in which the gap is about as wide.
	widest := most(s.gap[from:to])
	var run, end int
	for i, n := from, 0; i < to; i++ {
		if n++; s.gap[i] < 0.6*widest {
			n = 0
		}
		if n > run {
			run, end = n, i+1
		}
	}
	from, to = end-run, end
	total := 0.0
	for _, n := range s.gap[from:to] {
		total += n
	}
	number := draw.Count(math.Round(total / float64(run)))
	for _, text := range [][]string{
		{number + " not at the server"}, {number + " not at", "the server"}, {number, "not at the", "server"}, {number, "not at", "the", "server"}, {number},
	} {
		if f.label(p, s, from, to, text) {
			return
		}
	}
}

// label writes lines in the middle of the gap between two columns, if there is
// room.
func (f Frame) label(p *draw.Grid, s sides, from, to int, text []string) bool {
	w, rows := 0, 0
	_, rows = p.Size()
	for _, t := range text {
		w = max(w, len(t))
	}
	if w > to-from {
		return false
	}
	x := from + (to-from-w)/2
	mid := (s.running[x] + zero(s.waiting[x]) + s.client[x]) / 2
	y := s.row(mid, rows) - len(text)/2
	for i := range text {
		if y+i < 0 || y+i >= rows || !clear(p, x, y+i, w) {
			return false
		}
	}
	for i, t := range text {
		p.WriteBold(x+(w-len(t))/2, y+i, themes.GapText, t)
	}
	return true
}

// clear reports whether n cells hold nothing that words would hide.
func clear(g *draw.Grid, x, y, n int) bool {
	for i := x; i < x+n; i++ {
		if r := g.Cell(i, y).Rune; r != ' ' && r != '·' && r != '░' && r != '┄' {
			return false
		}
	}
	return true
}

// legend names what is drawn, with the values now or at the cursor.
func (f Frame) legend(s sides, asLines bool) {
	w, _ := f.Grid.Size()
	fig := f.View.Figures
	client := f.shown(s.client, f.looked(s.client))
	if sig := fig.Signals; sig != nil && f.View.Cursor < 0 {
		client = first(sig.Client.InFlightNow, client)
	}
	running := f.shown(s.running, current(fig, admitted(fig)))
	waiting := f.shown(s.waiting, current(fig, fig.Whole(model.ServerWaiting)))
	var pieces []Span
	if fig.Whole(model.ClientInFlight) == nil && math.IsNaN(client) {
		pieces = append(pieces, Span{"no client stream yet", themes.Dim, false})
	} else {
		pieces = append(pieces, Span{"── client in flight " + draw.Count(math.Round(client)), themes.Client, false})
	}
	if admitted(f.Snap) == nil {
		pieces = append(pieces, Span{"no server figures yet", themes.Dim, false})
	} else {
		sign := "█"
		if asLines {
			sign = "──"
		}
		what := " server running "
		if fig.Whole(model.ServerRunning) == nil {
			what = " server batch "
		}
		pieces = append(pieces, Span{sign + what + draw.Count(math.Round(running)), themes.Server, false})
	}
	if gap := client - running - zero(waiting); gap >= 0.5 && client > 0 {
		pieces = append(pieces, Span{fmt.Sprintf("░ gap %s (%s)", draw.Count(math.Round(gap)), draw.Percent(gap/client)), themes.GapText, false})
	}
	if !math.IsNaN(waiting) {
		p := Span{"▒ waiting " + draw.Count(math.Round(waiting)), themes.Text, false}
		if asLines {
			p = Span{"── with waiting " + draw.Count(math.Round(running+waiting)), themes.Text, false}
		}
		pieces = append(pieces, p)
	}
	if !math.IsNaN(s.target) {
		pieces = append(pieces, Span{"┄ target " + draw.Count(s.target), themes.Target, false})
	}
	if fit(pieces) > w-f.View.Left {
		for i := range pieces {
			pieces[i].Text = shorten(pieces[i].Text)
		}
	}
	spans(f.Grid, f.View.Left, 0, w-f.View.Left, pieces)
	f.swatches()
}

// swatches makes the legend's signs look like what they stand for.
func (f Frame) swatches() {
	if f.Grid.Glyphs.Mono {
		return
	}
	w, _ := f.Grid.Size()
	for x := f.View.Left; x < w; x++ {
		switch c := f.Grid.Cell(x, 0); c.Rune {
		case '█':
			f.Grid.Put(x, 0, '█', themes.ServerFill)
		case '▒':
			f.Grid.Put(x, 0, '█', themes.WaitingFill)
		case '░':
			if f.Grid.Glyphs.Tints {
				f.Grid.Put(x, 0, '█', themes.Gap)
			}
		}
	}
}
