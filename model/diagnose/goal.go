package diagnose

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"benchtop/model"
)

// Asked is what an answer to the run's goal rests on, besides the findings.
type Asked struct {
	Signals *model.Signals
	Run     *model.RunInfo
	Clean   *model.CleanView
	Client  *model.ClientTotals
	Steps   []model.LoadStep
	GPUs    int
}

// clientBound are findings that say that the server was not asked.
var clientBound = []string{"network", "client_cpu", "client_pool", "path_stuck", "before_server", "client_below_target"}

// Goal answers the question that the run was asked, with what is known so far.
func (j *Judge) Goal(a Asked) model.GoalView {
	v := model.GoalView{Goal: a.Run.Facts["goal"], State: model.GoalOpen, Steps: a.Steps, Knee: -1, Passing: -1, Goodput: a.Clean.Clean.Kept}
	v.Measured = !math.IsNaN(v.Goodput)
	switch v.Goal {
	case model.GoalThroughput:
		j.knee(&v, &a)
	case model.GoalSLA:
		j.keeps(&v, &a)
	case model.GoalCompare:
		j.fair(&v, &a)
	default:
		v.Goal = ""
	}
	return v
}

// level is a step's load in words.
func level(s *model.LoadStep) string {
	if s.Open {
		return num(s.Level) + " arrivals/s"
	}
	return whole(s.Level) + " in flight"
}

// byLoad orders steps by their level, smallest first; of two at one level the
// better one stands.
func byLoad(steps []model.LoadStep) []int {
	var at []int
	for i := range steps {
		if known(steps[i].Level, steps[i].XOK) && steps[i].Level > 0 {
			at = append(at, i)
		}
	}
	slices.SortStableFunc(at, func(x, y int) int {
		if a, b := steps[x].Level, steps[y].Level; a != b {
			return int(math.Copysign(1, a-b))
		}
		return 0
	})
	return at
}

// rose reports whether b's throughput is above a's by more than 3 % and more
// than both steps' own noise.
func rose(a, b *model.LoadStep) bool {
	return b.XOK-a.XOK > max(0.03*a.XOK, 2*math.Hypot(zero(a.SE), zero(b.SE)))
}

func zero(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return v
}

// beyond is how much larger a load must be to show that throughput does not
// follow it.
const beyond = 1.15

// knee looks for the load from which on throughput does not rise, and whether
// a larger load was tried.
func (j *Judge) knee(v *model.GoalView, a *Asked) {
	at := byLoad(v.Steps)
	if len(at) == 0 {
		v.Line = "No load was held for 15 s yet, so there is no step to read throughput from."
		return
	}
	best := at[0]
	for _, i := range at {
		if v.Steps[i].XOK > v.Steps[best].XOK {
			best = i
		}
	}
	top := best
	for _, i := range at { // the least load that does as well
		if !rose(&v.Steps[i], &v.Steps[best]) {
			best = i
			break
		}
	}
	k, last := &v.Steps[best], &v.Steps[at[len(at)-1]]
	v.Knee, v.State = best, model.GoalNotProven
	x := fmt.Sprintf("%s ± %s good/s", num(k.XOK), num(2*zero(k.SE)))
	higher := last.Level >= beyond*k.Level
	bound := ""
	for _, id := range clientBound {
		if j.raised[id] {
			bound = id
			break
		}
	}
	switch {
	case bound != "":
		v.Line = fmt.Sprintf("At least %s, at %s; the ceiling is not proven: the client holds the load back (%s).", x, level(k), bound)
	case higher:
		v.State = model.GoalProven
		v.Line = fmt.Sprintf("The knee is at %s: %s; at %s it is %s/s. Proven: more load brings no more.", level(k), x, level(last), num(last.XOK))
	case len(at) > 1 && top == at[len(at)-1]:
		prev := &v.Steps[at[len(at)-2]]
		v.Line = fmt.Sprintf("At least %s, at %s, the largest load seen; the last step still brought %s. The ceiling is not proven: raise the load.", x, level(k), pct(k.XOK/prev.XOK-1))
	case j.raised["server_saturated"] || j.raised["queue_unbounded"]:
		v.Line = fmt.Sprintf("%s at %s with the batch full and requests waiting: likely the ceiling, but without a step beside it no knee is shown.", x, level(k))
	default:
		v.Line = fmt.Sprintf("At least %s, at %s; one load shows no knee. The ceiling is not proven: raise the load.", x, level(k))
	}
	j.doubts(v, a, k)
}

// doubts are what weakens the figure at a step.
func (j *Judge) doubts(v *model.GoalView, a *Asked, k *model.LoadStep) {
	note := func(format string, args ...any) { v.Notes = append(v.Notes, fmt.Sprintf(format, args...)) }
	if k.Clean < 0.9 {
		note("only %s of that step's time was clean", pct(k.Clean))
	}
	if k.Lost >= 0.001 {
		note("%s of its requests failed: settle them first", pct(k.Lost))
	}
	if k.Seconds < 30 {
		note("the step lasted %s s: hold it for 30 s or more", whole(k.Seconds))
	}
	for _, id := range throttles {
		if f, _ := j.byID(id); j.raised[id] && f.Severity >= model.SevMajor {
			note("%s: the figure is of a slowed GPU", f.Title)
		}
	}
	if !a.Signals.Load.Warm {
		note("the run was not seen to be warm")
	}
}

