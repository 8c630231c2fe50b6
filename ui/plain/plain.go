// Package plain is the screen for what is no terminal: one flushed line a
// period, without any cursor code, and a heartbeat even when nothing happens.
//
// It reads snapshots and writes lines; it must not wait for anything but the
// next snapshot.
package plain

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"benchtop/model"
	"benchtop/ui/draw"
)

// Frames is where snapshots come from.
type Frames interface {
	Latest() *model.Snapshot
	Changed() <-chan struct{}
}

// Run prints a line each time every has passed in the run's own time, until
// ctx ends. A write error ends it: nobody is listening any more.
func Run(ctx context.Context, f Frames, w io.Writer, every time.Duration) error {
	last := model.Instant(0)
	told := make(map[model.SourceID]string)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-f.Changed():
		}
		s := f.Latest()
		if s.Now == 0 || s.Now.Sub(last) < every {
			continue
		}
		last = s.Now.Floor(every)
		if _, err := io.WriteString(w, Line(s)+trouble(s, told)+"\n"); err != nil {
			return fmt.Errorf("write the status line: %w", err)
		}
	}
}

// trouble is what hangs behind a line about sources that fail or are silent: the reason when
// it is new, else only how many they are.
func trouble(s *model.Snapshot, told map[model.SourceID]string) string {
	var news strings.Builder
	down := 0
	for _, src := range s.Sources {
		switch {
		case src.State == model.Retrying || src.State == model.Failed:
			down++
		case src.State == model.Quiet && src.Why != "":
		default:
			delete(told, src.ID)
			continue
		}
		if why := src.State.String() + ": " + src.Why; told[src.ID] != why {
			told[src.ID] = why
			fmt.Fprintf(&news, "  | source %s %s", draw.Sanitize(src.Name), draw.Sanitize(why))
		}
	}
	if down > 0 && news.Len() == 0 {
		return fmt.Sprintf("  | %d of %d sources down", down, len(s.Sources))
	}
	return news.String()
}

// Line is the state of the run in one line.
func Line(s *model.Snapshot) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %5.0fs", s.Now.Time().Format("15:04:05"), s.Now.Seconds(s.Start))
	now := func(id model.SeriesID) float64 {
		t := s.Whole(id)
		if t == nil || t.N == 0 || math.IsNaN(t.Last) {
			return math.NaN()
		}
		if t.Period > 0 && s.Now.Sub(t.LastAt) > 3*t.Period+5*time.Second && t.Series != model.ClientInFlight {
			return math.NaN()
		}
		return t.Last
	}
	flight := math.NaN()
	if s.Client.Known {
		flight = now(model.ClientInFlight)
	}
	if s.Client.How == "reconstructed" && s.Signals != nil { // the newest starts are not told yet
		flight = s.Signals.Client.InFlightNow
	}
	fmt.Fprintf(&b, "  client %s", num(flight))
	if s.Signals != nil && !math.IsNaN(s.Signals.Client.Target) {
		fmt.Fprintf(&b, "/%s", num(s.Signals.Client.Target))
	}
	fmt.Fprintf(&b, "  server %s+%s", num(now(model.ServerRunning)), num(now(model.ServerWaiting)))
	fmt.Fprintf(&b, "  batch %s", num(now(model.ServerBatch)))
	if g := s.Signals; g != nil {
		fmt.Fprintf(&b, "  ok %s/s", num(g.Client.XOK))
		lost := g.Client.Timeouts + g.Client.Rejected + g.Client.Reset + g.Client.HTTPError + g.Client.Other
		if g.Client.Known && lost > 0 {
			fmt.Fprintf(&b, "  lost %s in 30s", num(lost))
		}
		fmt.Fprintf(&b, "  p95 %s", seconds(s.Latency.WindowOK.P95))
	}
	for i, gpu := range s.GPUs {
		if i == 2 {
			fmt.Fprintf(&b, "  +%d gpus", len(s.GPUs)-i)
			break
		}
		clk, temp := math.NaN(), math.NaN()
		if t := s.GPU(model.GPUSMClock, gpu.Key); t != nil {
			clk = t.Last / 1e6
		}
		if t := s.GPU(model.GPUTemp, gpu.Key); t != nil {
			temp = t.Last
		}
		fmt.Fprintf(&b, "  gpu%d %s MHz %s C", gpu.Index, num(clk), num(temp))
		if t := s.GPU(model.GPULost, gpu.Key); t != nil && t.Last > 0 { // the figures are the last there were
			fmt.Fprintf(&b, " (%s)", map[float64]string{1: "stale", 2: "denied", 3: "LOST"}[t.Last])
		}
	}
	if s.Verdict.Title != "" { // not judged yet: the first whole second is to come
		fmt.Fprintf(&b, "  | %s (%s)", draw.Sanitize(s.Verdict.Title), draw.Sanitize(s.Verdict.Confidence))
	}
	return b.String()
}

func num(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v):
		return "–"
	case a >= 100 || a == math.Trunc(a):
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.1f", v)
}

func seconds(v float64) string {
	switch {
	case math.IsNaN(v):
		return "–"
	case v < 1:
		return fmt.Sprintf("%.0fms", v*1e3)
	}
	return fmt.Sprintf("%.1fs", v)
}
