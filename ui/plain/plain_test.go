package plain

import (
	"strings"
	"testing"

	"benchtop/model"
)

// TestTrouble: a source that fails is told with its reason once, then counted;
// when it is well again nothing is said, and a new failure is told anew.
func TestTrouble(t *testing.T) {
	src := func(state model.SourceState, why string) *model.Snapshot {
		return &model.Snapshot{Sources: []model.SourceInfo{
			{ID: 1, Name: "server.log", State: model.Running},
			{ID: 2, Name: "http://h/metrics", State: state, Why: why},
		}}
	}
	told := make(map[model.SourceID]string)
	for i, step := range []struct {
		snap *model.Snapshot
		want string
	}{
		{src(model.Starting, ""), ""},
		{src(model.Retrying, "refused\x1b[2J"), "  | source http://h/metrics retrying: refused"},
		{src(model.Retrying, "refused\x1b[2J"), "  | 1 of 2 sources down"},
		{src(model.Retrying, "no answer"), "  | source http://h/metrics retrying: no answer"},
		{src(model.Running, ""), ""},
		{src(model.Retrying, "no answer"), "  | source http://h/metrics retrying: no answer"},
		{src(model.Failed, "gone"), "  | source http://h/metrics failed: gone"},
		{src(model.Quiet, "nothing printed yet"), "  | source http://h/metrics quiet: nothing printed yet"},
		{src(model.Quiet, "nothing printed yet"), ""},
		{src(model.Quiet, ""), ""},
	} {
		got := trouble(step.snap, told)
		if got != step.want {
			t.Errorf("step %d: want %q, got %q", i, step.want, got)
		}
		if strings.ContainsRune(got, 0x1b) {
			t.Errorf("step %d: want no escape sequence, got %q", i, got)
		}
	}
}
