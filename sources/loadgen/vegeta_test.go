package loadgen_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"benchtop/model"
	"benchtop/sources/loadgen"
)

// request is one of a made-up run.
type request struct {
	seq        int
	start, end model.Instant
}

func (r request) line() string {
	return fmt.Sprintf(`{"attack":"a","seq":%d,"code":200,"timestamp":"%s","latency":%d,"bytes_out":1,"bytes_in":1,"error":"","body":"eyJ9","method":"POST","url":"http://h/x","headers":null}`,
		r.seq, r.start.Time().UTC().Format(time.RFC3339Nano), r.end-r.start)
}

// randomRun makes a closed loop of n workers, in the order of ends; hung, if
// not negative, is a request that takes 20 s.
func randomRun(rng *rand.Rand, workers, n, hung int) []request {
	free := make([]model.Instant, workers)
	for i := range free {
		free[i] = seenAt + model.Instant(i+1)*1000
	}
	var all []request
	for seq := range n {
		w := 0
		for i := range free {
			if free[i] < free[w] {
				w = i
			}
		}
		d := model.Instant(rng.ExpFloat64()*50e6) + 1_000_000
		if seq == hung {
			d = 20e9
		}
		all = append(all, request{seq, free[w], free[w] + d})
		free[w] += d + 1 + model.Instant(rng.IntN(100_000))
	}
	slices.SortFunc(all, func(a, b request) int { return int(min(max(a.end-b.end, -1), 1)) })
	return all
}

// truth is what is in flight just after an instant.
func truth(all []request, at model.Instant) (n float64) {
	for _, r := range all {
		if r.start <= at && at < r.end {
			n++
		}
	}
	return n
}

// TestVegetaRebuildsInFlight: after any number of records, the count is exact
// at the start of every request known, up to the horizon, and never negative;
// a hung request doesn't hold the horizon back.
func TestVegetaRebuildsInFlight(t *testing.T) {
	for seed := range uint64(12) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 7))
			hung := -1
			if seed%2 == 1 {
				hung = 5
			}
			workers := 1 + rng.IntN(40)
			all := randomRun(rng, workers, 400, hung)
			s := newSink(t)
			d := loadgen.NewDecoder(loadgen.Options{})
			var horizon model.Instant
			var known []request
			for i, r := range all {
				d.Line([]byte(r.line()), seenAt, false, false, s.out)
				horizon = max(horizon, r.start)
				known = append(known, r)
				if i%37 != 0 && i != len(all)-1 {
					continue
				}
				s.drain()
				c := inFlight(s.events)
				if c.lowest() < 0 {
					t.Fatalf("after %d records: in flight falls to %v", i+1, c.lowest())
				}
				for _, k := range known {
					if want, got := truth(all, k.start), c.value(k.start); want != got {
						t.Fatalf("after %d records, at the start of %d: want %v in flight, got %v", i+1, k.seq, want, got)
					}
				}
				if hung >= 0 && workers > 1 && i > 100 && i < 300 && r.end.Sub(horizon) > time.Second {
					t.Errorf("after %d records: want a horizon that moves on, it is %v behind", i+1, r.end.Sub(horizon))
				}
			}
			c := inFlight(s.events)
			for _, r := range all {
				for _, at := range []model.Instant{r.start, r.end} {
					if want, got := truth(all, at), c.value(at); want != got {
						t.Fatalf("at the end, at %d: want %v in flight, got %v", at-seenAt, want, got)
					}
				}
			}
			h := s.of(model.Level, model.ClientHorizon)
			if got := h[len(h)-1].At; horizon-got > model.Instant(20*time.Millisecond) || got > horizon {
				t.Errorf("horizon: want %v, got %v", horizon-seenAt, got-seenAt)
			}
			if len(s.ends()) != len(all) {
				t.Errorf("ends: want %d, got %d", len(all), len(s.ends()))
			}
		})
	}
}

func join(rs []request) []byte {
	var b bytes.Buffer
	for _, r := range rs {
		b.WriteString(r.line())
		b.WriteByte('\n')
	}
	return b.Bytes()
}

func TestVegetaLostRecord(t *testing.T) {
	var all []request
	for i := range 100 {
		if i != 10 { // its record never comes
			all = append(all, request{i, ms(100 * i), ms(100*i + 50)})
		}
	}
	for _, tt := range []struct {
		name    string
		timeout time.Duration
		closed  model.Instant
	}{{"declared timeout", 2 * time.Second, ms(3000)}, {"no timeout known", 0, ms(9950)}} {
		t.Run(tt.name, func(t *testing.T) {
			_, s := decode(t, loadgen.Options{Timeout: tt.timeout}, join(all))
			c := inFlight(s.events)
			if got := c.value(ms(2080)); got != 1 {
				t.Errorf("while it counts: want 1 in flight, got %v", got)
			}
			if got := c.value(tt.closed); got != 0 && tt.timeout == 0 || c.last() != 0 {
				t.Errorf("after: want 0 in flight, got %v, at the end %v", got, c.last())
			}
			if tt.timeout > 0 && c.value(ms(3180)) != 0 {
				t.Errorf("after its timeout: want 0 in flight, got %v", c.value(ms(3180)))
			}
		})
	}
}

