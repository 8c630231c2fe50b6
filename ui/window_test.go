package ui

import (
	"strings"
	"testing"

	"benchtop/model"
	"benchtop/themes"
	"benchtop/ui/draw"
)

// TestHelpPagesGiveTheWindow: the next tool stands with the seconds of this run
// in which the finding does, ready to be typed.
func TestHelpPagesGiveTheWindow(t *testing.T) {
	const start = model.Instant(1_767_225_600_000_000_000)
	at := func(sec int64) model.Instant { return start + model.Instant(sec*1e9) }
	for _, c := range []struct {
		name, id        string
		raw, up, down   int64
		want, wantNever string
	}{
		{"still there", "gpu_idle_gaps", 82, 97, 0, "nsys profile --delay=82 --duration=15 -t", "stood from"},
		{"short so far", "gpu_idle_gaps", 112, 117, 0, "nsys profile --delay=112 --duration=8 -t", "stood from"},
		{"over", "server_cpu", 20, 35, 90, "stood from second 20 to 90", "since second"},
		{"one that lost the machine", "noisy_neighbour", 60, 70, 0, "perf sched record -- sleep 15 (it stands since second 60", "--delay"},
		{"a tool without a window", "thermal", 60, 70, 0, "nvidia-smi -q", "since second"},
		{"never raised", "gpu_idle_gaps", 0, 0, 0, "nsys: record", "--delay"},
	} {
		f := model.Finding{ID: c.id, Title: "t", Severity: model.SevMajor, State: model.Raised}
		if c.up > 0 {
			f.RawSince, f.RaisedAt = at(c.raw), at(c.up)
		}
		if c.down > 0 {
			f.ClearedAt = at(c.down)
		}
		snap := &model.Snapshot{Start: start, Now: at(120), Verdict: model.Verdict{Finding: f}}
		g := draw.NewGrid(400, 40)
		Draw(g, snap, ViewState{Full: "guide"}, themes.TrueColor)
		got := strings.Join(strings.Fields(strings.NewReplacer("│", "").Replace(g.String())), " ")
		if !strings.Contains(got, c.want) || strings.Contains(got, c.wantNever) {
			t.Errorf("%s: want %q and never %q, got:\n%s", c.name, c.want, c.wantNever, got)
		}
	}
}
