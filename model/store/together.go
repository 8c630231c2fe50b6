package store

import (
	"slices"
	"strconv"
	"strings"

	"benchtop/model"
)

// What several load streams tell of themselves adds up like their requests do:
// two that hold 8 and 20 in flight are one client that holds 28.

// said is what one stream told last of something that adds up.
type said struct {
	at    model.Instant
	value float64
}

// gauges are the client's gauges that add up.
var gauges = []model.SeriesID{model.ClientTarget, model.ClientOpenConns, model.ClientQueued, model.ClientGaugeInFlight}

// together ends the origin of a setting that is a sum.
const together = " load streams together"

// settings are the settings of load streams that add up.
var settings = []string{"target_concurrency", "client_connections", "rate_rps"}

// speak widens the time in which the stream told anything.
func (s *source) speak(at model.Instant) {
	if at <= 0 {
		return
	}
	if s.first == 0 || at < s.first {
		s.first = at
	}
	s.last = max(s.last, at)
}

// spoke reports whether the stream was there at a time: one that has ended, such
// as a file that was read whole, was there from its first word to its last.
func (s *source) spoke(at model.Instant) bool {
	return !s.end || s.first <= at && at <= s.last
}

// together adds up what the streams that keep names told; of one generator's
// outputs only the newest word counts. of is how many generators told it.
func (s *Store) together(keep func(*source) bool, get func(*source) (said, bool)) (sum float64, of int) {
	newest := make(map[uint64]said, 1)
	for _, src := range s.inOrder() {
		v, ok := get(src)
		switch {
		case !ok || !keep(src):
		case src.party == 0:
			sum, of = sum+v.value, of+1
		default:
			if old, told := newest[src.party]; !told || v.at >= old.at {
				newest[src.party] = v
			}
		}
	}
	for _, v := range newest {
		sum, of = sum+v.value, of+1
	}
	return sum, of
}

// gauge books one of the client's gauges and returns what all streams say
// together. What the user declared stands for the whole of them.
func (s *Store) gauge(e *model.Event) float64 {
	mine := s.source(e.Source)
	if mine.gauges == nil {
		mine.gauges = make(map[model.SeriesID]said, len(gauges))
	}
	if e.At >= mine.gauges[e.Series].at {
		mine.gauges[e.Series] = said{e.At, e.Value}
	}
	sum, of := s.together(func(src *source) bool { return src.spoke(e.At) }, gaugeOf(e.Series))
	if whole, ok := s.asked["target_concurrency"]; ok && of > 1 && e.Series == model.ClientTarget {
		return whole.Value
	}
	if of == 0 { // more sources than are kept
		return e.Value
	}
	return sum
}

func gaugeOf(id model.SeriesID) func(*source) (said, bool) {
	return func(src *source) (said, bool) { v, ok := src.gauges[id]; return v, ok }
}

func settingOf(name string) func(*source) (said, bool) {
	return func(src *source) (said, bool) { v, ok := src.settings[name]; return v, ok }
}

// setting books a setting. One that adds up, as a load stream tells it, becomes
// what all of them say.
func (s *Store) setting(n *model.Note) {
	src := s.source(n.Source)
	if src.info.Kind != model.KindLoad || !slices.Contains(settings, n.Name) {
		if strings.HasPrefix(n.Text, "--") || strings.HasPrefix(n.Text, "run file") {
			if s.asked == nil {
				s.asked = make(map[string]model.Setting)
			}
			s.asked[n.Name] = model.Setting{Value: n.Value, From: n.Text}
		}
		s.declare(n)
		return
	}
	at := n.At
	if at <= 0 {
		at = n.Seen
	}
	src.speak(at)
	if src.settings == nil {
		src.settings = make(map[string]said, len(settings))
	}
	src.settings[n.Name] = said{at, n.Value}
	if s.sumUp(n, func(src *source) bool { return src.spoke(at) }) {
		s.set(n)
		return
	}
	s.declare(n)
}

// sumUp makes a note say what the streams that keep names declare together, and
// reports whether it is the word of several.
func (s *Store) sumUp(n *model.Note, keep func(*source) bool) bool {
	sum, of := s.together(keep, settingOf(n.Name))
	if of < 2 {
		if of == 1 {
			n.Value = sum
		}
		return false
	}
	n.Value, n.Text = sum, strconv.Itoa(of)+together
	if whole, ok := s.asked[n.Name]; ok {
		n.Value, n.Text = whole.Value, whole.From
	}
	return true
}

// leaves takes a stream that has ended out of what the others hold. When all
// have ended, what they declared is what those declared that were there when
// the last of them began.
func (s *Store) leaves(gone *source, at model.Instant) {
	speaks := func(src *source) bool { return !src.end }
	for _, id := range gauges {
		if _, ok := gone.gauges[id]; !ok {
			continue
		}
		sum, of := s.together(speaks, gaugeOf(id))
		if of == 0 && id == model.ClientTarget {
			sum, of = s.together(s.thereAtLast(gaugeOf(id)), gaugeOf(id))
		}
		if of > 0 && at >= s.wholeTrack(id).lastAt {
			if whole, ok := s.asked["target_concurrency"]; ok && id == model.ClientTarget {
				sum = whole.Value
			}
			s.wholeTrack(id).level(at, sum)
		}
	}
	for _, name := range settings {
		if _, ok := gone.settings[name]; !ok {
			continue
		}
		keep := speaks
		if _, of := s.together(speaks, settingOf(name)); of == 0 {
			keep = s.thereAtLast(settingOf(name))
		}
		s.restate(name, at, keep)
	}
}

// thereAtLast picks the streams that were there when the last of those began
// that tell something.
func (s *Store) thereAtLast(get func(*source) (said, bool)) func(*source) bool {
	latest := model.Instant(0)
	for _, src := range s.sources {
		if _, ok := get(src); ok {
			latest = max(latest, src.first)
		}
	}
	return func(src *source) bool { return src.first <= latest && latest <= src.last }
}

// restate sets a setting anew to what the streams that keep names declare. The
// user's word stands.
func (s *Store) restate(name string, at model.Instant, keep func(*source) bool) {
	old := s.run.Config[name]
	if strings.HasPrefix(old.From, "--") || strings.HasPrefix(old.From, "run file") {
		return
	}
	sum, of := s.together(keep, settingOf(name))
	if of == 0 {
		return
	}
	n := model.Note{At: at, Kind: model.NoteConfig, Name: name, Value: sum, Text: old.From}
	if of == 1 && strings.HasSuffix(old.From, together) {
		n.Text = "the load stream that is left"
	}
	s.sumUp(&n, keep)
	s.set(&n)
}
