package panel

import "benchtop/ui/layout"

// Panel is one part of the screen.
type Panel struct {
	ID, Title string
	Key       string // focuses it
	Want      layout.Want
	Head      func(Frame) Head // its title line, where there are frames
	Draw      func(Frame)
}

// All lists the panels in the order in which they are stacked.
func All() []Panel {
	all := []Panel{
		verdict,
		figures,
		concurrency,
		batch,
		queue,
		gpuClock,
		latency,
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
