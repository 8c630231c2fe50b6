package cli

import (
	"context"
	"fmt"
	"os"
	"testing"

	"benchtop/model"
	"benchtop/model/store"
	"benchtop/sources"
)

func TestZZDebug(t *testing.T) {
	dir := os.Getenv("DBG")
	if dir == "" {
		t.Skip()
	}
	in := sourceFlags{logs: []string{dir + "/server.stamped.log,zone=UTC"}, loads: []string{dir + "/client.ndjson"}, metrics: []string{"file:" + dir + "/metrics.prom"}}
	open, err := in.feeds(&runFlags{})
	if err != nil {
		t.Fatal(err)
	}
	g := sources.NewGroup()
	g.Start(context.Background(), &sources.Merge{Open: open, Pacer: sources.NewPacer(0)}, sources.Block, true)
	go g.Wait(0)
	st := store.New(model.DefaultThresholds())
	last := model.Instant(0)
	for b := range g.Batches() {
		for i := range b.Events {
			one := model.Batch{Events: b.Events[i : i+1]}
			if i == 0 {
				one.Notes = b.Notes
			}
			st.Apply(&one)
			if b.Events[i].Kind == model.Tick {
				if s := st.Now().Floor(1e9); s > last {
					last = s
					sig := st.Second(s)
					l := sig.Load
					c := sig.Client
					v := sig.Server
					fmt.Printf("%5.1f x5=%.2f moves=%.1f warm=%v cv=%.3f/%.3f closed=%v(%.2f) nc=%.1f x=%.2f p50=%.2f ns=%.1f ncat=%.1f ratio=%.2f wait=%.1f run=%.1f full=%v B=%.0f paired=%v trendp=%.3f growth=%.1f batch=%.2f\n", sig.T, l.X5, l.MovesPct, l.Warm, l.CV, l.CVLimit, c.Closed, c.ClosedShare, c.InFlight, c.X, c.OKP50, v.Ns, v.NcAt, v.Ratio, v.Waiting, v.Running, v.Full, v.B, v.Paired, l.TrendP, l.TrendGrowth, v.Batch)
				}
			}
		}
	}
}
