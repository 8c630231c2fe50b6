package loadgen

import (
	"math"

	"benchtop/model"
	"benchtop/sources"
)

// party tells which generator an output is of, so that what several outputs of
// one say is not added up.
func (o *Options) party(now model.Instant, out *sources.Outlet) {
	if o.Party != "" {
		out.Note(model.Note{At: now, Seen: now, Kind: model.NoteRun, Name: "generator", Text: o.Party, Key: hashID([]byte(o.Party))})
	}
}

// emitter stamps events with when they were read and whether they are history.
type emitter struct {
	out  *sources.Outlet
	seen model.Instant
	late bool
}

func (e *emitter) event(k model.Kind, s model.SeriesID, key uint64, at model.Instant, v float64) {
	e.out.Emit(model.Event{At: at, Seen: e.seen, Value: v, Key: key, Series: s, Kind: k, Late: e.late})
}

func (e *emitter) begin(key uint64, at model.Instant) {
	e.event(model.Begin, model.ClientInFlight, key, at, 0)
}

// correct moves in-flight at an instant without a request.
func (e *emitter) correct(at model.Instant, by float64) {
	e.event(model.Add, model.ClientInFlight, 0, at, by)
}

// level and observe leave out what is absent.
func (e *emitter) level(s model.SeriesID, at model.Instant, v float64) {
	if !math.IsNaN(v) {
		e.event(model.Level, s, 0, at, v)
	}
}

func (e *emitter) observe(s model.SeriesID, key uint64, at model.Instant, v float64) {
	if !math.IsNaN(v) {
		e.event(model.Observe, s, key, at, v)
	}
}

func (e *emitter) note(k model.NoteKind, at model.Instant, name, text string, v float64) {
	if at == 0 {
		at = e.seen
	}
	e.out.Note(model.Note{At: at, Seen: e.seen, Kind: k, Name: name, Text: text, Value: v})
}
