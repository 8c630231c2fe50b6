package loadgen_test

import (
	"fmt"
	"testing"

	"benchtop/model"
	"benchtop/sources/loadgen"
)

// Lines that were thrown away so that a generator need not wait are counted, and
// what is in flight is as after joining in mid-run.
func TestLostLines(t *testing.T) {
	line := func(ev string, id, ms int) string {
		return fmt.Sprintf(`{"ev":%q,"t":1796044000.%03d,"id":%d,"status":200}`, ev, ms, id)
	}
	s := newSink(t)
	d := loadgen.NewDecoder(loadgen.Options{Format: "benchtop_ndjson"})
	say := func(texts ...string) {
		for _, l := range texts {
			d.Line([]byte(l), seenAt, false, false, s.out)
		}
	}
	say(line("start", 1, 0), line("start", 2, 10), line("start", 3, 20), line("end", 1, 30))
	d.Lost(500, 40_000, seenAt, s.out)
	say(line("end", 2, 700), line("start", 900, 710), line("end", 901, 720), line("end", 900, 730))
	d.End(seenAt, s.out)
	s.drain()
	flight := inFlight(s.events)
	if want, got := 3.0, flight.peak(); want != got {
		t.Errorf("peak: want %g, got %g", want, got)
	}
	for i, v := range flight.sum {
		if v < 0 {
			t.Errorf("change %d: want in flight never below 0, got %g", i, v)
		}
	}
	if got := flight.last(); got != 0 {
		t.Errorf("want nothing left in flight, got %g", got)
	}
	if want, got := 4, len(s.ends()); want != got {
		t.Errorf("want %d requests that ended, got %d", want, got)
	}
	if got := len(s.of(model.Gap, model.ClientInFlight)); got != 1 {
		t.Errorf("want one gap, got %d", got)
	}
	dropped := 0.0
	for _, e := range s.of(model.Add, model.SourceDropped) {
		dropped += e.Value
	}
	if dropped != 500 {
		t.Errorf("want 500 lines lost, got %g", dropped)
	}
}
