package ui

import (
	"strings"
	"testing"

	"benchtop/model"
	"benchtop/themes"
	"benchtop/ui/draw"
)

// TestCoachHasALine: what comes next stands in full at the bottom of the
// screen, and gives way to a question and to a source that failed.
func TestCoachHasALine(t *testing.T) {
	const coach = "next: batch8, pass 2 of 4; so far: batch8 too few runs (-24.1 %); one more pass would let the exact test speak"
	snap := &model.Snapshot{Now: 1_767_225_600_000_000_000, Start: 1_767_225_590_000_000_000}
	bad := *snap
	bad.Sources = []model.SourceInfo{{ID: 3, Name: "vllm.log", State: model.Failed, Why: "no such file"}}
	for _, c := range []struct {
		name string
		snap *model.Snapshot
		v    ViewState
		want bool
	}{
		{"coach", snap, ViewState{Coach: coach}, true},
		{"one panel in full", snap, ViewState{Coach: coach, Full: "verdict"}, true},
		{"a question", snap, ViewState{Coach: coach, Prompt: "mark: "}, false},
		{"a source failed", &bad, ViewState{Coach: coach, Hidden: "sources"}, false},
	} {
		g := draw.NewGrid(130, 40)
		Draw(g, c.snap, c.v, themes.TrueColor)
		lines := strings.Split(strings.TrimRight(g.String(), "\n"), "\n")
		if got := strings.Contains(lines[len(lines)-1], coach); got != c.want {
			t.Errorf("%s: want the coach at the bottom: %v, got %q", c.name, c.want, lines[len(lines)-1])
		}
	}
}

// TestPictureOfARecordingIsNotLive: one frame of a recording says what it is.
func TestPictureOfARecordingIsNotLive(t *testing.T) {
	snap := &model.Snapshot{Now: 1_767_225_600_000_000_000, Start: 1_767_225_590_000_000_000}
	for _, c := range []struct {
		name  string
		v     ViewState
		final bool
		want  string
	}{
		{"live", ViewState{}, false, "● live"},
		{"picture", ViewState{Still: true}, false, "■ recording"},
		{"picture of the end", ViewState{Still: true}, true, "■ ended"},
	} {
		s := *snap
		s.Final = c.final
		g := draw.NewGrid(120, 40)
		Draw(g, &s, c.v, themes.TrueColor)
		if got, _, _ := strings.Cut(g.String(), "\n"); !strings.Contains(got, c.want) {
			t.Errorf("%s: want %q at the top, got %q", c.name, c.want, got)
		}
	}
}
