package panel

import (
	"math"
	"strings"
	"time"

	"benchtop/model"
	"benchtop/themes"
	"benchtop/ui/draw"
)

// fit is the width that pieces take.
func fit(pieces []Span) int {
	n := 0
	for _, p := range pieces {
		n += draw.Width(p.Text) + 2
	}
	return n - 2
}

// shorten drops the words of a legend that a reader can do without.
func shorten(s string) string {
	return strings.NewReplacer("client in flight", "client", "server running", "running").Replace(s)
}

// refusals are the outcomes drawn together as rejected.
var refusals = []model.SeriesID{model.ClientRejected}

// otherLosses are the outcomes drawn together as neither timeout nor reject.
var otherLosses = []model.SeriesID{model.ClientReset, model.ClientHTTPError, model.ClientOther}

// lost counts failed requests along the time axis: a client's end is one
// whatever its value, a server's amount says how many.
func (f Frame) lost(ids ...model.SeriesID) []float64 {
	out := gaps(f.View.Cols)
	for _, id := range ids {
		t := f.Snap.Whole(id)
		if t == nil {
			continue
		}
		of := sum
		if id.IsOutcome() {
			of = count
		}
		for i, n := range f.columns(t, of) {
			if !math.IsNaN(n) {
				out[i] = zero(out[i]) + n
			}
		}
	}
	return out
}

func count(b model.Bucket) float64 {
	if b.N == 0 {
		return math.NaN()
	}
	return float64(b.N)
}

// losses draws one or two rows: timeouts, and what failed otherwise.
func (f Frame) losses(y, rows int) {
	if rows == 0 {
		return
	}
	timeouts := f.lost(model.ClientTimeout)
	rejects := f.lost(append(append([]model.SeriesID{}, refusals...), otherLosses...)...)
	late, refused := f.Snap.Client.Known, f.Snap.Client.Known
	until := f.Snap.Now
	if t := f.Snap.Whole(model.ClientInFlight); late && t != nil && t.Until != 0 {
		until = min(until, t.Until) // after its streams have ended nobody counts them
	}
	if f.Snap.Whole(model.ClientTimeout) == nil && !f.Snap.Client.Known {
		// Few servers tell these at all: one that never did has counted none.
		told := []model.SeriesID{model.ServerRejected, model.ServerQueueFull, model.ServerDropped}
		rejects, refused = f.lost(told...), f.told(told...)
		timeouts, late = f.lost(model.ServerTimeout), f.told(model.ServerTimeout)
	}
	top := max(zero(most(timeouts)), zero(most(rejects)), 4)
	if rows == 1 {
		all := gaps(len(timeouts))
		for i := range all {
			if n := zero(timeouts[i]) + zero(rejects[i]); n > 0 {
				all[i] = n
			}
		}
		f.lossRow(y, "lost", "requests", until, late || refused, all, max(zero(most(all)), 4), themes.Bad)
		return
	}

	f.lossRow(y, "t/o", "timeouts", until, late, timeouts, top, themes.Bad)
	f.lossRow(y+1, "rej", "rejected or failed", until, refused, rejects, top, themes.WarnFill)
}

// tally writes how many were lost where the row is flat, next to its widest
// flat stretch's left end, where there is room.
func (f Frame) tally(p *draw.Grid, vals []float64, text string, role themes.Role) {
	from, length, run := 0, 0, 0
	for i, v := range vals[:min(f.View.Newest+1, len(vals))] {
		if run++; v > 0 {
			run = 0
		}
		if run > length {
			from, length = i+1-run, run
		}
	}
	if draw.Width(text)+2 <= length {
		p.Write(from+1, 0, role, text)
	}
}

// told reports whether anybody has ever told one of the series.
func (f Frame) told(ids ...model.SeriesID) bool {
	for _, id := range ids {
		if f.Snap.Whole(id) != nil {
			return true
		}
	}
	return false
}

// lossRow draws the counts of one kind, with a line at 0 as far as it was told.
// A total that the gutter has no room for stands at the right or in the row.
func (f Frame) lossRow(y int, name, words string, until model.Instant, told bool, vals []float64, top float64, role themes.Role) {
	if !told {
		f.gutter(y, themes.Dim, name+" "+draw.None) // nobody counts: that is not zero
		return
	}
	p := f.plot(y, 1)
	p.Bars(vals, top, draw.Only(role))
	total := 0.0
	for i, v := range vals {
		total += zero(v)
		at := f.View.From.Add(f.View.Step * time.Duration(i))
		if !(v > 0) && at <= until && at.Add(f.View.Step) > f.Snap.Start {
			p.Put(i, 0, '▁', themes.Faint)
		}
	}
	label, tone := name, themes.Dim
	if total > 0 {
		label, tone = name+" "+draw.Count(total), role
	}
	if draw.Width(label) > f.View.Left-1 {
		label = name
		if n := draw.Count(total); f.View.Right >= 9 {
			f.besideIn(y, role, n)
		} else {
			f.tally(p, vals, n+" "+words, role)
		}
	}
	f.gutter(y, tone, label)
}
