package diagnose

import (
	"fmt"
	"math"
	"strings"

	"benchtop/model"
)

// again judges a run whose client was heard only at its end, as one piece
// (diagnosis.md §4.6). What the client and the server's medians over the run say
// is answered at once: there are no seconds over which a condition could hold.
// What was found while the run went on stands, and so does its verdict, in the
// history.
func (j *Judge) again(c *Case) Result {
	s := c.S
	j.reported = s.Client.Reported
	for i := range j.rules {
		r, k := &j.rules[i], &j.counters[i]
		if seconds(r.ID) || r.Group > GroupLoss {
			continue
		}
		a := r.When(c)
		if k.missing = a == Missing; a == Yes {
			raise := or(r.Raise, j.t.RaiseS)
			k.level = raise
			k.step(a, raise, or(r.Clear, j.t.ClearS), s.At)
			k.last = ofWhole(j.describe(r, c, true), s)
		}
		j.raised[r.ID] = k.raised
	}
	return j.decide(c, true)
}

// seconds lists the rules that read the client but ask how the run went from
// second to second, which its totals can't tell.
func seconds(id string) bool {
	switch id {
	case "not_warm", "unsteady", "client_silent", "server_silent", "server_down", "queue_unbounded", "little_mismatch":
		return true
	}
	return false
}

// ofWhole words a finding that rests on the whole run rather than on a window.
func ofWhole(f model.Finding, s *model.Signals) model.Finding {
	f.Text = inTheRun(f.Text)
	for i := range f.Evidence {
		f.Evidence[i].Text = inTheRun(f.Evidence[i].Text)
		f.Evidence[i].WindowS = or(s.Client.Whole, s.T)
	}
	return f
}

var windowWords = strings.NewReplacer(" in 30 s", " in the whole run", " in 10 s", " in the whole run")

func inTheRun(text string) string { return windowWords.Replace(text) }

// fromTotals is what a verdict that rests on a run's totals has not seen.
func fromTotals(s *model.Signals) string {
	span := "its length is not told"
	if w := s.Client.Whole; !math.IsNaN(w) {
		span = fmt.Sprintf("%s s", num(w))
	}
	return "the client was heard only at its end: these are figures of the whole run (" + span + "), not of a steady part of it"
}

// noClient is what a verdict by the server's side alone lacks.
func noClient(c *Case) string {
	given := c.S.Client.Streams
	if len(given) == 0 {
		return "no client stream: give one with --load, so that requests lost before the server can be seen"
	}
	return strings.Join(given[:min(len(given), 3)], ", ") + " tells no request while it runs: let it tell each one (benchtop run --assist says how), so that requests lost before the server can be seen"
}
