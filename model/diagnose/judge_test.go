package diagnose

import (
	"strings"
	"testing"

	"benchtop/model"
)

func TestLeakyCounterRaisesAndClears(t *testing.T) {
	var k counter
	now := model.Instant(0)
	run := func(a Answer, n int) {
		for range n {
			now += sec
			k.step(a, 10, 15, now)
		}
	}
	run(Yes, 9)
	if k.raised {
		t.Fatal("9 of 10 s: want not raised")
	}
	run(Yes, 1)
	if !k.raised || k.rawSince != sec || k.raisedAt != 10*sec {
		t.Fatalf("10 s: want raised at 10 s, raw since 1 s; got %v at %v since %v", k.raised, k.raisedAt, k.rawSince)
	}
	run(Missing, 100)
	if !k.raised || !k.missing {
		t.Fatal("missing input: want frozen")
	}
	run(No, 14)
	if !k.raised {
		t.Fatal("14 of 15 s: want still raised")
	}
	run(No, 1)
	if k.raised {
		t.Fatal("15 s: want cleared")
	}
	k = counter{}
	for i := range 2000 { // true 30 % of the time, in streaks: below 10 ÷ (10 + 15) never raises
		a := No
		if i%20 < 6 {
			a = Yes
		}
		run(a, 1)
		if k.raised {
			t.Fatalf("second %d: want never raised", i)
		}
	}
	for i := range 2000 { // true 60 % of the time: raised in the end
		a := No
		if i%10 < 6 {
			a = Yes
		}
		run(a, 1)
	}
	if !k.raised {
		t.Fatal("mostly true: want raised")
	}
}

// feed runs the judge over n seconds made by f and returns the last result.
func feed(j *Judge, from model.Instant, n int, f func(*model.Signals)) Result {
	var r Result
	for i := range n {
		s := healthy()
		f(s)
		s.At = from + model.Instant(i)*sec
		s.T = s.At.Seconds(1_700_000_000 * sec)
		r = j.Second(s)
	}
	return r
}

func TestVerdicts(t *testing.T) {
	both := func(fs ...func(*model.Signals)) func(*model.Signals) {
		return func(s *model.Signals) {
			for _, f := range fs {
				f(s)
			}
		}
	}
	idle := func(s *model.Signals) { s.GPUs[0].Util = 0.6 }
	timeouts := func(s *model.Signals) { s.Client.Timeouts, s.Client.TimeoutAt, s.Client.OK = 40, 2.6, 440 }
	for _, c := range []struct {
		name, want, reason string
		f                  func(*model.Signals)
	}{
		{"healthy", "none", "", func(*model.Signals) {}},
		{"saturated", "server_saturated", "", full},
		{"pool", "client_pool", "", func(s *model.Signals) { missing(s); s.Host.Established = 8 }},
		{"no host source", "before_server", "", func(s *model.Signals) {
			missing(s)
			s.Host = model.HostSignals{Established: nan, Connecting: nan, NewConns: nan, ClientThread: nan, RetransShare: nan}
		}},
		{"hot and saturated", "thermal", "", both(full, hot)},
		{"hot but client bound", "client_pool", "", both(func(s *model.Signals) { missing(s); s.Host.Established = 8; s.Client.Closed = false }, hot)},
		{"hot open loop that keeps up", "none", "", both(func(s *model.Signals) { s.Client.Closed = false }, hot)},
		{"timeouts with heat that began with them", "thermal", "", both(full, hot, timeouts)},
		{"timeouts alone", "client_timeout", "", both(full, timeouts)},
		{"cold", "not_enough_evidence", "not_warm", func(s *model.Signals) { s.Load.Warm = false }},
		{"too few", "not_enough_evidence", "too_few", func(s *model.Signals) { s.Load.Warm, s.Client.TotalOK = false, 12 }},
		{"no server", "not_enough_evidence", "server_log", func(s *model.Signals) { s.Server = model.ServerSignals{Ratio: nan, Silence: nan} }},
		{"nobody", "not_enough_evidence", "client", func(s *model.Signals) { s.Client, s.Server = model.ClientSignals{}, model.ServerSignals{} }},
		{"quota and an idle GPU", "cpu_quota", "", both(full, idle, func(s *model.Signals) { s.Host.QuotaShare = 0.4 })},
		{"quota and a busy GPU", "server_saturated", "", both(full, func(s *model.Signals) { s.Host.QuotaShare = 0.4 })},
		{"debug log and a GPU that idles a little", "debug_log", "", both(full, func(s *model.Signals) { s.GPUs[0].Util, s.Server.DebugLines = 0.87, 90 })},
		{"an idle GPU and nothing that explains it", "gpu_idle_gaps", "", both(full, idle)},
		{"killed for memory while cold", "mem_pressure", "", func(s *model.Signals) { s.Load.Warm, s.Host.OOMKills, s.Host.OOMEver = false, 1, 1 }},
		{"unsteady with a neighbour", "noisy_neighbour", "", func(s *model.Signals) { s.Load.UnsteadyRaw, s.Host.OtherCPU = true, 0.5 }},
		{"unsteady while cold, with a neighbour", "noisy_neighbour", "", func(s *model.Signals) { s.Load.Warm, s.Load.UnsteadyRaw, s.Host.OtherCPU = false, true, 0.5 }},
		{"unsteady", "not_enough_evidence", "unsteady", both(full, func(s *model.Signals) { s.Load.UnsteadyRaw = true })},
		{"sums over engines hide a hot one", "engine_imbalance", "", both(full, idle, func(s *model.Signals) {
			s.Server.Engines = []model.EngineSignals{{Label: "0", Running: 32, WaitingMedian: 24}, {Label: "1", Running: 8}}
		})},
		{"power cap as usual", "server_saturated", "", both(full, func(s *model.Signals) { s.GPUs[0].PowerCap, s.GPUs[0].Loss = 1, 0.04 })},
	} {
		j := NewJudge(model.DefaultThresholds())
		r := feed(j, 1_700_000_100*sec, 60, c.f)
		if r.Verdict.ID != c.want || r.Verdict.Reason != c.reason {
			t.Errorf("%s: want %s %q, got %s %q (%s)", c.name, c.want, c.reason, r.Verdict.ID, r.Verdict.Reason, r.Verdict.Title)
		}
	}
}

