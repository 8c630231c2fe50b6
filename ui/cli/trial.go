package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"benchtop/model"
	"benchtop/model/engine"
	"benchtop/sources"
	"benchtop/sources/sim"
)

// trialFlags ask the demo to put its own diagnosis to the test.
type trialFlags struct {
	matrix   int
	mixtures int
	shifted  bool
	without  []string
	only     string
}

func (f *trialFlags) add(s *pflag.FlagSet) {
	s.IntVar(&f.matrix, "matrix", 0, "test the diagnosis: play every scenario `N` times with parameters drawn anew and print what each ended as")
	s.BoolVar(&f.shifted, "shifted", false, "with --matrix: also change log intervals, noise, lengths, delays and what is known")
	s.StringArrayVar(&f.without, "without", nil, "with --matrix: leave out `SOURCE`: host_source, gpu_source, server_log or client_stream (repeatable)")
	s.StringVar(&f.only, "only", "", "with --matrix: `SCENARIO` alone")
	s.IntVar(&f.mixtures, "mixtures", 0, "test the diagnosis: judge `N` random mixtures of impairments by what their removal is worth")
}

func (f *trialFlags) asked() bool { return f.matrix > 0 || f.mixtures > 0 }

// judged is one simulated run as the rules judged it.
type judged struct {
	final   *model.Snapshot
	changes []model.VerdictChange
}

// judgeScenario plays a scenario as fast as it goes, through the same readers
// as a real run.
func judgeScenario(ctx context.Context, s sim.Scenario, seed uint64) (judged, error) {
	var out judged
	src, err := sim.Play(s, seed, demoStart, nil)
	if err != nil {
		return out, err
	}
	g := sources.NewGroup()
	g.Start(ctx, src, sources.Block, true)
	g.WhenFinite(func() { g.Wait(0) })
	e := engine.New(engine.Options{Recycle: sources.Recycle, OnVerdict: func(c model.VerdictChange) { out.changes = append(out.changes, c) }})
	var crash error
	done := make(chan struct{})
	sources.Spawn("engine", func() { e.Run(g.Batches()) }, func(err error) { crash = err; close(done) })
	<-done
	out.final = e.Latest()
	if crash == nil {
		crash = ctx.Err()
	}
	return out, crash
}

// verdictName is a verdict as the scenario table spells it.
func verdictName(id, reason string) string {
	if reason != "" {
		return id + "/" + reason
	}
	return id
}

// accused lists what a healthy run was accused of, at any second.
func (j *judged) accused() []string {
	var out []string
	for _, c := range j.changes {
		if c.ID != model.VerdictNone && c.ID != "closed_loop_ceiling" && c.ID != model.VerdictNotEnough {
			out = append(out, fmt.Sprintf("%s at %.0f s", c.ID, c.TS))
		}
	}
	return out
}

// missed lists findings that the scenario wants raised and that never were.
func (j *judged) missed(s *sim.Scenario) []string {
	var out []string
	for _, id := range s.Raised {
		if !slices.ContainsFunc(j.final.Findings, func(f model.Finding) bool { return f.ID == id && f.RaisedAt != 0 }) {
			out = append(out, id)
		}
	}
	return out
}

// matrix counts what each scenario ended with.
type matrix struct {
	rows  []matrixRow
	runs  int
	right int
	shy   int // abstained though a verdict was due
	wrong int
	calm  int // healthy runs
	cried int // of them, accused at some second
	lacks []string
}

type matrixRow struct {
	scenario sim.Scenario
	got      map[string]int
	right    int
}

// runMatrix plays every scenario n times, each with parameters of its own.
func (f *trialFlags) runMatrix(ctx context.Context, seed uint64) (*matrix, error) {
	m := &matrix{}
	for _, s := range sim.Scenarios() {
		if f.only != "" && s.Name != f.only {
			continue
		}
		row := matrixRow{scenario: s, got: map[string]int{}}
		for i := range f.matrix {
			draw := sim.Draw(s, seed+uint64(i), f.shifted)
			for _, w := range f.without {
				draw.Changes = strings.TrimPrefix(draw.Changes+", have_"+w+"=false", ", ")
			}
			j, err := judgeScenario(ctx, draw, seed+uint64(i))
			if err != nil {
				return nil, fmt.Errorf("%s, seed %d: %w", s.Name, seed+uint64(i), err)
			}
			m.count(&row, &draw, &j, seed+uint64(i))
		}
		m.rows = append(m.rows, row)
	}
	return m, nil
}

