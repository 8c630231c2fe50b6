package sim

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// TestMixtures runs random mixtures of up to three scenarios and checks the
// books: nobody is lost, and connections, places at the gateway and KV slots
// add up whatever happens at once.
func TestMixtures(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		changes := []string{
			"workers=" + strconv.Itoa(1+dice.IntN(80)),
			"client_timeout_s=" + strconv.FormatFloat(0.2+5*dice.Float64(), 'f', 3, 64),
			"abort_on_disconnect=" + strconv.FormatBool(dice.IntN(2) == 0),
			"log_every_s=" + strconv.Itoa(1+dice.IntN(15)),
		}
		for range dice.IntN(4) {
			changes = append(changes, scenarios[dice.IntN(len(scenarios))].Changes)
		}
		if dice.IntN(3) == 0 {
			changes = append(changes, "crash_at_s=20, crash_down_s=3")
		}
		changes = append(changes, "duration_s=45, kv_tokens=24000, output_tokens=48, long_mul=5")
		s := Scenario{Name: "mixture", Changes: strings.Join(changes, ", ")}
		if dice.IntN(2) == 0 {
			s.Phases = []Phase{{At: 15, Mark: "one", Changes: "pool=4, workers=20"}, {At: 30, Mark: "two", Changes: "pool=0, gateway_limit=5, workers=50"}}
		}
		p, err := s.Params()
		if err != nil {
			t.Fatalf("%s: %v", s.Changes, err)
		}
		w := newWorld(p, s.Phases, dice.Uint64(), testStart, quiet())
		w.runTo(p.Duration + 1)
		checkBooks(t, w, s.Changes)
	}
}

func checkBooks(t *testing.T, w *world, what string) {
	t.Helper()
	if !w.done {
		t.Fatalf("%s: not over at %v s", what, w.now)
	}
	if w.client.inFlight != 0 || w.client.begun != w.client.ended || w.client.begun == 0 {
		t.Errorf("%s: begun %d, ended %d, in flight %d", what, w.client.begun, w.client.ended, w.client.inFlight)
	}
	n, at := &w.path, 0
	if n.established < 0 || n.connecting < 0 || n.accepting < 0 || n.total < n.established {
		t.Errorf("%s: %d connections, %d established, %d connecting, %d to be accepted", what, n.total, n.established, n.connecting, n.accepting)
	}
	for _, e := range w.server.engines {
		held, gone := 0, 0
		for _, r := range e.running {
			held += r.held
		}
		for _, r := range e.waiting {
			if r.gone {
				gone++
			}
		}
		if gone != e.gone || w.p.Server == engineContinuous && held != e.kv {
			t.Errorf("%s: %d withdrawn of %d booked, %d KV slots of %d booked", what, gone, e.gone, held, e.kv)
		}
		at += len(e.running) + e.queued()
	}
	if at != n.passing {
		t.Errorf("%s: %d requests at the server, %d let through", what, at, n.passing)
	}
	for _, x := range w.truths {
		if x.Running < 0 || x.Waiting < 0 || x.InFlight < 0 || x.Running > w.p.MaxBatch*w.p.Engines {
			t.Fatalf("%s: at %v in flight %d, running %d, waiting %d", what, x.At, x.InFlight, x.Running, x.Waiting)
		}
	}
}
