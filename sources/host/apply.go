package host

import (
	"math"
	"slices"

	"benchtop/model"
	"benchtop/sources"
)

// State is what Apply remembers between the readings of one machine. The zero
// State is ready to use.
type State struct {
	governor string
	live     uint64 // gauges that hold a value
}

// Apply emits what r says, in base units. at is when it was measured, seen when
// it was read. A gauge that is absent holds its value for as long as its series
// does; Gap ends that.
func Apply(r *Reading, at, seen model.Instant, out *sources.Outlet, st *State) {
	ev := model.Event{At: at, Seen: seen, Kind: model.Level}
	for f := range fieldCount {
		id, ok := f.Series()
		if !ok || !r.Has(f) {
			continue
		}
		ev.Series, ev.Value = id, r.value[f]*fields[f].scale
		out.Emit(ev)
		if id.Describe().Shape == model.Gauge {
			st.live |= 1 << f
		}
	}
	if len(r.PerCore) > 0 {
		ev.Series, ev.Value = model.HostBusiestCore, slices.Max(r.PerCore)
		out.Emit(ev)
	}
	if r.Governor != "" && r.Governor != st.governor {
		st.governor = r.Governor
		out.Note(model.Note{At: at, Seen: seen, Kind: model.NoteRun, Name: "cpu_governor", Text: r.Governor})
	}
}

// Gap declares unknown what the given fields hold: the process they are of has
// gone, or nothing could be read.
func Gap(seen model.Instant, out *sources.Outlet, st *State, fs ...Field) {
	for _, f := range fs {
		st.end(f, seen, out)
	}
}

// GapAll declares unknown whatever is held: nothing comes from the machine any
// more.
func GapAll(seen model.Instant, out *sources.Outlet, st *State) {
	for f := range fieldCount {
		st.end(f, seen, out)
	}
}

func (st *State) end(f Field, seen model.Instant, out *sources.Outlet) {
	if st.live&(1<<f) != 0 {
		st.live &^= 1 << f
		out.Emit(model.Event{At: seen, Seen: seen, Series: fields[f].series, Kind: model.Gap, Value: math.NaN()})
	}
}
