package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"benchtop/model"
	"benchtop/model/engine"
	"benchtop/sources"
	"benchtop/sources/recording"
	"benchtop/sources/sim"
	"benchtop/ui/cli"
)

// zero is second 0 of a played scenario.
var zero = model.InstantOf(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))

// outcome is a run as the engine judged it.
type outcome struct {
	final   *model.Snapshot
	changes []model.VerdictChange
}

// judge runs a source to its end through an engine, as fast as it goes.
func judge(t testing.TB, src sources.Source, o engine.Options) outcome {
	t.Helper()
	var out outcome
	g := sources.NewGroup()
	o.Recycle = sources.Recycle
	o.OnVerdict = func(c model.VerdictChange) { out.changes = append(out.changes, c) }
	e := engine.New(o)
	g.Start(context.Background(), src, sources.Block, true)
	go g.Wait(0)
	e.Run(g.Batches())
	out.final = e.Latest()
	return out
}

func play(t testing.TB, s sim.Scenario, seed uint64) (outcome, *sim.Sim) {
	t.Helper()
	src, err := sim.Play(s, seed, zero, nil)
	if err != nil {
		t.Fatal(err)
	}
	return judge(t, src, engine.Options{}), src
}

// name is a verdict as the scenario table spells it.
func name(id, reason string) string {
	if reason != "" {
		return id + "/" + reason
	}
	return id
}

// at is the verdict at a second of the run.
func (o *outcome) at(sec float64) string {
	id := ""
	for _, c := range o.changes {
		if c.TS <= sec {
			id = name(c.ID, c.Reason)
		}
	}
	return id
}

// history is the verdicts in a row, for messages.
func (o *outcome) history() string {
	var b strings.Builder
	for _, c := range o.changes {
		fmt.Fprintf(&b, " %.0f:%s", c.TS, name(c.ID, c.Reason))
	}
	return b.String()
}

// raised lists every finding that was ever raised.
func (o *outcome) raised() []string {
	var ids []string
	for _, f := range o.final.Findings {
		if f.RaisedAt != 0 {
			ids = append(ids, f.ID)
		}
	}
	return ids
}

// wrong says what is not as the scenario wants it, "" if all is well.
func (o *outcome) wrong(s *sim.Scenario) string {
	v := o.final.Verdict
	if got := name(v.ID, v.Reason); !slices.Contains(s.Verdict, got) {
		return fmt.Sprintf("want verdict %s, got %s;%s", strings.Join(s.Verdict, " or "), got, o.history())
	}
	ever := o.raised()
	for _, id := range s.Raised {
		if !slices.Contains(ever, id) {
			return fmt.Sprintf("want %s raised, got %v", id, ever)
		}
	}
	for i, ph := range s.Phases {
		end := math.Inf(1)
		if i+1 < len(s.Phases) {
			end = s.Phases[i+1].At
		}
		if got := o.at(end); !slices.Contains(ph.Verdict, got) {
			return fmt.Sprintf("at the end of %q: want %s, got %s;%s", ph.Mark, strings.Join(ph.Verdict, " or "), got, o.history())
		}
	}
	if calm[s.Name] {
		for _, c := range o.changes {
			if c.ID != model.VerdictNone && c.ID != "closed_loop_ceiling" && c.ID != model.VerdictNotEnough {
				return fmt.Sprintf("nothing is wrong, yet at %.0f s it is %s", c.TS, c.ID)
			}
		}
	}
	return ""
}

// calm are the runs in which nothing limits: no second may accuse anything.
var calm = map[string]bool{"healthy_open": true, "healthy_balanced": true, "healthy_static_open": true, "throttled_open_keeps_up": true}

func TestScenarios(t *testing.T) {
	for i, s := range sim.Scenarios() {
		if raced && i%8 != 0 {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			o, src := play(t, s, 11)
			if why := o.wrong(&s); why != "" {
				t.Error(why)
			}
			checkVerdict(t, &o, src)
		})
	}
}

// checkVerdict holds what is true of any run's end.
func checkVerdict(t *testing.T, o *outcome, src *sim.Sim) {
	v := &o.final.Verdict
	if v.Title == "" || v.NextChange == "" || v.DoesNotProve == "" || !strings.ContainsAny(v.Text, "0123456789") {
		t.Errorf("want a verdict in words and numbers, got %+v", v)
	}
	p := src.Params()
	seen := p.HaveClient && p.HaveLog && p.HaveGPU && p.HaveHost
	if want := map[bool]string{true: "firm", false: "suspected"}[seen]; v.Confidence != want && v.ID != "before_server" {
		t.Errorf("want %s, got %s: %v", want, v.Confidence, v.NotSeen)
	}
	if o.final.Runner == v.ID || o.final.Runner == model.VerdictNone {
		t.Errorf("want another finding as the second line, got %q", o.final.Runner)
	}
	for _, f := range o.final.Findings {
		for _, e := range f.Evidence {
			if math.IsNaN(e.Value) {
				t.Errorf("%s: evidence nobody measured: %+v", f.ID, e)
			}
		}
	}
}

