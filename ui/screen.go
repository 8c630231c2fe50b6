package ui

import (
	"slices"
	"time"

	"benchtop/model"
	"benchtop/themes"
	"benchtop/ui/draw"
	"benchtop/ui/layout"
	"benchtop/ui/panel"
)

// ViewState is what the user looks at and how. Its zero value with a Window is
// the live screen.
type ViewState struct {
	Window time.Duration   // length of the time axis; 0 is the whole run
	Cursor model.Instant   // moment looked at, 0 for none
	End    model.Instant   // right edge of the charts, 0 to follow the run
	Lines  bool            // concurrency as lines rather than areas
	Focus  string          // panel in focus, "" for none
	Full   string          // panel that has the whole screen, "" for none
	Layout string          // name of the layout; "" is the first
	Hidden string          // ids of panels not shown, parted by spaces
	Filter string          // events shown have it in their class or text
	Prompt string          // asked at the bottom, in place of the keys
	Notice string          // told at the bottom, in place of the keys
	Scroll int             // lines scrolled down in the panel that has the whole screen
	Paused bool            // the picture stands still
	Behind float64         // seconds the run is ahead of the picture
	Late   float64         // seconds the newest picture of a live run is behind the clock, 0 while it keeps up
	Replay bool            // a recording plays
	Speed  float64         // of the replay
	Still  bool            // one picture of a recording, that nothing follows
	Coach  string          // what comes next and what the rounds so far say, "" outside rounds
	Title  string          // replaces the run's label
	Zone   *time.Location  // of clock times; nil is UTC
	ASCII  bool            // nothing outside ASCII
	Slow   *model.Snapshot // where numbers in words are read from; nil is the snapshot itself
}

// DefaultWindow is the length of the time axis to begin with.
const DefaultWindow = 2 * time.Minute

// gutter is the room for labels at the left of every chart.
const gutter = 7

// wideColumn is the width from which charts have room at their right, for
// values at their heights and the latency histogram.
const wideColumn = 110

// Axis is the time axis of a drawn frame: Cols columns of width Step from From
// on, the first one at column X of the screen. Newest is the column that holds
// now, or else the last one: what lies to its right has not been yet.
type Axis struct {
	From   model.Instant
	Step   time.Duration
	Cols   int
	Newest int
	X      int
	Boxes  []layout.Box    // where panels are
	Events []model.Instant // of the event log's rows
}

// Draw draws one frame on g, whose size is the screen's, and says where its
// time axis lies (Cols is 0 where there is none).
func Draw(g *draw.Grid, snap *model.Snapshot, v ViewState, depth themes.Depth) Axis {
	g.Glyphs = draw.GlyphsFor(depth, v.ASCII)
	g.Clear()
	w, h := g.Size()
	if w == 0 || h == 0 {
		return Axis{}
	}
	if snap == nil {
		snap = &model.Snapshot{}
	}
	if v.Slow == nil {
		v.Slow = snap
	}
	if v.Zone == nil {
		v.Zone = time.UTC
	}
	pv := &panel.View{
		Figures: v.Slow, Cursor: -1, Follow: v.End == 0, Lines: v.Lines, Scroll: v.Scroll, Left: gutter,
		Paused: v.Paused, Behind: v.Behind, Late: v.Late, Replay: v.Replay, Speed: v.Speed, Still: v.Still, Title: v.Title, Zone: v.Zone,
		Filter: v.Filter, Full: v.Full != "",
	}
	if w < layout.GlanceWidth || h < layout.GlanceHeight {
		panel.DrawGlance(panel.Frame{Snap: snap, View: pv, Grid: g})
		return Axis{}
	}
	shown := panel.In(v.Layout, v.Hidden, snap)
	arr := arrange(w, h, shown, v.Full)
	axis := setAxis(pv, arr, snap, v)
	byID := map[string]panel.Panel{}
	for _, p := range append(append(panel.All(), panel.Findings(), panel.Guide()), shown...) {
		byID[p.ID] = p
	}
	frame := func(x, y, w, h int) panel.Frame {
		return panel.Frame{Snap: snap, View: pv, Grid: g.Sub(x, y, w, h)}
	}
	panel.DrawHeader(frame(0, arr.Header, w, 1))
	for _, c := range arr.Columns {
		pv.AllGPUs = pv.AllGPUs || slices.ContainsFunc(c.Boxes, func(b layout.Box) bool { return b.ID == "gpus" })
		pv.Framed = c.Framed
		for i, b := range c.Boxes {
			f := frame(b.X, b.Y, b.W, b.H)
			drawBox(g, c, i, byID[b.ID], f, v)
			axis.Boxes = append(axis.Boxes, b)
			if b.ID == "events" {
				axis.Events = panel.EventRows(f)
			}
		}
		if c.Framed {
			closeColumn(g, c)
		}
	}
	drawFoot(frame, arr, axis, v)
	throughTitles(g, arr.Columns[0], pv)
	return axis
}

