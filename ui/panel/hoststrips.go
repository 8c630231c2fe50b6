package panel

import (
	"math"

	"benchtop/model"
	"benchtop/themes"
	"benchtop/ui/draw"
)

// strand is one figure of the machine along the time axis.
type strand struct {
	name  string
	vals  []float64
	least float64 // top of the scale at least
	limit float64 // from here on it is a warning; 0 for none
	word  func(float64) string
}

// strands are the machine's figures that somebody measured, in the order in
// which interference is looked for; those over their limit come first.
func (f Frame) strands() []strand {
	gauge := func(id model.SeriesID) []float64 { return f.held(f.Snap.Whole(id), mean) }
	grown := func(id model.SeriesID) []float64 {
		if t := f.Snap.Whole(id); t != nil {
			return f.spread(t)
		}
		return gaps(f.View.Cols)
	}
	share := func(of, all model.SeriesID) []float64 {
		a, b := grown(of), grown(all)
		for i := range a {
			if a[i] /= b[i]; b[i] == 0 { // no period, no segment: no share of them
				a[i] = math.NaN()
			}
		}
		return a
	}
	opened := grown(model.HostConnsOpened)
	for i := range opened {
		opened[i] /= f.View.Step.Seconds()
	}
	clock := gauge(model.HostCPUClock)
	for i := range clock {
		clock[i] /= 1e6
	}
	all := []strand{
		{"client's busiest thread, cores", gauge(model.HostClientThread), 1, 0.9, draw.Small},
		{"client CPU, cores", gauge(model.HostClientCPU), 1, 0, draw.Small},
		{"server's busiest thread, cores", gauge(model.HostServerThread), 1, 0.95, draw.Small},
		{"server CPU, cores", gauge(model.HostServerCPU), 1, 0, draw.Small},
		{"open connections to the server", gauge(model.HostEstablished), 4, 0, draw.Count},
		{"connections the client leaves idle", gauge(model.HostIdle), 4, 0, draw.Count},
		{"connections opened /s", opened, 4, 0, draw.Small},
		{"still connecting", gauge(model.HostConnecting), 4, 1, draw.Count},
		{"not accepted yet", gauge(model.HostAcceptQueue), 4, 1, draw.Count},
		{"core clock MHz", clock, 1000, 0, draw.Grouped},
		{"other processes, share of the machine", gauge(model.HostOtherCPU), 1, 0.25, draw.Percent},
		{"taken by the hypervisor", gauge(model.HostSteal), 0.2, 0.05, draw.Percent},
		{"some task waits for memory", gauge(model.HostPSIMemory), 0.2, 0.05, draw.Percent},
		{"segments sent twice", share(model.HostSegsRetrans, model.HostSegsOut), 0.04, 0.01, draw.Percent},
		{"some task waits for I/O", gauge(model.HostPSIIO), 0.2, 0.2, draw.Percent},
		{"some task waits for a core", gauge(model.HostPSICPU), 0.2, 0, draw.Percent},
		{"server held back by its CPU quota", share(model.HostQuotaThrottled, model.HostQuotaPeriods), 0.2, 0.1, draw.Percent},
		{"client held back by its CPU quota", share(model.HostClientQuotaThrottled, model.HostClientQuotaPeriods), 0.2, 0.1, draw.Percent},
		{"memory available", gauge(model.HostMemAvailable), 1e9, 0, draw.Bytes},
	}
	var kept, calm []strand
	for _, s := range all {
		switch m := most(s.vals); {
		case math.IsNaN(m):
		case s.limit > 0 && m >= s.limit:
			kept = append(kept, s)
		default:
			calm = append(calm, s)
		}
	}
	return append(kept, calm...)
}

// hostStrips draws the machine's figures one under the other on the time axis,
// as many as fit; the others are scrolled to.
func (f Frame) hostStrips(y int) {
	w, h := f.Grid.Size()
	all := f.strands()
	if len(all) == 0 || h-y < 3 {
		return
	}
	each := min(max((h-y)/len(all), 3), 8)
	fit := (h - y) / each
	from := min(f.View.Scroll, max(len(all)-fit, 0))
	for i, s := range all[from:min(from+fit, len(all))] {
		a := f
		a.Grid = f.Grid.Sub(0, y+i*each, w, each)
		a.Grid.Write(f.View.Left+1, 0, themes.Dim, s.name)
		a.Grid.Put(f.View.Left-1, 0, '│', themes.Faint)
		if f.View.Cursor >= 0 {
			a.cursorLine(0, 1)
		}
		a.Grid = f.Grid.Sub(0, y+i*each+1, w, each-1)
		top := draw.NiceTop(max(zero(most(s.vals)), s.least))
		a.strip(each-1, "", s.vals, top, func(k int) themes.Role {
			if s.limit > 0 && s.vals[k] >= s.limit {
				return themes.WarnFill
			}
			return themes.Queue
		}, s.word)
	}
	if rest := len(all) - from - fit; rest > 0 {
		f.Grid.WriteRight(w-1, h-1, themes.Dim, "▼ "+draw.Count(float64(rest))+" more")
	}
}
