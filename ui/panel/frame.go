package panel

import (
	"math"
	"time"

	"benchtop/model"
	"benchtop/themes"
	"benchtop/ui/draw"
)

// Frame is what a panel draws from and on.
type Frame struct {
	Snap *model.Snapshot
	View *View
	Grid *draw.Grid
}

// View is what the user looks at and how: the same for all panels of a frame.
type View struct {
	Figures *model.Snapshot // the newest whole second's snapshot: numbers in words are read from it

	// The one time axis of all charts: Cols columns of width Step from From on,
	// drawn from column Left of a panel; the rest to the right is Right wide.
	From  model.Instant
	Step  time.Duration
	Cols  int
	Left  int
	Right int

	Newest int // column that holds now, or else the last one

	Cursor  int    // column looked at, -1 for none
	Follow  bool   // the right edge is now
	Lines   bool   // concurrency as lines rather than areas
	AllGPUs bool   // a panel of its own shows every GPU
	Framed  bool   // the title line is drawn; without it a panel names itself
	Full    bool   // the panel has the whole screen
	Scroll  int    // lines scrolled down in a list
	Filter  string // events shown have it in their class or text

	Paused bool
	Behind float64 // seconds the picture is behind the run, while paused
	Late   float64 // seconds the run's newest snapshot is behind the clock, 0 while it keeps up
	Replay bool
	Still  bool           // one picture of a recording
	Speed  float64        // of a replay
	Zone   *time.Location // of clock times
	Title  string         // replaces the run's label in the header

	reads map[read][]model.Bucket // tracks already laid over the axis in this frame
}

// read is a track laid over the axis, as it is or with its gaps filled.
type read struct {
	track *model.Track
	held  bool
}

// buckets lays a track over the time axis; several panels of a frame may ask
// for the same one. They must not change it.
func (f Frame) buckets(t *model.Track, held bool) []model.Bucket {
	v := f.View
	key := read{t, held}
	if b, ok := v.reads[key]; ok {
		return b
	}
	b := make([]model.Bucket, v.Cols)
	if held {
		t.Held(b, v.From, v.Step, f.reach(t), f.Snap.Now)
	} else {
		t.Columns(b, v.From, v.Step)
	}
	if v.reads == nil {
		v.reads = map[read][]model.Bucket{}
	}
	v.reads[key] = b
	return b
}

// Span is a piece of a line in one role.
type Span struct {
	Text string
	Role themes.Role
	Bold bool
}

// Head is a panel's title line.
type Head struct {
	Title string
	Notes []Span // at the right, as many as fit
}

// spans writes pieces one after the other, two columns apart, as long as whole
// ones fit into w columns from x.
func spans(g *draw.Grid, x, y, w int, pieces []Span) int {
	end := x + w
	for i, p := range pieces {
		at := x
		if i > 0 {
			at += 2
		}
		if at+draw.Width(p.Text) > end {
			break
		}
		if p.Bold {
			x = g.WriteBold(at, y, p.Role, p.Text)
		} else {
			x = g.Write(at, y, p.Role, p.Text)
		}
	}
	return x
}

// plot is the part of the grid that lies on the time axis: h rows from y on.
func (f Frame) plot(y, h int) *draw.Grid { return f.Grid.Sub(f.View.Left, y, f.View.Cols, h) }

// mean, peak and sum read a bucket; absent is NaN.
func mean(b model.Bucket) float64 { return b.Mean() }

func peak(b model.Bucket) float64 {
	if b.N == 0 {
		return math.NaN()
	}
	return float64(b.Max)
}

func least(b model.Bucket) float64 {
	if b.N == 0 {
		return math.NaN()
	}
	return float64(b.Min)
}

func sum(b model.Bucket) float64 {
	if b.N == 0 {
		return math.NaN()
	}
	return float64(b.Sum)
}

// columns reads a track along the time axis; nil is all gaps.
func (f Frame) columns(t *model.Track, of func(model.Bucket) float64) []float64 {
	out := gaps(f.View.Cols)
	if t == nil {
		return out
	}
	for i, b := range f.buckets(t, false) {
		if f.View.From.Add(time.Duration(i)*f.View.Step) <= f.Snap.Now {
			out[i] = of(b)
		}
	}
	return out
}

// held is columns with the gaps between a gauge's samples filled.
func (f Frame) held(t *model.Track, of func(model.Bucket) float64) []float64 {
	out := gaps(f.View.Cols)
	if t == nil {
		return out
	}
	raw, buckets := f.buckets(t, false), f.buckets(t, true)
	for i := range buckets {
		if raw[i].N > 0 {
			out[i] = of(raw[i])
		} else if buckets[i].N > 0 {
			out[i] = of(buckets[i])
		}
	}
	return out
}

// reach is for how long a track's value stands for what comes after it: the
// track's own spacing decides (0), or else the server's.
func (f Frame) reach(t *model.Track) time.Duration {
	if sig := f.Snap.Signals; t.Period == 0 && sig != nil && sig.Server.Interval > 0 && t.Series.Describe().Side == model.SideServer {
		return time.Duration(sig.Server.Interval * 2.5 * float64(time.Second))
	}
	return 0
}

func gaps(n int) []float64 {
	out := make([]float64, max(n, 0))
	for i := range out {
		out[i] = math.NaN()
	}
	return out
}

// most is the biggest value, NaN if there is none.
func most(vals ...[]float64) float64 {
	m := math.NaN()
	for _, v := range vals {
		for _, x := range v {
			if !math.IsNaN(x) && !(x <= m) {
				m = x
			}
		}
	}
	return m
}

// fewest is the smallest value, NaN if there is none.
func fewest(vals []float64) float64 {
	m := math.NaN()
	for _, x := range vals {
		if !math.IsNaN(x) && !(x >= m) {
			m = x
		}
	}
	return m
}

// looked is the value at the cursor, or else the newest one.
func (f Frame) looked(vals []float64) float64 {
	if c := f.View.Cursor; c >= 0 && c < len(vals) {
		return vals[c]
	}
	last := min(f.View.Newest, len(vals)-1)
	for i := last; i >= max(0, last-2); i-- {
		if !math.IsNaN(vals[i]) {
			return vals[i]
		}
	}
	return math.NaN()
}

// shown is what a chart's title says beside its name: the value at the cursor
// while there is one, else the newest of the last whole second.
func (f Frame) shown(vals []float64, now float64) float64 {
	if f.View.Cursor >= 0 {
		return f.looked(vals)
	}
	return now
}

func last(t *model.Track) float64 {
	if t == nil {
		return math.NaN()
	}
	return t.Last
}

// current is a gauge's newest value while it can still be so: what was last told
// several of its intervals ago is not what is now. A run that has ended keeps
// its last values.
func current(s *model.Snapshot, t *model.Track) float64 {
	if t == nil || t.Period > 0 && !s.Final && s.Now.Sub(t.LastAt) > 3*t.Period+5*time.Second {
		return math.NaN()
	}
	return t.Last
}

// first is the first of the values that is not NaN.
func first(vals ...float64) float64 {
	for _, v := range vals {
		if !math.IsNaN(v) {
			return v
		}
	}
	return math.NaN()
}

// zero is v, or 0 where nothing was counted.
func zero(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return v
}
