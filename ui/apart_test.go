package ui_test

import (
	"strings"
	"testing"

	"benchtop/model"
)

// severals is a run with two load generators and two servers.
func severals() *model.Snapshot {
	s := steady(8, 8)
	s.snap.Sources = []model.SourceInfo{
		{ID: 21, Kind: model.KindLoad, Name: "workers/one.ndjson"},
		{ID: 22, Kind: model.KindLoad, Name: "workers/two.ndjson", Label: "second\x1b[31m"},
		{ID: 23, Kind: model.KindServerLog, Name: "a.log"},
		{ID: 24, Kind: model.KindServerLog, Name: "b.log"},
	}
	s.snap.Engines = map[uint64]string{7: "dp1"}
	for at := s.snap.Start; at < sceneNow; at = at.Add(1e9) {
		s.gpuLevel(model.ClientGaugeInFlight, 21, 0, at, 5)
		s.gpuLevel(model.ClientGaugeInFlight, 22, 0, at, 11)
		s.gpuLevel(model.ServerRunning, 23, 7, at, 3)
		s.gpuLevel(model.ServerWaiting, 23, 7, at, 2)
		s.gpuLevel(model.ServerRunning, 24, 0, at, 6)
	}
	return s.done()
}

func TestLoadGeneratorsAndEnginesApart(t *testing.T) {
	snap := severals()
	v := live
	v.Full = "apart"
	text := screenText(snap, v)
	wants(t, text, "2 load generators", "2 engines", "workers/one.ndjson  5.0", "second", "  11.0", "a.log, engine dp1  3.0  2 waiting", "b.log  6.0")
	if strings.Contains(text, "b.log  6.0  ") && strings.Contains(strings.SplitAfter(text, "b.log  6.0")[1][:14], "waiting") {
		t.Error("want no word on waiting where nobody tells it")
	}
	if strings.Contains(text, "\x1b[31m") {
		t.Error("want names without escape sequences")
	}
	v.Full = ""
	for name, keep := range map[string]int{"one of each": 1, "none": 0} {
		one := *snap
		one.Sources = nil
		for i, src := range snap.Sources {
			if i < keep {
				one.Sources = append(one.Sources, src)
			}
		}
		one.Tracks = nil
		for _, tr := range snap.Tracks {
			if tr.Series != model.ServerRunning || tr.Source != 24 {
				one.Tracks = append(one.Tracks, tr)
			}
		}
		if got := screenText(&one, v); strings.Contains(got, "load generators: in flight") || strings.Contains(got, "engines: running") {
			t.Errorf("%s: want no panel where there is nothing to tell apart", name)
		}
	}
}
