package cli_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"benchtop/model"
	"benchtop/model/engine"
	"benchtop/sources/sim"
)

// TestClocksApart shifts the server's clock: by 17 s it is reported, by whole
// hours it is a time zone; neither changes the principal.
func TestClocksApart(t *testing.T) {
	for _, c := range []struct {
		skew string
		told bool
	}{{"0", false}, {"17", true}, {"-17", true}, {"7200", false}, {"-19800", false}} {
		t.Run(c.skew, func(t *testing.T) {
			t.Parallel()
			s, _ := sim.Find("saturated")
			s.Changes += ", server_clock_skew_s=" + c.skew
			o, _ := play(t, s, 11)
			if got := slices.Contains(o.raised(), "clock_skew"); got != c.told {
				t.Errorf("want clock_skew raised: %v, got %v", c.told, got)
			}
			if o.final.Verdict.ID != "server_saturated" {
				t.Errorf("want server_saturated whatever the clock, got %s;%s", o.final.Verdict.ID, o.history())
			}
		})
	}
}

// TestConfusablePairs wants both members of each pair told apart in one place:
// the verdicts of the table differ, and without what tells them apart the
// claim is the coarser one.
func TestConfusablePairs(t *testing.T) {
	if raced {
		t.Skip("many simulations")
	}
	for _, group := range [][]string{
		{"client_pool", "gateway_limit", "client_cpu"},
		{"client_pool", "saturated"},
		{"gateway_limit", "gateway_full_server"},
		{"batching_off", "low_concurrency", "batch_wait"},
		{"timeout_slow_clock", "timeout_batch_wait", "short_timeout"},
		{"throttled_client_bound", "thermal_sw", "throttled_open_keeps_up"},
		{"power_cap", "power_cap_benign", "clock_drift", "thermal_sw"},
		{"kv_pressure", "saturated"},
		{"idle_gaps", "cpu_quota", "debug_log", "cpu_freq", "noisy_cpu", "mem_oom"},
		{"debug_log", "debug_log_harmless"},
		{"queue_full", "rejects_with_room"},
		{"overload_open", "cold_start", "unstable"},
		{"net_loss", "gateway_limit"},
		{"pool_no_host", "client_pool"},
	} {
		t.Run(strings.Join(group, "/"), func(t *testing.T) {
			t.Parallel()
			by := map[string]string{}
			for _, id := range group {
				s, _ := sim.Find(id)
				o, _ := play(t, sim.Draw(s, 404, false), 404)
				v := name(o.final.Verdict.ID, o.final.Verdict.Reason)
				if other, twice := by[v]; twice {
					t.Errorf("want %s and %s told apart, both are %s", other, id, v)
				}
				by[v] = id
			}
		})
	}
}

// TestEvidenceRecomputes takes the verdict's numbers from the tracks of the
// snapshot again, and wants no evidence from a percentile of too few requests.
func TestEvidenceRecomputes(t *testing.T) {
	s, _ := sim.Find("thermal_sw")
	o, _ := play(t, s, 11)
	f := o.final
	for _, e := range f.Verdict.Evidence {
		if e.Series != "gpu_sm_clock" {
			continue
		}
		tr := f.GPU(model.GPUSMClock, f.GPUs[0].Key)
		cols := make([]model.Bucket, int(e.WindowS))
		tr.Columns(cols, f.Now.Add(-30e9), 1e9)
		sum, n := 0.0, 0.0
		for _, c := range cols {
			if c.N > 0 {
				sum, n = sum+c.Mean()/1e6, n+1
			}
		}
		if got := sum / n; got < e.Value*0.98 || got > e.Value*1.02 {
			t.Errorf("SM clock: the evidence says %v MHz, the track %v", e.Value, got)
		}
	}
	for _, id := range []string{"low_concurrency", "short_timeout"} {
		s, _ := sim.Find(id)
		s.Changes += ", duration_s=60"
		o, _ := play(t, s, 11)
		for _, fd := range o.final.Findings {
			for _, e := range fd.Evidence {
				if strings.Contains(e.Series, "p99") && o.final.Latency.OK.N < model.MinP99 {
					t.Errorf("%s: %s rests on a P99 of %d requests", id, fd.ID, o.final.Latency.OK.N)
				}
			}
		}
	}
}

// TestBatchBordersDontMatter feeds one run in other portions: the verdicts are
// a function of the events alone.
func TestBatchBordersDontMatter(t *testing.T) {
	s, _ := sim.Find("server_crash")
	src, err := sim.Play(s, 11, zero, nil)
	if err != nil {
		t.Fatal(err)
	}
	var all []model.Batch
	want := judge(t, src, engine.Options{Record: func(b *model.Batch) {
		all = append(all, model.Batch{Events: slices.Clone(b.Events), Notes: slices.Clone(b.Notes)})
	}})
	dice := rand.New(rand.NewPCG(7, 7))
	in := make(chan *model.Batch, 1)
	got := outcome{}
	e := engine.New(engine.Options{OnVerdict: func(c model.VerdictChange) { got.changes = append(got.changes, c) }})
	done := make(chan struct{})
	go func() { e.Run(in); close(done) }()
	for i := range all {
		b := &all[i]
		for len(b.Events) > 0 || len(b.Notes) > 0 {
			n := min(len(b.Events), 1+dice.IntN(40))
			in <- &model.Batch{Notes: b.Notes, Events: b.Events[:n]}
			b.Notes, b.Events = nil, b.Events[n:]
		}
	}
	close(in)
	<-done
	same := len(want.changes) == len(got.changes)
	for i := range got.changes {
		same = same && want.changes[i].TS == got.changes[i].TS && want.changes[i].ID == got.changes[i].ID && slices.Equal(want.changes[i].Raised, got.changes[i].Raised)
	}
	if !same {
		t.Errorf("want%s\n got%s", want.history(), got.history())
	}
	if a, b := want.final.Clean.Clean.Seconds, e.Latest().Clean.Clean.Seconds; a != b {
		t.Errorf("clean seconds: want %v, got %v", a, b)
	}
}
