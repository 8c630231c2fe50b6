package diagnose

import (
	"math"
	"slices"

	"benchtop/model"
)

// counter is the leaky counter of one finding: it grows by one a second while
// the condition holds and leaks while it does not, so that a condition that
// flickers neither raises nor clears at once.
type counter struct {
	level     float64
	raised    bool
	missing   bool
	ever      bool
	rawSince  model.Instant
	raisedAt  model.Instant
	clearedAt model.Instant
	last      model.Finding
}

// step takes one second's answer.
func (k *counter) step(a Answer, raise, clear float64, now model.Instant) {
	k.missing = a == Missing
	switch a {
	case Missing: // frozen: neither true nor false
		return
	case Yes:
		if k.rawSince == 0 {
			k.rawSince = now
		}
		k.level = min(raise, k.level+1)
	case No:
		k.rawSince = 0
		k.level = max(0, k.level-raise/clear)
		if k.level < 1e-9 {
			k.level = 0
		}
	}
	switch {
	case !k.raised && k.level >= raise:
		k.raised, k.ever, k.raisedAt, k.clearedAt = true, true, now, 0
	case k.raised && k.level == 0:
		k.raised, k.clearedAt = false, now
	}
}

// Judge holds the counters of all rules and the verdict that leads.
type Judge struct {
	t        model.Thresholds
	rules    []Rule
	counters []counter
	raised   map[string]bool
	stands   map[string]bool // raised, and its inputs are there
	verdict  model.Verdict
	runner   string
	leader   candidate // who would be the verdict, and since when
	since    model.Instant
	history  []model.VerdictChange
	reported model.Instant // when the client's own report came that was judged by; 0 if none
}

// NewJudge starts with nothing raised and not enough evidence.
func NewJudge(t model.Thresholds) *Judge {
	r := Rules()
	j := &Judge{t: t, rules: r, counters: make([]counter, len(r)), raised: make(map[string]bool), stands: make(map[string]bool)}
	j.verdict = model.Verdict{Finding: model.Finding{ID: model.VerdictNotEnough, Title: "not enough evidence yet"}, Reason: "client", Confidence: "firm", WaitS: math.NaN()}
	return j
}

// Result is what one second led to.
type Result struct {
	Verdict  model.Verdict
	Runner   string
	Findings []model.Finding // raised ones by severity, then once raised, then unknown
	Change   *model.VerdictChange
}

// History is every change of the verdict so far. The slice is never written
// again up to its length.
func (j *Judge) History() []model.VerdictChange { return j.history[:len(j.history):len(j.history)] }

const maxHistory = 512

// Second judges one second.
func (j *Judge) Second(s *model.Signals) Result {
	c := &Case{S: s, T: &j.t, raised: j.raised}
	if s.Client.Reported != 0 {
		if s.Client.Reported == j.reported {
			return j.Standing()
		}
		return j.again(c)
	}
	if s.Over && len(j.history) > 0 {
		return j.Standing() // the run is over: what was found stays found
	}
	for i := range j.rules {
		r, k := &j.rules[i], &j.counters[i]
		a := r.When(c)
		raise := or(r.Raise, j.t.RaiseS)
		if a == Yes && r.AtOnce != nil && r.AtOnce(c) {
			k.level = raise
		}
		k.step(a, raise, or(r.Clear, j.t.ClearS), s.At)
		j.raised[r.ID] = k.raised
		if a == Yes || k.last.ID == "" {
			k.last = j.describe(r, c, a != Missing)
		}
	}
	return j.decide(c, false)
}

// decide lets the first of the candidates lead; atOnce without its hold time.
func (j *Judge) decide(c *Case, atOnce bool) Result {
	cands := j.rank(c)
	res := Result{Findings: j.findings()}
	lead := cands[0]
	lead.atOnce = lead.atOnce || atOnce
	res.Change = j.lead(c, lead)
	if len(cands) > 1 {
		res.Runner = runner(cands, j.verdict.ID)
	}
	j.runner = res.Runner
	j.refresh(c, cands)
	res.Verdict = j.verdict
	return res
}

// Standing is what holds while no second is judged: before the first one, and
// when the run is over.
func (j *Judge) Standing() Result {
	return Result{Verdict: j.verdict, Runner: j.runner, Findings: j.findings()}
}

func or(v, d float64) float64 {
	if v > 0 {
		return v
	}
	return d
}