// drawFoot draws the bottom line and the time axis under the charts.
func drawFoot(frame func(x, y, w, h int) panel.Frame, arr layout.Screen, axis Axis, v ViewState) {
	keys := footer(v)
	if v.Prompt == "" && v.Notice == "" {
		told := slices.ContainsFunc(axis.Boxes, func(b layout.Box) bool { return b.ID == "sources" })
		if arr.Axis == arr.Footer {
			keys = nil
		} else if words, bad := panel.Trouble(v.Slow); bad && !told && v.Full == "" {
			keys = []panel.Span{{Text: draw.Fit(words, arr.W-11), Role: themes.Bad}, {Text: "? help", Role: themes.Dim}}
		} else if v.Coach != "" {
			keys = []panel.Span{{Text: draw.Sanitize(v.Coach), Role: themes.Text}, {Text: "? help", Role: themes.Dim}}
		}
	}
	if arr.Footer >= 0 {
		panel.DrawFooter(frame(0, arr.Footer, arr.W, 1), keys)
	} else if v.Prompt != "" {
		panel.DrawFooter(frame(0, arr.H-1, arr.W, 1), keys)
	}
	if timed(arr, v) && (arr.Axis != arr.Footer || keys == nil) {
		panel.DrawTimeAxis(frame(axis.X-gutter, arr.Axis, arr.Columns[0].W-axis.X+gutter, 1), arr.Axis == arr.Footer)
	}
}

// timed reports whether there is a chart over the axis' row: not under a list
// that has the whole screen.
func timed(arr layout.Screen, v ViewState) bool {
	return arr.Axis >= 0 && timeline(v.Full)
}

// throughTitles carries the cursor's line on over the title lines between the
// charts, so that it is one line down the column.
func throughTitles(g *draw.Grid, c layout.Column, pv *panel.View) {
	if pv.Cursor < 0 {
		return
	}
	x := c.X + pv.Left + pv.Cursor
	if c.Framed {
		x++
	}
	first := true
	for _, b := range c.Boxes {
		if !charts(b.ID) {
			continue
		}
		line := func(x int) bool { return g.Cell(x, b.Y-1).Rune == '─' }
		blank := g.Cell(x, b.Y-1).Rune == ' ' && (line(x-1) || line(x+1)) // not between words
		if b.Titled && !first && (line(x) || blank) {
			g.Put(x, b.Y-1, '│', themes.Title)
		}
		first = false
	}
}

// drawBox draws a panel and its frame. Without a frame a chart names itself.
func drawBox(g *draw.Grid, c layout.Column, i int, p panel.Panel, f panel.Frame, v ViewState) {
	b := c.Boxes[i]
	if c.Framed {
		sides(g, c, b)
	}
	if b.Titled {
		titleLine(g, c, i, p.Head(f), v.Focus == p.ID)
	}
	p.Draw(f)
	if !c.Framed && b.H > 1 && charts(p.ID) && p.ID != "concurrency" { // that one has a legend
		panel.DrawName(f, p.Head(f).Title)
	}
}

// Render draws one frame and encodes it, as terminals and `shot` want it.
func Render(snap *model.Snapshot, v ViewState, w, h int, t *themes.Theme, depth themes.Depth) string {
	g := draw.NewGrid(w, h)
	Draw(g, snap, v, depth)
	return string(g.Encode(nil, t, depth))
}

// arrange places the panels, or the one that has the whole screen.
func arrange(w, h int, all []panel.Panel, full string) layout.Screen {
	if full == "" {
		return layout.Arrange(w, h, panel.Wants(all))
	}
	s := layout.Arrange(w, h, nil)
	top, bottom := 1, h
	if s.Footer >= 0 {
		bottom--
	}
	framed := h >= 6
	if s.Axis = -1; framed {
		s.Axis = bottom - 1
	}
	c := layout.Column{X: 0, Y: top, W: w, H: bottom - top, Framed: framed}
	b := layout.Box{ID: full, X: 0, Y: top, W: w, H: bottom - top}
	if framed {
		b = layout.Box{ID: full, X: 1, Y: top + 1, W: w - 2, H: bottom - top - 2, Titled: true}
	}
	c.Boxes = []layout.Box{b}
	s.Columns = []layout.Column{c}
	return s
}

