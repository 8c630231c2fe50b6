package serverlog_test

import (
	"context"
	"os"
	"testing"

	"benchtop/model"
	"benchtop/sources"
	"benchtop/sources/serverlog"
)

// TestMergeReplaysTwoLogs lays a recording beside another log by their own
// stamps, as raw replay does.
func TestMergeReplaysTwoLogs(t *testing.T) {
	open := func() ([]*sources.Feed, error) {
		var feeds []*sources.Feed
		for _, dir := range []string{"b-matched", "d-client-timeout"} {
			f, err := os.Open("testdata/real/" + dir + "/server.stamped.log")
			if err != nil {
				return nil, err
			}
			feeds = append(feeds, serverlog.NewFeed(f, dir, serverlog.Options{Label: dir}))
		}
		return feeds, nil
	}
	ch := make(chan *model.Batch, 4096)
	id := model.SourceID(1)
	out := sources.NewOutlet(context.Background(), ch, id, sources.Block, func() model.SourceID { id++; return id })
	m := &sources.Merge{Open: open, Pacer: sources.NewPacer(sources.Max)}
	if err := m.Run(context.Background(), out); err != nil {
		t.Fatal(err)
	}
	close(ch)
	tick, ticks, late := model.Instant(0), 0, 0
	started := map[model.SourceID]int{}
	for b := range ch {
		for _, e := range b.Events {
			switch {
			case e.Kind == model.Tick:
				tick = e.Seen
				ticks++
			case e.Series == model.ServerStarted:
				started[e.Source]++
				if tick != 0 && e.At < tick {
					late++
				}
			}
		}
	}
	if len(started) != 2 || ticks < 1500 || late > 0 {
		t.Errorf("want two logs over some 180 s of ticks, none behind them; got %v started, %d ticks, %d late", started, ticks, late)
	}
}
