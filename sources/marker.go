package sources

import (
	"context"

	"benchtop/model"
)

// Marker turns the user's marks into notes, so that they are recorded and
// replayed like everything else that happened.
type Marker struct{ ask chan string }

// NewMarker makes a marker that nobody has asked yet.
func NewMarker() *Marker { return &Marker{make(chan string, 8)} }

// Mark puts text on the time axis now. It never waits: marks that come faster
// than they can be told are dropped.
func (m *Marker) Mark(text string) {
	select {
	case m.ask <- text:
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
		case text := <-m.ask:
			now := Now()
			out.Note(model.Note{At: now, Seen: now, Kind: model.NoteMark, Name: "user", Text: text})
			out.Flush()
		}
	}
}
