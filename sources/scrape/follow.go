package scrape

import (
	"bytes"
	"context"
	"fmt"
	"net/http"

	"benchtop/model"
	"benchtop/sources"
)

// LineReader follows a file, and calls back from its own goroutine until ctx ends
// or, if it is not followed, at its end.
type LineReader func(ctx context.Context, h LineHandler) error

// LineHandler takes what a LineReader reads.
type LineHandler struct {
	Line    func(text []byte, seen model.Instant) // without its end; valid during the call
	Flush   func()                                // no more lines for the moment
	Quiet   func()                                // nothing came for a second
	Trouble func(why string)                      // it can't be read at the moment
	Anew    func(why string)                      // what follows is another file's
}

// SavedSource follows a file to which somebody else appends scrapes, each
// headed by a line `# scrape RFC3339-TIME status=200 took_ms=4.7`: where this
// machine can't reach the endpoint, or must not ask it. A scrape counts at the
// time of its head, once the next one begins or nothing came for a second.
type SavedSource struct {
	Place string // what the user gave, for messages
	Label string // which server it is of, "" if there is only one
	Read  LineReader
	// Whole says that the file is read from its start, so that its first lines
	// are no rest of a scrape begun before.
	Whole bool
}

// Name implements sources.Source.
func (s *SavedSource) Name() string { return s.Place }

// Run implements sources.Source. It ends with ctx and, unless the file is
// followed, at its end. Metrics in front of the first head are an error where
// the file is read from its start: they can't be placed in time.
func (s *SavedSource) Run(ctx context.Context, out *sources.Outlet) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	out.SetPolicy(sources.Block)
	now := sources.Now()
	out.Describe(now, s.Place, model.KindMetrics, "", s.Label)
	out.State(now, model.Starting, "")
	out.Flush()
	f := &gathering{SavedSource: s, out: out, meter: NewMeter(), stop: stop, whole: s.Whole}
	err := s.Read(ctx, LineHandler{Line: f.line, Flush: f.flush, Quiet: f.quiet, Trouble: f.trouble, Anew: f.anew})
	now = sources.Now()
	f.apply(now)
	f.meter.Gap(now, out) // its gauges are unknown from here on
	out.FlushAt(now)
	if f.why != nil {
		return sources.Final(fmt.Errorf("%s: %w", s.Place, f.why))
	}
	return err
}

// gathering is the state of one Run.
type gathering struct {
	*SavedSource
	out    *sources.Outlet
	meter  *Meter
	stop   context.CancelFunc
	cur    saved // the scrape that is being read
	inside bool  // cur is valid
	fresh  bool  // cur has lines that were not applied yet
	booked bool  // cur was applied, with fewer lines
	lines  int   // of cur
	usual  int   // lines of the newest good scrape, 0 before the first
	first  bool  // cur is the first good scrape
	whole  bool  // what stands before the first head is no rest of a scrape
	up     bool  // its state is told as running
	format string
	why    error // why nothing more is read
}

// line takes one line of the file.
func (g *gathering) line(text []byte, seen model.Instant) {
	if head, ok := parseHead(text); ok {
		g.apply(seen)
		head.body = g.cur.body[:0]
		g.cur, g.inside, g.fresh = head, true, true
		g.booked, g.lines, g.first = false, 0, g.usual == 0
		return
	}
	switch {
	case !g.inside:
		if g.whole && g.why == nil && hasMetric(text) {
			g.why = errNoHead
			g.stop()
		}
		return // the rest of a scrape whose head was written before we came
	case len(g.cur.body)+len(text) > MaxBody:
		g.cur.tooLarge = true
		return
	}
	g.cur.body = append(append(g.cur.body, text...), '\n')
	g.fresh = true
	g.lines++
}

// apply books the scrape read so far. It is kept: if more of it comes, it is
// booked again as a whole, which adds nothing twice. The first scrape's counters
// are baselines: those that come late are so too, and did not start at zero.
func (g *gathering) apply(seen model.Instant) {
	if !g.inside || !g.fresh {
		return
	}
	g.fresh = false
	var x *Exposition
	var why error
	if g.cur.good() {
		x, why = parseBytes(bytes.Clone(g.cur.body)) // reading may rewrite it
	}
	if x != nil {
		g.usual = g.lines
		if g.first && g.booked {
			g.meter.forget()
		}
	}
	emitSaved(g.out, g.meter, &g.cur, x, why, seen)
	g.booked = true
	if e := g.meter.Engine(); e != "" && e != g.format {
		g.format = e
		g.out.Describe(seen, g.Place, model.KindMetrics, e, g.Label)
	}
	g.tell(seen, why)
}

// tell says a state once, until it changes.
func (g *gathering) tell(at model.Instant, why error) {
	switch {
	case g.cur.good() && why == nil:
		if !g.up {
			g.out.State(at, model.Running, "")
		}
		g.up = true
	default:
		if why == nil {
			why = fmt.Errorf("the scrape saved there failed (status %d; 0 is no answer)", g.cur.status)
			if g.cur.tooLarge {
				why = ErrTooLarge
			}
		}
		g.up = false
		state := model.Retrying
		if g.cur.status == http.StatusServiceUnavailable { // the server loads its model
			state = model.Starting
		}
		g.out.State(at, state, why.Error())
	}
}

func (g *gathering) flush() { g.out.FlushAt(sources.Now()) }

// quiet is called each second in which nothing came. A scrape with fewer lines
// than the one before is likely to be half written: a writer that keeps back
// what fills no block leaves it so until its next scrape. Booked as it is, the
// counters that it lacks would look like those of a server that started over.
func (g *gathering) quiet() {
	if g.lines >= g.usual || !g.cur.good() {
		g.apply(sources.Now())
	}
	g.flush()
}

func (g *gathering) trouble(why string) {
	g.up = false
	g.out.State(sources.Now(), model.Retrying, why)
	g.flush()
}

func (g *gathering) anew(why string) {
	now := sources.Now()
	g.apply(now)
	g.inside, g.whole = false, false // a file cut down as it was written may begin with a scrape's rest
	g.out.Note(model.Note{At: now, Seen: now, Kind: model.NoteMark, Name: model.MarkRotated, Text: why})
	g.flush()
}
