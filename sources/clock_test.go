package sources

import (
	"strings"
	"testing"
	"time"

	"benchtop/model"
)

// TestInstantOf: what the wall clock says beside the steady one is not believed
// in this process's own times, and always in those from elsewhere.
func TestInstantOf(t *testing.T) {
	now := time.Now()
	if got, want := InstantOf(now).Sub(model.InstantOf(now)).Abs(), stepLeast; got > want {
		t.Errorf("want our time near the wall clock's, got %s off", got)
	}
	later := now.Add(1500 * time.Millisecond)
	if got := InstantOf(later).Sub(InstantOf(now)); got != 1500*time.Millisecond {
		t.Errorf("want 1.5 s between, got %s", got)
	}
	parsed := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	if got := InstantOf(parsed); got != model.InstantOf(parsed) {
		t.Errorf("want a parsed time as it is, got %v", got)
	}
	if stripped := now.Round(0).Add(-time.Hour); InstantOf(stripped) != model.InstantOf(stripped) {
		t.Error("want a time without the steady clock as it is")
	}
}

// TestClockWatch steps a wall clock both ways under an even one.
func TestClockWatch(t *testing.T) {
	const s = model.Instant(1e9)
	for _, tt := range []struct {
		name string
		wall []model.Instant // at seconds 1, 2, 3 …
		want []time.Duration
	}{
		{"kept well", []model.Instant{1 * s, 2*s + s/10, 3*s - s/10}, []time.Duration{0, 0, 0}},
		{"forward by an hour", []model.Instant{1 * s, 3602 * s, 3603 * s}, []time.Duration{0, time.Hour, 0}},
		{"back by an hour, and put right", []model.Instant{5000 * s, 5001*s - 3600*s, 5002 * s}, []time.Duration{4999 * time.Second, -time.Hour, time.Hour}},
		{"drifts away slowly", []model.Instant{1*s + s*2/10, 2*s + s*4/10, 3*s + s*6/10}, []time.Duration{0, 0, 600 * time.Millisecond}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var w clockWatch
			for i, wall := range tt.wall {
				if got := w.look(wall, model.Instant(i+1)*s); got != tt.want[i] {
					t.Errorf("second %d: want %s, got %s", i+1, tt.want[i], got)
				}
			}
		})
	}
	if n := stepNote(s, -90*time.Second); n.Name != model.MarkClock || !strings.Contains(n.Text, "set back by 1m30s") {
		t.Errorf("want the step told with its way and size, got %+v", n)
	}
}
