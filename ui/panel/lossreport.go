package panel

import (
	"math"
	"strings"

	"benchtop/model"
	"benchtop/themes"
	"benchtop/ui/draw"
	"benchtop/ui/layout"
)

var losses = Panel{
	ID: "losses", Title: "losses by kind", Key: "o",
	Want: layout.Want{Steps: []int{10}, Rank: 14, Spare: true, Most: 14, Grow: 1},
	Head: lossesHead,
	Draw: drawLosses,
}

// lossKind is one way to lose a request, as each side tells it. 0 is no series
// (the catalogue's first is no loss).
type lossKind struct {
	name   string // for the gutter
	words  string
	client model.SeriesID
	server []model.SeriesID
}

// lossKinds pairs what the client saw with what the server saw of the same: a
// client that gives up shows at the server as an abort, if at all.
var lossKinds = []lossKind{
	{"t/o", "timeouts", model.ClientTimeout, []model.SeriesID{model.ServerAborted, model.ServerTimeout}},
	{"rej", "rejected", model.ClientRejected, []model.SeriesID{model.ServerRejected, model.ServerQueueFull}},
	{"reset", "reset", model.ClientReset, []model.SeriesID{model.ServerReset, model.ServerDropped}},
	{"http", "HTTP errors", model.ClientHTTPError, []model.SeriesID{model.ServerError}},
	{"other", "other", model.ClientOther, nil},
}

// serverLosses are the server's kinds with their words.
var serverLosses = []struct {
	id   model.SeriesID
	name string
}{
	{model.ServerAborted, "abrt"},
	{model.ServerTimeout, "t/o"},
	{model.ServerRejected, "rej"},
	{model.ServerQueueFull, "full"},
	{model.ServerDropped, "drop"},
	{model.ServerReset, "rst"},
	{model.ServerError, "err"},
}

// serverTold sums a server's loss counters over the run; ok is false where it
// tells none of them.
func serverTold(s *model.Snapshot, ids []model.SeriesID) (n float64, ok bool) {
	for _, id := range ids {
		if t := s.Whole(id); t != nil {
			n, ok = n+t.Total, true
		}
	}
	return n, ok
}

// reconciled is the line that holds both sides' counts of a kind against each
// other, over the whole run.
func reconciled(s *model.Snapshot, k lossKind) (Span, bool) {
	client := float64(s.Client.ByOutcome[k.client])
	server, told := serverTold(s, k.server)
	if client == 0 && server == 0 {
		return Span{}, false
	}
	text := k.words + ": client " + draw.Count(client)
	if !s.Client.Known {
		text = k.words + ": client " + draw.None
	}
	role := themes.Text
	switch {
	case !told:
		text += ", server does not say"
		role = themes.Dim
	case !s.Client.Known || client == server:
		text += ", server " + draw.Count(server)
	default:
		text += ", server " + draw.Count(server)
		if d := client - server; d > 0 {
			text += ": " + draw.Count(d) + " not told by it"
		} else {
			text += ": " + draw.Count(-d) + " more than the client"
		}
		role = themes.Warn
	}
	return Span{text, role, false}, true
}

func lossesHead(f Frame) Head {
	s := f.View.Figures
	h := Head{Title: "losses by kind"}
	for _, k := range lossKinds {
		if p, ok := reconciled(s, k); ok {
			h.Notes = append(h.Notes, p)
		}
	}
	if r := reportOf(s); r != nil && len(h.Notes) == 0 {
		h.Notes = []Span{{"the generator's report: " + failuresOf(r)[0], themes.Text, false}}
	}
	if len(h.Notes) == 0 {
		h.Notes = []Span{{"none", themes.Good, false}}
		if !s.Client.Known && (s.Signals == nil || !s.Signals.Server.Known) {
			h.Notes = []Span{{"nobody counts them", themes.Dim, false}}
		}
	}
	return h
}

// lossLine is one row of the losses: a name and its counts along the axis.
type lossLine struct {
	name string
	vals []float64
	role themes.Role
	n    float64 // of the run
}

func (f Frame) lossLines() []lossLine {
	s := f.View.Figures
	var out []lossLine
	for _, k := range lossKinds {
		if n := s.Client.ByOutcome[k.client]; n > 0 {
			role := themes.WarnFill
			if k.client == model.ClientTimeout {
				role = themes.Bad
			}
			out = append(out, lossLine{k.name, f.lost(k.client), role, float64(n)})
		}
	}
	for _, k := range serverLosses {
		if t := s.Whole(k.id); t != nil && t.Total > 0 {
			out = append(out, lossLine{"s " + k.name, f.lost(k.id), themes.ServerFill, t.Total})
		}
	}
	return out
}

func drawLosses(f Frame) {
	w, h := f.Grid.Size()
	all := f.lossLines()
	for y := range h {
		f.Grid.Put(f.View.Left-1, y, '│', themes.Faint)
	}
	if len(all) == 0 {
		text := "no request was lost so far"
		if r := reportOf(f.View.Figures); r != nil {
			text = "told at the end only: " + strings.Join(failuresOf(r), ", ")
		}
		f.Grid.WriteFit(f.View.Left+1, h/2, w-f.View.Left-2, themes.Dim, text)
		f.cursorLine(0, h)
		return
	}
	words := 0
	if f.View.Full && h > len(all)+2 {
		words = min(len(lossKinds)+1, h-len(all))
	}
	rows := h - words
	tallest := 10
	if f.View.Full {
		tallest = 16
	}
	each := max(1, min(rows/len(all), tallest))
	y := 0
	for i, l := range all {
		if y+each > rows {
			f.Grid.WriteRight(w-1, rows-1, themes.Dim, "and "+draw.Count(float64(len(all)-i))+" more")
			break
		}
		p := f.plot(y, each)
		p.Bars(l.vals, max(zero(most(l.vals)), 4), draw.Only(l.role))
		f.gutter(y+each-1, themes.Dim, l.name)
		n := l.n
		if f.View.Cursor >= 0 {
			n = zero(f.looked(l.vals))
		}
		f.beside(y+each-1, draw.Count(n))
		y += each
	}
	f.cursorLine(0, y)
	if words == 0 {
		return
	}
	y++
	for _, k := range lossKinds {
		if p, ok := reconciled(f.View.Figures, k); ok && y < h {
			f.Grid.WriteFit(f.View.Left+1, y, w-f.View.Left-2, p.Role, p.Text)
			y++
		}
	}
}

// lostAtServer is everything the server says it lost, NaN if it says nothing.
func lostAtServer(s *model.Snapshot) float64 {
	total, any := 0.0, false
	for _, k := range lossKinds {
		n, ok := serverTold(s, k.server)
		total, any = total+n, any || ok
	}
	if !any {
		return math.NaN()
	}
	return total
}
