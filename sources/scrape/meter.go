package scrape

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"slices"

	"benchtop/model"
	"benchtop/sources"
)

// The series of each field.
var seriesOf = [fieldCount]model.SeriesID{
	Running: model.ServerRunning, Waiting: model.ServerWaiting, KVUsage: model.ServerKV,
	BatchNow: model.ServerBatch, StepNow: model.ServerExec,
	PromptTokens: model.ServerPromptTokens, GenTokens: model.ServerGenTokens,
	Started: model.ServerStarted, Finished: model.ServerFinished, TimedOut: model.ServerTimeout,
	Rejected: model.ServerRejected, QueueFull: model.ServerQueueFull, Dropped: model.ServerDropped,
	Aborted: model.ServerAborted, Errored: model.ServerError, Preempted: model.ServerPreempted,
	Latency: model.ServerLatency, TTFT: model.ServerTTFT, QueueTime: model.ServerQueueTime,
	BatchSize: model.ServerBatch, StepTime: model.ServerExec,
}

// meanTolerance is how far a window's mean may be off because of the digits it
// was computed from; until it is known that well the window grows.
const meanTolerance = 0.05

// slot is one field of one scheduler.
type slot struct {
	field Field
	key   uint64
}

// Meter turns successive expositions of one server into events. It holds the
// baselines of its counters; it is not safe for concurrent use.
type Meter struct {
	engine  *Engine
	base    map[slot]Value
	keys    map[uint64]bool // schedulers of the scrape before
	named   map[uint64]bool
	live    map[slot]bool // gauges that hold a value
	said    map[string]float64
	model   string
	unknown []string
	started float64 // the process' start as it tells, NaN if it doesn't
	mixed   bool    // several processes answer at this address
	scraped bool
	crowded bool // that there are too many schedulers was told
}

// NewMeter makes a meter without a baseline.
func NewMeter() *Meter {
	return &Meter{
		base: make(map[slot]Value), keys: make(map[uint64]bool), named: make(map[uint64]bool),
		live: make(map[slot]bool), said: make(map[string]float64), started: math.NaN(),
	}
}

// Engine names the server that the metrics are of, "" if none is known yet.
func (m *Meter) Engine() string {
	if m.engine == nil {
		return ""
	}
	return m.engine.Name
}

// Unknown lists the names of the newest exposition that were not understood.
func (m *Meter) Unknown() []string { return m.unknown }

// Apply emits what x says. at is when the server wrote it, seen when it was
// read. It reports whether any field was understood.
func (m *Meter) Apply(x *Exposition, at, seen model.Instant, out *sources.Outlet) bool {
	m.bad(x, at, seen, out)
	if e := discover(x); e != nil && e != m.engine {
		m.forget()
		m.engine = e
	}
	first := m.unknown == nil
	m.unknown = m.engine.unknown(x)
	if first {
		m.sample(at, seen, out)
	}
	if m.engine == nil {
		return false
	}
	rs := m.engine.read(x)
	if x.crowded && !m.crowded {
		m.crowded = true
		out.Note(model.Note{At: at, Seen: seen, Kind: model.NoteError, Text: fmt.Sprintf(
			"more than %d schedulers are listed at this address: the first %d are read (give each server's own address)", maxSchedulers, maxSchedulers)})
	}
	fresh := m.restart(x, rs, at, seen, out)
	for i := range rs {
		m.emit(&rs[i], fresh, at, seen, out)
	}
	m.settle(rs, at, seen, out)
	m.facts(x, at, seen, out)
	return len(rs) > 0
}

// Gap declares unknown what the gauges held: a poll failed. It returns at once
// if nothing is held.
func (m *Meter) Gap(seen model.Instant, out *sources.Outlet) {
	for _, s := range m.held() {
		m.gap(s, seen, seen, out)
	}
}

// held lists the gauges that hold a value, in a fixed order.
func (m *Meter) held() []slot {
	return slices.SortedFunc(maps.Keys(m.live), func(a, b slot) int {
		return cmp.Or(cmp.Compare(a.field, b.field), cmp.Compare(a.key, b.key))
	})
}

func (m *Meter) gap(s slot, at, seen model.Instant, out *sources.Outlet) {
	out.Emit(model.Event{At: at, Seen: seen, Series: seriesOf[s.field], Key: s.key, Kind: model.Gap, Value: math.NaN()})
	delete(m.live, s)
}

// forget drops every baseline.
func (m *Meter) forget() {
	clear(m.base)
	clear(m.keys)
	m.scraped = false
}

// engineKey is a scheduler's key: the hash of its label, 0 if it has none. The
// server's log is keyed alike.
func engineKey(label string) uint64 {
	if label == "" {
		return 0
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(label)) // a hash never fails
	return h.Sum64()
}

// restart finds out whether the server started over since the last scrape, and
// tells. fresh is true when amounts have no baseline.
func (m *Meter) restart(x *Exposition, rs []Reading, at, seen model.Instant, out *sources.Outlet) (fresh bool) {
	fell := m.fell(rs)
	before := m.started
	m.started = processStart(x)
	known := !math.IsNaN(before) && !math.IsNaN(m.started)
	switch {
	case known && m.started < before-1 && !m.mixed:
		m.mixed = true
		out.Note(model.Note{At: at, Seen: seen, Kind: model.NoteError, Text: "several server processes answer at this address in turn: " +
			"their counters are not used (give each process's own address with one --metrics each)"})
	case m.mixed:
	case known && m.started > before+1, !known && fell:
		out.Emit(model.Event{At: at, Seen: seen, Kind: model.Reset})
		m.forget()
	}
	fresh = !m.scraped
	m.scraped = true
	return fresh
}