func (m *matrix) count(row *matrixRow, s *sim.Scenario, j *judged, seed uint64) {
	m.runs++
	v := &j.final.Verdict
	got := verdictName(v.ID, v.Reason)
	row.got[got]++
	switch {
	case slices.Contains(s.Verdict, got):
		m.right++
		row.right++
	case v.ID == model.VerdictNotEnough:
		m.shy++
	default:
		m.wrong++
	}
	if miss := j.missed(s); len(miss) > 0 {
		m.lacks = append(m.lacks, fmt.Sprintf("%s, seed %d: never raised %s", s.Name, seed, strings.Join(miss, ", ")))
	}
	if s.Healthy() {
		m.calm++
		if bad := j.accused(); len(bad) > 0 {
			m.cried++
			m.lacks = append(m.lacks, fmt.Sprintf("%s, seed %d: accused of %s", s.Name, seed, strings.Join(bad, ", ")))
		}
	}
}

func (m *matrix) print(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%-24s %-8s %s\n", "scenario", "right", "ended as")
	for _, r := range m.rows {
		n := 0
		for _, k := range r.got {
			n += k
		}
		ids := slices.SortedFunc(maps.Keys(r.got), func(x, y string) int {
			return cmp.Or(cmp.Compare(r.got[y], r.got[x]), cmp.Compare(x, y))
		})
		var parts []string
		for _, id := range ids {
			mark := ""
			if !slices.Contains(r.scenario.Verdict, id) {
				mark = "!"
			}
			parts = append(parts, fmt.Sprintf("%s%s %d", mark, id, r.got[id]))
		}
		fmt.Fprintf(&b, "%-24s %2d of %-2d %s\n", r.scenario.Name, r.right, n, strings.Join(parts, ", "))
	}
	for _, l := range m.lacks {
		fmt.Fprintf(&b, "%s\n", l)
	}
	fmt.Fprintf(&b, "%d runs: %d right (%.1f %%), %d abstained though a verdict was due, %d wrong; %d of %d healthy runs accused at some second\n",
		m.runs, m.right, 100*float64(m.right)/float64(max(1, m.runs)), m.shy, m.wrong, m.cried, m.calm)
	_, err := io.WriteString(w, b.String())
	return err
}

// weighed is one mixture: what was named, and what that is worth.
type weighed struct {
	verdict string
	worth   float64 // what the verdict's proposal gains, as a share; NaN where it names nothing
	best    float64 // by the best single change
	change  string  // which one that is
}

// Classes of a mixture's verdict, as its worth says.
const (
	worthBest  = "the single change worth most (or within 80 % of it)"
	worthSome  = "a change worth 5 % or more, not the best"
	worthBit   = "worth 2 to 5 %"
	worthFalse = "worth less than 2 %: a false accusation"
	worthNone  = "none, and no change was worth 10 %"
	worthMiss  = "none, though a change was worth 10 % or more"
	worthShy   = "not enough evidence"
)

func worthClasses() []string {
	return []string{worthBest, worthSome, worthBit, worthFalse, worthNone, worthMiss, worthShy}
}

func (w *weighed) class() string {
	switch {
	case strings.HasPrefix(w.verdict, model.VerdictNotEnough):
		return worthShy
	case w.verdict == model.VerdictNone && w.best >= 0.1:
		return worthMiss
	case w.verdict == model.VerdictNone:
		return worthNone
	case w.worth >= 0.8*w.best && w.worth >= 0.02:
		return worthBest
	case w.worth >= 0.05:
		return worthSome
	case w.worth >= 0.02:
		return worthBit
	}
	return worthFalse
}

// yield is what a simulated run made of its last 60 s.
type yield struct {
	good float64 // answers a second
	lost float64 // share of the requests that failed
}

