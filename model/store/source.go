package store

import (
	"math"
	"strings"
	"time"

	"benchtop/model"
)

// Placing by a source's own clock is trusted while the smallest delay between
// its stamp and our reading of it stays in this range of seconds.
const (
	skewLow  = -0.1
	skewHigh = 2.0
)

// source is what is known about one producer.
type source struct {
	info  model.SourceInfo
	skews [7]skewCell // smallest Seen − At in cells of 10 s
	shift model.Instant
	every float64 // seconds between what it tells, smoothed; 0 if unknown
	told  int     // spacings behind it
	end   bool

	recent [16]readCell // lines or polls read in each of the last seconds
	began  model.Instant

	unread float64 // lines of a log in which nothing is recognised, 0 if that is not so
	hint   string  // what would help

	// Of a load stream.
	open    int64         // requests in flight by its own events
	bar     float64       // requests finished by its bar
	apart   *track        // the same over time, where it is one of several; else nil
	horizon model.Instant // up to where it told them all; 0 if it doesn't say
	how     string        // how it knows what is in flight, "" if it doesn't say
	ended   uint64        // requests that ended by its events
	party   uint64        // the generator that it is one output of; 0 if it is all there is of it
	report  *report       // what it says of the whole run; nil if nothing
	blind   []string      // the kinds of failure that its format doesn't tell apart

	first, last model.Instant           // its first and last word of the client, in its own time; 0 if none
	gauges      map[model.SeriesID]said // the gauges that add up
	settings    map[string]said         // the settings that add up
}

type skewCell struct {
	n   int64
	min float64
}

// readCell is what was read in second n.
type readCell struct {
	n    int64
	read float64
}

func newSource(id model.SourceID) *source {
	return &source{info: model.SourceInfo{ID: id, Skew: math.NaN()}}
}

// skew takes the delay of one record told at its end and returns the shift
// that its times need: nothing while the smallest delay of the last minute is
// plausible, else that delay.
func (s *source) skew(ev *model.Event) {
	least := s.delay(ev.Seen, ev.Seen.Seconds(ev.At))
	s.shift = 0
	if least < skewLow || least > skewHigh {
		s.shift = model.Instant(least * 1e9)
	}
}

// place moves a word of the client to where our clock had it.
func (s *source) place(ev *model.Event) {
	if ev.Kind == model.End && !ev.Late {
		s.skew(ev)
	}
	if !ev.Late {
		ev.At += s.shift
	}
	s.speak(ev.At)
}

// delay books one delay between a stamp and our reading of it, and returns the
// smallest of the last minute: delay only adds.
func (s *source) delay(seen model.Instant, d float64) float64 {
	n := int64(seen) / 10_000_000_000
	c := &s.skews[n%int64(len(s.skews))]
	if c.n != n {
		*c = skewCell{n, d}
	}
	c.min = min(c.min, d)
	least := math.Inf(1)
	for _, k := range s.skews {
		if n-k.n < 6 && k.n != 0 {
			least = min(least, k.min)
		}
	}
	s.info.Skew = least
	return least
}

// heard books that the source told something that is not history.
func (s *source) heard(ev *model.Event) {
	if ev.Seen <= s.info.LastSeen {
		return
	}
	if d := ev.Seen.Seconds(s.info.LastSeen); s.info.LastSeen != 0 && d > 0.02 && !ev.Late {
		s.told++
		if s.every == 0 {
			s.every = d
		} else {
			s.every += 0.2 * (min(d, 5*s.every) - s.every)
		}
	}
	s.info.LastSeen = ev.Seen
}

// What makes a source stale: the floor is for those that poll many times a
// second, the spacings so that an interval is known at all.
const (
	staleFloor = 5.0 // seconds
	staleTold  = 3
)

// stale reports how long a source that speaks at even intervals has been
// silent, if that is too long. A load stream speaks when requests do, and has a
// finding of its own; a log may be silent while there is nothing to do.
func (s *source) stale(now model.Instant, intervals float64, traffic bool) (model.StaleSource, bool) {
	switch k := s.info.Kind; {
	case s.info.State == model.Ended, s.told < staleTold:
		return model.StaleSource{}, false
	case k == model.KindMetrics, k == model.KindGPU, k == model.KindHost, k == model.KindServerLog && traffic:
	default:
		return model.StaleSource{}, false
	}
	g := model.StaleSource{Name: s.info.Name, Kind: s.info.Kind, Silence: now.Seconds(s.info.LastSeen), Interval: s.every}
	return g, g.Silence > max(staleFloor, intervals*s.every)
}

// describe takes a NoteSource.
func (s *source) describe(n *model.Note) {
	format, label, _ := strings.Cut(n.Text, "|")
	s.info.Name, s.info.Kind = n.Name, model.SourceKind(n.Value)
	if format != "" {
		s.info.Format = format
	}
	if label != "" {
		s.info.Label = label
	}
}

// count books one of the source's own counters.
func (s *source) count(ev *model.Event) {
	switch ev.Series {
	case model.SourceLines:
		s.info.Lines += ev.Value
		s.paced(ev)
	case model.SourceMatched:
		s.info.Matched += ev.Value
	case model.SourceBytes:
		s.info.Bytes += ev.Value
	case model.SourceDropped:
		s.info.Dropped += ev.Value
	case model.SourceErrors:
		s.info.Errored += ev.Value
	}
}

// historyS is how many seconds after it was opened a log's lines are taken for
// what it held before.
const historyS = 2

// logged puts what a server's log grew by into the run's own series.
func (s *Store) logged(src *source, ev *model.Event) {
	if src.info.Kind != model.KindServerLog || src.began == 0 || ev.Seen.Sub(src.began) < historyS*time.Second {
		return
	}
	switch ev.Series {
	case model.SourceLines:
		s.wholeTrack(model.ServerLogLines).add(ev.Seen, ev.Value)
	case model.SourceBytes:
		s.wholeTrack(model.ServerLogBytes).add(ev.Seen, ev.Value)
	}
}

// rateS is over how many whole seconds a source's rate is taken.
const rateS = 10

// paced books lines or polls for the rate.
func (s *source) paced(ev *model.Event) {
	if s.began == 0 {
		s.began = ev.Seen
	}
	n := int64(ev.Seen) / 1e9
	c := &s.recent[n&15]
	if c.n != n {
		*c = readCell{n: n}
	}
	c.read += ev.Value
}

// rate is how many lines or polls a second there were in the last whole
// seconds, NaN before there is one.
func (s *source) rate(now model.Instant) float64 {
	end := int64(now) / 1e9
	from := max(end-rateS, int64(s.began)/1e9)
	if s.began == 0 || from >= end {
		return math.NaN()
	}
	total := 0.0
	for _, c := range s.recent {
		if c.n >= from && c.n < end {
			total += c.read
		}
	}
	return total / float64(end-from)
}

const samplesShown = 5

func (s *source) badLine(n *model.Note) {
	if len(s.info.Samples) >= samplesShown {
		copy(s.info.Samples, s.info.Samples[1:])
		s.info.Samples = s.info.Samples[:samplesShown-1]
	}
	s.info.Samples = append(s.info.Samples, *n)
}