func TestTimeoutsBeforeTheClockFellAreNotItsFault(t *testing.T) {
	j := NewJudge(model.DefaultThresholds())
	late := func(s *model.Signals) { full(s); s.Client.Timeouts, s.Client.TimeoutAt, s.Client.OK = 40, 2.6, 440 }
	feed(j, 1_700_000_100*sec, 60, late)
	r := feed(j, 1_700_000_160*sec, 60, func(s *model.Signals) { late(s); hot(s) })
	if r.Verdict.ID != "client_timeout" {
		t.Errorf("want client_timeout, got %s", r.Verdict.ID)
	}
}

func TestVerdictNeedsToLead(t *testing.T) {
	j := NewJudge(model.DefaultThresholds())
	feed(j, 1_700_000_100*sec, 60, full)
	n := len(j.History())
	feed(j, 1_700_000_160*sec, 18, func(s *model.Signals) { full(s); hot(s) }) // raised after 10 s, leads for 8
	if len(j.History()) != n+1 {
		t.Errorf("want one more change, got %v", j.History()[n:])
	}
	at := j.History()[n].At - 1_700_000_160*sec
	if at < 14*sec || at > 16*sec {
		t.Errorf("want the change 10 s + 5 s after onset, got %v s", at.Seconds(0))
	}
}

func TestMissingSourceIsSaidAndNeverCleared(t *testing.T) {
	j := NewJudge(model.DefaultThresholds())
	feed(j, 1_700_000_100*sec, 60, func(s *model.Signals) { full(s); hot(s) })
	r := feed(j, 1_700_000_160*sec, 120, func(s *model.Signals) { full(s); s.GPUs = nil })
	for _, f := range r.Findings {
		if f.ID == "thermal" && (f.State != model.Unknown || f.RaisedAt == 0 || f.ClearedAt != 0 || f.Level != 1) {
			t.Errorf("want thermal unknown and frozen as it was, got state %v, level %v", f.State, f.Level)
		}
	}
	if r.Verdict.ID != "server_saturated" || r.Verdict.Confidence != "suspected" {
		t.Errorf("want a verdict that does not rest on the GPU, got %s %s", r.Verdict.ID, r.Verdict.Confidence)
	}
	r = feed(j, 1_700_000_280*sec, 8, func(s *model.Signals) { full(s); hot(s) }) // it is back, and still hot
	if r.Verdict.ID != "thermal" {
		t.Errorf("want thermal again at once, got %s", r.Verdict.ID)
	}
	j = NewJudge(model.DefaultThresholds())
	r = feed(j, 1_700_000_100*sec, 60, func(s *model.Signals) { full(s); s.GPUs = nil })
	if r.Verdict.ID != "server_saturated" || r.Verdict.Confidence != "suspected" || len(r.Verdict.NotSeen) == 0 {
		t.Errorf("want a suspected server_saturated that names the GPU, got %+v", r.Verdict)
	}
}