func TestVegetaLateRecordAfterGivingUp(t *testing.T) {
	late := request{10, ms(1000), ms(9000)}
	var all []request
	for i := range 100 {
		if i != 10 {
			all = append(all, request{i, ms(100 * i), ms(100*i + 50)})
		}
	}
	all = append(all, late)
	_, s := decode(t, loadgen.Options{Timeout: 2 * time.Second}, join(all))
	c := inFlight(s.events)
	for _, at := range []model.Instant{ms(990), ms(1020), ms(3500), ms(8990), ms(9060)} {
		if want, got := truth(all, at), c.value(at); want != got {
			t.Errorf("at %v: want %v, got %v", at-seenAt, want, got)
		}
	}
}

func TestVegetaSecondRunStartsOver(t *testing.T) {
	first := randomRun(rand.New(rand.NewPCG(1, 1)), 4, 50, -1)
	shift := model.Instant(60e9)
	for _, tt := range []struct {
		name string
		by   model.Instant
	}{{"later", shift}, {"earlier", -shift}} {
		t.Run(tt.name, func(t *testing.T) {
			second := slices.Clone(first)
			for i := range second {
				second[i].start += tt.by
				second[i].end += tt.by
			}
			_, s := decode(t, loadgen.Options{}, join(append(slices.Clone(first), second...)))
			resets := 0
			for _, e := range s.events {
				if e.Kind == model.Reset {
					resets++
				}
			}
			if resets != 1 || len(s.ends()) != 100 || inFlight(s.events).last() != 0 {
				t.Errorf("want 1 reset, 100 ends, 0 left, got %d, %d, %v", resets, len(s.ends()), inFlight(s.events).last())
			}
		})
	}
}

func TestVegetaRepeatedLinesAreNoise(t *testing.T) {
	text := join(randomRun(rand.New(rand.NewPCG(2, 2)), 4, 50, -1))
	_, s := decode(t, loadgen.Options{}, append(slices.Clone(text), text...))
	if len(s.ends()) != 50 {
		t.Errorf("want 50 ends, got %d", len(s.ends()))
	}
}

func TestVegetaAttachedInMidRun(t *testing.T) {
	all := randomRun(rand.New(rand.NewPCG(3, 3)), 8, 3000, 1390)
	s := newSink(t)
	d := loadgen.NewDecoder(loadgen.Options{Timeout: 5 * time.Second})
	d.Attached()
	for _, r := range all[1400:] {
		d.Line([]byte(r.line()), r.end, false, false, s.out)
	}
	s.drain()
	c := inFlight(s.events)
	if c.lowest() < 0 || c.peak() > 9 {
		t.Errorf("want 0 to 9 in flight, got %v to %v", c.lowest(), c.peak())
	}
	joined := all[1400].end
	h := s.of(model.Level, model.ClientHorizon)
	if len(h) == 0 || h[0].At < joined+4e9 {
		t.Fatalf("want the first horizon after the timeout has passed, got %v", h[0].At-joined)
	}
	for _, r := range all[1400:] {
		if r.start >= h[0].At {
			if want, got := truth(all, r.start), c.value(r.start); want != got {
				t.Fatalf("at %v: want %v in flight, got %v", r.start-joined, want, got)
			}
		}
	}
}

func TestVegetaCutLine(t *testing.T) {
	whole := request{0, ms(0), ms(100)}.line()
	cut := whole[:bytes.Index([]byte(whole), []byte(`eyJ9`))+2]
	_, s := decode(t, loadgen.Options{}, []byte(cut+"\n"+whole[:60]+"\n"))
	if n := len(s.ends()); n != 1 {
		t.Errorf("want the record cut inside its body and not the one cut before, got %d ends", n)
	}
}

func TestVegetaHeadMissing(t *testing.T) {
	all := randomRun(rand.New(rand.NewPCG(8, 8)), 4, 6000, -1)[5000:]
	_, s := decode(t, loadgen.Options{}, join(all))
	if c := inFlight(s.events); c.peak() > 8 || c.last() != 0 {
		t.Errorf("want what is missing not to count, got a peak of %v and %v left", c.peak(), c.last())
	}
	sum, err := loadgen.Probe(newChunks(join(all), 4096), loadgen.Options{}, nil)
	if err != nil || sum.Unfinished > 4 {
		t.Errorf("unfinished: want at most 4, got %v (%v)", sum.Unfinished, err)
	}
}

func TestVegetaCutEnd(t *testing.T) {
	all := randomRun(rand.New(rand.NewPCG(9, 9)), 8, 500, -1)
	sum, err := loadgen.Probe(newChunks(join(all[:300]), 4096), loadgen.Options{}, nil)
	if err != nil || sum.Unfinished < 1 || sum.Unfinished > 8 {
		t.Errorf("unfinished: want 1 to 8 of 8 workers, got %v (%v)", sum.Unfinished, err)
	}
	_, s := decode(t, loadgen.Options{}, join(all[:300]))
	if n, ok := s.note(model.NoteRun, "unfinished"); !ok || n.Value != float64(sum.Unfinished) || inFlight(s.events).last() != 0 {
		t.Errorf("at the end of the stream: want %v unfinished and 0 in flight, got %v and %v", sum.Unfinished, n.Value, inFlight(s.events).last())
	}
}
