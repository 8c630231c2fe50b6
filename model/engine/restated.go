package engine

import "benchtop/model"

// restateEvery is how often the standing verdict is kept in the numbers of its
// second, so that a look back shows the evidence of about then; maxRestated
// bounds how many are (half a day).
const (
	restateEvery = 10e9
	maxRestated  = 4096
)

// restate keeps the words of the verdict that stands, unless they have not
// changed since it was last put into words.
func (e *Engine) restate(sec model.Instant) {
	last := model.Instant(0)
	if n := len(e.history); n > 0 {
		last = e.history[n-1].At
	}
	words := ""
	if n := len(e.restated); n > 0 && e.restated[n-1].At >= last {
		last, words = e.restated[n-1].At, e.restated[n-1].Words.Text
	}
	if sec-last < restateEvery || len(e.history) == 0 {
		return
	}
	v := e.verdict()
	if v.Text == "" || v.Text == words {
		return
	}
	if len(e.restated) >= maxRestated {
		e.restated = append(e.restated[:0:0], e.restated[maxRestated/4:]...) // what was published keeps its own
	}
	e.restated = append(e.restated, model.Restatement{At: sec, Words: &v, Raised: raised(e.result.Findings)})
}

// raised are the ids of the findings that stand.
func raised(all []model.Finding) []string {
	var ids []string
	for i := range all {
		if all[i].State == model.Raised {
			ids = append(ids, all[i].ID)
		}
	}
	return ids
}
