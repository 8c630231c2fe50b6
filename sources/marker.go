package sources

import (
	"context"

	"benchtop/model"
)

// Marker turns the user's marks into notes, so that they are recorded and
// replayed like everything else that happened.
type Marker struct{ ask chan mark }

// mark is one that was asked for.
type mark struct {
	at   model.Instant
	text string
}

// NewMarker makes a marker that nobody has asked yet.
func NewMarker() *Marker { return &Marker{make(chan mark, 8)} }

// Mark puts text on the time axis, at the moment it was thought of. It never
// waits: marks that come faster than they can be told are dropped.
func (m *Marker) Mark(at model.Instant, text string) {
	select {
	case m.ask <- mark{at, text}:
	default:
	}
}

// Name implements Source.
func (m *Marker) Name() string { return "marks" }

// Run implements Source.
func (m *Marker) Run(ctx context.Context, out *Outlet) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case ask := <-m.ask:
			out.Note(model.Note{At: ask.at, Seen: Now(), Kind: model.NoteMark, Name: "user", Text: ask.text})
			out.Flush()
		}
	}
}
