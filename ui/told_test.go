package ui_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"benchtop/model"
	"benchtop/themes"
	"benchtop/ui"
	"benchtop/ui/draw"
)

// TestLossesEndWithTheStream wants the line at no losses as far as a load
// stream told its requests, and nothing after its end.
func TestLossesEndWithTheStream(t *testing.T) {
	const back = 60 * time.Second
	for _, c := range []struct {
		name  string
		until model.Instant
		want  bool
	}{
		{"it speaks", 0, true},
		{"it has ended", sceneNow.Add(-back), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := steady(8, 8)
			s.track(model.ClientInFlight, model.AllSources, 0).Until = c.until
			g := draw.NewGrid(120, 40)
			a := ui.Draw(g, s.done(), live, themes.TrueColor)
			edge := a.X + int(sceneNow.Add(-back).Sub(a.From)/a.Step) + 2
			rows := 0
			for y := range 40 {
				text := strings.TrimLeft(rowText(g, y), " │")
				if !strings.HasPrefix(text, "t/o") && !strings.HasPrefix(text, "rej") {
					continue
				}
				rows++
				before, after := 0, 0
				for x := a.X; x < a.X+a.Cols; x++ {
					if g.Cell(x, y).Rune == '▁' && x < edge {
						before++
					} else if g.Cell(x, y).Rune == '▁' {
						after++
					}
				}
				if before == 0 || (after > 0) != c.want {
					t.Errorf("want a line before the end, and after it: %v; got %d and %d cells:\n%s", c.want, before, after, rowText(g, y))
				}
			}
			if rows != 2 {
				t.Fatalf("want two rows of losses, got %d:\n%s", rows, g.String())
			}
		})
	}
}

// TestReportIsShown wants the figures of a generator that spoke only at its end,
// and no zero for what it doesn't tell.
func TestReportIsShown(t *testing.T) {
	s := serverOnly()
	r := model.NoReport()
	r.Requests, r.OK, r.Failed, r.Timeouts, r.HTTPError, r.Duration = 5000, 4987, 13, 4, 9, 100
	r.Latency.Mean, r.Latency.P50, r.Latency.P99 = 0.41, 0.4, 1.2
	s.Reported = &r
	v := live
	for panel, words := range map[string][]string{
		"figures": {"5,000 requests", "50.0/s", "13 failed", "t/o 4", "http 9", "p50 400 ms", "p99 1.20 s", "20.5 in flight on average"},
		"losses":  {"told at the end only: 13 failed, t/o 4, http 9"},
	} {
		v.Full = panel
		text := screenText(s, v)
		wants(t, text, words...)
		wantsNot(t, text, "rej 0", "reset 0", "no request was lost")
	}
	r.Failed, r.Timeouts, r.HTTPError = math.NaN(), math.NaN(), math.NaN()
	v.Full = "losses"
	wants(t, screenText(s, v), "– failed")
	s.Client.Known, s.Client.Done = true, 10 // its requests were told one by one: they count
	v.Full = "figures"
	wantsNot(t, screenText(s, v), "5,000 requests")
}
