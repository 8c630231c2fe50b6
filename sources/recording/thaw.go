package recording

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"benchtop/model"
)

// thaw gives back the events of one thinned second: as many as there were, with
// times and values that have the counts of those that were told. The numbers in
// it may be lies; what it gives is bounded by thinMost.
type thaw struct {
	groups []*thawGroup
	key    uint64
	left   uint64
}

// run is a number that comes so many times.
type run struct {
	at int64 // a slot, or the upper bits of a value
	n  uint64
}

// thawGroup is one series of one source.
type thawGroup struct {
	thinID
	known         bool
	left, pairs   uint64
	delay         int64
	sum, most     float64 // sum: what each value lacks of the true one
	slots, values []run
	inSlot        uint64 // given of slots[0]
	at            model.Instant
	fixed         model.Event // a level: all there is
	mate          *thawGroup  // the begins told with these ends, and the other way
}

// thawer reads a payload.
type thawer struct {
	p   []byte
	bad bool
}

func (t *thawer) uvarint() uint64 {
	u, n := binary.Uvarint(t.p)
	if n <= 0 {
		t.bad, t.p = true, nil
		return 0
	}
	t.p = t.p[n:]
	return u
}

func (t *thawer) float() float64 {
	if len(t.p) < 8 {
		t.bad, t.p = true, nil
		return 0
	}
	v := math.Float64frombits(binary.LittleEndian.Uint64(t.p))
	t.p = t.p[8:]
	return v
}

// runs reads a table of counts whose counts add up to n.
func (t *thawer) runs(n uint64, signed bool) (out []run) {
	count := t.uvarint()
	if count > uint64(len(t.p))/2 {
		t.bad = true
		return nil
	}
	var key int64
	for i := range count {
		u := t.uvarint()
		switch {
		case i == 0 && signed:
			key = unzigzag(u)
		default:
			key += int64(u)
		}
		r := run{key, t.uvarint()}
		if r.n == 0 || r.n > n {
			t.bad = true
			return nil
		}
		n -= r.n
		out = append(out, r)
	}
	t.bad = t.bad || n != 0
	return out
}

// newThaw reads the payload of a thinned block. series and known translate the
// file's ids.
func newThaw(p []byte, series []model.SeriesID, known []bool) (*thaw, error) {
	t := thawer{p: p}
	out := &thaw{key: 1 << 63}
	n := t.uvarint()
	if n > thinGroups {
		return nil, errRecord
	}
	for range n {
		g := t.group(series, known)
		if t.bad || g.left > thinMost-out.left {
			return nil, errRecord
		}
		if g.known {
			out.left += g.left
			out.groups = append(out.groups, g)
		}
	}
	out.pair()
	return out, nil
}

func (t *thawer) group(series []model.SeriesID, known []bool) *thawGroup {
	g := &thawGroup{}
	if len(t.p) == 0 {
		t.bad = true
		return g
	}
	flags := t.p[0]
	t.p = t.p[1:]
	g.kind, g.late = model.Kind(flags&0x0f), flags&defLate != 0
	id := t.uvarint()
	g.source = model.SourceID(t.uvarint())
	if id < uint64(len(series)) && known[id] {
		g.series, g.known = series[id], true
	}
	if g.kind == model.Level {
		at := model.Instant(unzigzag(t.uvarint()))
		seen := at + model.Instant(unzigzag(t.uvarint()))
		g.left, g.at = 1, at
		g.fixed = model.Event{At: at, Seen: seen, Series: g.series, Source: g.source, Kind: model.Level, Late: g.late, Value: t.float()}
		return g
	}
	g.known = g.known && (g.kind == model.Begin || g.kind == model.End || g.kind == model.Observe)
	g.left = t.uvarint()
	if g.left > thinMost {
		t.bad = true
		return g
	}
	g.pairs, g.delay = min(t.uvarint(), g.left), unzigzag(t.uvarint())
	g.sum, g.most = t.float(), t.float()
	g.slots, g.values = t.runs(g.left, true), t.runs(g.left, false)
	g.balance()
	g.place()
	return g
}

// balance finds out how far the middles of the bins are from the true sum; each
// value makes up for its share of that.
func (g *thawGroup) balance() {
	n := 0.0
	for _, r := range g.values {
		if uint64(r.at) == thinNaN {
			continue
		}
		v, k := middle(uint64(r.at)), float64(r.n)
		if g.holdsMost(r.at) {
			k--
			g.sum -= g.most
		}
		g.sum -= v * k
		n += k
	}
	if g.sum /= n; n == 0 || math.IsNaN(g.sum) || math.IsInf(g.sum, 0) {
		g.sum = 0
	}
}

