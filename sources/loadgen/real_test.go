package loadgen_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"benchtop/model"
	"benchtop/sources/loadgen"
)

// TestRealRecordings: what the events say is in flight is what the client
// itself counted, at each of its samples.
func TestRealRecordings(t *testing.T) {
	for _, name := range []string{"c-queue-grows", "d-client-timeout"} {
		t.Run(name, func(t *testing.T) {
			_, s := decode(t, loadgen.Options{}, readFile(t, "testdata/real/"+name+".ndjson"))
			c := inFlight(s.events)
			n := 0
			for sc := bufio.NewScanner(bytes.NewReader(readFile(t, "testdata/real/"+name+".truth"))); sc.Scan(); n++ {
				var want struct {
					T        time.Time
					Inflight float64
				}
				if err := json.Unmarshal(sc.Bytes(), &want); err != nil {
					t.Fatal(err)
				}
				if got := c.value(model.InstantOf(want.T)); got != want.Inflight {
					t.Errorf("at %v: want %v in flight, got %v", want.T, want.Inflight, got)
				}
			}
			if n < 400 || c.last() != 0 || len(s.of(model.Level, model.ClientHorizon)) < 100 {
				t.Errorf("want over 400 samples, none left in flight and a horizon, got %d, %v, %d", n, c.last(), len(s.of(model.Level, model.ClientHorizon)))
			}
		})
	}
}