func TestServerSideOnly(t *testing.T) {
	j := NewJudge(model.DefaultThresholds())
	r := feed(j, 1_700_000_100*sec, 60, func(s *model.Signals) {
		full(s)
		s.Client = model.ClientSignals{InFlight: nan, X: nan, Mean: nan}
		s.Server.NcAt, s.Server.Ratio, s.Server.Gap = nan, nan, nan
		s.Load = model.LoadSignals{}
	})
	if r.Verdict.ID != "server_saturated" || r.Verdict.Confidence != "suspected" {
		t.Errorf("want suspected server_saturated, got %s %s", r.Verdict.ID, r.Verdict.Confidence)
	}
}

func TestSecondLine(t *testing.T) {
	for _, c := range []struct {
		name, want string
		f          func(*model.Signals)
	}{
		{"its umbrella is none", "", func(s *model.Signals) { missing(s); s.Host.Established = 8 }},
		{"the next limit is", "server_saturated", func(s *model.Signals) { full(s); hot(s) }},
		{"its symptom is none", "server_saturated", func(s *model.Signals) { full(s); s.GPUs[0].Util, s.Host.QuotaShare = 0.6, 0.4 }},
		{"not while another engine hides it", "", func(s *model.Signals) {
			full(s)
			s.Server.Engines = []model.EngineSignals{{Label: "0", Running: 32, WaitingMedian: 24}, {Label: "1", Running: 8}}
		}},
	} {
		if r := feed(NewJudge(model.DefaultThresholds()), 1_700_000_100*sec, 60, c.f); r.Runner != c.want {
			t.Errorf("%s: want %q behind %s, got %q", c.name, c.want, r.Verdict.ID, r.Runner)
		}
	}
}

func TestWhatCannotWaitLeadsAtOnce(t *testing.T) {
	for name, f := range map[string]func(*model.Signals){
		"mem_pressure": func(s *model.Signals) { full(s); s.Host.OOMKills, s.Host.OOMEver = 1, 1 },
		"server_down":  func(s *model.Signals) { full(s); s.Server.Restarted = 1_700_000_159 * sec },
	} {
		j := NewJudge(model.DefaultThresholds())
		feed(j, 1_700_000_100*sec, 60, full)
		if r := feed(j, 1_700_000_160*sec, 1, f); r.Verdict.ID != name {
			t.Errorf("want %s in the same second, got %s", name, r.Verdict.ID)
		}
	}
}

// TestSocketPictures: what looks alike in flight (48 at the client, 8 at the
// server) is told apart by the sockets, each in words of its own.
func TestSocketPictures(t *testing.T) {
	for _, c := range []struct {
		name, want, words string
		f                 func(*model.HostSignals)
	}{
		{"a pool's cap", "client_pool", "only 8 connections are open", func(h *model.HostSignals) { h.Established = 8 }},
		{"keep-alive off", "path_stuck", "connections are not reused", func(h *model.HostSignals) { h.NewConns = 16 }},
		{"a listener that is slow to accept", "path_stuck", "40 of them the server has not accepted yet", func(h *model.HostSignals) { h.AcceptQueue = 40 }},
		{"connections that do not come about", "path_stuck", "40 connections are still being made", func(h *model.HostSignals) { h.Established, h.Connecting = 8, 40 }},
		{"a gateway's limit", "path_stuck", "the rest waits between the two", func(*model.HostSignals) {}},
		{"a client that sleeps between requests", "before_server", "40 of 48 open connections wait for the client", func(h *model.HostSignals) { h.Idle = 40 }},
		{"a client held by its CPU quota", "before_server", "The client's CPU quota stopped it in 45 %", func(h *model.HostSignals) { h.ClientQuota = 0.45 }},
	} {
		r := feed(NewJudge(model.DefaultThresholds()), 1_700_000_100*sec, 60, func(s *model.Signals) {
			missing(s)
			s.Host.ClientThread = 0.3
			c.f(&s.Host)
		})
		said := ""
		for _, f := range r.Findings {
			if f.ID == c.want {
				said = f.Text
				for _, e := range f.Evidence {
					said += " " + e.Text
				}
			}
		}
		if r.Verdict.ID != c.want || !strings.Contains(said, c.words) {
			t.Errorf("%s: want %s with %q, got %s with %q", c.name, c.want, c.words, r.Verdict.ID, said)
		}
	}
}