// setAxis lays the one time axis over the first column.
func setAxis(pv *panel.View, arr layout.Screen, snap *model.Snapshot, v ViewState) Axis {
	c := arr.Columns[0]
	x := c.X + pv.Left
	pv.Right = 9
	inner := c.W
	if c.Framed {
		pv.Right, inner = 1, c.W-2
		if c.W >= wideColumn {
			pv.Right = 12
		}
		x++
	}
	pv.Cols = max(inner-pv.Left-pv.Right, 1)
	pv.From, pv.Step = columns(snap, v, pv.Cols)
	pv.Newest = min(max(int(snap.Now.Sub(pv.From)/pv.Step), 0), pv.Cols-1)
	if v.Cursor != 0 {
		i := int(v.Cursor.Sub(pv.From) / pv.Step)
		pv.Cursor = min(max(i, 0), pv.Cols-1)
	}
	return Axis{From: pv.From, Step: pv.Step, Cols: pv.Cols, Newest: pv.Newest, X: x}
}

// shiftEvery is how long the charts stand still before they move on by some
// columns at once: moving them costs a line more than all that is new on them.
const shiftEvery = 6 * time.Second

// columns is the start and column width of a time axis of cols columns. Columns
// lie on absolute boundaries, so that only the newest one changes between two
// shifts; a shift leaves a few columns free for what comes.
func columns(snap *model.Snapshot, v ViewState, cols int) (model.Instant, time.Duration) {
	window := v.Window
	if window <= 0 {
		window = max(snap.Now.Sub(snap.Start), 30*time.Second) * 10 / 9 // a step may hold a tenth less: not here
	}
	end := snap.Now
	if v.End != 0 {
		end = v.End
	}
	least := 100 * time.Millisecond
	// Only the last five minutes are kept in tenths of a second, the last hour in seconds.
	switch back := snap.Now.Sub(end) + window; {
	case back > 58*time.Minute:
		least = 10 * time.Second
	case back > 285*time.Second:
		least = time.Second
	}
	step := draw.ColumnStep(window, cols, least)
	free := step * min((shiftEvery+step-1)/step, time.Duration(max(cols/16, 1)))
	edge := end.Floor(free).Add(free)
	return edge.Add(-time.Duration(cols) * step), step
}

// sides draws the frame beside a box.
func sides(g *draw.Grid, c layout.Column, b layout.Box) {
	for row := b.Y; row < b.Y+b.H; row++ {
		g.Put(c.X, row, '│', themes.Faint)
		g.Put(c.X+c.W-1, row, '│', themes.Faint)
	}
}

// titleLine draws a box's upper edge with its title and notes.
func titleLine(g *draw.Grid, c layout.Column, i int, h panel.Head, focus bool) {
	b := c.Boxes[i]
	y := b.Y - 1
	left, right := '├', '┤'
	if i == 0 {
		left, right = '┌', '┐'
	}
	line := themes.Faint
	if focus {
		line = themes.Accent
	}
	for x := c.X + 1; x < c.X+c.W-1; x++ {
		g.Put(x, y, '─', line)
	}
	g.Put(c.X, y, left, themes.Faint)
	g.Put(c.X+c.W-1, y, right, themes.Faint)
	role := themes.Title
	if focus {
		role = themes.Accent
	}
	x := g.WriteBold(c.X+2, y, role, " "+draw.Fit(h.Title, c.W-6)+" ")
	notes := h.Notes
	width := func() int {
		n := 2 * (len(notes) - 1)
		for _, s := range notes {
			n += draw.Width(s.Text)
		}
		return n
	}
	for len(notes) > 0 && x+1+width()+4 > c.X+c.W {
		notes = notes[:len(notes)-1]
	}
	if len(notes) == 0 {
		return
	}
	at := c.X + c.W - 3 - width()
	g.Put(at-1, y, ' ', line)
	for i, s := range notes {
		if i > 0 {
			at = g.Write(at, y, line, "  ")
		}
		at = writeSpan(g, at, y, s)
	}
	g.Put(at, y, ' ', line)
}

func writeSpan(g *draw.Grid, x, y int, s panel.Span) int {
	if s.Bold {
		return g.WriteBold(x, y, s.Role, s.Text)
	}
	return g.Write(x, y, s.Role, s.Text)
}

func closeColumn(g *draw.Grid, c layout.Column) {
	bottom := c.Y + c.H - 1
	first := c.Y
	if n := len(c.Boxes); n > 0 {
		first = c.Boxes[n-1].Y + c.Boxes[n-1].H
	}
	for y := first; y < bottom; y++ {
		g.Put(c.X, y, '│', themes.Faint)
		g.Put(c.X+c.W-1, y, '│', themes.Faint)
	}
	for x := c.X + 1; x < c.X+c.W-1; x++ {
		g.Put(x, bottom, '─', themes.Faint)
	}
	g.Put(c.X, bottom, '└', themes.Faint)
	g.Put(c.X+c.W-1, bottom, '┘', themes.Faint)
}
