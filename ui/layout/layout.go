package layout

// Want is what a panel asks for. Heights are in rows, without frame.
type Want struct {
	ID     string
	Side   bool  // belongs into the side column where there is one
	Far    bool  // belongs into a second side column on a very wide screen
	Steps  []int // heights worth having, biggest first; a narrow screen uses Narrow
	Narrow []int // heights where there is one column only; nil: not shown there
	Rank   int   // 1 keeps its place longest
	Grow   int   // share of the rows left over
	Most   int   // grows no further; 0: no bound
	Spare  bool  // beside another column: shown only when everyone else has their biggest height
	Fixed  bool  // does not grow where there is one column only
	Plain  bool  // has no title line where there is one column only
}

// Box is a panel's place. X, Y, W and H are what the panel may draw on; the
// title, where there are frames, is on the row above.
type Box struct {
	ID         string
	X, Y, W, H int
	Step       int  // which of its heights it got at least: 0 is the biggest
	Titled     bool // the row above is its title line
}

// Column is a stack of boxes, framed or not.
type Column struct {
	X, Y, W, H int // with its frame
	Framed     bool
	Side       bool
	Boxes      []Box
}

// Screen is a whole arrangement. Header, Footer and Axis are rows, -1 if there
// is none. Axis is where the time axis of the first column stands: on its frame,
// on a row of its own or, on the smallest screens, in place of the footer.
type Screen struct {
	W, H                 int
	Header, Footer, Axis int
	Columns              []Column
}

// Sizes below which the screen has fewer parts.
const (
	TwoColumnsAt  = 100 // width
	TwoColumnsLow = 150 // width from which there are two on a low screen too
	LowHeight     = 30  // below this a narrow side column has no room for a verdict
	ThreeColumns  = 250 // width from which the side has two columns
	FramedWidth   = 72
	FramedHeight  = 22
	GlanceWidth   = 44 // below these, only a few words fit
	GlanceHeight  = 10
	AxisHeight    = 16 // from which an unframed screen spares a row for the time axis
	sideLeast     = 36 // a third of the width, within these bounds
	sideMost      = 60
	frameOverhead = 1 // rows a framed panel costs: its title line
)

// Arrange places panels, in their order, on a screen of w by h. Panels that do
// not fit are left out, highest rank number first.
func Arrange(w, h int, wants []Want) Screen {
	s := Screen{W: w, H: h, Header: -1, Footer: -1, Axis: -1}
	if w <= 0 || h <= 0 {
		return s
	}
	top, bottom := 0, h
	s.Header, top = 0, 1
	if h >= 12 {
		s.Footer, bottom = h-1, h-1
	}
	framed := w >= FramedWidth && h >= FramedHeight
	switch {
	case framed:
		s.Axis = bottom - 1
	case h >= AxisHeight:
		bottom--
		s.Axis = bottom
	default:
		s.Axis = s.Footer
	}
	if w < TwoColumnsAt || w < TwoColumnsLow && h < LowHeight || !framed {
		s.Columns = []Column{stack(Column{0, top, w, bottom - top, framed, false, nil}, narrow(wants))}
		return s
	}
	side := min(max(w/3, sideLeast), sideMost)
	if w >= ThreeColumns && hasFar(wants) {
		side += (w - ThreeColumns) / 10
		main := w - 2*side - 2
		s.Columns = []Column{
			stack(Column{0, top, main, bottom - top, true, false, nil}, pick(wants, isMain)),
			stack(Column{main + 1, top, side, bottom - top, true, true, nil}, pick(wants, isNear)),
			stack(Column{w - side, top, side, bottom - top, true, true, nil}, pick(wants, isFar)),
		}
		return s
	}
	s.Columns = []Column{
		stack(Column{0, top, w - side - 1, bottom - top, true, false, nil}, pick(wants, isMain)),
		stack(Column{w - side, top, side, bottom - top, true, true, nil}, pick(wants, isSide)),
	}
	return s
}