// holdsMost reports whether the exact largest value lies in a bin.
func (g *thawGroup) holdsMost(bits int64) bool {
	return !math.IsInf(g.most, 0) && !math.IsNaN(g.most) && math.Float64bits(g.most)>>thinShift == uint64(bits)
}

// middle is the value that stands for a bin: a whole number where the bin holds
// just one, so that token counts come back exactly.
func middle(bits uint64) float64 {
	lo, hi := math.Float64frombits(bits<<thinShift), math.Float64frombits((bits+1)<<thinShift)
	if bits == 0 || lo == math.Trunc(lo) && math.Abs(hi-lo) <= 1 || math.IsNaN(lo+hi) || math.IsInf(lo+hi, 0) {
		return lo
	}
	return (lo + hi) / 2
}

// place sets when the next event is.
func (g *thawGroup) place() {
	if g.left == 0 || len(g.slots) == 0 {
		g.at = model.Instant(math.MaxInt64)
		return
	}
	s := g.slots[0]
	g.at = model.Instant(s.at*thinSlot + int64((2*float64(g.inSlot)+1)/(2*float64(s.n))*thinSlot))
}

// next takes the group's next event.
func (g *thawGroup) next(key uint64) model.Event {
	if g.kind == model.Level {
		g.left = 0
		return g.fixed
	}
	ev := model.Event{At: g.at, Seen: g.at + model.Instant(g.delay), Series: g.series, Source: g.source, Key: key, Kind: g.kind, Late: g.late, Value: g.value()}
	g.left--
	if g.inSlot++; g.inSlot == g.slots[0].n {
		g.slots, g.inSlot = g.slots[1:], 0
	}
	g.place()
	return ev
}

// value is the next value: the middle of its bin and what makes up the sum, and
// the exact largest for one.
func (g *thawGroup) value() float64 {
	if len(g.values) == 0 {
		return 0
	}
	r := &g.values[0]
	bits, last := r.at, r.n == 1
	if r.n--; last {
		g.values = g.values[1:]
	}
	switch {
	case uint64(bits) == thinNaN:
		return math.NaN()
	case last && g.holdsMost(bits):
		return g.most
	}
	return middle(uint64(bits)) + g.sum
}

// fill appends events to b, in the order of their times.
func (t *thaw) fill(b *model.Batch) {
	for len(b.Events) < model.BatchCap-1 {
		var g *thawGroup
		for _, x := range t.groups {
			if x.left > 0 && !x.waits() && (g == nil || x.at < g.at) {
				g = x
			}
		}
		if g == nil {
			if g = t.rest(); g == nil {
				t.left = 0
				return
			}
		}
		t.key++
		ev := g.next(t.key)
		if g.kind == model.End && g.pairs > 0 && g.mate != nil && g.mate.left > 0 {
			begin := g.mate.next(t.key)
			begin.Seen = ev.Seen
			b.Events = append(b.Events, begin)
			g.pairs--
		}
		b.Events = append(b.Events, ev)
	}
}

// waits reports whether a group's begins go out with their ends.
func (g *thawGroup) waits() bool {
	return g.kind == model.Begin && g.mate != nil && g.mate.left > 0 && g.mate.pairs > 0
}

// pair finds the begins that belong to each group of ends.
func (t *thaw) pair() {
	for _, end := range t.groups {
		if end.kind != model.End || end.pairs == 0 {
			continue
		}
		for _, x := range t.groups {
			if x.kind == model.Begin && x.source == end.source && x.late == end.late {
				end.mate, x.mate = x, end
			}
		}
	}
}

// rest is any group that still has something.
func (t *thaw) rest() *thawGroup {
	for _, x := range t.groups {
		if x.left > 0 {
			return x
		}
	}
	return nil
}

// thinnedNote tells the run that what stands from first to last was thinned.
func thinnedNote(first, last model.Instant) model.Note {
	return model.Note{
		At: last, Seen: last, Kind: model.NoteRun, Name: model.FactThinned, Value: last.Sub(first).Seconds(),
		Text: fmt.Sprintf("above %d requests a second single requests are recorded as counts (times within %s, values within 0.05 %%); there the recorded verdicts are shown", ThinAbove, time.Duration(thinSlot)),
	}
}