func TestOtherSeeds(t *testing.T) {
	if testing.Short() || raced {
		t.Skip("minutes of simulation")
	}
	right, runs := 0, 0
	for _, s := range sim.Scenarios() {
		for _, seed := range []uint64{3, 77, 2026} {
			runs++
			o, _ := play(t, s, seed)
			if why := o.wrong(&s); why != "" {
				t.Logf("%s, seed %d: %s", s.Name, seed, why)
				if calm[s.Name] {
					t.Errorf("%s, seed %d: a healthy run was accused or not settled", s.Name, seed)
				}
				continue
			}
			right++
		}
	}
	t.Logf("%d of %d right", right, runs)
	if right < runs*97/100 {
		t.Errorf("want 97 of 100 right, got %d of %d", right, runs)
	}
}

func TestCrashIsTold(t *testing.T) {
	s, _ := sim.Find("server_crash")
	o, _ := play(t, s, 11)
	for sec := 84.0; sec < 150; sec++ {
		if got := o.at(sec); got != "server_down" {
			t.Fatalf("at %v s: want server_down, got %s;%s", sec, got, o.history())
		}
	}
}

// TestWithoutASource takes one source away: what it told becomes unknown, the
// verdict coarser or suspected, never another claim.
func TestWithoutASource(t *testing.T) {
	if raced {
		t.Skip("many simulations")
	}
	const noHost, noGPU, noLog = "have_host_source=false", "have_gpu_source=false", "have_server_log=false"
	for _, c := range []struct{ scenario, without, want, confidence, notSeen string }{
		{"client_pool", noHost, "before_server", "firm", ""},
		{"client_cpu", noHost, "before_server", "firm", ""},
		{"gateway_limit", noHost, "before_server", "firm", ""},
		{"cpu_quota", noHost, "gpu_idle_gaps", "suspected", "host not observed"},
		{"mem_oom", noHost, "gpu_idle_gaps", "suspected", "host not observed"},
		{"saturated", noHost, "server_saturated", "firm", ""},
		{"thermal_sw", noGPU, "server_saturated", "suspected", "GPU not observed"},
		{"cpu_quota", noGPU, "server_saturated", "suspected", "GPU not observed"},
		{"healthy_open", noGPU, "none", "suspected", "GPU not observed"},
		{"saturated", noLog, "not_enough_evidence/server_log", "firm", ""},
		{"thermal_sw", noLog, "not_enough_evidence/server_log", "firm", ""},
	} {
		t.Run(c.scenario+" "+c.without, func(t *testing.T) {
			t.Parallel()
			s, _ := sim.Find(c.scenario)
			s.Changes = strings.TrimPrefix(s.Changes+", "+c.without, ", ")
			o, _ := play(t, s, 11)
			v := o.final.Verdict
			if got := name(v.ID, v.Reason); got != c.want || v.Confidence != c.confidence || !strings.Contains(strings.Join(v.NotSeen, "\n"), c.notSeen) {
				t.Errorf("want %s, %s, that says %q; got %s, %s, %q;%s", c.want, c.confidence, c.notSeen, got, v.Confidence, v.NotSeen, o.history())
			}
		})
	}
}

// TestReplayGivesTheSameVerdicts plays runs from their own recordings.
func TestReplayGivesTheSameVerdicts(t *testing.T) {
	for _, id := range []string{"tour", "server_crash", "hot_engine", "healthy_static_open", "mem_oom", "clock_skew"} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			s, _ := sim.Find(id)
			src, err := sim.Play(s, 11, zero, nil)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "run"+recording.Ext)
			w, err := recording.Create(path, recording.Header{ID: id, Started: zero})
			if err != nil {
				t.Fatal(err)
			}
			want := judge(t, src, engine.Options{Record: w.Write})
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if st := w.Stats(); st.Lost > 0 {
				t.Skipf("the disk was too slow: %d blocks lost", st.Lost)
			}
			got := judge(t, recording.NewReplay(path, sources.NewPacer(sources.Max)), engine.Options{})
			if a, b := worded(want.changes), worded(got.changes); !reflect.DeepEqual(a, b) {
				t.Errorf("want%s\n%v\n got%s\n%v", want.history(), a, got.history(), b)
			}
			if a, b := want.raised(), got.raised(); !slices.Equal(a, b) {
				t.Errorf("want raised %v, got %v", a, b)
			}
			if a, b := want.final.Verdict.Text, got.final.Verdict.Text; a != b {
				t.Errorf("want %q, got %q", a, b)
			}
		})
	}
}

