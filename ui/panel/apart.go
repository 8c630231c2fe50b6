package panel

import (
	"math"
	"strconv"

	"benchtop/model"
	"benchtop/themes"
	"benchtop/ui/draw"
	"benchtop/ui/layout"
)

var members = Panel{
	ID: "apart", Title: "each apart", Key: "a",
	Want:  layout.Want{Steps: []int{6, 4}, Rank: 16, Spare: true, Grow: 2, Most: 24},
	Needs: func(s *model.Snapshot) bool { return len(clientsApart(s)) > 1 || len(serversApart(s)) > 1 },
	Head:  apartHead,
	Draw:  drawApart,
}

// member is one load generator, or one engine of a server, that is part of a
// sum on the other panels.
type member struct {
	name    string
	track   *model.Track // in flight at the client, running (or the batch) at the server
	waiting *model.Track // at the server; nil where nobody tells
	client  bool
}

// clientsApart are the load streams that tell what they have in flight, in the
// order in which they were given.
func clientsApart(s *model.Snapshot) []member {
	var out []member
	for _, src := range s.Sources {
		if src.Kind != model.KindLoad {
			continue
		}
		t := s.Track(model.ClientInFlight, src.ID, 0)
		if t == nil {
			t = s.Track(model.ClientGaugeInFlight, src.ID, 0)
		}
		if t != nil {
			out = append(out, member{name: named(src), track: t, client: true})
		}
	}
	return out
}

// serversApart are the engines of every source that tells what runs. A log and
// an endpoint of one server are both here: that is where they are compared.
func serversApart(s *model.Snapshot) []member {
	of := s.Of(model.ServerRunning)
	if len(of) == 0 {
		of = s.Of(model.ServerBatch)
	}
	out := make([]member, 0, len(of))
	for i := range of {
		t := &of[i]
		name := "server"
		for _, src := range s.Sources {
			if src.ID == t.Source {
				name = named(src)
			}
		}
		if engine := s.Engines[t.Key]; engine != "" {
			name += ", engine " + engine
		}
		out = append(out, member{name: name, track: t, waiting: s.Track(model.ServerWaiting, t.Source, t.Key)})
	}
	return out
}

// named is what tells a source from the others of its kind.
func named(src model.SourceInfo) string {
	if src.Label != "" {
		return src.Label
	}
	return src.Name
}

func apartHead(f Frame) Head {
	c, s := len(clientsApart(f.View.Figures)), len(serversApart(f.View.Figures))
	h := Head{Title: "each apart"}
	if c > 1 {
		h.Notes = append(h.Notes, Span{strconv.Itoa(c) + " load generators: in flight", themes.Client, false})
	}
	if s > 1 {
		h.Notes = append(h.Notes, Span{strconv.Itoa(s) + " engines: running", themes.Server, false})
	}
	return h
}

// drawApart draws a strip for each member under its name, clients first, all
// of one side to one scale so that they can be compared.
func drawApart(f Frame) {
	w, h := f.Grid.Size()
	var all []member
	for _, side := range [][]member{clientsApart(f.Snap), serversApart(f.Snap)} {
		if len(side) > 1 {
			all = append(all, side...)
		}
	}
	if len(all) == 0 || h < 2 {
		return
	}
	vals, top := make([][]float64, len(all)), [2]float64{}
	for i, m := range all {
		vals[i] = f.memberValues(m)
		top[side(m)] = max(top[side(m)], zero(most(vals[i])))
	}
	tallest := 6
	if f.View.Full {
		tallest = 16
	}
	each := min(max(h/len(all), 2), tallest)
	fit := min(h/each, len(all))
	if fit < len(all) { // the last row says how many there are beyond
		fit = max((h-1)/each, 1)
	}
	from := min(f.View.Scroll, len(all)-fit)
	settled := f.settled()
	for i := from; i < from+fit; i++ {
		m, y := all[i], (i-from)*each
		f.memberName(y, w, m, vals[i])
		a := f
		a.Grid = f.Grid.Sub(0, y+1, w, each-1)
		a.strip(each-1, "", vals[i], draw.NiceTop(max(top[side(m)], 4)), func(k int) themes.Role {
			switch {
			case !m.client:
				return themes.ServerFill
			case k >= settled:
				return themes.Faint // not final yet
			}
			return themes.Client
		}, draw.Small)
	}
	if rest := len(all) - from - fit; rest > 0 && h > fit*each {
		f.Grid.WriteFit(f.View.Left+1, h-1, w-f.View.Left-1, themes.Dim, "▼ "+strconv.Itoa(rest)+" more: enter shows them all, ↓ goes on")
	}
}

func side(m member) int {
	if m.client {
		return 0
	}
	return 1
}

func (f Frame) memberValues(m member) []float64 {
	if m.track.Series == model.ClientInFlight {
		return f.columns(m.track, mean)
	}
	return f.held(m.track, mean)
}

// settled is the column up to which the clients' in-flight is final.
func (f Frame) settled() int {
	if sig := f.Snap.Signals; sig != nil && sig.Client.Horizon > 0 {
		return int(math.Ceil(float64(sig.Client.Horizon-f.View.From) / float64(f.View.Step)))
	}
	return f.View.Cols
}

// memberName writes the row above a strip: who, and how much now or at the
// cursor.
func (f Frame) memberName(y, w int, m member, vals []float64) {
	f.Grid.Put(f.View.Left-1, y, '│', themes.Faint)
	f.cursorLine(y, 1)
	words := []Span{{draw.Small(f.looked(vals)), themes.Text, true}}
	if m.waiting != nil {
		words = append(words, Span{draw.Count(f.looked(f.held(m.waiting, mean))) + " waiting", themes.Dim, false})
	}
	right := 0
	for _, s := range words {
		right += draw.Width(s.Text) + 2
	}
	room := w - f.View.Left - 2 - right
	f.Grid.WriteFit(f.View.Left+1, y, max(room, 8), themes.Dim, m.name)
	spans(f.Grid, f.View.Left+1+min(draw.Width(m.name), max(room, 8))+2, y, right, words)
}
