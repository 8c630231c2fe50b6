package recording

import (
	"encoding/binary"
	"math"
	"slices"

	"benchtop/model"
)

// ThinAbove is the stated rate: after a second in which more requests than this
// began or ended, what the client tells of each single request is kept as
// counts, until a second has fewer than ThinBelow. Everything else is kept
// event by event at any rate: server, GPU and host readings, notes, marks,
// ticks and verdicts.
const (
	ThinAbove = 5000
	ThinBelow = 4000
)

// The rule, for each second and each series of each source: how many events
// there were in every hundredth of a second, how many had which value to within
// 0.05 %, and their sum and largest exactly. So totals, histograms and the
// in-flight curve come back; which request was which does not.
const (
	thinSlot     = 10_000_000 // ns
	thinMantissa = 10         // bits of a value's fraction that are kept
	thinShift    = 52 - thinMantissa
	thinMost     = 1 << 22 // events of one block, so that reading it is bounded
	thinGroups   = 512     // groups of one block
	thinTables   = 20_000  // entries of one block's tables: it stays under blockTarget
)

// thinID is what the events that are counted together have in common.
type thinID struct {
	kind   model.Kind
	series model.SeriesID
	source model.SourceID
	late   bool
}

// thinGroup counts them.
type thinGroup struct {
	thinID
	n, pairs  uint64 // pairs: ends told together with their begins
	delay     int64  // smallest Seen − At
	sum, most float64
	slots     map[int64]uint64  // At ÷ thinSlot
	values    map[uint64]uint64 // the upper bits of the value; NaN by itself
	last      model.Event       // of a horizon: the newest is all that counts
}

// thinner watches the rate and, above it, takes the client's events.
type thinner struct {
	on                    bool
	second                model.Instant // whole second that is being counted
	begins, ends, thinned uint64
	groups                []*thinGroup
	used                  int
	index                 map[thinID]int
	begun                 model.Event // newest begin, to know pairs
	total, tables         uint64      // events, and entries of the groups' tables
	first, seen           model.Instant
}

// perRequest reports whether an event is about one request at the client.
func perRequest(ev *model.Event) bool {
	switch ev.Kind {
	case model.Begin, model.End:
		return true
	case model.Observe:
		return ev.Series <= model.ClientGaugeInFlight
	case model.Level:
		return ev.Series == model.ClientHorizon
	case model.Add, model.Tick, model.Gap, model.State, model.Reset:
	}
	return false
}

// turn is called at each tick. It reports whether a second is over whose counts
// are to be written now.
func (t *thinner) turn(tick model.Instant) (flush bool) {
	sec := tick - tick%1_000_000_000
	if sec <= t.second {
		return false
	}
	rate := max(t.begins, t.ends)
	if s := float64(sec-t.second) / 1e9; t.second > 0 && s > 1 {
		rate = uint64(float64(rate) / s)
	}
	t.on = rate > ThinAbove || t.on && rate >= ThinBelow
	t.second, t.begins, t.ends = sec, 0, 0
	return t.total > 0
}

// take counts an event, and keeps it from the record if it is to be thinned.
func (t *thinner) take(ev *model.Event) bool {
	switch ev.Kind {
	case model.Begin:
		t.begins++
	case model.End:
		t.ends++
	default:
	}
	if !t.on || !perRequest(ev) {
		return false
	}
	id := thinID{ev.Kind, ev.Series, ev.Source, ev.Late}
	i, ok := t.index[id]
	if !ok {
		i = t.group(id)
	}
	g := t.groups[i]
	if t.total == 0 {
		t.first = ev.Seen
	}
	t.total++
	t.seen = max(t.seen, ev.Seen)
	before := len(g.slots) + len(g.values)
	g.add(ev, &t.begun)
	t.tables += uint64(len(g.slots) + len(g.values) - before)
	if ev.Kind == model.Begin {
		t.begun = *ev
	}
	return true
}

