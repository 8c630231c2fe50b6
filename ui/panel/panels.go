package panel

import (
	"slices"
	"strings"

	"benchtop/model"
	"benchtop/ui/layout"
)

// Panel is one part of the screen.
type Panel struct {
	ID, Title string
	Key       string // focuses it
	Timed     bool   // lies on the time axis when it has the whole screen, though it belongs to the side
	Want      layout.Want
	Needs     func(*model.Snapshot) bool // whether there is anything to show; nil: always
	Blank     func(*model.Snapshot) bool // whether nobody has told any of it so far; nil: never
	Rows      func(*model.Snapshot) int  // how many rows it can fill at most; nil: as its want says
	Head      func(Frame) Head           // its title line, where there are frames
	Draw      func(Frame)
}

// All lists the panels in the order in which they are stacked.
func All() []Panel {
	all := []Panel{
		verdict,
		figures,
		numbers,
		concurrency,
		batch,
		queue,
		wait,
		throughput,
		gpuClock,
		gpus,
		latency,
		tokens,
		cache,
		losses,
		members,
		sources,
		host,
		events,
	}
	for i := range all {
		all[i].Want.ID = all[i].ID
	}
	return all
}

// Findings is the list of all findings: not part of the arrangement, shown in
// full on demand.
func Findings() Panel { return findings }

// Wants are the panels' wants, in order.
func Wants(all []Panel) []layout.Want {
	out := make([]layout.Want, len(all))
	for i, p := range all {
		out[i] = p.Want
	}
	return out
}

// Layout is a named choice of panels with their sizes.
type Layout struct {
	Name, Key string
	Help      string // what it is for, a few words
	places    []place
}

// place is a panel's want in a layout; a panel that has none keeps its own
// where it belongs to the side column, and is left out elsewhere.
type place struct {
	id     string
	steps  []int
	narrow []int
	rank   int
	grow   int
	most   int
	spare  bool
}

// Layouts lists the layouts, the usual one first.
func Layouts() []Layout {
	return []Layout{
		{"run", "f2", "everything about the run", nil},
		{"gpu", "f3", "clock, heat and power of every GPU", []place{
			{id: "gpu", steps: []int{16, 12, 8, 4}, narrow: []int{12, 8, 6, 4, 1}, rank: 2, grow: 8},
			{id: "gpus", steps: []int{16, 8, 4, 2}, narrow: []int{8, 4, 2}, rank: 3, grow: 6, most: 48},
			{id: "concurrency", steps: []int{8, 5}, narrow: []int{6, 5, 4}, rank: 4, grow: 2, most: 14},
			{id: "throughput", steps: []int{3}, narrow: []int{3, 1}, rank: 5, grow: 1, most: 6},
		}},
		{"latency", "f4", "how long requests take, and why", []place{
			{id: "latency", steps: []int{16, 12, 8, 5}, narrow: []int{12, 8, 5}, rank: 2, grow: 8},
			{id: "tokens", steps: []int{6, 3}, narrow: []int{3}, rank: 4, grow: 2, most: 12},
			{id: "queue", steps: []int{3, 2, 1}, narrow: []int{3, 2, 1}, rank: 3, grow: 1, most: 6},
			{id: "wait", steps: []int{3}, rank: 3, grow: 1, most: 6},
			{id: "throughput", steps: []int{3}, narrow: []int{3, 1}, rank: 5, grow: 1, most: 6},
			{id: "concurrency", steps: []int{8, 5}, narrow: []int{5, 4}, rank: 6, grow: 2, most: 14},
			{id: "losses", steps: []int{3}, narrow: []int{2}, rank: 7, grow: 1, most: 8},
		}},
		{"demo", "f5", "few and big, for a shared screen", []place{
			{id: "numbers", steps: []int{4}, narrow: []int{4}, rank: 2},
			{id: "concurrency", steps: []int{16, 13, 8, 5}, narrow: []int{11, 8, 5}, rank: 3, grow: 8},
			{id: "gpu", steps: []int{8, 4, 1}, narrow: []int{4, 1}, rank: 4, grow: 4},
		}},
	}
}

// settledS is after how many seconds of a run what has not come is not about to.
const settledS = 5

// In are the panels of a layout ("" is the first) that are not hidden and have
// something to show, in order. Hidden holds ids parted by spaces.
func In(name, hidden string, s *model.Snapshot) []Panel {
	var chosen Layout
	for _, l := range Layouts() {
		if l.Name == name {
			chosen = l
		}
	}
	away := strings.Fields(hidden)
	var out []Panel
	all := findings // on a screen with room to spare
	all.Want = layout.Want{ID: all.ID, Side: true, Steps: []int{16}, Rank: 30, Spare: true, Grow: 12}
	for _, p := range append(chosen.arranged(), all) {
		if slices.Contains(away, p.ID) || p.Needs != nil && !p.Needs(s) {
			continue
		}
		if p.Blank != nil && s.Second >= settledS && p.Blank(s) { // a line says that it is not observed
			p.Want.Steps, p.Want.Grow = []int{1}, 0
			if p.Want.Narrow != nil {
				p.Want.Narrow = []int{1}
			}
		}
		if p.Rows != nil {
			p.Want.Most = p.Rows(s)
			if n := min(p.Want.Most, 8); n > p.Want.Steps[0] {
				p.Want.Steps = append([]int{n}, p.Want.Steps...)
			}
		}
		out = append(out, p)
	}
	return out
}

// arranged is every panel of a layout with its want there: those of the side
// first, then the charts in the layout's order.
func (l Layout) arranged() []Panel {
	all := All()
	if l.places == nil {
		return slices.DeleteFunc(all, func(p Panel) bool { return p.ID == numbers.ID })
	}
	var out []Panel
	byID := map[string]Panel{}
	for _, p := range all {
		byID[p.ID] = p
		if p.Want.Side {
			out = append(out, p)
		}
	}
	for _, c := range l.places {
		p := byID[c.id]
		p.Want = layout.Want{
			ID: c.id, Steps: c.steps, Narrow: c.narrow, Rank: c.rank, Grow: c.grow, Most: c.most, Spare: c.spare,
		}
		out = append(out, p)
	}
	return out
}
