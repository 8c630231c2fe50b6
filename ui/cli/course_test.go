package cli

import (
	"strings"
	"testing"

	"benchtop/model/compare"
)

// TestCourseOfARun: what a whole run's throughput looks like, in runs of which
// it is known.
func TestCourseOfARun(t *testing.T) {
	for _, c := range []struct {
		scenario string
		shape    compare.Shape
		changes  int // at least
		text     string
	}{
		{"healthy_balanced", compare.ShapeFlat, 0, "steady from"},
		{"saturated", compare.ShapeFlat, 0, "steady from"},
		{"load_steps", compare.ShapeWarmUp, 2, "the fastest"},
		{"thermal_sw", compare.ShapeSlowdown, 1, "it slowed down"},
	} {
		t.Run(c.scenario, func(t *testing.T) {
			t.Parallel()
			p := compare.PhasesOf(asked(t, c.scenario, "", "", nil))
			if p.Shape != c.shape || len(p.Changes) < c.changes || len(p.Levels) != len(p.Changes)+1 || !strings.Contains(p.Text(), c.text) {
				t.Errorf("want %s, at least %d changes and %q, got %+v: %s", c.shape, c.changes, c.text, p, p.Text())
			}
		})
	}
}