// full reports whether the counts must be written before the second is over.
func (t *thinner) full() bool {
	return t.total >= thinMost/2 || t.tables >= thinTables || t.used >= thinGroups
}

// group makes room for the events of id; the tables of an earlier second are
// used again.
func (t *thinner) group(id thinID) int {
	if t.index == nil {
		t.index = make(map[thinID]int)
	}
	if t.used == len(t.groups) {
		t.groups = append(t.groups, &thinGroup{slots: make(map[int64]uint64), values: make(map[uint64]uint64)})
	}
	g := t.groups[t.used]
	clear(g.slots)
	clear(g.values)
	*g = thinGroup{thinID: id, slots: g.slots, values: g.values, delay: math.MaxInt64, most: math.Inf(-1)}
	t.index[id] = t.used
	t.used++
	return t.used - 1
}

func (g *thinGroup) add(ev, begun *model.Event) {
	g.n++
	if ev.Kind == model.Level {
		if g.n == 1 || ev.At >= g.last.At {
			g.last = *ev
		}
		return
	}
	if ev.Kind == model.End && begun.Key == ev.Key && begun.Seen == ev.Seen && begun.At < ev.At {
		g.pairs++
	}
	g.delay = min(g.delay, int64(ev.Seen-ev.At))
	g.slots[floorSlot(ev.At)]++
	if math.IsNaN(ev.Value) {
		g.values[thinNaN]++
		return
	}
	g.sum += ev.Value
	g.most = max(g.most, ev.Value)
	g.values[math.Float64bits(ev.Value)>>thinShift]++
}

func floorSlot(at model.Instant) int64 {
	n := int64(at) / thinSlot
	if int64(at)%thinSlot < 0 {
		n--
	}
	return n
}

// thinNaN stands for a value that was not told.
const thinNaN = math.MaxUint64 >> thinShift

// encode appends the counts as the payload of a block and forgets them.
func (t *thinner) encode(dst []byte) (payload []byte, first, last model.Instant, events uint32) {
	dst = binary.AppendUvarint(dst, uint64(t.used))
	for _, g := range t.groups[:t.used] {
		dst = g.append(dst)
	}
	first, last, events = t.first, t.seen, uint32(t.total)
	t.thinned += t.total
	t.used, t.total, t.tables, t.seen = 0, 0, 0, 0
	clear(t.index)
	return dst, first, last, events
}

func (g *thinGroup) append(dst []byte) []byte {
	flags := byte(g.kind)
	if g.late {
		flags |= defLate
	}
	dst = append(dst, flags)
	dst = binary.AppendUvarint(dst, uint64(g.series))
	dst = binary.AppendUvarint(dst, uint64(g.source))
	if g.kind == model.Level {
		dst = binary.AppendUvarint(dst, zigzag(int64(g.last.At)))
		dst = binary.AppendUvarint(dst, zigzag(int64(g.last.Seen-g.last.At)))
		return binary.LittleEndian.AppendUint64(dst, math.Float64bits(g.last.Value))
	}
	dst = binary.AppendUvarint(dst, g.n)
	dst = binary.AppendUvarint(dst, g.pairs)
	dst = binary.AppendUvarint(dst, zigzag(g.delay))
	dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(g.sum))
	dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(g.most))
	dst = appendRuns(dst, g.slots, zigzag)
	return appendRuns(dst, g.values, func(v uint64) uint64 { return v })
}

// appendRuns encodes a table of counts in the order of its keys.
func appendRuns[K int64 | uint64](dst []byte, m map[K]uint64, first func(K) uint64) []byte {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	dst = binary.AppendUvarint(dst, uint64(len(keys)))
	for i, k := range keys {
		if i == 0 {
			dst = binary.AppendUvarint(dst, first(k))
		} else {
			dst = binary.AppendUvarint(dst, uint64(k-keys[i-1]))
		}
		dst = binary.AppendUvarint(dst, m[k])
	}
	return dst
}