// fell reports whether any counter is lower than before. A scheduler whose
// numbers are gone says nothing.
func (m *Meter) fell(rs []Reading) bool {
	for i := range rs {
		key := engineKey(rs[i].Label)
		for f, v := range rs[i].Values {
			b, ok := m.base[slot{Field(f), key}]
			if ok && v.OK && lower(v, b) {
				return true
			}
		}
	}
	return false
}

// lower compares growing values, with room for rounding.
func lower(v, b Value) bool {
	return v.V < b.V*(1-1e-9)-v.Err-b.Err || v.N < b.N
}

func processStart(x *Exposition) float64 {
	f := x.families["process_start_time_seconds"]
	if f == nil || len(f.Metric) != 1 {
		return math.NaN()
	}
	return scalar(f.Metric[0])
}

// emit turns one scheduler's reading into events.
func (m *Meter) emit(r *Reading, fresh bool, at, seen model.Instant, out *sources.Outlet) {
	key := engineKey(r.Label)
	if !m.named[key] {
		m.named[key] = true
		out.Note(model.Note{At: at, Seen: seen, Kind: model.NoteEngine, Key: key, Name: r.Label})
	}
	ev := model.Event{At: at, Seen: seen, Key: key}
	for f, v := range r.Values {
		if !v.OK {
			continue
		}
		s := slot{Field(f), key}
		ev.Series, ev.Value = seriesOf[f], v.V
		switch {
		case s.field == BatchNow || s.field == StepNow:
			if v.V > 0 { // an idle server makes no step
				ev.Kind = model.Observe
				out.Emit(ev)
			}
		case natures[f] == gauge || natures[f] == ratio:
			ev.Kind = model.Level
			out.Emit(ev)
			m.live[s] = true
		case !m.mixed:
			m.grow(s, v, fresh, ev, out)
		}
	}
}

// grow emits how much a counter or a mean grew since its baseline.
func (m *Meter) grow(s slot, v Value, fresh bool, ev model.Event, out *sources.Outlet) {
	b, ok := m.base[s]
	if !ok && !fresh && m.keys[s.key] {
		// It was not offered by the same server before: a counter that is printed
		// from its first event on. It started at zero.
		b, ok = Value{OK: true}, true
	}
	if !ok || lower(v, b) {
		m.base[s] = v
		if s.field >= TimedOut && s.field <= Preempted { // trouble is told, and there was none yet
			ev.Kind, ev.Value = model.Add, 0
			out.Emit(ev)
		}
		return
	}
	d, n := v.V-b.V, v.N-b.N
	if natures[s.field] == amount {
		m.base[s] = v
		if d > 0 {
			ev.Kind, ev.Value = model.Add, d
			out.Emit(ev)
		}
		return
	}
	if n <= 0 || v.Err+b.Err > meanTolerance*n {
		return
	}
	m.base[s] = v
	ev.Kind, ev.Value = model.Observe, max(0, d/n)
	out.Emit(ev)
}

// settle notes which schedulers this scrape had, and declares unknown what the
// gauges of the others held.
func (m *Meter) settle(rs []Reading, at, seen model.Instant, out *sources.Outlet) {
	clear(m.keys)
	read := make(map[uint64]*Reading, len(rs))
	for i := range rs {
		key := engineKey(rs[i].Label)
		m.keys[key] = true
		read[key] = &rs[i]
	}
	for _, s := range m.held() {
		if r := read[s.key]; r == nil || !r.Values[s.field].OK {
			m.gap(s, at, seen, out)
		}
	}
	if len(m.named) > maxNamed { // labels that change with each scrape
		maps.DeleteFunc(m.named, func(key uint64, _ bool) bool { return !m.keys[key] })
		maps.DeleteFunc(m.base, func(s slot, _ Value) bool { return !m.keys[s.key] })
	}
}

// maxNamed is how many schedulers that have gone are remembered.
const maxNamed = 8 * maxSchedulers

// facts tells configured numbers and the model's name when they change.
func (m *Meter) facts(x *Exposition, at, seen model.Instant, out *sources.Outlet) {
	for _, s := range m.engine.Settings {
		if v, ok := m.engine.setting(x, s); ok && m.said[s.Name] != v {
			m.said[s.Name] = v
			out.Note(model.Note{At: at, Seen: seen, Kind: model.NoteConfig, Name: s.Name, Value: v, Text: m.engine.Name + " metrics"})
		}
	}
	if name := m.engine.model(x); name != "" && name != m.model {
		m.model = name
		out.Note(model.Note{At: at, Seen: seen, Kind: model.NoteRun, Name: "model", Text: name})
	}
}

// maxSamples bounds how many names that nobody understood are told as samples.
const maxSamples = 8

func (m *Meter) sample(at, seen model.Instant, out *sources.Outlet) {
	for i, name := range m.unknown {
		if i == maxSamples {
			return
		}
		out.Note(model.Note{At: at, Seen: seen, Kind: model.NoteBadLine, Name: "unknown metric", Text: name})
	}
}

func (m *Meter) bad(x *Exposition, at, seen model.Instant, out *sources.Outlet) {
	if len(x.Bad) == 0 {
		return
	}
	out.Count(0, 0, 0, 0, len(x.Bad))
	b := x.Bad[0]
	out.Note(model.Note{At: at, Seen: seen, Kind: model.NoteBadLine, Name: b.Reason, Text: b.Text, Value: float64(b.Line)})
}