// TestTracksFollowTheTruth compares what the snapshot shows with what was the
// case, each tenth of a second that has a value.
func TestTracksFollowTheTruth(t *testing.T) {
	for _, id := range []string{"healthy_open", "saturated", "client_pool", "short_timeout", "resets", "fast_fail", "hot_engine", "batch_wait", "kv_pressure", "server_crash"} {
		if raced && id != "saturated" {
			continue
		}
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			s, _ := sim.Find(id)
			o, src := play(t, s, 11)
			truth := src.Truth()
			follow(t, o.final.Whole(model.ClientInFlight), truth, 0.99, 1, func(x sim.Truth) int { return x.InFlight })
			if src.Params().Server == "continuous" {
				follow(t, o.final.Whole(model.ServerRunning), truth, 0.95, 1, func(x sim.Truth) int { return x.Running })
				// Requests come and go within a step; a line tells the queue as its last step left it.
				follow(t, o.final.Whole(model.ServerWaiting), truth, 0.95, 2, func(x sim.Truth) int { return x.Waiting })
			}
			last := truth[len(truth)-1]
			if c := o.final.Client; int(c.Begun) != last.Begun || int(c.Done) != last.Done || int(c.ByOutcome[model.ClientOK]) != last.OK {
				t.Errorf("want %d begun, %d done, %d ok; got %d, %d, %d", last.Begun, last.Done, last.OK, c.Begun, c.Done, c.ByOutcome[model.ClientOK])
			}
		})
	}
}

func follow(t *testing.T, tr *model.Track, truth []sim.Truth, share, within float64, of func(sim.Truth) int) {
	t.Helper()
	if tr == nil {
		t.Error("no track")
		return
	}
	const step = 100 * time.Millisecond
	cols := make([]model.Bucket, len(truth))
	tr.Columns(cols, truth[0].At.Add(-step), step)
	n, near, worst := 0, 0, 0.0
	for i, x := range truth {
		if cols[i].N == 0 {
			continue
		}
		n++
		got := cols[i].Mean()
		off := math.Abs(float64(of(x)) - got)
		if i > 0 && tr.Series.Describe().Shape == model.Gauge { // told within the bucket, as the server's last step saw it
			off = min(off, math.Abs(float64(of(truth[i-1]))-got))
		}
		worst = max(worst, off)
		if off <= within {
			near++
		}
	}
	if n < 10 || float64(near) < share*float64(n) {
		t.Errorf("%v: want %v %% of the values within %v of the truth, got %d of %d; the worst is %v off", tr.Series, share*100, within, near, n, worst)
	}
}

// TestDemoPrintsVerdicts runs one scenario as a user does.
func TestDemoPrintsVerdicts(t *testing.T) {
	var out, errs bytes.Buffer
	code := cli.Main(context.Background(), []string{"demo", "--scenario", "client_pool", "--headless", "--speed", "max", "--verdicts", "--summary", "-"}, cli.Stdio{In: strings.NewReader(""), Out: &out, Err: &errs})
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	var ids []string
	sc := bufio.NewScanner(bytes.NewReader(out.Bytes()))
	for sc.Scan() && strings.HasPrefix(sc.Text(), `{"t_s"`) {
		var line struct {
			T      float64  `json:"t_s"`
			ID     string   `json:"id"`
			Raised []string `json:"raised"`
		}
		if err := json.Unmarshal(sc.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, line.ID)
	}
	if len(ids) < 2 || ids[0] != model.VerdictNotEnough || ids[len(ids)-1] != "client_pool" {
		t.Errorf("want not_enough_evidence first and client_pool last, got %v", ids)
	}
	if !strings.Contains(out.String(), `"schema": "benchtop/summary/v1"`) {
		t.Error("want the summary after the verdicts")
	}
}

// worded are changes of the verdict with their words as one text: a number in
// them that nobody measured is unequal to itself.
func worded(changes []model.VerdictChange) []any {
	var out []any
	for _, c := range changes {
		text := fmt.Sprintf("%+v", *c.Words)
		c.Words = nil
		out = append(out, c, text)
	}
	return out
}