// keeps looks for the largest load under which requests keep the declared
// limits.
func (j *Judge) keeps(v *model.GoalView, a *Asked) {
	text := a.Run.Facts["slo"]
	if text == "" {
		text = "the declared limits"
	}
	share := j.t.SLOShare
	at := byLoad(v.Steps)
	at = slices.DeleteFunc(at, func(i int) bool { return v.Steps[i].Judged < minKept })
	switch {
	case !declaresLimits(a.Run):
		v.Line = "No limit was declared: give one with --slo, such as 'ttft<500ms,e2e<5s'."
		return
	case len(at) == 0:
		v.Line = fmt.Sprintf("No load was held for 15 s with %d requests that could be held to %s yet.", int(minKept), text)
		return
	}
	failing := -1
	for _, i := range at {
		if v.Steps[i].Kept >= share {
			v.Passing = i
		} else if failing < 0 || v.Steps[i].Level < v.Steps[failing].Level {
			failing = i
		}
	}
	newest := at[0]
	for _, i := range at {
		if v.Steps[i].From > v.Steps[newest].From {
			newest = i
		}
	}
	v.State = model.GoalFail
	if v.Steps[newest].Kept >= share {
		v.State = model.GoalPass
	}
	good := ""
	if known(v.Goodput) {
		good = fmt.Sprintf("Goodput %s/s within %s. ", num(v.Goodput), text)
	}
	says := func(i int) string {
		s := &v.Steps[i]
		return fmt.Sprintf("%s (%s kept them, %s/s)", level(s), pct(s.Kept), num(s.XOK*s.Kept/max(1e-9, 1-zero(s.Lost))))
	}
	switch {
	case v.Passing < 0:
		v.Line = good + fmt.Sprintf("No step passes: at %s; %s is asked for.", says(failing), pct(share))
	case failing < 0:
		v.Line = good + fmt.Sprintf("Last passing step: %s. No load exceeded the limits, so the largest one under them is not known.", says(v.Passing))
	case v.Steps[failing].Level < v.Steps[v.Passing].Level:
		v.Line = good + fmt.Sprintf("Last passing step: %s, though the smaller load %s failed: the steps do not agree.", says(v.Passing), says(failing))
	default:
		v.Line = good + fmt.Sprintf("Last passing step: %s; %s fails.", says(v.Passing), says(failing))
	}
	if v.Passing >= 0 {
		j.doubts(v, a, &v.Steps[v.Passing])
	}
	if _, ok := a.Run.Config["slo_itl_s"]; ok {
		v.Notes = append(v.Notes, "itl is held against the mean time between a request's tokens: single pauses are not told")
	}
}

// minKept is how many requests it takes to say that 99 of 100 keep a limit.
const minKept = 100.0

func declaresLimits(r *model.RunInfo) bool {
	for _, n := range [...]string{"slo_e2e_s", "slo_ttft_s", "slo_itl_s", "slo_tpot_s"} {
		if _, ok := r.Config[n]; ok {
			return true
		}
	}
	return false
}

// fair lists what stands in the way of comparing this run with another.
func (j *Judge) fair(v *model.GoalView, a *Asked) {
	add := func(bad bool, format string, args ...any) {
		if bad {
			v.Notes = append(v.Notes, fmt.Sprintf(format, args...))
		}
	}
	s, c := a.Signals, a.Clean
	cl := &s.Client
	add(!cl.Known, "no client stream: nothing to compare by")
	add(cl.Known && !s.Load.Warm, "not warm: no measured time yet")
	add(c.Known && c.Clean.Seconds < 30, "%s clean seconds: 30 are the least", whole(c.Clean.Seconds))
	add(c.Known && c.Measured.Seconds > 0 && c.Clean.Seconds < 0.9*c.Measured.Seconds, "interference in %s of the measured time", pct(1-c.Clean.Seconds/max(1, c.Measured.Seconds)))
	add(cl.TotalFailed > 0, "%s requests failed: the rounds would do different work", whole(cl.TotalFailed))
	add(j.raised["length_changed"], "input or output lengths changed during the run")
	add(cl.Known && !known(cl.OutputMean), "output lengths are not told: same work can't be shown")
	add(cl.Known && cl.TotalDone < model.MinP99, "%s requests: P99 needs %d", whole(cl.TotalDone), model.MinP99)
	for _, id := range clientBound {
		if j.raised[id] {
			add(true, "the client is the limit (%s): a server setting can't show", id)
			break
		}
	}
	add(j.raised["unsteady"], "throughput is unsteady")
	add(j.raised["queue_unbounded"], "the queue grows: latency depends on when the run stops")
	for _, id := range throttles {
		f, _ := j.byID(id)
		add(j.raised[id] && f.Severity >= model.SevMajor, "%s", f.Title)
	}
	add(a.GPUs == 0, "GPU not observed: clock and start temperature are unknown")
	add(a.Run.Change == "" && a.Run.Label == "", "neither --label nor --change says which round this is")
	switch {
	case len(v.Notes) == 0:
		v.State, v.Line = model.GoalFair, "Nothing seen stands in the way of a fair comparison; it still takes 3 runs of each."
	case s.T < 60:
		v.Line = "Not yet fit for comparison: " + strings.Join(v.Notes, "; ") + "."
	default:
		v.State, v.Line = model.GoalUnfair, fmt.Sprintf("%d things stand in the way of a fair comparison: %s.", len(v.Notes), strings.Join(v.Notes, "; "))
		if len(v.Notes) == 1 {
			v.Line = "One thing stands in the way of a fair comparison: " + v.Notes[0] + "."
		}
	}
}
