package gpu

import (
	"fmt"
	"math"

	"benchtop/model"
	"benchtop/sources"
)

// State is what Apply remembers between readings of one source. The zero State
// is ready to use.
type State struct {
	byUUID  map[string]*known
	byIndex map[int]*known // by slot
	taken   map[uint64]bool
	driver  string
	crowded bool // that there are more GPUs than are kept was told
}

// maxGPUs is how many GPUs of one source are kept apart.
const maxGPUs = 64

// known is one GPU as it was last seen.
type known struct {
	key   uint64
	uuid  string
	named bool
	state Condition
	lost  bool   // it was, and has not come back
	on    uint64 // fields whose series now hold a value
	off   uint64 // counters that grew faster than time: not believed
	last  [NumFields]float64
	base  [NumFields]baseline
	mem   MemoryKind // as last told

	grew  [NumFields]model.Instant // when a counter of time held last grew
	below bool                     // that the limit is below the card's own was told

	restarted model.Instant // when the counters last started over

	asked bool  // its processes are known
	pids  []int // of them, in order
}

// baseline is a counter's first value, to check its unit against.
type baseline struct {
	at    model.Instant
	value float64
}

// Time held can't grow faster than time passes. A little more is clock error;
// beyond it the unit is not what we think (diagnosis.md 6.7). The allowance is
// for a driver that updates its counters in steps.
const (
	heldRatio     = 1.05
	heldAllowance = 2e9 // ns
)

// find is what is known of the reading's GPU. A GPU's key is its index + 1 when
// it was first seen, or the next number that no other GPU has; it stays with
// the UUID when indexes move. A reading without a UUID (a GPU that was lost or
// denied before it could say) belongs to whoever had that index last. It is nil
// for the GPUs beyond those that are kept.
func (st *State) find(r *Reading) *known {
	if st.byUUID == nil {
		st.byUUID, st.byIndex, st.taken = make(map[string]*known), make(map[int]*known), make(map[uint64]bool)
	}
	k := st.byIndex[r.slot()]
	if r.UUID != "" {
		if same := st.byUUID[r.UUID]; same != nil {
			k = same
		} else if k != nil && k.uuid != "" {
			k = nil // another GPU has this index now
		}
	}
	if k == nil {
		if len(st.taken) >= maxGPUs {
			return nil
		}
		k = &known{key: uint64(r.slot()) + 1}
		for st.taken[k.key] {
			k.key++
		}
		st.taken[k.key] = true
	}
	if r.UUID != "" && k.uuid == "" {
		k.uuid, k.named = r.UUID, false
		st.byUUID[r.UUID] = k
	}
	st.byIndex[r.slot()] = k
	return k
}

// Apply turns one reading into events: a Level for each field that was read, in
// the series' base unit, a Gap for each that no longer is, and the GPU's state.
// A held reading only tells the state, and only a GPU that is well has gaps, so
// that one that is lost or stuck keeps its last values on the screen. at is when the reading was true, seen when we got
// it. The GPU's name goes out before its first event.
func Apply(r *Reading, at, seen model.Instant, out *sources.Outlet, st *State) {
	k := st.find(r)
	if k == nil {
		if !st.crowded {
			st.crowded = true
			out.Note(model.Note{At: at, Seen: seen, Kind: model.NoteError, Text: fmt.Sprintf("more than %d GPUs: the first %d are shown", maxGPUs, maxGPUs)})
		}
		return
	}
	st.introduce(r, k, at, seen, out)
	ev := model.Event{At: at, Seen: seen, Key: k.key, Kind: model.Level}
	if !r.Held {
		for f := range Field(NumFields) {
			if fields[f].series != nowhere {
				k.emit(r, f, ev, out)
			}
		}
	}
	if r.fresh(MemTotal) && (r.Memory != MemoryOwn || k.mem != MemoryOwn) {
		k.mem = r.Memory
		ev.Series, ev.Value = model.GPUMemKind, float64(r.Memory)
		out.Emit(ev)
	}
	k.limited(r, at, seen, out)
	ev.Series, ev.Value = model.GPULost, float64(r.State)
	out.Emit(ev)
	k.happen(r, at, seen, out)
	if r.State != k.state {
		k.mark(r, at, seen, out)
		k.state = r.State
	}
}

func (st *State) introduce(r *Reading, k *known, at, seen model.Instant, out *sources.Outlet) {
	if !k.named {
		k.named = true
		out.Note(model.Note{At: at, Seen: seen, Kind: model.NoteGPU, Key: k.key, Name: r.UUID, Text: r.Name, Value: float64(r.Index)})
	}
	if r.Driver != "" && r.Driver != st.driver {
		st.driver = r.Driver
		out.Note(model.Note{At: at, Seen: seen, Kind: model.NoteRun, Name: "gpu_driver", Text: r.Driver})
	}
}

func (k *known) emit(r *Reading, f Field, ev model.Event, out *sources.Outlet) {
	bit := uint64(1) << f
	ev.Series = fields[f].series
	switch {
	case r.old&bit != 0, !r.Has(f) && r.State != OK:
		return // not asked yet: a GPU that is not well leaves questions open
	case !r.Has(f), k.off&bit != 0:
		k.gap(f, ev, out)
		return
	}
	v := r.value[f]
	if fields[f].is&grows != 0 && !k.check(r, f, v, ev, out) {
		return
	}
	k.brief(r, f, v, ev, out)
	k.on |= bit
	k.last[f] = v
	ev.Value = v * fields[f].scale
	out.Emit(ev)
}

func (k *known) gap(f Field, ev model.Event, out *sources.Outlet) {
	if bit := uint64(1) << f; k.on&bit != 0 {
		k.on &^= bit
		ev.Kind, ev.Value = model.Gap, math.NaN()
		out.Emit(ev)
	}
}

// check looks at a counter: one that went down starts anew behind a gap, and
// one of time that grew faster than time is believed no more.
func (k *known) check(r *Reading, f Field, v float64, ev model.Event, out *sources.Outlet) bool {
	b := &k.base[f]
	switch {
	case b.at == 0:
		*b = baseline{ev.At, v}
	case v < k.last[f]:
		*b = baseline{ev.At, v}
		k.gap(f, ev, out)
		if k.restarted != ev.At { // all of them do at once: said once
			k.restarted = ev.At
			k.note(r, "gpu_counters", "counters started over, as when the driver is reloaded", false, ev.At, ev.Seen, out)
		}
	case fields[f].is&held != 0 && v-b.value > heldRatio*float64(ev.At-b.at)+heldAllowance:
		k.off |= 1 << f
		k.gap(f, ev, out)
		k.note(r, "gpu_counters", fields[f].key+": the counter of time held grew faster than time passed, so it is not used", false, ev.At, ev.Seen, out)
		return false
	}
	return true
}

// mark says on the time axis that a GPU went away or came back.
func (k *known) mark(r *Reading, at, seen model.Instant, out *sources.Outlet) {
	switch {
	case r.State == Lost:
		k.lost = true
		k.note(r, "gpu_lost", "lost: it fell off the bus or needs a reset; this run is not valid", true, at, seen, out)
	case k.lost && r.State == OK:
		k.lost = false
		k.note(r, "gpu_back", "answers again", false, at, seen, out)
	}
}

func (k *known) note(r *Reading, class, what string, bad bool, at, seen model.Instant, out *sources.Outlet) {
	value := 0.0
	if bad {
		value = 1
	}
	out.Note(model.Note{
		At: at, Seen: seen, Kind: model.NoteMark, Key: k.key, Name: class,
		Text: fmt.Sprintf("GPU %s %s", r.Label(), what), Value: value,
	})
}
