package host_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"benchtop/model"
	"benchtop/sources"
	"benchtop/sources/host"
)

// running is one run of a command: its output, and how it ends.
type running struct {
	net.Conn
	done chan struct{}
	end  error
}

func (r *running) Close() error {
	_ = r.Conn.Close()
	<-r.done
	return r.end
}

// wait waits until nobody listens any more.
func wait(to net.Conn) { _, _ = io.Copy(io.Discard, to) }

// heardOf is what a group of sources told.
type heardOf struct {
	states  map[model.SourceID][]model.SourceState
	why     map[model.SourceID][]string
	matched map[model.SourceID]float64
	busy    map[model.SourceID][]float64 // of the server's CPU; NaN is a gap
}

// listen runs sources for a while in a bubble and returns what they told.
func listen(t *testing.T, span time.Duration, all ...sources.Source) heardOf {
	t.Helper()
	h := heardOf{map[model.SourceID][]model.SourceState{}, map[model.SourceID][]string{}, map[model.SourceID]float64{}, map[model.SourceID][]float64{}}
	ctx, cancel := context.WithTimeout(t.Context(), span)
	defer cancel()
	g := sources.NewGroup()
	for _, s := range all {
		g.Start(ctx, s, sources.Drain, false)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for b := range g.Batches() {
			for _, n := range b.Notes {
				if n.Kind == model.NoteError {
					h.why[n.Source] = append(h.why[n.Source], n.Text)
				}
			}
			for _, e := range b.Events {
				switch {
				case e.Kind == model.State:
					h.states[e.Source] = append(h.states[e.Source], model.SourceState(e.Value))
				case e.Series == model.SourceMatched:
					h.matched[e.Source] += e.Value
				case e.Series == model.HostServerCPU && e.Kind == model.Gap:
					h.busy[e.Source] = append(h.busy[e.Source], math.NaN())
				case e.Series == model.HostServerCPU:
					h.busy[e.Source] = append(h.busy[e.Source], e.Value)
				}
			}
		}
	}()
	<-ctx.Done()
	g.Wait(0)
	<-done
	time.Sleep(5 * time.Second) // in the bubble: what is closed ends by itself
	return h
}

// command is a source whose command is started anew each time: say plays the
// run of that number and returns how it ends.
func command(place string, say func(run int, w net.Conn) error) *host.LineSource {
	run := 0
	return &host.LineSource{Place: place, Live: true, Open: func(context.Context) (io.ReadCloser, error) {
		run++
		near, far := net.Pipe()
		r := &running{Conn: near, done: make(chan struct{})}
		go func(run int) {
			defer close(r.done)
			r.end = say(run, far)
			_ = far.Close()
		}(run)
		return r, nil
	}}
}

func cpuLine(cores float64) string {
	return fmt.Sprintf(`{"ts":%q,"server_cpu_cores":%g}`+"\n", time.Now().Format(time.RFC3339Nano), cores)
}

// TestCommandIsStartedAgain: an exec: that dies is started again; each line
// counts once, and between the two runs nothing is known.
func TestCommandIsStartedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := listen(t, 20*time.Second, command("exec:ssh srv1 benchtop probe --json host", func(run int, w net.Conn) error {
			for i := range 3 {
				_, _ = io.WriteString(w, cpuLine(float64(10*run+i)))
				time.Sleep(time.Second)
			}
			if run == 1 {
				return errors.New("exit status 255")
			}
			wait(w)
			return nil
		}))
		nan := math.NaN()
		if want := []float64{10, 11, 12, nan, 20, 21, 22, nan}; !slices.EqualFunc(got.busy[1], want, func(a, b float64) bool { return a == b || a != a && b != b }) {
			t.Errorf("want each line once and a gap between the runs, %v, got %v", want, got.busy[1])
		}
		if got.matched[1] != 6 {
			t.Errorf("want 6 lines counted, got %v", got.matched[1])
		}
		want := []model.SourceState{model.Starting, model.Running, model.Retrying, model.Starting, model.Running, model.Quiet}
		if s := got.states[1]; len(s) < len(want)-1 || !slices.Equal(s[:5], want[:5]) {
			t.Errorf("want the states %v, got %v", want, s)
		}
		if why := strings.Join(got.why[1], "|"); !strings.Contains(why, "exec:ssh srv1 benchtop probe --json host ended with exit status 255") {
			t.Errorf("want it said how the command ended, got %q", why)
		}
	})
}

// TestSilentCommand: an ssh that connects and brings nothing is told once, after
// its time, while other sources go on.
func TestSilentCommand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := listen(t, 2*time.Minute,
			command("exec:ssh srv1 silent", func(_ int, w net.Conn) error {
				wait(w)
				return nil
			}),
			command("exec:ssh srv2 talks", func(_ int, w net.Conn) error {
				for i := range 200 {
					if _, err := io.WriteString(w, cpuLine(float64(i))); err != nil {
						break
					}
					time.Sleep(time.Second)
				}
				return nil
			}))
		if want := []string{sources.Silence("host readings from exec:ssh srv1 silent", false)}; !slices.Equal(got.why[1], want) {
			t.Errorf("want one line, %q, got %q", want, got.why[1])
		}
		if want := []model.SourceState{model.Starting, model.Quiet}; len(got.states[1]) < 2 || !slices.Equal(got.states[1][:2], want) {
			t.Errorf("want the states %v, got %v", want, got.states[1])
		}
		if n := len(got.busy[2]); n < 119 || got.why[2] != nil {
			t.Errorf("want the other source to go on, got %d readings and %q", n, got.why[2])
		}
	})
}