func isMain(x Want) bool { return !x.Side }
func isSide(x Want) bool { return x.Side }
func isNear(x Want) bool { return x.Side && !x.Far }
func isFar(x Want) bool  { return x.Side && x.Far }

func hasFar(wants []Want) bool {
	for _, x := range wants {
		if isFar(x) && len(x.Steps) > 0 {
			return true
		}
	}
	return false
}

func narrow(wants []Want) []Want {
	var out []Want
	for _, x := range wants {
		if x.Narrow != nil {
			x.Steps = x.Narrow
			x.Spare = false
			if x.Fixed {
				x.Grow = 0
			}
			out = append(out, x)
		}
	}
	return out
}

func pick(wants []Want, here func(Want) bool) []Want {
	var out []Want
	for _, x := range wants {
		if here(x) && len(x.Steps) > 0 {
			x.Plain = false
			out = append(out, x)
		}
	}
	return out
}

// stack fills a column.
func stack(c Column, wants []Want) Column {
	room := c.H
	if c.Framed {
		room--
	}
	over := make([]int, len(wants)) // rows for title lines
	for i := range wants {
		if c.Framed && (!wants[i].Plain || i == 0) {
			over[i] = frameOverhead
		}
	}
	step, room := steps(wants, over, room)
	heights := make([]int, len(wants))
	for i := range wants {
		if step[i] >= 0 {
			heights[i] = wants[i].Steps[step[i]]
		}
	}
	grow(heights, step, wants, room)
	y := c.Y
	for i := range wants {
		if step[i] < 0 {
			continue
		}
		b := Box{ID: wants[i].ID, X: c.X, Y: y + over[i], W: c.W, H: heights[i], Step: step[i], Titled: over[i] > 0}
		if c.Framed {
			b.X, b.W = c.X+1, c.W-2
		}
		c.Boxes = append(c.Boxes, b)
		y += over[i] + heights[i]
	}
	return c
}

// steps gives everyone their smallest height while there is room, by rank;
// then everyone moves up a step, by rank, as long as there is room; then come
// the spare ones. -1 is left out; what remains of room is returned.
func steps(wants []Want, over []int, room int) (step []int, left int) {
	step = make([]int, len(wants))
	for i := range step {
		step[i] = -1
	}
	order := byRank(wants)
	place := func(i, s int) {
		if need := wants[i].Steps[s] + over[i]; need <= room {
			step[i] = s
			room -= need
		}
	}
	for _, i := range order {
		if !wants[i].Spare {
			place(i, len(wants[i].Steps)-1)
		}
	}
	for moved := true; moved; {
		moved = false
		for _, i := range order {
			if step[i] <= 0 {
				continue
			}
			if need := wants[i].Steps[step[i]-1] - wants[i].Steps[step[i]]; need <= room {
				step[i]--
				room -= need
				moved = true
			}
		}
	}
	for _, i := range order {
		if wants[i].Spare {
			place(i, 0)
		}
	}
	return step, room
}

// grow hands out what is left, a row at a time, to whoever is furthest behind
// their share.
func grow(heights, step []int, wants []Want, room int) {
	for room > 0 {
		best, least := -1, 0.0
		for i, x := range wants {
			if step[i] < 0 || x.Grow == 0 || x.Most > 0 && heights[i] >= x.Most {
				continue
			}
			if filled := float64(heights[i]) / float64(x.Grow); best < 0 || filled < least {
				best, least = i, filled
			}
		}
		if best < 0 {
			return
		}
		heights[best]++
		room--
	}
}

func byRank(wants []Want) []int {
	order := make([]int, len(wants))
	for i := range order {
		order[i] = i
	}
	for i := 1; i < len(order); i++ { // few: insertion keeps equal ranks in order
		for j := i; j > 0 && wants[order[j]].Rank < wants[order[j-1]].Rank; j-- {
			order[j], order[j-1] = order[j-1], order[j]
		}
	}
	return order
}