func yieldOf(s sim.Scenario, seed uint64) (yield, error) {
	t, err := sim.Truths(s, seed, demoStart)
	if err != nil || len(t) < 601 {
		return yield{math.NaN(), math.NaN()}, err
	}
	a, b := t[len(t)-601], t[len(t)-2] // the last one stands after what was open is withdrawn
	ok, done := float64(b.OK-a.OK), float64(b.Done-a.Done)
	return yield{ok / 60, 1 - ok/max(1, done)}, nil
}

// gain is what y has over x, as a share: good answers more, or failures less.
// A full server gives as many answers whether or not others fail beside them,
// and yet the failures are the first thing to settle.
func (y yield) gain(x yield) float64 {
	more := 0.0
	switch {
	case x.good > 0:
		more = y.good/x.good - 1
	case y.good > 0:
		more = 100
	}
	return max(more, x.lost-y.lost)
}

// without is the scenario with one more list of changes.
func without(s sim.Scenario, changes string) sim.Scenario {
	s.Changes += ", " + changes
	return s
}

// remedies are what a verdict that names no impairment proposes.
var remedies = map[string]func(p *sim.Params) string{
	"server_saturated":        func(p *sim.Params) string { return fmt.Sprintf("max_batch=%d, kv_tokens=72000", 3*p.MaxBatch) },
	"concurrency_lt_maxbatch": func(p *sim.Params) string { return fmt.Sprintf("workers=%d", p.MaxBatch) },
	"closed_loop_ceiling":     func(p *sim.Params) string { return fmt.Sprintf("workers=%d", 2*p.Workers) },
}

// weigh judges one mixture and finds what each change to it would be worth.
func weigh(ctx context.Context, seed uint64) (weighed, error) {
	s, in := sim.Mix(seed, int(seed%4))
	out := weighed{worth: math.NaN()}
	j, err := judgeScenario(ctx, s, seed)
	if err != nil {
		return out, err
	}
	v := &j.final.Verdict
	out.verdict = verdictName(v.ID, v.Reason)
	base, err := yieldOf(s, seed)
	if err != nil {
		return out, err
	}
	try := func(changes string) (float64, error) {
		x, err := yieldOf(without(s, changes), seed)
		return x.gain(base), err
	}
	for _, i := range in {
		gain, err := try(i.Without)
		if err != nil {
			return out, err
		}
		if gain > out.best {
			out.best, out.change = gain, i.Name
		}
		if slices.Contains(i.Names, v.ID) && !(out.worth >= gain) {
			out.worth = gain
		}
	}
	if r := remedies[v.ID]; r != nil {
		p, err := s.Params()
		if err != nil {
			return out, err
		}
		gain, err := try(r(&p))
		if err != nil {
			return out, err
		}
		if !(out.worth >= gain) {
			out.worth = gain
		}
	}
	return out, nil
}

func (f *trialFlags) printMixtures(ctx context.Context, w io.Writer, seed uint64) error {
	counts := map[string]int{}
	for i := range f.mixtures {
		x, err := weigh(ctx, seed+uint64(i))
		if err != nil {
			return fmt.Errorf("mixture %d: %w", seed+uint64(i), err)
		}
		counts[x.class()]++
		if c := x.class(); c == worthFalse || c == worthMiss {
			s, _ := sim.Mix(seed+uint64(i), int((seed+uint64(i))%4))
			if _, err := fmt.Fprintf(w, "seed %d: %s is worth %.1f %%, %s is worth %.1f %%: %s\n", seed+uint64(i), x.verdict, 100*x.worth, x.change, 100*x.best, s.Changes); err != nil {
				return err
			}
		}
	}
	var b strings.Builder
	for _, c := range worthClasses() {
		fmt.Fprintf(&b, "%5d  %5.1f %%  %s\n", counts[c], 100*float64(counts[c])/float64(max(1, f.mixtures)), c)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// run prints what was asked for.
func (f *trialFlags) run(ctx context.Context, w io.Writer, seed uint64) error {
	if f.matrix > 0 {
		m, err := f.runMatrix(ctx, seed)
		if err != nil {
			return &exitError{exitFailed, err}
		}
		if err := m.print(w); err != nil {
			return &exitError{exitFailed, err}
		}
	}
	if f.mixtures > 0 {
		if err := f.printMixtures(ctx, w, seed); err != nil {
			return &exitError{exitFailed, err}
		}
	}
	return nil
}