// describe words a finding with this second's numbers.
func (j *Judge) describe(r *Rule, c *Case, numbers bool) model.Finding {
	f := model.Finding{
		ID: r.ID, Severity: r.Severity, Title: r.Title, Needs: r.Needs,
		DoesNotProve: r.DoesNotProve, NextChange: r.NextChange, SettledBy: r.SettledBy,
	}
	if numbers {
		var ev []model.Evidence
		f.Text, ev = r.Say(c)
		f.Evidence = slices.DeleteFunc(ev, func(e model.Evidence) bool { return math.IsNaN(e.Value) }) // nobody measured it
		if r.Grade != nil {
			f.Severity = r.Grade(c)
		}
	}
	return f
}

// finding is rule i as it stands.
func (j *Judge) finding(i int) model.Finding {
	k, r := &j.counters[i], &j.rules[i]
	f := k.last
	f.RawSince, f.RaisedAt, f.ClearedAt = k.rawSince, k.raisedAt, k.clearedAt
	f.Level = k.level / or(r.Raise, j.t.RaiseS)
	switch {
	case k.missing: // raised or not: it is frozen until its inputs are back
		f.State = model.Unknown
	case k.raised:
		f.State = model.Raised
	default:
		f.State = model.Clear
	}
	return f
}

func (j *Judge) byID(id string) (model.Finding, *counter) {
	for i := range j.rules {
		if j.rules[i].ID == id {
			return j.finding(i), &j.counters[i]
		}
	}
	return model.Finding{ID: id}, &counter{}
}

// findings lists what is worth showing: raised, once raised, unknown.
func (j *Judge) findings() []model.Finding {
	var out []model.Finding
	for i := range j.rules {
		if k := &j.counters[i]; k.raised || k.ever || k.missing {
			out = append(out, j.finding(i))
		}
	}
	class := func(f model.Finding) int {
		switch {
		case f.State == model.Raised:
			return 0
		case f.RaisedAt != 0:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(out, func(a, b model.Finding) int {
		if x, y := class(a), class(b); x != y {
			return x - y
		}
		return int(b.Severity) - int(a.Severity)
	})
	return out
}

// lead makes cand the verdict once it has led for long enough.
func (j *Judge) lead(c *Case, cand candidate) *model.VerdictChange {
	if cand.same(j.leader) {
		j.leader = cand
	} else {
		j.leader, j.since = cand, c.S.At
	}
	now := j.verdict
	if cand.id == now.ID && cand.reason == now.Reason && len(j.history) > 0 {
		return nil
	}
	if len(j.history) > 0 && !cand.atOnce && c.S.At.Seconds(j.since) < j.t.LeadS {
		return nil
	}
	j.verdict = j.word(c, cand)
	j.verdict.Since = j.since
	v := j.verdict
	ch := model.VerdictChange{
		At: c.S.At, TS: c.S.T, ID: v.ID, Reason: v.Reason, Severity: v.Severity,
		Confidence: v.Confidence, Title: v.Title, Raised: j.raisedIDs(), Words: &v,
	}
	if len(j.history) >= maxHistory {
		j.history = append(j.history[:0:0], j.history[maxHistory/4:]...)
	}
	j.history = append(j.history, ch)
	return &ch
}

// refresh words the standing verdict with this second's numbers.
func (j *Judge) refresh(c *Case, cands []candidate) {
	since := j.verdict.Since
	for _, k := range cands {
		if k.id == j.verdict.ID && k.reason == j.verdict.Reason {
			j.verdict = j.word(c, k)
			j.verdict.Since = since
			return
		}
	}
	j.verdict.Failures = failures(c)
}

func (j *Judge) raisedIDs() []string {
	var ids []string
	for id, on := range j.stands {
		if on {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// runner is the next rule that would be the verdict if the leading one were
// dealt with: what goes away with it is no runner-up.
func runner(cands []candidate, lead string) string {
	for _, k := range cands {
		if k.id != lead && k.id != model.VerdictNone && k.id != model.VerdictNotEnough && !slices.Contains(symptoms(lead), k.id) {
			return k.id
		}
	}
	return ""
}

// symptoms are the findings that a verdict explains.
func symptoms(lead string) []string {
	switch lead {
	case "client_pool", "client_cpu", "path_stuck", "network":
		return []string{"before_server"}
	case "mem_pressure", "cpu_quota", "debug_log", "cpu_freq", "server_cpu", "noisy_neighbour":
		return []string{"gpu_idle_gaps"}
	case "engine_imbalance":
		return []string{"server_saturated", "gpu_idle_gaps", "low_sm_activity"}
	}
	return nil
}
